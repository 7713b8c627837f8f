//! `honinbo selfplay`: games against itself, to learn from.

mod progress;

use std::path::PathBuf;
use std::sync::atomic::Ordering;

use anyhow::{Context, bail, ensure};
use honinbo::encode::katago::profile::Profile;
use honinbo::eval::stack::{BaseEvaluator, EvaluatorStack, StackSettings};
use honinbo::eval::symmetry::SymmetryMode;
use honinbo::game::color::Color;
use honinbo::game::point::BoardSize;
use honinbo::game::rules::Rules;
use honinbo::learn::selfplay::SelfplaySettings;
use honinbo::learn::selfplay::run::SelfplayStats;
use honinbo::learn::selfplay::run::{self, SelfplayLimits};
use honinbo::learn::selfplay::settings::PlayoutCap;
use honinbo::learn::selfplay::weighted_choice::WeightedChoice;
use honinbo::net::precision::Precision;
use progress::SelfplayProgress;

use super::fraction::parse_fraction;
use super::options::komi_from_points;
use super::signals::stop_on_signals;
use super::{precision, weights};

/// More games than anybody plays.
const UNLIMITED_GAMES: u64 = u64::MAX;

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
    #[arg(long, value_name = "SHARE", default_value_t = 0.25, value_parser = parse_fraction::<f64>)]
    full_share: f64,
    /// A thorough search gives every move that it visits at least the root of K x prior x visits playouts; they are no
    /// part of the target
    #[arg(long, value_name = "K", default_value_t = 2.0)]
    forced: f32,
    /// Boards by weight: sides, WIDTHxHEIGHT, rows of sides such as 7..19
    #[arg(long, value_name = "SIZE:WEIGHT,…", default_value = "9:3,13:2,19:1,7..18:0.1", value_parser = WeightedChoice::parse_sizes)]
    sizes: WeightedChoice<BoardSize>,
    /// Rules by weight
    #[arg(
        long,
        value_name = "NAME:WEIGHT,…",
        default_value = "chinese:4,japanese:4,tromp-taylor:2,aga:1,new-zealand:1,chinese-ogs:1,stone-scoring:0.3,aga-button:0.3",
        value_parser = WeightedChoice::parse_rules
    )]
    rules: WeightedChoice<Rules>,
    /// Komi around which the games' are drawn [default: a fair one for each board]
    #[arg(long, value_name = "POINTS", allow_negative_numbers = true)]
    komi: Option<f64>,
    /// Standard deviation of the komi; of a few games ten times that
    #[arg(long, value_name = "POINTS", default_value_t = 1.0)]
    komi_spread: f64,
    /// Share of the games with handicap stones, for which the komi makes up
    #[arg(long, value_name = "SHARE", default_value_t = 0.05, value_parser = parse_fraction::<f64>)]
    handicap: f64,
    /// Resign when the chance to win, in per cent, is below this three own turns in a row; 0 never
    #[arg(long, value_name = "PERCENT", default_value_t = 0.0)]
    resign: f64,
    /// Share of the games in which nobody resigns, to count who would have done so wrongly
    #[arg(long, value_name = "SHARE", default_value_t = 0.1, value_parser = parse_fraction::<f64>)]
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
    let cores = super::core_count();
    let threads = args.threads.map_or(cores, usize::from);
    let parallel = args.parallel.map_or(threads, usize::from);
    let stack = stack(args, threads, parallel)?;
    let limits = SelfplayLimits {
        max_games: args.games.unwrap_or(UNLIMITED_GAMES),
        parallel_games: parallel,
    };
    let progress = SelfplayProgress::new(args.games);
    let show = |stats: &SelfplayStats| {
        if !args.quiet {
            progress.show(stats);
        }
    };
    let stop = stop_on_signals()?;
    let stats = run::run_selfplay(&settings, &stack, &args.out, limits, &stop, &show);
    progress.finish();
    let stats = stats.context("selfplay")?;
    super::print(summary(&stats, progress.moves_per_second(&stats)))?;
    // Whoever asked for so many must not go on with fewer.
    if let Some(games) = args.games
        && stop.load(Ordering::Relaxed)
        && stats.existing_games + stats.games + stats.unfinished_games < games
    {
        bail!("interrupted");
    }
    Ok(())
}

fn settings(args: &Args) -> anyhow::Result<SelfplaySettings> {
    let komi = args.komi.map(komi_from_points);
    for (option, value, max) in [
        ("--komi-spread", args.komi_spread, 400.0),
        ("--resign", args.resign, 100.0),
        ("--forced", f64::from(args.forced), 100.0),
    ] {
        ensure!(
            (0.0..=max).contains(&value),
            "{option}: expected a number from 0 to {max}, found {value}"
        );
    }
    let file = args.weights.as_ref().and_then(|file| file.file_name());
    Ok(SelfplaySettings {
        sizes: args.sizes.clone(),
        rules: args.rules.clone(),
        komi: komi.transpose()?,
        komi_deviation: args.komi_spread,
        handicap_fraction: args.handicap,
        playout_cap: PlayoutCap {
            full_visits: args.visits,
            fast_visits: args.fast_visits,
            full_fraction: args.full_share,
            forced_playouts: args.forced,
        },
        resign_percent: args.resign,
        play_out_fraction: args.play_out,
        seed: args.seed,
        player_name: file.map_or("Honinbo".into(), |file| file.to_string_lossy().into_owned()),
    })
}

fn stack(args: &Args, threads: usize, parallel: usize) -> anyhow::Result<EvaluatorStack> {
    let file = args.weights.as_deref();
    let network = weights::load_network(file, Profile::default(), args.precision, threads)?;
    Ok(EvaluatorStack::new(
        BaseEvaluator::Network(network),
        StackSettings {
            symmetry: SymmetryMode::Random { seed: args.seed },
            // What one game asks another hardly ever does, and its answers would depend on which came first.
            cache_mib: 0,
            batch_size: parallel.div_ceil(threads),
            max_concurrent_batches: threads,
        },
    ))
}

fn summary(stats: &SelfplayStats, speed: f64) -> String {
    let mut lines = vec![
        format!(
            "games        {} ({} found, {} without an end)",
            stats.games, stats.existing_games, stats.unfinished_games
        ),
        format!(
            "moves        {} ({:.1} a game, {speed:.0} a second)",
            stats.moves,
            stats.moves as f64 / stats.games.max(1) as f64
        ),
        format!(
            "results      Black {}, White {}, drawn {} (Black {:.1} %)",
            stats.wins[Color::Black],
            stats.wins[Color::White],
            stats.draws,
            100.0 * stats.black_win_rate()
        ),
    ];
    if stats.resignations + stats.suppressed_resignations > 0 {
        lines.push(format!(
            "resignations {}; of {} played out {} would have been wrong",
            stats.resignations, stats.suppressed_resignations, stats.wrong_resignations
        ));
    }
    lines.join("\n") + "\n"
}
