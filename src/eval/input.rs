//! Which encoder writes what a network looks at.

use super::EvalError;
use crate::encode::katago::profile::{PROFILE_NUMBERS, Profile};
use crate::encode::katago::{KataEncoder, KataInputs, KataOptions};
use crate::encode::{Encoder, Encoding, leela_zero};
use crate::game::point::BoardSize;
use crate::game::position::Position;
use crate::game::rules::{KoRule, Scoring};
use crate::game::symmetry::Symmetry;
use crate::net::desc::Inputs;
use crate::net::model::{NetInput, Network};

/// The inputs of one network.
#[derive(Clone, Copy, Debug)]
pub(super) struct InputKind {
    planes: Planes,
    /// What the network is told about the players, if it is told of any.
    profile: Option<Profile>,
}

#[derive(Clone, Copy, Debug)]
enum Planes {
    Honinbo(Encoding),
    KataGo(KataInputs, KataOptions),
    LeelaZero,
}

/// The inputs of positions, one after the other, and the scratch to write them.
#[derive(Debug, Default)]
pub(super) struct InputBatch {
    own: Encoder,
    katago: KataEncoder,
    /// `[count, planes, height, width]`
    planes: Vec<f32>,
    /// `[count, globals]`
    globals: Vec<f32>,
    /// `[count, 192]`, or empty.
    profiles: Vec<f32>,
    /// `[count]`: whether the rules know games without result.
    no_result: Vec<bool>,
}

impl InputKind {
    /// The inputs that `network` takes.
    ///
    /// # Errors
    /// When nothing here writes them.
    pub fn of(network: &Network, profile: Profile) -> Result<Self, EvalError> {
        let planes = match network.inputs() {
            Inputs::Honinbo { planes, globals } => {
                let known = Encoding::with_counts(planes, globals);
                Planes::Honinbo(known.ok_or_else(|| unknown(network))?)
            }
            Inputs::KataGo {
                version,
                suicide_areas,
            } => {
                let inputs = KataInputs::version(version).ok_or_else(|| unknown(network))?;
                Planes::KataGo(inputs, KataOptions { suicide_areas })
            }
            Inputs::LeelaZero => Planes::LeelaZero,
        };
        Ok(Self {
            planes,
            profile: network.is_profiled().then_some(profile),
        })
    }

    /// What the network sees turned by `symmetry`, if it is to see the board so.
    pub fn seen(&self, symmetry: Symmetry) -> Symmetry {
        match self.planes {
            Planes::LeelaZero => leela_zero::UNTURNED.then(symmetry),
            _ => symmetry,
        }
    }

    fn counts(&self) -> (usize, usize) {
        match self.planes {
            Planes::Honinbo(encoding) => (encoding.planes(), encoding.globals()),
            Planes::KataGo(inputs, _) => (inputs.plane_count(), inputs.global_count()),
            Planes::LeelaZero => (leela_zero::PLANES, 0),
        }
    }
}

impl InputBatch {
    /// What was written last, on boards of that size, for a policy of so much [`optimism`](NetInput::optimism).
    pub fn on(&self, size: BoardSize, optimism: f32) -> NetInput<'_> {
        NetInput {
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

    /// Writes the inputs of these positions, each seen through its symmetry; all turned boards have the same size.
    pub fn write<'a>(
        &mut self,
        kind: &InputKind,
        positions: impl ExactSizeIterator<Item = (&'a Position, Symmetry)>,
    ) {
        let (planes, globals) = kind.counts();
        let count = positions.len();
        self.no_result.clear();
        self.globals.resize(count * globals, 0.0);
        let profile = kind.profile.map_or(0, |_| PROFILE_NUMBERS);
        self.profiles.resize(count * profile, 0.0);
        for (index, (position, symmetry)) in positions.enumerate() {
            let area = position.size().area();
            self.planes.resize(count * planes * area, 0.0);
            let symmetry = kind.seen(symmetry);
            let out = &mut self.planes[index * planes * area..][..planes * area];
            let numbers = &mut self.globals[index * globals..][..globals];
            match kind.planes {
                Planes::Honinbo(encoding) => {
                    self.own.encode(encoding, position, symmetry, out, numbers);
                }
                Planes::KataGo(inputs, options) => {
                    let katago = &mut self.katago;
                    katago.encode(inputs, position, symmetry, options, out, numbers);
                }
                Planes::LeelaZero => leela_zero::encode(position, symmetry, out),
            }
            if let Some(told) = &kind.profile {
                let numbers = &mut self.profiles[index * profile..][..profile];
                told.write(position.to_move(), area, numbers);
            }
            let rules = position.rules();
            self.no_result
                .push(rules.ko == KoRule::Simple || rules.scoring == Scoring::Territory);
        }
    }
}

fn unknown(network: &Network) -> EvalError {
    let counts =
        |known: Encoding| format!("{} planes and {} globals", known.planes(), known.globals());
    EvalError::Network(format!(
        "net {}: expected {} or {}, found {} planes and {} globals",
        network.name(),
        counts(Encoding::FULL),
        counts(Encoding::CLASSIC),
        network.inputs().planes(),
        network.inputs().globals(),
    ))
}
