//! Ladders: captures in which the defender never gets more than two liberties.
//!
//! The reading is exact within that definition: the attacker plays on one of the chain's two liberties, the defender
//! extends or captures a surrounding chain in atari. A ladder that leaves the defender a ko to take counts as
//! not working, so that nothing here depends on ko threats.

use crate::game::board::{Board, Chain};
use crate::game::color::Color;
use crate::game::point::Point;
use crate::game::pointset::PointSet;

/// Moves tried for one chain before the ladder is taken not to work.
const NODE_BUDGET: u32 = 25_000;
/// Longest line read; a ladder across the largest board is far shorter.
const MAX_DEPTH: usize = 540;

/// Reads ladders; keeps its boards between calls so that reading allocates nothing.
#[derive(Debug, Default)]
pub struct LadderReader {
    /// The board after each move of the line being read, the root first.
    line: Vec<Board>,
    nodes: u32,
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
        let mut ladders = Ladders::default();
        for chain in board.chains().filter(|chain| chain.color == defender) {
            let target = chain.stones.first().expect("a chain has a stone");
            match chain.liberties.len() {
                1 if self.captures_in_atari(board, target) => ladders.captured |= chain.stones,
                2 => {
                    let moves = self.capturing_moves(board, target, ko);
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
    pub fn captures_in_atari(&mut self, board: &Board, target: Point) -> bool {
        if board
            .chain_at(target)
            .is_none_or(|chain| chain.liberties.len() != 1)
        {
            return false;
        }
        self.start(board);
        self.defend(0, target, None)
    }

    /// The liberties of the chain at `target` on which its opponent, to move, can start a ladder that works. None for
    /// a chain that has not exactly two liberties.
    pub fn capturing_moves(&mut self, board: &Board, target: Point, ko: Option<Point>) -> PointSet {
        match board.chain_at(target) {
            Some(chain) if chain.liberties.len() == 2 => {
                let attacker = chain.color.opposite();
                let moves = chain.liberties;
                moves
                    .iter()
                    .filter(|&mv| self.works(board, target, attacker, mv, ko))
                    .collect()
            }
            _ => PointSet::EMPTY,
        }
    }

    fn works(
        &mut self,
        board: &Board,
        target: Point,
        attacker: Color,
        mv: Point,
        ko: Option<Point>,
    ) -> bool {
        if ko == Some(mv) || board.is_suicide(attacker, mv) {
            return false;
        }
        self.start(board);
        self.play(0, attacker, mv);
        // Here, at the start of the defender's reading, a ko just taken does not save the chain.
        self.defend(1, target, None)
    }

    fn start(&mut self, board: &Board) {
        self.nodes = 0;
        self.copy_to(0, board);
    }

    fn copy_to(&mut self, depth: usize, board: &Board) {
        match self.line.get_mut(depth) {
            Some(slot) => slot.clone_from(board),
            None => self.line.push(board.clone()),
        }
    }

    /// Plays on a copy of the board at `depth`, which becomes the board at `depth + 1`; says where a ko arose.
    fn play(&mut self, depth: usize, color: Color, mv: Point) -> Option<Point> {
        self.nodes += 1;
        let (done, rest) = self.line.split_at_mut(depth + 1);
        match rest.first_mut() {
            Some(slot) => {
                slot.clone_from(&done[depth]);
                slot.place(color, mv).ko
            }
            None => {
                let mut board = done[depth].clone();
                let ko = board.place(color, mv).ko;
                self.line.push(board);
                ko
            }
        }
    }

    fn exhausted(&self, depth: usize) -> bool {
        depth >= MAX_DEPTH || self.nodes >= NODE_BUDGET
    }

    /// The defender moves. True when the chain is lost.
    fn defend(&mut self, depth: usize, target: Point, ko: Option<Point>) -> bool {
        let board = &self.line[depth];
        let chain = *board
            .chain_at(target)
            .expect("the chain under attack is on the board");
        let Some(last_liberty) = chain.liberties.only() else {
            return false;
        };
        if ko.is_some() || self.exhausted(depth) {
            return false;
        }
        let rescues = rescuing_captures(board, &chain);
        let extended = board.liberties_after(chain.color, last_liberty).len();
        if extended >= 3 {
            return false;
        }
        if extended <= 1 && rescues.is_empty() {
            return true;
        }
        let mut moves = rescues;
        moves.insert(last_liberty);
        for mv in moves {
            if self.line[depth].is_suicide(chain.color, mv) {
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
        let board = &self.line[depth];
        let chain = *board
            .chain_at(target)
            .expect("the chain under attack is on the board");
        match chain.liberties.len() {
            0 | 1 => return true,
            2 if !self.exhausted(depth) => {}
            _ => return false,
        }
        let attacker = chain.color.opposite();
        for mv in ordered_attacks(board, &chain).into_iter().flatten() {
            if ko == Some(mv) || self.line[depth].is_suicide(attacker, mv) {
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
fn rescuing_captures(board: &Board, chain: &Chain) -> PointSet {
    let mut around = chain.stones.neighbours(board.area()) & *board.stones(chain.color.opposite());
    let mut moves = PointSet::EMPTY;
    while let Some(point) = around.first() {
        let enemy = board.chain_at(point).expect("a stone belongs to a chain");
        around -= enemy.stones;
        if enemy.liberties.len() == 1 {
            moves |= enemy.liberties;
        }
    }
    moves
}

/// The attacker's two moves, the one on the roomier liberty first, without those that hopelessly let the chain out.
fn ordered_attacks(board: &Board, chain: &Chain) -> [Option<Point>; 2] {
    let mut liberties = chain.liberties.iter();
    let (Some(a), Some(b)) = (liberties.next(), liberties.next()) else {
        return [None, None];
    };
    // After a move on one liberty the defender extends on the other; three empty points beside that one are an escape,
    // unless the attacker's stone is itself one of them.
    let (room_a, room_b) = (board.empty_beside(a), board.empty_beside(b));
    let adjacent = room_a.contains(b);
    let blocks_a = adjacent || room_b.len() < 3;
    let blocks_b = adjacent || room_a.len() < 3;
    let (first, second) = (blocks_a.then_some(a), blocks_b.then_some(b));
    if room_b.len() > room_a.len() {
        [second, first]
    } else {
        [first, second]
    }
}
