//! Moves without a search: drawn from what the evaluator thinks of them at first sight.

use crate::engine::decision;
use crate::eval::stack::SharedEvaluator;
use crate::eval::{EvalError, Request, evaluate_one};
use crate::game::point::{BoardSize, Move};
use crate::game::pointset::PointSet;
use crate::game::position::Position;
use crate::learn::search_target::SearchTarget;
use crate::random::Rng;
use crate::search::restriction::Restriction;

/// The moves that a player looks at: no stones where Benson's algorithm says that nothing is left to do, and no pass
/// before there are stones enough for the game to be over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CandidateMoves {
    points: PointSet,
    allows_pass: bool,
    /// The same for a search.
    pub restriction: Restriction,
}

impl CandidateMoves {
    /// Those of a position; at least the pass.
    #[must_use]
    pub fn of(position: &Position) -> Self {
        let restriction = decision::sensible_moves(position);
        let allowed = |&point: &_| restriction.allows(Move::Play(point));
        let points: PointSet = position.legal_points().iter().filter(allowed).collect();
        Self {
            points,
            allows_pass: restriction.allows(Move::Pass),
            restriction,
        }
    }

    fn moves(&self) -> impl Iterator<Item = Move> {
        let pass = self.allows_pass.then_some(Move::Pass);
        self.points.iter().map(Move::Play).chain(pass)
    }
}

/// A move and what its player thought.
#[derive(Clone, Debug, PartialEq)]
pub struct MoveChoice {
    /// The move.
    pub mv: Move,
    /// The player's chance to win, 0 to 1.
    pub winrate: f64,
    /// What is to be learnt, where there was a thorough search.
    pub target: Option<SearchTarget>,
}

/// A move drawn in proportion to `prior^(1/temperature)`.
///
/// # Errors
/// When the evaluation fails.
pub fn choose_move(
    evaluator: &SharedEvaluator,
    position: &Position,
    candidates: &CandidateMoves,
    temperature: f64,
    rng: &mut Rng,
) -> Result<MoveChoice, EvalError> {
    let evaluation = evaluate_one(&**evaluator, Request::new(position))?;
    let moves: Vec<Move> = candidates.moves().collect();
    Ok(MoveChoice {
        mv: draw_by_prior(
            position.size(),
            &moves,
            &evaluation.policy,
            temperature,
            rng,
        ),
        winrate: f64::from(1.0 + evaluation.value) / 2.0,
        target: None,
    })
}

/// One of the moves on a board of that size, drawn in proportion to `prior^(1/temperature)`; a pass without moves. The
/// priors are those of all points in reading order, then of the pass.
#[must_use]
pub fn draw_by_prior(
    size: BoardSize,
    moves: &[Move],
    priors: &[f32],
    temperature: f64,
    rng: &mut Rng,
) -> Move {
    let prior = |&mv: &Move| f64::from(priors[size.move_index(mv)]);
    let weights: Vec<f64> = moves.iter().map(prior).collect();
    draw_weighted(moves, &weights, temperature, rng).unwrap_or(Move::Pass)
}

/// One of the moves, drawn in proportion to `weight^(1/temperature)`, or where nothing weighs anything the first; `None`
/// without moves.
#[must_use]
pub fn draw_weighted(
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
    use crate::game::color::Color;
    use crate::game::diagram;
    use crate::game::point::Point;
    use crate::game::rules::Rules;

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
            let sampled = draw_weighted(&moves, &[0.1, 0.2, 0.0], 0.5, &mut rng);
            counts[moves.iter().position(|&mv| Some(mv) == sampled).unwrap()] += 1;
        }
        // 1 to 4.
        assert!(
            counts[0].abs_diff(2_000) < 200 && counts[2] == 0,
            "{counts:?}"
        );
        assert_eq!(
            draw_weighted(&moves, &[0.0; 3], 1.0, &mut rng),
            Some(Move::Pass)
        );
        assert_eq!(draw_weighted(&[], &[], 1.0, &mut rng), None);
    }

    #[test]
    fn candidates_exclude_pointless_moves() {
        let empty = Position::new(BoardSize::new(5, 5).unwrap(), Rules::default());
        let candidates = CandidateMoves::of(&empty);
        assert_eq!(candidates.moves().count(), 25);
        assert!(!candidates.restriction.allows(Move::Pass));
        let settled = diagram::parse(". X . X .\nX X X X X\nO O O O O\n. O . O .").unwrap();
        let settled = Position::from_board(settled, Color::Black, Rules::default());
        assert_eq!(
            CandidateMoves::of(&settled).moves().collect::<Vec<_>>(),
            [Move::Pass]
        );
    }
}
