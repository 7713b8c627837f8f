//! The search: alpha-beta for one goal, which is to say that a move that reaches it ends the search of a position.
//!
//! Depth is counted in moves of the attacker, and every position is searched for one move less before it is searched
//! for so many. Whoever moves is first asked to pass. If that fails, only a move in the zone of the failure can do
//! better, or in the zones of the moves tried since: see `zone`. Here is what the two sides have in common; `attack` and
//! `defend` are what is peculiar to each.
//!
//! Positions looked at for 100 attacks on chains of random boards, to the same depth each (a chase costs a tenth more, and
//! finds captures that lie deeper):
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
use super::ko::Free;
use super::memory::{Finding, Memory};
use super::order::Order;
use super::turn::{Side, Turn};
use super::zone;
use crate::game::board::{Board, Chain};
use crate::game::color::Color;
use crate::game::point::Point;
use crate::game::pointset::PointSet;
use crate::rng::splitmix64;
use crate::tactics::line::Line;

/// Longest line, in moves of both sides; a chase ends there without result.
pub(super) const LONGEST: usize = 400;

/// One chain's capture, and all that was found out about it.
#[derive(Debug)]
pub(super) struct Search {
    pub(super) line: Line,
    pub(super) memory: Memory,
    pub(super) order: Order,
    pub(super) budget: Budget,
    pub(super) free: Free,
    target: Point,
    defender: Color,
    /// Of the board's size and the ko rule, in the keys of the memory.
    salt: u64,
}

impl Search {
    pub(super) fn new() -> Self {
        Self {
            line: Line::default(),
            memory: Memory::new(),
            order: Order::new(),
            budget: Budget::default(),
            free: Free::Nobody,
            target: Point::at(0, 0),
            defender: Color::Black,
            salt: 0,
        }
    }

    /// A new question: whether this chain of the board is captured.
    pub(super) fn start(&mut self, board: &Board, chain: &Chain, budget: Budget) {
        self.line.start(board);
        self.memory.grow_older();
        self.order.forget();
        self.budget = budget;
        self.target = chain.stones.first().expect("a chain has a stone");
        self.defender = chain.color;
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
            Side::Attacker => self.defender.opposite(),
            Side::Defender => self.defender,
        }
    }

    /// The chain under attack, unless it has been taken.
    pub(super) fn target(&self, depth: usize) -> Option<&Chain> {
        self.line.at(depth).chain_at(self.target)
    }

    pub(super) fn chain(&self, turn: Turn) -> Chain {
        *self
            .target(turn.depth)
            .expect("a search ends when the chain is taken")
    }

    /// The key of a position: the board, the chain, the side to move, the ko, and who is free of it.
    pub(super) fn key(&self, turn: Turn, chain: &Chain) -> u64 {
        let number = |point: Option<Point>| point.map_or(0x200, Point::number) as u64;
        let rest = number(chain.stones.first()) << 16 | number(turn.ko) << 4 | turn.side as u64;
        self.line.at(turn.depth).hash() ^ splitmix64(self.salt ^ rest)
    }

    /// Whether the chain is captured; or the budget is spent.
    pub(super) fn search(&mut self, turn: Turn) -> Result<Finding, Spent> {
        match turn.side {
            Side::Attacker => self.attack(turn),
            Side::Defender => self.defend(turn),
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
        let attacks = turn.side == Side::Attacker;
        if after.captured != attacks {
            let zone = after.zone | zone::before_answer(board, mv, &placed.captured);
            return Ok(Tried::Failure(Finding { zone, ..after }));
        }
        let zone = zone::before_own_move(board, color, mv, &after.zone);
        self.order.decided(turn.depth, color, mv, turn.moves);
        Ok(Tried::Success(Finding {
            zone,
            best: Some(mv),
            moves: after.moves + u16::from(attacks),
            captured: attacks,
            by_ko: after.by_ko || attacks && turn.ko == Some(mv),
        }))
    }

    /// The side to move fails by passing, as `failure` says. Tries all moves among `helpful` that may do better, those
    /// `near` the chain first.
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
    /// A further move fails, as `after` says. Of captures the longest counts.
    fn add(&mut self, mv: Point, after: &Self) {
        self.zone |= after.zone;
        if self.captured {
            self.by_ko |= after.by_ko;
            if after.moves > self.moves || self.best.is_none() && after.moves == self.moves {
                (self.moves, self.best) = (after.moves, Some(mv));
            }
        }
    }

    /// The chain has more than `moves` liberties, so that as many moves of the attacker are too few.
    pub(super) fn too_many_liberties(chain: &Chain, moves: usize) -> Self {
        Self {
            zone: zone::of_liberties(chain, moves),
            moves: moves as u16,
            ..Self::default()
        }
    }
}
