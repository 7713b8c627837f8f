//! Reading of captures: can this chain be captured, can it be saved.
//!
//! **The question** is exact: does the attacker take the chain off within so many plies, whatever the defender does?
//! Either side may play anywhere or pass; nobody commits suicide; the basic ko rule holds, as [`Outcome`] tells. The
//! answer is no judgement but a proof, on a board of any size: `zone` tells how most of the board is left out without
//! leaving out a move that matters. Captures found by the way that take longer than asked are told too.
//!
//! **Repetition** needs no rule here. An attacker who captures within some number of moves gets nearer with each and
//! never comes back to a position; where a ko is taken back and forth, the answer says so. Only what was played before,
//! which under superko may forbid a move, is not known to the reading.
//!
//! The search is iterative alpha-beta (`search`) with a transposition table (`memory`), killers and history
//! (`order`), and a chase through ataris at its horizon; of captures it tells the principal variation.

mod attack;
mod budget;
mod defend;
mod ko;
mod memory;
mod order;
mod question;
mod search;
mod turn;
mod variation;
mod zone;

pub use budget::Limits;

use crate::game::board::Board;
use crate::game::color::Color;
use crate::game::point::{Move, Point};
use budget::Budget;
use question::Question;
use search::Search;
use turn::Side;

/// Captures are not looked for in more plies than that, whatever the limits say.
const MOST_PLIES: usize = 200;

/// There is no chain to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected a stone at {point:?} (column, row), found none")]
pub struct NoChain {
    /// Where no stone is.
    pub point: Point,
}

/// What becomes of the chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It is captured within so many plies, even if the defender may take every ko back at once: no ko threats help.
    Captured {
        /// Within how many; the shortest way may be shorter.
        plies: usize,
    },
    /// It depends on a ko: under the basic ko rule alone the side that `needs_threat` does not get its way, but it does
    /// when it may take kos back at once, as a player with ko threats enough in effect may.
    Ko {
        /// The defender, if the chain is captured as things are; the attacker, if it is safe as things are.
        needs_threat: Color,
        /// Within how many plies it is captured, as things are or with the attacker's threats.
        plies: usize,
    },
    /// It cannot be captured within that many plies, even if the attacker may take every ko back at once.
    Safe {
        /// The plies asked for, 200 at most.
        plies: usize,
    },
    /// The budget ran out before there was a proof.
    Unknown,
}

/// What a reading has found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    /// What becomes of the chain.
    pub outcome: Outcome,
    /// The move that captures, of the attacker; the move that saves, of the defender, which may be a pass. None when
    /// no move does, or nothing is known.
    pub best: Option<Move>,
    /// The principal variation, `best` first: of a capture to its end, as far as it is remembered; of a defence the
    /// first move.
    pub line: Vec<Move>,
    /// Positions looked at.
    pub nodes: u64,
}

/// Reads captures; keeps what it finds out and its boards between calls.
#[derive(Debug)]
pub struct Reader {
    search: Search,
}

impl Default for Reader {
    fn default() -> Self {
        Self::new()
    }
}

impl Reader {
    /// A reader that knows nothing; takes 5 MiB.
    #[must_use]
    pub fn new() -> Self {
        Self {
            search: Search::new(),
        }
    }

    /// Whether the chain at `target` is captured with its opponent to move, who may not play at `ko`.
    ///
    /// # Errors
    /// When there is no stone.
    pub fn attack(
        &mut self,
        board: &Board,
        target: Point,
        ko: Option<Point>,
        limits: Limits,
    ) -> Result<Reading, NoChain> {
        self.read(board, target, Side::Attacker, ko, limits)
    }

    /// Whether the chain at `target` is captured with its owner to move, who may not play at `ko`.
    ///
    /// # Errors
    /// When there is no stone.
    pub fn defend(
        &mut self,
        board: &Board,
        target: Point,
        ko: Option<Point>,
        limits: Limits,
    ) -> Result<Reading, NoChain> {
        self.read(board, target, Side::Defender, ko, limits)
    }

    fn read(
        &mut self,
        board: &Board,
        target: Point,
        side: Side,
        ko: Option<Point>,
        limits: Limits,
    ) -> Result<Reading, NoChain> {
        let chain = *board.chain_at(target).ok_or(NoChain { point: target })?;
        self.search.start(board, &chain, Budget::new(&limits));
        let question = Question {
            side,
            ko,
            plies: limits.plies.min(MOST_PLIES),
            attacker: chain.color.opposite(),
        };
        let mut reading = Reading {
            outcome: Outcome::Unknown,
            best: None,
            line: Vec::new(),
            nodes: 0,
        };
        if let Ok(answer) = question.answer(&mut self.search) {
            reading.outcome = answer.outcome;
            let captured = answer.finding.captured;
            if captured || side == Side::Defender {
                self.search.set_free(answer.free);
                reading.line = self.search.principal_variation(side, answer.finding);
            }
            if captured == (side == Side::Attacker) {
                reading.best = reading.line.first().copied();
            }
        }
        reading.nodes = self.search.budget.nodes;
        Ok(reading)
    }
}
