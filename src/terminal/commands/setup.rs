//! Commands that set up a position: they place and remove stones and set the side to move.

use crate::game::color::Color;
use crate::game::point::Point;
use crate::game::pointset::PointSet;
use crate::io::error_text;
use crate::terminal::command::{Availability, Command, expect_no_args, parse_point};
use crate::terminal::error::TerminalError;
use crate::terminal::game::{Game, SetupDraft};
use crate::terminal::output::{CommandOutput, color_name};

pub const COMMANDS: &[Command] = &[
    Command {
        name: "setup",
        alias: "",
        usage: "",
        summary: "start setting up a position",
        availability: Availability::DuringSetup,
        run: |_, args| {
            expect_no_args(args)?;
            Ok(CommandOutput::board(SETUP_HELP))
        },
    },
    Command {
        name: "add",
        alias: "",
        usage: "COLOR POINT...",
        summary: "place stones (while setting up)",
        availability: Availability::DuringSetup,
        run: add,
    },
    Command {
        name: "clear",
        alias: "",
        usage: "POINT...|all",
        summary: "remove stones (while setting up)",
        availability: Availability::DuringSetup,
        run: clear,
    },
    Command {
        name: "turn",
        alias: "",
        usage: "[COLOR]",
        summary: "set who moves first (while setting up)",
        availability: Availability::DuringSetup,
        run: turn,
    },
    Command {
        name: "done",
        alias: "",
        usage: "",
        summary: "start a game from the position",
        availability: Availability::Always,
        run: done,
    },
    Command {
        name: "cancel",
        alias: "",
        usage: "",
        summary: "discard the position and return to the game",
        availability: Availability::Always,
        run: cancel,
    },
];

const SETUP_HELP: &str =
    "Setting up a position: add b d4, clear d4, turn w; type done to play or cancel to return.";

fn parse_points(game: &Game, text: &str) -> Result<PointSet, TerminalError> {
    let size = game.record().size();
    if text.is_empty() {
        return Err(TerminalError::argument("list of points", text));
    }
    let points: Result<Vec<Point>, TerminalError> = text
        .split_whitespace()
        .map(|word| {
            parse_point(size, word)?
                .ok_or_else(|| TerminalError::argument("point", &error_text::excerpt(word)))
        })
        .collect();
    Ok(points?.into_iter().collect())
}

fn add(game: &mut Game, args: &str) -> Result<CommandOutput, TerminalError> {
    let (word, vertices) = args.split_once(char::is_whitespace).unwrap_or((args, ""));
    let color = Color::parse(word)
        .ok_or_else(|| TerminalError::argument("colour (black or white)", word))?;
    let points = parse_points(game, vertices.trim())?;
    let draft = game.setup_draft_mut()?;
    draft.stones[color] |= points;
    draft.stones[color.opposite()] -= points;
    Ok(CommandOutput::board(SETUP_HELP))
}

fn clear(game: &mut Game, args: &str) -> Result<CommandOutput, TerminalError> {
    let points = if args.eq_ignore_ascii_case("all") {
        PointSet::board(game.record().size())
    } else {
        parse_points(game, args)?
    };
    let draft = game.setup_draft_mut()?;
    for color in Color::BOTH {
        draft.stones[color] -= points;
    }
    Ok(CommandOutput::board(SETUP_HELP))
}

fn turn(game: &mut Game, args: &str) -> Result<CommandOutput, TerminalError> {
    let draft = game.setup_draft_mut()?;
    draft.to_move = match Color::parse(args) {
        Some(color) => color,
        None if args.is_empty() => draft.to_move.opposite(),
        None => return Err(TerminalError::argument("colour (black or white)", args)),
    };
    let color = color_name(draft.to_move);
    Ok(CommandOutput::board(format!("{color} moves first.")))
}

fn done(game: &mut Game, args: &str) -> Result<CommandOutput, TerminalError> {
    expect_no_args(args)?;
    let SetupDraft { stones, to_move } = game.setup_draft_mut()?.clone();
    let position = game.engine().position();
    let board = position.board();
    let is_unchanged = *board.stones_by_color() == stones;
    let resumes = is_unchanged && position.to_move() == to_move && !game.record().ended();
    if !resumes {
        game.engine.set_up_position(stones, to_move)?;
        game.reset_for_new_game();
    }
    game.draft = None;
    Ok(CommandOutput::board(if resumes {
        "Back to the game."
    } else {
        "The game starts from this position."
    }))
}

fn cancel(game: &mut Game, args: &str) -> Result<CommandOutput, TerminalError> {
    expect_no_args(args)?;
    game.setup_draft_mut()?;
    game.draft = None;
    Ok(CommandOutput::board("Back to the game."))
}
