//! Moves entered by the client, undo, move history and the board diagram.

use crate::game::color::Color;
use crate::game::diagram;
use crate::game::point::{BoardSize, Move};
use crate::game::position::MoveError;
use crate::gtp::args::Args;
use crate::gtp::command::{Command, Context};
use crate::gtp::response::{CommandResult, GtpError, Response, text};

pub const COMMANDS: &[Command] = &[
    Command::new(
        "play",
        "COLOR VERTEX",
        "Plays a move, or records a pass or resignation of COLOR.",
        play,
    ),
    Command::new(
        "gogui-play_sequence",
        "[COLOR VERTEX]...",
        "Plays several moves; if one of them is illegal, plays none.",
        play_sequence,
    ),
    Command::new("undo", "", "Takes back the last move.", |context, _| {
        undo_moves(context, 1)
    }),
    Command::new(
        "gg-undo",
        "[MOVES]",
        "Takes back MOVES moves [default: 1].",
        undo_several,
    ),
    Command::new(
        "last_move",
        "",
        "Returns the colour and the vertex of the last move.",
        last_move,
    ),
    Command::new(
        "move_history",
        "",
        "Lists the moves played, most recent first, one per line.",
        move_history,
    ),
    Command::new("showboard", "", "Draws the board.", |context, _| {
        let board = diagram::render_position(context.engine.position());
        text(format!("\n{board}"))
    }),
];

fn illegal_move(error: MoveError) -> GtpError {
    GtpError::IllegalMove(error.to_string())
}

fn play(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> CommandResult {
    let color = args.color()?;
    if args.accept_keyword("resign") {
        args.expect_end()?;
        context.engine.resign(color);
        return Ok(Response::EMPTY);
    }
    let mv = args.parse_last(|args| args.mv(context.engine.record().size()))?;
    context.engine.play(color, mv).map_err(illegal_move)?;
    Ok(Response::EMPTY)
}

fn play_sequence(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> CommandResult {
    let size = context.engine.record().size();
    let mut moves = Vec::new();
    while !args.is_empty() {
        moves.push((args.color()?, args.mv(size)?));
    }
    // Check all moves on a copy first.
    let mut copy = context.engine.record().clone();
    for &(color, mv) in &moves {
        copy.play(color, mv).map_err(illegal_move)?;
    }
    for (color, mv) in moves {
        context.engine.play(color, mv).map_err(illegal_move)?;
    }
    Ok(Response::EMPTY)
}

fn undo_several(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> CommandResult {
    let moves = args.optional(|args| args.number("number of moves", 0..=u32::MAX))?;
    args.expect_end()?;
    undo_moves(context, moves.unwrap_or(1) as usize)
}

fn undo_moves(context: &mut Context<'_, '_>, count: usize) -> CommandResult {
    let move_count = context.engine.record().moves().len();
    if count > move_count {
        return Err(GtpError::CannotUndo(match move_count {
            0 => "no moves to take back".to_owned(),
            1 => "only one move to take back".to_owned(),
            _ => format!("only {move_count} moves to take back"),
        }));
    }
    for _ in 0..count {
        context.engine.undo();
    }
    Ok(Response::EMPTY)
}

fn colored_move_text(size: BoardSize, (color, mv): (Color, Move)) -> String {
    format!("{color} {}", size.format_move(mv))
}

fn last_move(context: &mut Context<'_, '_>, _: &mut Args<'_>) -> CommandResult {
    let record = context.engine.record();
    let last = record.moves().last().ok_or_else(|| {
        GtpError::NoPreviousMove("no moves since the board was set up".to_owned())
    })?;
    text(colored_move_text(record.size(), *last))
}

fn move_history(context: &mut Context<'_, '_>, _: &mut Args<'_>) -> CommandResult {
    let record = context.engine.record();
    let moves = record.moves().iter().rev();
    let lines: Vec<_> = moves
        .map(|&colored_move| colored_move_text(record.size(), colored_move))
        .collect();
    text(lines.join("\n"))
}
