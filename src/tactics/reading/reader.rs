//! Public interface of the reading: one reader for captures and one for connections.
//!
//! In a connection query, the maker is the owner of both chains. It may connect them directly or by capturing stones
//! between them. The breaker succeeds if it separates the chains within the plies read, or captures one of them. Two
//! independent links, as in a bamboo joint, count as a connection, because the breaker can cut only one of them.

use super::capture::Capture;
use super::connect::Connect;
use super::deepening::ReadingQuery;
use super::goal::{ReadingGoal, Side};
use super::outcome::{NoChainError, ReadingLimits, ReadingOutcome, ReadingResult};
use super::search::ReadingSearch;
use crate::game::board::Board;
use crate::game::point::{Move, Point};

/// Reads captures. Reuses its table and boards between calls.
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
    /// Creates a reader with an empty table of 5 MiB.
    pub fn new() -> Self {
        Self {
            search: ReadingSearch::new(),
        }
    }

    /// Reads whether the chain at `target` can be captured if its opponent moves first. The ko rule forbids the
    /// opponent to start at `ko`.
    ///
    /// # Errors
    /// Returns an error if `target` is empty.
    pub fn attack(
        &mut self,
        board: &Board,
        target: Point,
        ko: Option<Point>,
        limits: ReadingLimits,
    ) -> Result<ReadingResult, NoChainError> {
        self.read(board, target, Side::Maker, ko, limits)
    }

    /// Reads whether the chain at `target` can be captured if its owner moves first. The ko rule forbids the owner to
    /// start at `ko`.
    ///
    /// # Errors
    /// Returns an error if `target` is empty.
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

/// Error returned when two stones do not form a valid connection query.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConnectionError {
    /// One of the points is empty.
    #[error(transparent)]
    NoChain(#[from] NoChainError),
    /// The stones have different colours.
    #[error("the two stones have different colours")]
    DifferentColors,
}

/// Returns true if `moves` consecutive moves of their owner may be enough to connect the chains of the two stones.
/// Returns false if they provably are not, or if one of the points is empty.
pub fn may_be_connected(board: &Board, stones: [Point; 2], moves: usize) -> bool {
    let goal = Connect(stones);
    goal.unreachable_zone(board).is_none() && goal.prove_too_few_moves(board, moves).is_none()
}

/// Reads connections. Reuses its table and boards between calls.
#[derive(Debug)]
pub struct ConnectionReader {
    search: ReadingSearch<Connect>,
}

impl Default for ConnectionReader {
    fn default() -> Self {
        Self::new()
    }
}

impl ConnectionReader {
    /// Creates a reader with an empty table of 5 MiB.
    pub fn new() -> Self {
        Self {
            search: ReadingSearch::new(),
        }
    }

    /// Reads whether the chains of the two stones can be connected if their owner moves first. The ko rule forbids the
    /// owner to start at `ko`.
    ///
    /// # Errors
    /// Returns an error if a point is empty or the stones have different colours.
    pub fn connect(
        &mut self,
        board: &Board,
        stones: [Point; 2],
        ko: Option<Point>,
        limits: ReadingLimits,
    ) -> Result<ReadingResult, ConnectionError> {
        self.read(board, stones, Side::Maker, ko, limits)
    }

    /// Reads whether the chains of the two stones can be connected if the opponent moves first. The ko rule forbids the
    /// opponent to start at `ko`.
    ///
    /// # Errors
    /// Returns an error if a point is empty or the stones have different colours.
    pub fn disconnect(
        &mut self,
        board: &Board,
        stones: [Point; 2],
        ko: Option<Point>,
        limits: ReadingLimits,
    ) -> Result<ReadingResult, ConnectionError> {
        self.read(board, stones, Side::Breaker, ko, limits)
    }

    fn read(
        &mut self,
        board: &Board,
        stones: [Point; 2],
        side: Side,
        ko: Option<Point>,
        limits: ReadingLimits,
    ) -> Result<ReadingResult, ConnectionError> {
        let chain = |point| board.chain_at(point).ok_or(NoChainError { point });
        let (first, second) = (chain(stones[0])?, chain(stones[1])?);
        if first.color != second.color {
            return Err(ConnectionError::DifferentColors);
        }
        if first == second {
            return Ok(ReadingResult {
                outcome: ReadingOutcome::Reached { plies: 0 },
                best_move: (side == Side::Maker).then_some(Move::Pass),
                pv: Vec::new(),
                nodes: 0,
            });
        }
        let query = ReadingQuery {
            side,
            ko,
            maker: first.color,
            limits,
        };
        Ok(query.read(&mut self.search, board, Connect(stones)))
    }
}
