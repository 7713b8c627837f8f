//! A wrapper that evaluates the life of a group instead of the result of the game.

use super::{EvalError, Evaluation, Evaluator, Request, priors};
use crate::game::color::Color;
use crate::game::point::BoardSize;
use crate::game::pointset::PointSet;
use crate::tactics::life::LifeArea;

/// Exponent that flattens the priors. Vital points, such as throw-ins and descents to the first line, are rare in games,
/// so a network gives them low priors even where they decide the life of a group.
const PRIOR_EXPONENT: f32 = 1.0 / 3.0;

/// Evaluator whose value says whether a group lives: for the owner of the group, 1 if it lives and -1 if it dies. The
/// group lives if any of its chains lives, so the value is the highest mean ownership of the points of a chain, whether
/// or not the chain has been captured since. The priors of moves in the area of the group are flatter than those of the
/// wrapped evaluator; all other moves except passes have the prior 0.
///
/// If the wrapped evaluator does not predict ownership, the value is that of the game.
#[derive(Debug)]
pub struct GroupLifeEvaluator<E> {
    inner: E,
    area: LifeArea,
    chains: Vec<PointSet>,
}

impl<E: Evaluator> GroupLifeEvaluator<E> {
    /// Creates an evaluator of the life of the group of `area`.
    pub fn new(inner: E, area: LifeArea) -> Self {
        Self {
            inner,
            area,
            chains: area.group.components().collect(),
        }
    }

    /// Replaces the values of an evaluation, which is from the perspective of `to_move`.
    fn replace_values(&self, size: BoardSize, to_move: Color, evaluation: &mut Evaluation) {
        let Evaluation {
            value, ownership, ..
        } = evaluation;
        if !ownership.is_empty() {
            let sign = if to_move == self.area.defender {
                1.0
            } else {
                -1.0
            };
            let mean_ownership = |chain: &PointSet| {
                let sum: f32 = { chain.iter() }
                    .map(|point| ownership[size.index(point)])
                    .sum();
                sign * sum / chain.len() as f32
            };
            *value = sign * { self.chains.iter() }
                .map(mean_ownership)
                .fold(-1.0, f32::max);
        }
        evaluation.score_lead = 0.0;
        evaluation.no_result = 0.0;
        evaluation.details = None;
    }

    /// Flattens the priors in the area and sets the others to 0.
    fn replace_priors(&self, size: BoardSize, policy: &mut [f32]) {
        for (point, prior) in size.points().zip(policy.iter_mut()) {
            if !self.area.points.contains(point) {
                *prior = 0.0;
            }
        }
        for prior in policy.iter_mut() {
            *prior = prior.powf(PRIOR_EXPONENT);
        }
        priors::normalise(policy);
    }
}

impl<E: Evaluator> Evaluator for GroupLifeEvaluator<E> {
    fn evaluate(
        &self,
        requests: &[Request<'_>],
        evaluations: &mut [Evaluation],
    ) -> Result<(), EvalError> {
        assert_eq!(requests.len(), evaluations.len(), "one slot per request");
        let inner_requests: Vec<Request<'_>> = { requests.iter() }
            .map(|request| Request {
                ownership: true,
                all_moves: true,
                ..*request
            })
            .collect();
        self.inner.evaluate(&inner_requests, evaluations)?;
        for (request, evaluation) in requests.iter().zip(evaluations) {
            let (size, to_move) = (request.position.size(), request.position.to_move());
            self.replace_values(size, to_move, evaluation);
            self.replace_priors(size, &mut evaluation.policy);
            if !request.ownership {
                evaluation.ownership.clear();
            }
        }
        Ok(())
    }

    fn inner(&self) -> Option<&dyn Evaluator> {
        Some(&self.inner)
    }

    fn predicts_lead(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::evaluate_one;
    use crate::eval::hashed::HashEvaluator;
    use crate::eval::uniform::UniformEvaluator;
    use crate::game::point::Point;
    use crate::game::position::Position;
    use crate::game::rules::Rules;

    fn points(columns: &[usize]) -> PointSet {
        columns.iter().map(|&column| Point::at(column, 0)).collect()
    }

    /// A group of two chains whose area is the first row.
    fn area(defender: Color) -> LifeArea {
        LifeArea {
            defender,
            group: points(&[0, 1, 3]),
            points: points(&[0, 1, 2, 3, 4]),
        }
    }

    fn evaluate_area(inner: impl Evaluator, defender: Color, position: &Position) -> Evaluation {
        let evaluator = GroupLifeEvaluator::new(inner, area(defender));
        evaluate_one(&evaluator, Request::new(position)).unwrap()
    }

    fn empty_board(to_move: Color) -> Position {
        let size = BoardSize::new(5, 4).unwrap();
        let mut position = Position::new(size, Rules::default());
        position.set_to_move(to_move);
        position
    }

    #[test]
    fn value_is_highest_mean_ownership_of_chain() {
        for to_move in [Color::Black, Color::White] {
            let position = empty_board(to_move);
            let request = Request {
                ownership: true,
                ..Request::new(&position)
            };
            let ownership = evaluate_one(&HashEvaluator, request).unwrap().ownership;
            let (pair, single) = ((ownership[0] + ownership[1]) / 2.0, ownership[3]);
            let [own, opposing] = [to_move, to_move.opposite()]
                .map(|defender| evaluate_area(HashEvaluator, defender, &position));
            assert_eq!(
                (own.value, opposing.value),
                (pair.max(single), pair.min(single))
            );
            assert!(own.ownership.is_empty(), "not requested");
        }
    }

    #[test]
    fn priors_in_area_keep_their_order_and_become_flatter() {
        let position = empty_board(Color::Black);
        let plain = evaluate_one(&HashEvaluator, Request::new(&position))
            .unwrap()
            .policy;
        let flat = evaluate_area(HashEvaluator, Color::Black, &position).policy;
        assert!((flat.iter().sum::<f32>() - 1.0).abs() < 1e-5);
        let pass = plain.len() - 1;
        assert!(
            flat[5..pass].iter().all(|&prior| prior == 0.0),
            "outside the area"
        );
        let near = |policy: &[f32]| [&policy[..5], &policy[pass..]].concat();
        let order = |policy: &[f32]| {
            let mut order: Vec<usize> = (0..policy.len()).collect();
            order.sort_by(|&one, &other| policy[one].total_cmp(&policy[other]));
            order
        };
        let (plain, flat) = (near(&plain), near(&flat));
        assert_eq!(order(&plain), order(&flat));
        let ratio = |policy: &[f32]| {
            let highest = policy.iter().copied().fold(0.0, f32::max);
            highest / policy.iter().copied().fold(1.0, f32::min)
        };
        assert!((ratio(&flat) - ratio(&plain).cbrt()).abs() < 1e-3);
    }

    #[test]
    fn value_without_ownership_is_that_of_the_game() {
        let position = empty_board(Color::White);
        let evaluation = evaluate_area(UniformEvaluator, Color::Black, &position);
        assert_eq!(evaluation.value, 0.0);
    }
}
