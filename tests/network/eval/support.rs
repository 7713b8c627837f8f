//! Test positions, test evaluators, and checks of evaluations.

use std::sync::Mutex;

use honinbo::eval::{EvalError, Evaluation, Evaluator, Request};
use honinbo::game::point::{BoardSize, Move, Point};
use honinbo::game::position::Position;
use honinbo::game::rules::Rules;
use honinbo::random::Rng;

/// Returns a board size. Both sides must be in range.
pub fn size(width: usize, height: usize) -> BoardSize {
    BoardSize::new(width, height).expect("sides from 2 to 19")
}

/// Returns the position after up to `moves` random legal moves.
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

/// Returns early and late positions of several board sizes.
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

/// Evaluates one request.
pub fn evaluate(evaluator: &dyn Evaluator, request: Request<'_>) -> Evaluation {
    evaluate_all(evaluator, &[request]).remove(0)
}

/// Evaluates requests together.
pub fn evaluate_all(evaluator: &dyn Evaluator, requests: &[Request<'_>]) -> Vec<Evaluation> {
    let mut evaluations = vec![Evaluation::default(); requests.len()];
    let result = evaluator.evaluate(requests, &mut evaluations);
    result.expect("evaluation succeeds");
    evaluations
}

/// Returns a request that includes ownership.
pub fn with_ownership(position: &Position) -> Request<'_> {
    Request {
        ownership: true,
        ..Request::new(position)
    }
}

/// Checks the lengths and ranges of an evaluation, and that its priors are on legal moves and sum to 1.
pub fn check_evaluation(request: &Request<'_>, evaluation: &Evaluation) {
    let size = request.position.size();
    assert_eq!(evaluation.policy.len(), size.area() + 1);
    let legal = request.position.legal_points();
    for point in size.points() {
        let prior = evaluation.policy[size.index(point)];
        assert!(prior >= 0.0 && (prior == 0.0 || legal.contains(point)));
    }
    let sum: f32 = evaluation.policy.iter().sum();
    assert!((sum - 1.0).abs() < 1e-4, "priors sum to {sum}");
    assert!(evaluation.policy[size.area()] >= 0.0);
    assert!(evaluation.value.abs() <= 1.0 && evaluation.score_lead.is_finite());
    assert!(evaluation.ownership.is_empty() || evaluation.ownership.len() == size.area());
    assert!(evaluation.ownership.is_empty() || request.ownership);
    assert!(evaluation.ownership.iter().all(|owner| owner.abs() <= 1.0));
}

/// An evaluator that sees the transformed board, like a network, and returns different values for all points.
#[derive(Default)]
pub struct AsymmetricEvaluator {
    /// Number of requests of each call.
    pub calls: Mutex<Vec<usize>>,
}

impl AsymmetricEvaluator {
    /// Returns the total number of requests.
    pub fn request_count(&self) -> usize {
        self.calls.lock().unwrap().iter().sum()
    }
}

/// Returns the weight of the point at `index` of the transformed board.
pub fn point_weight(index: usize) -> f32 {
    1.0 + index as f32
}

impl Evaluator for AsymmetricEvaluator {
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
            let seen = |point| point_weight(to.index(symmetry.map_point(from, point)));
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

/// An evaluator that fails or returns NaN for positions after a certain number of moves. For other positions, it returns
/// an empty policy.
pub struct FaultyEvaluator {
    /// Number of moves at which the error occurs.
    pub at: u32,
    /// True to return an error instead of NaN.
    pub fails: bool,
}

impl Evaluator for FaultyEvaluator {
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
