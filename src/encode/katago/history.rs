//! Visible move history in KataGo's inputs, and whether a pass would end the game.
//!
//! KataGo hides moves in three cases. A move out of turn hides all moves before it. A move that ended the game hides
//! all moves before it, even if play continues; in inputs before version 6, all moves are instead hidden while the game
//! is over. If the rules use area scoring and the players agree on dead stones
//! ([`Rules::friendly_pass`](crate::game::rules::Rules)), all moves are hidden after a single pass, so that the network
//! does not treat a pass in reply as the end of the game. The exception is a situation in which the side to move has
//! passed earlier in the game.

use super::version::KataInputVersion;
use crate::game::point::{Move, Point};
use crate::game::position::{HISTORY_LEN, Position};
use crate::game::rules::Scoring;

/// Maximum number of visible moves.
pub const MAX_VISIBLE_MOVES: usize = 5;

/// Visible part of a position's move history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VisibleHistory {
    moves: [Option<Move>; MAX_VISIBLE_MOVES],
    pass_would_end_game: bool,
}

impl VisibleHistory {
    /// Determines the move history of `position` that is visible in inputs of the given version.
    pub fn new(version: KataInputVersion, position: &Position) -> Self {
        let alternating = alternating_move_count(position);
        let passed_here = alternating > 0 && position.had_passed_in_situation(0);
        let passes = consecutive_passes(position, alternating);
        let is_over = move_ended_game(position, alternating, 0);
        let rules = position.rules();
        let is_friendly_pass =
            rules.friendly_pass && rules.scoring == Scoring::Area && passes == 1 && !passed_here;
        let is_before_v6 = version < KataInputVersion::V6;
        let is_hidden = is_friendly_pass || (is_before_v6 && is_over);
        let max_visible = if is_hidden {
            0
        } else if is_before_v6 {
            MAX_VISIBLE_MOVES
        } else {
            (0..MAX_VISIBLE_MOVES)
                .find(|&moves_ago| move_ended_game(position, alternating, moves_ago))
                .map_or(MAX_VISIBLE_MOVES, |moves_ago| moves_ago + 1)
        };
        let num_visible = max_visible.min(alternating);
        let mut moves = [None; MAX_VISIBLE_MOVES];
        for (moves_ago, slot) in moves[..num_visible].iter_mut().enumerate() {
            *slot = position.past_move(moves_ago).map(|(_, mv)| mv);
        }
        Self {
            moves,
            pass_would_end_game: !is_hidden && (passes >= 1 || passed_here),
        }
    }

    /// Returns the number of visible moves.
    pub fn num_moves(&self) -> usize {
        self.moves.iter().flatten().count()
    }

    /// Returns the point of the move `moves_ago` moves ago (0 is the last one), or `None` if the move is hidden or a
    /// pass.
    pub fn played_point(&self, moves_ago: usize) -> Option<Point> {
        self.moves[moves_ago].and_then(Move::point)
    }

    /// Returns true if the move `moves_ago` moves ago (0 is the last one) is visible and a pass.
    pub fn was_pass(&self, moves_ago: usize) -> bool {
        self.moves[moves_ago] == Some(Move::Pass)
    }

    /// Returns true if the inputs show that a pass would end the game.
    pub const fn pass_would_end_game(&self) -> bool {
        self.pass_would_end_game
    }
}

/// Counts the most recent moves that were played in turn, up to [`HISTORY_LEN`]. The last move is in turn if the
/// opponent of the side to move played it.
pub fn alternating_move_count(position: &Position) -> usize {
    let mut expected_color = position.to_move();
    (0..HISTORY_LEN)
        .take_while(|&moves_ago| {
            expected_color = expected_color.opposite();
            position
                .past_move(moves_ago)
                .is_some_and(|(color, _)| color == expected_color)
        })
        .count()
}

/// Returns the number of consecutive passes, played in turn, at the end of the move list. The pass that took the button
/// does not count.
fn consecutive_passes(position: &Position, alternating: usize) -> usize {
    alternating.min(usize::from(position.passes()))
}

/// Returns true if the move `moves_ago` moves ago (0 is the last one) ended the game. Returns false if the move is
/// hidden by a later move out of turn.
fn move_ended_game(position: &Position, alternating: usize, moves_ago: usize) -> bool {
    if moves_ago >= alternating {
        return false;
    }
    let Some((_, mv)) = position.past_move(moves_ago) else {
        return false;
    };
    let repeated = match mv {
        Move::Pass => position.had_passed_in_situation(moves_ago + 1),
        Move::Play(_) => position.had_no_result(moves_ago),
    };
    repeated || mv == Move::Pass && follows_counted_pass(position, alternating, moves_ago)
}

/// Returns true if the move before the one `moves_ago` moves ago was a pass that counts towards the end of the game.
fn follows_counted_pass(position: &Position, alternating: usize, moves_ago: usize) -> bool {
    if moves_ago == 0 {
        return consecutive_passes(position, alternating) >= 2;
    }
    let earlier = moves_ago + 1;
    earlier < alternating && position.was_pass(earlier) && !position.was_button_pass(earlier as u32)
}
