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
use honinbo::learn::archive::ArchiveError;
use honinbo::learn::archive::Game;
use honinbo::learn::asking::Asking;
use honinbo::learn::collection;
use honinbo::learn::explorer::Explorer;
use honinbo::learn::labels::game::Entry;
use honinbo::learn::labels::store;
use honinbo::learn::replay;
use honinbo::learn::sample::{Sample, SampleSettings, Sampler};
use honinbo::learn::stream::BatchWriter;
use honinbo::learn::teacher::Teacher;
use honinbo::net::precision::Precision;
use honinbo::rng::Rng;
use rayon::prelude::*;

use super::precision;
use super::share::share;

/// Games that are worked off at the same time, and how many samples they may make together: these wait in memory.
const GAMES_AT_ONCE: usize = 64;
const SAMPLES_AT_ONCE: usize = 4096;
/// One entry of this number is held out for validation.
const HELD_OUT: u64 = 50;
/// The random numbers of the order of files and samples, and those of the share of games; games have those from 0 on.
const ORDER: u64 = u64::MAX;
const DRAW: u64 = u64::MAX - 1;

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
    #[arg(long, value_name = "SHARE", default_value_t = 1.0, value_parser = share::<f64>)]
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
    #[arg(long, value_name = "SHARE", default_value_t = 0.0, value_parser = share::<f32>)]
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
    #[arg(long, value_name = "SHARE", default_value_t = 0.5, value_parser = share::<f32>, requires = "lessons")]
    played: f32,
    /// With a teacher or --asking: the share of the game's end in result, lead and owners
    #[arg(long, value_name = "SHARE", default_value_t = 0.5, value_parser = share::<f32>, requires = "lessons")]
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
    check(args)?;
    let settings = settings(args);
    let teacher = teacher(args)?;
    let explorer = explorer(args)?;
    let mut order = Rng::stream(args.seed, ORDER);
    let mut games = games(args, grid, &mut order)?.peekable();
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
        order,
        asking(args),
    )?;
    let sampler = || Sampler::new(settings, teacher.as_ref()).with_explorer(explorer.as_ref());
    let at_once = games_at_once(args);
    write_samples(
        args,
        writer,
        games,
        at_once,
        sampler,
        |sampler, game, rng| {
            let game = game?;
            Ok((game.size(), sampler.samples(&game, rng)?))
        },
    )
}

/// Writes the samples that `make` gives of each game, with `at_once` games in parallel, up to the limit.
fn write_samples<'a, G: Send, W: Write>(
    args: &Args,
    mut writer: BatchWriter<W>,
    games: impl Iterator<Item = G>,
    at_once: usize,
    sampler: impl Fn() -> Sampler<'a> + Sync + Send,
    make: impl Fn(&mut Sampler<'a>, G, &mut Rng) -> anyhow::Result<(BoardSize, Vec<Sample>)>
    + Sync
    + Send,
) -> anyhow::Result<()> {
    let mut games = games.zip(0..);
    let mut left = args.limit.unwrap_or(usize::MAX);
    while left > 0 {
        let next: Vec<_> = games.by_ref().take(at_once).collect();
        if next.is_empty() {
            break;
        }
        let samples = next
            .into_par_iter()
            .map_init(&sampler, |sampler, (game, number)| {
                make(sampler, game, &mut Rng::stream(args.seed, number))
            });
        for (size, samples) in samples.collect::<anyhow::Result<Vec<_>>>()? {
            for sample in samples.into_iter().take(left) {
                writer.push(size, sample)?;
                left -= 1;
            }
        }
    }
    writer.finish()?;
    Ok(())
}

/// Writes the labelled positions of a store, shards in random order.
fn stream_labels(args: &Args, store: &Path, grid: BoardSize) -> anyhow::Result<()> {
    let settings = settings(args);
    let mut order = Rng::stream(args.seed, ORDER);
    let mut shards = store::shards(store)?;
    order.shuffle(&mut shards);
    let out = BufWriter::with_capacity(1 << 20, io::stdout());
    let (encoding, batch) = (settings.encoding, args.batch as usize);
    let writer = BatchWriter::of_labels(out, encoding, grid, batch, args.pool, order)?;
    let entries = shards.iter().flat_map(|shard| match store::entries(shard) {
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
        GAMES_AT_ONCE,
        sampler,
        |sampler, game, rng| {
            let game = game?;
            let positions = game.positions()?.into_iter();
            let samples =
                positions.map(|(position, label)| sampler.labelled(&position, label, rng));
            Ok((game.size(), samples.collect()))
        },
    )
}

/// Whether an entry of a store is for validation.
const fn is_held_out(entry: &Entry) -> bool {
    entry.origin.number.is_multiple_of(HELD_OUT)
}

fn fits(size: BoardSize, grid: BoardSize) -> bool {
    size.width() <= grid.width() && size.height() <= grid.height()
}

/// Refuses to lead astray for a trainer that asks where a teacher would be needed here or a game would have to know.
fn check(args: &Args) -> anyhow::Result<()> {
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
fn games_at_once(args: &Args) -> usize {
    let each = args.per_game as usize * (1 + args.astray as usize);
    let busy = 2 * rayon::current_num_threads();
    (SAMPLES_AT_ONCE / each).max(busy).min(GAMES_AT_ONCE)
}

fn settings(args: &Args) -> SampleSettings {
    SampleSettings {
        encoding: if args.classic {
            Encoding::CLASSIC
        } else {
            Encoding::FULL
        },
        per_game: args.per_game as usize,
        from_move: args.from_move as usize,
        turn: !args.no_symmetry,
        searched: args.searched,
        astray: args.astray as usize,
        even: args.even,
        asking: args.asking,
        policy: !args.no_policy,
    }
}

fn asking(args: &Args) -> Option<Asking> {
    args.asking.then_some(Asking {
        played: args.played,
        outcome: args.outcome,
        even: args.even,
    })
}

/// The games to learn from, files in a random order.
fn games(
    args: &Args,
    grid: BoardSize,
    order: &mut Rng,
) -> anyhow::Result<impl Iterator<Item = Result<Game, ArchiveError>> + use<>> {
    let mut files = match args.window {
        Some(base) => replay::newest(&args.files, base)?,
        None => args.files.iter().map(|file| (file.clone(), 0)).collect(),
    };
    order.shuffle(&mut files);
    let (mut draw, share) = (Rng::stream(args.seed, DRAW), args.share);
    Ok(
        collection::sound(collection::games_of(files), super::tell_damage)
            .filter(move |game| game.as_ref().map_or(true, |game| fits(game.size(), grid)))
            .filter(move |game| game.is_err() || draw.chance(share)),
    )
}

fn teacher(args: &Args) -> anyhow::Result<Option<Teacher>> {
    let Some(file) = &args.teacher else {
        return Ok(None);
    };
    let read =
        |file| NetworkEvaluator::read(file, Profile::default(), args.precision).map(Arc::new);
    let teacher = Teacher::new(read(file)?, args.played, args.outcome);
    Ok(Some(match &args.adviser {
        Some(file) => teacher.with_adviser(read(file)?),
        None => teacher,
    }))
}

fn explorer(args: &Args) -> anyhow::Result<Option<Explorer>> {
    let Some(file) = &args.explorer else {
        return Ok(None);
    };
    let evaluator = NetworkEvaluator::read(file, Profile::default(), args.precision)?;
    Ok(Some(Explorer::new(
        Arc::new(evaluator),
        args.explorer_visits,
    )))
}
