//! Games: new ones, their terms and players, and games in files.

use crate::engine::level::{LEVELS, Level};
use crate::engine::setting_change::SettingChange;
use crate::game::point::BoardSizeError;
use crate::game::rules::{Komi, Rules};
use crate::search::params::Algorithm;
use crate::terminal::command::{Availability, Command};
use crate::terminal::error::TerminalError;
use crate::terminal::files;
use crate::terminal::game::Game;
use crate::terminal::output::CommandOutput;
use crate::terminal::players::Players;

pub const COMMANDS: &[Command] = &[
    Command {
        name: "new",
        alias: "n",
        usage: "[SIZE]",
        summary: "begins a new game, on a board of that size (9, 9x13)",
        availability: Availability::DuringGame,
        run: new_game,
    },
    Command {
        name: "handicap",
        alias: "",
        usage: "STONES",
        summary: "begins a new game with a handicap and a komi of 0.5",
        availability: Availability::DuringGame,
        run: |game, args| {
            let stones = args.parse();
            let invalid = |_| TerminalError::argument("a number of stones", args);
            Ok(CommandOutput::board(
                game.start_handicap_game(stones.map_err(invalid)?, None)?,
            ))
        },
    },
    Command {
        name: "level",
        alias: "",
        usage: "[1-10]",
        summary: "sets how strong the program plays, or lists the levels",
        availability: Availability::Always,
        run: level,
    },
    Command {
        name: "color",
        alias: "",
        usage: "COLOR",
        summary: "sets what you play: black, white, both or none",
        availability: Availability::DuringGame,
        run: color,
    },
    Command {
        name: "komi",
        alias: "",
        usage: "POINTS",
        summary: "sets the komi",
        availability: Availability::DuringGame,
        run: komi,
    },
    Command {
        name: "rules",
        alias: "",
        usage: "NAME",
        summary: "sets the rules (japanese, aga, ...); the komi stays",
        availability: Availability::DuringGame,
        run: rules,
    },
    Command {
        name: "save",
        alias: "",
        usage: "FILE",
        summary: "writes the game to an SGF file",
        availability: Availability::DuringGame,
        run: save,
    },
    Command {
        name: "load",
        alias: "",
        usage: "FILE",
        summary: "goes on with the game of an SGF file",
        availability: Availability::DuringGame,
        run: load,
    },
];

fn new_game(game: &mut Game, args: &str) -> Result<CommandOutput, TerminalError> {
    if args.is_empty() {
        game.engine.clear_board();
    } else {
        let invalid = |_: BoardSizeError| {
            TerminalError::argument("a side from 2 to 19, or WIDTHxHEIGHT", args)
        };
        let size = args.parse().map_err(invalid)?;
        game.engine.resize(size)?;
    }
    game.restore_even_komi();
    game.reset_for_new_game();
    let size = game.record().size();
    Ok(CommandOutput::board(format!(
        "A new game on the {size} board."
    )))
}

fn level(game: &mut Game, args: &str) -> Result<CommandOutput, TerminalError> {
    let current = game.engine().settings().level;
    if args.is_empty() {
        let lines = LEVELS.iter().map(|level| {
            let marker = if level == current { "  <- now" } else { "" };
            format!("{:>2}  {}{marker}", level.number, level.name)
        });
        return Ok(CommandOutput::Messages(lines.collect()));
    }
    if game.engine().settings().params.algorithm != Algorithm::Tree {
        return Err(TerminalError::NoLevels);
    }
    let level = args.parse().ok().and_then(Level::by_number);
    let level = level.ok_or_else(|| TerminalError::argument("a level from 1 to 10", args))?;
    game.engine.change_setting(SettingChange::Level(level))?;
    let (number, name) = (level.number, level.name);
    Ok(CommandOutput::Messages(vec![format!(
        "The program plays at level {number} ({name})."
    )]))
}

fn color(game: &mut Game, args: &str) -> Result<CommandOutput, TerminalError> {
    let players = Players::parse(args);
    let players =
        players.ok_or_else(|| TerminalError::argument("black, white, both or none", args))?;
    game.set_players(players);
    Ok(CommandOutput::board(format!(
        "You play {}.",
        args.to_lowercase()
    )))
}

fn komi(game: &mut Game, args: &str) -> Result<CommandOutput, TerminalError> {
    let komi = args.parse().ok().and_then(Komi::from_points);
    let komi = komi.ok_or_else(|| TerminalError::argument(Komi::EXPECTED, args))?;
    game.even_komi = None;
    game.engine.set_komi(komi);
    rescored(game, format!("The komi is {komi}."))
}

fn rules(game: &mut Game, args: &str) -> Result<CommandOutput, TerminalError> {
    let rules = Rules::named(args)
        .ok_or_else(|| TerminalError::argument(format!("one of {}", Rules::name_list()), args))?;
    let komi = game.record().rules().komi;
    game.engine.set_rules(rules.with_komi(komi));
    rescored(game, format!("The rules are {args}, the komi {komi}."))
}

/// What there is to say of other terms: a game that is over ends otherwise under them.
fn rescored(game: &mut Game, message: String) -> Result<CommandOutput, TerminalError> {
    let mut messages = vec![message];
    if game.record().position().ended() {
        messages.extend(game.game_over_messages()?);
    }
    Ok(CommandOutput::Board(messages))
}

fn save(game: &mut Game, args: &str) -> Result<CommandOutput, TerminalError> {
    if args.is_empty() {
        return Err(TerminalError::argument("the name of a file", args));
    }
    let path = files::expand_home(args);
    game.save(&path)?;
    Ok(CommandOutput::Messages(vec![format!(
        "Saved as {}.",
        path.display()
    )]))
}

fn load(game: &mut Game, args: &str) -> Result<CommandOutput, TerminalError> {
    if args.is_empty() {
        return Err(TerminalError::argument("the name of a file", args));
    }
    let rules = *game.record().rules();
    // The komi of a handicap is that of its game alone.
    let rules = rules.with_komi(game.even_komi.unwrap_or(rules.komi));
    let loaded = files::load(&files::expand_home(args), rules)?;
    Ok(CommandOutput::Board(game.resume(loaded)?))
}
