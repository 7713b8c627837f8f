//! `honinbo review`: a game analysed move by move.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use honinbo::file;
use honinbo::review::Review;
use honinbo::review::annotate::{AnnotateSettings, annotate};
use honinbo::review::chart::{png, svg};
use honinbo::review::json::json;
use honinbo::review::judge::JudgeSettings;
use honinbo::review::line::Line;
use honinbo::review::table::table;
use honinbo::search::limits::Limits;
use honinbo::sgf::{Collection, GameTree, parse, write};
use indicatif::{ProgressBar, ProgressStyle};

use super::options::Options;

/// Visits of a position where neither visits nor time are given.
const DEFAULT_VISITS: u64 = 200;

#[derive(clap::Args)]
pub struct Args {
    /// The game file; of a collection the first game, or the one that `--game` tells
    #[arg(value_name = "GAME.sgf")]
    file: PathBuf,
    /// Which game of a collection, from 1
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    game: u32,
    /// Where the annotated game (.sgf) and the picture (.svg, .png) go [default: beside the game, as NAME.review]
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

/// Reviews the game, writes the files and prints what was found.
pub fn run(args: Args) -> anyhow::Result<()> {
    let place = || args.file.display().to_string();
    let bytes = std::fs::read(&args.file).with_context(place)?;
    let mut games = parse(&bytes).with_context(place)?.collection.games;
    let count = games.len();
    if args.game as usize > count {
        bail!("--game: expected 1 to {count}, found {}", args.game);
    }
    let mut tree = games.swap_remove(args.game as usize - 1);
    let review = review(&args, &tree).with_context(place)?;
    if !args.no_files {
        let picture = svg(&review, &title(&tree, &args.file));
        annotate(
            &mut tree,
            &review,
            AnnotateSettings {
                variation: args.variation as usize,
            },
        );
        write_files(&args, tree, &picture)?;
    }
    let text = if args.json {
        format!("{:#}\n", json(&review))
    } else {
        table(&review, args.worst as usize)
    };
    if let Some(stopped) = review.line.stopped() {
        eprintln!("honinbo: {}: reviewed up to {stopped}", place());
    }
    super::print(&text)
}

fn review(args: &Args, tree: &GameTree) -> anyhow::Result<Review> {
    let options = args.options.clone().resolved()?;
    options.expect_full_level()?;
    // What the file does not say.
    let line = Line::read(tree, options.game_rules()?)?;
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
    let text = |name| root.value(name).map(|value| value.simple_text());
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

fn write_files(args: &Args, tree: GameTree, picture: &str) -> anyhow::Result<()> {
    let prefix = args.output.clone().unwrap_or_else(|| {
        let stem = args.file.file_stem().unwrap_or_default();
        let mut name = stem.to_os_string();
        name.push(".review");
        args.file.with_file_name(name)
    });
    let collection = Collection { games: vec![tree] };
    for (ending, bytes) in [
        ("sgf", write(&collection).into_bytes()),
        ("svg", picture.as_bytes().to_vec()),
        ("png", png(picture)?),
    ] {
        let mut path = prefix.clone().into_os_string();
        path.push(".");
        path.push(ending);
        let path = PathBuf::from(path);
        super::not_what_was_read(&path, &args.file)?;
        file::put(&path, bytes).with_context(|| path.display().to_string())?;
        eprintln!("honinbo: written {}", path.display());
    }
    Ok(())
}
