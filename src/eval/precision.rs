//! Networks from descriptions, in the precision that is asked for.

use std::path::Path;

use super::EvalError;
use super::calibration::{self, cache_file::RangesFile};
use crate::net::desc::NetDesc;
use crate::net::error::NetError;
use crate::net::kernels::ranges::Ranges;
use crate::net::kernels::vocabulary::Vocabulary;
use crate::net::model::Network;
use crate::net::precision::{Arithmetic, Precision};

/// The network of a description that has been checked, in the precision asked for, which decides with `vocabulary` what
/// is multiplied. A network to run in integers whose description has no ranges is calibrated, unless `folder` keeps its
/// ranges; they are kept there then.
///
/// # Errors
/// When a network to be calibrated takes inputs that are not written here.
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
    // Ranges that do not fit are as good as none.
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
    let ranges = calibration::ranges(desc, vocabulary)?;
    match Network::paired(desc, &ranges, vocabulary) {
        Ok(network) => {
            if let Some(cache_file) = cache_file {
                cache_file.write(ranges.numbers());
            }
            Ok(network)
        }
        // Its numbers go beyond all bounds: no integers can hold them, and f32 says so where it must.
        Err(NetError::Ranges { .. }) => Ok(Network::with_vocabulary(desc, vocabulary)),
        Err(error) => Err(error.into()),
    }
}
