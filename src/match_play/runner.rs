//! A whole match: the schedule, several games at once, counting, and stopping when the test is decided.
//!
//! Each thread keeps a lineup of its own, with its own programs. Colours alternate; games `2k` and `2k + 1` share an
//! opening.

use std::collections::HashSet;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::thread::{self, Builder};

use parking_lot::Mutex;

use super::elo::Sample;
use super::engine_pool::EnginePool;
use super::game::PlayedGame;
use super::game_record::GameRecord;
use super::gtp_engine::{GtpEngine, GtpEngineError};
use super::match_stats::{MatchStats, Side};
use super::player::{Conditions, EngineIdentity};
use super::sprt::{Sprt, SprtStatus};
use crate::game::color::Color;
use crate::game::record::Record;

/// What a match is to be.
#[derive(Clone, Debug)]
pub struct MatchConfig {
    /// The conditions of every game.
    pub conditions: Conditions,
    /// Each is played twice, and they come again when all were played. Empty: from the empty board.
    pub openings: Vec<Record>,
    /// Games at most.
    pub max_games: usize,
    /// Games at once, at least 1.
    pub concurrency: usize,
    /// Whether [`Role::Referee`] is to be called in and decides.
    pub has_referee: bool,
    /// Without a referee: whose count holds when the players differ.
    pub trusted_side: Option<Side>,
    /// The test that may end the match early.
    pub sprt: Option<Sprt>,
    /// The letters that stand for A and B in what people read: others than these in a tournament.
    pub letters: [char; 2],
    /// What A and B are called beside their names, such as their command lines.
    pub labels: [String; 2],
}

/// A place in the lineup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A player's.
    Player(Side),
    /// The referee's.
    Referee,
}

/// Starts a program for a seat; called from several threads.
pub type RoleLauncher<'a> = dyn Fn(Role) -> Result<Box<dyn GtpEngine>, GtpEngineError> + Sync + 'a;

/// Sees a game as it ends.
pub type OnGame<'a> = dyn FnMut(&FinishedGame<'_>) -> io::Result<()> + 'a;

/// A game that has just ended.
pub struct FinishedGame<'a> {
    /// Its number, from 0.
    pub game_index: usize,
    /// A's colour.
    pub a_color: Color,
    /// The game.
    pub played_game: &'a PlayedGame,
    /// What is kept of it.
    pub record: &'a GameRecord,
    /// The match so far, this game included.
    pub stats: &'a MatchStats,
    /// What was to be played.
    pub config: &'a MatchConfig,
    identities: &'a [EngineIdentity; 2],
}

impl FinishedGame<'_> {
    /// Name and version of the player of that colour; its side too, when both would read the same.
    #[must_use]
    pub fn name(&self, color: Color) -> String {
        let side = Side::of(color, self.a_color);
        let [a, b] = self.identities;
        let identity = &self.identities[side as usize];
        if a == b {
            format!("{identity} ({})", self.config.letters[side as usize])
        } else {
            identity.to_string()
        }
    }

    /// The side of that colour and its label.
    #[must_use]
    pub fn label(&self, color: Color) -> String {
        let side = Side::of(color, self.a_color) as usize;
        format!(
            "{}, {}",
            self.config.letters[side], self.config.labels[side]
        )
    }
}

/// A match that was played.
#[derive(Clone, Debug)]
pub struct MatchSummary {
    /// The counts.
    pub stats: MatchStats,
    /// Who A and B said they are.
    pub identities: [EngineIdentity; 2],
}

/// A match whose players have come to the board.
pub struct PreparedMatch {
    first_pool: EnginePool,
    identities: [EngineIdentity; 2],
}

impl PreparedMatch {
    /// Who A and B say they are.
    #[must_use]
    pub const fn identities(&self) -> &[EngineIdentity; 2] {
        &self.identities
    }
}

/// Why a match cannot go on. Faults within a game are results, not errors.
#[derive(Debug, thiserror::Error)]
pub enum MatchError {
    /// A player cannot even begin.
    #[error("{letter}: {cause}")]
    Player {
        /// Which.
        letter: char,
        /// Why.
        cause: GtpEngineError,
    },
    /// There is no referee.
    #[error("referee: {0}")]
    Referee(GtpEngineError),
    /// The system gives no thread for a game beside others.
    #[error("cannot start a thread for each game that is to be played at once: {0}")]
    Thread(io::Error),
    /// A finished game could not be handed on.
    #[error("game {}: {cause}", game_index + 1)]
    Callback {
        /// Its number, from 0.
        game_index: usize,
        /// Why.
        cause: io::Error,
    },
}

impl MatchConfig {
    /// Plays the whole match. `on_game` sees every game as it ends, from this thread.
    ///
    /// # Errors
    /// When a program or a thread cannot begin, the referee cannot be replaced, or `on_game` fails.
    pub fn run(
        &self,
        launcher: &RoleLauncher<'_>,
        on_game: &mut OnGame<'_>,
    ) -> Result<MatchSummary, MatchError> {
        let prepared = self.prepare(launcher)?;
        let (summary, result) =
            self.resume(prepared, &[], launcher, on_game, &AtomicBool::new(false));
        result.map(|()| summary)
    }

    /// Brings the players to the board once, so that a mistaken command line ends the match before its first game.
    ///
    /// # Errors
    /// When one of them, or the referee, cannot begin.
    pub fn prepare(&self, launcher: &RoleLauncher<'_>) -> Result<PreparedMatch, MatchError> {
        let mut first_pool = EnginePool::default();
        let identities = first_pool.start_all(self, launcher)?;
        Ok(PreparedMatch {
            first_pool,
            identities,
        })
    }

    /// Plays the games of the match that are not among those kept from before, which count like the others, until
    /// somebody sets `interrupted`. Tells what was played, also if it ends in an error.
    ///
    /// # Errors
    /// When the referee cannot be replaced, or `on_game` fails.
    pub fn resume(
        &self,
        prepared: PreparedMatch,
        previous_games: &[GameRecord],
        launcher: &RoleLauncher<'_>,
        on_game: &mut OnGame<'_>,
        interrupted: &AtomicBool,
    ) -> (MatchSummary, Result<(), MatchError>) {
        let PreparedMatch {
            first_pool,
            identities,
        } = prepared;
        let mut stats = MatchStats::default();
        previous_games.iter().for_each(|record| stats.add(record));
        let played_indices: HashSet<usize> = previous_games
            .iter()
            .map(|entry| entry.game_index)
            .collect();
        let remaining =
            Mutex::new((0..self.max_games).filter(|game| !played_indices.contains(game)));
        let is_over = AtomicBool::new(self.is_decided(&stats));
        let should_stop = || is_over.load(Ordering::Relaxed) || interrupted.load(Ordering::Relaxed);
        let result = thread::scope(|scope| {
            let (sender, receiver) = channel();
            let mut result = Ok(());
            let mut pools = vec![first_pool];
            pools.resize_with(self.concurrency.max(1), EnginePool::default);
            for mut pool in pools {
                let (sender, remaining, should_stop) = (sender.clone(), &remaining, &should_stop);
                let next_game = move || remaining.lock().next();
                let worker =
                    move || self.run_worker(&mut pool, launcher, next_game, should_stop, &sender);
                if let Err(error) = Builder::new().spawn_scoped(scope, worker) {
                    is_over.store(true, Ordering::Relaxed);
                    result = Err(MatchError::Thread(error));
                }
            }
            drop(sender);
            for message in receiver {
                if is_over.load(Ordering::Relaxed) {
                    // What was still being played does not count.
                    continue;
                }
                result =
                    message
                        .map_err(MatchError::Referee)
                        .and_then(|(game_index, played_game)| {
                            self.finish_game(
                                game_index,
                                &played_game,
                                &mut stats,
                                &identities,
                                on_game,
                            )
                        });
                is_over.store(
                    result.is_err() || self.is_decided(&stats),
                    Ordering::Relaxed,
                );
            }
            result
        });
        (MatchSummary { stats, identities }, result)
    }

    /// Adds a game that was played to the tally, and hands it on.
    fn finish_game(
        &self,
        game_index: usize,
        played_game: &PlayedGame,
        stats: &mut MatchStats,
        identities: &[EngineIdentity; 2],
        on_game: &mut OnGame<'_>,
    ) -> Result<(), MatchError> {
        let record = GameRecord::new(game_index, color_of_a(game_index), played_game);
        stats.add(&record);
        let finished = FinishedGame {
            game_index,
            a_color: record.a_color,
            played_game,
            record: &record,
            stats,
            config: self,
            identities,
        };
        on_game(&finished).map_err(|cause| MatchError::Callback { game_index, cause })
    }

    fn is_decided(&self, stats: &MatchStats) -> bool {
        self.sprt_status(stats)
            .is_some_and(|s| s != SprtStatus::Undecided)
    }

    /// What the estimates rest on: pairs where openings make pairs of games alike, else single games.
    #[must_use]
    pub fn sample(&self, stats: &MatchStats) -> Sample {
        if self.openings.is_empty() {
            stats.game_sample()
        } else {
            stats.pair_sample()
        }
    }

    /// Where the test stands, if there is one.
    #[must_use]
    pub fn sprt_status(&self, stats: &MatchStats) -> Option<SprtStatus> {
        self.sprt.map(|sprt| sprt.status(&self.sample(stats)))
    }

    fn run_worker(
        &self,
        pool: &mut EnginePool,
        launcher: &RoleLauncher<'_>,
        mut next_game: impl FnMut() -> Option<usize>,
        should_stop: &dyn Fn() -> bool,
        sender: &Sender<Result<(usize, PlayedGame), GtpEngineError>>,
    ) {
        while !should_stop() {
            let Some(game_index) = next_game() else {
                return;
            };
            let result = pool.play(self, launcher, game_index, should_stop);
            let may_be_interrupted =
                (result.as_ref()).map_or(true, |played| played.outcome.may_be_interrupted());
            if should_stop() && may_be_interrupted {
                return;
            }
            // The receiver outlives all senders.
            let _ = sender.send(result.map(|played| (game_index, played)));
        }
    }

    /// What the game of that number begins with.
    #[must_use]
    pub fn opening(&self, game_index: usize) -> Record {
        match self.openings.len() {
            0 => Record::new(self.conditions.size, self.conditions.rules),
            count => self.openings[game_index / 2 % count].clone(),
        }
    }
}

/// A's colour in the game of that number.
#[must_use]
pub const fn color_of_a(game_index: usize) -> Color {
    if game_index.is_multiple_of(2) {
        Color::Black
    } else {
        Color::White
    }
}
