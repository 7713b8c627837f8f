//! How much of the past KataGo's inputs show, and whether a pass would end play.
//!
//! KataGo hides moves in three cases. A move out of turn makes it forget what was before. Where play has ended, the moves
//! before the last one are hidden, and stay so when play goes on after all. And where the players settle dead stones
//! between them ([`Rules::friendly_pass`](crate::game::rules::Rules)), so that KataGo does not want the game to end by
//! the answer to a single pass, all moves are hidden after such a pass.

use super::KataInputs;
use crate::game::point::{Move, Point};
use crate::game::position::{Position, REMEMBERED};
use crate::game::rules::Scoring;

/// Moves that the inputs show at most.
pub const MOST_SHOWN: usize = 5;

/// The past of one position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turns {
    shown: [Option<Move>; MOST_SHOWN],
    pass_ends: bool,
}

impl Turns {
    /// What the inputs show of the past of `position`.
    #[must_use]
    pub fn new(inputs: KataInputs, position: &Position) -> Self {
        let in_turn = moves_in_turn(position);
        let passed_here = in_turn > 0 && position.has_passed_here(0);
        let passes = ending_passes(position, in_turn);
        let ended = has_ended(position, in_turn, 0);
        let rules = position.rules();
        let friendly =
            rules.friendly_pass && rules.scoring == Scoring::Area && passes == 1 && !passed_here;
        let older = inputs < KataInputs::V6;
        let hidden = friendly || (older && ended);
        let most = if hidden {
            0
        } else if older {
            MOST_SHOWN
        } else {
            (0..MOST_SHOWN)
                .find(|&back| has_ended(position, in_turn, back))
                .map_or(MOST_SHOWN, |back| back + 1)
        };
        let most = most.min(in_turn);
        let mut shown = [None; MOST_SHOWN];
        for (back, turn) in shown[..most].iter_mut().enumerate() {
            *turn = position.last_move(back).map(|(_, mv)| mv);
        }
        Self {
            shown,
            pass_ends: !hidden && (passes >= 1 || passed_here),
        }
    }

    /// Number of moves shown.
    #[must_use]
    pub fn shown(&self) -> usize {
        self.shown.iter().flatten().count()
    }

    /// Where the move `back` turns ago (0 is the last) went, if it is shown and was no pass.
    #[must_use]
    pub fn stone(&self, back: usize) -> Option<Point> {
        self.shown[back].and_then(Move::point)
    }

    /// Whether the move `back` turns ago (0 is the last) is shown and was a pass.
    #[must_use]
    pub fn passed(&self, back: usize) -> bool {
        self.shown[back] == Some(Move::Pass)
    }

    /// Whether a pass is shown to end play.
    #[must_use]
    pub const fn pass_ends(&self) -> bool {
        self.pass_ends
    }
}

/// How many of the latest moves, within the remembered ones, were made in turn up to the side to move now.
#[must_use]
pub fn moves_in_turn(position: &Position) -> usize {
    let mut turn = position.to_move();
    (0..REMEMBERED)
        .take_while(|&back| {
            turn = turn.opposite();
            position
                .last_move(back)
                .is_some_and(|(color, _)| color == turn)
        })
        .count()
}

/// Passes in a row just made in turn that count towards the end.
fn ending_passes(position: &Position, in_turn: usize) -> usize {
    in_turn.min(usize::from(position.passes()))
}

/// Whether play had ended `back` turns ago.
fn has_ended(position: &Position, in_turn: usize, back: usize) -> bool {
    if back >= in_turn {
        return false;
    }
    let Some((_, mv)) = position.last_move(back) else {
        return false;
    };
    let repeated = match mv {
        Move::Pass => position.has_passed_here(back + 1),
        Move::Play(_) => position.has_no_result(back),
    };
    repeated || mv == Move::Pass && follows_ending_pass(position, in_turn, back)
}

/// Whether the turn before the one `back` turns ago was a pass that counts towards the end.
fn follows_ending_pass(position: &Position, in_turn: usize, back: usize) -> bool {
    if back == 0 {
        return ending_passes(position, in_turn) >= 2;
    }
    let earlier = back + 1;
    earlier < in_turn
        && matches!(position.last_move(earlier), Some((_, Move::Pass)))
        && !position.took_button(earlier as u32)
}
