//! Construction of networks for a given precision, with calibration where necessary.

use std::path::Path;

use super::cache_file::RangesFile;
use crate::eval::EvalError;
use crate::net::desc::NetDesc;
use crate::net::error::NetError;
use crate::net::kernels::ranges::Ranges;
use crate::net::kernels::vocabulary::Vocabulary;
use crate::net::model::Network;
use crate::net::precision::{Arithmetic, Precision};

/// Builds a network from a validated description.
///
/// `precision` and `vocabulary` determine the arithmetic. Integer arithmetic needs the ranges of all activations. If
/// the description does not contain them, they are read from `folder` or computed by calibration and stored
/// there.
///
/// # Errors
/// Returns an error if the network has to be calibrated and there is no encoder for its inputs.
pub fn build_network(
    desc: &mut NetDesc,
    precision: Precision,
    vocabulary: Vocabulary,
    folder: Option<&Path>,
) -> Result<Network, EvalError> {
    match precision.arithmetic(vocabulary) {
        Arithmetic::F32 => Ok(Network::with_vocabulary(desc, vocabulary)),
        Arithmetic::Tiles => Ok(Network::tiled(desc, vocabulary)),
        Arithmetic::Pairs => build_pair_network(desc, vocabulary, folder),
    }
}

fn build_pair_network(
    desc: &mut NetDesc,
    vocabulary: Vocabulary,
    folder: Option<&Path>,
) -> Result<Network, EvalError> {
    if !Network::needs_ranges(desc) {
        return Ok(Network::paired(desc, &Ranges::default(), vocabulary)?);
    }
    // Ranges that do not match the network are ignored.
    let build = |desc: &NetDesc, numbers: Vec<f32>| {
        Network::paired(desc, &Ranges::new(numbers), vocabulary).ok()
    };
    if let Some(network) = desc.ranges.clone().and_then(|numbers| build(desc, numbers)) {
        return Ok(network);
    }
    let cache_file = folder.map(|folder| RangesFile::for_network(desc, folder));
    let cached = cache_file.as_ref().and_then(RangesFile::read);
    if let Some(network) = cached.and_then(|numbers| build(desc, numbers)) {
        return Ok(network);
    }
    let ranges = super::ranges(desc, vocabulary)?;
    match Network::paired(desc, &ranges, vocabulary) {
        Ok(network) => {
            if let Some(cache_file) = cache_file {
                cache_file.write(ranges.numbers());
            }
            Ok(network)
        }
        // The activations are too large for integers. In f32, evaluation reports values that are not finite.
        Err(NetError::Ranges { .. }) => Ok(Network::with_vocabulary(desc, vocabulary)),
        Err(error) => Err(error.into()),
    }
}
