//! Problems, limits and solutions.

use std::time::Duration;

use crate::game::board::Board;
use crate::game::color::Color;
use crate::game::point::{Move, Point};
use crate::game::pointset::PointSet;
use crate::tactics::transposition_table::TableError;

/// Why a region cannot be judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LifeError {
    /// It has no points.
    #[error("expected a region with points, found none")]
    NoRegion,
    /// It does not fit the machine word.
    #[error(
        "expected a region within 19x6, 16x7, 15x8 or 12x10 points, either way round, found {width} columns and {height} rows"
    )]
    TooLarge {
        /// Columns.
        width: usize,
        /// Rows.
        height: usize,
    },
    /// No stone of the side that would live is in it, or all go on outside.
    #[error(
        "expected {defender} stones whose life is in question, found none in the region that do not go on beyond it"
    )]
    NoTarget {
        /// The side that would live.
        defender: Color,
    },
    /// There is no table.
    #[error(transparent)]
    Table(#[from] TableError),
}

/// What the side to move wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LifeGoal {
    /// To live with its own group.
    Live,
    /// To kill the other side's.
    Kill,
}

/// A question of life and death.
#[derive(Clone, Copy, Debug)]
pub struct LifeProblem<'a> {
    /// The stones.
    pub board: &'a Board,
    /// Where the group is; the rectangle around it is looked at.
    pub region: &'a PointSet,
    /// A stone of the chain that lives or dies; else any stone of that side in the region may.
    pub target: Option<Point>,
    /// The side to move.
    pub to_move: Color,
    /// Where that side may not take back at once.
    pub ko: Option<Point>,
}

impl LifeProblem<'_> {
    /// The side whose stones live or die.
    pub(super) const fn defender(&self, goal: LifeGoal) -> Color {
        match goal {
            LifeGoal::Live => self.to_move,
            LifeGoal::Kill => self.to_move.opposite(),
        }
    }
}

/// Where the life of groups is in question on a board with a local problem: all stones, and the points around them.
#[must_use]
pub fn surroundings(board: &Board) -> PointSet {
    let stones = *board.stones(Color::Black) | *board.stones(Color::White);
    stones.grown(board.area())
}

/// How long to try.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LifeLimits {
    /// Positions for each proof.
    pub nodes: u64,
    /// For all of them.
    pub time: Option<Duration>,
    /// Memory of the table.
    pub table_mib: usize,
    /// Threads that seek each proof together; with more than one the tree of answers may vary from run to run.
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

/// What was found out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LifeOutcome {
    /// The side to move reaches its goal, whoever wins the kos.
    Success,
    /// It does if it wins the kos; that it does otherwise was not proved.
    Ko {
        /// Whether it may need the first threat; else the other side does.
        needs_threat: bool,
        /// Whether a success without kos was ruled out, as far as the search looks: lines that come back to a position,
        /// or go on for very long, are no success to it. Else it came to no end.
        is_confirmed: bool,
    },
    /// It does not even then.
    Failure,
    /// The search came to no end.
    Unknown,
}

/// The answer to a problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Solution {
    /// What is proved.
    pub outcome: LifeOutcome,
    /// The move that reaches the goal; where nothing is proved the first of the tries. `None` if there is no move, or
    /// none that helps.
    pub best_move: Option<Move>,
    /// Where nothing is proved the moves that may help, what looks best first: all that are not disproved, or all; one
    /// alone that would be proved to, did the stones around stand.
    pub candidates: Vec<Move>,
    /// Whether the group that lives does so in seki, without two eyes, if that was found out.
    pub seki: Option<bool>,
    /// The answers that make up the proof.
    pub tree: Vec<Branch>,
    /// Positions visited.
    pub nodes: u64,
}

/// A move and what may follow it; colours alternate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Branch {
    /// The move.
    pub mv: Move,
    /// The moves that answer it: of the side that succeeds one, of the other its most stubborn ones.
    pub replies: Vec<Branch>,
}
