//! `honinbo play`: plays a game in the terminal.

use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;
use honinbo::engine::{Engine, Evaluators};
use honinbo::io::stderr;
use honinbo::terminal::autosave::{self, Autosave};
use honinbo::terminal::board_view::{
    ASCII_GLYPHS, COLORED_UNICODE_GLYPHS, DisplayOptions, UNICODE_GLYPHS,
};
use honinbo::terminal::files::{self, LoadedGame};
use honinbo::terminal::full_screen_mode::{self, StartOptions};
use honinbo::terminal::game::Game;
use honinbo::terminal::human_colors::HumanColors;
use honinbo::terminal::line_mode;
use honinbo::terminal::start_menu::StartMenu;

use super::evaluators::CalibrationMode;
use super::options::unsupported::{
    BOARD_SIZE_OPTIONS, IDENTITY_OPTIONS, LOG_OPTIONS, UnsupportedOptions, hide_unsupported,
};
use super::options::{EvaluatorKind, Options, SearchKind};

/// Shared options that have no effect in this command.
pub(super) const UNSUPPORTED_OPTIONS: [UnsupportedOptions; 3] = [
    LOG_OPTIONS,
    IDENTITY_OPTIONS,
    (&["lag"], "there is no game clock"),
];
/// Default level if neither the options nor a loaded game determines the level.
const DEFAULT_LEVEL: u32 = 5;
/// Strongest level, the only one without a fixed limit on visits.
const FULL_LEVEL: u32 = 10;

#[derive(clap::Args)]
#[command(mut_args(hide_unsupported(&UNSUPPORTED_OPTIONS)))]
pub struct Args {
    #[command(flatten)]
    options: Options,
    /// SGF file to continue; --rules and --komi apply only where the file does not set them
    #[arg(value_name = "GAME")]
    game: Option<PathBuf>,
    /// Continue the game that was saved last
    #[arg(long, conflicts_with = "game")]
    resume: bool,
    /// Your colour: black, white, both or none [default: black, or the side to move of a loaded game]
    ///
    /// With `both`, the engine only moves on request. With `none`, it plays against itself.
    #[arg(long, value_name = "COLOR", value_parser = parse_human_colors)]
    color: Option<HumanColors>,
    /// Number of handicap stones for Black
    #[arg(long, value_name = "STONES", conflicts_with_all = ["game", "resume"])]
    handicap: Option<usize>,
    /// Draw the board in ASCII (default without a UTF-8 locale)
    #[arg(long)]
    ascii: bool,
    /// Disable colours (default if NO_COLOR is set or the output is not a terminal)
    #[arg(long)]
    no_color: bool,
}

fn parse_human_colors(text: &str) -> Result<HumanColors, String> {
    HumanColors::parse(text).ok_or_else(|| "must be black, white, both or none".to_owned())
}

/// Plays until the user quits.
pub fn run(args: &Args) -> anyhow::Result<()> {
    args.options.reject_unsupported(&UNSUPPORTED_OPTIONS)?;
    let mut options = args.options.clone().with_config_file()?;
    let (input, output) = (io::stdin(), io::stdout());
    let has_screen = input.is_terminal() && output.is_terminal() && !is_dumb_terminal();
    let calibration_mode = match options.calibration_mode()? {
        CalibrationMode::Background if has_screen => CalibrationMode::Silent,
        mode => mode,
    };
    options.randomise_seed();
    if needs_full_level(&options) {
        options.level.get_or_insert(FULL_LEVEL);
    }
    let folder = files::autosave_folder();
    let has_menu = has_screen && !chooses_game(args);
    let last_game =
        (folder.as_deref().filter(|_| has_menu || args.resume)).and_then(autosave::newest);
    let autosaved = last_game.clone().filter(|_| args.resume);
    let loaded = load_game(args, &options, autosaved.as_deref())?;
    options.level.get_or_insert(DEFAULT_LEVEL);
    let engine = build_engine(&options, calibration_mode, loaded.as_ref())?;
    let mut game = Game::new(engine, args.color, folder.map(Autosave::new));
    let mut messages = vec!["Type a move such as d4, or help for a list of commands.".to_owned()];
    if let Some(stones) = args.handicap {
        let komi = options.komi.map(|_| options.game_rules());
        let komi = komi.transpose()?.map(|rules| rules.komi);
        messages.push(
            game.start_handicap_game(stones, komi)
                .context("--handicap")?,
        );
    }
    if let Some(loaded) = loaded {
        messages.extend(game.continue_loaded_game(loaded)?);
    }
    if let Some(file) = autosaved {
        game.resume_autosave(file);
    }
    let style = terminal_style(args);
    if has_screen {
        let start = StartOptions {
            menu: has_menu.then(|| start_menu(&game, last_game)),
            may_have_wide_stones: has_east_asian_locale() && style.glyphs != ASCII_GLYPHS,
            messages,
        };
        full_screen_mode::run(&mut game, style, start)?;
        if game.is_autosaved() {
            stderr::eprint_line("The game is saved. Continue it with: honinbo play --resume");
        }
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

/// Returns true if the default level is the full one.
///
/// Explicit limits apply only to the full level. Alpha-beta and minimax have no levels: only the depth changes their
/// strength. The priors of rollouts are crude, so rollouts need more visits than the lower levels allow.
fn needs_full_level(options: &Options) -> bool {
    let is_limit_explicit = options.visits.is_some() || options.time.is_some();
    is_limit_explicit
        || options.search.is_some_and(SearchKind::has_depth)
        || options.evaluator == Some(EvaluatorKind::Rollout)
}

/// Loads the game to continue, with its players and level; `--color` and `--level` take precedence over them. Returns
/// `None` for a new game.
fn load_game(
    args: &Args,
    options: &Options,
    autosaved: Option<&Path>,
) -> anyhow::Result<Option<LoadedGame>> {
    let path = match (&args.game, args.resume) {
        (Some(path), _) => path.as_path(),
        (None, false) => return Ok(None),
        (None, true) => autosaved.context("--resume: no saved game found")?,
    };
    args.options.reject_unsupported(&[BOARD_SIZE_OPTIONS])?;
    let mut loaded = files::load(path, options.game_rules()?)?;
    loaded.human_colors = args.color.or(loaded.human_colors);
    loaded.level = loaded.level.filter(|_| options.level.is_none());
    Ok(Some(loaded))
}

/// Returns true if the command line names the game or the player's strength, which the menu would ask for.
fn chooses_game(args: &Args) -> bool {
    let options = &args.options;
    args.game.is_some()
        || args.resume
        || args.color.is_some()
        || args.handicap.is_some()
        || options.level.is_some()
        || options.size.is_some()
        || options.rules.is_some()
        || options.komi.is_some()
        || options.visits.is_some()
        || options.time.is_some()
        || options.search.is_some()
}

fn start_menu(game: &Game, last_game: Option<PathBuf>) -> StartMenu {
    let level = game.engine().settings().level;
    StartMenu::new(game.record().size(), level, last_game)
}

/// Returns true if the terminal does not support cursor movement.
fn is_dumb_terminal() -> bool {
    std::env::var_os("TERM").is_some_and(|terminal| terminal == "dumb")
}

/// Returns true if the terminal has no colours: the video terminals of the VT100 and VT200 series.
fn is_monochrome_terminal() -> bool {
    let terminal = std::env::var("TERM").unwrap_or_default();
    ["vt1", "vt2"]
        .iter()
        .any(|prefix| terminal.starts_with(prefix))
}

/// Returns the locale of the user's texts in lower case, or an empty string if none is set.
fn locale() -> String {
    let variables = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter();
    let mut values = variables.filter_map(|name| std::env::var(name).ok());
    let locale = values.find(|value| !value.is_empty());
    locale.unwrap_or_default().to_lowercase()
}

/// Returns true if the user's language is Chinese, Japanese or Korean. Their fonts may have wide stones.
fn has_east_asian_locale() -> bool {
    let locale = locale();
    ["zh", "ja", "ko"]
        .iter()
        .any(|language| locale.starts_with(language))
}

/// Selects characters and colours that the terminal supports.
fn terminal_style(args: &Args) -> DisplayOptions {
    let has_no_color = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let plain = args.no_color || has_no_color || is_dumb_terminal() || is_monochrome_terminal();
    let colours = !plain && io::stdout().is_terminal();
    let locale = locale();
    let utf8 = cfg!(windows) || locale.contains("utf-8") || locale.contains("utf8");
    let signs = match (args.ascii || !utf8, colours) {
        (true, _) => ASCII_GLYPHS,
        (false, true) => COLORED_UNICODE_GLYPHS,
        (false, false) => UNICODE_GLYPHS,
    };
    DisplayOptions {
        glyphs: signs,
        use_color: colours,
    }
}

fn build_engine(
    options: &Options,
    mode: CalibrationMode,
    loaded: Option<&LoadedGame>,
) -> anyhow::Result<Engine> {
    let stack = options.evaluator_stack(mode)?;
    let evaluators = Evaluators::new(Arc::clone(&stack.evaluator), Arc::clone(&stack.base));
    // A loaded game sets the board size.
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
