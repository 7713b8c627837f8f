//! Statistics of a match, from A's perspective.

use std::collections::BTreeMap;
use std::collections::hash_map::{Entry, HashMap};

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
    /// The index of each distinct game, by A's colour and the moves. It is the lowest index of a game and its duplicates,
    /// so the samples do not depend on the order in which games end.
    distinct_games: HashMap<(Color, Vec<(Color, Move)>), usize>,
    /// A's half points in each distinct game with a result, by index.
    half_points: BTreeMap<usize, usize>,
}

impl MatchStats {
    /// Adds a game to the statistics. Games `2k` and `2k + 1` form a pair. A duplicate (a game with the same moves and
    /// colours as one with a lower index) is not included in the samples, because it is no further evidence of strength.
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
        self.add_to_samples(summary);
        if summary.is_incident() {
            self.incidents.push(Incident {
                game_index: summary.game_index,
                culprit: summary.fault.map(|(side, _)| side),
                text: summary.reason.clone(),
            });
        }
        self.moves += summary.moves.len() as u64;
    }

    fn add_to_samples(&mut self, summary: &GameSummary) {
        let index = summary.game_index;
        let game = (summary.a_color, summary.moves.clone());
        match self.distinct_games.entry(game) {
            Entry::Occupied(entry) if *entry.get() <= index => return,
            Entry::Occupied(mut entry) => {
                let duplicate = entry.insert(index);
                self.half_points.remove(&duplicate);
            }
            Entry::Vacant(entry) => {
                entry.insert(index);
            }
        }
        if let Some(half_points) = summary.result.half_points() {
            self.half_points.insert(index, half_points);
        }
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
        let count = |expected: usize| {
            let values = self.half_points.values();
            values.filter(|value| **value == expected).count() as u32
        };
        ScoreSample::from_games(count(2), count(1), count(0))
    }

    /// Returns A's results as a sample of pairs. A pair is included only if both of its games have a result and neither
    /// is a duplicate.
    pub fn pair_sample(&self) -> ScoreSample {
        let mut counts = [0; 5];
        for (index, first) in self.half_points.iter().filter(|(index, _)| *index % 2 == 0) {
            if let Some(second) = self.half_points.get(&(index + 1)) {
                counts[first + second] += 1;
            }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::point::Point;
    use crate::random::Rng;

    /// A game of one move at a point with this number, which A won as Black and lost as White.
    fn game(game_index: usize, point: usize) -> GameSummary {
        let a_color = Color::BOTH[game_index % 2];
        let winner = if a_color == Color::Black {
            Side::A
        } else {
            Side::B
        };
        GameSummary {
            game_index,
            a_color,
            result: MatchGameResult::Won(winner, "R".to_owned()),
            fault: None,
            reason: String::new(),
            moves: vec![(Color::Black, Move::Play(Point::from_number(point)))],
            thinking_time: Default::default(),
        }
    }

    #[test]
    fn samples_do_not_depend_on_the_order_of_games() {
        // The third pair repeats the first. The fourth pair has only one new game.
        let games = [
            (0, 1),
            (1, 1),
            (2, 2),
            (3, 2),
            (4, 1),
            (5, 1),
            (6, 2),
            (7, 3),
        ];
        let mut games = games.map(|(index, point)| game(index, point));
        let mut rng = Rng::new(1);
        for _ in 0..50 {
            rng.shuffle(&mut games);
            let mut stats = MatchStats::default();
            games.iter().for_each(|game| stats.add(game));
            assert_eq!(stats.distinct_game_count(), 5);
            assert_eq!(stats.game_sample(), ScoreSample::from_games(2, 0, 3));
            assert_eq!(
                stats.pair_sample(),
                ScoreSample::from_pairs([0, 0, 2, 0, 0])
            );
        }
    }
}
