//! Move ordering: the table move, captures and rescues, moves that have caused cutoffs, and moves near the last ones.

use std::cmp::Reverse;

use super::line::Line;
use crate::game::board::Board;
use crate::game::color::{ByColor, Color};
use crate::game::point::{Move, POINT_TABLE_LEN, Point};
use crate::game::pointset::PointSet;
use crate::game::position::Position;
use crate::tactics::eye::is_eye_like;
use crate::tactics::killers::Killers;

/// Score of a capture or rescue of a single stone. Each further stone adds [`STONE_SCORE`].
const TACTICAL_SCORE: i32 = 4000;
const STONE_SCORE: i32 = 400;
/// Maximum number of stones counted for a capture or rescue.
const MAX_COUNTED_STONES: usize = 20;
/// Score of a move that recently caused a cutoff at the same ply.
const KILLER_SCORE: i32 = 2500;
/// Maximum absolute score of each history table.
const MAX_HISTORY: i32 = 2048;
/// History bonus of a cutoff at depth 1. It grows with the square of the depth.
const CUTOFF_BONUS: u32 = 32;
/// Maximum history bonus of a cutoff.
const MAX_BONUS: u32 = 1024;
/// Score of a move that puts its own chain into atari without capturing.
const SELF_ATARI_SCORE: i32 = -3000;
/// Score of a move that fills an eye of its own colour.
const EYE_FILLING_SCORE: i32 = -9000;
/// Score of an atari, in addition to [`ATARI_STONE_SCORE`] for each stone.
const ATARI_SCORE: i32 = 500;
const ATARI_STONE_SCORE: i32 = 100;
/// Score of a move that reduces an opposing chain from three to two liberties.
const LIBERTY_SCORE: i32 = 150;
/// Score of a move that extends a chain with two liberties to more.
const EXTENSION_SCORE: i32 = 400;
/// Score of a move that connects friendly chains or separates opposing ones.
const CONNECTION_SCORE: i32 = 200;
/// Scores of moves at a [`distance`] of 2, 3, … from the opponent's last move. The own last move counts half.
const PROXIMITY_SCORES: [i32; 6] = [600, 500, 350, 200, 150, 100];
/// Score of a move at a point on which the life of a weak group depends.
const VITAL_SCORE: i32 = 800;
/// Score of a move on the first line without adjacent stones.
const FIRST_LINE_SCORE: i32 = -800;
/// Score of a move on the second line without adjacent stones.
const SECOND_LINE_SCORE: i32 = -200;
/// Weight of the static evaluation after a move.
const VALUE_WEIGHT: i32 = 64;
/// Score of a pass.
const PASS_SCORE: i32 = -500;

/// A move to search.
#[derive(Clone, Copy, Debug)]
pub struct ScoredMove {
    pub mv: Move,
    score: i32,
    /// Upper bound on the value of the move at a depth of 1, in evaluation units from the perspective of the side to
    /// move: the static evaluation after the move. `None` if it has not been computed.
    pub value: Option<i32>,
    /// True for moves that are neither pruned nor reduced: captures, rescues, and a pass that ends the game.
    pub is_tactical: bool,
}

impl ScoredMove {
    /// Creates the scored_move for the move of a table entry, which is neither pruned nor reduced.
    pub const fn table_move(mv: Move) -> Self {
        Self {
            mv,
            score: i32::MAX,
            is_tactical: true,
            value: None,
        }
    }

    /// Sets the static evaluation after the move and takes it into account in the order.
    pub const fn set_value(&mut self, value: i32) {
        self.value = Some(value);
        self.score += VALUE_WEIGHT * value;
    }
}

/// Sorts moves, most promising first.
pub fn sort_moves(moves: &mut [ScoredMove]) {
    // No two moves are equal, so searches are reproducible.
    moves.sort_unstable_by_key(|scored_move| (Reverse(scored_move.score), scored_move.mv.point()));
}

/// Move-ordering statistics of a search thread.
pub struct MoveOrdering {
    /// History score of each point, indexed by point number.
    history: ByColor<Vec<i32>>,
    /// History score of each point as a reply to the opponent's last move; see [`reply_index`].
    replies: ByColor<Vec<i32>>,
    /// Moves that recently caused a cutoff at each ply.
    killers: Killers<Move>,
}

impl Default for MoveOrdering {
    fn default() -> Self {
        Self {
            history: ByColor::from_fn(|_| vec![0; POINT_TABLE_LEN]),
            replies: ByColor::from_fn(|_| vec![0; POINT_TABLE_LEN * POINT_TABLE_LEN]),
            killers: Killers::default(),
        }
    }
}

impl MoveOrdering {
    /// Returns the legal moves at `points`, most promising first. `vital` are the points on which the life of weak groups
    /// depends.
    pub fn plays(
        &self,
        position: &Position,
        ply: usize,
        points: &PointSet,
        vital: &PointSet,
    ) -> Vec<ScoredMove> {
        let context = MoveContext::new(self, position, ply, vital);
        let legal = points
            .iter()
            .filter(|&point| position.check_legal(point).is_ok());
        let mut moves: Vec<ScoredMove> = legal.map(|point| context.scored_move(point)).collect();
        sort_moves(&mut moves);
        moves
    }

    /// Adds a pass to moves returned by [`plays`](Self::plays).
    pub fn insert_pass(&self, position: &Position, ply: usize, moves: &mut Vec<ScoredMove>) {
        let is_killer = self.killers.at(ply).contains(&Some(Move::Pass));
        let pass = ScoredMove {
            mv: Move::Pass,
            score: if is_killer { KILLER_SCORE } else { PASS_SCORE },
            is_tactical: position.last_move_was_pass(),
            value: None,
        };
        let index = moves.partition_point(|scored_move| scored_move.score >= pass.score);
        moves.insert(index, pass);
    }

    /// Records that `mv` caused a cutoff in a search of `depth` plies, after the moves `failed`.
    pub fn record_cutoff(
        &mut self,
        line: &Line,
        ply: usize,
        depth: u32,
        mv: Move,
        failed: &[Move],
    ) {
        self.killers.add(ply, mv);
        let position = line.position(ply);
        let color = position.to_move();
        let last = last_point(position, 0);
        let bonus = (CUTOFF_BONUS * depth * depth).min(MAX_BONUS) as i32;
        let mut add = |mv: Move, bonus: i32| {
            let Move::Play(point) = mv else { return };
            adjust(&mut self.history[color][point.number()], bonus);
            if let Some(last) = last {
                adjust(&mut self.replies[color][reply_index(last, point)], bonus);
            }
        };
        add(mv, bonus);
        failed.iter().for_each(|&mv| add(mv, -bonus));
    }
}

/// Adds `bonus` to a history score. The score approaches its maximum asymptotically, so that recent cutoffs dominate.
fn adjust(score: &mut i32, bonus: i32) {
    *score += bonus - *score * bonus.abs() / MAX_HISTORY;
}

/// Returns the index of the history score of `point` as a reply to a move at `last`.
const fn reply_index(last: Point, point: Point) -> usize {
    last.number() * POINT_TABLE_LEN + point.number()
}

/// Returns the point of the move `moves_ago` moves ago, if it was not a pass.
fn last_point(position: &Position, moves_ago: usize) -> Option<Point> {
    position.past_move(moves_ago).and_then(|(_, mv)| mv.point())
}

/// Information that is common to all moves of a position.
struct MoveContext<'a> {
    board: &'a Board,
    color: Color,
    /// Last moves, the opponent's first.
    last_points: [Option<Point>; 2],
    killers: [Option<Move>; 2],
    history: &'a [i32],
    replies: &'a [i32],
    /// Points on which the life of weak groups depends.
    vital: &'a PointSet,
}

impl<'a> MoveContext<'a> {
    fn new(
        ordering: &'a MoveOrdering,
        position: &'a Position,
        ply: usize,
        vital: &'a PointSet,
    ) -> Self {
        let color = position.to_move();
        Self {
            board: position.board(),
            color,
            last_points: [0, 1].map(|moves_ago| last_point(position, moves_ago)),
            killers: ordering.killers.at(ply),
            history: &ordering.history[color],
            replies: &ordering.replies[color],
            vital,
        }
    }

    fn scored_move(&self, point: Point) -> ScoredMove {
        let (tactical, shape) = self.tactical_and_shape_score(point);
        let mv = Move::Play(point);
        let mut score =
            tactical + shape + self.history[point.number()] + self.proximity_score(point);
        if self.killers.contains(&Some(mv)) {
            score += KILLER_SCORE;
        }
        if self.vital.contains(point) {
            score += VITAL_SCORE;
        }
        if let Some(last) = self.last_points[0] {
            score += self.replies[reply_index(last, point)];
        }
        ScoredMove {
            mv,
            score,
            is_tactical: tactical > 0,
            value: None,
        }
    }

    fn proximity_score(&self, point: Point) -> i32 {
        let near = |last: Option<Point>| {
            let step = last.and_then(|last| distance(point, last).checked_sub(2));
            let score = step.and_then(|step| PROXIMITY_SCORES.get(step));
            score.copied().unwrap_or(0)
        };
        near(self.last_points[0]) + near(self.last_points[1]) / 2
    }

    /// Returns the score for captured and rescued stones, and the score for all other effects on adjacent chains.
    fn tactical_and_shape_score(&self, point: Point) -> (i32, i32) {
        let board = self.board;
        let mut chains = board.chains_of_adjacent_stones(point).peekable();
        if chains.peek().is_none() {
            return (0, open_point_score(board, point));
        }
        let liberties = board.liberties_after(self.color, point).len();
        let (mut tactical, mut shape) = (0, 0);
        let (mut own_chains, mut opposing_chains) = (0, 0);
        let counted = |stones: usize| STONE_SCORE * stones.min(MAX_COUNTED_STONES) as i32;
        for chain in chains {
            let stones = chain.stones.len();
            match (chain.color == self.color, chain.liberties.len()) {
                (false, 1) => tactical += TACTICAL_SCORE + counted(stones),
                (true, 1) if liberties > 1 => tactical += TACTICAL_SCORE / 2 + counted(stones),
                (false, 2) if liberties > 1 => {
                    shape +=
                        ATARI_SCORE + ATARI_STONE_SCORE * stones.min(MAX_COUNTED_STONES) as i32;
                }
                (false, 3) => shape += LIBERTY_SCORE,
                (true, 2) if liberties > 2 => shape += EXTENSION_SCORE,
                _ => {}
            }
            own_chains += i32::from(chain.color == self.color);
            opposing_chains += i32::from(chain.color != self.color);
        }
        for count in [own_chains, opposing_chains] {
            shape += CONNECTION_SCORE * (count - 1).clamp(0, 1);
        }
        if liberties <= 1 && tactical == 0 {
            shape += SELF_ATARI_SCORE;
        } else if is_eye_like(board, self.color, point) && tactical == 0 {
            shape += EYE_FILLING_SCORE;
        }
        (tactical, shape)
    }
}

/// Returns the score of a move without adjacent stones.
fn open_point_score(board: &Board, point: Point) -> i32 {
    match 4 - board.adjacent_empty_points(point).len() {
        0 => {
            let second_line = PointSet::single(point).neighbours(board.all_points());
            let touches_edge = second_line.iter().any(|neighbour| {
                PointSet::single(neighbour)
                    .neighbours(board.all_points())
                    .len()
                    < 4
            });
            if touches_edge { SECOND_LINE_SCORE } else { 0 }
        }
        _ => FIRST_LINE_SCORE,
    }
}

/// Returns the sum of the distances along both axes plus the larger of them: 2 for a neighbour, 3 for a diagonal
/// neighbour.
fn distance(a: Point, b: Point) -> usize {
    let columns = a.column().abs_diff(b.column());
    let rows = a.row().abs_diff(b.row());
    columns + rows + columns.max(rows)
}
