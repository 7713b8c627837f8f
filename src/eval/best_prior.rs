//! Selection of a move by its prior and a weight.

use super::symmetry::evaluate_average;
use super::{EvalError, Evaluation, Evaluator, Request};
use crate::game::point::Move;
use crate::game::position::Position;

/// Returns the move with the highest product of its prior and its weight. Each element of `moves` is a move and its
/// weight. The priors are averaged over all symmetries of the board. If several moves share the highest product, returns
/// the first of them.
///
/// Returns `None` if `moves` is empty or the evaluator does not support the board size.
///
/// # Errors
/// Returns the evaluator's error, or an error if the evaluation is not finite.
pub fn best_prior_move(
    evaluator: &dyn Evaluator,
    position: &Position,
    moves: &[(Move, u64)],
) -> Result<Option<Move>, EvalError> {
    let size = position.size();
    if moves.is_empty() || !evaluator.supports_size(size) {
        return Ok(None);
    }
    let Evaluation { policy, .. } = evaluate_average(evaluator, Request::new(position))?;
    let products =
        { moves.iter() }.map(|&(mv, weight)| (mv, weight as f32 * policy[size.move_index(mv)]));
    let best = products.reduce(|best, other| if other.1 > best.1 { other } else { best });
    Ok(best.map(|(mv, _)| mv))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::hashed::HashEvaluator;
    use crate::eval::uniform::UniformEvaluator;
    use crate::game::point::BoardSize;
    use crate::game::rules::Rules;

    #[test]
    fn returns_move_with_highest_prior() {
        let size = BoardSize::new(5, 4).unwrap();
        let position = Position::new(size, Rules::default());
        let moves: Vec<Move> = size.points().map(Move::Play).collect();
        let best_weighted = |evaluator: &dyn Evaluator, moves: &[(Move, u64)]| {
            best_prior_move(evaluator, &position, moves).unwrap()
        };
        let best_of = |evaluator: &dyn Evaluator, moves: &[Move]| {
            let moves: Vec<_> = moves.iter().map(|mv| (*mv, 1)).collect();
            best_weighted(evaluator, &moves)
        };
        let first = best_of(&HashEvaluator, &moves).unwrap();
        let mut others = moves.clone();
        others.rotate_left(7);
        assert_eq!(
            best_of(&HashEvaluator, &others),
            Some(first),
            "in any order"
        );
        others.retain(|mv| *mv != first);
        let second = best_of(&HashEvaluator, &others).unwrap();
        assert_eq!(best_of(&HashEvaluator, &[second, first]), Some(first));
        let weighted = [(second, 1_000_000), (first, 1)];
        assert_eq!(best_weighted(&HashEvaluator, &weighted), Some(second));
        assert_eq!(best_of(&UniformEvaluator, &others), others.first().copied());
        assert_eq!(best_of(&UniformEvaluator, &[]), None);
    }
}
