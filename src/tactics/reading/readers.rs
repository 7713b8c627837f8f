//! Readers for captures and connections. Each query runs iterative deepening for up to three different ko immunities.
//!
//! In a connection query, the maker is the owner of both chains. The maker may connect them directly or by capturing
//! stones between them. The breaker succeeds by capturing one of the chains, or by keeping them separate for the number
//! of plies read. Two independent links, as in a bamboo joint, count as a connection, because the breaker can cut only
//! one of them.

use super::capture::CaptureGoal;
use super::connection::ConnectionGoal;
use super::goal::{ReadingGoal, ReadingSide};
use super::query::{ReadingError, ReadingLimits, ReadingOutcome, ReadingResult};
use super::search::{KoImmunity, OutOfBudget, ReadingMemory, ReadingNode, ReadingSearch};
use super::table::{MAX_SEARCH_DEPTH, NodeResult};
use crate::game::board::{Board, Chain};
use crate::game::point::{Move, Point};
use crate::game::pointset::PointSet;

/// Maximum number of plies, even if the limits of a query allow more.
const MAX_PLIES: usize = 200;

/// Reader for captures. Reuses its boards and its table of 4.5 MiB between calls.
#[derive(Debug, Default)]
pub struct CaptureReader {
    memory: ReadingMemory,
}

impl CaptureReader {
    /// Determines by tactical reading whether the chain at `target` can be captured if `first` moves first. The maker
    /// is the opponent of the chain's owner. `ko` is the point where the ko rule forbids the first move, if any.
    ///
    /// # Errors
    /// Returns an error if `target` is empty.
    pub fn read(
        &mut self,
        board: &Board,
        target: Point,
        first: ReadingSide,
        ko: Option<Point>,
        limits: ReadingLimits,
    ) -> Result<ReadingResult, ReadingError> {
        let (result, _) = self.read_with_zone(board, target, first, ko, limits)?;
        Ok(result)
    }

    /// Like [`read`](Self::read), but also returns the points on which the outcome depends.
    pub(in crate::tactics) fn read_with_zone(
        &mut self,
        board: &Board,
        target: Point,
        first: ReadingSide,
        ko: Option<Point>,
        limits: ReadingLimits,
    ) -> Result<(ReadingResult, PointSet), ReadingError> {
        let chain = chain_at(board, target)?;
        let (goal, maker) = (CaptureGoal(target), chain.color.opposite());
        let search = ReadingSearch::new(&mut self.memory, board, goal, maker, &limits);
        let mut deepening = IterativeDeepening::new(search, first, ko, limits);
        let result = deepening.read();
        Ok((result, deepening.zone))
    }
}

fn chain_at(board: &Board, point: Point) -> Result<&Chain, ReadingError> {
    board.chain_at(point).ok_or(ReadingError::NoStone { point })
}

/// Returns true if `moves` consecutive moves of the owner may be enough to connect the chains of the two stones.
/// Returns false if this is provably impossible or one of the points is empty.
pub fn may_connect_within(board: &Board, stones: [Point; 2], moves: usize) -> bool {
    let goal = ConnectionGoal(stones);
    goal.unreachable_zone(board).is_none() && goal.prove_too_few_moves(board, moves).is_none()
}

/// Reader for connections. Reuses its boards and its table of 4.5 MiB between calls.
#[derive(Debug, Default)]
pub struct ConnectionReader {
    memory: ReadingMemory,
}

impl ConnectionReader {
    /// Determines by tactical reading whether the chains of the two stones can be connected if `first` moves first. The
    /// maker is their owner. `ko` is the point where the ko rule forbids the first move, if any.
    ///
    /// # Errors
    /// Returns an error if a point is empty or the stones have different colours.
    pub fn read(
        &mut self,
        board: &Board,
        stones: [Point; 2],
        first: ReadingSide,
        ko: Option<Point>,
        limits: ReadingLimits,
    ) -> Result<ReadingResult, ReadingError> {
        let [one, other] = [chain_at(board, stones[0])?, chain_at(board, stones[1])?];
        if one.color != other.color {
            return Err(ReadingError::DifferentColors);
        }
        if one == other {
            return Ok(ReadingResult {
                outcome: ReadingOutcome::Reached { plies: 0 },
                best_move: (first == ReadingSide::Maker).then_some(Move::Pass),
                pv: Vec::new(),
                nodes: 0,
            });
        }
        let (goal, maker) = (ConnectionGoal(stones), one.color);
        let search = ReadingSearch::new(&mut self.memory, board, goal, maker, &limits);
        let mut deepening = IterativeDeepening::new(search, first, ko, limits);
        Ok(deepening.read())
    }
}

/// Iterative deepening for one goal on one board.
struct IterativeDeepening<'a, G> {
    search: ReadingSearch<'a, G>,
    /// Side that moves first.
    first: ReadingSide,
    /// Point where the ko rule forbids the first move, if any.
    ko: Option<Point>,
    max_plies: usize,
    /// Points on which the outcome depends.
    zone: PointSet,
}

/// Result of iterative deepening with one ko immunity.
#[derive(Clone, Copy)]
struct DeepeningResult {
    result: NodeResult,
    ko_immunity: KoImmunity,
}

impl<'a, G: ReadingGoal> IterativeDeepening<'a, G> {
    fn new(
        search: ReadingSearch<'a, G>,
        first: ReadingSide,
        ko: Option<Point>,
        limits: ReadingLimits,
    ) -> Self {
        Self {
            search,
            first,
            ko,
            max_plies: limits.plies.min(MAX_PLIES),
            zone: PointSet::EMPTY,
        }
    }

    fn read(&mut self) -> ReadingResult {
        let mut reading = ReadingResult {
            outcome: ReadingOutcome::Unknown,
            best_move: None,
            pv: Vec::new(),
            nodes: 0,
        };
        if let Ok((outcome, attempt)) = self.resolve() {
            reading.outcome = outcome;
            let is_reached = attempt.result.reached;
            if is_reached || self.first == ReadingSide::Breaker {
                self.search.set_ko_immunity(attempt.ko_immunity);
                reading.pv = self.principal_variation(attempt.result);
            }
            if is_reached == (self.first == ReadingSide::Maker) {
                reading.best_move = reading.pv.first().copied();
            }
        }
        reading.nodes = self.search.budget.nodes;
        reading
    }

    /// Searches with up to three different ko immunities until the outcome is determined. Returns the outcome and the
    /// attempt that provides the best move and the principal variation.
    fn resolve(&mut self) -> Result<(ReadingOutcome, DeepeningResult), OutOfBudget> {
        let maker_immune = self.deepen(KoImmunity::Maker)?;
        if !maker_immune.result.reached {
            let plies = self.max_plies;
            return Ok((ReadingOutcome::Prevented { plies }, maker_immune));
        }
        if !maker_immune.result.depends_on_ko {
            let plies = self.plies_of(&maker_immune);
            return Ok((ReadingOutcome::Reached { plies }, maker_immune));
        }
        let breaker_immune = self.deepen(KoImmunity::Breaker)?;
        if breaker_immune.result.reached {
            let plies = self.plies_of(&breaker_immune);
            return Ok((ReadingOutcome::Reached { plies }, breaker_immune));
        }
        let neither_immune = self.deepen(KoImmunity::Neither)?;
        let needs_no_threat = neither_immune.result.reached;
        let outcome = if needs_no_threat {
            self.outcome_needing_threat(ReadingSide::Breaker, &neither_immune)
        } else {
            self.outcome_needing_threat(ReadingSide::Maker, &maker_immune)
        };
        Ok(match (self.first, needs_no_threat) {
            (ReadingSide::Maker, false) => (outcome, maker_immune),
            (ReadingSide::Breaker, true) => (outcome, breaker_immune),
            _ => (outcome, neither_immune),
        })
    }

    fn outcome_needing_threat(
        &self,
        needs_threat: ReadingSide,
        success: &DeepeningResult,
    ) -> ReadingOutcome {
        ReadingOutcome::Ko {
            needs_threat: self.search.color(needs_threat),
            plies: self.plies_of(success),
        }
    }

    /// Searches with an increasing number of maker moves until the goal is reached or the ply limit is exhausted.
    fn deepen(&mut self, ko_immunity: KoImmunity) -> Result<DeepeningResult, OutOfBudget> {
        self.search.set_ko_immunity(ko_immunity);
        let max_moves = match self.first {
            ReadingSide::Maker => self.max_plies.div_ceil(2),
            ReadingSide::Breaker => self.max_plies / 2,
        };
        let mut result = NodeResult::default();
        for moves_left in 0..=max_moves {
            result = self.search.search(ReadingNode {
                depth: 0,
                side: self.first,
                moves_left,
                ko: self.ko,
            })?;
            if result.reached {
                break;
            }
        }
        self.zone |= result.zone;
        Ok(DeepeningResult {
            result,
            ko_immunity,
        })
    }

    /// Converts the number of maker moves of a successful attempt into plies. A breaker move precedes each maker move,
    /// except the first one if the maker moves first.
    fn plies_of(&self, success: &DeepeningResult) -> usize {
        2 * usize::from(success.result.moves) - usize::from(self.first == ReadingSide::Maker)
    }

    /// Returns the principal variation, given the search result of the root.
    ///
    /// If the maker succeeds, the variation continues until the goal is reached. It ends earlier if a result is missing
    /// from the table and the budget does not suffice to compute it again. If the breaker succeeds, the variation
    /// consists of the first move only.
    fn principal_variation(&mut self, mut result: NodeResult) -> Vec<Move> {
        let search = &mut self.search;
        let mut node = ReadingNode {
            depth: 0,
            side: self.first,
            moves_left: 0,
            ko: None,
        };
        let mut pv = Vec::new();
        loop {
            node.moves_left = usize::from(result.moves);
            pv.push(result.best_move.map_or(Move::Pass, Move::Play));
            node = match result.best_move {
                Some(mv) => {
                    let color = search.color(node.side);
                    node.after_move(search.boards.play(node.depth, color, mv).ko)
                }
                None => node.after_pass(),
            };
            let is_over = search.goal.is_reached(search.boards.at(node.depth))
                || pv.len() >= MAX_SEARCH_DEPTH;
            if !result.reached || is_over {
                return pv;
            }
            match search.search(node) {
                Ok(next) if next.reached => result = next,
                _ => return pv,
            }
        }
    }
}
