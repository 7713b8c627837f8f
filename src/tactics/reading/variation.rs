//! The principal variation.

use super::ko::Side;
use super::memory::Finding;
use super::search::{LONGEST, Search};
use crate::game::point::Move;

impl Search {
    /// The line of best moves from the root, where `side` moves and `finding` was found: of a capture to its end, or to
    /// where the memory and the budget fail; of a chain that is safe the first move.
    pub(super) fn principal_variation(
        &mut self,
        mut side: Side,
        mut finding: Finding,
    ) -> Vec<Move> {
        let mut line = Vec::new();
        let mut depth = 0;
        loop {
            line.push(finding.best.map_or(Move::Pass, Move::Play));
            let mut ko = None;
            if let Some(mv) = finding.best {
                ko = self.play(depth, side, mv).ko;
                depth += 1;
            }
            if !finding.captured || self.is_taken(depth) || line.len() >= LONGEST {
                return line;
            }
            let left = usize::from(finding.moves);
            let next = match side {
                Side::Attacker => self.defend(depth, left - 1, ko),
                Side::Defender => self.attack(depth, left, ko),
            };
            match next {
                Ok(next) if next.captured => finding = next,
                _ => return line,
            }
            side = side.other();
        }
    }
}
