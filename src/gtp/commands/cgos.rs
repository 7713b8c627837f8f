//! Commands of the Computer Go Server (CGOS): moves with an analysis for spectators, and game information.

use super::genmove::run_search;
use crate::engine::genmove::GenmoveOptions;
use crate::game::point::BoardSize;
use crate::gtp::args::Args;
use crate::gtp::command::{Command, Context};
use crate::gtp::response::{CommandResult, Response};
use crate::search::report::{MoveReport, Report};

pub const COMMANDS: &[Command] = &[
    Command::new(
        "cgos-genmove_analyze",
        "COLOR [INTERVAL]",
        "Plays a move like genmove and returns the analysis as one line of JSON.",
        genmove_analyze,
    ),
    Command::new(
        "cgos-gameover",
        "RESULT",
        "Stops pondering and keeps the board.",
        game_over,
    ),
];

/// Maximum number of candidate moves in an analysis. The server stores the analysis with the game, so the analysis must
/// be short.
const MAX_MOVES: usize = 10;
/// Characters that encode ownership for CGOS, from -1 (owned by the opponent) to 1 (owned by the side to move).
const OWNERSHIP_CHARS: &[u8; 63] =
    b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+";

fn genmove_analyze(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> CommandResult {
    let color = args.color()?;
    // The response has only one analysis line, so the interval has no effect.
    args.optional(|args| args.number("interval in hundredths of a second", 0..=u32::MAX))?;
    args.expect_end()?;
    let options = GenmoveOptions {
        ownership: true,
        ..GenmoveOptions::default()
    };
    run_search(context, color, options);
    let report = context.engine.search_report();
    let decision = context.engine.finish_genmove()?.decision;
    let size = context.engine.record().size();
    context.connection.begin_response(context.id);
    context.connection.send_line(&report_json(size, &report));
    context.connection.end_with_move(&decision.to_text(size));
    Ok(Response::Streamed)
}

/// Formats a report as one line of JSON for CGOS's game viewer. Values are from the perspective of the side to move.
fn report_json(size: BoardSize, report: &Report) -> String {
    let moves: Vec<_> = report
        .moves
        .iter()
        .take(MAX_MOVES)
        .map(|candidate| move_json(size, candidate))
        .collect();
    let ownership: String = report
        .stats
        .ownership
        .iter()
        .map(|&value| ownership_char(value))
        .collect();
    format!(
        "{{\"winrate\":{:.4},\"score\":{:.2},\"visits\":{},\"moves\":[{}],\"ownership\":\"{ownership}\"}}",
        report.values.winrate,
        report.values.score_lead,
        report.visits,
        moves.join(","),
    )
}

fn move_json(size: BoardSize, candidate: &MoveReport) -> String {
    // CGOS expects the principal variation without its first move.
    let pv = candidate.pv.get(1..).unwrap_or_default();
    format!(
        "{{\"move\":\"{}\",\"winrate\":{:.4},\"score\":{:.2},\"prior\":{:.4},\"visits\":{},\"pv\":\"{}\"}}",
        size.format_move(candidate.mv),
        candidate.values.winrate,
        candidate.values.score_lead,
        candidate.prior,
        candidate.visits,
        size.format_moves(pv),
    )
}

/// Encodes an ownership value from -1 to 1 as a character.
fn ownership_char(value: f32) -> char {
    let index = ((value.clamp(-1.0, 1.0) + 1.0) / 2.0 * 62.0).round() as usize;
    char::from(OWNERSHIP_CHARS[index])
}

fn game_over(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> CommandResult {
    args.word("result")?;
    context.engine.pause_pondering();
    Ok(Response::EMPTY)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ownership_has_63_levels() {
        let chars = [-1.0, -0.5, 0.0, 0.5, 1.0, 2.0, -9.0].map(ownership_char);
        assert_eq!(chars, ['A', 'Q', 'f', 'v', '+', '+', 'A']);
    }
}
