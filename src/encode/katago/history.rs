//! How much of the past KataGo's inputs show, and whether a pass would end play.
//!
//! KataGo hides moves in three cases. A move out of turn makes it forget what was before. Where play has ended, the moves
//! before the last one are hidden, and stay so when play goes on after all. And where the players settle dead stones
//! between them ([`Rules::friendly_pass`](crate::game::rules::Rules)), so that KataGo does not want the game to end by
//! the answer to a single pass, all moves are hidden after such a pass.

use super::KataInputVersion;
use crate::game::point::{Move, Point};
use crate::game::position::{HISTORY_LEN, Position};
use crate::game::rules::Scoring;

/// Moves that the inputs show at most.
pub const MAX_VISIBLE_MOVES: usize = 5;

/// The past of one position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VisibleHistory {
    moves: [Option<Move>; MAX_VISIBLE_MOVES],
    pass_ends: bool,
}

impl VisibleHistory {
    /// What the inputs show of the past of `position`.
    #[must_use]
    pub fn new(version: KataInputVersion, position: &Position) -> Self {
        let alternating = alternating_moves(position);
        let passed_here = alternating > 0 && position.passed_in_this_situation(0);
        let passes = ending_passes(position, alternating);
        let is_over = has_ended(position, alternating, 0);
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
                .find(|&moves_ago| has_ended(position, alternating, moves_ago))
                .map_or(MAX_VISIBLE_MOVES, |moves_ago| moves_ago + 1)
        };
        let num_visible = max_visible.min(alternating);
        let mut moves = [None; MAX_VISIBLE_MOVES];
        for (moves_ago, slot) in moves[..num_visible].iter_mut().enumerate() {
            *slot = position.last_move(moves_ago).map(|(_, mv)| mv);
        }
        Self {
            moves,
            pass_ends: !is_hidden && (passes >= 1 || passed_here),
        }
    }

    /// Number of moves shown.
    #[must_use]
    pub fn num_moves(&self) -> usize {
        self.moves.iter().flatten().count()
    }

    /// Where the move `moves_ago` turns ago (0 is the last) went, if it is shown and was no pass.
    #[must_use]
    pub fn played_point(&self, moves_ago: usize) -> Option<Point> {
        self.moves[moves_ago].and_then(Move::point)
    }

    /// Whether the move `moves_ago` turns ago (0 is the last) is shown and was a pass.
    #[must_use]
    pub fn was_pass(&self, moves_ago: usize) -> bool {
        self.moves[moves_ago] == Some(Move::Pass)
    }

    /// Whether a pass is shown to end play.
    #[must_use]
    pub const fn pass_ends(&self) -> bool {
        self.pass_ends
    }
}

/// How many of the latest moves, within the remembered ones, were made in turn up to the side to move now.
#[must_use]
pub fn alternating_moves(position: &Position) -> usize {
    let mut expected_color = position.to_move();
    (0..HISTORY_LEN)
        .take_while(|&moves_ago| {
            expected_color = expected_color.opposite();
            position
                .last_move(moves_ago)
                .is_some_and(|(color, _)| color == expected_color)
        })
        .count()
}

/// Passes in a row just made in turn that count towards the end.
fn ending_passes(position: &Position, alternating: usize) -> usize {
    alternating.min(usize::from(position.passes()))
}

/// Whether play had ended `moves_ago` turns ago.
fn has_ended(position: &Position, alternating: usize, moves_ago: usize) -> bool {
    if moves_ago >= alternating {
        return false;
    }
    let Some((_, mv)) = position.last_move(moves_ago) else {
        return false;
    };
    let repeated = match mv {
        Move::Pass => position.passed_in_this_situation(moves_ago + 1),
        Move::Play(_) => position.has_no_result(moves_ago),
    };
    repeated || mv == Move::Pass && follows_ending_pass(position, alternating, moves_ago)
}

/// Whether the turn before the one `moves_ago` turns ago was a pass that counts towards the end.
fn follows_ending_pass(position: &Position, alternating: usize, moves_ago: usize) -> bool {
    if moves_ago == 0 {
        return ending_passes(position, alternating) >= 2;
    }
    let earlier = moves_ago + 1;
    earlier < alternating
        && matches!(position.last_move(earlier), Some((_, Move::Pass)))
        && !position.took_button(earlier as u32)
}
