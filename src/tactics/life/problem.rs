//! Life-and-death problems, limits and solutions.

use std::ops::RangeInclusive;
use std::time::Duration;

use super::set::Set;
use crate::game::board::Board;
use crate::game::color::Color;
use crate::game::point::{Move, Point};
use crate::game::pointset::PointSet;
use crate::tactics::bitboard::BoardGeometry;
use crate::tactics::transposition_table::TableError;

/// Error returned if a problem is invalid or its search cannot be started.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LifeError {
    /// The region has no points.
    #[error("the region is empty")]
    NoRegion,
    /// The region is too large to be searched.
    #[error(
        "a region of {width}x{height} points is too large; it must fit into 19x6, 16x7, 15x8 or 12x10 points (in either orientation)"
    )]
    TooLarge {
        /// Number of columns of the region.
        width: usize,
        /// Number of rows of the region.
        height: usize,
    },
    /// The region contains no group whose life is in question. The group is that of the target or, without a target, all
    /// stones of the defender. It is outside the region or connected to stones outside.
    #[error(
        "the region contains no {defender} group whose life is in question (stones connected to the outside count as alive)"
    )]
    NoTarget {
        /// Side that has no group in the region.
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
    /// Points around the group. The search covers the bounding rectangle of these points. A long search also covers
    /// some of its surroundings.
    pub region: &'a PointSet,
    /// A stone of the chain that must live or die. `None` means all defender stones in the region that are not
    /// connected to the outside; the defender then succeeds if any of them live.
    pub target: Option<Point>,
    /// Side to move.
    pub to_move: Color,
    /// Point where the ko rule forbids the first move, if any.
    pub ko: Option<Point>,
}

impl LifeProblem<'_> {
    /// Returns the owner of the group in question.
    pub(super) const fn defender(&self, goal: LifeGoal) -> Color {
        match goal {
            LifeGoal::Live => self.to_move,
            LifeGoal::Kill => self.to_move.opposite(),
        }
    }
}

/// Part of the board in which a group lives or dies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LifeArea {
    /// Owner of the group.
    pub defender: Color,
    /// The stones that must live or die. The defender succeeds if any of their chains lives.
    pub group: PointSet,
    /// The points near the group where either side may play, including those that are occupied now.
    pub points: PointSet,
}

/// Maximum margin of the default region, in points.
const MAX_MARGIN: usize = 4;
/// Maximum number of lines around a region that a long search covers too.
const MAX_SURROUNDINGS: usize = 2;
/// Maximum distance, in lines, at which a region extends to the edge of the board. What happens on the outermost lines
/// cannot be left to assumptions.
const EDGE_DISTANCE: usize = 2;

/// Returns the default region of a problem: a rectangle around all stones. It extends to nearby edges of the board and
/// has the largest margin of up to four points with which it can be searched and leaves part of the board outside. If
/// there is none, it has the smallest margin with which it can be searched.
pub fn default_region(board: &Board) -> PointSet {
    let stones = board.occupied_points();
    regions_around(&stones, board, 1..=MAX_MARGIN, 1..=MAX_MARGIN)
        .find(fits)
        .unwrap_or_else(|| stones.grown(board.all_points()))
}

/// Returns rectangles around the points, in the order in which they are to be tried. Those that extend to all nearby
/// edges of the board come first, with the largest of the margins first. They are omitted if they cover the whole board,
/// because that leaves no room outside for safe stones of the attacker. Rectangles with `plain_margins` that do not
/// extend to the edges follow.
pub(super) fn regions_around(
    points: &PointSet,
    board: &Board,
    margins: RangeInclusive<usize>,
    plain_margins: impl Iterator<Item = usize>,
) -> impl Iterator<Item = PointSet> {
    let (size, all_points) = (board.size(), *board.all_points());
    let corners = points.bounding_corners();
    let around = move |margin: usize, edge_distance: usize| {
        let range = |low: usize, high: usize, length: usize| {
            let (low, end) = (low.saturating_sub(margin), high + margin + 1);
            let low = if low <= edge_distance { 0 } else { low };
            let end = if end + edge_distance >= length {
                length
            } else {
                end
            };
            (low, end - 1)
        };
        let Some((first, last)) = corners else {
            return PointSet::EMPTY;
        };
        let (left, right) = range(first.column(), last.column(), size.width());
        let (top, bottom) = range(first.row(), last.row(), size.height());
        PointSet::rectangle(Point::at(left, top), Point::at(right, bottom))
    };
    let extended = { margins.rev() }.map(move |margin| around(margin, EDGE_DISTANCE));
    let plain = plain_margins.map(move |margin| around(margin, 0));
    extended
        .filter(move |region| *region != all_points)
        .chain(plain)
}

/// Returns the region of a problem with as much of its surroundings as can be searched, up to [`MAX_SURROUNDINGS`]
/// points on each side.
pub(super) fn with_surroundings(region: &PointSet, board: &Board) -> PointSet {
    regions_around(region, board, 1..=MAX_SURROUNDINGS, std::iter::empty())
        .find(fits)
        .unwrap_or(*region)
}

/// Returns true if the rectangle can be searched.
fn fits(rectangle: &PointSet) -> bool {
    rectangle.bounding_corners().is_some_and(|(first, last)| {
        let width = last.column() - first.column() + 1;
        let height = last.row() - first.row() + 1;
        BoardGeometry::<Set>::new(width as u32, height as u32).is_some()
    })
}

/// Limits of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LifeLimits {
    /// Maximum number of positions per proof.
    pub nodes_per_proof: u64,
    /// Maximum total time of all proofs, if any.
    pub time: Option<Duration>,
    /// Size of the transposition table in MiB.
    pub table_mib: usize,
    /// Number of threads per proof. With more than one thread, the solution tree can differ between runs.
    pub threads: usize,
}

impl Default for LifeLimits {
    fn default() -> Self {
        Self {
            nodes_per_proof: 100_000,
            time: None,
            table_mib: 16,
            threads: 1,
        }
    }
}

/// Outcome of a problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LifeOutcome {
    /// The side to move reaches its goal even if it loses all kos.
    Success,
    /// The side to move reaches its goal if it wins all kos. No proof was found that it also succeeds if it loses them.
    Ko {
        /// True if the side to move may need the first ko threat, false if its opponent needs it.
        needs_threat: bool,
        /// True if the search disproved every better outcome: that the side to move succeeds even if it loses all kos
        /// and, if `needs_threat` is true, that it succeeds if neither side may retake a ko without a threat. These
        /// disproofs treat repetitions and very long lines as failures. False if a search stopped before it found a
        /// disproof.
        is_confirmed: bool,
    },
    /// The side to move fails even if it wins all kos.
    Failure,
    /// No outcome was proved.
    Unknown,
}

/// Solution of a problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Solution {
    pub outcome: LifeOutcome,
    /// Move that reaches the goal, or the first candidate if the outcome is unknown. `None` if there is no such move.
    pub best_move: Option<Move>,
    /// Moves that may reach the goal if the outcome is unknown, most promising first; empty otherwise. Omits disproved
    /// moves unless all moves are disproved. If a proof was found, but its assumptions about the surroundings may be
    /// wrong, contains at most the best move of the proof.
    pub candidates: Vec<Move>,
    /// True if the side to move lives in seki without two eyes, false if it lives with two eyes. `None` if neither was
    /// proved, or if the goal was to kill.
    pub seki: Option<bool>,
    /// Moves and replies that form the main part of the proof. Empty if there is no proof or if it needs no moves.
    pub tree: Vec<Branch>,
    /// Number of positions visited.
    pub nodes: u64,
}

impl Solution {
    /// Returns true if there are several candidates, between which only a [guess](Self::set_guess) can decide.
    pub const fn needs_guess(&self) -> bool {
        self.candidates.len() > 1
    }

    /// Makes `guess` the best move and the first candidate, which is only allowed if the outcome is unknown.
    pub fn set_guess(&mut self, guess: Move) {
        self.candidates.retain(|mv| *mv != guess);
        self.candidates.insert(0, guess);
        self.best_move = Some(guess);
    }

    /// Creates a solution with an empty proof tree, without candidates, and with `seki` set to `None`.
    pub(super) const fn without_tree(
        outcome: LifeOutcome,
        best_move: Option<Move>,
        nodes: u64,
    ) -> Self {
        Self {
            outcome,
            best_move,
            candidates: Vec::new(),
            seki: None,
            tree: Vec::new(),
            nodes,
        }
    }
}

/// A move and the replies to it. Colours alternate from one level to the next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Branch {
    pub mv: Move,
    /// If the successful side replies, a single reply that succeeds. Otherwise, the replies that were hardest to
    /// refute, hardest first.
    pub replies: Vec<Branch>,
}
