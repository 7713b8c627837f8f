//! A stronger evaluator as a teacher: what it says of the positions of games, mixed with what happened in them.

use std::sync::Arc;

use crate::eval::{EvalError, Evaluation, Evaluator, Request};
use crate::game::position::Position;

/// What is to be learnt of a position, from the side of the player to move, the board as it lies.
#[derive(Clone, Debug, PartialEq)]
pub struct Lesson {
    /// How often each move is to be chosen: the points in reading order, then the pass. Sums to 1.
    pub policy: Vec<f32>,
    /// The result, from -1 to 1.
    pub value: f32,
    /// The lead in points, where it is known.
    pub score: Option<f32>,
    /// The owner of each point in reading order, from -1 to 1, where they are known.
    pub ownership: Option<Vec<f32>>,
}

/// An evaluator whose answers are learnt beside the outcome of the games.
#[derive(Clone)]
pub struct Teacher {
    evaluator: Arc<dyn Evaluator>,
    /// The share of the policy that is the move played, from 0 to 1; the rest is the evaluator's.
    played: f32,
    /// The share of result, lead and owners that the game gives, from 0 to 1; the rest is the evaluator's.
    outcome: f32,
    /// Whether the evaluator knows leads.
    tells_lead: bool,
}

impl Teacher {
    /// A teacher; `played` is the share of the game's move in the policy, `outcome` that of the game's end in the rest.
    #[must_use]
    pub fn new(evaluator: Arc<dyn Evaluator>, played: f32, outcome: f32) -> Self {
        Self {
            evaluator,
            played,
            outcome,
            tells_lead: true,
        }
    }

    /// The same where the evaluator knows no leads, and its 0 is no answer.
    #[must_use]
    pub fn without_lead(self) -> Self {
        Self {
            tells_lead: false,
            ..self
        }
    }

    /// What it says of a position by itself.
    ///
    /// # Errors
    /// The evaluator's.
    pub fn judge(&self, position: &Position) -> Result<Lesson, EvalError> {
        let request = Request {
            ownership: true,
            ..Request::new(position)
        };
        let mut answer = [Evaluation::default()];
        self.evaluator.evaluate(&[request], &mut answer)?;
        let [answer] = answer;
        answer.check()?;
        Ok(Lesson {
            policy: answer.policy,
            value: answer.value,
            score: self.tells_lead.then_some(answer.score_lead),
            ownership: (!answer.ownership.is_empty()).then_some(answer.ownership),
        })
    }

    /// Mixes what the game teaches of a position with what it says itself. What the game does not know is `own` alone;
    /// what that does not tell stays.
    pub fn improve(&self, own: &Lesson, lesson: &mut Lesson) {
        mix(&mut lesson.policy, &own.policy, self.played);
        let mixed = |game: f32, own: f32| own + self.outcome * (game - own);
        lesson.value = mixed(lesson.value, own.value);
        lesson.score = match (lesson.score, own.score) {
            (Some(game), Some(own)) => Some(mixed(game, own)),
            (game, own) => game.or(own),
        };
        match (&mut lesson.ownership, &own.ownership) {
            (Some(owners), Some(own)) => mix(owners, own, self.outcome),
            (Some(_), None) => {}
            (unknown, own) => unknown.clone_from(own),
        }
    }
}

/// Leaves `share` of each number and takes the rest from `others`.
fn mix(numbers: &mut [f32], others: &[f32], share: f32) {
    for (number, other) in numbers.iter_mut().zip(others) {
        *number = other + share * (*number - other);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::point::BoardSize;
    use crate::game::rules::Rules;

    /// Says the same of every position.
    struct Saying(Evaluation);

    impl Evaluator for Saying {
        fn evaluate(
            &self,
            requests: &[Request<'_>],
            evaluations: &mut [Evaluation],
        ) -> Result<(), EvalError> {
            assert!(requests.iter().all(|request| request.ownership));
            evaluations.fill(self.0.clone());
            Ok(())
        }
    }

    fn lesson(score: Option<f32>, ownership: Option<Vec<f32>>) -> Lesson {
        Lesson {
            policy: vec![1.0, 0.0, 0.0, 0.0, 0.0],
            value: -1.0,
            score,
            ownership,
        }
    }

    #[test]
    fn the_game_keeps_its_share_and_the_teacher_fills_the_gaps() {
        let teacher = Teacher::new(
            Arc::new(Saying(Evaluation {
                policy: vec![0.0, 0.5, 0.25, 0.25, 0.0],
                value: 0.6,
                score_lead: 3.0,
                ownership: vec![1.0, 0.5, 0.0, -1.0],
                ..Evaluation::default()
            })),
            0.25,
            0.5,
        );
        let position = Position::new(BoardSize::new(2, 2).unwrap(), Rules::default());
        let mut known = lesson(Some(-1.0), Some(vec![1.0; 4]));
        let own = teacher.judge(&position).unwrap();
        teacher.improve(&own, &mut known);
        assert_eq!(known.policy, [0.25, 0.375, 0.1875, 0.1875, 0.0]);
        assert!((known.value + 0.2).abs() < 1e-6, "{known:?}");
        assert_eq!(known.score, Some(1.0));
        assert_eq!(known.ownership, Some(vec![1.0, 0.75, 0.5, 0.0]));
        let mut unknown = lesson(None, None);
        teacher.improve(&own, &mut unknown);
        assert_eq!(unknown.score, Some(3.0));
        assert_eq!(unknown.ownership, Some(vec![1.0, 0.5, 0.0, -1.0]));
        let teacher = teacher.without_lead();
        let own = teacher.judge(&position).unwrap();
        for score in [Some(-1.0), None] {
            let mut kept = lesson(score, None);
            teacher.improve(&own, &mut kept);
            assert_eq!(kept.score, score);
        }
    }

    #[test]
    fn an_answer_that_is_no_number_is_refused() {
        let teacher = Teacher::new(
            Arc::new(Saying(Evaluation {
                policy: vec![0.2; 5],
                value: f32::NAN,
                ..Evaluation::default()
            })),
            0.5,
            0.5,
        );
        let position = Position::new(BoardSize::new(2, 2).unwrap(), Rules::default());
        assert!(teacher.judge(&position).is_err());
    }
}
