//! The search: alpha-beta for one goal, which is to say that a move that reaches it ends the search of a position.
//!
//! Depth is counted in moves of the maker, and every position is searched for one move less before it is searched
//! for so many. Whoever moves is first asked to pass. If that fails, only a move in the zone of the failure can do
//! better, or in the zones of the moves tried since: see `zone`. Here is what the two sides have in common; `make` and
//! `hinder` are what is peculiar to each.
//!
//! Positions looked at for 100 attacks on chains of random boards, to the same depth each (a chase costs a tenth more,
//! and finds captures that lie deeper):
//!
//! | | 5x5, 5 plies | 5x5, 7 plies | 9x9, 7 plies |
//! |---|---|---|---|
//! | plain minimax | 8,001,104 | | |
//! | with cutoffs | 197,720 | 2,890,190 | |
//! | and liberties counted | 87,231 | 1,525,184 | |
//! | and a table | 57,937 | 441,781 | |
//! | this search, no chase | 2,643 | 8,886 | 7,140 |
//! | the same without killers and history | 2,909 | 14,291 | 10,700 |
//! | without the table | 3,362 | 15,654 | 11,542 |
//! | without zones | 3,674 | 12,792 | 27,057 |

use super::budget::{OutOfBudget, ReadingBudget};
use super::goal::ReadingGoal;
use super::ko_immunity::KoImmunity;
use super::move_order::MoveOrder;
use super::node::{ReadingNode, Side};
use super::table::{NodeResult, ReadingTable};
use super::zone;
use crate::game::board::Board;
use crate::game::color::Color;
use crate::game::point::Point;
use crate::game::pointset::PointSet;
use crate::random::splitmix64;
use crate::tactics::board_stack::BoardStack;

/// Longest line, in moves of both sides; a chase ends there without result.
pub(super) const MAX_DEPTH: usize = 400;

/// A goal, and all that was found out about goals of its kind.
#[derive(Debug)]
pub(super) struct ReadingSearch<G> {
    pub(super) boards: BoardStack,
    pub(super) table: ReadingTable,
    pub(super) move_order: MoveOrder,
    pub(super) budget: ReadingBudget,
    pub(super) ko_immunity: KoImmunity,
    pub(super) goal: G,
    maker: Color,
    /// Of the board's size and the ko rule, in the keys of the memory.
    salt: u64,
}

impl<G: ReadingGoal> ReadingSearch<G> {
    pub(super) fn new() -> Self {
        Self {
            boards: BoardStack::default(),
            table: ReadingTable::new(),
            move_order: MoveOrder::new(),
            budget: ReadingBudget::default(),
            ko_immunity: KoImmunity::Neither,
            goal: G::UNSET,
            maker: Color::Black,
            salt: 0,
        }
    }

    /// A new question: whether the maker reaches this goal on the board.
    pub(super) fn start(&mut self, board: &Board, goal: G, maker: Color, budget: ReadingBudget) {
        self.boards.reset(board);
        self.table.new_generation();
        self.move_order.clear();
        self.budget = budget;
        self.goal = goal;
        self.maker = maker;
        self.set_ko_immunity(KoImmunity::Neither);
    }

    /// Who is free of the ko rule from now on.
    pub(super) fn set_ko_immunity(&mut self, ko_immunity: KoImmunity) {
        self.ko_immunity = ko_immunity;
        let size = self.boards.at(0).size();
        let salt = (size.width() * 32 + size.height()) * 4 + ko_immunity as usize;
        self.salt = splitmix64(0x0072_0000 + salt as u64);
    }

    pub(super) fn color(&self, side: Side) -> Color {
        match side {
            Side::Maker => self.maker,
            Side::Breaker => self.maker.opposite(),
        }
    }

    /// The key of a position: the board, the chains, the side to move, the ko, and who is free of it.
    pub(super) fn key(&self, node: ReadingNode) -> u64 {
        let board = self.boards.at(node.depth);
        let ko = node.ko.map_or(0x200, Point::number) as u64;
        let state_bits = self.goal.key(board) << 16 | ko << 4 | node.side as u64;
        board.hash() ^ splitmix64(self.salt ^ state_bits)
    }

    /// Whether the goal is reached; or the budget is spent.
    pub(super) fn search(&mut self, node: ReadingNode) -> Result<NodeResult, OutOfBudget> {
        match node.side {
            Side::Maker => self.search_maker(node),
            Side::Breaker => self.search_breaker(node),
        }
    }

    pub(super) fn is_legal(&self, node: ReadingNode, mv: Point) -> bool {
        let board = self.boards.at(node.depth);
        !self.ko_immunity.forbids(node, mv) && !board.is_suicide(self.color(node.side), mv)
    }

    /// Adds to the zone why the side may not play there.
    fn add_illegality_zone(&self, node: ReadingNode, mv: Point, zone: &mut PointSet) {
        let board = self.boards.at(node.depth);
        if self.ko_immunity.forbids(node, mv) {
            zone::add_ko(board, mv, zone);
        } else {
            zone::add_suicide(board, self.color(node.side), mv, zone);
        }
    }

    /// Plays the move, and says what comes of it: a success with what it shows of the position before it, or a failure
    /// with what the zone of all failures must hold because of it.
    pub(super) fn try_move(
        &mut self,
        node: ReadingNode,
        mv: Point,
    ) -> Result<MoveResult, OutOfBudget> {
        let color = self.color(node.side);
        let placement = self.boards.play(node.depth, color, mv);
        let child = self.search(node.after_move(placement.ko))?;
        let board = self.boards.at(node.depth);
        let is_maker = node.side == Side::Maker;
        if child.reached != is_maker {
            let zone = child.zone | zone::before_opponent_move(board, mv, &placement.captured);
            return Ok(MoveResult::Failure(NodeResult { zone, ..child }));
        }
        let zone = zone::before_owner_move(board, color, mv, &child.zone);
        self.move_order
            .record_cutoff(node.depth, color, mv, node.moves_left);
        Ok(MoveResult::Success(NodeResult {
            zone,
            best_move: Some(mv),
            moves: child.moves + u16::from(is_maker),
            reached: is_maker,
            depends_on_ko: child.depends_on_ko || is_maker && node.ko == Some(mv),
        }))
    }

    /// The side to move fails by passing, as `failure` says. Tries all moves among `candidates` that may do better, those
    /// `preferred` the chains first.
    pub(super) fn try_all(
        &mut self,
        node: ReadingNode,
        mut failure: NodeResult,
        candidates: &PointSet,
        preferred: &PointSet,
    ) -> Result<NodeResult, OutOfBudget> {
        let (color, zone_owner) = (self.color(node.side), self.color(node.side.other()));
        failure.best_move = None;
        let mut remaining = *candidates;
        loop {
            zone::protect_owner_chains(self.boards.at(node.depth), zone_owner, &mut failure.zone);
            let relevant = failure.zone & remaining;
            let Some(mv) = self
                .move_order
                .pick(&relevant, node.depth, color, preferred)
            else {
                return Ok(failure);
            };
            remaining.remove(mv);
            if !self.is_legal(node, mv) {
                self.add_illegality_zone(node, mv, &mut failure.zone);
                failure.depends_on_ko |= node.ko == Some(mv);
                continue;
            }
            match self.try_move(node, mv)? {
                MoveResult::Success(result) => return Ok(result),
                MoveResult::Failure(child) => failure.merge_failure(mv, &child),
            }
        }
    }
}

/// What a move comes to, from the point of view of who plays it.
pub(super) enum MoveResult {
    Success(NodeResult),
    Failure(NodeResult),
}

impl NodeResult {
    /// A further move fails, as `child` says. Of successes of the maker the longest counts.
    fn merge_failure(&mut self, mv: Point, child: &Self) {
        self.zone |= child.zone;
        if self.reached {
            self.depends_on_ko |= child.depends_on_ko;
            if child.moves > self.moves || self.best_move.is_none() && child.moves == self.moves {
                (self.moves, self.best_move) = (child.moves, Some(mv));
            }
        }
    }

    /// So many moves of the maker are too few, as the zone shows.
    pub(super) fn too_few_moves(zone: PointSet, moves: usize) -> Self {
        Self {
            zone,
            moves: moves as u16,
            ..Self::default()
        }
    }

    /// No number of moves would do.
    pub(super) fn unreachable(zone: PointSet) -> Self {
        Self::too_few_moves(zone, MAX_DEPTH)
    }
}
