//! `--weights`: the network of a file, or the one inside the program.

use std::path::Path;
use std::sync::Arc;

use anyhow::Context;
use honinbo::encode::katago::profile::Profile;
use honinbo::eval::embedded;
use honinbo::eval::network::NetworkEvaluator;
use honinbo::net::precision::Precision;

/// The network, calibrated by that many threads if it has to be; 0 are all cores.
pub fn load_network(
    file: Option<&Path>,
    profile: Profile,
    precision: Precision,
    threads: usize,
) -> anyhow::Result<Arc<NetworkEvaluator>> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let load = || embedded::network_or_default(file, profile, precision);
    let network = pool.context("--threads")?.install(load);
    match file {
        Some(_) => network.context("--weights"),
        None => Ok(network?),
    }
}
