//! Parser for KataGo networks: binary and text files of versions 3 to 17, optionally compressed (`.bin.gz` and
//! `.txt.gz`).
//!
//! For arbitrary input, [`read`] returns either a checked description or an error that states the location, usually the
//! name of the layer in the file. A file contains a header, the trunk with its blocks, the policy head and the value
//! head. In the description, each batch norm is folded into a scale and a shift, and each bias is part of the layer of
//! the preceding matrix. All other numbers are unchanged.
//!
//! Layer order and version differences follow KataGo's `cpp/neuralnet/spec.cpp`.

mod blocks;
mod heads;
mod layers;

use super::stream::Stream;
use crate::net::error::NetError;
use crate::net::spec::check::{MAX_BLOCKS, MAX_OUTPUT_MULTIPLIER, MAX_WIDTH};
use crate::net::spec::{
    Inputs, KataReadout, NetSpec, PROFILE_LEN, ProfileEncoder, Readout, Stem, TrunkNorm,
};
use blocks::blocks;
use heads::{policy, value};
use layers::LayerReader;

type Read<T> = Result<T, NetError>;

/// Supported file versions.
const VERSIONS: std::ops::RangeInclusive<u8> = 3..=17;
/// First file version that contains the output multipliers.
const EXPLICIT_MULTIPLIERS_VERSION: u8 = 13;
/// First file version with flags for the player profile, for suicide and for the trunk's last norm.
const OPTION_FLAGS_VERSION: u8 = 15;

/// Reads a network.
///
/// # Errors
/// Returns [`NetError::Layer`] or [`NetError::Value`] for invalid contents, [`NetError::UnexpectedEnd`] for a file that
/// ends too early, and [`NetError::Stream`] if reading fails.
pub fn read(stream: Stream) -> Result<NetSpec, NetError> {
    let mut layers = LayerReader::new(stream);
    let name = layers.begin_layer("the net")?;
    let expected = format!("a version from {} to {}", VERSIONS.start(), VERSIONS.end());
    layers.version = layers.valid_number(&expected, |found| VERSIONS.contains(found))?;
    let version = inputs_version(layers.version);
    let inputs = |suicide_areas| Inputs::KataGo {
        version,
        suicide_areas,
    };
    let (planes, globals) = (inputs(false).planes(), inputs(false).globals());
    layers.expect_count("planes", planes)?;
    layers.expect_count("global inputs", globals)?;
    let readout = Readout::KataGo(read_output_multipliers(&mut layers)?);
    let has_flags = layers.version >= OPTION_FLAGS_VERSION;
    let profiled = has_flags && layers.flag("a profile")?;
    let suicide_areas = has_flags && layers.flag("areas as if suicide were legal")?;
    layers.expect_zero_options(if has_flags { 6 } else { 0 })?;

    layers.begin_layer("the trunk")?;
    let count = layers.count_up_to("blocks", MAX_BLOCKS)?;
    let channels = layers.count_up_to("channels", MAX_WIDTH)?;
    for what in ["inner", "regular", "dilated", "pooled"] {
        let expected = format!("the number of {what} channels");
        layers.valid_number(&expected, |_: &i64| true)?;
    }
    let rms = has_flags && layers.flag("an RMS norm at the end")?;
    layers.expect_zero_options(if has_flags { 5 } else { 0 })?;
    let net = NetSpec {
        name,
        note: None,
        ranges: None,
        inputs: inputs(suicide_areas),
        stem: Stem {
            conv: layers.conv(planes, Some(channels))?,
            global: Some(layers.linear(globals, Some(channels))?),
            profile: match profiled {
                true => Some(profile(&mut layers, channels)?),
                false => None,
            },
            norm: None,
        },
        blocks: blocks(&mut layers, count, channels, 0)?,
        trunk_norm: trunk_norm(&mut layers, channels, rms)?,
        policy: policy(&mut layers, channels)?,
        value: value(&mut layers, channels, readout.score_outputs())?,
        readout,
    };
    layers.expect_end()?;
    net.checked()
}

/// Maps a file version to the version of its input features.
const fn inputs_version(version: u8) -> u8 {
    match version {
        ..=4 => 3,
        5 => 4,
        6 => 5,
        7 => 6,
        8.. => 7,
    }
}

/// Reads the output multipliers. For files before version 13, which do not contain multipliers, returns fixed values.
fn read_output_multipliers(layers: &mut LayerReader) -> Read<KataReadout> {
    let mut readout = KataReadout {
        version: layers.version,
        score_mean: 20.0,
        score_deviation: 20.0,
        lead: 20.0,
        variance_time: 40.0,
        value_error: 0.25,
        score_error: 30.0,
    };
    if layers.version >= EXPLICIT_MULTIPLIERS_VERSION {
        let mut multiplier =
            |of: &str| layers.positive_f32(MAX_OUTPUT_MULTIPLIER, &format!("multiplier of {of}"));
        // The first multiplier belongs to an output that is used only in training.
        multiplier("the score's differences")?;
        readout.score_mean = multiplier("the score")?;
        readout.score_deviation = multiplier("the score's deviation")?;
        readout.lead = multiplier("the lead")?;
        readout.variance_time = multiplier("the time left")?;
        readout.value_error = multiplier("the value's error")?;
        readout.score_error = multiplier("the score's error")?;
    }
    Ok(readout)
}

/// Reads the encoder of the player profile.
fn profile(layers: &mut LayerReader, channels: usize) -> Read<ProfileEncoder> {
    layers.begin_layer("the profile encoder")?;
    layers.expect_count("inputs", PROFILE_LEN)?;
    let first = layers.biased_linear(PROFILE_LEN, None)?;
    let first_activation = layers.activation()?;
    let second = layers.biased_linear(first.outputs, None)?;
    let second_activation = layers.activation()?;
    Ok(ProfileEncoder {
        out: layers.linear(second.outputs, Some(channels))?,
        first,
        first_activation,
        second,
        second_activation,
    })
}

fn trunk_norm(layers: &mut LayerReader, channels: usize, rms: bool) -> Read<TrunkNorm> {
    Ok(match rms {
        true => TrunkNorm::Rms {
            norm: layers.rms_norm(channels, true)?,
            act: layers.activation()?,
        },
        false => TrunkNorm::Affine {
            norm: layers.batch_norm(channels)?,
            act: layers.activation()?,
        },
    })
}
