//! Games: new ones, their terms and players, and games in files.

use crate::engine::level::{LEVELS, Level};
use crate::engine::setting_change::SettingChange;
use crate::game::handicap;
use crate::game::point::BoardSizeError;
use crate::game::rules::{Komi, Rules};
use crate::search::params::Algorithm;
use crate::terminal::board_view::Marks;
use crate::terminal::command::{Availability, Command, CommandOutput};
use crate::terminal::error::TerminalError;
use crate::terminal::files::{self, LoadedGame};
use crate::terminal::game::Game;
use crate::terminal::players::Players;

/// The group.
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

/// The komi of games with a handicap: enough to leave no draw.
const HANDICAP_KOMI: Komi = Komi::from_half_points(1);

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

impl Game {
    /// Leaves what belonged to the game before: the engine has another.
    pub(super) fn reset_for_new_game(&mut self) {
        self.is_autosaved = false;
        self.marks = Marks::None;
    }

    /// Gives even games their komi back.
    fn restore_even_komi(&mut self) {
        if let Some(komi) = self.even_komi.take() {
            self.engine.set_komi(komi);
        }
    }

    /// Begins a new game with that many stones for Black and that komi, or one of 0.5, and says so; with 0 stones an even
    /// one, with the komi of even games.
    ///
    /// # Errors
    /// When the board has no room for so many; nothing has changed then.
    pub fn start_handicap_game(
        &mut self,
        stones: usize,
        komi: Option<Komi>,
    ) -> Result<String, TerminalError> {
        let size = self.record().size();
        let max_stones = handicap::max_fixed_stones(size).max(handicap::max_free_stones(size));
        if stones == 1 || stones > max_stones {
            let expected = match max_stones {
                0 | 1 => format!("0 stones on the {size} board"),
                _ => format!("0, or 2 to {max_stones} stones on the {size} board"),
            };
            return Err(TerminalError::argument(expected, &stones.to_string()));
        }
        self.engine.clear_board();
        self.reset_for_new_game();
        self.restore_even_komi();
        if stones > 0 {
            if komi.is_none() {
                self.even_komi = Some(self.record().rules().komi);
            }
            let fixed = handicap::fixed_placement(size, stones);
            let points = fixed.unwrap_or_else(|| handicap::free_placement(size, stones));
            self.engine.set_komi(komi.unwrap_or(HANDICAP_KOMI));
            self.engine.place_handicap(&points)?;
        }
        let komi = self.record().rules().komi;
        Ok(format!(
            "A new game with {stones} handicap stones and a komi of {komi}."
        ))
    }

    /// Goes on with a game from a file, and says how it stands. In a game that was not played here the seats are
    /// those that the user has chosen, or whoever's turn it is is played by hand.
    ///
    /// # Errors
    /// When a game that is over cannot be counted.
    pub fn resume(&mut self, loaded: LoadedGame) -> Result<Vec<String>, TerminalError> {
        let to_move = loaded.record.position().to_move();
        let (current_rules, loaded_rules) = (*self.record().rules(), *loaded.record.rules());
        // The komi of even games is that told here, unless the file is of other rules.
        let even_komi = match loaded_rules.with_komi(current_rules.komi) == current_rules {
            true => self.even_komi.unwrap_or(current_rules.komi),
            false => loaded_rules.default_komi(),
        };
        self.engine.set_record(loaded.record)?;
        self.reset_for_new_game();
        self.is_autosaved = !self.record().is_empty();
        if let Some(level) = loaded.level {
            self.engine.change_setting(SettingChange::Level(level))?;
        }
        self.players =
            (loaded.players.or(self.explicit_players)).unwrap_or(Players::single_human(to_move));
        self.even_komi = (self.record().position().handicap() > 0).then_some(even_komi);
        let moves = self.record().moves().len();
        let unit = if moves == 1 { "move" } else { "moves" };
        let mut messages = vec![format!("A game of {moves} {unit}.")];
        messages.extend(loaded.warning);
        messages.extend(loaded.truncation);
        messages.extend(self.game_over_messages()?);
        Ok(messages)
    }
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
        return Err(TerminalError::Unavailable(
            "alpha-beta has no levels: --depth weakens it",
        ));
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
    files::save(game, &path)?;
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
