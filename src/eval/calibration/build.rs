//! Construction of networks for a given precision, with calibration where necessary.

use std::path::Path;

use super::cache_file::RangesFile;
use crate::eval::EvalError;
use crate::net::cpu::calibration::ActivationRanges;
use crate::net::cpu::isa::Isa;
use crate::net::error::NetError;
use crate::net::model::Network;
use crate::net::precision::{DType, Precision};
use crate::net::spec::NetDesc;

/// Builds a network from a validated description.
///
/// `precision` and `isa` determine the arithmetic. Integer arithmetic needs the ranges of all activations. If
/// the description does not contain them, they are read from `folder` or computed by calibration and stored
/// there.
///
/// # Errors
/// Returns an error if the network needs calibration but the engine has no encoder for its inputs.
pub fn build_network(
    desc: &mut NetDesc,
    precision: Precision,
    isa: Isa,
    folder: Option<&Path>,
) -> Result<Network, EvalError> {
    match precision.dtype(isa) {
        // 16-bit floats are only for GPUs.
        DType::F32 | DType::F16 => Ok(Network::with_isa(desc, isa)),
        DType::Bf16 => Ok(Network::bf16(desc, isa)),
        DType::I16 => build_pair_network(desc, isa, folder),
    }
}

fn build_pair_network(
    desc: &mut NetDesc,
    isa: Isa,
    folder: Option<&Path>,
) -> Result<Network, EvalError> {
    if !Network::needs_ranges(desc) {
        return Ok(Network::i16(desc, &ActivationRanges::default(), isa)?);
    }
    // Ranges that do not match the network are ignored.
    let build = |desc: &NetDesc, numbers: Vec<f32>| {
        Network::i16(desc, &ActivationRanges::new(numbers), isa).ok()
    };
    if let Some(network) = desc.ranges.clone().and_then(|numbers| build(desc, numbers)) {
        return Ok(network);
    }
    let cache_file = folder.map(|folder| RangesFile::for_network(desc, folder));
    let cached = cache_file.as_ref().and_then(RangesFile::read);
    if let Some(network) = cached.and_then(|numbers| build(desc, numbers)) {
        return Ok(network);
    }
    let ranges = super::ranges(desc, isa)?;
    match Network::i16(desc, &ranges, isa) {
        Ok(network) => {
            if let Some(cache_file) = cache_file {
                cache_file.write(ranges.values());
            }
            Ok(network)
        }
        // The activations are too large for integers. The network runs in f32, where evaluation reports values that are
        // not finite.
        Err(NetError::Ranges { .. }) => Ok(Network::with_isa(desc, isa)),
        Err(error) => Err(error.into()),
    }
}
