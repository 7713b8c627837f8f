//! `honinbo bench`: the signature and speed of the search, and its speed with a network on many threads.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use honinbo::bench::{Measured, SIGNATURE_VISITS, cases, joined, measure, measure_hashed};
use honinbo::encode::katago::profile::Profile;
use honinbo::eval::embedded;
use honinbo::eval::network::NetworkEvaluator;
use honinbo::eval::stack::{Judge, Stack, StackSettings};
use indicatif::{ProgressBar, ProgressStyle};

/// Visits of a position with the network.
const NET_VISITS: u64 = 200;

#[derive(clap::Args)]
pub struct Args {
    /// Search with the network, on 1, 2, 4, ... threads
    #[arg(long)]
    net: bool,
    /// The network to search with, instead of the one inside the program
    #[arg(long, value_name = "FILE")]
    weights: Option<PathBuf>,
    /// Visits of each position [default: 2000, with the network 200]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    visits: Option<u64>,
    /// Most threads to try with the network [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    threads: Option<u32>,
}

/// Prints a table of what was measured.
pub fn run(args: &Args) -> anyhow::Result<()> {
    if args.net || args.weights.is_some() {
        with_network(args)
    } else {
        with_hashes(args.visits.unwrap_or(SIGNATURE_VISITS))
    }
}

fn with_hashes(visits: u64) -> anyhow::Result<()> {
    println!("position         visits    nodes  visits/s         signature");
    let mut all = Total::default();
    let mut signatures = Vec::new();
    for case in cases() {
        let measured = measure_hashed(&case.position, visits)?;
        all.add(&measured);
        signatures.push(measured.signature);
        println!(
            "{:15} {:7} {:8} {:9.0}  {:016x}",
            case.name,
            measured.visits,
            measured.nodes,
            measured.visits as f64 / measured.time.as_secs_f64(),
            measured.signature
        );
    }
    println!(
        "{:15} {:7} {:8} {:9.0}  {:016x}",
        "all",
        all.visits,
        all.nodes,
        all.per_second(all.visits),
        joined(signatures)
    );
    Ok(())
}

fn with_network(args: &Args) -> anyhow::Result<()> {
    let network = network(args.weights.as_deref())?;
    let most = match args.threads {
        Some(threads) => threads as usize,
        None => std::thread::available_parallelism().map_or(1, usize::from),
    };
    let visits = args.visits.unwrap_or(NET_VISITS);
    println!(
        "net {}, {visits} visits of each position",
        network.network().name()
    );
    println!("threads  visits/s  positions/s  speed-up  collisions");
    // The first evaluations set things up.
    for_all_cases(&network, 1, 2)?;
    let mut alone = None;
    for threads in thread_counts(most) {
        let all = for_all_cases(&network, threads, visits)?;
        let speed = all.per_second(all.visits);
        println!(
            "{threads:7} {speed:9.1} {:12.1} {:9.2} {:10.1}%",
            all.per_second(all.evaluations),
            speed / *alone.get_or_insert(speed),
            100.0 * all.collisions as f64 / all.visits as f64
        );
    }
    Ok(())
}

fn network(weights: Option<&Path>) -> anyhow::Result<Arc<NetworkEvaluator>> {
    match weights {
        None => Ok(embedded::network()?),
        Some(path) => Ok(Arc::new(
            NetworkEvaluator::read(path, Profile::default()).context("--weights")?,
        )),
    }
}

/// 1, 2, 4 and so on, and `most` at the end.
fn thread_counts(most: usize) -> impl Iterator<Item = usize> {
    let powers = std::iter::successors(Some(1), |count| Some(2 * count));
    powers.take_while(move |&count| count < most).chain([most])
}

fn for_all_cases(
    network: &Arc<NetworkEvaluator>,
    threads: usize,
    visits: u64,
) -> anyhow::Result<Total> {
    let cases = cases();
    let style = ProgressStyle::with_template("{msg} {bar:40} {pos}/{len}")?;
    let progress = ProgressBar::new(cases.len() as u64)
        .with_style(style)
        .with_message(format!("{threads} threads"));
    let mut all = Total::default();
    for case in progress.wrap_iter(cases.iter()) {
        // A cache of its own: no row has what another one evaluated.
        let stack = Stack::new(
            Judge::Network(Arc::clone(network)),
            StackSettings::default(),
        );
        all.add(&measure(&case.position, stack.evaluator, threads, visits)?);
    }
    progress.finish_and_clear();
    Ok(all)
}

/// Sums over positions.
#[derive(Default)]
struct Total {
    visits: u64,
    evaluations: u64,
    collisions: u64,
    nodes: usize,
    time: Duration,
}

impl Total {
    fn add(&mut self, measured: &Measured) {
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
