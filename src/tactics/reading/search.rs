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

use super::budget::{Budget, Spent};
use super::goal::Goal;
use super::ko::Free;
use super::memory::{Finding, Memory};
use super::order::Order;
use super::turn::{Side, Turn};
use super::zone;
use crate::game::board::Board;
use crate::game::color::Color;
use crate::game::point::Point;
use crate::game::pointset::PointSet;
use crate::rng::splitmix64;
use crate::tactics::line::Line;

/// Longest line, in moves of both sides; a chase ends there without result.
pub(super) const LONGEST: usize = 400;

/// A goal, and all that was found out about goals of its kind.
#[derive(Debug)]
pub(super) struct Search<G> {
    pub(super) line: Line,
    pub(super) memory: Memory,
    pub(super) order: Order,
    pub(super) budget: Budget,
    pub(super) free: Free,
    pub(super) goal: G,
    maker: Color,
    /// Of the board's size and the ko rule, in the keys of the memory.
    salt: u64,
}

impl<G: Goal> Search<G> {
    pub(super) fn new() -> Self {
        Self {
            line: Line::default(),
            memory: Memory::new(),
            order: Order::new(),
            budget: Budget::default(),
            free: Free::Nobody,
            goal: G::UNSET,
            maker: Color::Black,
            salt: 0,
        }
    }

    /// A new question: whether the maker reaches this goal on the board.
    pub(super) fn start(&mut self, board: &Board, goal: G, maker: Color, budget: Budget) {
        self.line.start(board);
        self.memory.grow_older();
        self.order.forget();
        self.budget = budget;
        self.goal = goal;
        self.maker = maker;
        self.set_free(Free::Nobody);
    }

    /// Who is free of the ko rule from now on.
    pub(super) fn set_free(&mut self, free: Free) {
        self.free = free;
        let size = self.line.at(0).size();
        let salt = (size.width() * 32 + size.height()) * 4 + free as usize;
        self.salt = splitmix64(0x0072_0000 + salt as u64);
    }

    pub(super) fn color(&self, side: Side) -> Color {
        match side {
            Side::Maker => self.maker,
            Side::Breaker => self.maker.opposite(),
        }
    }

    /// The key of a position: the board, the chains, the side to move, the ko, and who is free of it.
    pub(super) fn key(&self, turn: Turn) -> u64 {
        let board = self.line.at(turn.depth);
        let ko = turn.ko.map_or(0x200, Point::number) as u64;
        let rest = self.goal.key(board) << 16 | ko << 4 | turn.side as u64;
        board.hash() ^ splitmix64(self.salt ^ rest)
    }

    /// Whether the goal is reached; or the budget is spent.
    pub(super) fn search(&mut self, turn: Turn) -> Result<Finding, Spent> {
        match turn.side {
            Side::Maker => self.make(turn),
            Side::Breaker => self.hinder(turn),
        }
    }

    pub(super) fn may_play(&self, turn: Turn, mv: Point) -> bool {
        let board = self.line.at(turn.depth);
        !self.free.forbids(turn, mv) && !board.is_suicide(self.color(turn.side), mv)
    }

    /// Adds to the zone why the side may not play there.
    fn add_reason(&self, turn: Turn, mv: Point, zone: &mut PointSet) {
        let board = self.line.at(turn.depth);
        if self.free.forbids(turn, mv) {
            zone::add_ko(board, mv, zone);
        } else {
            zone::add_suicide(board, self.color(turn.side), mv, zone);
        }
    }

    /// Plays the move, and says what comes of it: a success with what it shows of the position before it, or a failure
    /// with what the zone of all failures must hold because of it.
    pub(super) fn try_move(&mut self, turn: Turn, mv: Point) -> Result<Tried, Spent> {
        let color = self.color(turn.side);
        let placed = self.line.play(turn.depth, color, mv);
        let after = self.search(turn.after_move(placed.ko))?;
        let board = self.line.at(turn.depth);
        let makes = turn.side == Side::Maker;
        if after.reached != makes {
            let zone = after.zone | zone::before_answer(board, mv, &placed.captured);
            return Ok(Tried::Failure(Finding { zone, ..after }));
        }
        let zone = zone::before_own_move(board, color, mv, &after.zone);
        self.order.decided(turn.depth, color, mv, turn.moves);
        Ok(Tried::Success(Finding {
            zone,
            best: Some(mv),
            moves: after.moves + u16::from(makes),
            reached: makes,
            by_ko: after.by_ko || makes && turn.ko == Some(mv),
        }))
    }

    /// The side to move fails by passing, as `failure` says. Tries all moves among `helpful` that may do better, those
    /// `near` the chains first.
    pub(super) fn try_all(
        &mut self,
        turn: Turn,
        mut failure: Finding,
        helpful: &PointSet,
        near: &PointSet,
    ) -> Result<Finding, Spent> {
        let (color, owner) = (self.color(turn.side), self.color(turn.side.other()));
        failure.best = None;
        let mut rest = *helpful;
        loop {
            zone::close(self.line.at(turn.depth), owner, &mut failure.zone);
            let open = failure.zone & rest;
            let Some(mv) = self.order.pick(&open, turn.depth, color, near) else {
                return Ok(failure);
            };
            rest.remove(mv);
            if !self.may_play(turn, mv) {
                self.add_reason(turn, mv, &mut failure.zone);
                failure.by_ko |= turn.ko == Some(mv);
                continue;
            }
            match self.try_move(turn, mv)? {
                Tried::Success(finding) => return Ok(finding),
                Tried::Failure(after) => failure.add(mv, &after),
            }
        }
    }
}

/// What a move comes to, from the point of view of who plays it.
pub(super) enum Tried {
    Success(Finding),
    Failure(Finding),
}

impl Finding {
    /// A further move fails, as `after` says. Of successes of the maker the longest counts.
    fn add(&mut self, mv: Point, after: &Self) {
        self.zone |= after.zone;
        if self.reached {
            self.by_ko |= after.by_ko;
            if after.moves > self.moves || self.best.is_none() && after.moves == self.moves {
                (self.moves, self.best) = (after.moves, Some(mv));
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
    pub(super) fn lost(zone: PointSet) -> Self {
        Self::too_few_moves(zone, LONGEST)
    }
}
