//! The game counted: its dead stones taken off, or the worst of what could be called dead.

use std::time::Instant;

use super::Engine;
use super::dead::{dead_at_worst, dead_stones};
use super::ownership::{COMMON_SEED, Ownership};
use super::status::Status;
use crate::eval::{EvalError, Evaluator};
use crate::game::point::Move;
use crate::game::pointset::PointSet;
use crate::game::position::Position;
use crate::game::score::{Count, count};

impl Engine {
    /// What becomes of every point if the game is counted now.
    ///
    /// # Errors
    /// When an evaluation fails.
    pub fn status(&self) -> Result<Status, EvalError> {
        Ok(Status::new(self.position(), self.dead_at_end()?))
    }

    /// The position counted with its dead stones taken off.
    ///
    /// # Errors
    /// When an evaluation fails.
    pub fn final_count(&self) -> Result<Count, EvalError> {
        let dead = self.dead_at_end()?;
        Ok(count(self.position(), &dead))
    }

    /// The worst count that the side to move must fear if the game ended with a pass of its own now: wherever the
    /// judgement that [`final_count`](Self::final_count) would then be made by leaves a doubt, against it. No stones are
    /// read after `due`.
    ///
    /// # Errors
    /// When an evaluation fails.
    pub(super) fn worst_count_after_pass(
        &self,
        position: &Position,
        due: Option<Instant>,
    ) -> Result<Count, EvalError> {
        let mut passed = position.clone();
        passed.play_legal(position.to_move(), Move::Pass);
        if counts_every_stone(&passed) {
            return Ok(count(&passed, &PointSet::EMPTY));
        }
        let ownership = self.ownership_at(&passed)?;
        let dead = dead_at_worst(&passed, &ownership, position.to_move(), due);
        Ok(count(&passed, &dead))
    }

    fn dead_at_end(&self) -> Result<PointSet, EvalError> {
        dead_at_end(&*self.base, self.position(), COMMON_SEED)
    }
}

/// The stones to be taken off if the game is counted now: the [`dead_stones`] by [`Ownership::judged`], or
/// none where play has ended under rules that count every stone left.
///
/// # Errors
/// When an evaluation fails.
pub fn dead_at_end(
    base: &dyn Evaluator,
    position: &Position,
    seed: u64,
) -> Result<PointSet, EvalError> {
    if counts_every_stone(position) {
        return Ok(PointSet::EMPTY);
    }
    let ownership = Ownership::judged(base, position, seed)?;
    Ok(dead_stones(position, &ownership, None))
}

/// Whether play has ended under rules that count every stone left on the board as alive.
fn counts_every_stone(position: &Position) -> bool {
    position.ended() && !position.rules().removes_dead_stones()
}
