//! A stronger evaluator as a teacher: what it says of the positions of games, mixed with what happened in them.

use std::sync::Arc;

use crate::eval::{EvalError, Evaluator, Request, evaluate_one};
use crate::game::point::BoardSize;
use crate::game::position::Position;

/// What is to be learnt of a position, from the side of the player to move, the board as it lies.
#[derive(Clone, Debug, PartialEq)]
pub struct PositionTargets {
    /// How often each move is to be chosen: the points in reading order, then the pass. Sums to 1.
    pub policy: Vec<f32>,
    /// The result, from -1 to 1.
    pub value: f32,
    /// The lead in points, where it is known.
    pub lead: Option<f32>,
    /// The owner of each point in reading order, from -1 to 1, where they are known.
    pub ownership: Option<Vec<f32>>,
}

impl PositionTargets {
    /// What is known before anybody was asked: every move is as good as the others.
    pub(super) fn unknown(size: BoardSize) -> Self {
        let moves = size.area() + 1;
        Self {
            policy: vec![1.0 / moves as f32; moves],
            value: 0.0,
            lead: None,
            ownership: None,
        }
    }

    /// Leaves `weight` of result, lead and owners and takes the rest from `other`. What one of them does not tell is the
    /// other's alone.
    fn blend(&mut self, other: &Self, weight: f32) {
        let blended = |own: f32, other: f32| other + weight * (own - other);
        self.value = blended(self.value, other.value);
        self.lead = match (self.lead, other.lead) {
            (Some(own), Some(other)) => Some(blended(own, other)),
            (own, other) => own.or(other),
        };
        match (&mut self.ownership, &other.ownership) {
            (Some(ownership), Some(other)) => blend_values(ownership, other, weight),
            (Some(_), None) => {}
            (missing, other) => missing.clone_from(other),
        }
    }
}

/// An evaluator whose answers are learnt beside the outcome of the games.
#[derive(Clone)]
pub struct Teacher {
    evaluator: Arc<dyn Evaluator>,
    /// The share of the policy that is the move played, from 0 to 1; the rest is the evaluator's.
    played_weight: f32,
    /// The share of result, lead and owners that the game gives, from 0 to 1; the rest is the evaluator's.
    outcome_weight: f32,
    /// Another evaluator, whose results, leads and owners count as much as those of the first.
    second_teacher: Option<Arc<dyn Evaluator>>,
}

impl Teacher {
    /// A teacher; `played_weight` is the share of the game's move in the policy, `outcome_weight` that of the game's end in the rest.
    #[must_use]
    pub fn new(evaluator: Arc<dyn Evaluator>, played_weight: f32, outcome_weight: f32) -> Self {
        Self {
            evaluator,
            played_weight,
            outcome_weight,
            second_teacher: None,
        }
    }

    /// The same with an adviser: result, lead and owners are the means of both evaluators, the policy stays the first's.
    /// Two that learnt apart seldom err alike, and a mean claims less than one that is too sure of itself.
    #[must_use]
    pub fn with_second_teacher(self, second_teacher: Arc<dyn Evaluator>) -> Self {
        Self {
            second_teacher: Some(second_teacher),
            ..self
        }
    }

    /// What it says of a position by itself.
    ///
    /// # Errors
    /// The evaluators'.
    pub fn evaluate(&self, position: &Position) -> Result<PositionTargets, EvalError> {
        let mut targets = evaluate_targets(&*self.evaluator, position)?;
        if let Some(second_teacher) = &self.second_teacher {
            let second_targets = evaluate_targets(&**second_teacher, position)?;
            targets.blend(&second_targets, 0.5);
        }
        Ok(targets)
    }

    /// Mixes what the game teaches of a position with what it says itself. What the game does not know is `teacher_targets` alone;
    /// what that does not tell stays.
    pub fn blend_into(&self, teacher_targets: &PositionTargets, targets: &mut PositionTargets) {
        blend_values(
            &mut targets.policy,
            &teacher_targets.policy,
            self.played_weight,
        );
        targets.blend(teacher_targets, self.outcome_weight);
    }
}

/// What an evaluator says of a position.
fn evaluate_targets(
    evaluator: &dyn Evaluator,
    position: &Position,
) -> Result<PositionTargets, EvalError> {
    let request = Request {
        ownership: true,
        ..Request::new(position)
    };
    let evaluation = evaluate_one(evaluator, request)?;
    Ok(PositionTargets {
        policy: evaluation.policy,
        value: evaluation.value,
        lead: evaluator.predicts_lead().then_some(evaluation.score_lead),
        ownership: (!evaluation.ownership.is_empty()).then_some(evaluation.ownership),
    })
}

/// Leaves `weight` of each number and takes the rest from `other_values`.
fn blend_values(values: &mut [f32], other_values: &[f32], weight: f32) {
    for (value, other) in values.iter_mut().zip(other_values) {
        *value = other + weight * (*value - other);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::Evaluation;
    use crate::game::rules::Rules;

    /// Says the same of every position, the lead if it is `true`.
    struct FixedEvaluator(Evaluation, bool);

    impl Evaluator for FixedEvaluator {
        fn evaluate(
            &self,
            requests: &[Request<'_>],
            evaluations: &mut [Evaluation],
        ) -> Result<(), EvalError> {
            assert!(requests.iter().all(|request| request.ownership));
            evaluations.fill(self.0.clone());
            Ok(())
        }

        fn predicts_lead(&self) -> bool {
            self.1
        }
    }

    fn game_targets(score: Option<f32>, ownership: Option<Vec<f32>>) -> PositionTargets {
        PositionTargets {
            policy: vec![1.0, 0.0, 0.0, 0.0, 0.0],
            value: -1.0,
            lead: score,
            ownership,
        }
    }

    fn evaluation() -> Evaluation {
        Evaluation {
            policy: vec![0.0, 0.5, 0.25, 0.25, 0.0],
            value: 0.6,
            score_lead: 3.0,
            ownership: vec![1.0, 0.5, 0.0, -1.0],
            ..Evaluation::default()
        }
    }

    fn position() -> Position {
        Position::new(BoardSize::new(2, 2).unwrap(), Rules::default())
    }

    #[test]
    fn game_and_teacher_targets_are_blended() {
        let teacher = Teacher::new(Arc::new(FixedEvaluator(evaluation(), true)), 0.25, 0.5);
        let position = position();
        let mut complete = game_targets(Some(-1.0), Some(vec![1.0; 4]));
        let teacher_targets = teacher.evaluate(&position).unwrap();
        teacher.blend_into(&teacher_targets, &mut complete);
        assert_eq!(complete.policy, [0.25, 0.375, 0.1875, 0.1875, 0.0]);
        assert!((complete.value + 0.2).abs() < 1e-6, "{complete:?}");
        assert_eq!(complete.lead, Some(1.0));
        assert_eq!(complete.ownership, Some(vec![1.0, 0.75, 0.5, 0.0]));
        let mut incomplete = game_targets(None, None);
        teacher.blend_into(&teacher_targets, &mut incomplete);
        assert_eq!(incomplete.lead, Some(3.0));
        assert_eq!(incomplete.ownership, Some(vec![1.0, 0.5, 0.0, -1.0]));
        let teacher = Teacher::new(Arc::new(FixedEvaluator(evaluation(), false)), 0.25, 0.5);
        let teacher_targets = teacher.evaluate(&position).unwrap();
        for score in [Some(-1.0), None] {
            let mut targets = game_targets(score, None);
            teacher.blend_into(&teacher_targets, &mut targets);
            assert_eq!(targets.lead, score);
        }
    }

    #[test]
    fn nan_evaluations_are_rejected() {
        let invalid = Evaluation {
            policy: vec![0.2; 5],
            value: f32::NAN,
            ..Evaluation::default()
        };
        let teacher = Teacher::new(Arc::new(FixedEvaluator(invalid.clone(), true)), 0.5, 0.5);
        assert!(teacher.evaluate(&position()).is_err());
        let teacher_pair = Teacher::new(Arc::new(FixedEvaluator(evaluation(), true)), 0.5, 0.5)
            .with_second_teacher(Arc::new(FixedEvaluator(invalid, true)));
        assert!(teacher_pair.evaluate(&position()).is_err());
    }

    #[test]
    fn second_teacher_does_not_affect_policy() {
        let second_evaluation = Evaluation {
            policy: vec![1.0, 0.0, 0.0, 0.0, 0.0],
            value: -0.2,
            score_lead: -1.0,
            ownership: vec![0.0, 0.5, 1.0, -1.0],
            ..Evaluation::default()
        };
        let evaluate_pair = |first_has_lead, second_has_lead, second: &Evaluation| {
            Teacher::new(
                Arc::new(FixedEvaluator(evaluation(), first_has_lead)),
                0.5,
                0.5,
            )
            .with_second_teacher(Arc::new(FixedEvaluator(second.clone(), second_has_lead)))
            .evaluate(&position())
            .unwrap()
        };
        let targets = evaluate_pair(true, true, &second_evaluation);
        assert_eq!(targets.policy, evaluation().policy);
        assert!((targets.value - 0.2).abs() < 1e-6, "{targets:?}");
        assert_eq!(targets.lead, Some(1.0));
        assert_eq!(targets.ownership, Some(vec![0.5, 0.5, 0.5, -1.0]));
        assert_eq!(
            evaluate_pair(true, false, &second_evaluation).lead,
            Some(3.0)
        );
        assert_eq!(
            evaluate_pair(false, true, &second_evaluation).lead,
            Some(-1.0)
        );
        assert_eq!(evaluate_pair(false, false, &second_evaluation).lead, None);
        let without_ownership = Evaluation {
            ownership: Vec::new(),
            ..second_evaluation
        };
        assert_eq!(
            evaluate_pair(true, true, &without_ownership).ownership,
            Some(evaluation().ownership)
        );
    }
}
