//! `honinbo net`: what a network file holds, and how well its network foresees games.

use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, bail};
use clap::{Args, Subcommand};
use honinbo::encode::Encoding;
use honinbo::eval::embedded;
use honinbo::eval::network::NetworkEvaluator;
use honinbo::game::point::BoardSize;
use honinbo::learn::accuracy::{Accuracy, AccuracySettings, measure};
use honinbo::learn::collection::{self, Games};
use honinbo::net::own::config::BlockKind;
use honinbo::net::own::weights::Weights;
use indicatif::{ProgressBar, ProgressStyle};

#[derive(Subcommand)]
pub enum Command {
    /// Describe a network
    Info(InfoArgs),
    /// Compare a network with games: top-1, top-5, cross-entropy, error of the value
    Eval(EvalArgs),
}

#[derive(Args)]
pub struct InfoArgs {
    /// Network file
    file: PathBuf,
}

#[derive(Args)]
pub struct EvalArgs {
    /// Game archives (.kifu, .kifu.xz), read in the given order
    #[arg(required = true)]
    games: Vec<PathBuf>,
    /// Network file [default: the one inside the program]
    #[arg(long, value_name = "FILE")]
    weights: Option<PathBuf>,
    /// Positions to look at, as long as there are games
    #[arg(long, value_name = "N", default_value_t = 16_000)]
    positions: u64,
    /// At most that many positions of one game
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=1_000))]
    per_game: u32,
    /// Seed of the choice of positions
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Threads [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_024))]
    threads: Option<u32>,
}

/// Runs one of them.
pub fn run(command: &Command) -> anyhow::Result<()> {
    let text = match command {
        Command::Info(args) => describe(&Weights::read(&args.file)?),
        Command::Eval(args) => table(&evaluate(args)?),
    };
    match io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => bail!("net: {error}"),
        _ => Ok(()),
    }
}

fn evaluate(args: &EvalArgs) -> anyhow::Result<Accuracy> {
    let evaluator = match &args.weights {
        Some(file) => Arc::new(NetworkEvaluator::read(file)?),
        None => embedded::network()?,
    };
    let files = args.games.iter().map(|file| collection::open(file));
    let files: Vec<Games> = files.collect::<Result<_, _>>()?;
    let settings = AccuracySettings {
        positions: args.positions,
        per_game: args.per_game as usize,
        seed: args.seed,
    };
    let style = "{wide_bar} {pos}/{len} positions, {per_sec}, {eta} left";
    let bar = ProgressBar::new(args.positions).with_style(ProgressStyle::with_template(style)?);
    // Zero asks rayon for all cores.
    let threads = args.threads.unwrap_or(0) as usize;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let accuracy = pool.context("net: no threads")?.install(|| {
        let games = files.into_iter().flatten();
        measure(&*evaluator, games, settings, &|done| bar.inc(done))
    })?;
    bar.finish_and_clear();
    if accuracy.positions() == 0 {
        bail!("net: expected games with moves, found none");
    }
    Ok(accuracy)
}

/// Lines of a name and what is said of it, in two columns.
fn lines(rows: &[(&str, String)]) -> String {
    let width = rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    let line = |(name, text): &(&str, String)| format!("{name:<width$}  {text}\n");
    rows.iter().map(line).collect()
}

fn table(accuracy: &Accuracy) -> String {
    let percent = |share: f64| format!("{:.2} %", 100.0 * share);
    lines(&[
        ("positions", accuracy.positions().to_string()),
        ("top-1", percent(accuracy.top_1())),
        ("top-5", percent(accuracy.top_5())),
        ("cross-entropy", format!("{:.4}", accuracy.cross_entropy())),
        ("value MSE", format!("{:.4}", accuracy.value_error())),
        ("Brier score", format!("{:.4}", accuracy.brier_score())),
        ("winner", percent(accuracy.winner_accuracy())),
    ])
}

fn describe(weights: &Weights) -> String {
    let config = weights.config();
    let parameters: usize = weights.arrays().map(|(_, array)| array.values.len()).sum();
    let blocks: Vec<&str> = config
        .blocks
        .iter()
        .map(|block| match block {
            BlockKind::Ordinary => "ordinary",
            BlockKind::Pooling => "pooling",
        })
        .collect();
    let known = Encoding::with_counts(config.planes, config.globals).is_some();
    let fits = if known {
        ""
    } else {
        " (not an encoding of this program)"
    };
    let optional = |told: bool, text: &'static str| if told { text } else { "" };
    let mut rows = vec![
        ("name", config.name.clone()),
        ("parameters", parameters.to_string()),
        (
            "multiply-adds",
            format!("{} on 19x19", multiply_adds(weights)),
        ),
        (
            "input",
            format!("{} planes, {} globals{fits}", config.planes, config.globals),
        ),
        (
            "trunk",
            format!(
                "{} channels, {} blocks: {}",
                config.channels,
                blocks.len(),
                blocks.join(" ")
            ),
        ),
        ("pooling", format!("{} channels", config.pool_channels)),
        (
            "policy head",
            format!(
                "{} channels{}",
                config.policy_channels,
                optional(config.pass, ", pass")
            ),
        ),
        (
            "value head",
            format!(
                "{} channels, {} hidden units{}{}",
                config.value_channels,
                config.value_hidden,
                optional(config.score, ", score lead"),
                optional(config.ownership, ", ownership"),
            ),
        ),
    ];
    rows.extend(weights.training().map(|note| ("training", training(note))));
    lines(&rows)
}

/// Multiplications of one evaluation on the standard board: each weight of a convolution once a point, each of a
/// matrix once, vectors left out.
fn multiply_adds(weights: &Weights) -> usize {
    let area = BoardSize::STANDARD.area();
    let once = |shape: &[usize]| shape.iter().product::<usize>();
    weights
        .arrays()
        .map(|(_, array)| match array.shape.len() {
            4 => area * once(&array.shape),
            2 => once(&array.shape),
            _ => 0,
        })
        .sum()
}

/// The trainer's note in short: of a JSON object its plain entries, of anything else all.
fn training(note: &str) -> String {
    let Ok(serde_json::Value::Object(entries)) = serde_json::from_str(note) else {
        return note.to_owned();
    };
    let plain = entries.iter().filter(|(_, value)| !value.is_array());
    let texts: Vec<String> = plain
        .map(|(name, value)| format!("{name} {value}"))
        .collect();
    texts.join(", ")
}
