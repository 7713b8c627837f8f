//! `honinbo selfplay`: games against itself, to learn from.

mod progress;

use std::path::PathBuf;
use std::sync::atomic::Ordering;

use anyhow::{Context, bail, ensure};
use honinbo::encode::katago::profile::Profile;
use honinbo::eval::orient::Orientation;
use honinbo::eval::stack::{Base, Stack, StackSettings};
use honinbo::game::color::Color;
use honinbo::game::point::BoardSize;
use honinbo::game::rules::Rules;
use honinbo::learn::selfplay::Settings;
use honinbo::learn::selfplay::choice::Choice;
use honinbo::learn::selfplay::run::{self, Extent};
use honinbo::learn::selfplay::search::Effort;
use honinbo::learn::selfplay::tally::Tally;
use honinbo::net::precision::Precision;
use progress::Progress;

use super::options::komi_from;
use super::share::share;
use super::signals::stopped_by_signals;
use super::{precision, weights};

/// More games than anybody plays.
const NO_END: u64 = u64::MAX;

#[derive(clap::Args)]
pub struct Args {
    /// Folder of the games, a thousand in a file; begun again it goes on after the last whole game
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Network file of the player [default: the one inside the program]
    #[arg(long, value_name = "FILE")]
    weights: Option<PathBuf>,
    /// The number of the last game, those included that the folder holds; games that are not ended are counted and not
    /// kept [default: until stopped]
    #[arg(long, value_name = "N")]
    games: Option<u64>,
    /// Threads [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1_024))]
    threads: Option<u16>,
    /// Games at the same time [default: one a thread]; with more, the evaluations of several are joined
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=4_096))]
    parallel: Option<u16>,
    /// Visits of a thorough search, whose visits are kept as a target; 1: no search at all, moves are drawn from the
    /// policy
    #[arg(long, value_name = "N", default_value_t = 400, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    visits: u64,
    /// Visits of a quick search, of which nothing is kept but the move
    #[arg(long, value_name = "N", default_value_t = 80, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    fast_visits: u64,
    /// Share of the moves with a thorough search
    #[arg(long, value_name = "SHARE", default_value_t = 0.25, value_parser = share::<f64>)]
    full_share: f64,
    /// A thorough search gives every move that it visits at least the root of K x prior x visits playouts; they are no
    /// part of the target
    #[arg(long, value_name = "K", default_value_t = 2.0)]
    forced: f32,
    /// Boards by weight: sides, WIDTHxHEIGHT, rows of sides such as 7..19
    #[arg(long, value_name = "SIZE:WEIGHT,…", default_value = "9:3,13:2,19:1,7..18:0.1", value_parser = Choice::sizes)]
    sizes: Choice<BoardSize>,
    /// Rules by weight
    #[arg(
        long,
        value_name = "NAME:WEIGHT,…",
        default_value = "chinese:4,japanese:4,tromp-taylor:2,aga:1,new-zealand:1,chinese-ogs:1,stone-scoring:0.3,aga-button:0.3",
        value_parser = Choice::rules
    )]
    rules: Choice<Rules>,
    /// Komi around which the games' are drawn [default: a fair one for each board]
    #[arg(long, value_name = "POINTS", allow_negative_numbers = true)]
    komi: Option<f64>,
    /// Standard deviation of the komi; of a few games ten times that
    #[arg(long, value_name = "POINTS", default_value_t = 1.0)]
    komi_spread: f64,
    /// Share of the games with handicap stones, for which the komi makes up
    #[arg(long, value_name = "SHARE", default_value_t = 0.05, value_parser = share::<f64>)]
    handicap: f64,
    /// Resign when the chance to win, in per cent, is below this three own turns in a row; 0 never
    #[arg(long, value_name = "PERCENT", default_value_t = 0.0)]
    resign: f64,
    /// Share of the games in which nobody resigns, to count who would have done so wrongly
    #[arg(long, value_name = "SHARE", default_value_t = 0.1, value_parser = share::<f64>)]
    play_out: f64,
    /// Seed of everything random: game number N of a seed and a network is always the same
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Precision of the network's arithmetic
    #[arg(long, value_parser = precision::parser(), default_value_t)]
    precision: Precision,
    /// No progress on standard error
    #[arg(long)]
    quiet: bool,
}

/// Plays the games and prints what came of them.
pub fn run(args: &Args) -> anyhow::Result<()> {
    let settings = settings(args)?;
    let cores = super::cores();
    let threads = args.threads.map_or(cores, usize::from);
    let parallel = args.parallel.map_or(threads, usize::from);
    let stack = stack(args, threads, parallel)?;
    let extent = Extent {
        games: args.games.unwrap_or(NO_END),
        parallel,
    };
    let progress = Progress::new(args.games);
    let show = |tally: &Tally| {
        if !args.quiet {
            progress.show(tally);
        }
    };
    let stop = stopped_by_signals()?;
    let tally = run::run(&settings, &stack, &args.out, extent, &stop, &show);
    progress.finish();
    let tally = tally.context("selfplay")?;
    super::print(summary(&tally, progress.moves_a_second(&tally)))?;
    // Whoever asked for so many must not go on with fewer.
    if let Some(games) = args.games
        && stop.load(Ordering::Relaxed)
        && tally.earlier + tally.games + tally.unfinished < games
    {
        bail!("interrupted");
    }
    Ok(())
}

fn settings(args: &Args) -> anyhow::Result<Settings> {
    let komi = args.komi.map(komi_from);
    for (option, found, most) in [
        ("--komi-spread", args.komi_spread, 400.0),
        ("--resign", args.resign, 100.0),
        ("--forced", f64::from(args.forced), 100.0),
    ] {
        ensure!(
            (0.0..=most).contains(&found),
            "{option}: expected a number from 0 to {most}, found {found}"
        );
    }
    let file = args.weights.as_ref().and_then(|file| file.file_name());
    Ok(Settings {
        sizes: args.sizes.clone(),
        rules: args.rules.clone(),
        komi: komi.transpose()?,
        komi_spread: args.komi_spread,
        handicap_share: args.handicap,
        effort: Effort {
            visits: args.visits,
            fast_visits: args.fast_visits,
            full_share: args.full_share,
            forced: args.forced,
        },
        resign: args.resign,
        play_out: args.play_out,
        seed: args.seed,
        player: file.map_or("Honinbo".into(), |file| file.to_string_lossy().into_owned()),
    })
}

fn stack(args: &Args, threads: usize, parallel: usize) -> anyhow::Result<Stack> {
    let file = args.weights.as_deref();
    let network = weights::network(file, Profile::default(), args.precision, threads)?;
    Ok(Stack::new(
        Base::Network(network),
        StackSettings {
            orientation: Orientation::Random { seed: args.seed },
            // What one game asks another hardly ever does, and its answers would depend on which came first.
            cache: 0,
            batch: parallel.div_ceil(threads),
            at_once: threads,
        },
    ))
}

fn summary(tally: &Tally, speed: f64) -> String {
    let mut lines = vec![
        format!(
            "games        {} ({} found, {} without an end)",
            tally.games, tally.earlier, tally.unfinished
        ),
        format!(
            "moves        {} ({:.1} a game, {speed:.0} a second)",
            tally.moves,
            tally.moves as f64 / tally.games.max(1) as f64
        ),
        format!(
            "results      Black {}, White {}, drawn {} (Black {:.1} %)",
            tally.won[Color::Black],
            tally.won[Color::White],
            tally.drawn,
            100.0 * tally.black_share()
        ),
    ];
    if tally.resigned + tally.given_up > 0 {
        lines.push(format!(
            "resignations {}; of {} played out {} would have been wrong",
            tally.resigned, tally.given_up, tally.given_up_wrongly
        ));
    }
    lines.join("\n") + "\n"
}
