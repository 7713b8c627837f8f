//! Encoding of positions as network inputs.

use super::EvalError;
use crate::encode::katago::player_profile::{PROFILE_LEN, Profile};
use crate::encode::katago::{KataEncoder, KataInputVersion, KataOptions};
use crate::encode::{Encoder, Encoding, leela_zero};
use crate::game::point::BoardSize;
use crate::game::position::Position;
use crate::game::rules::{KoRule, Scoring};
use crate::game::symmetry::Symmetry;
use crate::net::model::{EncodedBatch, Network};
use crate::net::spec::Inputs;

/// The input format of a network.
#[derive(Clone, Copy, Debug)]
pub(super) struct InputFormat {
    planes: PlaneEncoding,
    /// Player profile, for networks that take one.
    profile: Option<Profile>,
}

#[derive(Clone, Copy, Debug)]
enum PlaneEncoding {
    Honinbo(Encoding),
    KataGo(KataInputVersion, KataOptions),
    LeelaZero,
}

/// Encoded inputs of a batch of positions, and the encoders with their scratch memory.
#[derive(Debug, Default)]
pub(super) struct InputBatch {
    honinbo: Encoder,
    katago: KataEncoder,
    /// `[count, planes, height, width]`
    planes: Vec<f32>,
    /// `[count, globals]`
    globals: Vec<f32>,
    /// `[count, 192]`, or empty if the network takes no player profile.
    profiles: Vec<f32>,
    /// `[count]`: true if the rules allow games without a result.
    no_result: Vec<bool>,
}

impl InputFormat {
    /// Returns the input format of `network`. `profile` has no effect on networks that take no player profile.
    ///
    /// # Errors
    /// Returns an error if there is no encoder for the inputs of the network.
    pub fn for_network(network: &Network, profile: Profile) -> Result<Self, EvalError> {
        let planes = match network.inputs() {
            Inputs::Honinbo { planes, globals } => {
                let encoding = Encoding::with_counts(planes, globals);
                PlaneEncoding::Honinbo(encoding.ok_or_else(|| unsupported_inputs(network))?)
            }
            Inputs::KataGo {
                version,
                suicide_areas,
            } => {
                let inputs = KataInputVersion::from_number(version)
                    .ok_or_else(|| unsupported_inputs(network))?;
                PlaneEncoding::KataGo(inputs, KataOptions { suicide_areas })
            }
            Inputs::LeelaZero => PlaneEncoding::LeelaZero,
        };
        Ok(Self {
            planes,
            profile: network.takes_profile().then_some(profile),
        })
    }

    /// Returns the symmetry under which to encode the board if the caller requests `symmetry`. The two differ only for
    /// networks that were trained on boards in another orientation, such as Leela Zero's.
    pub fn input_symmetry(&self, symmetry: Symmetry) -> Symmetry {
        match self.planes {
            PlaneEncoding::LeelaZero => leela_zero::NATIVE_ORIENTATION.then(symmetry),
            _ => symmetry,
        }
    }

    /// Returns the number of planes and the number of global inputs.
    fn plane_and_global_counts(&self) -> (usize, usize) {
        match self.planes {
            PlaneEncoding::Honinbo(encoding) => (encoding.plane_count(), encoding.global_count()),
            PlaneEncoding::KataGo(inputs, _) => (inputs.plane_count(), inputs.global_count()),
            PlaneEncoding::LeelaZero => (leela_zero::NUM_PLANES, 0),
        }
    }
}

impl InputBatch {
    /// Returns the most recently written batch as network input. `size` is the board size after applying the
    /// symmetries; `optimism` is the weight of the optimistic policy, for networks that have one.
    pub fn as_encoded_batch(&self, size: BoardSize, optimism: f32) -> EncodedBatch<'_> {
        EncodedBatch {
            count: self.no_result.len(),
            width: size.width(),
            height: size.height(),
            planes: &self.planes,
            globals: &self.globals,
            profiles: &self.profiles,
            no_result: &self.no_result,
            optimism,
        }
    }

    /// Replaces the batch: encodes each position under the symmetry paired with it. After the symmetries have been
    /// applied, all boards must have the same size.
    pub fn write<'a>(
        &mut self,
        format: &InputFormat,
        positions: impl ExactSizeIterator<Item = (&'a Position, Symmetry)>,
    ) {
        let (planes, globals) = format.plane_and_global_counts();
        let count = positions.len();
        self.no_result.clear();
        self.globals.resize(count * globals, 0.0);
        let profile_len = format.profile.map_or(0, |_| PROFILE_LEN);
        self.profiles.resize(count * profile_len, 0.0);
        for (index, (position, symmetry)) in positions.enumerate() {
            let area = position.size().area();
            self.planes.resize(count * planes * area, 0.0);
            let symmetry = format.input_symmetry(symmetry);
            let out = &mut self.planes[index * planes * area..][..planes * area];
            let globals_out = &mut self.globals[index * globals..][..globals];
            match format.planes {
                PlaneEncoding::Honinbo(encoding) => {
                    self.honinbo
                        .encode(encoding, position, symmetry, out, globals_out);
                }
                PlaneEncoding::KataGo(inputs, options) => {
                    let katago = &mut self.katago;
                    katago.encode(inputs, position, symmetry, options, out, globals_out);
                }
                PlaneEncoding::LeelaZero => leela_zero::encode(position, symmetry, out),
            }
            if let Some(profile) = &format.profile {
                let profile_out = &mut self.profiles[index * profile_len..][..profile_len];
                profile.encode(position.to_move(), area, profile_out);
            }
            let rules = position.rules();
            self.no_result
                .push(rules.ko == KoRule::Simple || rules.scoring == Scoring::Territory);
        }
    }
}

fn unsupported_inputs(network: &Network) -> EvalError {
    let counts = |encoding: Encoding| {
        format!(
            "{} planes and {} global inputs",
            encoding.plane_count(),
            encoding.global_count()
        )
    };
    EvalError::Network(format!(
        "network {} has unsupported inputs: {} planes and {} global inputs (supported: {}, or {})",
        network.name(),
        network.inputs().planes(),
        network.inputs().globals(),
        counts(Encoding::FULL),
        counts(Encoding::CLASSIC),
    ))
}
