//! The device on which a network runs, and the check of a GPU before its first use.

use super::EvalError;
use super::calibration::positions;
use super::input::{InputBatch, InputFormat};
use crate::encode::katago::player_profile::Profile;
use crate::game::symmetry::Symmetry;
use crate::io::stderr;
use crate::net::candle::device::{Backend, DeviceChoice};
use crate::net::cpu::isa::Isa;
use crate::net::model::{NetOutput, Network};
use crate::net::precision::Precision;
use crate::net::spec::NetSpec;

/// Maximum accepted difference between the values (from -1 to 1) that a GPU and the CPU compute for the same position.
/// The rounding of 16-bit floats causes a difference of about a tenth of this maximum.
const MAX_VALUE_DIFFERENCE: f32 = 0.05;

/// Device and number format of a network.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DeviceConfig {
    pub device: DeviceChoice,
    /// Number format for this engine's CPU kernels. For candle's operations, the device determines the number format.
    pub precision: Precision,
}

impl DeviceConfig {
    /// Creates a configuration that runs the network on the CPU.
    pub const fn on_cpu(precision: Precision) -> Self {
        Self {
            device: DeviceChoice::Cpu,
            precision,
        }
    }
}

/// Builds a network on a device. Returns `None` if the network is to run on the CPU with this engine's kernels.
///
/// A GPU is accepted only if it computes about the same value for a test position as the CPU (see
/// [`check_agrees_with_cpu`]). If the values disagree or the network cannot be built, [`DeviceChoice::Auto`] falls back
/// to the CPU and reports this on standard error.
///
/// # Errors
/// Returns an error if `device` is not [`DeviceChoice::Auto`] and cannot be used.
pub fn build_on_candle_device(
    spec: &NetSpec,
    device: DeviceChoice,
    isa: Isa,
) -> Result<Option<Network>, EvalError> {
    let Some(backend) = device.open()? else {
        return Ok(None);
    };
    match build_checked(spec, &backend, isa) {
        Ok(network) => Ok(Some(network)),
        Err(error) if device == DeviceChoice::Auto => {
            stderr::eprint_line(format_args!("honinbo: using the CPU: {error}"));
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

fn build_checked(spec: &NetSpec, backend: &Backend, isa: Isa) -> Result<Network, EvalError> {
    let network = Network::with_backend(spec, backend)?;
    if !backend.device.is_cpu() {
        check_agrees_with_cpu(&network, &Network::with_f32(spec, isa))?;
    }
    Ok(network)
}

/// Checks that two instances of the same network, `network` on a GPU and `cpu` on the CPU, compute similar values
/// for a test position. Returns `Ok` without a check if the network does not support the board size of any embedded
/// position.
///
/// # Errors
/// Returns [`EvalError::Device`] if the values differ too much, or another error if the position cannot be evaluated.
pub fn check_agrees_with_cpu(network: &Network, cpu: &Network) -> Result<(), EvalError> {
    let positions = positions::calibration_positions().into_iter();
    let Some(position) = positions.into_iter().find(|position| {
        let size = position.size();
        network.supports_board(size.width(), size.height())
    }) else {
        return Ok(());
    };
    let format = InputFormat::for_network(network, Profile::default())?;
    let mut input = InputBatch::default();
    input.write(&format, [(&position, Symmetry::IDENTITY)].into_iter());
    let input = input.as_encoded_batch(position.size(), 0.0);
    let value = |network: &Network| -> Result<f32, EvalError> {
        let outputs: Vec<NetOutput> = network.evaluate(&input)?;
        Ok(outputs[0].value_estimate.value)
    };
    let (found, cpu) = (value(network)?, value(cpu)?);
    if (found - cpu).abs() > MAX_VALUE_DIFFERENCE {
        return Err(EvalError::Device(format!(
            "the GPU computes {found} for a position that the CPU evaluates as {cpu}: update the GPU driver, or \
             use --device cpu"
        )));
    }
    Ok(())
}
