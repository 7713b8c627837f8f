//! Settings of a match, and the types shared by the modules that play it.

use std::io;

use super::conditions::Conditions;
use super::elo::ScoreSample;
use super::gtp_engine::{GtpEngine, GtpEngineError};
use super::match_stats::MatchStats;
use super::side::Side;
use super::sprt::{Sprt, SprtStatus};
use crate::game::record::Record;

/// Settings of a match.
#[derive(Clone, Debug)]
pub struct MatchConfig {
    pub conditions: Conditions,
    /// Openings, each used for two consecutive games. The list is repeated if the match has more games. If it is empty,
    /// games start from the empty board.
    pub openings: Vec<Record>,
    pub max_games: usize,
    /// Number of games played concurrently, at least 1.
    pub concurrency: usize,
    /// True if a third engine ([`Role::Referee`]) scores the games.
    pub has_referee: bool,
    /// Side that determines the score if the players disagree on the winner. If `None`, such games have no result. Not
    /// used if there is a referee.
    pub trusted_side: Option<Side>,
    /// Statistical test that ends the match when it accepts a hypothesis.
    pub sprt: Option<Sprt>,
    /// Letters that denote A and B in messages. In a tournament, they are the letters of the two programs.
    pub letters: [char; 2],
    /// Descriptions of A and B, such as their command lines. They are shown in addition to the names.
    pub labels: [String; 2],
}

/// Role of an engine in a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    Player(Side),
    Referee,
}

/// Function that starts an engine for a role. May be called concurrently from several threads.
pub type RoleLauncher<'a> = dyn Fn(Role) -> Result<Box<dyn GtpEngine>, GtpEngineError> + Sync + 'a;

/// Error that ends a match. A fault of a player during a game is not an error of the match: it only decides that game.
#[derive(Debug, thiserror::Error)]
pub enum MatchError {
    /// A player cannot be started.
    #[error("{letter}: {cause}")]
    Player {
        /// Letter of the player.
        letter: char,
        cause: GtpEngineError,
    },
    /// The referee cannot be started.
    #[error("referee: {0}")]
    Referee(GtpEngineError),
    /// A thread cannot be started.
    #[error("cannot start a thread for each concurrent game: {0}")]
    Thread(io::Error),
    /// The callback that is called after each game failed.
    #[error("game {}: {cause}", game_index + 1)]
    Callback {
        /// Game index, starting at 0.
        game_index: usize,
        cause: io::Error,
    },
}

impl MatchConfig {
    /// Returns the opening of game `game_index`, or an empty record if the match has no openings.
    pub fn opening(&self, game_index: usize) -> Record {
        match self.openings.len() {
            0 => Record::new(self.conditions.size, self.conditions.rules),
            count => self.openings[game_index / 2 % count].clone(),
        }
    }

    /// Returns A's results in `stats` as a sample for statistics. If the match has openings, the observations are pairs
    /// of games, because two games with the same opening are correlated. Otherwise, they are single games.
    pub fn score_sample(&self, stats: &MatchStats) -> ScoreSample {
        if self.openings.is_empty() {
            stats.game_sample()
        } else {
            stats.pair_sample()
        }
    }

    /// Returns the state of the SPRT, or `None` if the match has none.
    pub fn sprt_status(&self, stats: &MatchStats) -> Option<SprtStatus> {
        self.sprt.map(|sprt| sprt.status(&self.score_sample(stats)))
    }

    /// Returns true if the SPRT has accepted a hypothesis.
    pub(super) fn is_decided(&self, stats: &MatchStats) -> bool {
        self.sprt_status(stats)
            .is_some_and(|s| s != SprtStatus::Undecided)
    }
}
