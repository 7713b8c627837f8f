//! Commands for the final score and the final status of stones and points.

use crate::engine::final_status::{FinalStatus, PointStatus};
use crate::game::position::NO_RESULT_REASON;
use crate::gtp::args::{Args, invalid_argument};
use crate::gtp::command::{Command, Context};
use crate::gtp::response::{CommandResult, GtpError, text, vertices_text};

pub const COMMANDS: &[Command] = &[
    Command::new(
        "final_score",
        "",
        "Returns the score with dead stones removed; before two passes, unsettled points count by their expected owners.",
        final_score,
    ),
    Command::new(
        "final_status",
        "VERTEX",
        "Returns alive, dead or seki for a stone, and white_territory, black_territory or dame for an empty point.",
        final_status,
    ),
    Command::new(
        "final_status_list",
        "alive | dead | seki | white_territory | black_territory | dame",
        "Lists the points with the given status; stones are listed one chain per line.",
        final_status_list,
    ),
];

fn final_score(context: &mut Context<'_, '_>, _: &mut Args<'_>) -> CommandResult {
    if context.engine.position().has_no_result() {
        let message = format!("the game has no result ({NO_RESULT_REASON})");
        return Err(GtpError::CannotScore(message));
    }
    let count = context.engine.count_position();
    let count = count.map_err(|error| GtpError::CannotScore(error.to_string()))?;
    text(count.expected_score)
}

fn compute_final_status(context: &Context<'_, '_>) -> Result<FinalStatus, GtpError> {
    let status = context.engine.final_status();
    status.map_err(|error| GtpError::CannotScore(error.to_string()))
}

fn final_status(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> CommandResult {
    let point = args.parse_last(|args| args.point(context.engine.position().size()))?;
    text(compute_final_status(context)?.at(point).name())
}

fn final_status_list(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> CommandResult {
    let names = PointStatus::ALL.map(PointStatus::name).join(", ");
    let description = format!("status ({names})");
    let word = args.parse_last(|args| args.word(&description))?;
    let name = word.to_ascii_lowercase();
    let wanted = PointStatus::ALL
        .into_iter()
        .find(|status| status.name() == name);
    let wanted = wanted.ok_or_else(|| invalid_argument(&description, word))?;
    let points = compute_final_status(context)?.points(wanted);
    let position = context.engine.position();
    if !points.intersects(&position.board().occupied_points()) {
        return text(vertices_text(position.size(), points));
    }
    let mut remaining = points;
    let mut lines = Vec::new();
    while let Some(chain) = remaining
        .first()
        .and_then(|point| position.board().chain_at(point))
    {
        lines.push(vertices_text(position.size(), chain.stones));
        remaining -= chain.stones;
    }
    text(lines.join("\n"))
}
