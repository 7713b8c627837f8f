//! `honinbo is_labelling`: grows a store of positions labelled by a strong network.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use honinbo::encode::katago::profile::Profile;
use honinbo::eval::Evaluator;
use honinbo::eval::batcher::Batcher;
use honinbo::eval::network::NetworkEvaluator;
use honinbo::eval::stack::{BaseEvaluator, EvaluatorStack, StackSettings};
use honinbo::eval::symmetry::{SymmetryEvaluator, SymmetryMode};
use honinbo::game::point::BoardSize;
use honinbo::game::rules::Rules;
use honinbo::io::stderr;
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

use super::fraction::parse_fraction;
use super::signals::stop_on_signals;
use super::{precision, weights};

/// Time between two reports of progress.
const REPORT_INTERVAL: Duration = Duration::from_secs(60);
/// Batches that a teacher process has at the same time: one that it evaluates, one that is on its way.
const BATCHES_IN_PROGRESS: usize = 2;

#[derive(clap::Args)]
pub struct Args {
    /// Recorded games to label some positions of: packed archives (.kifu, .kifu.xz) and SGF files. Also the games that
    /// an imported file refers to
    games: Vec<PathBuf>,
    /// Folder of the labels, created if it does not exist. Without --teacher and --import its content is listed
    #[arg(long, value_name = "DIR")]
    store: PathBuf,
    /// Network that labels the positions; runs until the store has enough labels, or an interrupt
    #[arg(long, value_name = "FILE")]
    teacher: Option<PathBuf>,
    /// Program that labels the positions instead, for example "python3 scripts/serve_teacher.py NET" on a GPU
    #[arg(long, value_name = "COMMAND", conflicts_with = "teacher")]
    teacher_command: Option<String>,
    /// Games in progress at the same time [default: one per thread]; many keep the batches of --teacher-command full
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=4_096))]
    parallel: Option<u16>,
    /// Positions in a batch for --teacher-command
    #[arg(long, value_name = "N", default_value_t = 256, value_parser = clap::value_parser!(u16).range(1..=4_096))]
    batch: u16,
    /// Add the labels of these stores (folders), shards of stores, or files in the format GOLABEL1 (.bin, .bin.xz);
    /// labels that the store has are skipped
    #[arg(long, value_name = "PATH")]
    import: Vec<PathBuf>,
    /// Stop when the store has this number of labels [default: no limit]
    #[arg(long, value_name = "N")]
    labels: Option<u64>,
    /// Stop after this time [default: no limit]
    #[arg(long, value_name = "MINUTES", value_parser = clap::value_parser!(u32).range(1..))]
    minutes: Option<u32>,
    /// Network that plays the games [default: the built-in network]
    #[arg(long, value_name = "FILE")]
    weights: Option<PathBuf>,
    /// Label on average one of N positions of a game
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..))]
    every: u16,
    /// Share of the games taken from the recorded ones
    #[arg(long, value_name = "SHARE", default_value_t = 0.1, value_parser = parse_fraction::<f64>)]
    recorded: f64,
    /// Share of the positions that are played on for a few moves
    #[arg(long, value_name = "SHARE", default_value_t = 0.45, value_parser = parse_fraction::<f64>)]
    branches: f64,
    /// Share of the positions that are set up, without history
    #[arg(long, value_name = "SHARE", default_value_t = 0.05, value_parser = parse_fraction::<f64>)]
    set_ups: f64,
    /// Boards of the games by weight: sides, WIDTHxHEIGHT, ranges of sides such as 7..18
    #[arg(long, value_name = "SIZE:WEIGHT,…", default_value = "19:15,13:10,9:18,7..18:0.6,13x19:0.4,9x13:0.4,7x11:0.4", value_parser = WeightedChoice::parse_sizes)]
    sizes: WeightedChoice<BoardSize>,
    /// Rules by weight
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
    /// Share of the games with handicap stones
    #[arg(long, value_name = "SHARE", default_value_t = 0.08, value_parser = parse_fraction::<f64>)]
    handicap: f64,
    /// Seed of everything random; machines that work for the same store need different ones
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u64).range(..IMPORTED_SOURCE_BIT))]
    seed: u64,
    /// Threads [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1_024))]
    threads: Option<u16>,
    /// Precision of the networks' arithmetic
    #[arg(long, value_parser = precision::parser(), default_value_t)]
    precision: Precision,
    /// No progress on standard error
    #[arg(long)]
    quiet: bool,
}

/// Imports and labels, then prints what the store holds.
pub fn run(args: &Args) -> anyhow::Result<()> {
    let is_labelling = args.teacher.is_some() || args.teacher_command.is_some();
    if !is_labelling && args.import.is_empty() {
        ensure!(
            args.store.is_dir(),
            "{}: no such folder; --teacher FILE starts a store there",
            args.store.display()
        );
        return super::print(format_summary(&read_summary(&args.store)?));
    }
    let mut store = LabelStore::open(&args.store)?;
    for path in &args.import {
        import(&mut store, path, &args.games)?;
    }
    if is_labelling {
        label_positions(args, &mut store)?;
    }
    super::print(format_summary(&store.summary()))
}

/// Adds what a file or another store holds to the store.
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
    let threads = args.threads.map_or_else(super::core_count, usize::from);
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
    let progress = LabelProgress::new(args, &stop, store.summary().label_count());
    labeller
        .run(store, recorded, &stop, &|labels| progress.update(labels))
        .context("labels")
}

/// The recorded games one after another, without damaged ones.
fn recorded_games(files: &[PathBuf]) -> GameIter {
    let files = files.iter().map(|file| (file.clone(), 0)).collect();
    Box::new(game_files::skip_damaged(
        game_files::games_from_files(files),
        super::report_damaged,
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

/// The network that plays the games, with an evaluation of each position through one symmetry.
fn player(args: &Args, threads: usize) -> anyhow::Result<EvaluatorStack> {
    let file = args.weights.as_deref();
    let network = weights::load_network(file, Profile::default(), args.precision, threads)?;
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

/// The teacher, which sees each position through one symmetry.
fn teacher(args: &Args, threads: usize) -> anyhow::Result<Arc<dyn Evaluator>> {
    let orientation = SymmetryMode::Random { seed: args.seed };
    if let Some(command) = &args.teacher_command {
        let command_line = shlex::split(command).context("--teacher-command: unbalanced quotes")?;
        let process = TeacherProcess::start(&command_line).context("--teacher-command")?;
        let batcher = Batcher::new(process, usize::from(args.batch), BATCHES_IN_PROGRESS);
        return Ok(Arc::new(SymmetryEvaluator::new(batcher, orientation)));
    }
    let file = args.teacher.as_deref().context("--teacher: no file")?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let load = || NetworkEvaluator::read(file, Profile::default(), args.precision);
    let network = pool
        .context("--threads")?
        .install(load)
        .context("--teacher")?;
    Ok(Arc::new(SymmetryEvaluator::new(network, orientation)))
}

/// Reports the number of labels now and then, and stops the run in time.
struct LabelProgress<'a> {
    started: Instant,
    last_report: parking_lot::Mutex<Instant>,
    /// Number of labels at the start.
    initial_labels: u64,
    limit: Option<Duration>,
    quiet: bool,
    stop: &'a AtomicBool,
}

impl<'a> LabelProgress<'a> {
    fn new(args: &Args, stop: &'a AtomicBool, labels: u64) -> Self {
        let now = Instant::now();
        Self {
            started: now,
            last_report: parking_lot::Mutex::new(now),
            initial_labels: labels,
            limit: args
                .minutes
                .map(|minutes| Duration::from_secs(60 * u64::from(minutes))),
            quiet: args.quiet,
            stop,
        }
    }

    fn update(&self, labels: u64) {
        let elapsed = self.started.elapsed();
        if self.limit.is_some_and(|limit| elapsed >= limit) {
            self.stop.store(true, Ordering::Relaxed);
        }
        let mut last_report = self.last_report.lock();
        if !self.quiet && last_report.elapsed() >= REPORT_INTERVAL {
            *last_report = Instant::now();
            let rate = (labels - self.initial_labels) as f64 / elapsed.as_secs_f64();
            stderr::eprint_line(format_args!("{labels} labels, {rate:.1} per second"));
        }
    }
}

/// What the store in a folder holds, which another process may be writing to.
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
