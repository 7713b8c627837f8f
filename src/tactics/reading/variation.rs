//! The principal variation.

use super::goal::Goal;
use super::memory::Finding;
use super::search::{LONGEST, Search};
use super::turn::{Side, Turn};
use crate::game::point::Move;

impl<G: Goal> Search<G> {
    /// The line of best moves from the root, where `side` moves and `finding` was found: of a success of the maker to
    /// its end, or to where the memory and the budget fail; else the first move.
    pub(super) fn principal_variation(&mut self, side: Side, mut finding: Finding) -> Vec<Move> {
        let mut turn = Turn {
            depth: 0,
            side,
            moves: 0,
            ko: None,
        };
        let mut line = Vec::new();
        loop {
            turn.moves = usize::from(finding.moves);
            line.push(finding.best.map_or(Move::Pass, Move::Play));
            turn = match finding.best {
                Some(mv) => {
                    let color = self.color(turn.side);
                    turn.after_move(self.line.play(turn.depth, color, mv).ko)
                }
                None => turn.after_pass(),
            };
            let is_over = self.goal.is_reached(self.line.at(turn.depth)) || line.len() >= LONGEST;
            if !finding.reached || is_over {
                return line;
            }
            match self.search(turn) {
                Ok(next) if next.reached => finding = next,
                _ => return line,
            }
        }
    }
}
