//! The moves of a position, the promising ones first: an alpha-beta search lives by it.

use std::cmp::Reverse;

use super::entry::Known;
use super::node::{Ground, Node};
use crate::tactics::killers::Killers;
use crate::tactics::patch::Patch;
use crate::tactics::patch::word::Word;

/// A move to be tried.
#[derive(Clone, Copy, Debug)]
pub struct Candidate<W> {
    /// Where the stone goes; nothing for a pass.
    stone: Option<u32>,
    /// The position afterwards.
    pub node: Node<W>,
    /// The stones taken.
    pub captured: W,
    rank: u32,
}

impl<W: Word> Candidate<W> {
    /// The moves to be tried, in no good order, the pass last: all that the other side has, and of the prover's those
    /// where nothing is settled. A prover that leaves moves out proves no less truly what it proves.
    #[must_use]
    pub fn all(ground: &Ground<W>, node: &Node<W>, settled: W) -> Vec<Self> {
        let mut points = ground.patch().empty(&node.stones);
        if node.own_to_move {
            points &= !settled;
        }
        let mut all = Vec::with_capacity(points.count() as usize + 1);
        for number in points.points() {
            if let Some((node, captured)) = ground.after_stone(node, number) {
                all.push(Self {
                    stone: Some(number),
                    node,
                    captured,
                    rank: 0,
                });
            }
        }
        all.push(Self {
            stone: None,
            node: ground.after_pass(node),
            captured: W::EMPTY,
            rank: 0,
        });
        all
    }

    /// Whether it is a pass.
    #[must_use]
    pub const fn is_pass(&self) -> bool {
        self.stone.is_none()
    }

    /// The move as the table keeps it.
    #[must_use]
    pub fn number(&self) -> u8 {
        self.stone.map_or(Known::PASS, |number| number as u8)
    }
}

const FIRST: u32 = u32::MAX;
const PASS_THAT_WINS: u32 = u32::MAX - 1;
const CAPTURE: u32 = u32::MAX - 2;
const KILLER: u32 = u32::MAX - 3;

/// Which moves have been good elsewhere in the search.
#[derive(Debug)]
pub struct Habits {
    /// How often each point has cut off a search, by side.
    history: [Vec<u32>; 2],
    /// The moves that lately did, by the depth left.
    killers: Killers<u32>,
}

impl Habits {
    /// None yet, for a board of that many points.
    #[must_use]
    pub fn new(points: u32) -> Self {
        Self {
            history: [vec![0; points as usize], vec![0; points as usize]],
            killers: Killers::default(),
        }
    }

    /// A new search begins: how often counts half of what it did.
    pub fn fade(&mut self) {
        for count in self.history.iter_mut().flatten() {
            *count /= 2;
        }
    }

    /// The move has cut off the search of the position.
    pub fn cut_off<W: Word>(&mut self, candidate: &Candidate<W>, node: &Node<W>, depth: u32) {
        let Some(number) = candidate.stone else {
            return;
        };
        let count = &mut self.history[usize::from(node.own_to_move)][number as usize];
        *count = (*count + depth * depth).min(1 << 24);
        self.killers.add(depth as usize, number);
    }

    /// Sorts the moves: the table's, a pass that wins, captures, killers, then by history and nearness to the centre.
    pub fn rank<W: Word>(
        &self,
        patch: &Patch<W>,
        candidates: &mut [Candidate<W>],
        node: &Node<W>,
        depth: u32,
        first: Option<u8>,
        passes_well: bool,
    ) {
        let history = &self.history[usize::from(node.own_to_move)];
        let killers = self.killers.at(depth as usize);
        for candidate in candidates.iter_mut() {
            candidate.rank = match candidate.stone {
                _ if first == Some(candidate.number()) => FIRST,
                None if passes_well => PASS_THAT_WINS,
                None => 0,
                Some(_) if !candidate.captured.is_empty() => CAPTURE,
                Some(_) if killers.contains(&candidate.stone) => KILLER,
                Some(point) => 1 + history[point as usize] * 64 + centrality(patch, point),
            };
        }
        candidates.sort_by_key(|candidate| Reverse(candidate.rank));
    }
}

/// Least at the corners, at most 63.
fn centrality<W: Word>(patch: &Patch<W>, point: u32) -> u32 {
    let (column, row) = patch.place_of(point);
    let from_edge = |at: u32, side: u32| at.min(side - 1 - at);
    let (x, y) = (
        from_edge(column, patch.width()),
        from_edge(row, patch.height()),
    );
    (4 * x.min(y) + x.max(y)).min(63)
}
