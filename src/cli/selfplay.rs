//! `honinbo selfplay`: plays training games of the engine against itself.

use std::path::PathBuf;
use std::sync::atomic::Ordering;

use anyhow::{Context, bail, ensure};
use clap::ValueHint;
use honinbo::encode::katago::player_profile::Profile;
use honinbo::eval::Evaluator;
use honinbo::eval::network_source::NetworkSource;
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

use super::device::DeviceArgs;
use super::evaluators::load_calibrated_network;
use super::process::{print, stop_on_signals};
use super::progress::SelfplayProgress;
use super::threads::ThreadArgs;
use super::values::{komi_from_points, network_parser, parse_fraction};

/// Default number of concurrent games on a GPU, as a multiple of the preferred batch size. With a factor of two, half
/// of the games continue while the GPU evaluates positions of the other half.
const GPU_GAMES_PER_BATCH_SIZE: usize = 2;
/// Number of games in a run without `--games`.
const UNLIMITED_GAMES: u64 = u64::MAX;

#[derive(clap::Args)]
pub struct Args {
    /// Output folder, with 1000 games per file; an existing run is continued
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Total number of games, including those in the folder [default: no limit]
    ///
    /// Games without a result are counted, but not saved.
    #[arg(long, value_name = "N")]
    games: Option<u64>,
    #[command(flatten)]
    common: GameArgs,
    /// Visits per full search, whose result becomes a policy target; 1 = no search, moves are drawn from the policy
    #[arg(long, value_name = "N", default_value_t = 400, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    visits: u64,
    /// Visits per fast search, whose result does not become a policy target
    #[arg(long, value_name = "N", default_value_t = 80, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    fast_visits: u64,
    /// Fraction of the moves with a full search
    #[arg(long, value_name = "SHARE", default_value_t = 0.25, value_parser = parse_fraction::<f64>)]
    full_share: f64,
    /// Forced playouts: a full search gives each visited move at least sqrt(K × prior × visits) playouts
    ///
    /// Forced playouts are removed from the policy target.
    #[arg(long, value_name = "K", default_value_t = 2.0)]
    forced: f32,
    /// Mean komi [default: the fair komi for each board size]
    #[arg(long, value_name = "POINTS", allow_negative_numbers = true)]
    komi: Option<f64>,
    /// Resign after three turns in a row below this win rate, in percent; 0 = never
    #[arg(long, value_name = "PERCENT", default_value_t = 0.0)]
    resign: f64,
    /// Fraction of games in which no side resigns, to measure how often a side below the limit does not lose
    #[arg(long, value_name = "SHARE", default_value_t = 0.1, value_parser = parse_fraction::<f64>)]
    play_out: f64,
}

/// Options of the commands that play training games.
#[derive(clap::Args)]
pub struct GameArgs {
    /// Network that plays the games: a file, or `classic` [default: built-in network]
    #[arg(long, value_name = "FILE", value_parser = network_parser(), value_hint = ValueHint::AnyPath)]
    weights: Option<NetworkSource>,
    #[command(flatten)]
    pub threads: ThreadArgs,
    /// Games played concurrently [default: one per thread, and more on a GPU]; with more games than threads, positions
    /// are evaluated in batches
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=4_096))]
    parallel: Option<u16>,
    /// Board sizes and their weights: N, WxH, or a range such as 7..19
    #[arg(long, value_name = "SIZE:WEIGHT,…", default_value = "9:3,13:2,19:1,7..18:0.1", value_parser = WeightedChoice::parse_sizes)]
    sizes: WeightedChoice<BoardSize>,
    /// Rule sets and their weights
    #[arg(
        long,
        value_name = "NAME:WEIGHT,…",
        default_value = "chinese:4,japanese:4,tromp-taylor:2,aga:1,new-zealand:1,chinese-ogs:1,stone-scoring:0.3,aga-button:0.3",
        value_parser = WeightedChoice::parse_rules
    )]
    rules: WeightedChoice<Rules>,
    /// Standard deviation of the komi; ten times larger in a few games
    #[arg(long, value_name = "POINTS", default_value_t = 1.0)]
    komi_spread: f64,
    /// Fraction of the games with handicap stones; komi is adjusted to compensate
    #[arg(long, value_name = "SHARE", default_value_t = 0.05, value_parser = parse_fraction::<f64>)]
    handicap: f64,
    /// Random seed; the same seed and network give the same games
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    #[command(flatten)]
    pub device_args: DeviceArgs,
    /// Do not show progress
    #[arg(long)]
    pub quiet: bool,
}

impl GameArgs {
    /// Returns the number of games played concurrently. The default is one per thread, or more if `evaluator` prefers
    /// batches.
    pub fn parallel_games(&self, evaluator: &dyn Evaluator) -> usize {
        let default = || match evaluator.batch_hint(1) {
            0 | 1 => self.threads.count(),
            batch_hint => self
                .threads
                .count()
                .max(GPU_GAMES_PER_BATCH_SIZE * batch_hint),
        };
        self.parallel.map_or_else(default, usize::from)
    }

    /// Returns the number of positions per batch at which the games requested by `--parallel` keep all threads busy.
    /// Returns 1 if `--parallel` is not set.
    fn batch_size(&self) -> usize {
        let threads = self.threads.count();
        self.parallel
            .map_or(1, |games| usize::from(games).div_ceil(threads))
    }

    /// Returns settings for games that start with a fair komi and are played without searches or resignations.
    pub fn searchless_settings(&self) -> anyhow::Result<SelfplaySettings> {
        check_range("--komi-spread", self.komi_spread, 400.0)?;
        Ok(SelfplaySettings {
            sizes: self.sizes.clone(),
            rules: self.rules.clone(),
            komi: None,
            komi_deviation: self.komi_spread,
            handicap_fraction: self.handicap,
            playout_cap: PlayoutCap {
                full_visits: 1,
                fast_visits: 1,
                full_fraction: 0.0,
                forced_playouts: 0.0,
            },
            resign_percent: 0.0,
            no_resign_fraction: 0.0,
            seed: self.seed,
            player_name: String::new(),
        })
    }

    /// Builds the evaluator that plays the games. It evaluates up to `batch_size` positions together (more on a GPU),
    /// each under one random symmetry.
    pub fn evaluator_stack(&self, batch_size: usize) -> anyhow::Result<EvaluatorStack> {
        let threads = self.threads.count();
        let network = load_calibrated_network(
            self.weights.as_ref(),
            Profile::default(),
            self.device_args.device_config(),
            threads,
        )?;
        Ok(EvaluatorStack::new(
            BaseEvaluator::Network(network),
            StackSettings {
                symmetry: SymmetryMode::Random { seed: self.seed },
                // Games rarely have positions in common, and with a shared cache the results would depend on timing.
                cache_mib: 0,
                batch_size,
                max_concurrent_batches: threads,
            },
        ))
    }
}

fn check_range(option: &str, value: f64, max: f64) -> anyhow::Result<()> {
    ensure!(
        (0.0..=max).contains(&value),
        "{option} must be between 0 and {max}, not {value}"
    );
    Ok(())
}

/// Plays the games and prints a summary.
pub fn run(args: &Args) -> anyhow::Result<()> {
    let settings = build_settings(args)?;
    let stack = args.common.evaluator_stack(args.common.batch_size())?;
    let limits = SelfplayLimits {
        max_games: args.games.unwrap_or(UNLIMITED_GAMES),
        parallel_games: args.common.parallel_games(&*stack.evaluator),
    };
    let progress = SelfplayProgress::new(args.games, args.common.quiet);
    let show = |stats: &SelfplayStats| progress.report_game(stats);
    let stop = stop_on_signals()?;
    let stats = run::run_selfplay(&settings, &stack, &args.out, limits, &stop, &show);
    progress.finish();
    let stats = stats.context("selfplay")?;
    print(format_summary(&stats, progress.moves_per_second(&stats)))?;
    // Return an error, so that a script that requested this number of games does not continue with fewer.
    if let Some(games) = args.games
        && stop.load(Ordering::Relaxed)
        && stats.existing_games + stats.games + stats.unfinished_games < games
    {
        bail!("interrupted");
    }
    Ok(())
}

fn build_settings(args: &Args) -> anyhow::Result<SelfplaySettings> {
    check_range("--resign", args.resign, 100.0)?;
    check_range("--forced", args.forced.into(), 100.0)?;
    let network = args.common.weights.as_ref();
    Ok(SelfplaySettings {
        komi: args.komi.map(komi_from_points).transpose()?,
        playout_cap: PlayoutCap {
            full_visits: args.visits,
            fast_visits: args.fast_visits,
            full_fraction: args.full_share,
            forced_playouts: args.forced,
        },
        resign_percent: args.resign,
        no_resign_fraction: args.play_out,
        player_name: network.map_or("Honinbo".into(), NetworkSource::name),
        ..args.common.searchless_settings()?
    })
}

fn format_summary(stats: &SelfplayStats, speed: f64) -> String {
    let mut lines = vec![
        format!(
            "games        {} ({} in earlier runs, {} unfinished)",
            stats.games, stats.existing_games, stats.unfinished_games
        ),
        format!(
            "moves        {} ({:.1} per game, {speed:.0} per second)",
            stats.moves,
            stats.moves as f64 / stats.games.max(1) as f64
        ),
        format!(
            "results      Black {}, White {}, drawn {} (Black {:.1}%)",
            stats.wins[Color::Black],
            stats.wins[Color::White],
            stats.draws,
            100.0 * stats.black_win_rate()
        ),
    ];
    if stats.resignations + stats.suppressed_resignations > 0 {
        lines.push(format!(
            "resignations {}; {} suppressed to play out the game, of which {} would have been wrong",
            stats.resignations, stats.suppressed_resignations, stats.wrong_resignations
        ));
    }
    lines.join("\n") + "\n"
}
