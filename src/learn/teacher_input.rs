//! Samples for a trainer that asks a teacher itself, as one on a GPU does: they carry what KataGo's nets take as input.

use crate::encode::katago::{KataEncoder, KataInputVersion, KataOptions};
use crate::game::position::Position;
use crate::game::symmetry::Symmetry;

/// The version of the inputs: that of all nets since 2020. Areas are shown under the rules in force.
pub const TEACHER_INPUTS: KataInputVersion = KataInputVersion::V7;

/// How a trainer is to mix what a teacher says with what the games tell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TargetMix {
    /// The share of the policy that is the move played, from 0 to 1.
    pub played_weight: f32,
    /// The share of result, lead and owners that the game's end gives, from 0 to 1.
    pub outcome_weight: f32,
    /// Whether positions are to be put under a komi that makes them about even; the game's end teaches nothing then.
    pub balance_komi: bool,
}

/// A position as the teacher takes it, from the side of the player to move.
#[derive(Clone, Debug, PartialEq)]
pub struct TeacherInput {
    /// The planes, each in reading order, values 0 or 1.
    pub planes: Vec<i8>,
    /// The global vector.
    pub globals: Vec<f32>,
}

/// Writes such inputs; keeps its scratch.
#[derive(Debug, Default)]
pub struct TeacherInputEncoder {
    encoder: KataEncoder,
    planes: Vec<f32>,
}

impl TeacherInputEncoder {
    /// `position` as seen through `symmetry`.
    pub fn encode(&mut self, position: &Position, symmetry: Symmetry) -> TeacherInput {
        let area = position.size().area();
        self.planes.resize(TEACHER_INPUTS.plane_count() * area, 0.0);
        let mut globals = vec![0.0; TEACHER_INPUTS.global_count()];
        self.encoder.encode(
            TEACHER_INPUTS,
            position,
            symmetry,
            KataOptions::default(),
            &mut self.planes,
            &mut globals,
        );
        TeacherInput {
            planes: self.planes.iter().map(|&x| x as i8).collect(),
            globals,
        }
    }
}
