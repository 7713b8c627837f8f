//! `honinbo net`: inspects, converts and evaluates network files.

use std::fs::File;
use std::path::PathBuf;

use anyhow::{Context, ensure};
use clap::{Args, Subcommand, ValueHint};
use honinbo::encode::katago::player_profile::Profile;
use honinbo::eval::calibration;
use honinbo::eval::network_source::NetworkSource;
use honinbo::game::point::BoardSize;
use honinbo::io::file;
use honinbo::learn::accuracy::{Accuracy, AccuracySettings, measure};
use honinbo::net::cpu::isa::Isa;
use honinbo::net::formats::honinbo::tensors::FilePrecision;
use honinbo::net::formats::honinbo::{read_decompressed, v2, with_ranges};
use honinbo::net::formats::stream::Stream;
use honinbo::net::formats::{self, detection::Format};
use honinbo::net::model::Network;
use honinbo::net::precision::Precision;
use honinbo::net::spec::blocks::Block;
use honinbo::net::spec::heads::{PolicyHead, ValueHead};
use honinbo::net::spec::{Inputs, NetSpec, Readout};

use super::device::DeviceArgs;
use super::process::print;
use super::threads::{ThreadArgs, thread_pool};
use super::values::network_parser;
use super::{evaluators, files, progress};

#[derive(Subcommand)]
pub enum Command {
    /// Show the architecture of a network
    Info(InfoArgs),
    /// Convert a KataGo or Leela Zero network to this program's file format
    ///
    /// Also adds the value ranges that 16-bit integer arithmetic needs. A file that is already in this format only
    /// receives these ranges.
    Convert(ConvertArgs),
    /// Measure how well a network predicts the moves and winners of games
    Eval(EvalArgs),
}

#[derive(Args)]
pub struct InfoArgs {
    /// Network file, or `classic` [default: built-in network]
    #[arg(value_parser = network_parser(), value_hint = ValueHint::AnyPath)]
    file: Option<NetworkSource>,
}

#[derive(Args)]
pub struct ConvertArgs {
    /// Network file
    file: PathBuf,
    /// Output file (.safetensors)
    to: PathBuf,
    /// Store matrices as 16-bit floats, which halves the size
    #[arg(long)]
    half: bool,
}

#[derive(Args)]
pub struct EvalArgs {
    /// Game archives (.kifu, .kifu.xz) and SGF files, read in the order given
    #[arg(required = true)]
    games: Vec<PathBuf>,
    /// Network file, or `classic` [default: built-in network]
    #[arg(long, value_name = "FILE", value_parser = network_parser(), value_hint = ValueHint::AnyPath)]
    weights: Option<NetworkSource>,
    /// Maximum number of positions
    #[arg(long, value_name = "N", default_value_t = 16_000, value_parser = clap::value_parser!(u64).range(1..))]
    positions: u64,
    /// Maximum number of positions per game
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=1_000))]
    per_game: u32,
    /// Seed for choosing positions
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    #[command(flatten)]
    threads: ThreadArgs,
    #[command(flatten)]
    device_args: DeviceArgs,
}

/// Runs a subcommand and prints its result.
pub fn run(command: &Command) -> anyhow::Result<()> {
    let text = match command {
        Command::Info(args) => {
            describe_network(&mut args.file.clone().unwrap_or_default().read()?)?
        }
        Command::Convert(args) => convert(args)?,
        Command::Eval(args) => thread_pool(args.threads.count())?.install(|| evaluate(args))?,
    };
    print(&text)
}

fn convert(args: &ConvertArgs) -> anyhow::Result<String> {
    files::ensure_not_input("TO", &args.to, &args.file)?;
    let file = || args.file.display().to_string();
    let mut spec = formats::read(&args.file)?;
    if Network::needs_ranges(&spec) {
        let observer = progress::CalibrationProgress::new();
        let ranges = calibration::measure_ranges(&spec, Isa::from_env_or_best()?, &observer)
            .with_context(file)?;
        spec.ranges = Some(ranges.values().to_vec());
    }
    let mut stream = Stream::new(File::open(&args.file)?)?;
    let bytes = if Format::detect(&mut stream)? == Format::Honinbo && !args.half {
        let bytes = read_decompressed(stream)?;
        match &spec.ranges {
            Some(ranges) => with_ranges(&bytes, ranges),
            None => Ok(bytes),
        }
    } else {
        let precision = match args.half {
            true => FilePrecision::F16,
            false => FilePrecision::F32,
        };
        v2::to_bytes(spec, precision)
    };
    let bytes = bytes.with_context(file)?;
    file::write_atomic(&args.to, &bytes).with_context(|| args.to.display().to_string())?;
    let rows = [(
        "wrote",
        format!("{}, {} bytes", args.to.display(), bytes.len()),
    )];
    Ok(format_rows(&rows))
}

/// Measures how well a network predicts the moves and winners of games. Shows a progress bar and returns a table of the
/// results. Uses the current rayon pool.
fn evaluate(args: &EvalArgs) -> anyhow::Result<String> {
    let evaluator = evaluators::load_calibrated_network(
        args.weights.as_ref(),
        Profile::default(),
        args.device_args.device_config(),
        args.threads.count(),
    )?;
    let settings = AccuracySettings {
        max_positions: args.positions,
        positions_per_game: args.per_game as usize,
        seed: args.seed,
    };
    let template = "{wide_bar} {pos}/{len} positions, {per_sec}, {eta} left";
    let bar = progress::bar(args.positions, template);
    let games = files::training_games(files::with_zero_skip_counts(&args.games));
    let accuracy = measure(&*evaluator, games, settings, &|done| bar.inc(done))?;
    bar.finish_and_clear();
    ensure!(accuracy.position_count() > 0, files::NO_GAMES_MESSAGE);
    Ok(format_accuracy(&accuracy))
}

/// Formats names and values in two columns.
fn format_rows(rows: &[(&str, String)]) -> String {
    let width = rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    // The text comes from files and could contain terminal escape sequences.
    let escaped = |text: &str| text.replace(char::is_control, "?");
    let line = |(name, text): &(&str, String)| format!("{name:<width$}  {}\n", escaped(text));
    rows.iter().map(line).collect()
}

fn format_accuracy(accuracy: &Accuracy) -> String {
    let percent = |fraction: f64| format!("{:.2}%", 100.0 * fraction);
    format_rows(&[
        ("positions", accuracy.position_count().to_string()),
        ("top-1", percent(accuracy.top_1())),
        ("top-5", percent(accuracy.top_5())),
        ("cross-entropy", format!("{:.4}", accuracy.cross_entropy())),
        (
            "value MSE",
            format!("{:.4}", accuracy.squared_value_error()),
        ),
        ("Brier score", format!("{:.4}", accuracy.brier_score())),
        ("winner", percent(accuracy.winner_accuracy())),
    ])
}

fn describe_network(spec: &mut NetSpec) -> anyhow::Result<String> {
    let isa = Isa::from_env_or_best()?;
    let area = BoardSize::STANDARD.area();
    let inputs = spec.inputs;
    let mut rows = vec![
        ("name", spec.name.clone()),
        ("kind", describe_origin(spec)),
        ("parameters", spec.parameter_count().to_string()),
        (
            "multiply-adds",
            format!("{} on 19x19", spec.multiply_adds(area)),
        ),
        (
            "input",
            format!(
                "{} planes, {} global features",
                inputs.planes(),
                inputs.globals()
            ),
        ),
        (
            "trunk",
            format!(
                "{} channels, {}",
                spec.channels(),
                describe_blocks(&spec.blocks)
            ),
        ),
        ("policy head", describe_policy_head(&spec.policy)),
        ("value head", describe_value_head(&spec.value)),
        (
            "number format",
            format!("{} ({})", Precision::default().dtype(isa), isa.name()),
        ),
    ];
    let ranges = spec.ranges.iter();
    rows.extend(ranges.map(|ranges| ("ranges", format!("{} for 16-bit integers", ranges.len()))));
    rows.extend(
        spec.note
            .iter()
            .map(|note| ("training", summarise_note(note))),
    );
    Ok(format_rows(&rows))
}

/// Describes the origin and version of a network.
fn describe_origin(spec: &NetSpec) -> String {
    let profile_note = if spec.stem.profile.is_some() {
        ", human-style"
    } else {
        ""
    };
    match (spec.readout, spec.inputs) {
        (Readout::Honinbo, _) => "Honinbo".to_owned(),
        (Readout::KataGo(readout), Inputs::KataGo { version, .. }) => {
            format!(
                "KataGo, version {}, inputs V{version}{profile_note}",
                readout.version
            )
        }
        (Readout::KataGo(readout), _) => {
            format!("KataGo, version {}{profile_note}", readout.version)
        }
        (Readout::LeelaZero, _) => "Leela Zero, 19x19 only".to_owned(),
        (Readout::LeelaZeroBlack, _) => {
            "Leela Zero, 19x19 only, value from Black's perspective".to_owned()
        }
    }
}

/// Describes the number of blocks of each kind, in order of first appearance.
fn describe_blocks(blocks: &[Block]) -> String {
    let mut counts: Vec<(String, usize)> = Vec::new();
    for block in blocks {
        let kind = match block {
            Block::Ordinary(_) => "ordinary".to_owned(),
            Block::Pooling(_) => "pooling".to_owned(),
            Block::Nested(block) => format!(
                "nested ({} channels, {})",
                block.down.outputs,
                describe_blocks(&block.blocks)
            ),
            Block::Attention(block) => {
                format!(
                    "attention ({} heads, {} of keys)",
                    block.heads, block.kv_heads
                )
            }
            Block::FeedForward(block) => {
                format!("feed-forward ({} hidden units)", block.wide.outputs)
            }
            Block::PostActivation(_) => "post-activation".to_owned(),
        };
        match counts.iter_mut().find(|(name, _)| *name == kind) {
            Some((_, count)) => *count += 1,
            None => counts.push((kind, 1)),
        }
    }
    let kinds: Vec<String> = counts
        .iter()
        .map(|(kind, count)| format!("{count} {kind}"))
        .collect();
    format!("{} blocks: {}", blocks.len(), kinds.join(", "))
}

fn describe_policy_head(head: &PolicyHead) -> String {
    match head {
        PolicyHead::Flat { conv, .. } => format!("{} channels, pass", conv.outputs),
        PolicyHead::Pooled(head) => {
            let pass = if head.pass.is_some() { ", pass" } else { "" };
            let kinds = match head.out.outputs {
                1 => "",
                2 => ", optimistic policy",
                _ => ", optimistic policy, move values",
            };
            format!("{} channels{pass}{kinds}", head.conv.outputs)
        }
    }
}

fn describe_value_head(head: &ValueHead) -> String {
    match head {
        ValueHead::Flat { conv, hidden, .. } => {
            format!("{} channels, {} hidden units", conv.outputs, hidden.outputs)
        }
        ValueHead::Pooled(head) => {
            let score = match head.score.as_ref().map(|score| score.outputs) {
                None => "",
                Some(1) => ", score",
                Some(2..=4) => ", score and its deviation",
                Some(_) => ", score, its deviation and errors",
            };
            let ownership = if head.ownership.is_some() {
                ", ownership"
            } else {
                ""
            };
            format!(
                "{} channels, {} hidden units{score}{ownership}",
                head.conv.outputs, head.hidden.outputs
            )
        }
    }
}

/// Shortens the trainer's note. For a JSON object, returns all entries except arrays, separated by commas. Other text
/// is returned unchanged.
fn summarise_note(note: &str) -> String {
    let Ok(serde_json::Value::Object(entries)) = serde_json::from_str(note) else {
        return note.to_owned();
    };
    let scalars = entries.iter().filter(|(_, value)| !value.is_array());
    let texts: Vec<String> = scalars
        .map(|(name, value)| format!("{name} {value}"))
        .collect();
    texts.join(", ")
}
