//! The end of the game: its score, and what becomes of every point.

use crate::engine::point_status::{FinalStatus, PointStatus};
use crate::gtp::args::{Args, unexpected_argument};
use crate::gtp::context::{Command, Context};
use crate::gtp::response::{CommandResult, GtpError, Response, vertices_text};

pub const COMMANDS: &[Command] = &[
    Command::new(
        "final_score",
        "",
        "Answers the score if the game ended now, dead stones taken off; honinbo-score foretells it.",
        final_score,
    ),
    Command::new(
        "final_status",
        "VERTEX",
        "Answers alive, dead or seki of a stone, and of an empty point whose territory it is, or dame.",
        final_status,
    ),
    Command::new(
        "final_status_list",
        "alive | dead | seki | white_territory | black_territory | dame",
        "Answers the stones of that status, a chain a line, or the empty points.",
        final_status_list,
    ),
];

fn final_score(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> CommandResult {
    args.expect_end()?;
    let count = context
        .engine
        .final_count()
        .map_err(|error| GtpError::CannotScore(error.to_string()))?;
    Ok(Response::Text(count.score.to_string()))
}

fn status(context: &Context<'_, '_>) -> Result<FinalStatus, GtpError> {
    let status = context.engine.final_status();
    status.map_err(|error| GtpError::CannotScore(error.to_string()))
}

fn final_status(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> CommandResult {
    let point = args.point(context.engine.position().size())?;
    args.expect_end()?;
    Ok(Response::Text(status(context)?.at(point).name().to_owned()))
}

fn final_status_list(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> CommandResult {
    let names = PointStatus::ALL.map(PointStatus::name).join(", ");
    let expected = format!("a status ({names})");
    let word = args.word(&expected)?;
    args.expect_end()?;
    let name = word.to_ascii_lowercase();
    let fate = PointStatus::ALL
        .into_iter()
        .find(|fate| fate.name() == name);
    let fate = fate.ok_or_else(|| unexpected_argument(&expected, word))?;
    let points = status(context)?.points(fate);
    let position = context.engine.position();
    if !points.intersects(&position.board().occupied()) {
        return Ok(Response::Text(vertices_text(position.size(), points.iter())));
    }
    let mut remaining = points;
    let mut lines = Vec::new();
    while let Some(chain) = remaining
        .first()
        .and_then(|point| position.board().chain_at(point))
    {
        lines.push(vertices_text(position.size(), chain.stones.iter()));
        remaining -= chain.stones;
    }
    Ok(Response::Text(lines.join("\n")))
}
