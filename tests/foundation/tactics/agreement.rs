//! Reading of random positions agrees with exhaustive search in both directions.
//!
//! `READINGS=10000 cargo test --test foundation agree` compares that number of positions instead of a few.

use honinbo::game::color::Color;
use honinbo::game::point::Move;
use honinbo::random::Rng;
use honinbo::tactics::reading::{
    CaptureReader, ConnectionReader, ReadingLimits, ReadingOutcome, ReadingResult, ReadingSide,
};

use crate::naive::bridge::{point, set_up};
use crate::naive::{NaiveBoard, NaiveChain, Place};
use crate::tactics::exhaustive::{Exhaustive, Goal, KoImmune, Unfinished};

/// A reading query on a naive board.
#[derive(Debug)]
struct Query {
    board: NaiveBoard,
    goal: Goal,
    maker: Color,
    to_move: Color,
    ko: Option<Place>,
    plies: usize,
}

/// Chooses a goal on a board with the given chains.
type ChooseGoal = fn(&[NaiveChain], &mut Rng) -> Option<Goal>;

fn random_capture(chains: &[NaiveChain], rng: &mut Rng) -> Option<Goal> {
    let target = chains.get(rng.below(chains.len().max(1)))?;
    Some(Goal::Capture(target.stones[0]))
}

fn random_connection(chains: &[NaiveChain], rng: &mut Rng) -> Option<Goal> {
    let one = chains.get(rng.below(chains.len().max(1)))?;
    let others = chains.iter().filter(|chain| chain.color == one.color);
    let others: Vec<Place> = others.map(|chain| chain.stones[0]).collect();
    // Occasionally both stones belong to the same chain.
    let other = others[rng.below(others.len())];
    let is_one = one.stones.contains(&other);
    (!is_one || rng.chance(0.05)).then(|| Goal::Connect([one.stones[0], other]))
}

/// Readers shared by all queries, so that their tables are reused.
#[derive(Default)]
struct Readers {
    captures: CaptureReader,
    connections: ConnectionReader,
}

impl Query {
    fn random(
        sides: (usize, usize),
        plies: usize,
        choose_goal: ChooseGoal,
        rng: &mut Rng,
    ) -> Option<Self> {
        let board = NaiveBoard::random(sides.0, sides.1, 0.4 + 0.5 * rng.unit_f64(), rng);
        let chains = board.chains();
        let to_move = Color::BOTH[rng.below(2)];
        let goal = choose_goal(&chains, rng)?;
        // A ko point is the last liberty of a single stone that can be captured there.
        let kos: Vec<Place> = chains
            .iter()
            .filter(|c| c.color != to_move && c.stones.len() == 1 && c.liberties.len() == 1)
            .map(|c| c.liberties[0])
            .filter(|&place| board.after(to_move, place).captured.len() == 1)
            .collect();
        let ko = (!kos.is_empty() && rng.chance(0.5)).then(|| kos[rng.below(kos.len())]);
        Some(Self {
            maker: goal.maker(&board),
            board,
            goal,
            to_move,
            ko,
            plies,
        })
    }

    /// Returns whether the goal is reached within `plies`, by exhaustive search.
    fn is_reached_exhaustively(
        &self,
        ko_immune: KoImmune,
        plies: usize,
    ) -> Result<bool, Unfinished> {
        Exhaustive::new(self.goal, self.maker, ko_immune, 100_000).is_reached(
            &self.board,
            self.to_move,
            self.ko,
            plies,
        )
    }

    fn read(&self, readers: &mut Readers) -> ReadingResult {
        let (board, ko) = (&set_up(&self.board), self.ko.map(point));
        let limits = ReadingLimits {
            plies: self.plies,
            nodes: u64::MAX,
            time: None,
        };
        let first = if self.to_move == self.maker {
            ReadingSide::Maker
        } else {
            ReadingSide::Breaker
        };
        let (captures, connections) = (&mut readers.captures, &mut readers.connections);
        match self.goal {
            Goal::Capture(target) => captures
                .read(board, point(target), first, ko, limits)
                .unwrap(),
            Goal::Connect(stones) => connections
                .read(board, stones.map(point), first, ko, limits)
                .unwrap(),
        }
    }

    /// Returns the query after a move.
    fn after(&self, mv: Move) -> Self {
        let mut next = Self {
            board: self.board.clone(),
            to_move: self.to_move.opposite(),
            ko: None,
            ..*self
        };
        if let Some(point) = mv.point() {
            let place = (point.column(), point.row());
            let after = self.board.after(self.to_move, place);
            assert!(
                self.board.at(place).is_none() && !after.suicide,
                "{mv:?} {self:?}"
            );
            next.ko = after.retaken_at(place);
            next.board = after.board;
        }
        next
    }

    /// Compares the reader with exhaustive search. The reader may find a success that takes more plies than the
    /// limit.
    fn check(&self, readers: &mut Readers) -> Result<ReadingOutcome, Unfinished> {
        let (maker, breaker) = (self.maker, self.maker.opposite());
        let reading = self.read(readers);
        let outcome = reading.outcome;
        // Side with ko immunity, whether the goal is reached with it, and the number of plies.
        let claims = match outcome {
            ReadingOutcome::Reached { plies } => vec![(Some(breaker), true, plies)],
            ReadingOutcome::Ko {
                needs_threat,
                plies,
            } if needs_threat == breaker => {
                vec![(None, true, plies), (Some(breaker), false, self.plies)]
            }
            ReadingOutcome::Ko { plies, .. } => {
                vec![(Some(maker), true, plies), (None, false, self.plies)]
            }
            ReadingOutcome::Prevented { plies } => {
                assert_eq!(plies, self.plies);
                vec![(Some(maker), false, plies)]
            }
            ReadingOutcome::Unknown => panic!("unknown without a limit: {self:?}"),
        };
        let mut has_best_move = false;
        for (ko_immune, reached, plies) in claims {
            let found = self.is_reached_exhaustively(ko_immune, plies)?;
            assert_eq!(found, reached, "{outcome:?} {ko_immune:?} immune {self:?}");
            // The best move must preserve the result of the side that plays it.
            if reached != (self.to_move == maker) {
                continue;
            }
            has_best_move = true;
            let next = self.after(reading.best_move.unwrap());
            let found = next.is_reached_exhaustively(ko_immune, plies.saturating_sub(1))?;
            assert_eq!(found, reached, "{reading:?} {ko_immune:?} immune {self:?}");
        }
        assert_eq!(
            reading.best_move.is_some(),
            has_best_move,
            "{reading:?} {self:?}"
        );
        Ok(outcome)
    }
}

/// Number of queries by outcome.
#[derive(Debug, Default)]
struct OutcomeCounts {
    reached: usize,
    ko: usize,
    prevented: usize,
    unfinished: usize,
}

fn compare(
    count: usize,
    seed: u64,
    choose_goal: impl Fn(&mut Rng) -> Option<Query>,
) -> OutcomeCounts {
    let count = std::env::var("READINGS").map_or(count, |text| text.parse().unwrap());
    let mut rng = Rng::new(seed);
    let mut readers = Readers::default();
    let mut counts = OutcomeCounts::default();
    while counts.reached + counts.ko + counts.prevented < count {
        let Some(query) = choose_goal(&mut rng) else {
            continue;
        };
        match query.check(&mut readers) {
            Ok(ReadingOutcome::Reached { .. }) => counts.reached += 1,
            Ok(ReadingOutcome::Ko { .. }) => counts.ko += 1,
            Ok(_) => counts.prevented += 1,
            Err(Unfinished) => counts.unfinished += 1,
        }
    }
    println!("{counts:?}");
    counts
}

const TINY: [(usize, usize); 7] = [(2, 2), (3, 2), (3, 3), (2, 4), (4, 3), (3, 4), (5, 2)];

fn compare_on_tiny_boards(count: usize, seed: u64, choose_goal: ChooseGoal) {
    let counts = compare(count, seed, |rng| {
        let sides = TINY[rng.below(TINY.len())];
        let plies = 1 + rng.below(9);
        Query::random(sides, plies, choose_goal, rng)
    });
    assert!(counts.reached > 100 && counts.ko > 10 && counts.prevented > 100);
    assert!(counts.unfinished * 100 < counts.prevented, "{counts:?}");
}

fn compare_on_small_boards(seed: u64, max_plies: usize, choose_goal: ChooseGoal) {
    let counts = compare(50, seed, |rng| {
        let plies = 1 + rng.below(max_plies);
        Query::random((5, 5), plies, choose_goal, rng)
    });
    assert!(counts.reached > 10 && counts.prevented > 10);
    assert!(counts.unfinished * 20 < counts.prevented, "{counts:?}");
}

#[test]
fn captures_on_tiny_boards_agree() {
    compare_on_tiny_boards(1_000, 81, random_capture);
}

#[test]
fn captures_on_small_boards_agree() {
    compare_on_small_boards(82, 8, random_capture);
}

#[test]
fn connections_on_tiny_boards_agree() {
    compare_on_tiny_boards(500, 83, random_connection);
}

#[test]
fn connections_on_small_boards_agree() {
    compare_on_small_boards(84, 4, random_connection);
}
