//! Answers reading queries by iterative deepening, repeated for different ko immunities, and extracts the principal
//! variation.

use super::goal::{ReadingGoal, Side};
use super::outcome::{ReadingLimits, ReadingOutcome, ReadingResult};
use super::search::{KoImmunity, OutOfBudget, ReadingBudget, ReadingNode, ReadingSearch};
use super::table::{MAX_DEPTH, NodeResult};
use crate::game::board::Board;
use crate::game::color::Color;
use crate::game::point::{Move, Point};

/// Maximum number of plies, which applies even if the limits of a query allow more.
const MAX_PLIES: usize = 200;

/// Side to move, ko point and limits of a reading.
#[derive(Clone, Copy, Debug)]
pub(super) struct ReadingQuery {
    pub(super) side: Side,
    /// Point where the ko rule forbids the side to move to play its first move.
    pub(super) ko: Option<Point>,
    /// Colour of the maker.
    pub(super) maker: Color,
    pub(super) limits: ReadingLimits,
}

/// Outcome of a query, and the search result and ko immunity from which it was determined.
struct QueryResult {
    outcome: ReadingOutcome,
    result: NodeResult,
    ko_immunity: KoImmunity,
}

impl ReadingQuery {
    /// Reads `goal` on `board`.
    pub(super) fn read<G: ReadingGoal>(
        &self,
        search: &mut ReadingSearch<G>,
        board: &Board,
        goal: G,
    ) -> ReadingResult {
        search.start(board, goal, self.maker, ReadingBudget::new(&self.limits));
        let mut result = ReadingResult {
            outcome: ReadingOutcome::Unknown,
            best_move: None,
            pv: Vec::new(),
            nodes: 0,
        };
        if let Ok(resolved) = self.resolve(search) {
            result.outcome = resolved.outcome;
            let is_reached = resolved.result.reached;
            if is_reached || self.side == Side::Breaker {
                search.set_ko_immunity(resolved.ko_immunity);
                result.pv = search.principal_variation(self.side, resolved.result);
            }
            if is_reached == (self.side == Side::Maker) {
                result.best_move = result.pv.first().copied();
            }
        }
        result.nodes = search.budget.nodes;
        result
    }

    /// Searches with up to three different ko immunities until the outcome is known.
    fn resolve<G: ReadingGoal>(
        &self,
        search: &mut ReadingSearch<G>,
    ) -> Result<QueryResult, OutOfBudget> {
        let resolved = |outcome, result, ko_immunity| {
            Ok(QueryResult {
                outcome,
                result,
                ko_immunity,
            })
        };
        let maker_immune = self.search(search, KoImmunity::Maker)?;
        if !maker_immune.reached {
            let plies = self.max_plies();
            return resolved(
                ReadingOutcome::Prevented { plies },
                maker_immune,
                KoImmunity::Maker,
            );
        }
        if !maker_immune.depends_on_ko {
            let plies = self.plies_of(&maker_immune);
            return resolved(
                ReadingOutcome::Reached { plies },
                maker_immune,
                KoImmunity::Maker,
            );
        }
        let breaker_immune = self.search(search, KoImmunity::Breaker)?;
        if breaker_immune.reached {
            let plies = self.plies_of(&breaker_immune);
            return resolved(
                ReadingOutcome::Reached { plies },
                breaker_immune,
                KoImmunity::Breaker,
            );
        }
        let neither_immune = self.search(search, KoImmunity::Neither)?;
        let (needs_threat, plies) = if neither_immune.reached {
            (self.maker.opposite(), self.plies_of(&neither_immune))
        } else {
            (self.maker, self.plies_of(&maker_immune))
        };
        let outcome = ReadingOutcome::Ko {
            needs_threat,
            plies,
        };
        match (self.side, neither_immune.reached) {
            (Side::Maker, false) => resolved(outcome, maker_immune, KoImmunity::Maker),
            (Side::Breaker, true) => resolved(outcome, breaker_immune, KoImmunity::Breaker),
            _ => resolved(outcome, neither_immune, KoImmunity::Neither),
        }
    }

    fn max_plies(&self) -> usize {
        self.limits.plies.min(MAX_PLIES)
    }

    /// Searches with an increasing number of maker moves until the goal is reached or the limit is exhausted.
    fn search<G: ReadingGoal>(
        &self,
        search: &mut ReadingSearch<G>,
        ko_immunity: KoImmunity,
    ) -> Result<NodeResult, OutOfBudget> {
        search.set_ko_immunity(ko_immunity);
        let max_moves = match self.side {
            Side::Maker => self.max_plies().div_ceil(2),
            Side::Breaker => self.max_plies() / 2,
        };
        let mut result = NodeResult::default();
        for moves_left in 0..=max_moves {
            result = search.search(ReadingNode {
                depth: 0,
                side: self.side,
                moves_left,
                ko: self.ko,
            })?;
            if result.reached {
                break;
            }
        }
        Ok(result)
    }

    /// Converts a number of maker moves into plies. Every maker move except the first follows a breaker move.
    fn plies_of(&self, result: &NodeResult) -> usize {
        2 * usize::from(result.moves) - usize::from(self.side == Side::Maker)
    }
}

impl<G: ReadingGoal> ReadingSearch<G> {
    /// Returns the principal variation from the root, where `side` is to move. `result` is the search result of the
    /// root.
    ///
    /// If the maker succeeds, the variation continues until the goal is reached, or until an entry is missing from the
    /// table and the budget is exhausted. Otherwise it consists of the first move only.
    pub(super) fn principal_variation(&mut self, side: Side, mut result: NodeResult) -> Vec<Move> {
        let mut node = ReadingNode {
            depth: 0,
            side,
            moves_left: 0,
            ko: None,
        };
        let mut pv = Vec::new();
        loop {
            node.moves_left = usize::from(result.moves);
            pv.push(result.best_move.map_or(Move::Pass, Move::Play));
            node = match result.best_move {
                Some(mv) => {
                    let color = self.color(node.side);
                    node.after_move(self.boards.play(node.depth, color, mv).ko)
                }
                None => node.after_pass(),
            };
            let is_over = self.goal.is_reached(self.boards.at(node.depth)) || pv.len() >= MAX_DEPTH;
            if !result.reached || is_over {
                return pv;
            }
            match self.search(node) {
                Ok(next) if next.reached => result = next,
                _ => return pv,
            }
        }
    }
}
