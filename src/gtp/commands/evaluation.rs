//! Evaluation for display in GoGui and gomill: ownership, policy, principal variation, and an explanation of the last
//! move.

use super::genmove::run_search;
use crate::engine::genmove::GenmoveOptions;
use crate::eval::Evaluation;
use crate::game::point::Move;
use crate::game::symmetry::Symmetry;
use crate::gtp::args::Args;
use crate::gtp::command::{Command, Context};
use crate::gtp::response::{CommandResult, GtpError, Response, text};
use crate::search::report::{Report, round_to_decimals};

pub const COMMANDS: &[Command] = &[
    Command::new(
        "honinbo-ownership",
        "",
        "Returns the expected owner of each point, row by row, from -1 (White) to 1 (Black).",
        ownership,
    ),
    Command::new(
        "honinbo-score",
        "",
        "Returns the evaluator's estimate of the lead and of Black's win rate, without a search.",
        score,
    ),
    Command::new(
        "honinbo-policy",
        "",
        "Returns the evaluator's policy in percent, without a search.",
        policy,
    ),
    Command::new(
        "honinbo-pv",
        "[COLOR]",
        "Searches like genmove and returns the principal variation, but does not play a move.",
        principal_variation,
    ),
    Command::new(
        "honinbo-visits",
        "[COLOR]",
        "Searches like genmove and returns each move's percentage of the visits, but does not play a move.",
        visits,
    ),
    Command::new(
        "gomill-explain_last_move",
        "",
        "Explains the engine's last move by win rate, lead, visits and principal variation; empty before the engine's first move.",
        explain_last_move,
    ),
    Command::new(
        "gomill-describe_engine",
        "",
        "Returns the engine's name, version and settings.",
        describe_engine,
    ),
];

fn ownership(context: &mut Context<'_, '_>, _: &mut Args<'_>) -> CommandResult {
    let ownership = context.engine.ownership()?;
    let width = context.engine.record().size().width();
    let rows = ownership.as_slice().chunks(width).map(|row| {
        let cells: Vec<_> = row.iter().map(|value| format!("{value:.2}")).collect();
        cells.join(" ")
    });
    text(rows.collect::<Vec<_>>().join("\n"))
}

fn score(context: &mut Context<'_, '_>, _: &mut Args<'_>) -> CommandResult {
    let to_move = context.engine.position().to_move();
    let evaluation = evaluate_position(context)?;
    let lead = round_to_decimals(f64::from(to_move.to_perspective(evaluation.score_lead)), 1);
    let value = f64::from(to_move.to_perspective(evaluation.value));
    let lead = if lead == 0.0 {
        "even".to_owned()
    } else if lead > 0.0 {
        format!("B+{lead:.1}")
    } else {
        format!("W+{:.1}", -lead)
    };
    let winrate = percent((1.0 + value) / 2.0);
    text(format!("{lead}, {winrate:.1}% for Black"))
}

fn policy(context: &mut Context<'_, '_>, _: &mut Args<'_>) -> CommandResult {
    let evaluation = evaluate_position(context)?;
    let size = context.engine.record().size();
    let moves = size.points().map(Move::Play);
    let shares = moves.zip(evaluation.policy.iter().map(|&prior| f64::from(prior)));
    text(percentages_text(context, shares))
}

/// Returns the evaluator's output for the current position, from the perspective of the side to move, without a search.
fn evaluate_position(context: &Context<'_, '_>) -> Result<Evaluation, GtpError> {
    let to_move = context.engine.position().to_move();
    Ok(context.engine.evaluate_raw(to_move, Symmetry::IDENTITY)?)
}

fn principal_variation(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> CommandResult {
    let report = search_and_report(context, args)?;
    let size = context.engine.record().size();
    let best = report.moves.first();
    text(size.format_moves(best.map_or(&[][..], |best| &best.pv)))
}

fn visits(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> CommandResult {
    let report = search_and_report(context, args)?;
    let total_visits: u32 = report.moves.iter().map(|candidate| candidate.visits).sum();
    let shares = report.moves.iter().map(|candidate| {
        (
            candidate.mv,
            f64::from(candidate.visits) / f64::from(total_visits.max(1)),
        )
    });
    text(percentages_text(context, shares))
}

/// Searches for a move like `genmove` and returns the report of the search, but does not play the move. The optional
/// argument is the colour to play; the default is the side to move.
fn search_and_report(
    context: &mut Context<'_, '_>,
    args: &mut Args<'_>,
) -> Result<Report, GtpError> {
    let to_move = context.engine.position().to_move();
    let color = args.optional(Args::color)?.unwrap_or(to_move);
    args.expect_end()?;
    let options = GenmoveOptions {
        play: false,
        ..GenmoveOptions::default()
    };
    run_search(context, color, options);
    let report = context.engine.search_report();
    context.engine.cancel_search();
    match context.engine.search_error() {
        Some(error) => Err(error.into()),
        None => Ok(report),
    }
}

/// Formats moves and their shares (fractions from 0 to 1) as percentages, rounded to integers. Omits passes and moves
/// with 0%.
fn percentages_text(
    context: &Context<'_, '_>,
    shares: impl Iterator<Item = (Move, f64)>,
) -> String {
    let size = context.engine.record().size();
    let pairs: Vec<_> = shares
        .filter_map(|(mv, share)| Some((mv.point()?, percent(share).round())))
        .filter(|(_, share)| *share >= 1.0)
        .map(|(point, share)| format!("{} {share}", size.vertex(point)))
        .collect();
    pairs.join(" ")
}

fn explain_last_move(context: &mut Context<'_, '_>, _: &mut Args<'_>) -> CommandResult {
    let Some(last_decision) = context.engine.last_decision() else {
        return Ok(Response::EMPTY);
    };
    let size = context.engine.record().size();
    let vertex = last_decision.decision.to_text(size);
    let candidate = (last_decision.report.moves.iter())
        .find(|candidate| last_decision.decision.mv() == Some(candidate.mv));
    let (values, visits) = candidate.map_or((last_decision.report.values, 0), |candidate| {
        (candidate.values, candidate.visits)
    });
    let mut explanation = format!(
        "{} {vertex}: win rate {:.1}%, lead {:+.1}, {visits} of {} visits",
        last_decision.color,
        percent(values.winrate),
        round_to_decimals(values.score_lead, 1),
        last_decision.report.visits,
    );
    if let Some(candidate) = candidate {
        explanation += &format!("\nline: {}", size.format_moves(&candidate.pv));
    }
    if let Some(stats) = &last_decision.report.depth_stats {
        explanation += &format!("\n{stats}");
    }
    text(explanation)
}

fn describe_engine(context: &mut Context<'_, '_>, _: &mut Args<'_>) -> CommandResult {
    let (identity, settings) = (context.identity, context.engine.settings());
    let visits = settings.move_visit_limit().map(|visits| visits.to_string());
    let time = settings.time_without_clock().map(|time| time.as_secs_f64());
    let no_limit = || "no limit".to_owned();
    text(format!(
        "{} {}\nsearch threads: {}\nvisits per move: {}\nseconds per move without a clock: {}\nseed: {}",
        identity.name,
        identity.version,
        settings.threads,
        visits.unwrap_or_else(no_limit),
        time.map_or_else(no_limit, |seconds| seconds.to_string()),
        settings.seed,
    ))
}

fn percent(fraction: f64) -> f64 {
    100.0 * fraction
}
