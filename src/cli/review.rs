//! `honinbo review`: a game analysed move by move.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use honinbo::io::file;
use honinbo::io::stderr;
use honinbo::review::Review;
use honinbo::review::analysis::ReviewSettings;
use honinbo::review::annotate::annotate;
use honinbo::review::chart::svg;
use honinbo::review::grading::{DECIDED_WINRATE, GRADES};
use honinbo::review::json::json;
use honinbo::review::main_line::MainLine;
use honinbo::review::table::table;
use honinbo::search::limits::SearchLimits;
use honinbo::sgf::{Collection, GameTree, write};
use indicatif::{ProgressBar, ProgressStyle};

use super::inputs;
use super::options::Options;
use super::options::unsupported::{
    BOARD_OPTIONS, CLIENT_OPTIONS, LOG_OPTIONS, PLAYER_OPTIONS, UnsupportedOptions,
    hide_unsupported,
};
use super::outputs;

/// What the command has no use for.
pub(super) const UNSUPPORTED: [UnsupportedOptions; 4] =
    [BOARD_OPTIONS, LOG_OPTIONS, CLIENT_OPTIONS, PLAYER_OPTIONS];
/// Visits of a position where neither visits nor time are given.
const DEFAULT_VISITS: u64 = 200;
/// Endings that the files may have.
const EXTENSIONS: [&str; 3] = ["sgf", "svg", "png"];
/// Number of files written: the annotated game and its picture, also as PNG if the program can render it.
const FILE_COUNT: usize = if cfg!(feature = "png") { 3 } else { 2 };

#[derive(clap::Args)]
#[command(mut_args(hide_unsupported(&UNSUPPORTED)), after_help = grades_help())]
pub struct Args {
    /// The game file; of a collection the first game, or the one that `--game` tells. `--rules` and `--komi` count where
    /// it tells none
    #[arg(value_name = "GAME.sgf")]
    file: PathBuf,
    /// Which game of a collection, from 1
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    game: u32,
    /// Where the annotated game (.sgf) and the picture (.svg; .png if built with that feature) go; in a folder as
    /// NAME.review [default: beside the game]
    #[arg(long, short, value_name = "PREFIX")]
    output: Option<PathBuf>,
    /// Only print, write no files
    #[arg(long, conflicts_with = "output")]
    no_files: bool,
    /// Print a JSON object instead of the table
    #[arg(long)]
    json: bool,
    /// Mistakes to list
    #[arg(long, value_name = "N", default_value_t = 10)]
    worst: u32,
    /// Moves of a variation at most
    #[arg(long, value_name = "N", default_value_t = 10)]
    variation: u32,
    #[command(flatten)]
    options: Options,
}

/// From which loss on a move has which grade.
fn grades_help() -> String {
    let [_, mistakes @ ..] = &GRADES;
    let bounds = mistakes.iter().map(|entry| {
        let (points, winrate) = (entry.points, 100.0 * entry.winrate);
        format!(
            "{} from {points} points or {winrate} % of the chance to win",
            entry.name
        )
    });
    format!(
        "A move has a grade by what it loses: {}. Points do not count while a side's chance stays below {} %.",
        bounds.collect::<Vec<_>>().join(", "),
        100.0 * DECIDED_WINRATE
    )
}

/// Reviews the game, prints what was found and writes the files. What cannot be written is told last, so that no work is
/// lost with it.
pub fn run(args: Args) -> anyhow::Result<()> {
    args.options.reject_unsupported(&UNSUPPORTED)?;
    let context = || args.file.display().to_string();
    let paths = if args.no_files {
        None
    } else {
        Some(output_paths(&args)?)
    };
    let mut games = inputs::read_game_file(&args.file)?.collection.games;
    let count = games.len();
    if args.game as usize > count {
        bail!("--game: expected 1 to {count}, found {}", args.game);
    }
    let tree = games.swap_remove(args.game as usize - 1);
    if let Some(path) = paths.iter().flatten().next() {
        outputs::create_parent_folder("--output", path)?;
    }
    let review = review(&args, &tree)?;
    let text = if args.json {
        format!("{:#}\n", json(&review))
    } else {
        table(&review, args.worst as usize)
    };
    if let Some(stopped) = review.main_line.error() {
        let file = context();
        stderr::eprint_line(format_args!("honinbo: {file}: reviewed up to {stopped}"));
    }
    let print_result = super::print(&text);
    if let Some(paths) = &paths {
        write_files(&args, tree, &review, paths)?;
    }
    print_result
}

fn review(args: &Args, tree: &GameTree) -> anyhow::Result<Review> {
    let options = args.options.clone().with_config_file()?;
    // What the file does not say.
    let context = || args.file.display().to_string();
    let line = MainLine::read(tree, options.game_rules()?).with_context(context)?;
    let engine_settings = options.settings()?;
    let unlimited = engine_settings.visits.is_none() && engine_settings.time.is_none();
    let settings = ReviewSettings {
        limits: SearchLimits {
            visits: if unlimited {
                Some(DEFAULT_VISITS)
            } else {
                engine_settings.visits
            },
            time: engine_settings.time,
            ..SearchLimits::default()
        },
        params: engine_settings.params,
        workers: engine_settings.threads,
        tree_bytes: engine_settings.tree_mib << 20,
        seed: engine_settings.seed,
    };
    let evaluator = options.evaluators()?.evaluator;
    let style = ProgressStyle::with_template("{wide_bar} {pos}/{len} positions, {eta} left")?;
    let bar = ProgressBar::new(line.len() as u64 + 1).with_style(style);
    let review = Review::new(line, &evaluator, &settings, &|_| bar.inc(1))?;
    bar.finish_and_clear();
    Ok(review)
}

/// Who plays whom, or else the file's name.
fn title(tree: &GameTree, file: &Path) -> String {
    let root = tree.node(tree.root());
    let text = |name| {
        let text = root.value(name).map(|value| value.simple_text());
        text.filter(|text| !text.is_empty())
    };
    let name = || {
        file.file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned()
    };
    let mut title = match (text("PB"), text("PW")) {
        (Some(black), Some(white)) => format!("{black} (Black) - {white} (White)"),
        _ => name(),
    };
    if let Some(result) = text("RE") {
        title += &format!(", {result}");
    }
    title
}

/// The files to write, by their endings; an error if one of them is the game itself.
fn output_paths(args: &Args) -> anyhow::Result<Vec<PathBuf>> {
    let mut name = args.file.file_stem().unwrap_or_default().to_os_string();
    name.push(".review");
    let prefix = match &args.output {
        None => args.file.with_file_name(name),
        Some(path) => strip_extension(outputs::resolve_output(path, name)),
    };
    let with_extension = |extension| {
        let mut path = prefix.clone().into_os_string();
        path.push(".");
        path.push(extension);
        PathBuf::from(path)
    };
    let paths: Vec<PathBuf> = EXTENSIONS[..FILE_COUNT]
        .iter()
        .map(with_extension)
        .collect();
    for path in &paths {
        outputs::ensure_not_input("--output", path, &args.file)?;
    }
    Ok(paths)
}

/// The path without an ending that a file is given anyway.
fn strip_extension(path: PathBuf) -> PathBuf {
    match path.extension().and_then(OsStr::to_str) {
        Some(extension) if EXTENSIONS.contains(&extension) => path.with_extension(""),
        _ => path,
    }
}

fn write_files(
    args: &Args,
    mut tree: GameTree,
    review: &Review,
    paths: &[PathBuf],
) -> anyhow::Result<()> {
    let picture = svg(review, &title(&tree, &args.file));
    annotate(&mut tree, review, args.variation as usize);
    let game = write(&Collection { games: vec![tree] });
    let mut contents = vec![game.into_bytes()];
    #[cfg(feature = "png")]
    let rendered = honinbo::review::png::png(&picture)?;
    contents.push(picture.into_bytes());
    #[cfg(feature = "png")]
    contents.push(rendered);
    for (path, bytes) in paths.iter().zip(contents) {
        file::write_atomic(path, bytes).with_context(|| path.display().to_string())?;
        stderr::eprint_line(format_args!("honinbo: written {}", path.display()));
    }
    if !cfg!(feature = "png") {
        stderr::eprint_line("honinbo: no PNG: build with `--features png` to have one as well");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn title_names_players_or_file() {
        for (game, expected) in [
            ("(;PB[Cho]PW[Lee]RE[B+R])", "Cho (Black) - Lee (White), B+R"),
            ("(;PB[]PW[ ]RE[])", "g.sgf"),
            ("(;PB[Cho]PW[])", "g.sgf"),
        ] {
            let games = honinbo::sgf::parse(game.as_bytes())
                .unwrap()
                .collection
                .games;
            assert_eq!(title(&games[0], Path::new("d/g.sgf")), expected, "{game}");
        }
    }
}
