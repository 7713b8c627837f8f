//! Chooses moves from the evaluator's policy, without a search.

use crate::eval::stack::SharedEvaluator;
use crate::eval::{EvalError, Request, evaluate_one};
use crate::game::point::Move;
use crate::game::position::Position;
use crate::learn::search_target::SearchTarget;
use crate::random::Rng;
use crate::search::restriction::Restriction;

/// Move chosen in a position, with the win rate and the training target of the position.
#[derive(Clone, Debug, PartialEq)]
pub struct ChosenMove {
    pub mv: Move,
    /// Win rate of the side to move, from 0 to 1.
    pub winrate: f64,
    /// Training target; `None` if there was no full search.
    pub target: Option<SearchTarget>,
}

/// Draws a legal move that `restriction` allows, with probabilities proportional to `prior^(1/temperature)`. Chooses a
/// pass if there is no such move.
///
/// # Errors
/// Returns an error if the evaluation fails.
pub fn choose_move(
    evaluator: &SharedEvaluator,
    position: &Position,
    restriction: &Restriction,
    temperature: f64,
    rng: &mut Rng,
) -> Result<ChosenMove, EvalError> {
    let evaluation = evaluate_one(&**evaluator, Request::new(position))?;
    let moves = allowed_legal_moves(position, restriction);
    let prior = |&mv: &Move| f64::from(evaluation.policy[position.size().move_index(mv)]);
    let weights: Vec<f64> = moves.iter().map(prior).collect();
    Ok(ChosenMove {
        mv: draw_move(&moves, &weights, temperature, rng).unwrap_or(Move::Pass),
        winrate: f64::from(1.0 + evaluation.value) / 2.0,
        target: None,
    })
}

fn allowed_legal_moves(position: &Position, restriction: &Restriction) -> Vec<Move> {
    let points = position.legal_points();
    let moves = points.iter().map(Move::Play).chain([Move::Pass]);
    moves.filter(|&mv| restriction.allows_at_root(mv)).collect()
}

/// Draws a move at random, with probabilities proportional to `weight^(1/temperature)`. Each element of `weights` is
/// the weight of the move at the same index.
///
/// Returns the first move if all weights are 0 or `weights` is empty. Returns `None` if `moves` is empty.
pub(super) fn draw_move(
    moves: &[Move],
    weights: &[f64],
    temperature: f64,
    rng: &mut Rng,
) -> Option<Move> {
    let index = rng
        .sample_with_temperature(weights, temperature)
        .unwrap_or(0);
    moves.get(index).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::decision::sensible_moves;
    use crate::game::color::Color;
    use crate::game::diagram;
    use crate::game::point::{BoardSize, Point};
    use crate::game::rules::Rules;

    #[test]
    fn candidates_exclude_pointless_moves() {
        let candidates =
            |position: &Position| allowed_legal_moves(position, &sensible_moves(position));
        let empty = Position::new(BoardSize::new(5, 5).unwrap(), Rules::default());
        assert_eq!(candidates(&empty).len(), 25);
        assert!(!candidates(&empty).contains(&Move::Pass));
        let settled = diagram::parse_board(". X . X .\nX X X X X\nO O O O O\n. O . O .").unwrap();
        let settled = Position::from_board(settled, Color::Black, Rules::default());
        assert_eq!(candidates(&settled), [Move::Pass]);
    }

    #[test]
    fn low_temperature_sharpens() {
        let moves = [
            Move::Pass,
            Move::Play(Point::at(0, 0)),
            Move::Play(Point::at(1, 0)),
        ];
        let mut rng = Rng::new(1);
        let mut counts = [0_u32; 3];
        for _ in 0..10_000 {
            let sampled = draw_move(&moves, &[0.1, 0.2, 0.0], 0.5, &mut rng);
            counts[moves.iter().position(|&mv| Some(mv) == sampled).unwrap()] += 1;
        }
        // The expected ratio of the first two counts is 1 to 4.
        assert!(
            counts[0].abs_diff(2_000) < 200 && counts[2] == 0,
            "{counts:?}"
        );
        assert_eq!(
            draw_move(&moves, &[0.0; 3], 1.0, &mut rng),
            Some(Move::Pass)
        );
        assert_eq!(draw_move(&[], &[], 1.0, &mut rng), None);
    }
}
