//! Chooses moves from the evaluator's policy, without a search.

use crate::engine::decision;
use crate::eval::stack::SharedEvaluator;
use crate::eval::{EvalError, Request, evaluate_one};
use crate::game::point::Move;
use crate::game::pointset::PointSet;
use crate::game::position::Position;
use crate::learn::draw::draw_by_prior;
use crate::learn::search_target::SearchTarget;
use crate::random::Rng;
use crate::search::restriction::Restriction;

/// Candidate moves in a position. Excludes points in settled areas (determined by Benson's algorithm), and the pass if
/// the game cannot be over yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CandidateMoves {
    points: PointSet,
    allows_pass: bool,
    /// The same moves in the form of a search restriction.
    pub restriction: Restriction,
}

impl CandidateMoves {
    /// Returns the candidates in a position. If there are no other candidates, the pass is one.
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

/// Move chosen in a position, with its evaluation.
#[derive(Clone, Debug, PartialEq)]
pub struct MoveChoice {
    pub mv: Move,
    /// Winrate of the side to move, from 0 to 1.
    pub winrate: f64,
    /// Training target; `None` if there was no full search.
    pub target: Option<SearchTarget>,
}

/// Draws a candidate at random, with probabilities proportional to `prior^(1/temperature)`.
///
/// # Errors
/// Returns an error if the evaluation fails.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::color::Color;
    use crate::game::diagram;
    use crate::game::point::BoardSize;
    use crate::game::rules::Rules;

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
