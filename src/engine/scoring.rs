//! The game counted: its dead stones taken off, or the worst of what could be called dead.

use std::time::Instant;

use super::Engine;
use super::dead::{dead_stones, dead_stones_at_worst};
use super::ownership::{COMMON_SEED, Ownership};
use super::point_status::FinalStatus;
use crate::eval::{EvalError, Evaluator};
use crate::game::point::Move;
use crate::game::pointset::PointSet;
use crate::game::position::Position;
use crate::game::score::{CountResult, count};

impl Engine {
    /// What becomes of every point if the game is counted now.
    ///
    /// # Errors
    /// When an evaluation fails.
    pub fn final_status(&self) -> Result<FinalStatus, EvalError> {
        Ok(FinalStatus::new(self.position(), self.final_dead_stones()?))
    }

    /// The position counted with its dead stones taken off.
    ///
    /// # Errors
    /// When an evaluation fails.
    pub fn final_count(&self) -> Result<CountResult, EvalError> {
        let dead = self.final_dead_stones()?;
        Ok(count(self.position(), &dead))
    }

    /// The worst count that the side to move must fear if the game ended with a pass of its own now: wherever the
    /// judgement that [`final_count`](Self::final_count) would then be made by leaves a doubt, against it. No stones are
    /// read after `deadline`.
    ///
    /// # Errors
    /// When an evaluation fails.
    pub(super) fn worst_count_after_pass(
        &self,
        position: &Position,
        deadline: Option<Instant>,
    ) -> Result<CountResult, EvalError> {
        let mut after_pass = position.clone();
        after_pass.play_unchecked(position.to_move(), Move::Pass);
        if counts_all_stones_alive(&after_pass) {
            return Ok(count(&after_pass, &PointSet::EMPTY));
        }
        let ownership = self.ownership_at(&after_pass)?;
        let dead = dead_stones_at_worst(&after_pass, &ownership, position.to_move(), deadline);
        Ok(count(&after_pass, &dead))
    }

    fn final_dead_stones(&self) -> Result<PointSet, EvalError> {
        final_dead_stones(&*self.base, self.position(), COMMON_SEED)
    }
}

/// The stones to be taken off if the game is counted now: the [`dead_stones`] by [`Ownership::judged`], or
/// none where play has ended under rules that count every stone left.
///
/// # Errors
/// When an evaluation fails.
pub fn final_dead_stones(
    base: &dyn Evaluator,
    position: &Position,
    seed: u64,
) -> Result<PointSet, EvalError> {
    if counts_all_stones_alive(position) {
        return Ok(PointSet::EMPTY);
    }
    let ownership = Ownership::evaluate(base, position, seed)?;
    Ok(dead_stones(position, &ownership, None))
}

/// Whether play has ended under rules that count every stone left on the board as alive.
fn counts_all_stones_alive(position: &Position) -> bool {
    position.ended() && !position.rules().removes_dead_stones()
}
