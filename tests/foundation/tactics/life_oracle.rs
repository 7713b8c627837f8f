//! Exhaustive search for the capture of a group on a whole board.
//!
//! Tries every legal move and the pass of both sides in all reachable positions, and finds the positions from which the
//! attacker forces the capture. It knows no regions, no eyes and no walls.

use std::collections::HashMap;

use honinbo::game::color::Color;

use crate::naive::{NaiveBoard, Place};

/// Number of bits per row. The last one is never part of the board, so that no shift reaches the next row.
const STRIDE: usize = 8;

/// Side that may retake kos immediately.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum KoImmune {
    Attacker,
    Defender,
    Neither,
}

/// Position with a bit per point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Node {
    /// Stones of the attacker and of the defender.
    stones: [u64; 2],
    /// Index of the side to move in `stones`.
    turn: usize,
    /// Point where the side to move may not play.
    ko: u64,
}

/// Result of examining a position.
enum Expansion {
    Captured,
    Alive,
    Moves(Vec<Node>),
}

/// The positions visited so far.
struct Graph {
    nodes: Vec<Node>,
    numbers: HashMap<Node, usize>,
    successors: Vec<Vec<usize>>,
    predecessors: Vec<Vec<usize>>,
    /// Whether the target is captured, of positions without successors. `None` if not examined yet.
    decided: Vec<Option<bool>>,
}

impl Graph {
    fn new(root: Node) -> Self {
        Self {
            nodes: vec![root],
            numbers: HashMap::from([(root, 0)]),
            successors: vec![Vec::new()],
            predecessors: vec![Vec::new()],
            decided: vec![None],
        }
    }

    fn expand(&mut self, number: usize, expansion: Expansion) {
        let next = match expansion {
            Expansion::Captured | Expansion::Alive => {
                self.decided[number] = Some(matches!(expansion, Expansion::Captured));
                return;
            }
            Expansion::Moves(next) => next,
        };
        for node in next {
            let index = *self.numbers.entry(node).or_insert(self.nodes.len());
            if index == self.nodes.len() {
                self.nodes.push(node);
                self.successors.push(Vec::new());
                self.predecessors.push(Vec::new());
                self.decided.push(None);
            }
            self.successors[number].push(index);
            self.predecessors[index].push(number);
        }
    }

    /// Returns the positions in which the attacker forces the capture. `open` is the assumed result of positions that
    /// have not been examined.
    fn captured(&self, open: bool) -> Vec<bool> {
        let mut captured = vec![false; self.nodes.len()];
        let mut remaining: Vec<usize> = self.successors.iter().map(Vec::len).collect();
        let is_leaf = |&number: &usize| {
            self.successors[number].is_empty() && self.decided[number].unwrap_or(open)
        };
        let mut pending: Vec<usize> = (0..self.nodes.len()).filter(is_leaf).collect();
        while let Some(number) = pending.pop() {
            if std::mem::replace(&mut captured[number], true) {
                continue;
            }
            for &before in &self.predecessors[number] {
                remaining[before] -= 1;
                if self.nodes[before].turn == 0 || remaining[before] == 0 {
                    pending.push(before);
                }
            }
        }
        captured
    }

    /// Returns positions to examine: those that can be reached through undecided positions, nearest first.
    fn open_nodes(&self, surely: &[bool], possibly: &[bool]) -> Vec<usize> {
        let (mut reached, mut open) = (vec![0], Vec::new());
        let mut seen = vec![false; self.nodes.len()];
        seen[0] = true;
        let mut next = 0;
        while next < reached.len() && open.len() < 100 + self.nodes.len() / 4 {
            let number = reached[next];
            next += 1;
            if self.successors[number].is_empty() {
                open.push(number);
            }
            for &after in &self.successors[number] {
                let is_undecided = surely[after] != possibly[after];
                if is_undecided && !std::mem::replace(&mut seen[after], true) {
                    reached.push(after);
                }
            }
        }
        open
    }
}

/// Question whether the attacker can capture all stones of a group.
#[derive(Clone, Debug)]
pub struct CaptureQuestion {
    area: u64,
    stones: [u64; 2],
    target: u64,
    /// One-point eyes of attacker stones that are alive by Benson's theorem. Neither side gains by playing there.
    eyes: u64,
    defender: Color,
    /// Maximum number of positions to visit.
    pub max_nodes: usize,
}

/// Returns the bit of a place.
fn bit((column, row): Place) -> u64 {
    1 << (STRIDE * row + column)
}

fn bits(places: &[Place]) -> u64 {
    places.iter().fold(0, |all, &place| all | bit(place))
}

impl CaptureQuestion {
    /// Creates the question for the defender's stones at `target` on a board of at most 7 columns and 8 rows.
    pub fn new(board: &NaiveBoard, target: &[Place], defender: Color, max_nodes: usize) -> Self {
        assert!(board.width() < STRIDE && board.height() <= STRIDE);
        let mut question = Self {
            area: bits(&board.places()),
            stones: [defender.opposite(), defender].map(|color| bits(&board.stones(color))),
            target: bits(target),
            eyes: 0,
            defender,
            max_nodes,
        };
        let alive = question.pass_alive(question.stones, 0);
        let empty = board.empty();
        let is_eye = |place: &&Place| question.neighbours(bit(**place)) & !alive == 0;
        question.eyes = empty.iter().filter(is_eye).map(|&place| bit(place)).sum();
        question
    }

    /// Returns true if the attacker captures the whole target, whatever the defender does. Infinite play is no capture.
    /// Returns `None` if there are too many positions.
    pub fn is_captured(&self, to_move: Color, immune: KoImmune) -> Option<bool> {
        self.is_captured_from(self.root(to_move), immune)
    }

    /// Returns the same as [`is_captured`](Self::is_captured) after a legal move of `color`, or a pass. The opponent
    /// may not retake a ko at once unless it is immune.
    pub fn is_captured_after(
        &self,
        color: Color,
        place: Option<Place>,
        immune: KoImmune,
    ) -> Option<bool> {
        let root = self.root(color);
        let after = match place {
            Some(place) => self.after(root, bit(place), immune).expect("a legal move"),
            None => self.root(color.opposite()),
        };
        self.is_captured_from(after, immune)
    }

    fn root(&self, to_move: Color) -> Node {
        Node {
            stones: self.stones,
            turn: usize::from(to_move == self.defender),
            ko: 0,
        }
    }

    fn is_captured_from(&self, root: Node, immune: KoImmune) -> Option<bool> {
        let mut graph = Graph::new(root);
        loop {
            // The unexpanded positions count as escapes, then as captures.
            let [surely, possibly] = [false, true].map(|open| graph.captured(open));
            if surely[0] == possibly[0] {
                return Some(surely[0]);
            }
            if graph.nodes.len() > self.max_nodes {
                return None;
            }
            for number in graph.open_nodes(&surely, &possibly) {
                let node = graph.nodes[number];
                if node.stones[1] & self.target == 0 {
                    graph.expand(number, Expansion::Captured);
                } else if self.pass_alive(node.stones, 1) & self.target != 0 {
                    graph.expand(number, Expansion::Alive);
                } else {
                    graph.expand(number, Expansion::Moves(self.successors(node, immune)));
                }
            }
        }
    }

    /// Returns the stones of a side that are alive by Benson's theorem.
    fn pass_alive(&self, stones: [u64; 2], side: usize) -> u64 {
        let empty = self.area & !(stones[0] | stones[1]);
        let (mut chains, mut regions) = (
            self.components(stones[side]),
            self.components(self.area & !stones[side]),
        );
        loop {
            let before = (chains.len(), regions.len());
            chains.retain(|&chain| {
                let liberties = self.neighbours(chain);
                let vital =
                    |&&region: &&u64| region & liberties != 0 && region & empty & !liberties == 0;
                regions.iter().filter(vital).count() >= 2
            });
            let alive = chains.iter().fold(0, |all, chain| all | chain);
            regions.retain(|&region| self.neighbours(region) & stones[side] & !alive == 0);
            if before == (chains.len(), regions.len()) {
                return alive;
            }
        }
    }

    fn components(&self, mut set: u64) -> Vec<u64> {
        let mut components = Vec::new();
        while set != 0 {
            let component = self.flood(set & set.wrapping_neg(), set);
            set &= !component;
            components.push(component);
        }
        components
    }

    /// Returns the positions after each legal move and after a pass.
    fn successors(&self, node: Node, immune: KoImmune) -> Vec<Node> {
        let pass = Node {
            turn: 1 - node.turn,
            ko: 0,
            ..node
        };
        let mut empty = self.area & !(node.stones[0] | node.stones[1]) & !node.ko & !self.eyes;
        let mut successors = vec![pass];
        while empty != 0 {
            let point = empty & empty.wrapping_neg();
            empty &= !point;
            successors.extend(self.after(node, point, immune));
        }
        successors
    }

    /// Returns the position after a stone at `point`, or `None` if it is suicide.
    fn after(&self, node: Node, point: u64, immune: KoImmune) -> Option<Node> {
        let (turn, mut stones) = (node.turn, node.stones);
        stones[turn] |= point;
        let mut captured = 0;
        let mut adjacent = self.neighbours(point) & stones[1 - turn];
        while adjacent != 0 {
            let chain = self.flood(adjacent & adjacent.wrapping_neg(), stones[1 - turn]);
            adjacent &= !chain;
            if !self.has_liberty(chain, stones) {
                captured |= chain;
            }
        }
        stones[1 - turn] &= !captured;
        let chain = self.flood(point, stones[turn]);
        if !self.has_liberty(chain, stones) {
            return None;
        }
        let liberties = self.neighbours(chain) & !(stones[0] | stones[1]);
        let is_ko = chain == point && captured.count_ones() == 1 && liberties == captured;
        let next_is_immune = match immune {
            KoImmune::Attacker => turn == 1,
            KoImmune::Defender => turn == 0,
            KoImmune::Neither => false,
        };
        Some(Node {
            stones,
            turn: 1 - turn,
            ko: if is_ko && !next_is_immune {
                captured
            } else {
                0
            },
        })
    }

    fn neighbours(&self, set: u64) -> u64 {
        (set << 1 | set >> 1 | set << STRIDE | set >> STRIDE) & self.area
    }

    fn flood(&self, from: u64, through: u64) -> u64 {
        let mut reached = from;
        loop {
            let grown = reached | self.neighbours(reached) & through;
            if grown == reached {
                return reached;
            }
            reached = grown;
        }
    }

    fn has_liberty(&self, chain: u64, stones: [u64; 2]) -> bool {
        self.neighbours(chain) & !(stones[0] | stones[1]) != 0
    }
}
