//! The game: moves made, asked for and taken back, and its end.

use std::time::Duration;

use crate::engine::decision::Decision;
use crate::engine::genmove::GenmoveOptions;
use crate::game::color::Color;
use crate::game::diagram;
use crate::game::point::{BoardSize, Move};
use crate::game::position::MoveError;
use crate::game::rules::Rules;
use crate::gtp::args::Args;
use crate::gtp::context::{Command, CommandResult, Context, Response};
use crate::gtp::response::GtpError;

/// The group.
pub const COMMANDS: &[Command] = &[
    Command::new(
        "play",
        "COLOR VERTEX",
        "Makes a move, a pass included, or takes down that the colour resigns.",
        play,
    ),
    Command::new(
        "gogui-play_sequence",
        "[COLOR VERTEX]...",
        "Makes several moves, all of them or none.",
        play_sequence,
    ),
    Command::new(
        "genmove",
        "COLOR",
        "Thinks about a move, makes it and answers it.",
        genmove,
    ),
    Command::new(
        "reg_genmove",
        "COLOR",
        "Thinks about a move and answers it; the game stays as it is.",
        reg_genmove,
    ),
    Command::new(
        "kgs-genmove_cleanup",
        "COLOR",
        "Makes a move, and passes only when no dead stone of the opponent is left to be captured.",
        genmove_cleanup,
    ),
    Command::new("undo", "", "Takes the last move back.", undo),
    Command::new("gg-undo", "[MOVES]", "Takes moves back.", undo_several),
    Command::new(
        "last_move",
        "",
        "Answers the last move and who made it.",
        last_move,
    ),
    Command::new(
        "move_history",
        "",
        "Answers the moves made, the last first, one a line.",
        move_history,
    ),
    Command::new("showboard", "", "Draws the board.", showboard),
];

/// How often a client may cut thinking short.
pub const POLL_INTERVAL: Duration = Duration::from_millis(50);

fn play_move(context: &mut Context<'_, '_>, color: Color, mv: Move) -> Result<(), GtpError> {
    context.engine.play(color, mv).map_err(illegal_move)
}

fn illegal_move(error: MoveError) -> GtpError {
    GtpError::IllegalMove(error.to_string())
}

fn play(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> CommandResult {
    let color = args.color()?;
    let is_resignation = args
        .peek()
        .is_some_and(|word| word.eq_ignore_ascii_case("resign"));
    if is_resignation {
        args.word("resign")?;
        args.expect_end()?;
        context.engine.resign(color);
        return Ok(Response::EMPTY);
    }
    let mv = args.mv(context.engine.record().size())?;
    args.expect_end()?;
    play_move(context, color, mv)?;
    Ok(Response::EMPTY)
}

fn play_sequence(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> CommandResult {
    let size = context.engine.record().size();
    let mut moves = Vec::new();
    while !args.is_empty() {
        moves.push((args.color()?, args.mv(size)?));
    }
    // All of them or none: a copy tells whether they are legal.
    let mut copy = context.engine.record().clone();
    for &(color, mv) in &moves {
        copy.play(color, mv).map_err(illegal_move)?;
    }
    for (color, mv) in moves {
        play_move(context, color, mv)?;
    }
    Ok(Response::EMPTY)
}

/// Waits until a search has ended by itself or the client has interrupted it.
pub fn wait_for_search(context: &mut Context<'_, '_>) {
    poll_search(context, false, POLL_INTERVAL, |_| {});
}

/// The same, looking up after each `poll_interval`. One that is `cancellable` any other line of the client ends without a move;
/// then the answer is false.
pub fn poll_search(
    context: &mut Context<'_, '_>,
    cancellable: bool,
    poll_interval: Duration,
    mut on_poll: impl FnMut(&mut Context<'_, '_>),
) -> bool {
    while !context.engine.wait_for(poll_interval) {
        if cancellable && context.connection.wait_for_input(Some(Duration::ZERO)) {
            context.engine.stop_search();
            return false;
        }
        if context.connection.take_interrupt() {
            context.engine.finish_early();
        }
        on_poll(context);
    }
    true
}

/// Thinks until the move is due or the client interrupts, and tells the decision.
pub fn search_move(
    context: &mut Context<'_, '_>,
    color: Color,
    options: GenmoveOptions,
) -> Result<Decision, GtpError> {
    context.engine.begin_genmove(color, options);
    wait_for_search(context);
    let result = context.engine.finish_genmove();
    result.map_err(GtpError::from)
}

/// Answers the move of a search that has ended.
pub fn respond_with_decision(context: &mut Context<'_, '_>) -> CommandResult {
    let result = context.engine.finish_genmove();
    let decision = result?;
    let size = context.engine.record().size();
    Ok(Response::Text(decision.to_text(size)))
}

/// Thinks and answers the move.
fn genmove_response(
    context: &mut Context<'_, '_>,
    color: Color,
    options: GenmoveOptions,
) -> CommandResult {
    context.engine.begin_genmove(color, options);
    wait_for_search(context);
    respond_with_decision(context)
}

fn genmove(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> CommandResult {
    let color = args.color()?;
    args.expect_end()?;
    genmove_response(context, color, GenmoveOptions::default())
}

fn reg_genmove(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> CommandResult {
    let color = args.color()?;
    args.expect_end()?;
    let options = GenmoveOptions {
        play: false,
        ..GenmoveOptions::default()
    };
    genmove_response(context, color, options)
}

fn genmove_cleanup(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> CommandResult {
    let color = args.color()?;
    args.expect_end()?;
    // What is still there counts as alive, so that capturing the dead comes before passing.
    let rules = *context.engine.record().rules();
    context.engine.set_rules(Rules {
        friendly_pass: false,
        ..rules
    });
    let options = GenmoveOptions {
        cleanup: true,
        ..GenmoveOptions::default()
    };
    let result = genmove_response(context, color, options);
    context.engine.set_rules(rules);
    result
}

fn undo(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> CommandResult {
    args.expect_end()?;
    undo_moves(context, 1)
}

fn undo_several(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> CommandResult {
    let moves = if args.is_empty() {
        1
    } else {
        args.number("a number of moves", 0..=u32::MAX)?
    };
    args.expect_end()?;
    undo_moves(context, moves as usize)
}

fn undo_moves(context: &mut Context<'_, '_>, count: usize) -> CommandResult {
    let move_count = context.engine.record().moves().len();
    if count > move_count {
        return Err(GtpError::CannotUndo(format!(
            "expected moves to take back ({count}), found {move_count} since the board was set up"
        )));
    }
    for _ in 0..count {
        context.engine.undo();
    }
    Ok(Response::EMPTY)
}

fn move_text(size: BoardSize, (color, mv): (Color, Move)) -> String {
    format!("{color} {}", size.format_move(mv))
}

fn last_move(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> CommandResult {
    args.expect_end()?;
    let record = context.engine.record();
    let last = record.moves().last().ok_or_else(|| {
        let message = "expected a move since the board was set up, found none";
        GtpError::NoPreviousMove(message.to_owned())
    })?;
    Ok(Response::Text(move_text(record.size(), *last)))
}

fn move_history(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> CommandResult {
    args.expect_end()?;
    let record = context.engine.record();
    let moves = record.moves().iter().rev();
    let lines: Vec<_> = moves
        .map(|&colored_move| move_text(record.size(), colored_move))
        .collect();
    Ok(Response::Text(lines.join("\n")))
}

fn showboard(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> CommandResult {
    args.expect_end()?;
    let board = diagram::render(context.engine.position());
    Ok(Response::Text(format!("\n{board}")))
}
