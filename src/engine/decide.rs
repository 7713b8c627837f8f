//! Whether to pass or resign: judgements on a position and what the search says of it.

use super::status::{Ownership, dead_stones};
use crate::game::alive::pass_alive;
use crate::game::color::Color;
use crate::game::point::{Move, Point};
use crate::game::pointset::PointSet;
use crate::game::position::Position;
use crate::game::rules::Scoring;
use crate::game::score::count;
use crate::search::report::Values;
use crate::search::root::Restriction;

/// What the engine does with its turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Plays there.
    Play(Point),
    /// Passes.
    Pass,
    /// Gives up.
    Resign,
}

/// Own turns in a row that a position must be lost to resign it.
pub const LOST_TURNS: u32 = 3;
/// An owner this certain (0 to 1) is taken as settled.
const SETTLED: f32 = 0.85;
/// A pass costs nothing when it loses at most this many points of expected lead ...
const POINTS_TO_LOSE: f64 = 0.4;
/// ... and this much chance to win.
const WINRATE_TO_LOSE: f64 = 0.03;

/// The moves worth a thought: all but those in areas that Benson proves to be somebody's. Where stones that are dead
/// there still count at the end, the region they stand in stays open to capturing them.
#[must_use]
pub fn sensible_moves(position: &Position) -> Restriction {
    let board = position.board();
    let mut useless = PointSet::EMPTY;
    for owner in Color::BOTH {
        let alive = pass_alive(board, owner, position.rules().suicide);
        for region in alive.territory.components() {
            let dead = region & *board.stones(owner.opposite());
            if dead.is_empty() || dead_stones_are_removed(position) || owner != position.to_move() {
                useless |= region;
            }
        }
    }
    let useless = useless & board.empty();
    if useless.is_empty() {
        Restriction::None
    } else {
        Restriction::Avoid(useless.iter().map(Move::Play).collect())
    }
}

/// Whether dead stones come off at the end without being captured.
fn dead_stones_are_removed(position: &Position) -> bool {
    position.rules().friendly_pass || position.rules().scoring == Scoring::Territory
}

/// Whether a pass is to be thought of: the opponent has just passed, or the board may be settled.
#[must_use]
pub fn may_pass(position: &Position) -> bool {
    let opponent_passed = matches!(position.last_move(0), Some((_, Move::Pass)));
    opponent_passed || position.move_number() >= position.size().area() as u32 / 4
}

/// Whether it is too early to resign: the openings of handicap games are lost on purpose.
#[must_use]
pub fn too_early_to_resign(position: &Position, color: Color) -> bool {
    let area = position.size().area() as u32;
    let handicapped = position.handicap() > 0 && color == Color::White;
    position.move_number() < if handicapped { area / 2 } else { area / 8 }
}

/// Whether passing now, after the opponent's pass, ends the game as won, with the dead stones that everybody would
/// agree on taken off where the rules have it so.
#[must_use]
pub fn wins_by_passing(position: &Position, ownership: &Ownership) -> bool {
    let mut passed = position.clone();
    passed.play_legal(position.to_move(), Move::Pass);
    let wins = |dead: &PointSet| count(&passed, dead).score.winner() == Some(position.to_move());
    let agreed = wins(&dead_stones(position, ownership));
    if dead_stones_are_removed(position) {
        agreed
    } else {
        agreed && wins(&PointSet::EMPTY)
    }
}

/// Whether the move changes nothing that counts: it is played where the owner is settled, and nothing is left to be
/// captured that would count as alive.
#[must_use]
pub fn gains_nothing(position: &Position, ownership: &Ownership, chosen: Move) -> bool {
    let Move::Play(point) = chosen else {
        return true;
    };
    let settled = ownership.black(position.size().index(point)).abs() >= SETTLED;
    settled && (dead_stones_are_removed(position) || dead_stones(position, ownership).is_empty())
}

/// Whether a pass is as good as the best move.
#[must_use]
pub fn costs_nothing(best: &Values, pass: &Values) -> bool {
    pass.score_lead >= best.score_lead - POINTS_TO_LOSE
        && pass.winrate >= best.winrate - WINRATE_TO_LOSE
}
