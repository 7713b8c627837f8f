//! The search: alpha-beta for one goal, which is to say that a move that reaches it ends the search of a position.
//!
//! Depth is counted in moves of the attacker, and every position is searched for one move less before it is searched
//! for so many. The result of the shallower search comes with a zone, outside which the attacker's first move cannot
//! change it, and the defender is asked to pass first for the same reason: see `zone`.
//!
//! Beyond the depth a chain with two liberties is chased: the attacker puts it in atari with each move, and the
//! defender extends or takes something. What that finds is a capture like any other; that it finds none proves nothing.

use super::budget::{Budget, Spent};
use super::ko::{Free, Side};
use super::memory::{Finding, Memory};
use super::order::Order;
use super::zone;
use crate::game::board::{Board, Chain, Placed};
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
    line: Line,
    memory: Memory,
    order: Order,
    pub(super) budget: Budget,
    target: Point,
    defender: Color,
    free: Free,
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
            target: Point::at(0, 0),
            defender: Color::Black,
            free: Free::Nobody,
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

    fn color(&self, side: Side) -> Color {
        match side {
            Side::Attacker => self.defender.opposite(),
            Side::Defender => self.defender,
        }
    }

    fn chain(&self, depth: usize) -> Chain {
        *self
            .line
            .at(depth)
            .chain_at(self.target)
            .expect("the chain under attack is on the board")
    }

    /// The key of the position at that depth: the board, the chain, the side to move, the ko, and who is free of it.
    fn key(&self, depth: usize, side: Side, ko: Option<Point>) -> u64 {
        let board = self.line.at(depth);
        let chain = board.chain_at(self.target);
        let first = chain.and_then(|chain| chain.stones.first());
        let number = |point: Option<Point>| point.map_or(0x200, Point::number) as u64;
        let rest = number(first) << 16 | number(ko) << 4 | side as u64;
        board.hash() ^ splitmix64(self.salt ^ rest)
    }

    /// Whether the chain has been taken on the board at that depth.
    pub(super) fn is_taken(&self, depth: usize) -> bool {
        self.line.at(depth).is_empty_at(self.target)
    }

    fn known_for(&self, key: u64, moves: usize) -> Option<Finding> {
        self.memory
            .get(key)
            .filter(|finding| finding.captured || usize::from(finding.moves) >= moves)
            .copied()
    }

    pub(super) fn play(&mut self, depth: usize, side: Side, mv: Point) -> Placed {
        self.line.play(depth, self.color(side), mv)
    }

    fn may_play(&self, depth: usize, side: Side, ko: Option<Point>, mv: Point) -> bool {
        !self.free.forbids(side, ko, mv) && !self.line.at(depth).is_suicide(self.color(side), mv)
    }

    /// Adds to the zone why the side may not play there.
    fn add_reason(
        &self,
        depth: usize,
        side: Side,
        ko: Option<Point>,
        mv: Point,
        zone: &mut PointSet,
    ) {
        let board = self.line.at(depth);
        if self.free.forbids(side, ko, mv) {
            zone::add_ko(board, mv, zone);
        } else {
            zone::add_suicide(board, self.color(side), mv, zone);
        }
    }

    /// What a move of `side` that reaches its goal shows of the position before it.
    fn success(&mut self, depth: usize, side: Side, mv: Point, after: &Finding) -> Finding {
        let color = self.color(side);
        let attacked = side == Side::Attacker;
        self.order
            .decided(depth, color, mv, usize::from(after.moves));
        Finding {
            zone: zone::before_own_move(self.line.at(depth), color, mv, &after.zone),
            best: Some(mv),
            moves: after.moves + u16::from(attacked),
            ..*after
        }
    }

    /// The attacker, to move, has `moves` moves; `ko` is where a ko was just taken.
    pub(super) fn attack(
        &mut self,
        depth: usize,
        moves: usize,
        ko: Option<Point>,
    ) -> Result<Finding, Spent> {
        self.budget.spend()?;
        let chain = self.chain(depth);
        let liberties = chain.liberties.len();
        if let Some(last) = chain.liberties.only()
            && !self.free.forbids(Side::Attacker, ko, last)
        {
            return Ok(Finding {
                zone: zone::of_capture(self.line.at(depth), &chain),
                best: Some(last),
                moves: 1,
                captured: true,
                by_ko: ko == Some(last),
            });
        }
        if moves < liberties && (liberties > 2 || depth >= LONGEST) {
            return Ok(too_many(&chain, moves));
        }
        let key = self.key(depth, Side::Attacker, ko);
        if let Some(known) = self.known_for(key, moves) {
            return Ok(known);
        }
        let finding = if moves < liberties {
            // A repetition is no success.
            self.memory.put(key, too_many(&chain, liberties - 1));
            self.chase(depth, &chain, ko)?
        } else {
            self.attack_anywhere(depth, moves, ko)?
        };
        self.memory.put(key, finding);
        Ok(finding)
    }

    /// The attacker has too few moves for the two liberties, and tries to take one at a time with atari.
    fn chase(&mut self, depth: usize, chain: &Chain, ko: Option<Point>) -> Result<Finding, Spent> {
        let color = self.color(Side::Attacker);
        let mut rest = chain.liberties;
        while let Some(mv) = self.order.pick(&rest, depth, color, None, &rest) {
            rest.remove(mv);
            if !self.may_play(depth, Side::Attacker, ko, mv) {
                continue;
            }
            let next_ko = self.play(depth, Side::Attacker, mv).ko;
            let after = self.defend(depth + 1, 0, next_ko)?;
            if after.captured {
                let mut finding = self.success(depth, Side::Attacker, mv, &after);
                finding.by_ko |= ko == Some(mv);
                return Ok(finding);
            }
        }
        Ok(too_many(chain, chain.liberties.len() - 1))
    }

    /// The attacker has moves enough, and tries every move that may matter.
    fn attack_anywhere(
        &mut self,
        depth: usize,
        moves: usize,
        ko: Option<Point>,
    ) -> Result<Finding, Spent> {
        let sooner = self.attack(depth, moves - 1, ko)?;
        if sooner.captured {
            return Ok(sooner);
        }
        // What becomes of a pass: with no ko to wait for, the defender passes too.
        let passed = match ko {
            None => sooner,
            Some(_) => self.defend(depth, moves - 1, None)?,
        };
        if passed.captured {
            return Ok(Finding {
                best: None,
                moves: passed.moves + 1,
                ..passed
            });
        }
        let (attacker, defender) = (self.color(Side::Attacker), self.defender);
        let empty = self.line.at(depth).empty();
        let liberties = self.chain(depth).liberties;
        let mut zone = passed.zone;
        let mut tried = PointSet::EMPTY;
        loop {
            zone::close(self.line.at(depth), defender, &mut zone);
            let open = (zone & empty) - tried;
            let Some(mv) = self.order.pick(&open, depth, attacker, None, &liberties) else {
                break;
            };
            tried.insert(mv);
            if !self.may_play(depth, Side::Attacker, ko, mv) {
                self.add_reason(depth, Side::Attacker, ko, mv, &mut zone);
                continue;
            }
            let placed = self.play(depth, Side::Attacker, mv);
            let after = self.defend(depth + 1, moves - 1, placed.ko)?;
            if after.captured {
                let mut finding = self.success(depth, Side::Attacker, mv, &after);
                finding.by_ko |= ko == Some(mv);
                return Ok(finding);
            }
            zone |= after.zone | zone::before_answer(self.line.at(depth), mv, &placed.captured);
        }
        Ok(Finding {
            zone,
            moves: moves as u16,
            ..Finding::default()
        })
    }

    /// The defender moves, the attacker has `moves` moves left; `ko` is where a ko was just taken.
    pub(super) fn defend(
        &mut self,
        depth: usize,
        moves: usize,
        ko: Option<Point>,
    ) -> Result<Finding, Spent> {
        self.budget.spend()?;
        let chain = self.chain(depth);
        if chain.liberties.len() > moves.max(1) {
            return Ok(too_many(&chain, moves));
        }
        let key = self.key(depth, Side::Defender, ko);
        if let Some(known) = self.known_for(key, moves) {
            return Ok(known);
        }
        let before = self.memory.get(key).and_then(|finding| finding.best);
        if moves == 0 {
            // A repetition is no success.
            self.memory.put(key, too_many(&chain, 0));
        }
        let mut finding = self.defend_anywhere(depth, moves, ko, before)?;
        if moves == 0 && !finding.captured {
            finding = Finding {
                best: finding.best,
                ..too_many(&chain, 0)
            };
        }
        self.memory.put(key, finding);
        Ok(finding)
    }

    /// The defender tries what looks best, then to pass, then every move that may undo what comes of passing.
    fn defend_anywhere(
        &mut self,
        depth: usize,
        moves: usize,
        ko: Option<Point>,
        before: Option<Point>,
    ) -> Result<Finding, Spent> {
        let chain = self.chain(depth);
        let (board, defender) = (self.line.at(depth), self.defender);
        let empty = board.empty();
        let rescues = rescues(board, &chain);
        let first = running_away(board, &chain, moves).or(before);
        if let Some(mv) = first
            && self.may_play(depth, Side::Defender, ko, mv)
        {
            let next_ko = self.play(depth, Side::Defender, mv).ko;
            let after = self.attack(depth + 1, moves, next_ko)?;
            if !after.captured {
                return Ok(self.success(depth, Side::Defender, mv, &after));
            }
        }
        let mut lost = self.attack(depth, moves, None)?;
        lost.best = None;
        if !lost.captured {
            return Ok(lost);
        }
        // In atari nothing helps but to extend or to take a surrounding chain.
        let helpful = match chain.liberties.only() {
            Some(_) => rescues | chain.liberties,
            None => empty,
        };
        let near = rescues | chain.liberties;
        let mut tried = PointSet::EMPTY;
        loop {
            zone::close(self.line.at(depth), defender.opposite(), &mut lost.zone);
            let open = (lost.zone & helpful) - tried;
            let Some(mv) = self.order.pick(&open, depth, defender, None, &near) else {
                return Ok(lost);
            };
            tried.insert(mv);
            if !self.may_play(depth, Side::Defender, ko, mv) {
                self.add_reason(depth, Side::Defender, ko, mv, &mut lost.zone);
                lost.by_ko |= ko == Some(mv);
                continue;
            }
            let placed = self.play(depth, Side::Defender, mv);
            let after = self.attack(depth + 1, moves, placed.ko)?;
            if !after.captured {
                return Ok(self.success(depth, Side::Defender, mv, &after));
            }
            if after.moves > lost.moves - u16::from(lost.best.is_none()) {
                (lost.moves, lost.best) = (after.moves, Some(mv));
            }
            lost.by_ko |= after.by_ko;
            lost.zone |=
                after.zone | zone::before_answer(self.line.at(depth), mv, &placed.captured);
        }
    }
}

/// The chain has more than `moves` liberties, the attacker no more moves than that.
fn too_many(chain: &Chain, moves: usize) -> Finding {
    Finding {
        zone: zone::of_liberties(chain, moves),
        moves: moves as u16,
        ..Finding::default()
    }
}

/// Where the owner of the chain can take a chain beside it.
fn rescues(board: &Board, chain: &Chain) -> PointSet {
    let around = chain.stones.neighbours(board.area());
    let mut moves = PointSet::EMPTY;
    for other in board.chains() {
        if other.color != chain.color
            && other.liberties.len() == 1
            && other.stones.intersects(&around)
        {
            moves |= other.liberties;
        }
    }
    moves
}

/// A move after which the chain has too many liberties for `moves` moves, and for a chase.
fn running_away(board: &Board, chain: &Chain, moves: usize) -> Option<Point> {
    let enough = moves.max(2);
    chain
        .liberties
        .iter()
        .find(|&mv| board.liberties_after(chain.color, mv).len() > enough)
}
