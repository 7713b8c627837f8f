//! Readers of captures and of connections.

use super::capture::Capture;
use super::connect::Connect;
use super::deepening::ReadingQuery;
use super::goal::{ReadingGoal, Side};
use super::outcome::{NoChainError, ReadingLimits, ReadingOutcome, ReadingResult};
use super::search::ReadingSearch;
use crate::game::board::Board;
use crate::game::point::{Move, Point};

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

/// There are no two chains to be joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConnectionError {
    /// A stone is missing.
    #[error(transparent)]
    NoChain(#[from] NoChainError),
    /// They are not of one owner.
    #[error("expected stones of one colour, found one of each")]
    DifferentColors,
}

/// Whether the owner may be able to make one chain of these with so many moves in a row; where it is told not to, it is
/// not. Nothing is joined to a point without a stone.
#[must_use]
pub fn may_be_connected(board: &Board, stones: [Point; 2], moves: usize) -> bool {
    let goal = Connect(stones);
    goal.unreachable_zone(board).is_none() && goal.prove_too_few_moves(board, moves).is_none()
}

/// Reads connections; keeps what it finds out and its boards between calls.
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
    /// A reader that knows nothing; takes 5 MiB.
    #[must_use]
    pub fn new() -> Self {
        Self {
            search: ReadingSearch::new(),
        }
    }

    /// Whether the chains of the two stones are joined with their owner, the maker, to move, who may not play at `ko`.
    ///
    /// # Errors
    /// When a stone is missing or they are of two colours.
    pub fn connect(
        &mut self,
        board: &Board,
        stones: [Point; 2],
        ko: Option<Point>,
        limits: ReadingLimits,
    ) -> Result<ReadingResult, ConnectionError> {
        self.read(board, stones, Side::Maker, ko, limits)
    }

    /// Whether the chains of the two stones are joined with the opponent to move, who may not play at `ko`.
    ///
    /// # Errors
    /// When a stone is missing or they are of two colours.
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
