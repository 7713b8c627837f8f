//! `honinbo samples`: game files to encoded training batches.

use std::io::{self, BufWriter};
use std::path::PathBuf;

use anyhow::{Context, bail};
use honinbo::encode::Encoding;
use honinbo::game::point::BoardSize;
use honinbo::learn::archive::Game;
use honinbo::learn::collection;
use honinbo::learn::sample::Sampler;
use honinbo::learn::stream::BatchWriter;
use honinbo::rng::Rng;

#[derive(clap::Args)]
pub struct Args {
    /// Game files (.sgf) and packed archives (.kifu, .kifu.xz); read in an order that the seed decides
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Samples in a batch
    #[arg(long, default_value_t = 256, value_parser = clap::value_parser!(u32).range(1..=65_536))]
    batch: u32,
    /// Positions taken from each game
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=1_000))]
    per_game: u32,
    /// Samples kept to mix games with each other
    #[arg(long, default_value_t = 16_384)]
    pool: usize,
    /// Stop after about that many samples
    #[arg(long)]
    limit: Option<u64>,
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
}

/// Writes the stream; a reader that goes away ends it quietly.
pub fn run(args: &Args) -> anyhow::Result<()> {
    let encoding = if args.classic {
        Encoding::CLASSIC
    } else {
        Encoding::FULL
    };
    let grid = BoardSize::new(args.grid, args.grid)
        .with_context(|| format!("--grid: expected a side from 2 to 19, found {}", args.grid))?;
    let mut rng = Rng::new(args.seed);
    let mut files = args.files.clone();
    rng.shuffle(&mut files);
    let out = BufWriter::with_capacity(1 << 20, io::stdout().lock());
    let shuffle = Rng::stream(args.seed, 1);
    let written = BatchWriter::new(out, encoding, grid, args.batch as usize, args.pool, shuffle)
        .and_then(|writer| stream(args, encoding, grid, &files, rng, writer));
    match written {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        Err(error) => bail!("samples: {error}"),
    }
}

fn stream(
    args: &Args,
    encoding: Encoding,
    grid: BoardSize,
    files: &[PathBuf],
    mut rng: Rng,
    mut writer: BatchWriter<impl io::Write>,
) -> io::Result<u64> {
    let mut sampler = Sampler::new();
    let mut made = 0;
    for file in files {
        for game in collection::open(file).map_err(io::Error::other)? {
            let game: Game = game.map_err(io::Error::other)?;
            if game.size.width() > grid.width() || game.size.height() > grid.height() {
                continue;
            }
            let mut samples = Vec::new();
            let per_game = args.per_game as usize;
            sampler.samples(
                encoding,
                &game,
                per_game,
                !args.no_symmetry,
                &mut rng,
                &mut |s| samples.push(s),
            );
            for sample in samples {
                made += 1;
                writer.push(game.size, sample)?;
            }
            if args.limit.is_some_and(|limit| made >= limit) {
                return writer.finish();
            }
        }
    }
    writer.finish()
}
