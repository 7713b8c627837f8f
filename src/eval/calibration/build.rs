//! Construction of networks for a given precision, with calibration where necessary.

use std::path::PathBuf;

use super::cache_file::RangesFile;
use super::measure_network_ranges;
use super::observer::CalibrationObserver;
use crate::eval::EvalError;
use crate::net::calibration::CalibrationRanges;
use crate::net::cpu::isa::Isa;
use crate::net::error::NetError;
use crate::net::model::Network;
use crate::net::precision::{DType, Precision};
use crate::net::spec::NetSpec;

/// A network that is ready to evaluate positions, and the calibration that it still needs, if any.
#[derive(Debug)]
pub struct BuiltNetwork {
    pub network: Network,
    /// Pending calibration, which is necessary to run the network in 16-bit integers. Until it has been performed, the
    /// network runs in 32-bit floats. `None` if no calibration is necessary.
    pub calibration: Option<PendingCalibration>,
}

/// A calibration that has not been performed yet.
#[derive(Debug)]
pub struct PendingCalibration {
    spec: NetSpec,
    isa: Isa,
    cache_file: Option<RangesFile>,
}

impl BuiltNetwork {
    /// Builds a network from a validated description, without calibrating it.
    ///
    /// `precision` and `isa` determine the number format. For 16-bit integers, the [ranges](CalibrationRanges) of the
    /// network are taken from the description or from a file in `cache_folder`. If neither contains them, the network
    /// has to be calibrated, and the calibration will store the ranges in `cache_folder`.
    ///
    /// # Errors
    /// Returns an error if the network cannot be built in this number format.
    pub fn new(
        spec: NetSpec,
        precision: Precision,
        isa: Isa,
        cache_folder: Option<PathBuf>,
    ) -> Result<Self, EvalError> {
        match precision.dtype(isa) {
            // Only GPUs compute in 16-bit floats.
            DType::F32 | DType::F16 => Ok(Network::with_f32(&spec, isa).into()),
            DType::Bf16 => Ok(Network::with_bf16(&spec, isa).into()),
            DType::I16 if Network::needs_ranges(&spec) => {
                Ok(Self::with_ranges(spec, isa, cache_folder))
            }
            DType::I16 => {
                Ok(Network::with_i16_if_faster(&spec, &CalibrationRanges::default(), isa)?.into())
            }
        }
    }

    /// Builds a network in 16-bit integers if its ranges are known. Otherwise, builds it in 32-bit floats with a
    /// pending calibration. Ranges that do not match the network are ignored.
    fn with_ranges(mut spec: NetSpec, isa: Isa, cache_folder: Option<PathBuf>) -> Self {
        let build = |spec: &NetSpec, ranges: Vec<f32>| {
            Network::with_i16_if_faster(spec, &CalibrationRanges::new(ranges), isa).ok()
        };
        let stored = spec.ranges.clone();
        if let Some(network) = stored.and_then(|ranges| build(&spec, ranges)) {
            return network.into();
        }
        let cache_file = cache_folder.map(|path| RangesFile::for_network(&mut spec, &path));
        let cached = cache_file.as_ref().and_then(RangesFile::read);
        if let Some(network) = cached.and_then(|ranges| build(&spec, ranges)) {
            return network.into();
        }
        Self {
            network: Network::with_f32(&spec, isa),
            calibration: Some(PendingCalibration {
                spec,
                isa,
                cache_file,
            }),
        }
    }

    /// Returns the network, after calibrating it if necessary. If the calibration fails, the network runs in 32-bit
    /// floats.
    pub fn calibrated(self, observer: &dyn CalibrationObserver) -> Network {
        let calibrated = self
            .calibration
            .and_then(|calibration| calibration.run(&self.network, observer));
        calibrated.unwrap_or(self.network)
    }
}

impl From<Network> for BuiltNetwork {
    fn from(network: Network) -> Self {
        Self {
            network,
            calibration: None,
        }
    }
}

impl PendingCalibration {
    /// Measures the ranges with `floats`, the same network in 32-bit floats, on all threads of the current rayon pool.
    /// Stores the ranges in the cache file, if there is one, and returns the network in 16-bit integers.
    ///
    /// Returns `None` if the calibration fails; `observer` receives the error.
    pub fn run(self, floats: &Network, observer: &dyn CalibrationObserver) -> Option<Network> {
        match self.network(floats, observer) {
            Ok(network) => {
                observer.on_success();
                Some(network)
            }
            Err(error) => {
                observer.on_failure(&error);
                None
            }
        }
    }

    fn network(
        &self,
        floats: &Network,
        observer: &dyn CalibrationObserver,
    ) -> Result<Network, EvalError> {
        let ranges = measure_network_ranges(floats, observer)?;
        let network = match Network::with_i16_if_faster(&self.spec, &ranges, self.isa) {
            // The network then runs in 32-bit floats. If values are not finite even there, evaluations report it.
            Err(NetError::Ranges { .. }) => return Err(EvalError::LargeActivations),
            network => network?,
        };
        if let Some(cache_file) = &self.cache_file {
            cache_file.write(ranges.values());
        }
        Ok(network)
    }
}
