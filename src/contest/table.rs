//! The programs that one thread plays with: one of each side and one referee, reused from game to game and started anew
//! after a fault, or when one is found dead before a game.

use super::game::{self, Played};
use super::opponent::{Call, OpponentError};
use super::player::{Identity, Player, Terms};
use super::run::{Contest, ContestError, Seat, Summon, a_color};
use super::tally::Side;
use super::verdict::Judge;
use crate::game::color::{ByColor, Color};

/// A table; empty places are filled when needed.
#[derive(Default)]
pub(super) struct Table {
    players: [Option<Player>; 2],
    referee: Option<Player>,
}

/// A player before the empty board of its next game.
struct Ready<'p> {
    player: &'p mut Player,
    /// How the program that sat here before was found dead.
    found_dead: Option<OpponentError>,
}

impl Table {
    /// Has all programs begin a game, of which nothing is played, and says who the players are.
    ///
    /// # Errors
    /// When one of them cannot begin.
    pub fn rehearse(
        &mut self,
        contest: &Contest,
        summon: &Summon<'_>,
    ) -> Result<[Identity; 2], ContestError> {
        let mut identities = [Identity::default(), Identity::default()];
        for side in Side::BOTH {
            let ready = bring(&mut self.players[side as usize], side, contest, summon);
            let ready = ready.map_err(|cause| ContestError::Player {
                letter: contest.letters[side as usize],
                cause,
            })?;
            identities[side as usize] = ready.player.identity().clone();
        }
        if contest.referee {
            Player::at(&mut self.referee, &|| summon(Seat::Referee))
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
        summon: &Summon<'_>,
        game: usize,
        stop: &dyn Fn() -> bool,
    ) -> Result<Played, OpponentError> {
        let (opening, a_color) = (contest.opening(game), a_color(game));
        let b_color = a_color.opposite();
        let [a, b] = &mut self.players;
        let a = match bring(a, Side::A, contest, summon) {
            Ok(ready) => ready,
            Err(error) => return Ok(Played::forfeited(&opening, a_color, error)),
        };
        let b = match bring(b, Side::B, contest, summon) {
            Ok(ready) => ready,
            Err(error) => return Ok(Played::forfeited(&opening, b_color, error)),
        };
        let (black, white) = match a_color {
            Color::Black => (a, b),
            Color::White => (b, a),
        };
        let call = || summon(Seat::Referee);
        let judge = if contest.referee {
            // Before the game: without a referee it would be played in vain.
            Player::at(&mut self.referee, &call)?;
            Judge::Referee {
                place: &mut self.referee,
                call: &call,
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
    summon: &Summon<'_>,
) -> Result<Ready<'p>, OpponentError> {
    let call = || summon(Seat::Player(side));
    let is_left = place.is_some();
    let found_dead = match set_up(place, &contest.terms, &call) {
        Ok(()) => None,
        Err(error @ OpponentError::Died { .. }) if is_left => Some(error),
        Err(error) => return Err(error),
    };
    if found_dead.is_some() {
        set_up(place, &contest.terms, &call)?;
    }
    let player = Player::at(place, &call)?;
    Ok(Ready { player, found_dead })
}

/// The same with whoever sits there, or is called there because nobody does.
fn set_up(place: &mut Option<Player>, terms: &Terms, call: &Call<'_>) -> Result<(), OpponentError> {
    let player = Player::at(place, call)?;
    let told = player
        .new_game(terms)
        .and_then(|()| player.set_time(&terms.time));
    if told.is_err() {
        *place = None;
    }
    told
}
