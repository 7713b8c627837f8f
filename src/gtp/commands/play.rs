//! The game: moves made, asked for and taken back, and its end.

use std::time::Duration;

use crate::engine::decide::Decision;
use crate::engine::genmove::Wish;
use crate::game::color::Color;
use crate::game::diagram;
use crate::game::point::{BoardSize, Move};
use crate::game::position::Illegal;
use crate::game::rules::Rules;
use crate::gtp::args::Args;
use crate::gtp::context::{Answer, Command, Context, Outcome};
use crate::gtp::reply::Failure;

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
pub const LISTEN: Duration = Duration::from_millis(50);

fn make(context: &mut Context<'_, '_>, color: Color, mv: Move) -> Result<(), Failure> {
    context.engine.play(color, mv).map_err(refused)
}

fn refused(illegal: Illegal) -> Failure {
    Failure::IllegalMove(illegal.to_string())
}

fn play(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    let color = args.color()?;
    let resigns = args
        .peek()
        .is_some_and(|word| word.eq_ignore_ascii_case("resign"));
    if resigns {
        args.word("resign")?;
        args.end()?;
        context.engine.resign(color);
        return Ok(Answer::NOTHING);
    }
    let mv = args.mv(context.engine.record().size())?;
    args.end()?;
    make(context, color, mv)?;
    Ok(Answer::NOTHING)
}

fn play_sequence(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    let size = context.engine.record().size();
    let mut moves = Vec::new();
    while !args.is_empty() {
        moves.push((args.color()?, args.mv(size)?));
    }
    // All of them or none: a copy tells whether they are legal.
    let mut copy = context.engine.record().clone();
    for &(color, mv) in &moves {
        copy.play(color, mv).map_err(refused)?;
    }
    for (color, mv) in moves {
        make(context, color, mv)?;
    }
    Ok(Answer::NOTHING)
}

/// Waits until a search has ended by itself or the client has interrupted it.
pub fn wait(context: &mut Context<'_, '_>) {
    attend(context, false, LISTEN, |_| {});
}

/// The same, looking up after each `step`. One that is `cancellable` any other line of the client ends without a move;
/// then the answer is false.
pub fn attend(
    context: &mut Context<'_, '_>,
    cancellable: bool,
    step: Duration,
    mut look: impl FnMut(&mut Context<'_, '_>),
) -> bool {
    while !context.engine.wait_for(step) {
        if cancellable && context.wire.wait(Some(Duration::ZERO)) {
            context.engine.halt();
            return false;
        }
        if context.wire.take_interrupt() {
            context.engine.hurry();
        }
        look(context);
    }
    true
}

/// Thinks until the move is due or the client interrupts, and tells the decision.
pub fn think(context: &mut Context<'_, '_>, color: Color, wish: Wish) -> Result<Decision, Failure> {
    context.engine.begin_genmove(color, wish);
    wait(context);
    let decided = context.engine.finish_genmove();
    decided.map_err(Failure::from)
}

/// Answers the move of a search that has ended.
pub fn decided(context: &mut Context<'_, '_>) -> Outcome {
    let decided = context.engine.finish_genmove();
    let decision = decided?;
    let size = context.engine.record().size();
    Ok(Answer::Text(decision.text(size)))
}

/// Thinks and answers the move.
fn answer_move(context: &mut Context<'_, '_>, color: Color, wish: Wish) -> Outcome {
    context.engine.begin_genmove(color, wish);
    wait(context);
    decided(context)
}

fn genmove(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    let color = args.color()?;
    args.end()?;
    answer_move(context, color, Wish::default())
}

fn reg_genmove(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    let color = args.color()?;
    args.end()?;
    let wish = Wish {
        play: false,
        ..Wish::default()
    };
    answer_move(context, color, wish)
}

fn genmove_cleanup(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    let color = args.color()?;
    args.end()?;
    // What is still there counts as alive, so that capturing the dead comes before passing.
    let rules = *context.engine.record().rules();
    context.engine.set_rules(Rules {
        friendly_pass: false,
        ..rules
    });
    let wish = Wish {
        cleanup: true,
        ..Wish::default()
    };
    let outcome = answer_move(context, color, wish);
    context.engine.set_rules(rules);
    outcome
}

fn undo(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    args.end()?;
    take_back(context, 1)
}

fn undo_several(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    let moves = if args.is_empty() {
        1
    } else {
        args.number("a number of moves", 0..=u32::MAX)?
    };
    args.end()?;
    take_back(context, moves as usize)
}

fn take_back(context: &mut Context<'_, '_>, moves: usize) -> Outcome {
    let made = context.engine.record().moves().len();
    if moves > made {
        return Err(Failure::CannotUndo(format!(
            "expected moves to take back ({moves}), found {made} since the board was set up"
        )));
    }
    for _ in 0..moves {
        context.engine.undo();
    }
    Ok(Answer::NOTHING)
}

fn move_text(size: BoardSize, (color, mv): (Color, Move)) -> String {
    format!("{color} {}", size.move_text(mv))
}

fn last_move(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    args.end()?;
    let record = context.engine.record();
    let last = record.moves().last().ok_or_else(|| {
        let found = "expected a move since the board was set up, found none";
        Failure::NoMove(found.to_owned())
    })?;
    Ok(Answer::Text(move_text(record.size(), *last)))
}

fn move_history(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    args.end()?;
    let record = context.engine.record();
    let moves = record.moves().iter().rev();
    let lines: Vec<_> = moves.map(|&made| move_text(record.size(), made)).collect();
    Ok(Answer::Text(lines.join("\n")))
}

fn showboard(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    args.end()?;
    let drawn = diagram::draw(context.engine.position());
    Ok(Answer::Text(format!("\n{drawn}")))
}
