//! Games: new ones, their terms and players, and games in files.

use crate::engine::level::{LEVELS, Level};
use crate::engine::tune::Change;
use crate::game::handicap;
use crate::game::point::SizeError;
use crate::game::rules::{Komi, Rules};
use crate::search::params::Algorithm;
use crate::terminal::command::{Command, Reply, When};
use crate::terminal::files::{self, Loaded};
use crate::terminal::game::Game;
use crate::terminal::picture::Marks;
use crate::terminal::seats::Seats;
use crate::terminal::trouble::Trouble;

/// The group.
pub const COMMANDS: &[Command] = &[
    Command {
        name: "new",
        short: "n",
        usage: "[SIZE]",
        summary: "begins a new game, on a board of that size (9, 9x13)",
        when: When::Game,
        run: new_game,
    },
    Command {
        name: "handicap",
        short: "",
        usage: "STONES",
        summary: "begins a new game with a handicap and a komi of 0.5",
        when: When::Game,
        run: |game, rest| {
            let found = rest.parse();
            let wrong = |_| Trouble::argument("a number of stones", rest);
            Ok(Reply::board(
                game.begin_handicap(found.map_err(wrong)?, None)?,
            ))
        },
    },
    Command {
        name: "level",
        short: "",
        usage: "[1-10]",
        summary: "sets how strong the program plays, or lists the levels",
        when: When::Always,
        run: level,
    },
    Command {
        name: "color",
        short: "",
        usage: "COLOR",
        summary: "sets what you play: black, white, both or none",
        when: When::Game,
        run: color,
    },
    Command {
        name: "komi",
        short: "",
        usage: "POINTS",
        summary: "sets the komi",
        when: When::Game,
        run: komi,
    },
    Command {
        name: "rules",
        short: "",
        usage: "NAME",
        summary: "sets the rules (japanese, aga, ...); the komi stays",
        when: When::Game,
        run: rules,
    },
    Command {
        name: "save",
        short: "",
        usage: "FILE",
        summary: "writes the game to an SGF file",
        when: When::Game,
        run: save,
    },
    Command {
        name: "load",
        short: "",
        usage: "FILE",
        summary: "goes on with the game of an SGF file",
        when: When::Game,
        run: load,
    },
];

/// The komi of games with a handicap: enough to leave no draw.
const HANDICAP_KOMI: Komi = Komi::from_half_points(1);

fn new_game(game: &mut Game, rest: &str) -> Result<Reply, Trouble> {
    if rest.is_empty() {
        game.engine.clear_board();
    } else {
        let wrong = |_: SizeError| Trouble::argument("a side from 2 to 19, or WIDTHxHEIGHT", rest);
        let size = rest.parse().map_err(wrong)?;
        game.engine.resize(size)?;
    }
    game.end_handicap();
    game.begin();
    let size = game.record().size();
    Ok(Reply::board(format!("A new game on the {size} board.")))
}

impl Game {
    /// Leaves what belonged to the game before: the engine has another.
    pub(super) fn begin(&mut self) {
        self.is_kept = false;
        self.marks = Marks::None;
    }

    /// Gives even games their komi back.
    fn end_handicap(&mut self) {
        if let Some(komi) = self.even_komi.take() {
            self.engine.set_komi(komi);
        }
    }

    /// Begins a new game with that many stones for Black and that komi, or one of 0.5, and says so; with 0 stones an even
    /// one, with the komi of even games.
    ///
    /// # Errors
    /// When the board has no room for so many; nothing has changed then.
    pub fn begin_handicap(&mut self, stones: usize, komi: Option<Komi>) -> Result<String, Trouble> {
        let size = self.record().size();
        let most = handicap::most_fixed(size).max(handicap::most_free(size));
        if stones == 1 || stones > most {
            let expected = match most {
                0 | 1 => format!("0 stones on the {size} board"),
                _ => format!("0, or 2 to {most} stones on the {size} board"),
            };
            return Err(Trouble::argument(expected, &stones.to_string()));
        }
        self.engine.clear_board();
        self.begin();
        self.end_handicap();
        if stones > 0 {
            if komi.is_none() {
                self.even_komi = Some(self.record().rules().komi);
            }
            let fixed = handicap::fixed(size, stones);
            let points = fixed.unwrap_or_else(|| handicap::free(size, stones));
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
    pub fn go_on(&mut self, loaded: Loaded) -> Result<Vec<String>, Trouble> {
        let to_move = loaded.record.position().to_move();
        let (own, rules) = (*self.record().rules(), *loaded.record.rules());
        // The komi of even games is that told here, unless the file is of other rules.
        let usual = match rules.with_komi(own.komi) == own {
            true => self.even_komi.unwrap_or(own.komi),
            false => rules.usual_komi(),
        };
        self.engine.set_record(loaded.record)?;
        self.begin();
        self.is_kept = !self.record().is_empty();
        if let Some(level) = loaded.level {
            self.engine.change(Change::Level(level))?;
        }
        self.seats = (loaded.seats.or(self.chosen)).unwrap_or(Seats::only(to_move));
        self.even_komi = (self.record().position().handicap() > 0).then_some(usual);
        let moves = self.record().moves().len();
        let unit = if moves == 1 { "move" } else { "moves" };
        let mut said = vec![format!("A game of {moves} {unit}.")];
        said.extend(loaded.warning);
        said.extend(loaded.cut);
        said.extend(self.after_move()?);
        Ok(said)
    }
}

fn level(game: &mut Game, rest: &str) -> Result<Reply, Trouble> {
    let now = game.engine().settings().level;
    if rest.is_empty() {
        let lines = LEVELS.iter().map(|level| {
            let here = if level == now { "  <- now" } else { "" };
            format!("{:>2}  {}{here}", level.number, level.name)
        });
        return Ok(Reply::Said(lines.collect()));
    }
    if game.engine().settings().params.algorithm != Algorithm::Tree {
        return Err(Trouble::NotNow(
            "alpha-beta has no levels: --depth weakens it",
        ));
    }
    let level = rest.parse().ok().and_then(Level::numbered);
    let level = level.ok_or_else(|| Trouble::argument("a level from 1 to 10", rest))?;
    game.engine.change(Change::Level(level))?;
    let (number, name) = (level.number, level.name);
    Ok(Reply::Said(vec![format!(
        "The program plays at level {number} ({name})."
    )]))
}

fn color(game: &mut Game, rest: &str) -> Result<Reply, Trouble> {
    let seats = Seats::parse(rest);
    let seats = seats.ok_or_else(|| Trouble::argument("black, white, both or none", rest))?;
    game.choose(seats);
    Ok(Reply::board(format!("You play {}.", rest.to_lowercase())))
}

fn komi(game: &mut Game, rest: &str) -> Result<Reply, Trouble> {
    let komi = rest.parse().ok().and_then(Komi::from_points);
    let komi = komi.ok_or_else(|| Trouble::argument(Komi::EXPECTED, rest))?;
    game.even_komi = None;
    game.engine.set_komi(komi);
    recounted(game, format!("The komi is {komi}."))
}

fn rules(game: &mut Game, rest: &str) -> Result<Reply, Trouble> {
    let rules = Rules::named(rest)
        .ok_or_else(|| Trouble::argument(format!("one of {}", Rules::list()), rest))?;
    let komi = game.record().rules().komi;
    game.engine.set_rules(rules.with_komi(komi));
    recounted(game, format!("The rules are {rest}, the komi {komi}."))
}

/// What there is to say of other terms: a game that is over ends otherwise under them.
fn recounted(game: &mut Game, said: String) -> Result<Reply, Trouble> {
    let mut said = vec![said];
    if game.record().position().ended() {
        said.extend(game.after_move()?);
    }
    Ok(Reply::Board(said))
}

fn save(game: &mut Game, rest: &str) -> Result<Reply, Trouble> {
    if rest.is_empty() {
        return Err(Trouble::argument("the name of a file", rest));
    }
    let path = files::expanded(rest);
    files::save(game, &path)?;
    Ok(Reply::Said(vec![format!("Saved as {}.", path.display())]))
}

fn load(game: &mut Game, rest: &str) -> Result<Reply, Trouble> {
    if rest.is_empty() {
        return Err(Trouble::argument("the name of a file", rest));
    }
    let rules = *game.record().rules();
    // The komi of a handicap is that of its game alone.
    let rules = rules.with_komi(game.even_komi.unwrap_or(rules.komi));
    let loaded = files::load(&files::expanded(rest), rules)?;
    Ok(Reply::Board(game.go_on(loaded)?))
}
