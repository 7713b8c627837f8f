//! Commands for new games, rules, players and files.

use crate::engine::level::{LEVELS, Level};
use crate::engine::setting_change::SettingChange;
use crate::game::point::BoardSizeError;
use crate::game::rules::{Komi, Rules};
use crate::search::params::Algorithm;
use crate::terminal::command::{Availability, Command};
use crate::terminal::error::TerminalError;
use crate::terminal::files;
use crate::terminal::game::Game;
use crate::terminal::human_colors::HumanColors;
use crate::terminal::output::CommandOutput;

pub const COMMANDS: &[Command] = &[
    Command {
        name: "new",
        alias: "n",
        usage: "[SIZE]",
        summary: "start a new game, optionally on a board of another size (9, 9x13)",
        availability: Availability::DuringGame,
        run: new_game,
    },
    Command {
        name: "handicap",
        alias: "",
        usage: "STONES",
        summary: "start a new game with handicap stones and a komi of 0.5",
        availability: Availability::DuringGame,
        run: |game, args| {
            let stones = args.parse();
            let invalid = |_| TerminalError::argument("number of handicap stones", args);
            Ok(CommandOutput::board(
                game.start_handicap_game(stones.map_err(invalid)?, None)?,
            ))
        },
    },
    Command {
        name: "level",
        alias: "",
        usage: "[1-10]",
        summary: "set the playing strength, or list the levels",
        availability: Availability::Always,
        run: level,
    },
    Command {
        name: "color",
        alias: "",
        usage: "COLOR",
        summary: "set the side you play: black, white, both or none",
        availability: Availability::DuringGame,
        run: color,
    },
    Command {
        name: "komi",
        alias: "",
        usage: "POINTS",
        summary: "set the komi",
        availability: Availability::DuringGame,
        run: komi,
    },
    Command {
        name: "rules",
        alias: "",
        usage: "[NAME]",
        summary: "set the rules (japanese, aga, ...) without changing the komi, or show the rules and their ko rule",
        availability: Availability::DuringGame,
        run: rules,
    },
    Command {
        name: "save",
        alias: "",
        usage: "FILE",
        summary: "save the game to an SGF file",
        availability: Availability::DuringGame,
        run: save,
    },
    Command {
        name: "load",
        alias: "",
        usage: "FILE",
        summary: "continue a game from an SGF file",
        availability: Availability::DuringGame,
        run: load,
    },
];

fn new_game(game: &mut Game, args: &str) -> Result<CommandOutput, TerminalError> {
    if args.is_empty() {
        game.engine.clear_board();
    } else {
        let invalid = |_: BoardSizeError| {
            TerminalError::argument("board size (2 to 19, or WIDTHxHEIGHT)", args)
        };
        let size = args.parse().map_err(invalid)?;
        game.engine.resize(size)?;
    }
    game.restore_even_komi();
    game.reset_for_new_game();
    let size = game.record().size();
    Ok(CommandOutput::board(format!(
        "New game on the {size} board."
    )))
}

fn level(game: &mut Game, args: &str) -> Result<CommandOutput, TerminalError> {
    let current = game.engine().settings().level;
    if args.is_empty() {
        let lines = LEVELS.iter().map(|level| {
            let marker = if level == current { "  <- current" } else { "" };
            format!("{:>2}  {}{marker}", level.number, level.name)
        });
        return Ok(CommandOutput::Messages(lines.collect()));
    }
    if game.engine().settings().params.algorithm != Algorithm::Mcts {
        return Err(TerminalError::NoLevels);
    }
    let level = args.parse().ok().and_then(Level::by_number);
    let level = level.ok_or_else(|| TerminalError::argument("level (1 to 10)", args))?;
    game.engine.change_setting(SettingChange::Level(level))?;
    let (number, name) = (level.number, level.name);
    Ok(CommandOutput::Messages(vec![format!(
        "The program now plays at level {number} ({name})."
    )]))
}

fn color(game: &mut Game, args: &str) -> Result<CommandOutput, TerminalError> {
    let human_colors = HumanColors::parse(args);
    let human_colors = human_colors
        .ok_or_else(|| TerminalError::argument("side (black, white, both or none)", args))?;
    game.set_explicit_human_colors(human_colors);
    Ok(CommandOutput::board(format!(
        "You play {}.",
        args.to_lowercase()
    )))
}

fn komi(game: &mut Game, args: &str) -> Result<CommandOutput, TerminalError> {
    let komi = args.parse().ok().and_then(Komi::from_points);
    let komi = komi
        .ok_or_else(|| TerminalError::argument(format!("komi ({})", Komi::VALID_VALUES), args))?;
    game.even_komi = None;
    game.engine.set_komi(komi);
    output_with_new_result(game, format!("Komi {komi}."))
}

fn rules(game: &mut Game, args: &str) -> Result<CommandOutput, TerminalError> {
    if args.is_empty() {
        let rules = game.record().rules();
        let (name, ko) = (rules.name_or_katago_string(), rules.ko.summary());
        let message = format!("Rules: {name}, komi {}; {ko}.", rules.komi);
        return Ok(CommandOutput::Messages(vec![message]));
    }
    let rules = Rules::parse(args).ok_or_else(|| {
        TerminalError::argument(format!("rule set (use {})", Rules::name_list()), args)
    })?;
    let komi = game.record().rules().komi;
    game.engine.set_rules(rules.with_komi(komi));
    output_with_new_result(game, format!("Rules: {args}, komi {komi}."))
}

/// Returns the output of a command that changed the rules or the komi: `message` and, if the game is over, the result
/// under the new settings.
fn output_with_new_result(
    game: &mut Game,
    message: String,
) -> Result<CommandOutput, TerminalError> {
    let mut messages = vec![message];
    if game.record().position().ended() {
        messages.extend(game.game_over_messages()?);
    }
    Ok(CommandOutput::Board(messages))
}

fn save(game: &mut Game, args: &str) -> Result<CommandOutput, TerminalError> {
    if args.is_empty() {
        return Err(TerminalError::argument("file name", args));
    }
    let path = files::expand_home(args);
    let copy = game.save(&path)?;
    let mut messages = vec![format!("Saved to {}.", path.display())];
    messages.extend(copy.map(|copy| format!("The previous file is now {}.", copy.display())));
    Ok(CommandOutput::Messages(messages))
}

fn load(game: &mut Game, args: &str) -> Result<CommandOutput, TerminalError> {
    if args.is_empty() {
        return Err(TerminalError::argument("file name", args));
    }
    let rules = *game.record().rules();
    // The komi of a handicap game does not apply to other games.
    let rules = rules.with_komi(game.even_komi.unwrap_or(rules.komi));
    let loaded = files::load(&files::expand_home(args), rules)?;
    Ok(CommandOutput::Board(game.continue_loaded_game(loaded)?))
}
