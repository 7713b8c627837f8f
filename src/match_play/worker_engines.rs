//! The engines used by one thread: one per side and, if the match has one, a referee.
//!
//! Engines are reused for several games. An engine is restarted after a fault, or if it has exited between two games.

use super::conditions::Conditions;
use super::final_score::Scorer;
use super::game::{self, PlayedGame};
use super::gtp_engine::{GtpEngineError, Launcher};
use super::match_config::{MatchConfig, MatchError, Role, RoleLauncher};
use super::player::{EngineIdentity, Player};
use super::side::{Side, color_of_a};
use crate::game::color::{ByColor, Color};

/// Engines of a worker thread. Each engine is started when it is first needed.
#[derive(Default)]
pub(super) struct WorkerEngines {
    players: [Option<Player>; 2],
    referee: Option<Player>,
}

/// Player that has set up an empty board for the next game.
struct ReadyPlayer<'p> {
    player: &'p mut Player,
    /// Error from the previous engine, if it had exited and was replaced.
    restart_cause: Option<GtpEngineError>,
}

impl WorkerEngines {
    /// Starts all engines and sends them the conditions of the match. Returns the identities of A and B.
    ///
    /// # Errors
    /// Returns an error if an engine cannot be started or rejects the conditions.
    pub fn start_all(
        &mut self,
        config: &MatchConfig,
        launcher: &RoleLauncher<'_>,
    ) -> Result<[EngineIdentity; 2], MatchError> {
        let mut identities = [EngineIdentity::default(), EngineIdentity::default()];
        for side in Side::BOTH {
            let ready = prepare_player(
                &mut self.players[side as usize],
                side,
                &config.conditions,
                launcher,
            );
            let ready = ready.map_err(|cause| MatchError::Player {
                letter: config.letters[side as usize],
                cause,
            })?;
            identities[side as usize] = ready.player.identity().clone();
        }
        if config.has_referee {
            Player::get_or_launch(&mut self.referee, &|| launcher(Role::Referee))
                .and_then(|referee| referee.new_game(&config.conditions))
                .map_err(MatchError::Referee)?;
        }
        Ok(identities)
    }

    /// Plays one game. If a fault decides the game, the engine at fault is stopped and restarted for the next game.
    ///
    /// # Errors
    /// Returns an error if the referee cannot be started. Any other failure is recorded as the outcome of the game.
    pub fn play_game(
        &mut self,
        config: &MatchConfig,
        launcher: &RoleLauncher<'_>,
        game_index: usize,
        should_stop: &dyn Fn() -> bool,
    ) -> Result<PlayedGame, GtpEngineError> {
        let (opening, a_color) = (config.opening(game_index), color_of_a(game_index));
        let b_color = a_color.opposite();
        // An opening with handicap stones can have a different komi.
        let conditions = Conditions {
            rules: *opening.rules(),
            ..config.conditions.clone()
        };
        let [a, b] = &mut self.players;
        let a = match prepare_player(a, Side::A, &conditions, launcher) {
            Ok(ready) => ready,
            Err(error) => return Ok(PlayedGame::forfeited(&opening, a_color, error)),
        };
        let b = match prepare_player(b, Side::B, &conditions, launcher) {
            Ok(ready) => ready,
            Err(error) => return Ok(PlayedGame::forfeited(&opening, b_color, error)),
        };
        let (black, white) = match a_color {
            Color::Black => (a, b),
            Color::White => (b, a),
        };
        let launch_referee = || launcher(Role::Referee);
        let scorer = if config.has_referee {
            // The referee is started before the game, because the game could not be scored without it.
            Player::get_or_launch(&mut self.referee, &launch_referee)?;
            Scorer::Referee {
                slot: &mut self.referee,
                launcher: &launch_referee,
            }
        } else {
            let color_of = |side| if side == Side::A { a_color } else { b_color };
            Scorer::Players {
                trusted: config.trusted_side.map(color_of),
            }
        };
        let players = ByColor::new(black.player, white.player);
        let mut played_game = game::play_game(&conditions, &opening, players, scorer, should_stop);
        played_game.restart_cause = ByColor::new(black.restart_cause, white.restart_cause);
        if let Some((culprit, _)) = played_game.outcome.fault() {
            self.players[Side::of(culprit, a_color) as usize] = None;
        }
        Ok(played_game)
    }
}

/// Starts a new game with the engine of `side`. If the engine has exited since the previous game, starts another engine
/// and retries once. The exit does not count as a loss, because no game was in progress. After an error, `slot` is
/// empty.
fn prepare_player<'p>(
    slot: &'p mut Option<Player>,
    side: Side,
    conditions: &Conditions,
    launcher: &RoleLauncher<'_>,
) -> Result<ReadyPlayer<'p>, GtpEngineError> {
    let launch_player = || launcher(Role::Player(side));
    let was_running = slot.is_some();
    let restart_cause = match start_game(slot, conditions, &launch_player) {
        Ok(()) => None,
        Err(error @ GtpEngineError::Exited { .. }) if was_running => Some(error),
        Err(error) => return Err(error),
    };
    if restart_cause.is_some() {
        start_game(slot, conditions, &launch_player)?;
    }
    let player = Player::get_or_launch(slot, &launch_player)?;
    Ok(ReadyPlayer {
        player,
        restart_cause,
    })
}

/// Sends the game's conditions to the engine in `slot`. Starts an engine if `slot` is empty. After an error, `slot` is
/// empty.
fn start_game(
    slot: &mut Option<Player>,
    conditions: &Conditions,
    launcher: &Launcher<'_>,
) -> Result<(), GtpEngineError> {
    let player = Player::get_or_launch(slot, launcher)?;
    let result = player
        .new_game(conditions)
        .and_then(|()| player.set_time(&conditions.time));
    if result.is_err() {
        *slot = None;
    }
    result
}
