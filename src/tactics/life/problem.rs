//! Problems, limits and solutions.

use std::time::Duration;

use crate::game::board::Board;
use crate::game::color::Color;
use crate::game::point::{Move, Point};
use crate::game::pointset::PointSet;
use crate::tactics::transposition_table::TableError;

/// Error on solving a problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LifeError {
    /// The region has no points.
    #[error("the region is empty")]
    NoRegion,
    /// The region does not fit the point set.
    #[error(
        "a region of {width}x{height} points is too large; it must fit into 19x6, 16x7, 15x8 or 12x10 points, in either orientation"
    )]
    TooLarge {
        /// Number of columns of the region.
        width: usize,
        /// Number of rows of the region.
        height: usize,
    },
    /// The region contains no stones of the defender, or all of them are connected to stones outside.
    #[error(
        "the region contains no {defender} group to live or die (stones connected to the outside count as alive)"
    )]
    NoTarget {
        /// Owner of the missing group.
        defender: Color,
    },
    /// The transposition table could not be created.
    #[error(transparent)]
    Table(#[from] TableError),
}

/// Goal of the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LifeGoal {
    /// To live with a group of the side to move.
    Live,
    /// To kill a group of the opponent.
    Kill,
}

/// A life-and-death problem.
#[derive(Clone, Copy, Debug)]
pub struct LifeProblem<'a> {
    /// Stones on the whole board.
    pub board: &'a Board,
    /// Points around the group. The search covers their bounding rectangle.
    pub region: &'a PointSet,
    /// A stone of the chain that must live or die. `None` means any defender stone in the region.
    pub target: Option<Point>,
    /// Side to move.
    pub to_move: Color,
    /// Point where the side to move may not retake a ko.
    pub ko: Option<Point>,
}

impl LifeProblem<'_> {
    /// Returns the owner of the group that lives or dies.
    pub(super) const fn defender(&self, goal: LifeGoal) -> Color {
        match goal {
            LifeGoal::Live => self.to_move,
            LifeGoal::Kill => self.to_move.opposite(),
        }
    }
}

/// Returns the default region of a problem: all stones and their neighbours.
pub fn surroundings(board: &Board) -> PointSet {
    let stones = *board.stones(Color::Black) | *board.stones(Color::White);
    stones.grown(board.area())
}

/// Limits of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LifeLimits {
    /// Maximum number of positions per proof.
    pub nodes: u64,
    /// Maximum time for all proofs, if any.
    pub time: Option<Duration>,
    /// Size of the transposition table in MiB.
    pub table_mib: usize,
    /// Threads per proof. With more than one thread, the solution tree can differ between runs.
    pub threads: usize,
}

impl Default for LifeLimits {
    fn default() -> Self {
        Self {
            nodes: 100_000,
            time: None,
            table_mib: 16,
            threads: 1,
        }
    }
}

/// Outcome of a problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LifeOutcome {
    /// The side to move reaches its goal, regardless of kos.
    Success,
    /// The side to move reaches its goal if it wins all kos. A success without kos was not proved.
    Ko {
        /// True if the side to move may need the first ko threat, false if the opponent needs it.
        needs_threat: bool,
        /// True if the search disproved a success without kos. Such a disproof counts repetitions and very long lines
        /// as failures. False if the search stopped early.
        is_confirmed: bool,
    },
    /// The side to move fails even if it wins all kos.
    Failure,
    /// Nothing was proved.
    Unknown,
}

/// Solution of a problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Solution {
    pub outcome: LifeOutcome,
    /// Move that reaches the goal. If the outcome is unknown, the first candidate. `None` if no move helps.
    pub best_move: Option<Move>,
    /// Candidate moves, most promising first, if the outcome is unknown: all moves that are not disproved, or all
    /// moves if all are. If only the safety of outside stones is uncertain, the single move that is proved apart from
    /// that.
    pub candidates: Vec<Move>,
    /// True if the group lives in seki without two eyes, false if it has two eyes. `None` if neither was proved.
    pub seki: Option<bool>,
    /// Moves and replies that form the proof.
    pub tree: Vec<Branch>,
    /// Positions visited.
    pub nodes: u64,
}

/// A move and the replies to it. Colours alternate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Branch {
    pub mv: Move,
    /// Replies: the best one if the successful side replies, otherwise the ones that were hardest to refute.
    pub replies: Vec<Branch>,
}
