//! Counting the games of a match, as A sees them.

use std::collections::{BTreeMap, HashSet};
use std::fmt;

use super::elo::Sample;
use super::game::{FaultKind, Timing};
use super::game_record::{GameRecord, MatchGameResult};
use crate::game::color::{ByColor, Color};
use crate::game::point::Move;

/// One of the two sides of a match, whatever its colour in a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The first one named; results are seen from it.
    A,
    /// The other one.
    B,
}

impl Side {
    /// Both.
    pub const BOTH: [Self; 2] = [Self::A, Self::B];

    /// The side of that colour when A has `a_color`.
    #[must_use]
    pub fn of(color: Color, a_color: Color) -> Self {
        if color == a_color { Self::A } else { Self::B }
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::A => "A",
            Self::B => "B",
        })
    }
}

/// Games of A with one colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WinDrawLoss {
    /// Won by A.
    pub won: u32,
    /// Drawn.
    pub drawn: u32,
    /// Won by B.
    pub lost: u32,
}

impl WinDrawLoss {
    /// Games with a result.
    #[must_use]
    pub const fn games(&self) -> u32 {
        self.won + self.drawn + self.lost
    }

    /// Points of A: one for a game won, half of one for a draw.
    #[must_use]
    pub fn points(&self) -> f64 {
        f64::from(self.won) + 0.5 * f64::from(self.drawn)
    }

    /// The same games as B sees them.
    #[must_use]
    pub const fn reversed(&self) -> Self {
        Self {
            won: self.lost,
            drawn: self.drawn,
            lost: self.won,
        }
    }

    /// These and others.
    #[must_use]
    pub const fn plus(&self, other: &Self) -> Self {
        Self {
            won: self.won + other.won,
            drawn: self.drawn + other.drawn,
            lost: self.lost + other.lost,
        }
    }
}

/// How often a side failed, by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FaultCounts {
    /// Illegal moves.
    pub illegal: u32,
    /// Programs that died or did not start.
    pub crashes: u32,
    /// Programs that overstepped their time, or did not answer at all.
    pub timeouts: u32,
    /// Refused or missing commands, and answers that are no GTP.
    pub protocol: u32,
}

impl FaultCounts {
    const fn add(&mut self, kind: FaultKind) {
        let count = match kind {
            FaultKind::Illegal => &mut self.illegal,
            FaultKind::Crash => &mut self.crashes,
            FaultKind::Timeout => &mut self.timeouts,
            FaultKind::Protocol => &mut self.protocol,
        };
        *count += 1;
    }
}

/// What is worth telling about a single game: a fault, or no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Incident {
    /// The game's number, from 0.
    pub game_index: usize,
    /// Whose fault; `None` when there is no result.
    pub culprit: Option<Side>,
    /// What happened.
    pub text: String,
}

/// The state of a match.
#[derive(Clone, Debug, Default)]
pub struct MatchStats {
    results: ByColor<WinDrawLoss>,
    timing: [Timing; 2],
    faults: [FaultCounts; 2],
    incidents: Vec<Incident>,
    no_result: u32,
    moves: u64,
    /// Half points of A in the games of each pair, in the order they ended.
    pair_half_points: BTreeMap<usize, Vec<usize>>,
    move_sequences: HashSet<Vec<(Color, Move)>>,
}

impl MatchStats {
    /// Counts a game; games `2k` and `2k + 1` are a pair.
    pub fn add(&mut self, record: &GameRecord) {
        for (sum, timing) in self.timing.iter_mut().zip(&record.timing) {
            sum.merge(timing);
        }
        if let Some((side, kind)) = record.fault {
            self.faults[side as usize].add(kind);
        }
        let results = &mut self.results[record.a_color];
        match &record.result {
            MatchGameResult::Won(Side::A, _) => results.won += 1,
            MatchGameResult::Won(Side::B, _) => results.lost += 1,
            MatchGameResult::Drawn => results.drawn += 1,
            MatchGameResult::NoResult => self.no_result += 1,
        }
        if let Some(half_points) = record.result.half_points() {
            self.pair_half_points
                .entry(record.game_index / 2)
                .or_default()
                .push(half_points);
        }
        if record.is_incident() {
            self.incidents.push(Incident {
                game_index: record.game_index,
                culprit: record.fault.map(|(side, _)| side),
                text: record.reason.clone(),
            });
        }
        self.moves += record.moves.len() as u64;
        self.move_sequences.insert(record.moves.clone());
    }

    /// A's results when it had that colour.
    #[must_use]
    pub fn results(&self, a_color: Color) -> WinDrawLoss {
        self.results[a_color]
    }

    /// A's results with both colours.
    #[must_use]
    pub fn total(&self) -> WinDrawLoss {
        self.results[Color::Black].plus(&self.results[Color::White])
    }

    /// Games without a result.
    #[must_use]
    pub const fn no_result(&self) -> u32 {
        self.no_result
    }

    /// All games.
    #[must_use]
    pub fn games(&self) -> u32 {
        self.total().games() + self.no_result
    }

    /// Different sequences of moves among the games.
    #[must_use]
    pub fn distinct_games(&self) -> usize {
        self.move_sequences.len()
    }

    /// Moves of an average game, the opening's included; 0 without games.
    #[must_use]
    pub fn mean_length(&self) -> f64 {
        self.moves as f64 / f64::from(self.games().max(1))
    }

    /// The time a side took.
    #[must_use]
    pub const fn timing(&self, side: Side) -> Timing {
        self.timing[side as usize]
    }

    /// How a side failed.
    #[must_use]
    pub const fn faults(&self, side: Side) -> FaultCounts {
        self.faults[side as usize]
    }

    /// Faults and games without a result, in the order the games ended.
    #[must_use]
    pub fn incidents(&self) -> &[Incident] {
        &self.incidents
    }

    /// The results as single games.
    #[must_use]
    pub fn game_sample(&self) -> Sample {
        let total = self.total();
        Sample::games(total.won, total.drawn, total.lost)
    }

    /// The results of the pairs of which both games have one.
    #[must_use]
    pub fn pair_sample(&self) -> Sample {
        let mut counts = [0; 5];
        for half_points in self
            .pair_half_points
            .values()
            .filter(|games| games.len() == 2)
        {
            counts[half_points.iter().sum::<usize>()] += 1;
        }
        Sample::pairs(counts)
    }
}
