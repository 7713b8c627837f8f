//! What the engine thinks, for people to look at: owners, policy, lines of play, and why it moved as it did.

use std::time::Duration;

use super::play::wait;
use crate::engine::genmove::Wish;
use crate::eval::Evaluation;
use crate::game::point::Move;
use crate::game::symmetry::Symmetry;
use crate::gtp::args::Args;
use crate::gtp::context::{Answer, Command, Context, Outcome};
use crate::gtp::reply::Failure;
use crate::search::report::{Report, rounded};

/// The group.
pub const COMMANDS: &[Command] = &[
    Command::new(
        "honinbo-ownership",
        "",
        "Answers the expected owner of each point, row by row, from -1 (White) to 1 (Black).",
        ownership,
    ),
    Command::new(
        "honinbo-score",
        "",
        "Answers the lead and Black's chance to win that the evaluator expects without a search.",
        score,
    ),
    Command::new(
        "honinbo-policy",
        "",
        "Answers the moves that the evaluator proposes, with their shares in per cent.",
        policy,
    ),
    Command::new(
        "honinbo-pv",
        "[COLOR]",
        "Thinks as about a move and answers the line of play expected.",
        line,
    ),
    Command::new(
        "honinbo-visits",
        "[COLOR]",
        "Thinks as about a move and answers the moves looked at, with their shares of the visits in per cent.",
        visits,
    ),
    Command::new(
        "gomill-explain_last_move",
        "",
        "Answers what the engine's last move was decided from; nothing before its first.",
        explain,
    ),
    Command::new(
        "gomill-describe_engine",
        "",
        "Answers name, version and settings of the engine.",
        describe,
    ),
];

fn ownership(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    args.end()?;
    let owners = context.engine.ownership()?;
    let width = context.engine.record().size().width();
    let rows = owners.all().chunks(width).map(|row| {
        let cells: Vec<_> = row.iter().map(|owner| format!("{owner:.2}")).collect();
        cells.join(" ")
    });
    Ok(Answer::Text(rows.collect::<Vec<_>>().join("\n")))
}

fn score(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    args.end()?;
    let to_move = context.engine.position().to_move();
    let evaluation = first_sight(context)?;
    let lead = rounded(f64::from(to_move.from_black(evaluation.score_lead)), 1);
    let value = f64::from(to_move.from_black(evaluation.value));
    let lead = if lead == 0.0 {
        "even".to_owned()
    } else if lead > 0.0 {
        format!("B+{lead:.1}")
    } else {
        format!("W+{:.1}", -lead)
    };
    let winrate = per_cent((1.0 + value) / 2.0);
    Ok(Answer::Text(format!("{lead}, {winrate:.1} % for Black")))
}

fn policy(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    args.end()?;
    let evaluation = first_sight(context)?;
    let size = context.engine.record().size();
    let moves = size.points().map(Move::Play);
    let shares = moves.zip(evaluation.policy.iter().map(|&prior| f64::from(prior)));
    Ok(Answer::Text(shares_text(context, shares)))
}

/// What the evaluator says of the position without a search, from the side to move.
fn first_sight(context: &Context<'_, '_>) -> Result<Evaluation, Failure> {
    let to_move = context.engine.position().to_move();
    let evaluation = context.engine.evaluate(to_move, Symmetry::IDENTITY);
    evaluation.map_err(Failure::from)
}

fn line(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    let report = advise(context, args)?;
    let size = context.engine.record().size();
    let best = report.moves.first();
    let moves = best.map_or(&[][..], |best| &best.line);
    let words: Vec<_> = moves.iter().map(|&mv| size.move_text(mv)).collect();
    Ok(Answer::Text(words.join(" ")))
}

fn visits(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    let report = advise(context, args)?;
    let all: u32 = report.moves.iter().map(|found| found.visits).sum();
    let shares = report
        .moves
        .iter()
        .map(|found| (found.mv, f64::from(found.visits) / f64::from(all.max(1))));
    Ok(Answer::Text(shares_text(context, shares)))
}

/// Searches as for a move of the colour given, or of the side to move; nothing is played.
fn advise(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> Result<Report, Failure> {
    let to_move = context.engine.position().to_move();
    let color = if args.is_empty() {
        to_move
    } else {
        args.color()?
    };
    args.end()?;
    let wish = Wish {
        play: false,
        ..Wish::default()
    };
    context.engine.begin_genmove(color, wish);
    wait(context);
    let report = context.engine.report();
    context.engine.halt();
    match context.engine.failure() {
        Some(error) => Err(error.into()),
        None => Ok(report),
    }
}

/// Pairs of a point and a whole number of per cent, as far as that is not 0. A pass has no place on a board.
fn shares_text(context: &Context<'_, '_>, shares: impl Iterator<Item = (Move, f64)>) -> String {
    let size = context.engine.record().size();
    let pairs: Vec<_> = shares
        .filter_map(|(mv, share)| Some((mv.point()?, per_cent(share).round())))
        .filter(|(_, share)| *share >= 1.0)
        .map(|(point, share)| format!("{} {share}", size.vertex(point)))
        .collect();
    pairs.join(" ")
}

fn explain(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    args.end()?;
    let Some(seen) = context.engine.seen() else {
        return Ok(Answer::NOTHING);
    };
    let size = context.engine.record().size();
    let vertex = seen.decision.text(size);
    let found = (seen.report.moves.iter()).find(|found| seen.decision.mv() == Some(found.mv));
    let (values, visits) = found.map_or((seen.report.values, 0), |found| {
        (found.values, found.visits)
    });
    let mut text = format!(
        "{} {vertex}: win rate {:.1} %, lead {:+.1}, {visits} of {} visits",
        seen.color,
        per_cent(values.winrate),
        rounded(values.score_lead, 1),
        seen.report.visits,
    );
    if let Some(found) = found {
        let line: Vec<_> = found.line.iter().map(|&mv| size.move_text(mv)).collect();
        text.push_str(&format!("\nline: {}", line.join(" ")));
    }
    Ok(Answer::Text(text))
}

fn describe(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    args.end()?;
    let (identity, settings) = (context.identity, context.engine.settings());
    let visits = settings.move_visits().map(|visits| visits.to_string());
    let time = settings
        .unclocked_time()
        .as_ref()
        .map(Duration::as_secs_f64);
    let none = || "no limit".to_owned();
    Ok(Answer::Text(format!(
        "{} {}\nsearch threads: {}\nvisits a move: {}\nseconds a move without a clock: {}\nseed: {}",
        identity.name,
        identity.version,
        settings.threads,
        visits.unwrap_or_else(none),
        time.map_or_else(none, |seconds| seconds.to_string()),
        settings.seed,
    )))
}

fn per_cent(fraction: f64) -> f64 {
    100.0 * fraction
}
