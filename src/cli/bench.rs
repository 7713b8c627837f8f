//! `honinbo bench`: computes the search signature, and measures the speed of a network with and without a search.

use std::fmt::Display;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use clap::builder::PossibleValuesParser;
use clap::{ArgGroup, ValueHint};
use honinbo::bench::architectures;
use honinbo::bench::evaluation_speed::positions_per_second;
use honinbo::bench::{
    DEFAULT_SIGNATURE_VISITS, SearchMeasurement, bench_positions, combine_signatures,
    measure_hashed_search, measure_search,
};
use honinbo::encode::katago::player_profile::Profile;
use honinbo::eval::Evaluator;
use honinbo::eval::calibration::build::BuiltNetwork;
use honinbo::eval::device::DeviceConfig;
use honinbo::eval::network::{LoadedNetwork, NetworkEvaluator};
use honinbo::eval::network_source::NetworkSource;
use honinbo::eval::stack::{BaseEvaluator, EvaluatorStack, StackSettings};
use honinbo::game::point::BoardSize;
use honinbo::game::position::Position;
use honinbo::game::rules::Rules;
use honinbo::io::plural::counted;
use honinbo::net::candle::device::DeviceChoice;
use honinbo::net::cpu::isa::Isa;
use honinbo::net::model::Network;
use honinbo::net::precision::{DType, Precision};
use honinbo::net::spec::NetSpec;
use honinbo::search::default_batch_size;
use indicatif::ProgressBar;

use super::process::print;
use super::progress::{self, CalibrationProgress};
use super::threads::core_count;
use super::values::{network_parser, precision_parser};

/// Default number of visits per position for searches with a network.
const DEFAULT_NETWORK_VISITS: u64 = 800;
/// Largest batch size to measure on the CPU, in positions per call.
const MAX_CPU_BATCH_SIZE: usize = 8;
/// Largest batch size to measure on a GPU, as a multiple of the preferred batch size.
const MAX_BATCH_HINT_MULTIPLE: usize = 4;
/// Duration of each measurement of the evaluation speed.
const EVALUATION_MEASURE_TIME: Duration = Duration::from_secs(1);
/// Maximum duration of a request. Batches that would take longer are not measured.
const MAX_REQUEST_TIME: Duration = Duration::from_secs(4);
/// Approximate maximum total duration of the searches for each thread count, unless `--visits` is set.
const MAX_TOTAL_SEARCH_TIME: Duration = Duration::from_secs(20);
/// Minimum number of visits per position with which all positions are searched. If a network is too slow for this
/// number, fewer positions are searched.
const MIN_VISITS_FOR_ALL_POSITIONS: u64 = 16;
/// Minimum default number of visits per position, even if a single search then exceeds [`MAX_TOTAL_SEARCH_TIME`].
const MIN_DEFAULT_VISITS: u64 = 2;

/// Name of the group of options that select a network to measure.
const NETWORK_SELECTION_GROUP: &str = "network";

#[derive(clap::Args)]
#[command(group = ArgGroup::new(NETWORK_SELECTION_GROUP).args(["net", "weights", "shape"]).multiple(true))]
pub struct Args {
    /// Measure the speed of the network, and of a search that uses it, on 1, 2, 4, … threads
    #[arg(long)]
    net: bool,
    /// Network file, or `classic` [default: built-in network]
    #[arg(long, value_name = "FILE", value_parser = network_parser(), value_hint = ValueHint::AnyPath)]
    weights: Option<NetworkSource>,
    /// Measure a network of this architecture with random weights
    #[arg(long, value_name = "SHAPE", conflicts_with = "weights", value_parser = PossibleValuesParser::new(architectures::names()))]
    shape: Option<String>,
    /// Number format for network evaluation
    #[arg(long, value_parser = precision_parser(), default_value_t, requires = NETWORK_SELECTION_GROUP)]
    precision: Precision,
    /// Device that evaluates the network: auto, cpu, cuda, cuda:N, metal or candle
    #[arg(long, value_name = "DEVICE", default_value_t, requires = NETWORK_SELECTION_GROUP)]
    device: DeviceChoice,
    /// Board size for measuring a network
    #[arg(long, value_name = "N", default_value_t = 19, value_parser = clap::value_parser!(u16).range(2..=19), requires = NETWORK_SELECTION_GROUP)]
    size: u16,
    /// Visits per position [default: 2000; with a network, 800, or fewer if the network is slow]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    visits: Option<u64>,
    /// Maximum number of threads used to measure a network [default: one per core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1_024), requires = NETWORK_SELECTION_GROUP)]
    threads: Option<u16>,
    /// Maximum number of positions that each thread of a search evaluates together [default: 1 on the CPU]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1_024), requires = NETWORK_SELECTION_GROUP)]
    batch_size: Option<u16>,
}

/// Prints a formatted line to standard output, and returns from the function if this fails.
macro_rules! line {
    ($($text:tt)*) => {
        print(format!("{}\n", format_args!($($text)*)))?
    };
}

/// Runs the benchmark and prints its tables.
pub fn run(args: &Args) -> anyhow::Result<()> {
    if args.net || args.weights.is_some() || args.shape.is_some() {
        bench_network(args)
    } else {
        bench_hashed(args.visits.unwrap_or(DEFAULT_SIGNATURE_VISITS))
    }
}

fn bench_hashed(visits: u64) -> anyhow::Result<()> {
    line!("position         visits    nodes  visits/s         signature");
    let mut total = SearchTotals::default();
    let mut signatures = Vec::new();
    for case in bench_positions() {
        let measured = measure_hashed_search(&case.position, visits)?;
        total.add(&measured);
        signatures.push(measured.signature);
        line!(
            "{:15} {:7} {:8} {:9.0}  {:016x}",
            case.name,
            measured.visits,
            measured.nodes,
            measured.visits as f64 / measured.time.as_secs_f64(),
            measured.signature
        );
    }
    line!(
        "{:15} {:7} {:8} {:9.0}  {:016x}",
        "all",
        total.visits,
        total.nodes,
        total.per_second(total.visits),
        combine_signatures(signatures)
    );
    Ok(())
}

fn bench_network(args: &Args) -> anyhow::Result<()> {
    let mut spec = read_network(args)?;
    let size = BoardSize::new(args.size.into(), args.size.into()).context("--size")?;
    let multiply_adds = spec.multiply_adds(size.area()) as f64;
    let network = Arc::new(build_evaluator(args, args.precision, spec)?);
    // With the default precision, 32-bit floats are measured too, for comparison.
    let compares_floats = args.precision == Precision::Auto
        && network.network().dtype() != DType::F32
        && network.network().measure_peak_multiply_adds().is_some();
    let positions = positions_of_size(size);
    let plan = MeasurementPlan::new(args, &network, &positions)?;
    let table = NetworkBenchmark {
        bar: plan.progress_bar(compares_floats),
        size,
        multiply_adds,
    };
    let performed = table.performed_multiply_adds(network.network());
    table.print_line(format_args!(
        "net {} on {size} ({}): {:.1} million multiply-adds per position{}",
        network.network().name(),
        network.network().isa_name_or_candle(),
        multiply_adds / 1e6,
        match performed < multiply_adds {
            true => format!(", {:.1} million with Winograd's algorithm", performed / 1e6),
            false => String::new(),
        }
    ))?;
    table.print_line("")?;
    table.print_line("format           threads  batch  positions/s  share of peak")?;
    if compares_floats {
        let floats = build_evaluator(args, Precision::F32, read_network(args)?)?;
        table.print_evaluations(&floats, &positions, &[1], &plan.batch_sizes)?;
    }
    let evaluations =
        table.print_evaluations(&network, &positions, &plan.thread_counts, &plan.batch_sizes)?;
    table.print_line("")?;
    let searches = table.print_searches(&network, &positions, &plan)?;
    table.bar.finish_and_clear();
    line!("");
    line!("{evaluations}");
    line!("{searches}");
    let saturated = network.network().saturated_position_count();
    if saturated > 0 {
        line!(
            "{} evaluated in 32-bit floats because of values outside the range of 16-bit integers",
            counted(saturated, "position")
        );
    }
    Ok(())
}

/// Builds the network to measure, and calibrates it if necessary.
fn build_evaluator(
    args: &Args,
    precision: Precision,
    spec: NetSpec,
) -> anyhow::Result<NetworkEvaluator> {
    let device_config = DeviceConfig {
        device: args.device,
        precision,
    };
    let profile = Profile::default();
    let loaded = match args.shape {
        // The ranges are not stored, because a network with random weights is not used again.
        Some(_) if args.device.uses_cpu_kernels() => {
            let built = BuiltNetwork::new(spec, precision, Isa::from_env_or_best()?, None)?;
            LoadedNetwork::from_built(built, profile)?
        }
        _ => LoadedNetwork::from_spec(spec, profile, device_config)?,
    };
    Ok(loaded.calibrated(&CalibrationProgress::new()))
}

/// Returns the benchmark positions with this board size, except the empty board. If there are none, returns the empty
/// board.
fn positions_of_size(size: BoardSize) -> Vec<Position> {
    let positions = bench_positions().into_iter().map(|case| case.position);
    let mut positions: Vec<_> = positions
        .filter(|position| {
            position.size() == size && *position != Position::new(size, *position.rules())
        })
        .collect();
    if positions.is_empty() {
        positions.push(Position::new(size, Rules::default()));
    }
    positions
}

/// Reads the network selected by the options.
fn read_network(args: &Args) -> anyhow::Result<NetSpec> {
    match (&args.shape, &args.weights) {
        (Some(shape), _) => architectures::random_spec(shape).context("--shape: no such shape"),
        (_, Some(source)) => source.read().context("--weights"),
        _ => Ok(NetworkSource::default().read()?),
    }
}

/// Measurements to perform.
struct MeasurementPlan {
    thread_counts: Vec<usize>,
    /// Batch sizes to measure, in positions per call.
    batch_sizes: Vec<usize>,
    searches: SearchPlan,
    /// Maximum number of positions that each thread of a search evaluates together. `None` selects the default.
    batch_size: Option<usize>,
}

impl MeasurementPlan {
    /// Plans the measurements. Warms up the network, measures the single-thread speed, and omits measurements for which
    /// the network is too slow.
    fn new(
        args: &Args,
        network: &NetworkEvaluator,
        positions: &[Position],
    ) -> anyhow::Result<Self> {
        let max_threads = args.threads.map_or_else(core_count, usize::from);
        let speed = |threads| {
            let warm_up = EVALUATION_MEASURE_TIME / 10;
            positions_per_second(network, positions, threads, 1, warm_up)
        };
        let thread_speed = speed(1)?;
        speed(max_threads)?;
        Ok(Self {
            thread_counts: thread_counts(max_threads),
            batch_sizes: batch_sizes(thread_speed, network.batch_hint(1)),
            searches: match args.visits {
                Some(visits) => SearchPlan {
                    positions: positions.len(),
                    visits,
                },
                None => SearchPlan::new(thread_speed, positions.len()),
            },
            batch_size: args.batch_size.map(usize::from),
        })
    }

    /// Creates a progress bar with one step per row of evaluations and per searched position.
    fn progress_bar(&self, has_floats: bool) -> ProgressBar {
        let float_rows = usize::from(has_floats) * self.batch_sizes.len();
        let steps = self.batch_sizes.len() + self.searches.positions;
        let total = float_rows + self.thread_counts.len() * steps;
        let bar = progress::bar(total as u64, "{wide_bar} {pos}/{len} {elapsed} {msg}");
        bar.enable_steady_tick(Duration::from_millis(500));
        bar
    }
}

/// Returns the batch sizes to measure if one thread evaluates `thread_speed` positions per second and the evaluator
/// prefers `batch_hint` positions per call.
fn batch_sizes(thread_speed: f64, batch_hint: usize) -> Vec<usize> {
    let max = match batch_hint {
        0 | 1 => MAX_CPU_BATCH_SIZE,
        batch_hint => MAX_BATCH_HINT_MULTIPLE * batch_hint,
    };
    let max_in_time = (thread_speed * MAX_REQUEST_TIME.as_secs_f64()) as usize;
    let max = max.min(max_in_time.max(1));
    std::iter::successors(Some(1), |size| Some(2 * size))
        .take_while(|&size| size <= max)
        .collect()
}

/// Searches to measure with each number of threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct SearchPlan {
    /// Number of positions.
    positions: usize,
    /// Visits per position.
    visits: u64,
}

impl SearchPlan {
    /// Plans searches of up to `positions` positions. If one thread evaluates `thread_speed` positions per second, the
    /// searches take at most [`MAX_TOTAL_SEARCH_TIME`] in total, unless a single search with [`MIN_DEFAULT_VISITS`] takes
    /// longer.
    fn new(thread_speed: f64, positions: usize) -> Self {
        let visits = (thread_speed * MAX_TOTAL_SEARCH_TIME.as_secs_f64()) as u64;
        let positions = positions
            .min((visits / MIN_VISITS_FOR_ALL_POSITIONS) as usize)
            .max(1);
        Self {
            positions,
            visits: (visits / positions as u64).clamp(MIN_DEFAULT_VISITS, DEFAULT_NETWORK_VISITS),
        }
    }
}

/// Returns the powers of two below `max_threads`, followed by `max_threads`.
fn thread_counts(max_threads: usize) -> Vec<usize> {
    let powers = std::iter::successors(Some(1), |count| Some(2 * count));
    powers
        .take_while(move |&count| count < max_threads)
        .chain([max_threads])
        .collect()
}

/// Output of the measurements: lines on standard output and a progress bar on standard error.
struct NetworkBenchmark {
    bar: ProgressBar,
    size: BoardSize,
    /// Number of multiply-adds per position, with direct convolutions.
    multiply_adds: f64,
}

impl NetworkBenchmark {
    /// Returns the number of multiply-adds that `network` performs per position. Winograd's algorithm needs fewer than
    /// direct convolution.
    fn performed_multiply_adds(&self, network: &Network) -> f64 {
        let saved = network.saved_multiply_adds(self.size.width(), self.size.height());
        self.multiply_adds - saved as f64
    }

    /// Prints a line above the progress bar.
    fn print_line(&self, text: impl Display) -> anyhow::Result<()> {
        self.bar.suspend(|| print(format!("{text}\n")))
    }

    /// Prints the evaluation speeds and returns a line that describes the fastest configuration.
    ///
    /// The printed peak is the measured speed of multiply-adds in the number format of the network, without any other
    /// work.
    fn print_evaluations(
        &self,
        network: &NetworkEvaluator,
        positions: &[Position],
        thread_counts: &[usize],
        batch_sizes: &[usize],
    ) -> anyhow::Result<String> {
        let format = network.network().dtype();
        let peak = network.network().measure_peak_multiply_adds();
        let multiply_adds = self.performed_multiply_adds(network.network());
        let mut best = (0.0, 0, 0);
        for &threads in thread_counts {
            for &batch in batch_sizes {
                self.bar.set_message(format!(
                    "{format}, {}, batch {batch}",
                    counted(threads, "thread")
                ));
                let speed = positions_per_second(
                    network,
                    positions,
                    threads,
                    batch,
                    EVALUATION_MEASURE_TIME,
                )?;
                let share = peak.map_or_else(String::new, |peak| {
                    let share = speed * multiply_adds / (peak * threads as f64);
                    format!("{:.1}%", 100.0 * share)
                });
                self.bar.inc(1);
                let format = format.name();
                self.print_line(format_args!(
                    "{format:16} {threads:7} {batch:6} {speed:12.1} {share:>14}"
                ))?;
                if speed > best.0 {
                    best = (speed, threads, batch);
                }
            }
        }
        if let Some(peak) = peak {
            let billions = peak / 1e9;
            self.print_line(format_args!(
                "peak in {format}: {billions:.1} billion multiply-adds per second and thread"
            ))?;
        }
        let (speed, threads, batch) = best;
        Ok(format!(
            "positions/s best {speed:.1} (threads {threads}, batch {batch})"
        ))
    }

    /// Prints the search speeds and returns a line that describes the fastest configuration.
    fn print_searches(
        &self,
        network: &Arc<NetworkEvaluator>,
        positions: &[Position],
        plan: &MeasurementPlan,
    ) -> anyhow::Result<String> {
        let SearchPlan {
            positions: count,
            visits,
        } = plan.searches;
        self.print_line(format_args!(
            "{}, {} each",
            counted(count, "position"),
            counted(visits, "visit")
        ))?;
        self.print_line("threads  batch  visits/s  positions/s  speed-up  collisions  cache hits")?;
        let mut single_thread_speed = None;
        let mut best = (0.0, 0);
        for &threads in &plan.thread_counts {
            self.bar
                .set_message(format!("search, {}", counted(threads, "thread")));
            let batch = plan.batch_size;
            let batch = batch.unwrap_or_else(|| default_batch_size(&**network, threads));
            let total =
                self.measure_searches(network, &positions[..count], (threads, batch), visits)?;
            let speed = total.per_second(total.visits);
            self.print_line(format_args!(
                "{threads:7} {batch:6} {speed:9.1} {:12.1} {:9.2} {:10.1}% {:10.1}%",
                total.per_second(total.evaluations),
                speed / *single_thread_speed.get_or_insert(speed),
                100.0 * total.collisions as f64 / total.visits as f64,
                100.0 * total.cache_hits as f64 / total.cache_lookups.max(1) as f64,
            ))?;
            if speed > best.0 {
                best = (speed, threads);
            }
        }
        let (speed, threads) = best;
        Ok(format!("visits/s best {speed:.1} (threads {threads})"))
    }

    fn measure_searches(
        &self,
        network: &Arc<NetworkEvaluator>,
        positions: &[Position],
        (threads, batch_size): (usize, usize),
        visits: u64,
    ) -> anyhow::Result<SearchTotals> {
        let mut total = SearchTotals::default();
        for position in positions {
            // Each search gets a new cache, so that the measurements are independent.
            let base = BaseEvaluator::Network(Arc::clone(network));
            let settings = StackSettings {
                max_concurrent_batches: threads,
                ..StackSettings::default()
            };
            let stack = EvaluatorStack::new(base, settings);
            let measured = measure_search(position, stack.evaluator, threads, batch_size, visits)?;
            total.add(&measured);
            if let Some(cache) = &stack.cache {
                let statistics = cache.stats();
                total.cache_hits += statistics.hits;
                total.cache_lookups += statistics.hits + statistics.misses;
            }
            self.bar.inc(1);
        }
        Ok(total)
    }
}

/// Measurements summed over all positions.
#[derive(Default)]
struct SearchTotals {
    visits: u64,
    evaluations: u64,
    collisions: u64,
    nodes: usize,
    cache_hits: u64,
    cache_lookups: u64,
    time: Duration,
}

impl SearchTotals {
    fn add(&mut self, measured: &SearchMeasurement) {
        self.visits += measured.visits;
        self.evaluations += measured.evaluations;
        self.collisions += measured.collisions;
        self.nodes += measured.nodes;
        self.time += measured.time;
    }

    fn per_second(&self, count: u64) -> f64 {
        count as f64 / self.time.as_secs_f64()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::TestCli;
    use clap::Parser;

    fn accepts(line: &str) -> bool {
        TestCli::<Args>::try_parse_from(line.split(' ')).is_ok_and(|line| line.args.size > 0)
    }

    #[test]
    fn network_options_need_network() {
        for option in [
            "--size 9",
            "--threads 2",
            "--batch-size 4",
            "--precision f32",
        ] {
            assert!(!accepts(&format!("bench {option}")), "{option}");
            assert!(!accepts(&format!("bench --visits 9 {option}")), "{option}");
            for network in ["--net", "--weights F", "--net --weights F"] {
                assert!(accepts(&format!("bench {network} {option}")), "{option}");
            }
        }
        assert!(accepts("bench") && accepts("bench --visits 9"));
    }

    #[test]
    fn slow_networks_are_measured_with_fewer_positions() {
        let plan = |positions, visits| SearchPlan { positions, visits };
        for (speed, batches, expected) in [
            (1000.0, 4, plan(6, 800)),
            (30.0, 4, plan(6, 100)),
            // 40 visits in 20 seconds.
            (2.0, 4, plan(2, 20)),
            (0.5, 2, plan(1, 10)),
            (0.001, 1, plan(1, 2)),
        ] {
            assert_eq!(SearchPlan::new(speed, 6), expected, "{speed}");
            assert_eq!(batch_sizes(speed, 1), [1, 2, 4, 8][..batches], "{speed}");
        }
    }
}
