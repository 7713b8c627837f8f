//! Calibration for integer arithmetic.
//!
//! A calibration evaluates embedded [`positions`] and measures the *ranges* of a network: the largest absolute values
//! of its Winograd-transformed activations (see [`CalibrationRanges`]). [`cache_file`] stores the ranges, so that each
//! network is calibrated only once. While [`background`] calibrates a network, the engine can already play with the
//! network in 32-bit floats.

pub mod background;
pub mod build;
pub mod cache_file;
pub mod observer;
pub mod positions;

use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use self::observer::CalibrationObserver;
use super::EvalError;
use super::input::{InputBatch, InputFormat};
use crate::encode::katago::player_profile::Profile;
use crate::game::position::Position;
use crate::game::symmetry::Symmetry;
use crate::net::calibration::CalibrationRanges;
use crate::net::cpu::isa::Isa;
use crate::net::model::Network;
use crate::net::spec::NetSpec;

/// Environment variable that controls when an engine calibrates its network. With the value [`WAIT_VALUE`], the engine
/// calibrates it before responding to the first command. Matches set the variable for their engines, which would
/// otherwise switch to the calibrated network during the first game.
pub const TIMING_ENV_VARIABLE: &str = "HONINBO_CALIBRATION";
/// Value of [`TIMING_ENV_VARIABLE`] that makes an engine wait for the calibration.
pub const WAIT_VALUE: &str = "wait";

/// Player profiles for human-style networks, assigned to the positions in turn. The number of profiles and the number
/// of positions per game are coprime, so that every profile occurs in all phases of the game.
const PROFILES: [&str; 6] = [
    "",
    "rank_20k",
    "rank_3k",
    "preaz_9d",
    "proyear_1950",
    "proyear_2023",
];

/// Measures the ranges of a network on the embedded positions with a supported board size.
///
/// All threads of the current rayon pool take part. The result is the same on all machines except for rounding.
///
/// # Errors
/// Returns an error if there is no encoder for the inputs of the network, or if this build has no CPU kernels.
pub fn measure_ranges(
    spec: &NetSpec,
    isa: Isa,
    observer: &dyn CalibrationObserver,
) -> Result<CalibrationRanges, EvalError> {
    measure_network_ranges(&Network::with_f32(spec, isa), observer)
}

/// Like [`measure_ranges`], but takes a network that has already been built, for the CPU kernels in 32-bit floats.
fn measure_network_ranges(
    network: &Network,
    observer: &dyn CalibrationObserver,
) -> Result<CalibrationRanges, EvalError> {
    let formats = PROFILES.map(|name| {
        let profile = name
            .parse::<Profile>()
            .expect("the names are valid profiles");
        InputFormat::for_network(network, profile)
    });
    let formats: Vec<InputFormat> = formats.into_iter().collect::<Result<_, _>>()?;
    let mut inputs: Vec<(InputFormat, Position)> = formats
        .into_iter()
        .cycle()
        .zip(positions::calibration_positions())
        .collect();
    inputs.retain(|(_, position)| {
        let size = position.size();
        network.supports_board(size.width(), size.height())
    });
    let done = AtomicUsize::new(0);
    let ranges = inputs.par_iter().map(|(format, position)| {
        let ranges = measure_position_ranges(network, format, position)?;
        let done = done.fetch_add(1, Ordering::Relaxed) + 1;
        observer.on_position(done, inputs.len());
        Ok(ranges)
    });
    ranges.try_reduce(CalibrationRanges::default, |mut a, b| {
        a.merge(&b);
        Ok(a)
    })
}

fn measure_position_ranges(
    network: &Network,
    format: &InputFormat,
    position: &Position,
) -> Result<CalibrationRanges, EvalError> {
    let mut input = InputBatch::default();
    input.write(format, [(position, Symmetry::IDENTITY)].into_iter());
    Ok(network.measure_ranges(&[input.as_encoded_batch(position.size(), 0.0)])?)
}
