//! Claims about random problems agree with exhaustive search on the whole board.
//!
//! `PROBLEMS=1000 cargo test --test foundation claims -- --nocapture` checks that number of problems instead of a few.

use honinbo::game::color::Color;
use honinbo::game::point::Move;
use honinbo::game::pointset::PointSet;
use honinbo::random::Rng;
use honinbo::tactics::life::{LifeGoal, LifeLimits, LifeOutcome, LifeProblem, Solution};

use crate::naive::bridge::{point, set_up};
use crate::naive::{NaiveBoard, Place};
use crate::tactics::life_oracle::{CaptureQuestion, KoImmune};

/// A group in a hole of the attacker's stones, which fill the rest of the board.
#[derive(Debug)]
pub struct RandomProblem {
    pub board: NaiveBoard,
    pub defender: Color,
    pub to_move: Color,
    /// Corners of the region, which may cut through the surroundings.
    pub region: [Place; 2],
    /// Defender stones in the region that are not connected to the outside.
    pub target: Vec<Place>,
}

const WIDTH: usize = 7;

impl RandomProblem {
    /// Creates a problem with at most `max_open` empty points, or returns `None` if the random choices give none.
    pub fn random(rng: &mut Rng, max_open: usize) -> Option<Self> {
        let height = 5 + rng.below(3);
        let defender = Color::BOTH[rng.below(2)];
        let attacker = defender.opposite();
        let mut board = NaiveBoard::new(WIDTH, height);
        for place in board.places() {
            board.set(place, Some(attacker));
        }
        let mut reserved = outside_stones(&mut board, rng, defender);
        let hole = random_hole(&board, rng, &mut reserved)?;
        let density = 0.4 + 0.25 * rng.unit_f64();
        let attackers = 0.5 * rng.unit_f64();
        for &place in &hole {
            let stone = rng.chance(density).then(|| {
                if rng.chance(attackers) {
                    attacker
                } else {
                    defender
                }
            });
            board.set(place, stone);
        }
        let is_legal = board
            .chains()
            .iter()
            .all(|chain| !chain.liberties.is_empty());
        if !is_legal || board.empty().len() > max_open {
            return None;
        }
        let region = random_region(&board, &hole, rng);
        let is_inside = |&(column, row): &Place| {
            (region[0].0..=region[1].0).contains(&column)
                && (region[0].1..=region[1].1).contains(&row)
        };
        let mut target = board.stones(defender);
        target.retain(|&stone| board.chain(stone).stones.iter().all(is_inside));
        (!target.is_empty()).then_some(Self {
            to_move: Color::BOTH[rng.below(2)],
            board,
            defender,
            region,
            target,
        })
    }

    pub fn goal(&self) -> LifeGoal {
        if self.to_move == self.defender {
            LifeGoal::Live
        } else {
            LifeGoal::Kill
        }
    }

    pub fn solve(&self, limits: LifeLimits) -> Option<Solution> {
        let board = set_up(&self.board);
        let problem = LifeProblem {
            board: &board,
            region: &PointSet::rectangle(point(self.region[0]), point(self.region[1])),
            target: None,
            to_move: self.to_move,
            ko: None,
        };
        problem.solve(self.goal(), limits).ok()
    }

    /// Checks a solution. Returns an error that describes the first false claim, and `None` if there are too many
    /// positions.
    pub fn check(&self, solution: &Solution, max_nodes: usize) -> Option<Result<(), String>> {
        let question = CaptureQuestion::new(&self.board, &self.target, self.defender, max_nodes);
        let lives = self.goal() == LifeGoal::Live;
        let (prover_immune, opponent_immune) = if lives {
            (KoImmune::Defender, KoImmune::Attacker)
        } else {
            (KoImmune::Attacker, KoImmune::Defender)
        };
        let (immune, expected) = match solution.outcome {
            LifeOutcome::Success if lives => (opponent_immune, true),
            LifeOutcome::Failure if !lives => (prover_immune, false),
            // A ko that the defender can win any number of times but never resolve does not save the group.
            LifeOutcome::Success => (KoImmune::Neither, true),
            LifeOutcome::Failure => (KoImmune::Neither, false),
            LifeOutcome::Ko {
                needs_threat: true, ..
            } => (prover_immune, true),
            LifeOutcome::Ko { .. } => (KoImmune::Neither, true),
            LifeOutcome::Unknown => return Some(Ok(())),
        };
        let succeeds = |captured: bool| captured != lives;
        let mut results = vec![succeeds(question.is_captured(self.to_move, immune)?)];
        if expected && let Some(best) = solution.best_move {
            let place = match best {
                Move::Play(best) => Some((best.column(), best.row())),
                Move::Pass => None,
            };
            let captured = question.is_captured_after(self.to_move, place, immune)?;
            results.push(succeeds(captured));
        }
        if results.contains(&!expected) {
            return Some(Err(format!(
                "{:?}, best {:?}: the opposite is true",
                solution.outcome, solution.best_move
            )));
        }
        Some(Ok(()))
    }
}

/// Gives the attacker up to two eyes in the last rows, or surrounds it by living stones of the defender. Returns the
/// places that must not change.
fn outside_stones(board: &mut NaiveBoard, rng: &mut Rng, defender: Color) -> Vec<Place> {
    let last = board.height() - 1;
    let mut reserved = Vec::new();
    if rng.chance(0.3) {
        // Living stones of the defender below the attacker.
        for column in 0..WIDTH {
            let is_eye = column == 1 || column == 3;
            board.set((column, last), (!is_eye).then_some(defender));
            reserved.push((column, last));
        }
        if rng.chance(0.5) {
            board.set((WIDTH - 1, last - 1), None);
            reserved.push((WIDTH - 1, last - 1));
        }
    } else {
        let num_eyes = [2, 2, 2, 1, 0][rng.below(5)];
        for &column in [WIDTH - 1, WIDTH - 3].iter().take(num_eyes) {
            board.set((column, last), None);
            reserved.push((column, last));
        }
    }
    let shielded: Vec<Place> = reserved
        .iter()
        .flat_map(|&at| board.neighbours(at))
        .collect();
    if rng.chance(0.7) {
        reserved.extend(shielded);
    }
    reserved
}

/// Returns connected places outside `reserved`.
fn random_hole(board: &NaiveBoard, rng: &mut Rng, reserved: &mut [Place]) -> Option<Vec<Place>> {
    let places = board.places();
    let start = places[rng.below(places.len())];
    let size = 8 + rng.below(11);
    let mut hole = Vec::new();
    let mut border = vec![start];
    while hole.len() < size && !border.is_empty() {
        let place = border.swap_remove(rng.below(border.len()));
        if !hole.contains(&place) && !reserved.contains(&place) {
            hole.push(place);
            border.extend(board.neighbours(place));
        }
    }
    (hole.len() >= 6).then_some(hole)
}

/// Returns the corners of the rectangle around the hole, with random margins. Sometimes returns the whole board.
fn random_region(board: &NaiveBoard, hole: &[Place], rng: &mut Rng) -> [Place; 2] {
    if rng.chance(0.2) {
        return [(0, 0), (board.width() - 1, board.height() - 1)];
    }
    let margin = rng.below(3);
    let columns = || hole.iter().map(|place| place.0);
    let rows = || hole.iter().map(|place| place.1);
    let low = |least: Option<usize>| least.unwrap_or(0).saturating_sub(margin);
    let high = |most: Option<usize>, size: usize| (most.unwrap_or(0) + margin).min(size - 1);
    [
        (low(columns().min()), low(rows().min())),
        (
            high(columns().max(), board.width()),
            high(rows().max(), board.height()),
        ),
    ]
}

#[test]
fn claims_agree_with_exhaustive_search() {
    let count = std::env::var("PROBLEMS").map_or(60, |count| count.parse().unwrap());
    let mut rng = Rng::new(0x0d5e);
    let (mut checked, mut decided) = (0, 0);
    while checked < count {
        let Some(problem) = RandomProblem::random(&mut rng, 9) else {
            continue;
        };
        let limits = LifeLimits {
            nodes_per_proof: 60_000,
            table_mib: 4,
            ..LifeLimits::default()
        };
        let Some(solution) = problem.solve(limits) else {
            continue;
        };
        match problem.check(&solution, 200_000) {
            Some(Ok(())) => {}
            Some(Err(error)) => panic!("{problem:?}: {error}"),
            None => continue,
        }
        checked += 1;
        decided += usize::from(solution.outcome != LifeOutcome::Unknown);
    }
    assert!(decided * 3 > count * 2, "{decided} of {count}");
}

/// White captures in a ko at C4. If Black could retake at once, it would connect there and live.
#[test]
fn opponent_may_not_retake_the_ko_of_the_first_move() {
    let rows = ["X.XOOOO", "XX.XOO.", ".XXOOOO", "XXXOOO.", "OOOOOOO"];
    let mut board = NaiveBoard::new(WIDTH, rows.len());
    for (column, row) in board.places() {
        let color = match rows[row].as_bytes()[column] {
            b'X' => Some(Color::Black),
            b'O' => Some(Color::White),
            _ => None,
        };
        board.set((column, row), color);
    }
    let problem = RandomProblem {
        target: board.stones(Color::Black),
        board,
        defender: Color::Black,
        to_move: Color::White,
        region: [(0, 0), (4, 4)],
    };
    let solution = problem.solve(LifeLimits::default()).unwrap();
    let ko = LifeOutcome::Ko {
        needs_threat: false,
        is_confirmed: true,
    };
    let best = solution.best_move;
    assert_eq!(
        (solution.outcome, best),
        (ko, Some(Move::Play(point((2, 1)))))
    );
    assert_eq!(problem.check(&solution, 200_000), Some(Ok(())));
}
