//! Random positions: what the reader proves is true, and what is true it proves.
//!
//! `READINGS=10000 cargo test --test tactics agree` compares so many instead of the few that take seconds.

use honinbo::game::color::Color;
use honinbo::rng::Rng;
use honinbo::tactics::reading::{Limits, Outcome, Reader};

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

    fn outcome(&self, reader: &mut Reader) -> Outcome {
        let board = set_up(&self.board);
        let (target, ko) = (point(self.target), self.ko.map(point));
        let limits = Limits {
            plies: self.plies,
            nodes: u64::MAX,
            time: None,
        };
        let defends = self.board.at(self.target) == Some(self.to_move);
        let reading = if defends {
            reader.defend(&board, target, ko, limits)
        } else {
            reader.attack(&board, target, ko, limits)
        };
        reading.unwrap().outcome
    }

    /// The outcome that exhaustive search finds; the reader may say more by telling a longer capture.
    fn check(&self, reader: &mut Reader) -> Result<Outcome, Unfinished> {
        let defender = self.board.at(self.target).unwrap();
        let attacker = defender.opposite();
        let outcome = self.outcome(reader);
        // Free of the ko rule, and the plies within which there is a capture, or is none.
        let (mut yes, mut no) = (Vec::new(), Vec::new());
        match outcome {
            Outcome::Captured { plies } => yes.push((Some(defender), plies)),
            Outcome::Ko {
                needs_threat,
                plies,
            } if needs_threat == defender => {
                yes.push((None, plies));
                no.push(Some(defender));
            }
            Outcome::Ko { plies, .. } => {
                yes.push((Some(attacker), plies));
                no.push(None);
            }
            Outcome::Safe { plies } => {
                assert_eq!(plies, self.plies);
                no.push(Some(attacker));
            }
            Outcome::Unknown => panic!("unknown without a limit: {self:?}"),
        }
        for (free, plies) in yes {
            assert!(
                self.truth(free, plies)?,
                "{outcome:?} {free:?} free {self:?}"
            );
        }
        for free in no {
            assert!(
                !self.truth(free, self.plies)?,
                "{outcome:?} {free:?} free {self:?}"
            );
        }
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
