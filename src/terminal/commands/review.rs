//! Commands that show earlier positions of the game and its mistakes.

use crate::terminal::command::{Availability, Command, expect_no_args};
use crate::terminal::error::TerminalError;
use crate::terminal::game::Game;
use crate::terminal::output::CommandOutput;

/// Default number of visits per position of a review.
const DEFAULT_VISITS: u64 = 100;
/// Maximum number of visits per position of a review.
const MAX_VISITS: u64 = 1_000_000;

pub const COMMANDS: &[Command] = &[
    Command {
        name: "back",
        alias: "<",
        usage: "[N]",
        summary: "show the position one move or N moves earlier",
        availability: Availability::DuringGame,
        run: |game, args| {
            let count = step_count(args)?;
            let target = game.shown_move_count().saturating_sub(count);
            Ok(show(game, target))
        },
    },
    Command {
        name: "forward",
        alias: ">",
        usage: "[N]",
        summary: "show the position one move or N moves later",
        availability: Availability::DuringGame,
        run: |game, args| {
            let count = step_count(args)?;
            let target = game.shown_move_count().saturating_add(count);
            Ok(show(game, target))
        },
    },
    Command {
        name: "goto",
        alias: "",
        usage: "MOVE",
        summary: "show the position after a move; 0 is the beginning",
        availability: Availability::DuringGame,
        run: goto,
    },
    Command {
        name: "end",
        alias: "",
        usage: "",
        summary: "show the latest position again",
        availability: Availability::DuringGame,
        run: |game, args| {
            expect_no_args(args)?;
            Ok(show(game, usize::MAX))
        },
    },
    Command {
        name: "review",
        alias: "",
        usage: "[VISITS]",
        summary: "review the game: losses and better moves, with 100 visits per position by default",
        availability: Availability::DuringGame,
        run: review,
    },
    Command {
        name: "mistake",
        alias: "m",
        usage: "",
        summary: "show the next mistake found by review",
        availability: Availability::DuringGame,
        run: |game, args| {
            expect_no_args(args)?;
            game.show_next_mistake()?;
            Ok(CommandOutput::board(game.shown_position_text()))
        },
    },
];

/// Parses the number of moves to go back or forward.
fn step_count(args: &str) -> Result<usize, TerminalError> {
    match args {
        "" => Ok(1),
        args => (args.parse().ok())
            .filter(|&count| count > 0)
            .ok_or_else(|| TerminalError::argument("number of moves", args)),
    }
}

fn show(game: &mut Game, move_count: usize) -> CommandOutput {
    game.show_position(move_count);
    CommandOutput::board(game.shown_position_text())
}

fn goto(game: &mut Game, args: &str) -> Result<CommandOutput, TerminalError> {
    let total = game.record().moves().len();
    let target = args.parse().ok().filter(|&target| target <= total);
    let target = target
        .ok_or_else(|| TerminalError::argument(format!("move number (0 to {total})"), args))?;
    Ok(show(game, target))
}

fn review(game: &mut Game, args: &str) -> Result<CommandOutput, TerminalError> {
    let visits = match args {
        "" => Some(DEFAULT_VISITS),
        args => args.parse().ok(),
    };
    let visits = visits.filter(|visits| (1..=MAX_VISITS).contains(visits));
    let visits = visits.ok_or_else(|| {
        TerminalError::argument(format!("number of visits (1 to {MAX_VISITS})"), args)
    })?;
    game.start_review(visits)?;
    Ok(CommandOutput::Messages(Vec::new()))
}
