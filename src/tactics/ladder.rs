//! Ladders: captures in which the defender never gets more than two liberties.
//!
//! The reading is exact within that definition: the attacker plays on one of the chain's two liberties, the defender
//! extends or captures a surrounding chain in atari. A ladder that leaves the defender a ko to take counts as not
//! working, so that nothing here depends on a ko threat. One capture by ko is certain all the same, against any number of
//! threats that ends: both liberties are mouths of kos, connecting at either leaves at most two liberties, and nothing
//! around the chain can be taken.
//!
//! KataGo's networks are shown ladders by the same definition, so the limits of the reading are KataGo's too.

use crate::game::board::{Board, Chain};
use crate::game::color::Color;
use crate::game::point::Point;
use crate::game::pointset::PointSet;
use crate::tactics::board_stack::BoardStack;

/// Moves tried for one chain before the ladder is taken not to work.
const MAX_NODES: u32 = 25_000;

/// Reads ladders; keeps its boards between calls so that reading allocates nothing.
#[derive(Debug, Default)]
pub struct LadderReader {
    /// The board after each move of the line being read, the root first.
    boards: BoardStack,
    nodes: u32,
    /// Longest line read; at its end the chain counts as lost.
    max_depth: usize,
}

/// The ladders of a whole board.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ladders {
    /// Stones of chains that a ladder captures: in atari with their owner to move, or with two liberties and the
    /// opponent to move.
    pub captured: PointSet,
    /// Moves that start such a ladder against a chain with two liberties.
    pub working_moves: PointSet,
}

impl LadderReader {
    /// A reader with no boards yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Every ladder against the chains of `defender`; `ko` is where the attacker may not take at once.
    pub fn ladders(&mut self, board: &Board, defender: Color, ko: Option<Point>) -> Ladders {
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

    /// Whether the chain at `target`, in atari with its owner to move, is lost in a ladder. Every ko is taken to be
    /// open to its owner at the start. False for a chain that is not in atari.
    pub fn is_ladder_captured(&mut self, board: &Board, target: Point) -> bool {
        if board
            .chain_at(target)
            .is_none_or(|chain| chain.liberties.len() != 1)
        {
            return false;
        }
        self.boards.reset(board);
        self.is_captured(0, target)
    }

    /// The liberties of the chain at `target` on which its opponent, to move, can start a ladder that works. None for
    /// a chain that has not exactly two liberties.
    pub fn capturing_moves(&mut self, board: &Board, target: Point, ko: Option<Point>) -> PointSet {
        match board.chain_at(target) {
            Some(chain) if chain.liberties.len() == 2 => {
                self.boards.reset(board);
                self.working_moves(chain, ko)
            }
            _ => PointSet::EMPTY,
        }
    }

    /// The capturing moves against a chain with two liberties on the board at the root.
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

    /// Whether the chain in atari on the board at `depth` is lost, its owner to move. A ko just taken does not save it.
    fn is_captured(&mut self, depth: usize, target: Point) -> bool {
        self.nodes = 0;
        self.max_depth = depth + self.boards.at(depth).size().area() * 3 / 2;
        // A reading cut short by the budget proves nothing.
        self.defend(depth, target, None) && self.nodes < MAX_NODES
    }

    /// Plays on a copy of the board at `depth`, which becomes the board at `depth + 1`; says where a ko arose.
    fn play(&mut self, depth: usize, color: Color, mv: Point) -> Option<Point> {
        self.nodes += 1;
        self.boards.play(depth, color, mv).ko
    }

    /// The defender moves. True when the chain is lost.
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

    /// The attacker moves; `ko` is where it may not take. True when the chain is lost.
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
        if is_double_ko(board, &chain) {
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

/// The moves that take a surrounding chain in atari.
pub(super) fn rescuing_captures(board: &Board, chain: &Chain) -> PointSet {
    let mut remaining =
        chain.stones.neighbours(board.area()) & *board.stones(chain.color.opposite());
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

/// Whether the chain with two liberties is lost to two kos at once, whichever of them its owner connects.
fn is_double_ko(board: &Board, chain: &Chain) -> bool {
    let is_losing_ko = |ko_point: Point| {
        is_ko_point(board, chain.color, ko_point)
            && board.liberties_after(chain.color, ko_point).len() <= 2
    };
    chain.liberties.iter().all(is_losing_ko) && rescuing_captures(board, chain).is_empty()
}

/// Whether the opponent of `color` would take a lone stone on the empty `point` among stones of `color`.
fn is_ko_point(board: &Board, color: Color, point: Point) -> bool {
    if !board.adjacent_empty(point).is_empty() {
        return false;
    }
    let mut stones_in_atari = 0;
    for chain in board.adjacent_chains(point) {
        if chain.color != color {
            return false;
        }
        if chain.liberties.len() == 1 {
            stones_in_atari += chain.stones.len();
        }
    }
    stones_in_atari == 1
}

/// The attacker's two moves, the one on the roomier liberty first, without those that hopelessly let the chain out.
fn ordered_attacks(board: &Board, chain: &Chain) -> [Option<Point>; 2] {
    let mut liberties = chain.liberties.iter();
    let (Some(a), Some(b)) = (liberties.next(), liberties.next()) else {
        return [None, None];
    };
    let unless_escape = |mv| Some(mv).filter(|&mv| !allows_escape(board, chain, mv));
    if board.adjacent_empty(b).len() > board.adjacent_empty(a).len() {
        [unless_escape(b), unless_escape(a)]
    } else {
        [unless_escape(a), unless_escape(b)]
    }
}

/// Whether, after the attacker's move on one of the chain's two liberties, the defender plainly gets three by extending
/// on the other: nothing is captured on the way.
fn allows_escape(board: &Board, chain: &Chain, mv: Point) -> bool {
    let (defender, attacker) = (chain.color, chain.color.opposite());
    let mut liberties = chain.liberties;
    liberties.remove(mv);
    liberties.only().is_some_and(|extension| {
        let mut extension_liberties = board.liberties_after(defender, extension);
        extension_liberties.remove(mv);
        extension_liberties.len() >= 3
            && board.captures(attacker, mv).is_empty()
            && board.captures(defender, extension).is_empty()
    })
}
