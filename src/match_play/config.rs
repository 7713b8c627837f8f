//! Settings of a match, and the functions and errors shared by its parts.

use std::io;

use super::conditions::Conditions;
use super::elo::Sample;
use super::gtp_engine::{GtpEngine, GtpEngineError};
use super::match_stats::MatchStats;
use super::side::Side;
use super::sprt::{Sprt, SprtStatus};
use crate::game::record::Record;

/// The settings of a match.
#[derive(Clone, Debug)]
pub struct MatchConfig {
    pub conditions: Conditions,
    /// Openings, each used for two games and repeated if necessary. If empty, games start from the empty board.
    pub openings: Vec<Record>,
    pub max_games: usize,
    /// Number of games played concurrently, at least 1.
    pub concurrency: usize,
    /// Whether a [`Role::Referee`] scores the games.
    pub has_referee: bool,
    /// Side whose score decides without a referee if the players disagree.
    pub trusted_side: Option<Side>,
    /// Test that can end the match early.
    pub sprt: Option<Sprt>,
    /// Letters that represent A and B in messages; they differ from A and B in a tournament.
    pub letters: [char; 2],
    /// Descriptions of A and B in addition to their names, such as their command lines.
    pub labels: [String; 2],
}

/// The role of an engine in a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    Player(Side),
    Referee,
}

/// Starts an engine for a role. Called from several threads.
pub type RoleLauncher<'a> = dyn Fn(Role) -> Result<Box<dyn GtpEngine>, GtpEngineError> + Sync + 'a;

/// An error that ends a match. Faults within a game are results, not errors.
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
    /// The callback for a finished game failed.
    #[error("game {}: {cause}", game_index + 1)]
    Callback {
        /// Game index, starting at 0.
        game_index: usize,
        cause: io::Error,
    },
}

impl MatchConfig {
    /// Returns the opening of a game.
    pub fn opening(&self, game_index: usize) -> Record {
        match self.openings.len() {
            0 => Record::new(self.conditions.size, self.conditions.rules),
            count => self.openings[game_index / 2 % count].clone(),
        }
    }

    /// Returns the observations used for estimates: pairs if there are openings, because the games of a pair are then
    /// correlated; single games otherwise.
    pub fn sample(&self, stats: &MatchStats) -> Sample {
        if self.openings.is_empty() {
            stats.game_sample()
        } else {
            stats.pair_sample()
        }
    }

    /// Returns the state of the SPRT, if there is one.
    pub fn sprt_status(&self, stats: &MatchStats) -> Option<SprtStatus> {
        self.sprt.map(|sprt| sprt.status(&self.sample(stats)))
    }

    /// Returns true if the SPRT has accepted a hypothesis.
    pub(super) fn is_decided(&self, stats: &MatchStats) -> bool {
        self.sprt_status(stats)
            .is_some_and(|s| s != SprtStatus::Undecided)
    }
}
