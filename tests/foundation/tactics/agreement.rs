//! Random positions: what the reader proves is true, and what is true it proves.
//!
//! `READINGS=10000 cargo test --test foundation agree` compares so many instead of the few that take seconds.

use honinbo::game::color::Color;
use honinbo::game::point::Move;
use honinbo::random::Rng;
use honinbo::tactics::reading::{
    CaptureReader, ConnectionReader, ReadingLimits, ReadingOutcome, ReadingResult,
};

use crate::rules::bridge::{point, set_up};
use crate::rules::naive::{NaiveBoard, NaiveChain, Place};
use crate::tactics::exhaustive::{Exhaustive, Free, Goal, Unfinished};

/// A goal on a board, and how it is asked about.
#[derive(Debug)]
struct Question {
    board: NaiveBoard,
    goal: Goal,
    maker: Color,
    to_move: Color,
    ko: Option<Place>,
    plies: usize,
}

/// Draws a goal on a board with chains.
type Draw = fn(&[NaiveChain], &mut Rng) -> Option<Goal>;

fn some_capture(chains: &[NaiveChain], rng: &mut Rng) -> Option<Goal> {
    let target = chains.get(rng.below(chains.len().max(1)))?;
    Some(Goal::Capture(target.stones[0]))
}

fn some_join(chains: &[NaiveChain], rng: &mut Rng) -> Option<Goal> {
    let one = chains.get(rng.below(chains.len().max(1)))?;
    let others = chains.iter().filter(|chain| chain.color == one.color);
    let others: Vec<Place> = others.map(|chain| chain.stones[0]).collect();
    // Now and then the chain itself.
    let other = others[rng.below(others.len())];
    let is_one = one.stones.contains(&other);
    (!is_one || rng.chance(0.05)).then(|| Goal::Join([one.stones[0], other]))
}

/// The readers, which keep what they find out.
#[derive(Default)]
struct Readers {
    captures: CaptureReader,
    connections: ConnectionReader,
}

impl Question {
    fn random(sides: (usize, usize), plies: usize, draw: Draw, rng: &mut Rng) -> Option<Self> {
        let board = NaiveBoard::random(sides.0, sides.1, 0.4 + 0.5 * rng.unit_f64(), rng);
        let chains = board.chains();
        let to_move = Color::BOTH[rng.below(2)];
        let goal = draw(&chains, rng)?;
        // A ko is real: a lone stone in atari, whose last liberty is it.
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

    /// Whether it is reached within so many plies.
    fn truth(&self, free: Free, plies: usize) -> Result<bool, Unfinished> {
        Exhaustive::new(self.goal, self.maker, free, 100_000).is_reached(
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
        let (captures, connections) = (&mut readers.captures, &mut readers.connections);
        match (self.goal, self.to_move == self.maker) {
            (Goal::Capture(target), true) => {
                captures.attack(board, point(target), ko, limits).unwrap()
            }
            (Goal::Capture(target), false) => {
                captures.defend(board, point(target), ko, limits).unwrap()
            }
            (Goal::Join(stones), true) => connections
                .connect(board, stones.map(point), ko, limits)
                .unwrap(),
            (Goal::Join(stones), false) => connections
                .disconnect(board, stones.map(point), ko, limits)
                .unwrap(),
        }
    }

    /// The same question after a move.
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

    /// Compares what the reader says with what exhaustive search finds; the reader may say more by telling a longer
    /// way.
    fn check(&self, readers: &mut Readers) -> Result<ReadingOutcome, Unfinished> {
        let (maker, breaker) = (self.maker, self.maker.opposite());
        let reading = self.read(readers);
        let outcome = reading.outcome;
        // Who is free of the ko rule, whether the goal is reached then, and within how many plies.
        let facts = match outcome {
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
        let mut has_best = false;
        for (free, reached, plies) in facts {
            let found = self.truth(free, plies)?;
            assert_eq!(found, reached, "{outcome:?} {free:?} free {self:?}");
            // The best move keeps what its player has got.
            if reached != (self.to_move == maker) {
                continue;
            }
            has_best = true;
            let next = self.after(reading.best_move.unwrap());
            let found = next.truth(free, plies.saturating_sub(1))?;
            assert_eq!(found, reached, "{reading:?} {free:?} free {self:?}");
        }
        assert_eq!(
            reading.best_move.is_some(),
            has_best,
            "{reading:?} {self:?}"
        );
        Ok(outcome)
    }
}

/// How many of the random questions had each outcome.
#[derive(Debug, Default)]
struct Tally {
    reached: usize,
    ko: usize,
    prevented: usize,
    unfinished: usize,
}

fn compare(count: usize, seed: u64, draw: impl Fn(&mut Rng) -> Option<Question>) -> Tally {
    let count = std::env::var("READINGS").map_or(count, |text| text.parse().unwrap());
    let mut rng = Rng::new(seed);
    let mut readers = Readers::default();
    let mut tally = Tally::default();
    while tally.reached + tally.ko + tally.prevented < count {
        let Some(question) = draw(&mut rng) else {
            continue;
        };
        match question.check(&mut readers) {
            Ok(ReadingOutcome::Reached { .. }) => tally.reached += 1,
            Ok(ReadingOutcome::Ko { .. }) => tally.ko += 1,
            Ok(_) => tally.prevented += 1,
            Err(Unfinished) => tally.unfinished += 1,
        }
    }
    println!("{tally:?}");
    tally
}

const TINY: [(usize, usize); 7] = [(2, 2), (3, 2), (3, 3), (2, 4), (4, 3), (3, 4), (5, 2)];

fn compare_on_tiny_boards(count: usize, seed: u64, draw: Draw) {
    let tally = compare(count, seed, |rng| {
        let sides = TINY[rng.below(TINY.len())];
        let plies = 1 + rng.below(9);
        Question::random(sides, plies, draw, rng)
    });
    assert!(tally.reached > 100 && tally.ko > 10 && tally.prevented > 100);
    assert!(tally.unfinished * 100 < tally.prevented, "{tally:?}");
}

fn compare_on_small_boards(seed: u64, most_plies: usize, draw: Draw) {
    let tally = compare(50, seed, |rng| {
        let plies = 1 + rng.below(most_plies);
        Question::random((5, 5), plies, draw, rng)
    });
    assert!(tally.reached > 10 && tally.prevented > 10);
    assert!(tally.unfinished * 20 < tally.prevented, "{tally:?}");
}

#[test]
fn captures_on_tiny_boards_agree_with_exhaustive_search() {
    compare_on_tiny_boards(1_000, 81, some_capture);
}

#[test]
fn captures_on_small_boards_agree_with_exhaustive_search() {
    compare_on_small_boards(82, 8, some_capture);
}

#[test]
fn connections_on_tiny_boards_agree_with_exhaustive_search() {
    compare_on_tiny_boards(500, 83, some_join);
}

#[test]
fn connections_on_small_boards_agree_with_exhaustive_search() {
    compare_on_small_boards(84, 4, some_join);
}
