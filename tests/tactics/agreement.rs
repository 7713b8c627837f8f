//! Random positions: what the reader proves is true, and what is true it proves.
//!
//! `READINGS=10000 cargo test --test tactics agree` compares so many instead of the few that take seconds.

use honinbo::game::color::Color;
use honinbo::game::point::Move;
use honinbo::rng::Rng;
use honinbo::tactics::reading::{Limits, Outcome, Reader, Reading};

use crate::bridge::{point, set_up};
use crate::exhaustive::{Exhaustive, Free, Unfinished};
use crate::naive::{NaiveBoard, Place};

/// A chain on a board, and how it is asked about.
#[derive(Debug)]
struct Question {
    board: NaiveBoard,
    target: Place,
    to_move: Color,
    ko: Option<Place>,
    plies: usize,
}

impl Question {
    fn random(sides: (usize, usize), plies: usize, rng: &mut Rng) -> Option<Self> {
        let board = NaiveBoard::random(sides.0, sides.1, 0.4 + 0.5 * rng.unit_f64(), rng);
        let chains = board.chains();
        let to_move = Color::BOTH[rng.below(2)];
        let target = chains.get(rng.below(chains.len().max(1)))?.stones[0];
        // A ko is real: a lone stone in atari, whose last liberty is it.
        let kos: Vec<Place> = chains
            .iter()
            .filter(|c| c.color != to_move && c.stones.len() == 1 && c.liberties.len() == 1)
            .map(|c| c.liberties[0])
            .filter(|&place| board.after(to_move, place).captured.len() == 1)
            .collect();
        let ko = (!kos.is_empty() && rng.chance(0.5)).then(|| kos[rng.below(kos.len())]);
        Some(Self {
            board,
            target,
            to_move,
            ko,
            plies,
        })
    }

    /// Whether it is captured within so many plies.
    fn truth(&self, free: Free, plies: usize) -> Result<bool, Unfinished> {
        Exhaustive::new(&self.board, self.target, free, 100_000).is_captured(
            &self.board,
            self.to_move,
            self.ko,
            plies,
        )
    }

    fn read(&self, reader: &mut Reader) -> Reading {
        let board = set_up(&self.board);
        let (target, ko) = (point(self.target), self.ko.map(point));
        let limits = Limits {
            plies: self.plies,
            nodes: u64::MAX,
            time: None,
        };
        let reading = if self.board.at(self.target) == Some(self.to_move) {
            reader.defend(&board, target, ko, limits)
        } else {
            reader.attack(&board, target, ko, limits)
        };
        reading.unwrap()
    }

    /// The same question after a move, within one ply less; none when the move takes the target.
    fn after(&self, mv: Move) -> Option<Self> {
        let mut next = Self {
            board: self.board.clone(),
            target: self.target,
            to_move: self.to_move.opposite(),
            ko: None,
            plies: self.plies.saturating_sub(1),
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
        next.board.at(self.target).map(|_| next)
    }

    /// Compares what the reader says with what exhaustive search finds; the reader may say more by telling a longer
    /// capture.
    fn check(&self, reader: &mut Reader) -> Result<Outcome, Unfinished> {
        let defender = self.board.at(self.target).unwrap();
        let attacker = defender.opposite();
        let reading = self.read(reader);
        let outcome = reading.outcome;
        // Who is free of the ko rule, whether the chain is captured then, and within how many plies.
        let facts = match outcome {
            Outcome::Captured { plies } => vec![(Some(defender), true, plies)],
            Outcome::Ko {
                needs_threat,
                plies,
            } if needs_threat == defender => {
                vec![(None, true, plies), (Some(defender), false, self.plies)]
            }
            Outcome::Ko { plies, .. } => {
                vec![(Some(attacker), true, plies), (None, false, self.plies)]
            }
            Outcome::Safe { plies } => {
                assert_eq!(plies, self.plies);
                vec![(Some(attacker), false, plies)]
            }
            Outcome::Unknown => panic!("unknown without a limit: {self:?}"),
        };
        let mut has_best = false;
        for (free, captured, plies) in facts {
            let found = self.truth(free, plies)?;
            assert_eq!(found, captured, "{outcome:?} {free:?} free {self:?}");
            // The best move keeps what its player has got.
            if captured != (self.to_move == attacker) {
                continue;
            }
            has_best = true;
            if let Some(next) = self.after(reading.best.unwrap()) {
                let found = next.truth(free, plies.saturating_sub(1))?;
                assert_eq!(found, captured, "{reading:?} {free:?} free {self:?}");
            }
        }
        assert_eq!(reading.best.is_some(), has_best, "{reading:?} {self:?}");
        Ok(outcome)
    }
}

/// How many of the random questions had each outcome.
#[derive(Debug, Default)]
struct Tally {
    captured: usize,
    ko: usize,
    safe: usize,
    unfinished: usize,
}

fn compare(count: usize, seed: u64, draw: impl Fn(&mut Rng) -> Option<Question>) -> Tally {
    let count = std::env::var("READINGS").map_or(count, |text| text.parse().unwrap());
    let mut rng = Rng::new(seed);
    let mut reader = Reader::new();
    let mut tally = Tally::default();
    while tally.captured + tally.ko + tally.safe < count {
        let Some(question) = draw(&mut rng) else {
            continue;
        };
        match question.check(&mut reader) {
            Ok(Outcome::Captured { .. }) => tally.captured += 1,
            Ok(Outcome::Ko { .. }) => tally.ko += 1,
            Ok(_) => tally.safe += 1,
            Err(Unfinished) => tally.unfinished += 1,
        }
    }
    println!("{tally:?}");
    tally
}

#[test]
fn tiny_boards_agree_with_exhaustive_search() {
    let sides = [(2, 2), (3, 2), (3, 3), (2, 4), (4, 3), (3, 4), (5, 2)];
    let tally = compare(1_000, 81, |rng| {
        let sides = sides[rng.below(sides.len())];
        let plies = 1 + rng.below(9);
        Question::random(sides, plies, rng)
    });
    assert!(tally.captured > 100 && tally.ko > 10 && tally.safe > 100);
    assert!(tally.unfinished * 100 < tally.safe, "{tally:?}");
}

#[test]
fn small_boards_agree_with_exhaustive_search() {
    let tally = compare(50, 82, |rng| {
        let plies = 1 + rng.below(8);
        Question::random((5, 5), plies, rng)
    });
    assert!(tally.captured > 10 && tally.safe > 10);
    assert!(tally.unfinished * 20 < tally.safe, "{tally:?}");
}
