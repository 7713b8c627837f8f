//! `honinbo labels`: grows a store of positions labelled by a strong network.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use honinbo::encode::katago::profile::Profile;
use honinbo::eval::Evaluator;
use honinbo::eval::batcher::Batcher;
use honinbo::eval::network::NetworkEvaluator;
use honinbo::eval::orient::{Orient, Orientation};
use honinbo::eval::stack::{Base, Stack, StackSettings};
use honinbo::game::point::BoardSize;
use honinbo::game::rules::Rules;
use honinbo::learn::collection::{self, Games};
use honinbo::learn::labels::import::Import;
use honinbo::learn::labels::labeller::Labeller;
use honinbo::learn::labels::source::SourceSettings;
use honinbo::learn::labels::store::{self, Entries, ShardSummary, Store};
use honinbo::learn::labels::teacher_process::TeacherProcess;
use honinbo::learn::selfplay::Settings;
use honinbo::learn::selfplay::choice::Choice;
use honinbo::learn::selfplay::search::Effort;
use honinbo::net::precision::Precision;
use honinbo::notice;
use sha2::{Digest, Sha256};

use super::share::share;
use super::signals::stopped_by_signals;
use super::{precision, weights};

/// Time between two reports of progress.
const REPORT_EVERY: Duration = Duration::from_secs(60);
/// Batches that a teacher process has at the same time: one that it evaluates, one that is on its way.
const BATCHES_IN_PROGRESS: usize = 2;
/// Sources of imported files have this bit; seeds do not.
const IMPORTED: u64 = 1 << 63;

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
    #[arg(long, value_name = "SHARE", default_value_t = 0.1, value_parser = share::<f64>)]
    recorded: f64,
    /// Share of the positions that are played on for a few moves
    #[arg(long, value_name = "SHARE", default_value_t = 0.45, value_parser = share::<f64>)]
    branches: f64,
    /// Share of the positions that are set up, without history
    #[arg(long, value_name = "SHARE", default_value_t = 0.05, value_parser = share::<f64>)]
    set_ups: f64,
    /// Boards of the games by weight: sides, WIDTHxHEIGHT, ranges of sides such as 7..18
    #[arg(long, value_name = "SIZE:WEIGHT,…", default_value = "19:15,13:10,9:18,7..18:0.6,13x19:0.4,9x13:0.4,7x11:0.4", value_parser = Choice::sizes)]
    sizes: Choice<BoardSize>,
    /// Rules by weight
    #[arg(
        long,
        value_name = "NAME:WEIGHT,…",
        default_value = "chinese:4,japanese:4,tromp-taylor:2,aga:1,new-zealand:1,chinese-ogs:2,stone-scoring:0.3,aga-button:0.3",
        value_parser = Choice::rules
    )]
    rules: Choice<Rules>,
    /// Standard deviation of the komi
    #[arg(long, value_name = "POINTS", default_value_t = 2.0)]
    komi_spread: f64,
    /// Share of the games with handicap stones
    #[arg(long, value_name = "SHARE", default_value_t = 0.08, value_parser = share::<f64>)]
    handicap: f64,
    /// Seed of everything random; machines that work for the same store need different ones
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u64).range(..IMPORTED))]
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
    let labels = args.teacher.is_some() || args.teacher_command.is_some();
    if !labels && args.import.is_empty() {
        ensure!(
            args.store.is_dir(),
            "{}: no such folder; --teacher FILE starts a store there",
            args.store.display()
        );
        return super::print(table(&listed(&args.store)?));
    }
    let mut store = Store::open(&args.store)?;
    for path in &args.import {
        import(&mut store, path, &args.games)?;
    }
    if labels {
        label(args, &mut store)?;
    }
    super::print(table(&store.summary()))
}

/// Adds what a file or another store holds to the store.
fn import(store: &mut Store, path: &Path, games: &[PathBuf]) -> anyhow::Result<()> {
    if path.is_dir() {
        for shard in store::shards(path)? {
            merge(store, store::entries(&shard)?)?;
        }
        return Ok(());
    }
    match store::entries(path) {
        Err(error) if error.is_foreign() => {}
        entries => return merge(store, entries?),
    }
    let bytes = std::fs::read(path).with_context(|| path.display().to_string())?;
    let digest = Sha256::digest(bytes);
    let first = *digest.first_chunk().expect("32 bytes");
    let source = IMPORTED | u64::from_be_bytes(first);
    let next = store.next_number(source);
    for entry in Import::open(path, games.to_vec(), source, next)? {
        store.append(&entry?)?;
    }
    Ok(())
}

/// Adds the entries of another store that this one lacks.
fn merge(store: &mut Store, entries: Entries) -> anyhow::Result<()> {
    for entry in entries {
        let entry = entry?;
        if entry.origin.number >= store.next_number(entry.origin.source) {
            store.append(&entry)?;
        }
    }
    Ok(())
}

fn label(args: &Args, store: &mut Store) -> anyhow::Result<()> {
    let threads = args.threads.map_or_else(super::cores, usize::from);
    let settings = settings(args);
    let player = player(args, threads)?;
    let teacher = teacher(args, threads)?;
    let labeller = Labeller {
        source: &settings,
        player: &player,
        teacher: &*teacher,
        labels: args.labels.unwrap_or(u64::MAX),
        parallel: args.parallel.map_or(threads, usize::from),
    };
    let recorded = (!args.games.is_empty()).then(|| recorded(&args.games));
    let stop = stopped_by_signals()?;
    let progress = Progress::new(args, &stop, store.summary().label_count());
    labeller
        .run(store, recorded, &stop, &|labels| progress.update(labels))
        .context("labels")
}

/// The recorded games one after another, without damaged ones.
fn recorded(files: &[PathBuf]) -> Games {
    let files = files.iter().map(|file| (file.clone(), 0)).collect();
    Box::new(collection::sound(
        collection::games_of(files),
        super::tell_damage,
    ))
}

fn settings(args: &Args) -> SourceSettings {
    SourceSettings {
        selfplay: Settings {
            sizes: args.sizes.clone(),
            rules: args.rules.clone(),
            komi: None,
            komi_spread: args.komi_spread,
            handicap_share: args.handicap,
            effort: Effort {
                visits: 1,
                fast_visits: 1,
                full_share: 0.0,
                forced: 0.0,
            },
            resign: 0.0,
            play_out: 0.0,
            seed: args.seed,
            player: String::new(),
        },
        recorded: args.recorded,
        every: usize::from(args.every),
        branches: args.branches,
        set_ups: args.set_ups,
    }
}

/// The network that plays the games, with an evaluation of each position through one symmetry.
fn player(args: &Args, threads: usize) -> anyhow::Result<Stack> {
    let file = args.weights.as_deref();
    let network = weights::network(file, Profile::default(), args.precision, threads)?;
    let settings = StackSettings {
        orientation: Orientation::Random { seed: args.seed },
        cache: 0,
        batch: 1,
        at_once: threads,
    };
    Ok(Stack::new(Base::Network(network), settings))
}

/// The teacher, which sees each position through one symmetry.
fn teacher(args: &Args, threads: usize) -> anyhow::Result<Arc<dyn Evaluator>> {
    let orientation = Orientation::Random { seed: args.seed };
    if let Some(command) = &args.teacher_command {
        let words = shlex::split(command).context("--teacher-command: unbalanced quotes")?;
        let process = TeacherProcess::start(&words).context("--teacher-command")?;
        let batcher = Batcher::new(process, usize::from(args.batch), BATCHES_IN_PROGRESS);
        return Ok(Arc::new(Orient::new(batcher, orientation)));
    }
    let file = args.teacher.as_deref().context("--teacher: no file")?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let read = || NetworkEvaluator::read(file, Profile::default(), args.precision);
    let network = pool
        .context("--threads")?
        .install(read)
        .context("--teacher")?;
    Ok(Arc::new(Orient::new(network, orientation)))
}

/// Reports the number of labels now and then, and stops the run in time.
struct Progress<'a> {
    started: Instant,
    reported: parking_lot::Mutex<Instant>,
    /// Number of labels at the start.
    first: u64,
    limit: Option<Duration>,
    quiet: bool,
    stop: &'a AtomicBool,
}

impl<'a> Progress<'a> {
    fn new(args: &Args, stop: &'a AtomicBool, labels: u64) -> Self {
        let now = Instant::now();
        Self {
            started: now,
            reported: parking_lot::Mutex::new(now),
            first: labels,
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
        let mut reported = self.reported.lock();
        if !self.quiet && reported.elapsed() >= REPORT_EVERY {
            *reported = Instant::now();
            let rate = (labels - self.first) as f64 / elapsed.as_secs_f64();
            notice::say(format_args!("{labels} labels, {rate:.1} per second"));
        }
    }
}

/// What the store in a folder holds, which another process may be writing to.
fn listed(folder: &Path) -> anyhow::Result<ShardSummary> {
    let mut summary = ShardSummary::default();
    for shard in store::shards(folder)? {
        for entry in store::entries(&shard)? {
            summary.add(&entry?);
        }
    }
    Ok(summary)
}

fn table(summary: &ShardSummary) -> String {
    let mut lines = vec![
        format!("labels  {}", summary.label_count()),
        format!("games   {}", summary.games),
    ];
    for (size, labels) in &summary.labels {
        lines.push(format!("{size:7} {labels}"));
    }
    lines.join("\n") + "\n"
}
