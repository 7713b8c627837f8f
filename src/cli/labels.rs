//! `honinbo labels`: adds positions labelled by a strong network to a store.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, ensure};
use clap::ValueHint;
use honinbo::encode::katago::player_profile::Profile;
use honinbo::eval::Evaluator;
use honinbo::eval::batcher::Batcher;
use honinbo::eval::network_source::NetworkSource;
use honinbo::eval::stack::{BaseEvaluator, EvaluatorStack, StackSettings};
use honinbo::eval::symmetry::{SymmetryEvaluator, SymmetryMode};
use honinbo::learn::game_files::GameIter;
use honinbo::learn::labels::import::{IMPORTED_SOURCE_BIT, LabelImporter};
use honinbo::learn::labels::labeller::Labeller;
use honinbo::learn::labels::position_sampling::PositionSamplingSettings;
use honinbo::learn::labels::store::{self, LabelStore, ShardEntries, ShardSummary};
use honinbo::learn::labels::teacher_process::TeacherProcess;

use super::external_command_line::split_command_line;
use super::files;
use super::process::{print, stop_on_signals};
use super::progress::{CalibrationProgress, LabelProgress};
use super::selfplay::GameArgs;
use super::threads::thread_pool;
use super::values::{network_parser, parse_fraction};

/// Maximum number of batches that are sent to a teacher process at a time. With two, the process can receive one batch
/// while it evaluates the other.
const MAX_CONCURRENT_TEACHER_BATCHES: usize = 2;

#[derive(clap::Args)]
#[command(
    mut_arg("sizes", |arg| arg.default_value("19:15,13:10,9:18,7..18:0.6,13x19:0.4,9x13:0.4,7x11:0.4")),
    mut_arg("rules", |arg| arg.default_value(
        "chinese:4,japanese:4,tromp-taylor:2,aga:1,new-zealand:1,chinese-ogs:2,stone-scoring:0.3,aga-button:0.3"
    )),
    mut_arg("komi_spread", |arg| arg.default_value("2")),
    mut_arg("handicap", |arg| arg.default_value("0.08")),
    mut_arg("parallel", |arg| arg.help(
        "Games played concurrently [default: one per thread]; with --teacher-command, use many games so that batches are full"
    )),
    mut_arg("seed", |arg| arg
        .help("Random seed; use a different one on each machine that labels for the same store")
        .value_parser(clap::value_parser!(u64).range(..IMPORTED_SOURCE_BIT)))
)]
pub struct Args {
    /// Recorded games from which positions are taken: packed archives (.kifu, .kifu.xz) and SGF files
    ///
    /// If a file of --import refers to recorded games, their archives must be listed here too.
    games: Vec<PathBuf>,
    /// Folder of the label store, created if necessary; without a teacher or --import, only a summary of it is printed
    #[arg(long, value_name = "DIR")]
    store: PathBuf,
    /// Network file of the teacher, which labels the positions
    #[arg(long, value_name = "FILE", value_parser = network_parser(), value_hint = ValueHint::AnyPath)]
    teacher: Option<NetworkSource>,
    /// Command to run as the teacher instead of the network given by --teacher, for example
    /// "python3 scripts/serve_teacher.py NET" to use a GPU
    #[arg(long, value_name = "COMMAND", conflicts_with = "teacher")]
    teacher_command: Option<String>,
    /// Positions per batch sent to --teacher-command
    #[arg(long, value_name = "N", default_value_t = 256, value_parser = clap::value_parser!(u16).range(1..=4_096))]
    batch: u16,
    /// Add the labels from another store, a shard or a GOLABEL1 file (.bin, .bin.xz); labels already in the store are
    /// skipped
    #[arg(long, value_name = "PATH")]
    import: Vec<PathBuf>,
    /// Stop when the store has N labels [default: no limit]
    #[arg(long, value_name = "N")]
    labels: Option<u64>,
    /// Stop after this time, in minutes [default: no limit]
    #[arg(long, value_name = "MINUTES", value_parser = clap::value_parser!(u32).range(1..))]
    minutes: Option<u32>,
    /// On average, label one in N positions of a game
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..))]
    every: u16,
    /// Fraction of games taken from the recorded games; the network plays the others
    #[arg(long, value_name = "SHARE", default_value_t = 0.1, value_parser = parse_fraction::<f64>)]
    recorded: f64,
    /// Fraction of positions after which a few random moves are played before labelling
    #[arg(long, value_name = "SHARE", default_value_t = 0.45, value_parser = parse_fraction::<f64>)]
    branches: f64,
    /// Fraction of positions labelled without their move history, some of them with fewer stones
    #[arg(long, value_name = "SHARE", default_value_t = 0.05, value_parser = parse_fraction::<f64>)]
    set_ups: f64,
    #[command(flatten)]
    played: GameArgs,
}

/// Imports labels and labels new positions, as requested. Prints a summary of the store.
pub fn run(args: &Args) -> anyhow::Result<()> {
    if args.teacher.is_none() && args.teacher_command.is_none() && args.import.is_empty() {
        ensure!(
            args.store.is_dir(),
            "the label store {} does not exist; create it with --teacher FILE",
            args.store.display()
        );
        return print(format_summary(&read_store_summary(&args.store)?));
    }
    let mut store = LabelStore::open(&args.store)?;
    for path in &args.import {
        import_labels(&mut store, path, &args.games)?;
    }
    if let Some(teacher) = build_teacher(args)? {
        label_positions(args, &*teacher, &mut store)?;
    }
    print(format_summary(&store.summary()))
}

/// Adds the labels from the file or store at `path`.
fn import_labels(store: &mut LabelStore, path: &Path, games: &[PathBuf]) -> anyhow::Result<()> {
    if path.is_dir() {
        for shard in store::shard_files(path)? {
            append_missing_entries(store, store::read_shard(&shard)?)?;
        }
        return Ok(());
    }
    match store::read_shard(path) {
        Err(error) if error.is_not_a_shard() => {}
        entries => return append_missing_entries(store, entries?),
    }
    let mut import = LabelImporter::open(path, games.to_vec())?;
    import.skip_labels(store.next_entry_number(import.source_id()))?;
    for entry in import {
        store.append(&entry?)?;
    }
    Ok(())
}

/// Adds those entries of another store that are missing from `store`.
fn append_missing_entries(store: &mut LabelStore, entries: ShardEntries) -> anyhow::Result<()> {
    for entry in entries {
        let entry = entry?;
        if entry.origin.number >= store.next_entry_number(entry.origin.source_id) {
            store.append(&entry)?;
        }
    }
    Ok(())
}

fn label_positions(
    args: &Args,
    teacher: &dyn Evaluator,
    store: &mut LabelStore,
) -> anyhow::Result<()> {
    let settings = PositionSamplingSettings {
        selfplay: args.played.searchless_settings()?,
        recorded_fraction: args.recorded,
        sampling_interval: usize::from(args.every),
        branch_fraction: args.branches,
        setup_fraction: args.set_ups,
    };
    let player = args.played.evaluator_stack(1)?;
    let labeller = Labeller {
        sampling: &settings,
        player: &player,
        teacher,
        max_labels: args.labels.unwrap_or(u64::MAX),
        parallel_jobs: args.played.parallel_games(teacher),
    };
    let recorded = (!args.games.is_empty()).then(|| {
        Box::new(files::training_games(files::with_zero_skip_counts(
            &args.games,
        ))) as GameIter
    });
    let stop = stop_on_signals()?;
    let time_limit = args
        .minutes
        .map(|minutes| Duration::from_secs(60 * u64::from(minutes)));
    let existing_labels = store.summary().label_count();
    let progress = LabelProgress::new(existing_labels, time_limit, args.played.quiet, &stop);
    labeller
        .run(store, recorded, &stop, &|labels| {
            progress.report_and_enforce_limit(labels)
        })
        .context("labels")
}

/// Builds the teacher, or returns `None` if none is requested. The teacher evaluates each position under one random
/// symmetry.
fn build_teacher(args: &Args) -> anyhow::Result<Option<Arc<dyn Evaluator>>> {
    let symmetry = SymmetryMode::Random {
        seed: args.played.seed,
    };
    Ok(match (&args.teacher_command, &args.teacher) {
        (Some(command), _) => {
            let command_line =
                split_command_line(command).context("--teacher-command: unclosed quote")?;
            let process = TeacherProcess::start(&command_line).context("--teacher-command")?;
            let batcher = Batcher::new(
                process,
                usize::from(args.batch),
                MAX_CONCURRENT_TEACHER_BATCHES,
            );
            Some(Arc::new(SymmetryEvaluator::new(batcher, symmetry)))
        }
        (None, Some(source)) => {
            let device_config = args.played.device_args.device_config();
            let loaded = source.load(Profile::default(), device_config);
            let loaded = loaded.context("--teacher")?;
            let calibrate = || loaded.calibrated(&CalibrationProgress::new());
            let network = thread_pool(args.played.threads.count())?.install(calibrate);
            let settings = StackSettings {
                symmetry,
                cache_mib: 0,
                ..StackSettings::default()
            };
            let base = BaseEvaluator::Network(Arc::new(network));
            Some(EvaluatorStack::new(base, settings).evaluator)
        }
        (None, None) => None,
    })
}

/// Reads the summary of a store without locking it, because another process may be writing to it.
fn read_store_summary(folder: &Path) -> anyhow::Result<ShardSummary> {
    let mut summary = ShardSummary::default();
    for shard in store::shard_files(folder)? {
        for entry in store::read_shard(&shard)? {
            summary.add(&entry?);
        }
    }
    Ok(summary)
}

fn format_summary(summary: &ShardSummary) -> String {
    let mut lines = vec![
        format!("labels  {}", summary.label_count()),
        format!("games   {}", summary.games),
    ];
    for (size, labels) in &summary.labels {
        lines.push(format!("{size:7} {labels}"));
    }
    lines.join("\n") + "\n"
}
