//! `honinbo samples`: writes training batches from games or labelled positions.

use std::io::{self, BufWriter};
use std::iter;
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use honinbo::encode::Encoding;
use honinbo::game::point::BoardSize;
use honinbo::learn::batch_writer::{BatchFormat, BatchWriter};
use honinbo::learn::game::GameFileError;
use honinbo::learn::game::TrainingGame;
use honinbo::learn::labels::labelled_game::LabelStoreEntry;
use honinbo::learn::labels::store;
use honinbo::learn::replay_window;
use honinbo::learn::sample::{Sample, Sampler, SamplerSettings};
use honinbo::random::Rng;
use rayon::prelude::*;

use super::files;
use super::threads::{ThreadArgs, thread_pool};
use super::values::parse_fraction;

/// Maximum number of games processed concurrently.
const MAX_CONCURRENT_GAMES: usize = 64;
/// Target for the total number of samples from the games processed concurrently. All these samples are held in memory.
const TARGET_CONCURRENT_SAMPLES: usize = 4096;
/// Interval between the entry numbers of a store that are held out for validation.
const HELD_OUT_ENTRY_INTERVAL: u64 = 50;
/// Index of the random stream for the order of files and samples. Game `n` uses stream `n`.
const ORDER_STREAM: u64 = u64::MAX;
/// Index of the random stream for the selection of games.
const GAME_SELECTION_STREAM: u64 = u64::MAX - 1;

#[derive(clap::Args)]
pub struct Args {
    /// SGF files and packed archives (.kifu, .kifu.xz), read in random order
    #[arg(required_unless_present = "store")]
    files: Vec<PathBuf>,
    /// Read positions labelled by `honinbo labels` from this folder instead of games
    #[arg(long, value_name = "DIR", conflicts_with_all = ["files", "window", "searched", "per_game", "from_move"])]
    store: Option<PathBuf>,
    /// Read the validation entries of the store (one in 50) instead of the training entries
    #[arg(long, requires = "store")]
    held_out: bool,
    /// Samples per batch
    #[arg(long, default_value_t = 256, value_parser = clap::value_parser!(u32).range(1..=65_536))]
    batch: u32,
    /// Approximate number of positions to select at random from each game
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=1_000))]
    per_game: u32,
    /// Use only positions after at least this number of moves
    #[arg(long, value_name = "MOVES", default_value_t = 0)]
    from_move: u32,
    /// Size of the shuffle buffer, in samples
    #[arg(long, default_value_t = 16_384)]
    pool: usize,
    /// Maximum number of samples
    ///
    /// Files are read one after another, so a limit may leave some of them unread. Combine it with --share to use games
    /// from all files.
    #[arg(long)]
    limit: Option<usize>,
    /// Fraction of the games to use, drawn at random
    #[arg(long, value_name = "SHARE", default_value_t = 1.0, value_parser = parse_fraction::<f64>)]
    share: f64,
    /// Encode only the 23 classic input planes
    #[arg(long)]
    classic: bool,
    /// Do not apply random symmetries
    #[arg(long)]
    no_symmetry: bool,
    /// Random seed
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Board size for the batch; smaller boards are padded, and games on larger boards are skipped
    #[arg(long, default_value_t = 19)]
    grid: usize,
    /// Use only the newest self-play games; list the files from oldest to newest
    ///
    /// Up to this number, all games are used. Beyond it, the number of games used grows more slowly than the number of
    /// games played.
    #[arg(long, value_name = "GAMES", value_parser = clap::value_parser!(u64).range(1..))]
    window: Option<u64>,
    /// Weight of the recorded search values in the targets for result and lead
    #[arg(long, value_name = "SHARE", default_value_t = 0.0, value_parser = parse_fraction::<f32>)]
    searched: f32,
    #[command(flatten)]
    threads: ThreadArgs,
}

/// Writes training batches to standard output. Stops without an error if the reader closes the pipe.
pub fn run(args: &Args) -> anyhow::Result<()> {
    let grid = BoardSize::new(args.grid, args.grid)
        .with_context(|| format!("--grid must be between 2 and 19, not {}", args.grid))?;
    match thread_pool(args.threads.count())?.install(|| write_training_batches(args, grid)) {
        Err(error) if is_broken_pipe(&error) => Ok(()),
        other => other.context("samples"),
    }
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let cause = error.downcast_ref::<io::Error>();
    cause.is_some_and(|cause| cause.kind() == io::ErrorKind::BrokenPipe)
}

fn write_training_batches(args: &Args, grid: BoardSize) -> anyhow::Result<()> {
    if let Some(store) = &args.store {
        return write_labelled_samples(args, store, grid);
    }
    let mut order_rng = Rng::stream(args.seed, ORDER_STREAM);
    let mut games = games_to_sample(args, grid, &mut order_rng)?.peekable();
    ensure!(games.peek().is_some(), files::NO_GAMES_MESSAGE);
    let concurrency = concurrent_game_count(args);
    write_samples(
        args,
        grid,
        order_rng,
        games,
        concurrency,
        |sampler, game, rng| {
            let game = game?;
            Ok((game.size(), sampler.sample_game(&game, rng)))
        },
    )
}

/// Calls `make_samples` for each game, `concurrency` games at a time, and writes the samples until `--limit` is
/// reached.
fn write_samples<G: Send>(
    args: &Args,
    grid: BoardSize,
    order_rng: Rng,
    games: impl Iterator<Item = G>,
    concurrency: usize,
    make_samples: impl Fn(&mut Sampler, G, &mut Rng) -> anyhow::Result<(BoardSize, Vec<Sample>)>
    + Sync
    + Send,
) -> anyhow::Result<()> {
    let settings = sampler_settings(args);
    let format = BatchFormat {
        encoding: settings.encoding,
        grid,
        batch_size: args.batch as usize,
        has_auxiliary_targets: args.store.is_some(),
    };
    let out = BufWriter::with_capacity(1 << 20, io::stdout());
    let mut writer = BatchWriter::new(out, format, args.pool, order_rng)?;
    let mut games = games.zip(0..);
    let mut remaining = args.limit.unwrap_or(usize::MAX);
    while remaining > 0 {
        let chunk: Vec<_> = games.by_ref().take(concurrency).collect();
        if chunk.is_empty() {
            break;
        }
        let samples = chunk.into_par_iter().map_init(
            || Sampler::new(settings),
            |sampler, (game, number)| {
                make_samples(sampler, game, &mut Rng::stream(args.seed, number))
            },
        );
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

/// Writes the labelled positions of a store, reading its shards in random order.
fn write_labelled_samples(args: &Args, store: &Path, grid: BoardSize) -> anyhow::Result<()> {
    let mut order_rng = Rng::stream(args.seed, ORDER_STREAM);
    let mut shards = store::shard_files(store)?;
    order_rng.shuffle(&mut shards);
    let entries = shards
        .iter()
        .flat_map(|shard| match store::read_shard(shard) {
            Ok(entries) => Box::new(entries) as Box<dyn Iterator<Item = _>>,
            Err(error) => Box::new(iter::once(Err(error))),
        });
    let games = entries
        .filter(|entry| (entry.as_ref()).map_or(true, |entry| is_held_out(entry) == args.held_out))
        .flat_map(|entry| match entry {
            Ok(entry) => entry.games.into_iter().map(Ok).collect(),
            Err(error) => vec![Err(error)],
        })
        .filter(|game| {
            game.as_ref()
                .map_or(true, |game| fits_grid(game.size(), grid))
        });
    let concurrency = MAX_CONCURRENT_GAMES;
    write_samples(
        args,
        grid,
        order_rng,
        games,
        concurrency,
        |sampler, game, rng| {
            let game = game?;
            let positions = game.positions()?.into_iter();
            let samples =
                positions.map(|(position, label)| sampler.labelled_sample(&position, label, rng));
            Ok((game.size(), samples.collect()))
        },
    )
}

/// Returns true if an entry belongs to the validation set. The result depends only on the entry number, so the same
/// entries are held out in every run.
const fn is_held_out(entry: &LabelStoreEntry) -> bool {
    entry.origin.number.is_multiple_of(HELD_OUT_ENTRY_INTERVAL)
}

fn fits_grid(size: BoardSize, grid: BoardSize) -> bool {
    size.width() <= grid.width() && size.height() <= grid.height()
}

/// Returns the number of games to process in parallel. Aims at [`TARGET_CONCURRENT_SAMPLES`] samples, but returns at
/// least two games per thread and at most [`MAX_CONCURRENT_GAMES`].
fn concurrent_game_count(args: &Args) -> usize {
    let min_games = 2 * rayon::current_num_threads();
    (TARGET_CONCURRENT_SAMPLES / args.per_game as usize)
        .max(min_games)
        .min(MAX_CONCURRENT_GAMES)
}

fn sampler_settings(args: &Args) -> SamplerSettings {
    SamplerSettings {
        encoding: if args.classic {
            Encoding::CLASSIC
        } else {
            Encoding::FULL
        },
        positions_per_game: args.per_game as usize,
        min_move: args.from_move as usize,
        random_symmetry: !args.no_symmetry,
        search_weight: args.searched,
    }
}

/// Returns the games to sample, reading the files in random order.
fn games_to_sample(
    args: &Args,
    grid: BoardSize,
    order_rng: &mut Rng,
) -> anyhow::Result<impl Iterator<Item = Result<TrainingGame, GameFileError>> + use<>> {
    let mut files = match args.window {
        Some(base) => replay_window::select_newest(&args.files, base)?,
        None => files::with_zero_skip_counts(&args.files),
    };
    order_rng.shuffle(&mut files);
    let (mut selection_rng, fraction) = (Rng::stream(args.seed, GAME_SELECTION_STREAM), args.share);
    Ok(files::training_games(files)
        .filter(move |game| {
            game.as_ref()
                .map_or(true, |game| fits_grid(game.size(), grid))
        })
        .filter(move |game| game.is_err() || selection_rng.chance(fraction)))
}
