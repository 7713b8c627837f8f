//! A stronger evaluator as a teacher: what it says of the positions of games, mixed with what happened in them.

use std::sync::Arc;

use crate::eval::{EvalError, Evaluator, Request, evaluate_one};
use crate::game::point::BoardSize;
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

impl Lesson {
    /// What is known before anybody was asked: every move is as good as the others.
    pub(super) fn nothing(size: BoardSize) -> Self {
        let moves = size.area() + 1;
        Self {
            policy: vec![1.0 / moves as f32; moves],
            value: 0.0,
            score: None,
            ownership: None,
        }
    }

    /// Leaves `share` of result, lead and owners and takes the rest from `other`. What one of them does not tell is the
    /// other's alone.
    fn take_in(&mut self, other: &Self, share: f32) {
        let mixed = |mine: f32, other: f32| other + share * (mine - other);
        self.value = mixed(self.value, other.value);
        self.score = match (self.score, other.score) {
            (Some(mine), Some(other)) => Some(mixed(mine, other)),
            (mine, other) => mine.or(other),
        };
        match (&mut self.ownership, &other.ownership) {
            (Some(owners), Some(other)) => mix(owners, other, share),
            (Some(_), None) => {}
            (unknown, other) => unknown.clone_from(other),
        }
    }
}

/// An evaluator whose answers are learnt beside the outcome of the games.
#[derive(Clone)]
pub struct Teacher {
    evaluator: Arc<dyn Evaluator>,
    /// The share of the policy that is the move played, from 0 to 1; the rest is the evaluator's.
    played: f32,
    /// The share of result, lead and owners that the game gives, from 0 to 1; the rest is the evaluator's.
    outcome: f32,
    /// Another evaluator, whose results, leads and owners count as much as those of the first.
    adviser: Option<Arc<dyn Evaluator>>,
}

impl Teacher {
    /// A teacher; `played` is the share of the game's move in the policy, `outcome` that of the game's end in the rest.
    #[must_use]
    pub fn new(evaluator: Arc<dyn Evaluator>, played: f32, outcome: f32) -> Self {
        Self {
            evaluator,
            played,
            outcome,
            adviser: None,
        }
    }

    /// The same with an adviser: result, lead and owners are the means of both evaluators, the policy stays the first's.
    /// Two that learnt apart seldom err alike, and a mean claims less than one that is too sure of itself.
    #[must_use]
    pub fn with_adviser(self, adviser: Arc<dyn Evaluator>) -> Self {
        Self {
            adviser: Some(adviser),
            ..self
        }
    }

    /// What it says of a position by itself.
    ///
    /// # Errors
    /// The evaluators'.
    pub fn judge(&self, position: &Position) -> Result<Lesson, EvalError> {
        let mut lesson = judged(&*self.evaluator, position)?;
        if let Some(adviser) = &self.adviser {
            let advice = judged(&**adviser, position)?;
            lesson.take_in(&advice, 0.5);
        }
        Ok(lesson)
    }

    /// Mixes what the game teaches of a position with what it says itself. What the game does not know is `own` alone;
    /// what that does not tell stays.
    pub fn improve(&self, own: &Lesson, lesson: &mut Lesson) {
        mix(&mut lesson.policy, &own.policy, self.played);
        lesson.take_in(own, self.outcome);
    }
}

/// What an evaluator says of a position.
fn judged(evaluator: &dyn Evaluator, position: &Position) -> Result<Lesson, EvalError> {
    let request = Request {
        ownership: true,
        ..Request::new(position)
    };
    let answer = evaluate_one(evaluator, request)?;
    Ok(Lesson {
        policy: answer.policy,
        value: answer.value,
        score: evaluator.tells_lead().then_some(answer.score_lead),
        ownership: (!answer.ownership.is_empty()).then_some(answer.ownership),
    })
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
    use crate::eval::Evaluation;
    use crate::game::rules::Rules;

    /// Says the same of every position, the lead if it is `true`.
    struct Saying(Evaluation, bool);

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

        fn tells_lead(&self) -> bool {
            self.1
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

    fn answer() -> Evaluation {
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
    fn the_game_keeps_its_share_and_the_teacher_fills_the_gaps() {
        let teacher = Teacher::new(Arc::new(Saying(answer(), true)), 0.25, 0.5);
        let position = position();
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
        let teacher = Teacher::new(Arc::new(Saying(answer(), false)), 0.25, 0.5);
        let own = teacher.judge(&position).unwrap();
        for score in [Some(-1.0), None] {
            let mut kept = lesson(score, None);
            teacher.improve(&own, &mut kept);
            assert_eq!(kept.score, score);
        }
    }

    #[test]
    fn an_answer_that_is_no_number_is_refused() {
        let nonsense = Evaluation {
            policy: vec![0.2; 5],
            value: f32::NAN,
            ..Evaluation::default()
        };
        let teacher = Teacher::new(Arc::new(Saying(nonsense.clone(), true)), 0.5, 0.5);
        assert!(teacher.judge(&position()).is_err());
        let advised = Teacher::new(Arc::new(Saying(answer(), true)), 0.5, 0.5)
            .with_adviser(Arc::new(Saying(nonsense, true)));
        assert!(advised.judge(&position()).is_err());
    }

    #[test]
    fn an_adviser_has_a_say_in_all_but_the_policy() {
        let advice = Evaluation {
            policy: vec![1.0, 0.0, 0.0, 0.0, 0.0],
            value: -0.2,
            score_lead: -1.0,
            ownership: vec![0.0, 0.5, 1.0, -1.0],
            ..Evaluation::default()
        };
        let asked = |teacher_tells, adviser_tells, advice: &Evaluation| {
            Teacher::new(Arc::new(Saying(answer(), teacher_tells)), 0.5, 0.5)
                .with_adviser(Arc::new(Saying(advice.clone(), adviser_tells)))
                .judge(&position())
                .unwrap()
        };
        let lesson = asked(true, true, &advice);
        assert_eq!(lesson.policy, answer().policy);
        assert!((lesson.value - 0.2).abs() < 1e-6, "{lesson:?}");
        assert_eq!(lesson.score, Some(1.0));
        assert_eq!(lesson.ownership, Some(vec![0.5, 0.5, 0.5, -1.0]));
        assert_eq!(asked(true, false, &advice).score, Some(3.0));
        assert_eq!(asked(false, true, &advice).score, Some(-1.0));
        assert_eq!(asked(false, false, &advice).score, None);
        let silent = Evaluation {
            ownership: Vec::new(),
            ..advice
        };
        assert_eq!(
            asked(true, true, &silent).ownership,
            Some(answer().ownership)
        );
    }
}
