//! The end of the game: its score, and what becomes of every point.

use crate::engine::status::{Fate, Status};
use crate::gtp::args::{Args, unexpected};
use crate::gtp::commands::look::vertices;
use crate::gtp::context::{Answer, Command, Context, Outcome};
use crate::gtp::reply::Failure;

/// The group.
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

fn final_score(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    args.end()?;
    let count = context
        .engine
        .final_count()
        .map_err(|error| Failure::CannotScore(error.to_string()))?;
    Ok(Answer::Text(count.score.to_string()))
}

fn status(context: &Context<'_, '_>) -> Result<Status, Failure> {
    let judged = context.engine.status();
    judged.map_err(|error| Failure::CannotScore(error.to_string()))
}

fn final_status(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    let point = args.point(context.engine.position().size())?;
    args.end()?;
    Ok(Answer::Text(status(context)?.of(point).name().to_owned()))
}

fn final_status_list(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    let names = Fate::ALL.map(Fate::name).join(", ");
    let expected = format!("a status ({names})");
    let word = args.word(&expected)?;
    args.end()?;
    let wanted = word.to_ascii_lowercase();
    let fate = Fate::ALL.into_iter().find(|fate| fate.name() == wanted);
    let fate = fate.ok_or_else(|| unexpected(&expected, word))?;
    let points = status(context)?.points(fate);
    let position = context.engine.position();
    if !points.intersects(&position.board().occupied()) {
        return Ok(Answer::Text(vertices(position.size(), points)));
    }
    let mut left = points;
    let mut lines = Vec::new();
    while let Some(chain) = left
        .first()
        .and_then(|point| position.board().chain_at(point))
    {
        lines.push(vertices(position.size(), chain.stones));
        left -= chain.stones;
    }
    Ok(Answer::Text(lines.join("\n")))
}
