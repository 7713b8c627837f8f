//! Plays a match: schedules the games, plays several of them concurrently, updates the statistics, and stops once the
//! SPRT has accepted a hypothesis.
//!
//! Each thread has a separate engine pool. Side A plays Black in every other game, starting with the first. Games `2k`
//! and `2k + 1` use the same opening.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::thread::{self, Builder};

use parking_lot::Mutex;

use super::finished_game::{FinishedGame, OnGame};
use super::game::PlayedGame;
use super::game_summary::GameSummary;
use super::gtp_engine::GtpEngineError;
use super::match_config::{MatchConfig, MatchError, RoleLauncher};
use super::match_stats::{MatchStats, MatchSummary};
use super::player::EngineIdentity;
use super::side::color_of_a;
use super::worker_engines::WorkerEngines;

/// Engines of the first thread, started and ready to play the match.
pub struct PreparedMatch {
    first_engines: WorkerEngines,
    identities: [EngineIdentity; 2],
}

impl PreparedMatch {
    /// Returns the identities of A and B.
    pub const fn identities(&self) -> &[EngineIdentity; 2] {
        &self.identities
    }
}

impl MatchConfig {
    /// Starts the engines of the first thread, so that errors in command lines are reported before the first game.
    ///
    /// # Errors
    /// Returns an error if an engine cannot be started or rejects the conditions.
    pub fn start_first_engines(
        &self,
        launcher: &RoleLauncher<'_>,
    ) -> Result<PreparedMatch, MatchError> {
        let mut first_pool = WorkerEngines::default();
        let identities = first_pool.start_all(self, launcher)?;
        Ok(PreparedMatch {
            first_engines: first_pool,
            identities,
        })
    }

    /// Plays the remaining games of the match. Stops early if `interrupted` is set or the SPRT has accepted a
    /// hypothesis.
    ///
    /// `previous_games` are added to the statistics and not played again. The returned summary is valid even if the
    /// match ends with an error.
    ///
    /// # Errors
    /// The second element is an error if a thread or the referee cannot be started, or if `on_game` fails.
    pub fn play_remaining_games(
        &self,
        prepared: PreparedMatch,
        previous_games: &[GameSummary],
        launcher: &RoleLauncher<'_>,
        on_game: &mut OnGame<'_>,
        interrupted: &AtomicBool,
    ) -> (MatchSummary, Result<(), MatchError>) {
        let PreparedMatch {
            first_engines: first_pool,
            identities,
        } = prepared;
        let mut stats = MatchStats::default();
        previous_games.iter().for_each(|summary| stats.add(summary));
        let played_indices: HashSet<usize> = previous_games
            .iter()
            .map(|summary| summary.game_index)
            .collect();
        let remaining =
            Mutex::new((0..self.max_games).filter(|game| !played_indices.contains(game)));
        let is_over = AtomicBool::new(self.is_decided(&stats));
        let should_stop = || is_over.load(Ordering::Relaxed) || interrupted.load(Ordering::Relaxed);
        let result = thread::scope(|scope| {
            let (sender, receiver) = channel();
            let mut result = Ok(());
            let mut pools = vec![first_pool];
            pools.resize_with(self.concurrency.max(1), WorkerEngines::default);
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
                    // The match has already ended. Games that were still in progress are not counted.
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

    /// Adds a finished game to the statistics and calls `on_game`.
    fn finish_game(
        &self,
        game_index: usize,
        played_game: &PlayedGame,
        stats: &mut MatchStats,
        identities: &[EngineIdentity; 2],
        on_game: &mut OnGame<'_>,
    ) -> Result<(), MatchError> {
        let summary = GameSummary::new(game_index, color_of_a(game_index), played_game);
        stats.add(&summary);
        let finished = FinishedGame {
            played_game,
            summary: &summary,
            stats,
            config: self,
            identities,
        };
        on_game(&finished).map_err(|cause| MatchError::Callback { game_index, cause })
    }

    fn run_worker(
        &self,
        pool: &mut WorkerEngines,
        launcher: &RoleLauncher<'_>,
        mut next_game: impl FnMut() -> Option<usize>,
        should_stop: &dyn Fn() -> bool,
        sender: &Sender<Result<(usize, PlayedGame), GtpEngineError>>,
    ) {
        while !should_stop() {
            let Some(game_index) = next_game() else {
                return;
            };
            let result = pool.play_game(self, launcher, game_index, should_stop);
            let may_be_interrupted =
                (result.as_ref()).map_or(true, |played| played.outcome.may_result_from_interrupt());
            if should_stop() && may_be_interrupted {
                return;
            }
            // Cannot fail: the receiver outlives all senders.
            let _ = sender.send(result.map(|played| (game_index, played)));
        }
    }
}
