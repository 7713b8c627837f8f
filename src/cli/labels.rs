//! `honinbo labels`: adds positions labelled by a strong network to a store.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, ensure};
use honinbo::encode::katago::profile::Profile;
use honinbo::eval::Evaluator;
use honinbo::eval::batcher::Batcher;
use honinbo::eval::network::NetworkEvaluator;
use honinbo::eval::stack::{BaseEvaluator, EvaluatorStack, StackSettings};
use honinbo::eval::symmetry::{SymmetryEvaluator, SymmetryMode};
use honinbo::game::point::BoardSize;
use honinbo::game::rules::Rules;
use honinbo::learn::game_files::{self, GameIter};
use honinbo::learn::labels::import::{IMPORTED_SOURCE_BIT, LabelImporter};
use honinbo::learn::labels::labeller::Labeller;
use honinbo::learn::labels::position_source::SourceSettings;
use honinbo::learn::labels::store::{self, LabelEntries, LabelStore, ShardSummary};
use honinbo::learn::labels::teacher_process::TeacherProcess;
use honinbo::learn::selfplay::SelfplaySettings;
use honinbo::learn::selfplay::settings::PlayoutCap;
use honinbo::learn::selfplay::weighted_choice::WeightedChoice;
use honinbo::net::precision::Precision;

use super::common::{
    core_count, parse_fraction, precision_parser, print, report_damaged, split_command_line,
    stop_on_signals,
};
use super::evaluators::load_network;
use super::progress::LabelProgress;

/// Number of batches sent to a teacher process at a time, so that it receives a batch while it evaluates another.
const BATCHES_IN_PROGRESS: usize = 2;

#[derive(clap::Args)]
pub struct Args {
    /// Recorded games to take positions from: packed archives (.kifu, .kifu.xz) and SGF files
    ///
    /// Also the games that a file of --import refers to.
    games: Vec<PathBuf>,
    /// Folder of the labels, created if necessary; without --teacher and --import, shows its contents
    #[arg(long, value_name = "DIR")]
    store: PathBuf,
    /// Network that labels the positions
    #[arg(long, value_name = "FILE")]
    teacher: Option<PathBuf>,
    /// Program that labels the positions, for example "python3 scripts/serve_teacher.py NET" on a GPU
    #[arg(long, value_name = "COMMAND", conflicts_with = "teacher")]
    teacher_command: Option<String>,
    /// Games played concurrently [default: one per thread]; use many with --teacher-command, to fill its batches
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=4_096))]
    parallel: Option<u16>,
    /// Positions per batch of --teacher-command
    #[arg(long, value_name = "N", default_value_t = 256, value_parser = clap::value_parser!(u16).range(1..=4_096))]
    batch: u16,
    /// Add the labels of a store, a shard or a GOLABEL1 file (.bin, .bin.xz); existing labels are skipped
    #[arg(long, value_name = "PATH")]
    import: Vec<PathBuf>,
    /// Stop when the store has N labels [default: no limit]
    #[arg(long, value_name = "N")]
    labels: Option<u64>,
    /// Stop after this time, in minutes [default: no limit]
    #[arg(long, value_name = "MINUTES", value_parser = clap::value_parser!(u32).range(1..))]
    minutes: Option<u32>,
    /// Network that plays the games [default: built-in network]
    #[arg(long, value_name = "FILE")]
    weights: Option<PathBuf>,
    /// Label one in N positions of a game on average
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..))]
    every: u16,
    /// Fraction of games that are recorded games
    #[arg(long, value_name = "SHARE", default_value_t = 0.1, value_parser = parse_fraction::<f64>)]
    recorded: f64,
    /// Fraction of positions that are continued for a few random moves
    #[arg(long, value_name = "SHARE", default_value_t = 0.45, value_parser = parse_fraction::<f64>)]
    branches: f64,
    /// Fraction of positions without move history
    #[arg(long, value_name = "SHARE", default_value_t = 0.05, value_parser = parse_fraction::<f64>)]
    set_ups: f64,
    /// Board sizes and their weights: N, WxH, or a range such as 7..18
    #[arg(long, value_name = "SIZE:WEIGHT,…", default_value = "19:15,13:10,9:18,7..18:0.6,13x19:0.4,9x13:0.4,7x11:0.4", value_parser = WeightedChoice::parse_sizes)]
    sizes: WeightedChoice<BoardSize>,
    /// Rules and their weights
    #[arg(
        long,
        value_name = "NAME:WEIGHT,…",
        default_value = "chinese:4,japanese:4,tromp-taylor:2,aga:1,new-zealand:1,chinese-ogs:2,stone-scoring:0.3,aga-button:0.3",
        value_parser = WeightedChoice::parse_rules
    )]
    rules: WeightedChoice<Rules>,
    /// Standard deviation of the komi
    #[arg(long, value_name = "POINTS", default_value_t = 2.0)]
    komi_spread: f64,
    /// Fraction of the games with handicap stones
    #[arg(long, value_name = "SHARE", default_value_t = 0.08, value_parser = parse_fraction::<f64>)]
    handicap: f64,
    /// Random seed; use a different one on each machine that labels for the same store
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u64).range(..IMPORTED_SOURCE_BIT))]
    seed: u64,
    /// Threads [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1_024))]
    threads: Option<u16>,
    /// DType of the networks
    #[arg(long, value_parser = precision_parser(), default_value_t)]
    precision: Precision,
    /// Do not show progress
    #[arg(long)]
    quiet: bool,
}

/// Imports labels and labels positions, as requested, and prints a summary of the store.
pub fn run(args: &Args) -> anyhow::Result<()> {
    let is_labelling = args.teacher.is_some() || args.teacher_command.is_some();
    if !is_labelling && args.import.is_empty() {
        ensure!(
            args.store.is_dir(),
            "{} does not exist; start a store there with --teacher FILE",
            args.store.display()
        );
        return print(format_summary(&read_summary(&args.store)?));
    }
    let mut store = LabelStore::open(&args.store)?;
    for path in &args.import {
        import(&mut store, path, &args.games)?;
    }
    if is_labelling {
        label_positions(args, &mut store)?;
    }
    print(format_summary(&store.summary()))
}

/// Adds the labels of a file or another store.
fn import(store: &mut LabelStore, path: &Path, games: &[PathBuf]) -> anyhow::Result<()> {
    if path.is_dir() {
        for shard in store::shard_files(path)? {
            merge_entries(store, store::read_entries(&shard)?)?;
        }
        return Ok(());
    }
    match store::read_entries(path) {
        Err(error) if error.is_not_a_shard() => {}
        entries => return merge_entries(store, entries?),
    }
    let mut import = LabelImporter::open(path, games.to_vec())?;
    import.skip_labels(store.next_number(import.source()))?;
    for entry in import {
        store.append(&entry?)?;
    }
    Ok(())
}

/// Adds the entries of another store that this one lacks.
fn merge_entries(store: &mut LabelStore, entries: LabelEntries) -> anyhow::Result<()> {
    for entry in entries {
        let entry = entry?;
        if entry.origin.number >= store.next_number(entry.origin.source) {
            store.append(&entry)?;
        }
    }
    Ok(())
}

fn label_positions(args: &Args, store: &mut LabelStore) -> anyhow::Result<()> {
    let threads = args.threads.map_or_else(core_count, usize::from);
    let settings = source_settings(args);
    let player = player(args, threads)?;
    let teacher = teacher(args, threads)?;
    let labeller = Labeller {
        source: &settings,
        player: &player,
        teacher: &*teacher,
        max_labels: args.labels.unwrap_or(u64::MAX),
        parallel_jobs: args.parallel.map_or(threads, usize::from),
    };
    let recorded = (!args.games.is_empty()).then(|| recorded_games(&args.games));
    let stop = stop_on_signals()?;
    let time_limit = args
        .minutes
        .map(|minutes| Duration::from_secs(60 * u64::from(minutes)));
    let progress = LabelProgress::new(store.summary().label_count(), time_limit, args.quiet, &stop);
    labeller
        .run(store, recorded, &stop, &|labels| progress.update(labels))
        .context("labels")
}

/// Returns the recorded games in file order. Reports and skips damaged games.
fn recorded_games(files: &[PathBuf]) -> GameIter {
    let files = files.iter().map(|file| (file.clone(), 0)).collect();
    Box::new(game_files::skip_damaged(
        game_files::games_from_files(files),
        report_damaged,
    ))
}

fn source_settings(args: &Args) -> SourceSettings {
    SourceSettings {
        selfplay: SelfplaySettings {
            sizes: args.sizes.clone(),
            rules: args.rules.clone(),
            komi: None,
            komi_deviation: args.komi_spread,
            handicap_fraction: args.handicap,
            playout_cap: PlayoutCap {
                full_visits: 1,
                fast_visits: 1,
                full_fraction: 0.0,
                forced_playouts: 0.0,
            },
            resign_percent: 0.0,
            play_out_fraction: 0.0,
            seed: args.seed,
            player_name: String::new(),
        },
        recorded_fraction: args.recorded,
        sampling_interval: usize::from(args.every),
        branch_fraction: args.branches,
        setup_fraction: args.set_ups,
    }
}

/// Builds the evaluator that plays the games. It evaluates each position under one random symmetry.
fn player(args: &Args, threads: usize) -> anyhow::Result<EvaluatorStack> {
    let file = args.weights.as_deref();
    let network = load_network(file, Profile::default(), args.precision, threads)?;
    let settings = StackSettings {
        symmetry: SymmetryMode::Random { seed: args.seed },
        cache_mib: 0,
        batch_size: 1,
        max_concurrent_batches: threads,
    };
    Ok(EvaluatorStack::new(
        BaseEvaluator::Network(network),
        settings,
    ))
}

/// Builds the evaluator that labels positions. It evaluates each position under one random symmetry.
fn teacher(args: &Args, threads: usize) -> anyhow::Result<Arc<dyn Evaluator>> {
    let symmetry = SymmetryMode::Random { seed: args.seed };
    if let Some(command) = &args.teacher_command {
        let command_line =
            split_command_line(command).context("--teacher-command: unbalanced quotes")?;
        let process = TeacherProcess::start(&command_line).context("--teacher-command")?;
        let batcher = Batcher::new(process, usize::from(args.batch), BATCHES_IN_PROGRESS);
        return Ok(Arc::new(SymmetryEvaluator::new(batcher, symmetry)));
    }
    let file = args.teacher.as_deref().context("--teacher: no file")?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let load = || NetworkEvaluator::read(file, Profile::default(), args.precision);
    let network = pool
        .context("--threads")?
        .install(load)
        .context("--teacher")?;
    Ok(Arc::new(SymmetryEvaluator::new(network, symmetry)))
}

/// Reads the summary of a store without locking it, because another process may be writing to it.
fn read_summary(folder: &Path) -> anyhow::Result<ShardSummary> {
    let mut summary = ShardSummary::default();
    for shard in store::shard_files(folder)? {
        for entry in store::read_entries(&shard)? {
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
