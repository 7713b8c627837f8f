//! Calibration: how large the numbers inside a network are on positions inside the program ([`positions`]), so that it
//! can run in integers; and where that is kept ([`kept`]).

pub mod cache_file;
pub mod positions;

use rayon::prelude::*;

use super::EvalError;
use super::input::{InputBatch, InputFormat};
use crate::encode::katago::profile::Profile;
use crate::game::position::Position;
use crate::game::symmetry::Symmetry;
use crate::net::desc::NetDesc;
use crate::net::kernels::ranges::Ranges;
use crate::net::kernels::vocabulary::Vocabulary;
use crate::net::model::Network;

/// Who plays, for networks that are told: one after the other. As there are not so many of them as positions of a game,
/// all come to play openings and ends.
const PROFILES: [&str; 6] = [
    "",
    "rank_20k",
    "rank_3k",
    "preaz_9d",
    "proyear_1950",
    "proyear_2023",
];

/// The ranges of a network on those of the positions that it can play on, looked at by all threads of the pool at hand.
/// They are the same on every machine but for rounding.
///
/// # Errors
/// When nothing here writes what the network looks at.
pub fn ranges(desc: &NetDesc, vocabulary: Vocabulary) -> Result<Ranges, EvalError> {
    let network = Network::with_vocabulary(desc, vocabulary);
    let formats = PROFILES.map(|name| {
        let profile = name.parse::<Profile>().expect("they are names of profiles");
        InputFormat::for_network(&network, profile)
    });
    let formats: Vec<InputFormat> = formats.into_iter().collect::<Result<_, _>>()?;
    let mut inputs: Vec<(InputFormat, Position)> = formats
        .into_iter()
        .cycle()
        .zip(positions::positions())
        .collect();
    inputs.retain(|(_, position)| {
        let size = position.size();
        network.plays_on(size.width(), size.height())
    });
    let ranges = inputs
        .par_iter()
        .map(|(format, position)| position_ranges(&network, format, position));
    ranges.try_reduce(Ranges::default, |mut a, b| {
        a.join(&b);
        Ok(a)
    })
}

fn position_ranges(
    network: &Network,
    format: &InputFormat,
    position: &Position,
) -> Result<Ranges, EvalError> {
    let mut input = InputBatch::default();
    input.write(format, [(position, Symmetry::IDENTITY)].into_iter());
    Ok(network.ranges(&[input.as_net_input(position.size(), 0.0)])?)
}
