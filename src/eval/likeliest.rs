//! Which of several moves an evaluator expects.

use super::orient::{Orient, Orientation};
use super::stack::Shared;
use super::{EvalError, Evaluation, Evaluator, Request, evaluate_one};
use crate::game::point::Move;
use crate::game::position::Position;

/// The move of the highest prior, which is the mean over all symmetries of the board; the first of equals. `None` where
/// there are no moves, or the evaluator does not play on such a board.
///
/// # Errors
/// When the evaluator fails.
pub fn likeliest(
    evaluator: Shared,
    position: &Position,
    moves: &[Move],
) -> Result<Option<Move>, EvalError> {
    let size = position.size();
    if moves.is_empty() || !evaluator.plays_on(size) {
        return Ok(None);
    }
    let in_all_symmetries = Orient::new(evaluator, Orientation::Average);
    let Evaluation { policy, .. } = evaluate_one(&in_all_symmetries, Request::new(position))?;
    let prior = |mv: Move| policy[size.move_index(mv)];
    let better = |best: Move, mv: Move| if prior(mv) > prior(best) { mv } else { best };
    Ok(moves.iter().copied().reduce(better))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::hashed::Hashed;
    use crate::eval::uniform::Uniform;
    use crate::game::point::BoardSize;
    use crate::game::rules::Rules;
    use std::sync::Arc;

    #[test]
    fn it_is_the_one_of_the_highest_prior() {
        let size = BoardSize::new(5, 4).unwrap();
        let position = Position::new(size, Rules::default());
        let moves: Vec<Move> = size.points().map(Move::Play).collect();
        let of =
            |evaluator: Shared, moves: &[Move]| likeliest(evaluator, &position, moves).unwrap();
        let hashed: Shared = Arc::new(Hashed);
        let first = of(Arc::clone(&hashed), &moves).unwrap();
        let mut rest = moves.clone();
        rest.rotate_left(7);
        assert_eq!(of(Arc::clone(&hashed), &rest), Some(first), "in any order");
        rest.retain(|mv| *mv != first);
        let second = of(Arc::clone(&hashed), &rest).unwrap();
        assert_eq!(of(hashed, &[second, first]), Some(first));
        assert_eq!(of(Arc::new(Uniform), &rest), rest.first().copied());
        assert_eq!(of(Arc::new(Uniform), &[]), None);
    }
}
