//! `honinbo review`: a game analysed move by move.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use honinbo::file;
use honinbo::notice;
use honinbo::review::Review;
use honinbo::review::annotate::{AnnotateSettings, annotate};
use honinbo::review::chart::svg;
use honinbo::review::json::json;
use honinbo::review::judge::JudgeSettings;
use honinbo::review::line::Line;
use honinbo::review::table::table;
use honinbo::review::verdict::{DECIDED, GRADES};
use honinbo::search::limits::Limits;
use honinbo::sgf::{Collection, GameTree, write};
use indicatif::{ProgressBar, ProgressStyle};

use super::inputs;
use super::options::Options;
use super::options::refusals::{BOARD, Idle, OF_CLIENTS, OF_PLAYERS, TRAFFIC, hiding};
use super::outputs;

/// What the command has no use for.
pub(super) const IDLE: [Idle; 4] = [BOARD, TRAFFIC, OF_CLIENTS, OF_PLAYERS];
/// Visits of a position where neither visits nor time are given.
const DEFAULT_VISITS: u64 = 200;
/// Endings that the files may have.
const ENDINGS: [&str; 3] = ["sgf", "svg", "png"];
/// Number of files written: the annotated game and its picture, also as PNG if the program can render it.
const FILES: usize = if cfg!(feature = "png") { 3 } else { 2 };

#[derive(clap::Args)]
#[command(mut_args(hiding(&IDLE)), after_help = grades())]
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
fn grades() -> String {
    let [_, faults @ ..] = &GRADES;
    let bounds = faults.iter().map(|entry| {
        let (points, winrate) = (entry.points, 100.0 * entry.winrate);
        format!(
            "{} from {points} points or {winrate} % of the chance to win",
            entry.name
        )
    });
    format!(
        "A move has a grade by what it loses: {}. Points do not count while a side's chance stays below {} %.",
        bounds.collect::<Vec<_>>().join(", "),
        100.0 * DECIDED
    )
}

/// Reviews the game, prints what was found and writes the files. What cannot be written is told last, so that no work is
/// lost with it.
pub fn run(args: Args) -> anyhow::Result<()> {
    args.options.expect_none(&IDLE)?;
    let place = || args.file.display().to_string();
    let files = if args.no_files {
        None
    } else {
        Some(files(&args)?)
    };
    let mut games = inputs::game_file(&args.file)?.collection.games;
    let count = games.len();
    if args.game as usize > count {
        bail!("--game: expected 1 to {count}, found {}", args.game);
    }
    let tree = games.swap_remove(args.game as usize - 1);
    if let Some(path) = files.iter().flatten().next() {
        outputs::make_folder_of("--output", path)?;
    }
    let review = review(&args, &tree)?;
    let text = if args.json {
        format!("{:#}\n", json(&review))
    } else {
        table(&review, args.worst as usize)
    };
    if let Some(stopped) = review.line.stopped() {
        let file = place();
        notice::say(format_args!("honinbo: {file}: reviewed up to {stopped}"));
    }
    let printed = super::print(&text);
    if let Some(paths) = &files {
        write_files(&args, tree, &review, paths)?;
    }
    printed
}

fn review(args: &Args, tree: &GameTree) -> anyhow::Result<Review> {
    let options = args.options.clone().resolved()?;
    // What the file does not say.
    let place = || args.file.display().to_string();
    let line = Line::read(tree, options.game_rules()?).with_context(place)?;
    let own = options.settings()?;
    let unlimited = own.visits.is_none() && own.time.is_none();
    let settings = JudgeSettings {
        limits: Limits {
            visits: if unlimited {
                Some(DEFAULT_VISITS)
            } else {
                own.visits
            },
            time: own.time,
            ..Limits::default()
        },
        params: own.params,
        workers: own.threads,
        tree_bytes: own.tree_mib << 20,
        seed: own.seed,
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
fn files(args: &Args) -> anyhow::Result<Vec<PathBuf>> {
    let mut name = args.file.file_stem().unwrap_or_default().to_os_string();
    name.push(".review");
    let prefix = match &args.output {
        None => args.file.with_file_name(name),
        Some(path) => without_ending(outputs::in_folder_or_as_told(path, name)),
    };
    let with_ending = |ending| {
        let mut path = prefix.clone().into_os_string();
        path.push(".");
        path.push(ending);
        PathBuf::from(path)
    };
    let paths: Vec<PathBuf> = ENDINGS[..FILES].iter().map(with_ending).collect();
    for path in &paths {
        outputs::not_what_was_read("--output", path, &args.file)?;
    }
    Ok(paths)
}

/// The path without an ending that a file is given anyway.
fn without_ending(path: PathBuf) -> PathBuf {
    match path.extension().and_then(OsStr::to_str) {
        Some(ending) if ENDINGS.contains(&ending) => path.with_extension(""),
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
    let settings = AnnotateSettings {
        variation: args.variation as usize,
    };
    annotate(&mut tree, review, settings);
    let game = write(&Collection { games: vec![tree] });
    let mut contents = vec![game.into_bytes()];
    #[cfg(feature = "png")]
    let rendered = honinbo::review::png::png(&picture)?;
    contents.push(picture.into_bytes());
    #[cfg(feature = "png")]
    contents.push(rendered);
    for (path, bytes) in paths.iter().zip(contents) {
        file::put(path, bytes).with_context(|| path.display().to_string())?;
        notice::say(format_args!("honinbo: written {}", path.display()));
    }
    if !cfg!(feature = "png") {
        notice::say("honinbo: no PNG: build with `--features png` to have one as well");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_is_called_by_the_players_or_else_by_the_file() {
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
