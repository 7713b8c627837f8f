//! `honinbo play`: a game in the terminal.

use std::hash::{BuildHasher, RandomState};
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;
use honinbo::engine::{Engine, Evaluators};
use honinbo::terminal::board_view::{ASCII, COLORED, DisplayOptions, UNICODE};
use honinbo::terminal::files::{self, LoadedGame};
use honinbo::terminal::game::Game;
use honinbo::terminal::line_mode;
use honinbo::terminal::players::Players;
use honinbo::terminal::screen;

use super::options::unsupported::{
    BOARD_OPTIONS, CLIENT_OPTIONS, LOG_OPTIONS, UnsupportedOptions, hide_unsupported,
};
use super::options::{EvaluatorKind, Options, SearchKind};

/// What the command has no use for.
pub(super) const UNSUPPORTED: [UnsupportedOptions; 3] = [
    LOG_OPTIONS,
    CLIENT_OPTIONS,
    (&["lag"], "no clock is kept here"),
];
/// The level where the user names none, nor how long to think.
const DEFAULT_LEVEL: u32 = 5;
/// The level without a limit of its own.
const FULL_LEVEL: u32 = 10;

/// The options of the command.
#[derive(clap::Args)]
#[command(mut_args(hide_unsupported(&UNSUPPORTED)))]
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
    #[arg(long, value_name = "COLOR", value_parser = parse_players)]
    color: Option<Players>,
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

fn parse_players(text: &str) -> Result<Players, String> {
    let players = Players::parse(text);
    players.ok_or_else(|| format!("expected black, white, both or none, found {text:?}"))
}

/// Plays until the player leaves.
pub fn run(args: &Args) -> anyhow::Result<()> {
    args.options.reject_unsupported(&UNSUPPORTED)?;
    let mut options = args.options.clone().with_config_file()?;
    let seed = RandomState::new().hash_one(std::process::id());
    options.seed.get_or_insert(seed);
    // Who says how long it thinks does not want it to play at once; alpha-beta has its depth, and playouts know nothing
    // before the search.
    let is_limit_explicit = options.visits.is_some() || options.time.is_some();
    let use_full_level = is_limit_explicit
        || options.search == Some(SearchKind::Alphabeta)
        || options.evaluator == Some(EvaluatorKind::Rollout);
    if use_full_level {
        options.level.get_or_insert(FULL_LEVEL);
    }
    let saved_path = files::autosave_path();
    let loaded = load_game(args, &options, saved_path.as_deref())?;
    options.level.get_or_insert(DEFAULT_LEVEL);
    let mut game = Game::new(engine(&options, loaded.as_ref())?, args.color, saved_path);
    let mut messages = vec!["help lists the commands; d4 plays there.".to_owned()];
    if let Some(stones) = args.handicap {
        let komi = options.komi.map(|_| options.game_rules());
        let komi = komi.transpose()?.map(|rules| rules.komi);
        messages.push(
            game.start_handicap_game(stones, komi)
                .context("--handicap")?,
        );
    }
    if let Some(loaded) = loaded {
        messages.extend(game.resume(loaded)?);
    }
    let style = terminal_style(args);
    let (input, output) = (io::stdin(), io::stdout());
    if input.is_terminal() && output.is_terminal() && !is_dumb() {
        screen::run(&mut game, style, messages)?;
    } else {
        line_mode::run(
            &mut game,
            &mut input.lock(),
            &mut output.lock(),
            style,
            &messages,
        )?;
    }
    Ok(())
}

/// The game to go on with, if there is to be one, with who plays it and how strongly.
fn load_game(
    args: &Args,
    options: &Options,
    saved_path: Option<&Path>,
) -> anyhow::Result<Option<LoadedGame>> {
    let path = match (&args.game, args.resume) {
        (Some(path), _) => path.as_path(),
        (None, false) => return Ok(None),
        (None, true) => {
            let path = saved_path.filter(|path| path.exists());
            path.context("--resume: expected a game left earlier, found none")?
        }
    };
    args.options.reject_unsupported(&[BOARD_OPTIONS])?;
    let mut loaded = files::load(path, options.game_rules()?)?;
    loaded.players = args.color.or(loaded.players);
    loaded.level = loaded.level.filter(|_| options.level.is_none());
    Ok(Some(loaded))
}

/// Whether the terminal knows nothing but lines.
fn is_dumb() -> bool {
    std::env::var_os("TERM").is_some_and(|terminal| terminal == "dumb")
}

/// How to draw here.
fn terminal_style(args: &Args) -> DisplayOptions {
    let env_var = |name| std::env::var(name).ok().filter(|value| !value.is_empty());
    let plain = args.no_color || env_var("NO_COLOR").is_some() || is_dumb();
    let colours = !plain && io::stdout().is_terminal();
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(env_var);
    let locale = locale.unwrap_or_default().to_lowercase();
    let utf8 = cfg!(windows) || locale.contains("utf-8") || locale.contains("utf8");
    let signs = match (args.ascii || !utf8, colours) {
        (true, _) => ASCII,
        (false, true) => COLORED,
        (false, false) => UNICODE,
    };
    DisplayOptions {
        glyphs: signs,
        use_color: colours,
    }
}

fn engine(options: &Options, loaded: Option<&LoadedGame>) -> anyhow::Result<Engine> {
    let stack = options.evaluators()?;
    let evaluators = Evaluators {
        search: Arc::clone(&stack.evaluator),
        base: Arc::clone(&stack.base),
        raw: Arc::clone(&stack.base),
    };
    // A game from a file has its own board.
    let size = match loaded {
        Some(loaded) => loaded.record.size(),
        None => options.playable_board_size(&stack)?,
    };
    let (settings, rules) = (options.settings()?, options.game_rules()?);
    Ok(Engine::new(settings, evaluators, size, rules)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::TestCli;
    use clap::Parser;

    fn args(line: &str) -> Args {
        TestCli::<Args>::try_parse_from(line.split(' '))
            .unwrap()
            .args
    }

    #[test]
    fn ponder_takes_no_separate_value() {
        let parsed = args("play --ponder g.sgf");
        assert_eq!(parsed.options.ponder, Some(true));
        assert_eq!(parsed.game, Some(PathBuf::from("g.sgf")));
        assert_eq!(args("play --ponder").options.ponder, Some(true));
        assert_eq!(args("play --ponder=false").options.ponder, Some(false));
    }
}
