//! `honinbo bench`: computes the search signature, and measures the speed of a network with and without a search.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use clap::ArgGroup;
use clap::builder::PossibleValuesParser;
use honinbo::bench::architectures;
use honinbo::bench::speed::positions_per_second;
use honinbo::bench::{
    Measurement, SIGNATURE_VISITS, bench_positions, combine_signatures, measure, measure_hashed,
};
use honinbo::encode::katago::profile::Profile;
use honinbo::eval::device::Placement;
use honinbo::eval::network::NetworkEvaluator;
use honinbo::eval::stack::{BaseEvaluator, EvaluatorStack, StackSettings};
use honinbo::eval::{self, Evaluator, embedded};
use honinbo::game::point::BoardSize;
use honinbo::game::position::Position;
use honinbo::game::rules::Rules;
use honinbo::net::candle::device::DeviceChoice;
use honinbo::net::cpu::isa::Isa;
use honinbo::net::formats;
use honinbo::net::precision::Precision;
use honinbo::net::spec::NetDesc;
use honinbo::search::default_batch_size;

use super::process::print;
use super::progress;
use super::threads::core_count;
use super::values::precision_parser;

/// Default number of visits per position for searches with a network.
const NET_VISITS: u64 = 800;
/// Largest batch size to measure on the CPU, in positions per call.
const MAX_CPU_BATCH_SIZE: usize = 8;
/// Largest batch size to measure on a GPU, as a multiple of the preferred one.
const MAX_BATCH_HINTS: usize = 4;
/// Duration of each measurement.
const MEASURE_TIME: Duration = Duration::from_secs(1);

/// Name of the group of options that select a network to measure.
const NETWORK_GROUP: &str = "network";

#[derive(clap::Args)]
#[command(group = ArgGroup::new(NETWORK_GROUP).args(["net", "weights", "shape"]).multiple(true))]
pub struct Args {
    /// Measure the speed of the network, and of a search that uses it, on 1, 2, 4, … threads
    #[arg(long)]
    net: bool,
    /// Network file [default: built-in network]
    #[arg(long, value_name = "FILE")]
    weights: Option<PathBuf>,
    /// Measure a network of this architecture with random weights
    #[arg(long, value_name = "SHAPE", conflicts_with = "weights", value_parser = PossibleValuesParser::new(architectures::names()))]
    shape: Option<String>,
    /// Number format for network evaluation
    #[arg(long, value_parser = precision_parser(), default_value_t, requires = NETWORK_GROUP)]
    precision: Precision,
    /// Device that evaluates the network: auto, cpu, cuda, cuda:N, metal or candle
    #[arg(long, value_name = "DEVICE", default_value_t, requires = NETWORK_GROUP)]
    device: DeviceChoice,
    /// Board size for measuring a network
    #[arg(long, value_name = "N", default_value_t = 19, value_parser = clap::value_parser!(u16).range(2..=19), requires = NETWORK_GROUP)]
    size: u16,
    /// Visits per position [default: 2000, or 800 when a network is measured]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    visits: Option<u64>,
    /// Maximum number of threads when a network is measured [default: one per core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1_024), requires = NETWORK_GROUP)]
    threads: Option<u16>,
    /// Maximum number of positions that each thread of a search evaluates together [default: 1 on the CPU]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1_024), requires = NETWORK_GROUP)]
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
        bench_hashed(args.visits.unwrap_or(SIGNATURE_VISITS))
    }
}

fn bench_hashed(visits: u64) -> anyhow::Result<()> {
    line!("position         visits    nodes  visits/s         signature");
    let mut total = Totals::default();
    let mut signatures = Vec::new();
    for case in bench_positions() {
        let measured = measure_hashed(&case.position, visits)?;
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
    let mut desc = read_network(args)?;
    let network = match args.shape {
        // The ranges for integer arithmetic are computed but not stored, because a network with random weights is not
        // used again.
        Some(_) if args.device.is_cpu() => {
            let isa = Isa::chosen()?;
            let network = eval::calibration::build_network(&mut desc, args.precision, isa, None)?;
            NetworkEvaluator::new(network, Profile::default())?
        }
        _ => {
            let placement = Placement {
                device: args.device,
                precision: args.precision,
            };
            NetworkEvaluator::from_desc(&mut desc, Profile::default(), placement)?
        }
    };
    let network = Arc::new(network);
    let size = BoardSize::new(args.size.into(), args.size.into()).context("--size")?;
    let multiply_adds = desc.multiply_adds(size.area()) as f64;
    drop(desc);
    let peak = network.network().peak_multiply_adds();
    let max_threads = args.threads.map_or_else(core_count, usize::from);
    line!(
        "net {} on {size} in {} ({}): {:.1} million multiply-adds per position{}",
        network.network().name(),
        network.network().dtype(),
        network.network().instructions(),
        multiply_adds / 1e6,
        peak.map_or_else(String::new, |peak| {
            format!("; peak {:.1} billion per second and thread", peak / 1e9)
        })
    );
    let positions = positions(size);
    let evaluations = print_evaluation_speeds(
        &network,
        &positions,
        max_threads,
        peak.map(|peak| multiply_adds / peak),
    )?;
    line!("");
    let searches = print_search_speeds(args, &network, &positions, max_threads)?;
    line!("");
    line!("{evaluations}");
    line!("{searches}");
    let saturated = network.network().saturated_positions();
    if saturated > 0 {
        line!("{saturated} positions exceeded 16-bit integers and were evaluated in 32-bit floats");
    }
    Ok(())
}

/// Returns the benchmark positions with this board size. If there are none, returns the empty board.
fn positions(size: BoardSize) -> Vec<Position> {
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
fn read_network(args: &Args) -> anyhow::Result<NetDesc> {
    match (&args.shape, &args.weights) {
        (Some(shape), _) => architectures::network(shape).context("--shape: no such shape"),
        (_, Some(path)) => formats::read(path).context("--weights"),
        _ => Ok(embedded::description()?),
    }
}

/// Prints a table of evaluation speeds and returns a line about the fastest configuration. `peak_seconds` is the time
/// in seconds that one evaluation would take at the peak arithmetic speed of one processor core, or `None` if this
/// speed is unknown.
fn print_evaluation_speeds(
    network: &NetworkEvaluator,
    positions: &[Position],
    max_threads: usize,
    peak_seconds: Option<f64>,
) -> anyhow::Result<String> {
    line!("threads  batch  positions/s  share of peak");
    // Warm-up.
    positions_per_second(network, positions, max_threads, 1, MEASURE_TIME / 10)?;
    let mut best = (0.0, 0, 0);
    for threads in thread_counts(max_threads) {
        for batch in batch_sizes(network) {
            let speed = positions_per_second(network, positions, threads, batch, MEASURE_TIME)?;
            let share = peak_seconds.map_or_else(String::new, |seconds| {
                format!("{:.1}%", 100.0 * speed * seconds / threads as f64)
            });
            line!("{threads:7} {batch:6} {speed:12.1} {share:>14}");
            if speed > best.0 {
                best = (speed, threads, batch);
            }
        }
    }
    let (speed, threads, batch) = best;
    Ok(format!(
        "positions/s best {speed:.1} (threads {threads}, batch {batch})"
    ))
}

/// Prints a table of search speeds and returns a line about the fastest configuration.
fn print_search_speeds(
    args: &Args,
    network: &Arc<NetworkEvaluator>,
    positions: &[Position],
    max_threads: usize,
) -> anyhow::Result<String> {
    line!("threads  batch  visits/s  positions/s  speed-up  collisions  cache hits");
    let mut single_thread_speed = None;
    let mut best = (0.0, 0);
    for threads in thread_counts(max_threads) {
        let batch = args.batch_size.map(usize::from);
        let batch = batch.unwrap_or_else(|| default_batch_size(&**network, threads));
        let visits = args.visits.unwrap_or(NET_VISITS);
        let total = search_positions(network, positions, (threads, batch), visits)?;
        let speed = total.per_second(total.visits);
        line!(
            "{threads:7} {batch:6} {speed:9.1} {:12.1} {:9.2} {:10.1}% {:10.1}%",
            total.per_second(total.evaluations),
            speed / *single_thread_speed.get_or_insert(speed),
            100.0 * total.collisions as f64 / total.visits as f64,
            100.0 * total.cache_hits as f64 / total.cache_lookups.max(1) as f64,
        );
        if speed > best.0 {
            best = (speed, threads);
        }
    }
    let (speed, threads) = best;
    Ok(format!("visits/s best {speed:.1} (threads {threads})"))
}

/// Returns the batch sizes to measure, in positions per call.
fn batch_sizes(network: &NetworkEvaluator) -> impl Iterator<Item = usize> {
    let max = match network.batch_hint(1) {
        0 | 1 => MAX_CPU_BATCH_SIZE,
        batch_hint => MAX_BATCH_HINTS * batch_hint,
    };
    std::iter::successors(Some(1), |size| Some(2 * size)).take_while(move |&size| size <= max)
}

/// Returns the powers of two below `max_threads`, followed by `max_threads`.
fn thread_counts(max_threads: usize) -> impl Iterator<Item = usize> {
    let powers = std::iter::successors(Some(1), |count| Some(2 * count));
    powers
        .take_while(move |&count| count < max_threads)
        .chain([max_threads])
}

fn search_positions(
    network: &Arc<NetworkEvaluator>,
    positions: &[Position],
    (threads, batch_size): (usize, usize),
    visits: u64,
) -> anyhow::Result<Totals> {
    let bar = progress::bar(positions.len() as u64, "{msg} {bar:40} {pos}/{len}")
        .with_message(format!("{threads} threads"));
    let mut total = Totals::default();
    for position in bar.wrap_iter(positions.iter()) {
        // Each search gets a new cache, so that the measurements are independent.
        let base = BaseEvaluator::Network(Arc::clone(network));
        let settings = StackSettings {
            max_concurrent_batches: threads,
            ..StackSettings::default()
        };
        let stack = EvaluatorStack::new(base, settings);
        let measured = measure(position, stack.evaluator, threads, batch_size, visits)?;
        total.add(&measured);
        if let Some(cache) = &stack.cache {
            let statistics = cache.stats();
            total.cache_hits += statistics.hits;
            total.cache_lookups += statistics.hits + statistics.misses;
        }
    }
    bar.finish_and_clear();
    Ok(total)
}

/// Measurements summed over all positions.
#[derive(Default)]
struct Totals {
    visits: u64,
    evaluations: u64,
    collisions: u64,
    nodes: usize,
    cache_hits: u64,
    cache_lookups: u64,
    time: Duration,
}

impl Totals {
    fn add(&mut self, measured: &Measurement) {
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
}
