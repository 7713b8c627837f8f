//! Positions to ask about, evaluators to ask, and what holds of every answer.

use std::sync::Mutex;

use honinbo::eval::{EvalError, Evaluation, Evaluator, Request};
use honinbo::game::point::{BoardSize, Move, Point};
use honinbo::game::position::Position;
use honinbo::game::rules::Rules;
use honinbo::random::Rng;

/// A board of that size; both sides are known to be in range.
pub fn size(width: usize, height: usize) -> BoardSize {
    BoardSize::new(width, height).expect("sides from 2 to 19")
}

/// The position after up to `moves` random legal moves.
pub fn random_position(size: BoardSize, moves: usize, rng: &mut Rng) -> Position {
    let mut position = Position::new(size, Rules::default());
    for _ in 0..moves {
        let legal: Vec<Point> = position.legal_points().iter().collect();
        if legal.is_empty() {
            break;
        }
        let mv = Move::Play(legal[rng.below(legal.len())]);
        position.play_unchecked(position.to_move(), mv);
    }
    position
}

/// Positions of several sizes, early and late.
pub fn positions(seed: u64) -> Vec<Position> {
    let mut rng = Rng::new(seed);
    let mut made = Vec::new();
    for (width, height) in [(9, 9), (5, 8), (2, 2), (19, 19), (9, 9)] {
        for moves in [0, 7, 60] {
            made.push(random_position(size(width, height), moves, &mut rng));
        }
    }
    made
}

/// The answer to one request.
pub fn ask(evaluator: &dyn Evaluator, request: Request<'_>) -> Evaluation {
    let mut answers = [Evaluation::default()];
    evaluator
        .evaluate(&[request], &mut answers)
        .expect("the evaluator answers");
    let [answer] = answers;
    answer
}

/// Fails unless the answer is one to the request: lengths, ranges, priors of legal moves alone that sum to 1.
pub fn check_answer(request: &Request<'_>, answer: &Evaluation) {
    let size = request.position.size();
    assert_eq!(answer.policy.len(), size.area() + 1);
    let legal = request.position.legal_points();
    for point in size.points() {
        let prior = answer.policy[size.index(point)];
        assert!(prior >= 0.0 && (prior == 0.0 || legal.contains(point)));
    }
    let sum: f32 = answer.policy.iter().sum();
    assert!((sum - 1.0).abs() < 1e-4, "priors sum to {sum}");
    assert!(answer.policy[size.area()] >= 0.0);
    assert!(answer.value.abs() <= 1.0 && answer.score_lead.is_finite());
    assert!(answer.ownership.is_empty() || answer.ownership.len() == size.area());
    assert!(answer.ownership.is_empty() || request.ownership);
    assert!(answer.ownership.iter().all(|owner| owner.abs() <= 1.0));
}

/// An evaluator as a network is: it sees the turned board and treats no two of its points alike.
#[derive(Default)]
pub struct Lopsided {
    /// How many requests each call brought.
    pub calls: Mutex<Vec<usize>>,
}

impl Lopsided {
    /// How many requests it was asked in all.
    pub fn asked(&self) -> usize {
        self.calls.lock().unwrap().iter().sum()
    }
}

/// What it thinks of the point at `index` of the turned board.
pub fn lopsided(index: usize) -> f32 {
    1.0 + index as f32
}

impl Evaluator for Lopsided {
    fn evaluate(
        &self,
        requests: &[Request<'_>],
        evaluations: &mut [Evaluation],
    ) -> Result<(), EvalError> {
        self.calls.lock().unwrap().push(requests.len());
        for (request, evaluation) in requests.iter().zip(evaluations) {
            let (from, symmetry) = (request.position.size(), request.symmetry);
            let to = symmetry.map_size(from);
            let legal = request.position.legal_points();
            let seen = |point| lopsided(to.index(symmetry.map_point(from, point)));
            let sum: f32 = legal.iter().map(seen).sum::<f32>() + 1.0;
            evaluation.policy = from
                .points()
                .map(|point| f32::from(u8::from(legal.contains(point))) * seen(point) / sum)
                .chain([1.0 / sum])
                .collect();
            evaluation.value = symmetry.number() as f32 / 8.0;
            evaluation.score_lead = request.position.move_number() as f32;
            evaluation.ownership = match request.ownership {
                true => from.points().map(|point| 1.0 / seen(point)).collect(),
                false => Vec::new(),
            };
        }
        Ok(())
    }
}

/// Answers NaN, or fails, when asked about a position of that many moves; else an empty policy.
pub struct Faulty {
    /// The move number that brings out the fault.
    pub at: u32,
    /// Whether the fault is an error rather than a NaN.
    pub fails: bool,
}

impl Evaluator for Faulty {
    fn evaluate(
        &self,
        requests: &[Request<'_>],
        evaluations: &mut [Evaluation],
    ) -> Result<(), EvalError> {
        for (request, evaluation) in requests.iter().zip(evaluations) {
            let faulty = request.position.move_number() == self.at;
            if faulty && self.fails {
                return Err(EvalError::Network("out of order".into()));
            }
            *evaluation = Evaluation {
                value: if faulty { f32::NAN } else { 0.5 },
                policy: vec![0.0; request.position.size().area() + 1],
                ..Evaluation::default()
            };
        }
        Ok(())
    }
}
