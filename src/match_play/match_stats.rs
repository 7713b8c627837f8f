//! Statistics of a match, from A's perspective.

use std::collections::{BTreeMap, HashSet};

use super::elo::ScoreSample;
use super::game::{FaultKind, ThinkingTimeStats};
use super::game_summary::{GameSummary, MatchGameResult};
use super::player::EngineIdentity;
use super::side::Side;
use crate::game::color::{ByColor, Color};
use crate::game::point::Move;

/// Numbers of wins, draws and losses of a side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WinDrawLoss {
    pub won: u32,
    pub drawn: u32,
    pub lost: u32,
}

impl WinDrawLoss {
    /// Returns A's result in one game. All counts are 0 if the game has no result.
    pub fn from_game(result: &MatchGameResult) -> Self {
        Self {
            won: u32::from(matches!(result, MatchGameResult::Won(Side::A, _))),
            drawn: u32::from(matches!(result, MatchGameResult::Drawn)),
            lost: u32::from(matches!(result, MatchGameResult::Won(Side::B, _))),
        }
    }

    /// Returns the number of games with a result.
    pub const fn game_count(&self) -> u32 {
        self.won + self.drawn + self.lost
    }

    /// Returns the points scored: 1 per win and 1/2 per draw.
    pub fn points(&self) -> f64 {
        f64::from(self.won) + 0.5 * f64::from(self.drawn)
    }

    /// Returns the counts from the opponent's perspective.
    pub const fn reversed(&self) -> Self {
        Self {
            won: self.lost,
            drawn: self.drawn,
            lost: self.won,
        }
    }

    /// Returns the sums of the counts of `self` and `other`.
    pub const fn plus(&self, other: &Self) -> Self {
        Self {
            won: self.won + other.won,
            drawn: self.drawn + other.drawn,
            lost: self.lost + other.lost,
        }
    }
}

/// Numbers of faults of a side, in the order of [`FaultKind::ALL`].
pub type FaultCounts = [u32; FaultKind::ALL.len()];

/// Description of a game with a fault or without a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Incident {
    /// Game index, starting at 0.
    pub game_index: usize,
    /// Side at fault; `None` if there was no fault.
    pub culprit: Option<Side>,
    pub text: String,
}

/// Statistics of the games played so far.
#[derive(Clone, Debug, Default)]
pub struct MatchStats {
    results: ByColor<WinDrawLoss>,
    thinking_time: [ThinkingTimeStats; 2],
    faults: [FaultCounts; 2],
    incidents: Vec<Incident>,
    no_result: u32,
    moves: u64,
    /// A's results in the games that are not duplicates.
    distinct_results: WinDrawLoss,
    /// For each `k`, A's half points in the games `2k` and `2k + 1`. Duplicates and games without a result are omitted.
    pair_half_points: BTreeMap<usize, Vec<usize>>,
    /// A's colour and the moves of every game.
    distinct_games: HashSet<(Color, Vec<(Color, Move)>)>,
}

impl MatchStats {
    /// Adds a game to the statistics. Games `2k` and `2k + 1` form a pair. A duplicate (a game with the same moves and
    /// colours as an earlier one) is not included in the samples, because it is no further evidence of strength.
    pub fn add(&mut self, summary: &GameSummary) {
        for (sum, thinking_time) in self.thinking_time.iter_mut().zip(&summary.thinking_time) {
            sum.merge(thinking_time);
        }
        if let Some((side, kind)) = summary.fault {
            self.faults[side as usize][kind as usize] += 1;
        }
        self.no_result += u32::from(summary.result == MatchGameResult::NoResult);
        let result = WinDrawLoss::from_game(&summary.result);
        let results = &mut self.results[summary.a_color];
        *results = results.plus(&result);
        let is_new = (self.distinct_games).insert((summary.a_color, summary.moves.clone()));
        if let Some(half_points) = summary.result.half_points().filter(|_| is_new) {
            self.distinct_results = self.distinct_results.plus(&result);
            self.pair_half_points
                .entry(summary.game_index / 2)
                .or_default()
                .push(half_points);
        }
        if summary.is_incident() {
            self.incidents.push(Incident {
                game_index: summary.game_index,
                culprit: summary.fault.map(|(side, _)| side),
                text: summary.reason.clone(),
            });
        }
        self.moves += summary.moves.len() as u64;
    }

    /// Returns A's results in the games in which it played `a_color`.
    pub fn results_as(&self, a_color: Color) -> WinDrawLoss {
        self.results[a_color]
    }

    /// Returns A's results in all games.
    pub fn total_results(&self) -> WinDrawLoss {
        self.results[Color::Black].plus(&self.results[Color::White])
    }

    /// Returns the number of games without a result.
    pub const fn no_result_count(&self) -> u32 {
        self.no_result
    }

    /// Returns the number of games, including those without a result.
    pub fn game_count(&self) -> u32 {
        self.total_results().game_count() + self.no_result
    }

    /// Returns the number of games, including those without a result, that are not duplicates.
    pub fn distinct_game_count(&self) -> usize {
        self.distinct_games.len()
    }

    /// Returns the mean number of moves per game, including the moves of the opening, or 0 if there are no games.
    pub fn mean_length(&self) -> f64 {
        self.moves as f64 / f64::from(self.game_count().max(1))
    }

    /// Returns the thinking time of a side, summed over all games.
    pub const fn thinking_time(&self, side: Side) -> ThinkingTimeStats {
        self.thinking_time[side as usize]
    }

    pub const fn faults(&self, side: Side) -> FaultCounts {
        self.faults[side as usize]
    }

    /// Returns the games with a fault or without a result, in the order in which they ended.
    pub fn incidents(&self) -> &[Incident] {
        &self.incidents
    }

    /// Returns A's results in distinct games as a sample of single games.
    pub fn game_sample(&self) -> ScoreSample {
        let WinDrawLoss { won, drawn, lost } = self.distinct_results;
        ScoreSample::from_games(won, drawn, lost)
    }

    /// Returns A's results as a sample of pairs. A pair is included only if both of its games have a result and neither
    /// is a duplicate.
    pub fn pair_sample(&self) -> ScoreSample {
        let mut counts = [0; 5];
        for half_points in self
            .pair_half_points
            .values()
            .filter(|games| games.len() == 2)
        {
            counts[half_points.iter().sum::<usize>()] += 1;
        }
        ScoreSample::from_pairs(counts)
    }
}

/// Statistics of a match and the identities of its players.
#[derive(Clone, Debug)]
pub struct MatchSummary {
    pub stats: MatchStats,
    /// Identities of A and B.
    pub identities: [EngineIdentity; 2],
}
