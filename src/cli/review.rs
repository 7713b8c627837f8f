//! `honinbo review`: analyses a game move by move.

use std::ffi::OsStr;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use honinbo::game::record::IllegalMove;
use honinbo::io::file;
use honinbo::io::stderr;
use honinbo::review::Review;
use honinbo::review::analysis::ReviewSettings;
use honinbo::review::annotate::annotate;
use honinbo::review::chart::svg;
use honinbo::review::grading::{DECIDED_LOSER_WINRATE, GRADES};
use honinbo::review::json::review_json;
use honinbo::review::main_line::MainLine;
use honinbo::review::text_report::text_report;
use honinbo::search::limits::SearchLimits;
use honinbo::sgf::{Collection, GameTree, write};

use super::evaluators::CalibrationMode;
use super::files;
use super::options::Options;
use super::options::unsupported::{
    BOARD_SIZE_OPTIONS, IDENTITY_OPTIONS, LOG_OPTIONS, PLAYER_OPTIONS, UnsupportedOptions,
    hide_unsupported,
};
use super::process::print;
use super::progress;

/// Shared options that have no effect in this command.
pub(super) const UNSUPPORTED_OPTIONS: [UnsupportedOptions; 4] = [
    BOARD_SIZE_OPTIONS,
    LOG_OPTIONS,
    IDENTITY_OPTIONS,
    PLAYER_OPTIONS,
];
/// Default number of visits per position if neither `--visits` nor `--time` is set.
const DEFAULT_VISITS: u64 = 200;
/// Extensions of the output files.
const OUTPUT_EXTENSIONS: [&str; 3] = ["sgf", "svg", "png"];
/// Number of output files: annotated game, SVG chart and, with the feature `png`, PNG chart.
const OUTPUT_FILE_COUNT: usize = if cfg!(feature = "png") { 3 } else { 2 };

#[derive(clap::Args)]
#[command(mut_args(hide_unsupported(&UNSUPPORTED_OPTIONS)), after_help = grades_help())]
pub struct Args {
    /// SGF file; --rules and --komi apply only where the file does not set them
    #[arg(value_name = "GAME.sgf")]
    file: PathBuf,
    /// Number of the game in an SGF collection, starting at 1
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    game: u32,
    /// Prefix or folder of the output files [default: GAME.review, next to the game]
    ///
    /// Writes PREFIX.sgf (annotated game) and PREFIX.svg (chart). Also writes PREFIX.png if the program was built with
    /// the feature `png`.
    #[arg(long, short, value_name = "PREFIX")]
    output: Option<PathBuf>,
    /// Do not write any files
    #[arg(long, conflicts_with = "output")]
    no_files: bool,
    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
    /// Number of mistakes to list
    #[arg(long, value_name = "N", default_value_t = 10)]
    worst: u32,
    /// Maximum length of a variation, in moves
    #[arg(long, value_name = "N", default_value_t = 10)]
    variation: u32,
    #[command(flatten)]
    options: Options,
}

/// Returns the help text about the thresholds of the grades.
fn grades_help() -> String {
    let [_, mistakes @ ..] = &GRADES;
    let bounds = mistakes.iter().map(|entry| {
        let (points, winrate) = (entry.min_points_lost, 100.0 * entry.min_winrate_lost);
        format!(
            "{} (at least {points} points or {winrate}% win rate)",
            entry.name
        )
    });
    format!(
        "Moves are graded by loss: {}. Point losses are ignored while the win rate of one side stays below {}%.",
        bounds.collect::<Vec<_>>().join(", "),
        100.0 * DECIDED_LOSER_WINRATE
    )
}

/// Reviews the game, prints the result and writes the files.
///
/// If printing fails, the files are still written before the error is returned, so that the analysis is not lost.
pub fn run(args: Args) -> anyhow::Result<()> {
    args.options.reject_unsupported(&UNSUPPORTED_OPTIONS)?;
    let context = || args.file.display().to_string();
    let paths = if args.no_files {
        None
    } else {
        Some(output_paths(&args)?)
    };
    let mut games = files::read_game_file(&args.file)?.collection.games;
    let count = games.len();
    if args.game as usize > count {
        bail!("--game must be between 1 and {count}, not {}", args.game);
    }
    let tree = games.swap_remove(args.game as usize - 1);
    if let Some(path) = paths.iter().flatten().next() {
        files::create_parent_folder("--output", path)?;
    }
    let review = review(&args, &tree)?;
    let text = if args.json {
        format!("{:#}\n", review_json(&review))
    } else {
        text_report(&review, args.worst as usize)
    };
    for warning in review.main_line.warnings() {
        stderr::eprint_line(format_args!("honinbo: {}: {warning}", context()));
    }
    if let Some(moves) = IllegalMove::summarise_all(review.main_line.illegal_moves().to_vec()) {
        let file = context();
        stderr::eprint_line(format_args!(
            "honinbo: {file}: illegal under these rules: {moves}"
        ));
    }
    if let Some(stopped) = review.main_line.error() {
        let file = context();
        stderr::eprint_line(format_args!(
            "honinbo: {file}: reviewed only the moves before the first error: {stopped}"
        ));
    }
    let print_result = print(&text);
    if let Some(paths) = &paths {
        write_files(&args, tree, &review, paths)?;
    }
    print_result
}

fn review(args: &Args, tree: &GameTree) -> anyhow::Result<Review> {
    let options = args.options.clone().with_config_file()?;
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
        batch_size: engine_settings.batch_size,
        tree_bytes: engine_settings.tree_mib << 20,
        seed: engine_settings.seed,
    };
    let evaluator = options.evaluator_stack(CalibrationMode::Wait)?.evaluator;
    let positions = line.len() as u64 + 1;
    let bar = progress::bar(positions, "{wide_bar} {pos}/{len} positions, {eta} left");
    let review = Review::search_and_grade(line, &evaluator, &settings, &|_| {
        bar.inc(1);
        ControlFlow::Continue(())
    })?;
    bar.finish_and_clear();
    Ok(review)
}

/// Returns the title of the chart: players and result. If either player is unknown, the file name replaces both names.
fn chart_title(tree: &GameTree, file: &Path) -> String {
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

/// Returns the output files in the order of [`OUTPUT_EXTENSIONS`]. Returns an error if one of them is the input file.
fn output_paths(args: &Args) -> anyhow::Result<Vec<PathBuf>> {
    let prefix = files::output_path(args.output.as_deref(), &args.file, ".review");
    let prefix = strip_output_extension(prefix);
    let with_extension = |extension| {
        let mut path = prefix.clone().into_os_string();
        path.push(".");
        path.push(extension);
        PathBuf::from(path)
    };
    let paths: Vec<PathBuf> = OUTPUT_EXTENSIONS[..OUTPUT_FILE_COUNT]
        .iter()
        .map(with_extension)
        .collect();
    for path in &paths {
        files::ensure_not_input("--output", path, &args.file)?;
    }
    Ok(paths)
}

/// Removes the extension if it is one of [`OUTPUT_EXTENSIONS`]. The extensions of the output files are added later.
fn strip_output_extension(path: PathBuf) -> PathBuf {
    match path.extension().and_then(OsStr::to_str) {
        Some(extension) if OUTPUT_EXTENSIONS.contains(&extension) => path.with_extension(""),
        _ => path,
    }
}

fn write_files(
    args: &Args,
    mut tree: GameTree,
    review: &Review,
    paths: &[PathBuf],
) -> anyhow::Result<()> {
    let picture = svg(review, &chart_title(&tree, &args.file));
    annotate(&mut tree, review, args.variation as usize);
    let game = write(&Collection { games: vec![tree] });
    let mut contents = vec![game.into_bytes()];
    #[cfg(feature = "png")]
    let rendered = honinbo::review::png::from_svg(&picture)?;
    contents.push(picture.into_bytes());
    #[cfg(feature = "png")]
    contents.push(rendered);
    for (path, bytes) in paths.iter().zip(contents) {
        file::write_atomic(path, bytes).with_context(|| path.display().to_string())?;
        stderr::eprint_line(format_args!("wrote {}", path.display()));
    }
    if !cfg!(feature = "png") {
        stderr::eprint_line("no PNG written; build with `--features png` to get one");
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
            assert_eq!(
                chart_title(&games[0], Path::new("d/g.sgf")),
                expected,
                "{game}"
            );
        }
    }
}
