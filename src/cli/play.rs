//! `honinbo play`: a game in the terminal.

use std::hash::{BuildHasher, RandomState};
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;
use honinbo::engine::{Engine, Evaluators};
use honinbo::terminal::files::{self, Loaded};
use honinbo::terminal::game::Game;
use honinbo::terminal::lines::{self, Look};
use honinbo::terminal::picture::{ASCII, COLOURED, UNICODE};
use honinbo::terminal::screen;
use honinbo::terminal::seats::Seats;

use super::options::refusals::{BOARD, Idle, OF_CLIENTS, TRAFFIC, hiding};
use super::options::{EvaluatorKind, Options, SearchKind};

/// What the command has no use for.
pub(super) const IDLE: [Idle; 3] = [TRAFFIC, OF_CLIENTS, (&["lag"], "no clock is kept here")];
/// The level where the user names none, nor how long to think.
const LEVEL: u32 = 5;
/// The level without a limit of its own.
const BEST: u32 = 10;

/// The options of the command.
#[derive(clap::Args)]
#[command(mut_args(hiding(&IDLE)))]
pub struct Args {
    #[command(flatten)]
    options: Options,
    /// A game to go on with, as SGF; --rules and --komi count where it tells none
    #[arg(value_name = "GAME")]
    game: Option<PathBuf>,
    /// Go on with the game that was left last
    #[arg(long, conflicts_with = "game")]
    resume: bool,
    /// What you play: black, white, both (the program moves when it is asked) or none (it plays against itself) [default:
    /// black, or in a game that is loaded whoever's turn it is]
    #[arg(long, value_name = "COLOR", value_parser = seats)]
    color: Option<Seats>,
    /// Handicap stones for Black
    #[arg(long, value_name = "STONES", conflicts_with_all = ["game", "resume"])]
    handicap: Option<usize>,
    /// Draw with letters only, as is done where the locale has no UTF-8
    #[arg(long)]
    ascii: bool,
    /// No colours, as is done where NO_COLOR is set or the output is no terminal
    #[arg(long)]
    no_color: bool,
}

fn seats(text: &str) -> Result<Seats, String> {
    let seats = Seats::parse(text);
    seats.ok_or_else(|| format!("expected black, white, both or none, found {text:?}"))
}

/// Plays until the player leaves.
pub fn run(args: &Args) -> anyhow::Result<()> {
    args.options.expect_none(&IDLE)?;
    let mut options = args.options.clone().resolved()?;
    let seed = RandomState::new().hash_one(std::process::id());
    options.seed.get_or_insert(seed);
    // Who says how long it thinks does not want it to play at once; alpha-beta has its depth, and playouts know nothing
    // before the search.
    let is_told = options.visits.is_some() || options.time.is_some();
    let best = is_told
        || options.search == Some(SearchKind::Alphabeta)
        || options.evaluator == Some(EvaluatorKind::Rollout);
    if best {
        options.level.get_or_insert(BEST);
    }
    let kept = files::kept_game();
    let loaded = loaded(args, &options, kept.as_deref())?;
    options.level.get_or_insert(LEVEL);
    let mut game = Game::new(engine(&options, loaded.as_ref())?, args.color, kept);
    let mut said = vec!["help lists the commands; d4 plays there.".to_owned()];
    if let Some(stones) = args.handicap {
        let komi = options.komi.map(|_| options.game_rules());
        let komi = komi.transpose()?.map(|rules| rules.komi);
        said.push(game.begin_handicap(stones, komi).context("--handicap")?);
    }
    if let Some(loaded) = loaded {
        said.extend(game.go_on(loaded)?);
    }
    let look = look(args);
    let (input, output) = (io::stdin(), io::stdout());
    if input.is_terminal() && output.is_terminal() && !is_dumb() {
        screen::run(&mut game, look, said)?;
    } else {
        lines::run(
            &mut game,
            &mut input.lock(),
            &mut output.lock(),
            look,
            &said,
        )?;
    }
    Ok(())
}

/// The game to go on with, if there is to be one, with who plays it and how strongly.
fn loaded(args: &Args, options: &Options, kept: Option<&Path>) -> anyhow::Result<Option<Loaded>> {
    let path = match (&args.game, args.resume) {
        (Some(path), _) => path.as_path(),
        (None, false) => return Ok(None),
        (None, true) => {
            let path = kept.filter(|path| path.exists());
            path.context("--resume: expected a game left earlier, found none")?
        }
    };
    args.options.expect_none(&[BOARD])?;
    let mut loaded = files::load(path, options.game_rules()?)?;
    loaded.seats = args.color.or(loaded.seats);
    loaded.level = loaded.level.filter(|_| options.level.is_none());
    Ok(Some(loaded))
}

/// Whether the terminal knows nothing but lines.
fn is_dumb() -> bool {
    std::env::var_os("TERM").is_some_and(|terminal| terminal == "dumb")
}

/// How to draw here.
fn look(args: &Args) -> Look {
    let told = |name| std::env::var(name).ok().filter(|value| !value.is_empty());
    let plain = args.no_color || told("NO_COLOR").is_some() || is_dumb();
    let colours = !plain && io::stdout().is_terminal();
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(told);
    let locale = locale.unwrap_or_default().to_lowercase();
    let utf8 = cfg!(windows) || locale.contains("utf-8") || locale.contains("utf8");
    let signs = match (args.ascii || !utf8, colours) {
        (true, _) => ASCII,
        (false, true) => COLOURED,
        (false, false) => UNICODE,
    };
    Look { signs, colours }
}

fn engine(options: &Options, loaded: Option<&Loaded>) -> anyhow::Result<Engine> {
    let stack = options.evaluators()?;
    let evaluators = Evaluators {
        search: Arc::clone(&stack.evaluator),
        base: Arc::clone(&stack.base),
        raw: Arc::clone(&stack.base),
    };
    // A game from a file has its own board.
    let size = match loaded {
        Some(loaded) => loaded.record.size(),
        None => options.board(&stack)?,
    };
    let (settings, rules) = (options.settings()?, options.game_rules()?);
    Ok(Engine::new(settings, evaluators, size, rules)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::Line;
    use clap::Parser;

    fn args(line: &str) -> Args {
        Line::<Args>::try_parse_from(line.split(' ')).unwrap().args
    }

    #[test]
    fn what_stands_behind_ponder_is_the_game() {
        let told = args("play --ponder g.sgf");
        assert_eq!(told.options.ponder, Some(true));
        assert_eq!(told.game, Some(PathBuf::from("g.sgf")));
        assert_eq!(args("play --ponder").options.ponder, Some(true));
        assert_eq!(args("play --ponder=false").options.ponder, Some(false));
    }
}
