//! Reading of local goals: can this chain be captured, can it be saved ([`CaptureReader`]); can these two be joined, can they be
//! cut ([`connection`]).
//!
//! **The question** is exact: does the side that wants it, the maker, reach the goal within so many plies, whatever the
//! breaker does? Either side may play anywhere or pass; nobody commits suicide; the basic ko rule holds, as [`ReadingOutcome`]
//! tells. The answer is no judgement but a proof, on a board of any size: `zone` tells how most of the board is left out
//! without leaving out a move that matters. Captures found by the way that take longer than asked are told too.
//!
//! **Repetition** needs no rule here. A maker who reaches a goal within some number of moves gets nearer with each and
//! never comes back to a position; where a ko is taken back and forth, the answer says so. Only what was played before,
//! which under superko may forbid a move, is not known to the reading.
//!
//! The search is iterative alpha-beta (`search`) with a transposition table (`memory`), killers and history
//! (`order`), and for captures a chase through ataris at its horizon; of what is reached it tells the principal
//! variation. What it has to know of a goal stands in `capture` and `join`.

mod breaker_node;
mod budget;
mod capture;
mod connect;
pub mod connection;
mod deepening;
mod goal;
mod ko_immunity;
mod maker_node;
mod move_order;
mod node;
mod search;
mod table;
mod variation;
mod zone;

pub use budget::ReadingLimits;

use crate::game::board::Board;
use crate::game::color::Color;
use crate::game::point::{Move, Point};
use capture::Capture;
use deepening::ReadingQuery;
use node::Side;
use search::ReadingSearch;

/// There is no chain to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected a stone at {point:?} (column, row), found none")]
pub struct NoChainError {
    /// Where no stone is.
    pub point: Point,
}

/// What becomes of the goal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadingOutcome {
    /// It is reached within so many plies, even if the breaker may take every ko back at once: no ko threats help.
    Reached {
        /// Within how many; the shortest way may be shorter.
        plies: usize,
    },
    /// It depends on a ko: under the basic ko rule alone the side that `needs_threat` does not get its way, but it does
    /// when it may take kos back at once, as a player with ko threats enough in effect may.
    Ko {
        /// The breaker, if the goal is reached as things are; the maker, if it is not.
        needs_threat: Color,
        /// Within how many plies it is reached, as things are or with the maker's threats.
        plies: usize,
    },
    /// It cannot be reached within that many plies, even if the maker may take every ko back at once.
    Prevented {
        /// The plies asked for, 200 at most.
        plies: usize,
    },
    /// The budget ran out before there was a proof.
    Unknown,
}

/// What a reading has found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadingResult {
    /// What becomes of the goal.
    pub outcome: ReadingOutcome,
    /// The move that reaches it, of the maker; the move that prevents it, of the breaker, which may be a pass. None when
    /// no move does, or nothing is known.
    pub best_move: Option<Move>,
    /// The principal variation, `best_move` first: of a success of the maker to its end, as far as it is remembered; of the
    /// breaker the first move.
    pub pv: Vec<Move>,
    /// Positions looked at.
    pub nodes: u64,
}

/// Reads captures; keeps what it finds out and its boards between calls.
#[derive(Debug)]
pub struct CaptureReader {
    search: ReadingSearch<Capture>,
}

impl Default for CaptureReader {
    fn default() -> Self {
        Self::new()
    }
}

impl CaptureReader {
    /// A reader that knows nothing; takes 5 MiB.
    #[must_use]
    pub fn new() -> Self {
        Self {
            search: ReadingSearch::new(),
        }
    }

    /// Whether the chain at `target` is captured with its opponent, the maker, to move, who may not play at `ko`.
    ///
    /// # Errors
    /// When there is no stone.
    pub fn attack(
        &mut self,
        board: &Board,
        target: Point,
        ko: Option<Point>,
        limits: ReadingLimits,
    ) -> Result<ReadingResult, NoChainError> {
        self.read(board, target, Side::Maker, ko, limits)
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
        limits: ReadingLimits,
    ) -> Result<ReadingResult, NoChainError> {
        self.read(board, target, Side::Breaker, ko, limits)
    }

    fn read(
        &mut self,
        board: &Board,
        target: Point,
        side: Side,
        ko: Option<Point>,
        limits: ReadingLimits,
    ) -> Result<ReadingResult, NoChainError> {
        let chain = board
            .chain_at(target)
            .ok_or(NoChainError { point: target })?;
        let query = ReadingQuery {
            side,
            ko,
            maker: chain.color.opposite(),
            limits,
        };
        Ok(query.read(&mut self.search, board, Capture(target)))
    }
}
