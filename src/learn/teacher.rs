//! Teachers: strong evaluators with predictions that are blended with the results of games.

use std::sync::Arc;

use super::targets::{PositionTargets, blend_values};
use crate::eval::{EvalError, Evaluator, Request, evaluate_one};
use crate::game::position::Position;

/// An evaluator that adds its predictions to the results of games.
#[derive(Clone)]
pub struct Teacher {
    evaluator: Arc<dyn Evaluator>,
    /// Weight of the move played in the policy, from 0 to 1; the rest is the evaluator's policy.
    played_weight: f32,
    /// Weight of the game in result, lead and ownership, from 0 to 1; the rest is the evaluator's prediction.
    outcome_weight: f32,
    /// A second evaluator. Results, leads and ownership are averages of both.
    second_teacher: Option<Arc<dyn Evaluator>>,
}

impl Teacher {
    /// Creates a teacher. The weights are those of the move played and of the result of the game.
    pub fn new(evaluator: Arc<dyn Evaluator>, played_weight: f32, outcome_weight: f32) -> Self {
        Self {
            evaluator,
            played_weight,
            outcome_weight,
            second_teacher: None,
        }
    }

    /// Adds a second evaluator.
    ///
    /// Result, lead and ownership become averages of both evaluators; the policy remains that of the first. Errors of
    /// independently trained networks are weakly correlated, and their average is less overconfident.
    pub fn with_second_teacher(self, second_teacher: Arc<dyn Evaluator>) -> Self {
        Self {
            second_teacher: Some(second_teacher),
            ..self
        }
    }

    /// Returns the prediction of the teacher.
    ///
    /// # Errors
    /// Returns an error if an evaluation fails.
    pub fn evaluate(&self, position: &Position) -> Result<PositionTargets, EvalError> {
        let mut targets = evaluate_targets(&*self.evaluator, position)?;
        if let Some(second_teacher) = &self.second_teacher {
            let second_targets = evaluate_targets(&**second_teacher, position)?;
            targets.blend(&second_targets, 0.5);
        }
        Ok(targets)
    }

    /// Blends `teacher_targets` into the targets from the game. Targets known to only one of them are taken from it.
    pub fn blend_into(&self, teacher_targets: &PositionTargets, targets: &mut PositionTargets) {
        blend_values(
            &mut targets.policy,
            &teacher_targets.policy,
            self.played_weight,
        );
        targets.blend(teacher_targets, self.outcome_weight);
    }
}

/// Evaluates a position with one evaluator.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::Evaluation;
    use crate::game::point::BoardSize;
    use crate::game::rules::Rules;

    /// Returns the same evaluation for all positions, with a lead if the second field is true.
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
