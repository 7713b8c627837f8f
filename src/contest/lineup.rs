//! The programs that one thread plays with: one of each side and one referee, reused from game to game and started anew
//! after a fault, or when one is found dead before a game.

use super::game::{self, Played};
use super::opponent::{Launch, OpponentError};
use super::player::{Identity, Player, Terms};
use super::run::{Contest, ContestError, LaunchSeat, Seat, a_color};
use super::tally::Side;
use super::verdict::Judge;
use crate::game::color::{ByColor, Color};

/// A lineup; empty places are filled when needed.
#[derive(Default)]
pub(super) struct Lineup {
    players: [Option<Player>; 2],
    referee: Option<Player>,
}

/// A player before the empty board of its next game.
struct Ready<'p> {
    player: &'p mut Player,
    /// How the program that sat here before was found dead.
    found_dead: Option<OpponentError>,
}

impl Lineup {
    /// Has all programs begin a game, of which nothing is played, and says who the players are.
    ///
    /// # Errors
    /// When one of them cannot begin.
    pub fn rehearse(
        &mut self,
        contest: &Contest,
        launch: &LaunchSeat<'_>,
    ) -> Result<[Identity; 2], ContestError> {
        let mut identities = [Identity::default(), Identity::default()];
        for side in Side::BOTH {
            let ready = bring(&mut self.players[side as usize], side, contest, launch);
            let ready = ready.map_err(|cause| ContestError::Player {
                letter: contest.letters[side as usize],
                cause,
            })?;
            identities[side as usize] = ready.player.identity().clone();
        }
        if contest.referee {
            Player::at(&mut self.referee, &|| launch(Seat::Referee))
                .and_then(|referee| referee.new_game(&contest.terms))
                .map_err(ContestError::Referee)?;
        }
        Ok(identities)
    }

    /// Plays one game.
    ///
    /// # Errors
    /// When there is no referee. All else is a result.
    pub fn play(
        &mut self,
        contest: &Contest,
        launch: &LaunchSeat<'_>,
        game: usize,
        stop: &dyn Fn() -> bool,
    ) -> Result<Played, OpponentError> {
        let (opening, a_color) = (contest.opening(game), a_color(game));
        let b_color = a_color.opposite();
        let [a, b] = &mut self.players;
        let a = match bring(a, Side::A, contest, launch) {
            Ok(ready) => ready,
            Err(error) => return Ok(Played::forfeited(&opening, a_color, error)),
        };
        let b = match bring(b, Side::B, contest, launch) {
            Ok(ready) => ready,
            Err(error) => return Ok(Played::forfeited(&opening, b_color, error)),
        };
        let (black, white) = match a_color {
            Color::Black => (a, b),
            Color::White => (b, a),
        };
        let start = || launch(Seat::Referee);
        let judge = if contest.referee {
            // Before the game: without a referee it would be played in vain.
            Player::at(&mut self.referee, &start)?;
            Judge::Referee {
                place: &mut self.referee,
                launch: &start,
            }
        } else {
            let color_of = |side| if side == Side::A { a_color } else { b_color };
            Judge::Players {
                trusted: contest.trusted.map(color_of),
            }
        };
        let players = ByColor::new(black.player, white.player);
        let mut played = game::play(&contest.terms, &opening, players, judge, stop);
        played.found_dead = ByColor::new(black.found_dead, white.found_dead);
        if let Some((culprit, _)) = played.outcome.fault() {
            self.players[Side::of(culprit, a_color) as usize] = None;
        }
        Ok(played)
    }
}

/// Has the player of a side set up the empty board of a game. A program left from an earlier game may have died since;
/// as this one has not begun, another takes its place then. After an error the place is empty.
fn bring<'p>(
    place: &'p mut Option<Player>,
    side: Side,
    contest: &Contest,
    launch: &LaunchSeat<'_>,
) -> Result<Ready<'p>, OpponentError> {
    let start = || launch(Seat::Player(side));
    let is_left = place.is_some();
    let found_dead = match set_up(place, &contest.terms, &start) {
        Ok(()) => None,
        Err(error @ OpponentError::Died { .. }) if is_left => Some(error),
        Err(error) => return Err(error),
    };
    if found_dead.is_some() {
        set_up(place, &contest.terms, &start)?;
    }
    let player = Player::at(place, &start)?;
    Ok(Ready { player, found_dead })
}

/// The same with whoever sits there, or is called there because nobody does.
fn set_up(
    place: &mut Option<Player>,
    terms: &Terms,
    launch: &Launch<'_>,
) -> Result<(), OpponentError> {
    let player = Player::at(place, launch)?;
    let told = player
        .new_game(terms)
        .and_then(|()| player.set_time(&terms.time));
    if told.is_err() {
        *place = None;
    }
    told
}
