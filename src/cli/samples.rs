//! `honinbo samples`: game files to encoded training batches.

use std::io::{self, BufWriter, Write};
use std::iter;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, ensure};
use honinbo::encode::Encoding;
use honinbo::encode::katago::profile::Profile;
use honinbo::eval::network::NetworkEvaluator;
use honinbo::game::point::BoardSize;
use honinbo::learn::batch_writer::BatchWriter;
use honinbo::learn::game::GameFileError;
use honinbo::learn::game::TrainingGame;
use honinbo::learn::game_files;
use honinbo::learn::labels::game::LabelEntry;
use honinbo::learn::labels::store;
use honinbo::learn::leaf_sampler::LeafSampler;
use honinbo::learn::replay_window;
use honinbo::learn::sample::{Sample, SampleSettings, Sampler};
use honinbo::learn::teacher::Teacher;
use honinbo::learn::teacher_input::TargetMix;
use honinbo::net::precision::Precision;
use honinbo::random::Rng;
use rayon::prelude::*;

use super::fraction::parse_fraction;
use super::precision;

/// Games that are worked off at the same time, and how many samples they may make together: these wait in memory.
const MAX_CONCURRENT_GAMES: usize = 64;
const MAX_PENDING_SAMPLES: usize = 4096;
/// One entry of this number is held out for validation.
const VALIDATION_INTERVAL: u64 = 50;
/// The random numbers of the order of files and samples, and those of the share of games; games have those from 0 on.
const ORDER_STREAM: u64 = u64::MAX;
const SELECTION_STREAM: u64 = u64::MAX - 1;

#[derive(clap::Args)]
#[command(group(clap::ArgGroup::new("lessons").args(["teacher", "asking"])))]
pub struct Args {
    /// Game files (.sgf), those of self-play among them, and packed archives (.kifu, .kifu.xz); read in an order that the
    /// seed decides
    #[arg(required_unless_present = "store")]
    files: Vec<PathBuf>,
    /// Instead of games, the labelled positions of a store that `honinbo labels` grows
    #[arg(long, value_name = "DIR", conflicts_with_all = ["files", "lessons", "window", "searched", "per_game", "from_move", "no_policy"])]
    store: Option<PathBuf>,
    /// With --store: the positions held out for validation, one entry in 50, which are left out otherwise
    #[arg(long, requires = "store")]
    held_out: bool,
    /// Samples in a batch
    #[arg(long, default_value_t = 256, value_parser = clap::value_parser!(u32).range(1..=65_536))]
    batch: u32,
    /// Positions taken from each game
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=1_000))]
    per_game: u32,
    /// Take positions after so many moves alone
    #[arg(long, value_name = "MOVES", default_value_t = 0)]
    from_move: u32,
    /// Samples kept to mix games with each other
    #[arg(long, default_value_t = 16_384)]
    pool: usize,
    /// Stop after that many samples; files are read one after the other, so that these come of the first games of the
    /// first file, unless --share spreads them
    #[arg(long)]
    limit: Option<usize>,
    /// The share of the games to take, each drawn by the seed
    #[arg(long, value_name = "SHARE", default_value_t = 1.0, value_parser = parse_fraction::<f64>)]
    share: f64,
    /// The 23 classic planes alone
    #[arg(long)]
    classic: bool,
    /// Leave the boards as they are instead of turning each at random
    #[arg(long)]
    no_symmetry: bool,
    /// Seed of everything random
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Width and height of the grid that boards are written to
    #[arg(long, default_value_t = 19)]
    grid: usize,
    /// Learn from the newest games alone: of files of self-play, named in the order in which they were written, up to so
    /// many all games, of more a number that grows ever more slowly
    #[arg(long, value_name = "GAMES", value_parser = clap::value_parser!(u64).range(1..))]
    window: Option<u64>,
    /// The share of what searches said in result and lead, where games tell it
    #[arg(long, value_name = "SHARE", default_value_t = 0.0, value_parser = parse_fraction::<f32>)]
    searched: f32,
    /// Network file of a teacher, whose answers are learnt beside the games: its priors, results, leads and owners
    #[arg(long, value_name = "FILE")]
    teacher: Option<PathBuf>,
    /// With a teacher: network file of an adviser; results, leads and owners are then the means of what both say
    #[arg(long, value_name = "FILE", requires = "teacher")]
    adviser: Option<PathBuf>,
    /// Instead of a teacher's answers give what KataGo's nets since 2020 take as input, for a trainer that asks one
    /// itself
    #[arg(long, conflicts_with_all = ["teacher", "classic"])]
    asking: bool,
    /// With a teacher or --asking: the share of the move played in the policy
    #[arg(long, value_name = "SHARE", default_value_t = 0.5, value_parser = parse_fraction::<f32>, requires = "lessons")]
    played: f32,
    /// With a teacher or --asking: the share of the game's end in result, lead and owners
    #[arg(long, value_name = "SHARE", default_value_t = 0.5, value_parser = parse_fraction::<f32>, requires = "lessons")]
    outcome: f32,
    /// With a teacher: after each position so many more, reached by moves drawn from its priors, flattened, instead of
    /// the game's; or such as an --explorer finds
    #[arg(long, value_name = "MOVES", default_value_t = 0, value_parser = clap::value_parser!(u32).range(..=100), requires = "lessons")]
    astray: u32,
    /// With a teacher that tells leads, or --asking: put each position under a komi that makes it about even; the game's
    /// end teaches nothing then
    #[arg(long, requires = "lessons")]
    even: bool,
    /// With --astray: network file of an explorer; the positions are then found by searches with it, each at the end of a
    /// line that the search looked at. With --asking nothing can be left of the games: --played 0 --outcome 0
    #[arg(long, value_name = "FILE", requires = "astray")]
    explorer: Option<PathBuf>,
    /// Visits of each search of the explorer
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u64).range(2..=1_000_000), requires = "explorer")]
    explorer_visits: u64,
    /// Teach results, leads and owners alone, not which moves to choose
    #[arg(long)]
    no_policy: bool,
    /// Precision of the arithmetic of teacher, adviser and explorer
    #[arg(long, value_parser = precision::parser(), default_value_t)]
    precision: Precision,
    /// Threads [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_024))]
    threads: Option<u32>,
}

/// Writes the stream; a reader that goes away ends it quietly.
pub fn run(args: &Args) -> anyhow::Result<()> {
    let grid = BoardSize::new(args.grid, args.grid)
        .with_context(|| format!("--grid: expected a side from 2 to 19, found {}", args.grid))?;
    // Zero asks rayon for all cores.
    let threads = args.threads.unwrap_or(0) as usize;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    match pool.context("--threads")?.install(|| stream(args, grid)) {
        Err(error) if is_broken_pipe(&error) => Ok(()),
        other => other.context("samples"),
    }
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let cause = error.downcast_ref::<io::Error>();
    cause.is_some_and(|cause| cause.kind() == io::ErrorKind::BrokenPipe)
}

fn stream(args: &Args, grid: BoardSize) -> anyhow::Result<()> {
    if let Some(store) = &args.store {
        return stream_labels(args, store, grid);
    }
    check_args(args)?;
    let settings = settings(args);
    let teacher = load_teacher(args)?;
    let leaf_sampler = load_leaf_sampler(args)?;
    let mut order_rng = Rng::stream(args.seed, ORDER_STREAM);
    let mut games = games(args, grid, &mut order_rng)?.peekable();
    ensure!(
        games.peek().is_some(),
        "expected games with moves and a result, found none"
    );
    let out = BufWriter::with_capacity(1 << 20, io::stdout());
    let batch = args.batch as usize;
    let writer = BatchWriter::new(
        out,
        settings.encoding,
        grid,
        batch,
        args.pool,
        order_rng,
        target_mix(args),
    )?;
    let sampler =
        || Sampler::new(settings, teacher.as_ref()).with_leaf_sampler(leaf_sampler.as_ref());
    let concurrency = concurrent_games(args);
    write_samples(
        args,
        writer,
        games,
        concurrency,
        sampler,
        |sampler, game, rng| {
            let game = game?;
            Ok((game.size(), sampler.sample_game(&game, rng)?))
        },
    )
}

/// Writes the samples that `make_samples` gives of each game, with `concurrency` games in parallel, up to the limit.
fn write_samples<'a, G: Send, W: Write>(
    args: &Args,
    mut writer: BatchWriter<W>,
    games: impl Iterator<Item = G>,
    concurrency: usize,
    sampler: impl Fn() -> Sampler<'a> + Sync + Send,
    make_samples: impl Fn(&mut Sampler<'a>, G, &mut Rng) -> anyhow::Result<(BoardSize, Vec<Sample>)>
    + Sync
    + Send,
) -> anyhow::Result<()> {
    let mut games = games.zip(0..);
    let mut remaining = args.limit.unwrap_or(usize::MAX);
    while remaining > 0 {
        let chunk: Vec<_> = games.by_ref().take(concurrency).collect();
        if chunk.is_empty() {
            break;
        }
        let samples = chunk
            .into_par_iter()
            .map_init(&sampler, |sampler, (game, number)| {
                make_samples(sampler, game, &mut Rng::stream(args.seed, number))
            });
        for (size, samples) in samples.collect::<anyhow::Result<Vec<_>>>()? {
            for sample in samples.into_iter().take(remaining) {
                writer.push(size, sample)?;
                remaining -= 1;
            }
        }
    }
    writer.finish()?;
    Ok(())
}

/// Writes the labelled positions of a store, shards in random order.
fn stream_labels(args: &Args, store: &Path, grid: BoardSize) -> anyhow::Result<()> {
    let settings = settings(args);
    let mut order_rng = Rng::stream(args.seed, ORDER_STREAM);
    let mut shards = store::shard_files(store)?;
    order_rng.shuffle(&mut shards);
    let out = BufWriter::with_capacity(1 << 20, io::stdout());
    let (encoding, batch) = (settings.encoding, args.batch as usize);
    let writer = BatchWriter::for_labels(out, encoding, grid, batch, args.pool, order_rng)?;
    let entries = shards
        .iter()
        .flat_map(|shard| match store::read_entries(shard) {
            Ok(entries) => Box::new(entries) as Box<dyn Iterator<Item = _>>,
            Err(error) => Box::new(iter::once(Err(error))),
        });
    let games = entries
        .filter(|entry| (entry.as_ref()).map_or(true, |entry| is_held_out(entry) == args.held_out))
        .flat_map(|entry| match entry {
            Ok(entry) => entry.games.into_iter().map(Ok).collect(),
            Err(error) => vec![Err(error)],
        })
        .filter(|game| game.as_ref().map_or(true, |game| fits(game.size(), grid)));
    let sampler = || Sampler::new(settings, None);
    write_samples(
        args,
        writer,
        games,
        MAX_CONCURRENT_GAMES,
        sampler,
        |sampler, game, rng| {
            let game = game?;
            let positions = game.positions()?.into_iter();
            let samples =
                positions.map(|(position, label)| sampler.labelled_sample(&position, label, rng));
            Ok((game.size(), samples.collect()))
        },
    )
}

/// Whether an entry of a store is for validation.
const fn is_held_out(entry: &LabelEntry) -> bool {
    entry.origin.number.is_multiple_of(VALIDATION_INTERVAL)
}

fn fits(size: BoardSize, grid: BoardSize) -> bool {
    size.width() <= grid.width() && size.height() <= grid.height()
}

/// Refuses to lead astray for a trainer that asks where a teacher would be needed here or a game would have to know.
fn check_args(args: &Args) -> anyhow::Result<()> {
    if args.asking && args.astray > 0 {
        ensure!(
            args.explorer.is_some(),
            "--astray with --asking: expected an --explorer, which finds the positions"
        );
        ensure!(
            args.played == 0.0 && args.outcome == 0.0,
            "--explorer with --asking: expected --played 0 --outcome 0, as no game tells of what a search looks at; found \
             --played {} --outcome {}",
            args.played,
            args.outcome
        );
    }
    Ok(())
}

/// Enough games for all threads, but no more where each makes many samples.
fn concurrent_games(args: &Args) -> usize {
    let samples_per_game = args.per_game as usize * (1 + args.astray as usize);
    let min_games = 2 * rayon::current_num_threads();
    (MAX_PENDING_SAMPLES / samples_per_game)
        .max(min_games)
        .min(MAX_CONCURRENT_GAMES)
}

fn settings(args: &Args) -> SampleSettings {
    SampleSettings {
        encoding: if args.classic {
            Encoding::CLASSIC
        } else {
            Encoding::FULL
        },
        positions_per_game: args.per_game as usize,
        min_move: args.from_move as usize,
        random_symmetry: !args.no_symmetry,
        search_weight: args.searched,
        off_policy_moves: args.astray as usize,
        balance_komi: args.even,
        with_teacher_inputs: args.asking,
        with_policy: !args.no_policy,
    }
}

fn target_mix(args: &Args) -> Option<TargetMix> {
    args.asking.then_some(TargetMix {
        played_weight: args.played,
        outcome_weight: args.outcome,
        balance_komi: args.even,
    })
}

/// The games to learn from, files in a random order.
fn games(
    args: &Args,
    grid: BoardSize,
    order_rng: &mut Rng,
) -> anyhow::Result<impl Iterator<Item = Result<TrainingGame, GameFileError>> + use<>> {
    let mut files = match args.window {
        Some(base) => replay_window::select_newest(&args.files, base)?,
        None => args.files.iter().map(|file| (file.clone(), 0)).collect(),
    };
    order_rng.shuffle(&mut files);
    let (mut selection_rng, fraction) = (Rng::stream(args.seed, SELECTION_STREAM), args.share);
    Ok(
        game_files::skip_damaged(game_files::games_from_files(files), super::report_damaged)
            .filter(move |game| game.as_ref().map_or(true, |game| fits(game.size(), grid)))
            .filter(move |game| game.is_err() || selection_rng.chance(fraction)),
    )
}

fn load_teacher(args: &Args) -> anyhow::Result<Option<Teacher>> {
    let Some(file) = &args.teacher else {
        return Ok(None);
    };
    let load =
        |file| NetworkEvaluator::read(file, Profile::default(), args.precision).map(Arc::new);
    let teacher = Teacher::new(load(file)?, args.played, args.outcome);
    Ok(Some(match &args.adviser {
        Some(file) => teacher.with_second_teacher(load(file)?),
        None => teacher,
    }))
}

fn load_leaf_sampler(args: &Args) -> anyhow::Result<Option<LeafSampler>> {
    let Some(file) = &args.explorer else {
        return Ok(None);
    };
    let evaluator = NetworkEvaluator::read(file, Profile::default(), args.precision)?;
    Ok(Some(LeafSampler::new(
        Arc::new(evaluator),
        args.explorer_visits,
    )))
}
