//! Commands for moves, hints and scores.

use crate::engine::dead_stones::dead_stones;
use crate::game::color::Color;
use crate::game::point::Move;
use crate::game::symmetry::Symmetry;
use crate::search::report::round_to_decimals;
use crate::terminal::board_view::Marks;
use crate::terminal::command::{Availability, Command, expect_no_args};
use crate::terminal::error::TerminalError;
use crate::terminal::game::Game;
use crate::terminal::output::{CommandOutput, color_name};

pub const COMMANDS: &[Command] = &[
    Command {
        name: "pass",
        alias: "p",
        usage: "",
        summary: "pass; two passes end the game",
        availability: Availability::AtLatestPosition,
        run: |game, args| expect_no_args(args).and_then(|()| game.play_human_move(Move::Pass)),
    },
    Command {
        name: "undo",
        alias: "u",
        usage: "",
        summary: "take back your last move and the reply, or a resignation, or the moves after an earlier position",
        availability: Availability::DuringGame,
        run: undo,
    },
    Command {
        name: "redo",
        alias: "",
        usage: "",
        summary: "play moves again that were taken back",
        availability: Availability::AtLatestPosition,
        run: redo,
    },
    Command {
        name: "hint",
        alias: "",
        usage: "",
        summary: "show the best moves with their win rates",
        availability: Availability::AtLatestPosition,
        run: hint,
    },
    Command {
        name: "score",
        alias: "",
        usage: "",
        summary: "show the expected territory and estimate the score",
        availability: Availability::AtLatestPosition,
        run: score,
    },
    Command {
        name: "go",
        alias: "",
        usage: "",
        summary: "let the program make this move",
        availability: Availability::AtLatestPosition,
        run: go,
    },
    Command {
        name: "resign",
        alias: "",
        usage: "",
        summary: "resign the game",
        availability: Availability::AtLatestPosition,
        run: resign,
    },
];

fn undo(game: &mut Game, args: &str) -> Result<CommandOutput, TerminalError> {
    expect_no_args(args)?;
    let move_count = game.record().moves().len();
    if !game.shows_earlier_position() && game.engine.undo_resignation() {
        game.marks = Marks::None;
        return Ok(CommandOutput::board(format!("Back to move {move_count}.")));
    }
    let record = game.record();
    let is_human_turn = |&count: &usize| {
        let position = record.position_after(count);
        position.is_some_and(|position| game.human_colors().is_human(position.to_move()))
    };
    let target = match game.shows_earlier_position() {
        true => Some(game.shown_move_count()),
        false => (0..move_count).rev().find(is_human_turn),
    };
    let target = target.ok_or(TerminalError::NothingToUndo)?;
    game.take_back_to(target);
    Ok(CommandOutput::board(format!("Back to move {target}.")))
}

fn redo(game: &mut Game, args: &str) -> Result<CommandOutput, TerminalError> {
    expect_no_args(args)?;
    if !game.redo() {
        return Err(TerminalError::NothingToRedo);
    }
    let move_count = game.record().moves().len();
    let mut messages = vec![format!("Forward to move {move_count}.")];
    messages.extend(game.game_over_messages()?);
    Ok(CommandOutput::Board(messages))
}

fn hint(game: &mut Game, args: &str) -> Result<CommandOutput, TerminalError> {
    expect_no_args(args)?;
    if game.record().ended() {
        return Err(TerminalError::GameOver);
    }
    game.start_hint();
    Ok(CommandOutput::Messages(Vec::new()))
}

fn go(game: &mut Game, args: &str) -> Result<CommandOutput, TerminalError> {
    expect_no_args(args)?;
    if game.record().ended() {
        return Err(TerminalError::GameOver);
    }
    game.start_move();
    Ok(CommandOutput::Messages(Vec::new()))
}

fn resign(game: &mut Game, args: &str) -> Result<CommandOutput, TerminalError> {
    expect_no_args(args)?;
    if game.record().ended() {
        return Err(TerminalError::GameOver);
    }
    let to_move = game.engine().position().to_move();
    let loser = game.human_colors().human_color_preferring(to_move);
    let loser = loser.ok_or(TerminalError::NoHumanPlayer)?;
    game.engine.resign(loser);
    game.marks = Marks::None;
    Ok(CommandOutput::Board(game.game_over_messages()?))
}

fn score(game: &mut Game, args: &str) -> Result<CommandOutput, TerminalError> {
    expect_no_args(args)?;
    let position = game.engine().position();
    if position.has_no_result() {
        return Ok(CommandOutput::Board(game.game_over_messages()?));
    }
    if position.ended() {
        return Ok(CommandOutput::Board(game.score_final_position()?));
    }
    let to_move = position.to_move();
    let mut ownership = game.engine().ownership()?;
    let evaluation = game.engine().evaluate_raw(to_move, Symmetry::IDENTITY)?;
    let dead = dead_stones(position, &mut ownership, None);
    // The network estimates win rate and lead independently, so the side with the higher win rate may be slightly
    // behind in points.
    let [value, lead] =
        [evaluation.value, evaluation.score_lead].map(|value| to_move.to_perspective(value));
    let favoured = |value: f32| match value < 0.0 {
        true => Color::White,
        false => Color::Black,
    };
    let margin = round_to_decimals(f64::from(lead.abs()), 1);
    let score = match margin > 0.0 {
        true => format!("{}+{margin:.1}", favoured(lead).letter()),
        false => "even".to_owned(),
    };
    let message = format!(
        "{}'s win rate is {:.0}%. Estimated score: {score}.",
        color_name(favoured(value)),
        50.0 * (1.0 + value.abs()),
    );
    game.marks = Marks::Ownership {
        values: ownership.as_slice().to_vec(),
        dead,
    };
    Ok(CommandOutput::board(message))
}
