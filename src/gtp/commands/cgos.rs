//! What the clients of the Computer Go Server ask: moves with an analysis that the server shows, and news of the game.

use super::play::wait;
use crate::engine::genmove::Wish;
use crate::game::point::{BoardSize, Move};
use crate::gtp::args::Args;
use crate::gtp::context::{Answer, Command, Context, Outcome};
use crate::search::report::{MoveReport, Report};

/// The group.
pub const COMMANDS: &[Command] = &[
    Command::new(
        "cgos-genmove_analyze",
        "COLOR [INTERVAL]",
        "Makes a move as genmove does and answers, as a line of JSON, what it was decided from.",
        genmove_analyze,
    ),
    Command::new(
        "cgos-opponent_name",
        "NAME",
        "Tells the opponent's name, which changes nothing.",
        news,
    ),
    Command::new(
        "cgos-opponent_rating",
        "RATING",
        "Tells the opponent's rating, which changes nothing.",
        news,
    ),
    Command::new(
        "cgos-gameover",
        "RESULT",
        "Ends what goes on unasked; the board stays.",
        game_over,
    ),
];

/// Moves that are told at most: a server keeps the line with the game.
const MOST_MOVES: usize = 10;
/// The owners' characters, from the opponent's to the own, as the server reads them.
const OWNERS: &[u8; 63] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+";

fn genmove_analyze(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    let color = args.color()?;
    if !args.is_empty() {
        // One line is answered, so there is nothing that an interval could part.
        args.number("an interval in hundredths of a second", 0..=u32::MAX)?;
    }
    args.end()?;
    let wish = Wish {
        ownership: true,
        ..Wish::default()
    };
    context.engine.begin_genmove(color, wish);
    wait(context);
    let report = context.engine.report();
    let decision = context.engine.finish_genmove()?;
    let size = context.engine.record().size();
    context.wire.open(context.id);
    context.wire.line(&json(size, &report));
    let text = decision.text(size);
    context.wire.line(&format!("play {text}"));
    context.wire.close();
    Ok(Answer::Sent)
}

/// A report as one line of JSON, from the side to move; the form is that of CGOS' game viewer.
fn json(size: BoardSize, report: &Report) -> String {
    let moves: Vec<_> = report
        .moves
        .iter()
        .take(MOST_MOVES)
        .map(|found| move_json(size, found))
        .collect();
    let owners: String = report
        .census
        .ownership
        .iter()
        .map(|&owner| character(owner))
        .collect();
    format!(
        "{{\"winrate\":{:.4},\"score\":{:.2},\"visits\":{},\"moves\":[{}],\"ownership\":\"{owners}\"}}",
        report.values.winrate,
        report.values.score_lead,
        report.visits,
        moves.join(","),
    )
}

fn move_json(size: BoardSize, found: &MoveReport) -> String {
    // The line begins behind the move.
    let line: Vec<_> = found
        .line
        .iter()
        .skip(1)
        .map(|&mv: &Move| size.move_text(mv))
        .collect();
    format!(
        "{{\"move\":\"{}\",\"winrate\":{:.4},\"score\":{:.2},\"prior\":{:.4},\"visits\":{},\"pv\":\"{}\"}}",
        size.move_text(found.mv),
        found.values.winrate,
        found.values.score_lead,
        found.prior,
        found.visits,
        line.join(" "),
    )
}

/// The character of an owner from -1 to 1.
fn character(owner: f32) -> char {
    let place = ((owner.clamp(-1.0, 1.0) + 1.0) / 2.0 * 62.0).round() as usize;
    char::from(OWNERS[place])
}

fn game_over(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    args.word("the result")?;
    context.engine.rest();
    Ok(Answer::NOTHING)
}

fn news(_: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    args.word("what there is to tell")?;
    Ok(Answer::NOTHING)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn owners_are_told_in_sixty_three_steps() {
        let told = [-1.0, -0.5, 0.0, 0.5, 1.0, 2.0, -9.0].map(character);
        assert_eq!(told, ['A', 'Q', 'f', 'v', '+', '+', 'A']);
    }
}
