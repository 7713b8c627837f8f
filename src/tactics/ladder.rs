//! Ladders: captures in which the attacked chain never gets more than two liberties.
//!
//! Within this definition, and within limits on the depth and on the number of moves, the search is exact. The attacker
//! plays on one of the two liberties of the chain. The defender extends the chain or captures an adjacent chain in
//! atari.
//!
//! A ladder counts as not working if the defender can retake a ko, so results never depend on ko threats. A double ko
//! is the only exception, because it works against any finite number of ko threats. A chain in a double ko counts as
//! captured if both its liberties are ko points, connecting at either of them leaves at most two liberties, and no
//! adjacent chain of the attacker is in atari.
//!
//! The ladder inputs of KataGo's networks use the same definition.

use crate::game::board::{Board, Chain};
use crate::game::color::Color;
use crate::game::point::Point;
use crate::game::pointset::PointSet;
use crate::tactics::board_stack::BoardStack;

/// Maximum number of moves that a ladder search plays in all lines together. If it is reached, the ladder counts as not
/// working.
const MAX_NODES: u32 = 25_000;

/// Ladder search. Reuses its boards between calls to avoid allocations.
#[derive(Debug, Default)]
pub struct LadderReader {
    /// Board after each move of the current line.
    boards: BoardStack,
    nodes: u32,
    /// Maximum depth of a line. A chain that is still in the ladder at this depth counts as captured.
    max_depth: usize,
}

/// All ladders on a board against one colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ladders {
    /// Stones of the chains that are captured in a ladder: chains in atari that are lost even if their owner moves
    /// first, and chains with two liberties that are lost if the opponent moves first.
    pub captured: PointSet,
    /// Moves with which the opponent starts a working ladder against a chain with two liberties.
    pub working_moves: PointSet,
}

impl LadderReader {
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns all ladders against the chains of `defender`. `ko` is the point where the ko rule forbids the attacker's
    /// first move, if any.
    pub fn ladders_against(
        &mut self,
        board: &Board,
        defender: Color,
        ko: Option<Point>,
    ) -> Ladders {
        self.boards.reset(board);
        let mut ladders = Ladders::default();
        for chain in board.chains().filter(|chain| chain.color == defender) {
            let target = chain.stones.first().expect("a chain has a stone");
            match chain.liberties.len() {
                1 if self.is_captured(0, target) => ladders.captured |= chain.stones,
                2 => {
                    let moves = self.working_moves(chain, ko);
                    if !moves.is_empty() {
                        ladders.captured |= chain.stones;
                        ladders.working_moves |= moves;
                    }
                }
                _ => {}
            }
        }
        ladders
    }

    /// Returns true if the chain at `target` is in atari and is lost in a ladder with its owner to move. The ko rule
    /// does not restrict the owner's first move.
    pub fn is_inescapable_atari(&mut self, board: &Board, target: Point) -> bool {
        if board
            .chain_at(target)
            .is_none_or(|chain| chain.liberties.len() != 1)
        {
            return false;
        }
        self.boards.reset(board);
        self.is_captured(0, target)
    }

    /// Returns the moves with which the opponent of the chain at `target` starts a working ladder. They are liberties
    /// of the chain. The result is empty unless the chain has exactly two liberties. `ko` is the point where the ko
    /// rule forbids the opponent's first move, if any.
    pub fn working_moves_against(
        &mut self,
        board: &Board,
        target: Point,
        ko: Option<Point>,
    ) -> PointSet {
        match board.chain_at(target) {
            Some(chain) if chain.liberties.len() == 2 => {
                self.boards.reset(board);
                self.working_moves(chain, ko)
            }
            _ => PointSet::EMPTY,
        }
    }

    /// Returns the moves that start a working ladder against a chain with two liberties on the root board.
    fn working_moves(&mut self, chain: &Chain, ko: Option<Point>) -> PointSet {
        let mut moves = chain.liberties;
        for mv in chain.liberties {
            if allows_escape(self.boards.at(0), chain, mv) || !self.is_working_move(chain, mv, ko) {
                moves.remove(mv);
            }
        }
        moves
    }

    fn is_working_move(&mut self, chain: &Chain, mv: Point, ko: Option<Point>) -> bool {
        let attacker = chain.color.opposite();
        if ko == Some(mv) || self.boards.at(0).is_suicide(attacker, mv) {
            return false;
        }
        let target = chain.stones.first().expect("a chain has a stone");
        self.play(0, attacker, mv);
        self.is_captured(1, target)
    }

    /// Returns true if the chain at `target`, which is in atari on the board at `depth`, is lost with its owner to
    /// move. If the previous move captured a ko, the owner may retake it, but this alone does not save the chain.
    fn is_captured(&mut self, depth: usize, target: Point) -> bool {
        self.nodes = 0;
        self.max_depth = depth + self.boards.at(depth).size().area() * 3 / 2;
        // A search that reached the node limit proves nothing.
        self.defend(depth, target, None) && self.nodes < MAX_NODES
    }

    /// Plays a move on a copy of the board at `depth`. The copy becomes the board at `depth + 1`. Returns the new ko
    /// point, if any.
    fn play(&mut self, depth: usize, color: Color, mv: Point) -> Option<Point> {
        self.nodes += 1;
        self.boards.play(depth, color, mv).ko
    }

    /// Searches with the defender to move. Returns true if the chain is lost. The chain counts as saved if `ko` is
    /// given, because the defender can then retake a ko there.
    fn defend(&mut self, depth: usize, target: Point, ko: Option<Point>) -> bool {
        if depth >= self.max_depth {
            return true;
        }
        let board = self.boards.at(depth);
        let chain = *board
            .chain_at(target)
            .expect("the chain under attack is on the board");
        let Some(last_liberty) = chain.liberties.only() else {
            return false;
        };
        if ko.is_some() || self.nodes >= MAX_NODES {
            return false;
        }
        let rescues = rescuing_captures(board, &chain);
        let liberties_after_extension = board.liberties_after(chain.color, last_liberty).len();
        if liberties_after_extension >= 3 {
            return false;
        }
        if liberties_after_extension <= 1 && rescues.is_empty() {
            return true;
        }
        let mut moves = rescues;
        moves.insert(last_liberty);
        for mv in moves {
            if self.boards.at(depth).is_suicide(chain.color, mv) {
                continue;
            }
            let ko = self.play(depth, chain.color, mv);
            if !self.attack(depth + 1, target, ko) {
                return false;
            }
        }
        true
    }

    /// Searches with the attacker to move. Returns true if the chain is lost. `ko` is the point where the ko rule
    /// forbids the attacker's move, if any.
    fn attack(&mut self, depth: usize, target: Point, ko: Option<Point>) -> bool {
        if depth >= self.max_depth {
            return true;
        }
        let board = self.boards.at(depth);
        let chain = *board
            .chain_at(target)
            .expect("the chain under attack is on the board");
        match chain.liberties.len() {
            0 | 1 => return true,
            2 if self.nodes < MAX_NODES => {}
            _ => return false,
        }
        if is_lost_in_double_ko(board, &chain) {
            return true;
        }
        let attacker = chain.color.opposite();
        for mv in ordered_attacks(board, &chain).into_iter().flatten() {
            if ko == Some(mv) || self.boards.at(depth).is_suicide(attacker, mv) {
                continue;
            }
            let ko = self.play(depth, attacker, mv);
            if self.defend(depth + 1, target, ko) {
                return true;
            }
        }
        false
    }
}

/// Returns the moves of the chain's owner that capture an adjacent chain in atari.
pub(super) fn rescuing_captures(board: &Board, chain: &Chain) -> PointSet {
    let mut remaining =
        chain.stones.neighbours(board.all_points()) & *board.stones(chain.color.opposite());
    let mut moves = PointSet::EMPTY;
    while let Some(point) = remaining.first() {
        let opponent_chain = board.chain_at(point).expect("a stone belongs to a chain");
        remaining -= opponent_chain.stones;
        if opponent_chain.liberties.len() == 1 {
            moves |= opponent_chain.liberties;
        }
    }
    moves
}

/// Returns true if a chain with two liberties is lost in a double ko, wherever its owner connects.
fn is_lost_in_double_ko(board: &Board, chain: &Chain) -> bool {
    let is_losing_ko = |ko_point: Point| {
        is_ko_capture_point(board, chain.color, ko_point)
            && board.liberties_after(chain.color, ko_point).len() <= 2
    };
    chain.liberties.iter().all(is_losing_ko) && rescuing_captures(board, chain).is_empty()
}

/// Returns true if the empty `point` is surrounded by stones of `color` and the opponent would capture exactly one
/// stone by playing there.
fn is_ko_capture_point(board: &Board, color: Color, point: Point) -> bool {
    if !board.adjacent_empty_points(point).is_empty() {
        return false;
    }
    let mut stones_in_atari = 0;
    for chain in board.chains_of_adjacent_stones(point) {
        if chain.color != color {
            return false;
        }
        if chain.liberties.len() == 1 {
            stones_in_atari += chain.stones.len();
        }
    }
    stones_in_atari == 1
}

/// Returns the moves of the attacker on the two liberties of a chain, omitting those that let the chain escape. The
/// move with more empty neighbours comes first.
fn ordered_attacks(board: &Board, chain: &Chain) -> [Option<Point>; 2] {
    let mut liberties = chain.liberties.iter();
    let (Some(a), Some(b)) = (liberties.next(), liberties.next()) else {
        return [None, None];
    };
    let unless_escape = |mv| Some(mv).filter(|&mv| !allows_escape(board, chain, mv));
    if board.adjacent_empty_points(b).len() > board.adjacent_empty_points(a).len() {
        [unless_escape(b), unless_escape(a)]
    } else {
        [unless_escape(a), unless_escape(b)]
    }
}

/// Returns true if the chain escapes after the attacker plays `mv`, one of the chain's two liberties: an extension on
/// the other liberty then gives the chain at least three liberties. Always returns false if either of the two moves
/// captures stones.
fn allows_escape(board: &Board, chain: &Chain, mv: Point) -> bool {
    let (defender, attacker) = (chain.color, chain.color.opposite());
    let mut liberties = chain.liberties;
    liberties.remove(mv);
    liberties.only().is_some_and(|extension| {
        let mut extension_liberties = board.liberties_after(defender, extension);
        extension_liberties.remove(mv);
        extension_liberties.len() >= 3
            && board.captured_by_move(attacker, mv).is_empty()
            && board.captured_by_move(defender, extension).is_empty()
    })
}
