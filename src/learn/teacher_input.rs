//! Teacher inputs in samples, for a trainer that queries a teacher, usually on a GPU.

use crate::encode::katago::{KataEncoder, KataInputVersion, KataOptions};
use crate::game::position::Position;
use crate::game::symmetry::Symmetry;

/// KataGo input version of the teacher: that of all networks since 2020.
pub const TEACHER_INPUTS: KataInputVersion = KataInputVersion::V7;

/// Weights by which a trainer combines predictions of the teacher with data of the games.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TargetMix {
    /// Weight of the move played in the policy, from 0 to 1.
    pub played_weight: f32,
    /// Weight of the game's end in result, lead and ownership, from 0 to 1.
    pub outcome_weight: f32,
    /// Changes the komi so that positions are roughly even. The end of the game is not used then.
    pub balance_komi: bool,
}

/// An encoded position for the teacher, from the perspective of the player to move.
#[derive(Clone, Debug, PartialEq)]
pub struct TeacherInput {
    /// The planes, with values 0 or 1.
    pub planes: Vec<i8>,
    /// The global inputs.
    pub globals: Vec<f32>,
}

/// Encodes teacher inputs. Its scratch memory is reused.
#[derive(Debug, Default)]
pub struct TeacherInputEncoder {
    encoder: KataEncoder,
    planes: Vec<f32>,
}

impl TeacherInputEncoder {
    /// Encodes `position` under `symmetry`.
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
