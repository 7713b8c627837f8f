//! Grading of moves by the loss in points and in winning chance.

use super::analysis::PositionAnalysis;
use super::difficulty::difficulty;
use super::main_line::MainLine;
use super::phase::Phase;
use crate::game::color::Color;
use crate::game::point::Move;

/// Grade of a move. Worse grades compare as greater.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Grade {
    Good,
    Inaccuracy,
    Mistake,
    Blunder,
}

/// Name, thresholds and SGF property of a grade.
pub struct GradeEntry {
    pub grade: Grade,
    pub name: &'static str,
    /// Minimum loss in points. Not used if the game is decided.
    pub min_points_lost: f64,
    /// Minimum drop in win rate, from 0 to 1.
    pub min_winrate_lost: f64,
    /// Name and value of the SGF property that marks moves of this grade.
    pub property: Option<(&'static str, &'static str)>,
}

/// All grades, best first. A move gets the worst grade of which it reaches at least one threshold.
pub const GRADES: [GradeEntry; 4] = [
    GradeEntry {
        grade: Grade::Good,
        name: "good",
        min_points_lost: 0.0,
        min_winrate_lost: 0.0,
        property: None,
    },
    GradeEntry {
        grade: Grade::Inaccuracy,
        name: "inaccuracy",
        min_points_lost: 2.0,
        min_winrate_lost: 0.08,
        property: Some(("DO", "")),
    },
    GradeEntry {
        grade: Grade::Mistake,
        name: "mistake",
        min_points_lost: 5.0,
        min_winrate_lost: 0.2,
        property: Some(("BM", "1")),
    },
    GradeEntry {
        grade: Grade::Blunder,
        name: "blunder",
        min_points_lost: 12.0,
        min_winrate_lost: 0.4,
        property: Some(("BM", "2")),
    },
];

/// Winning chance of the losing side, from 0 to 1, below which the game counts as decided.
///
/// If the losing side's chance is below this value both before and after a move, the points lost do not affect the
/// grade of the move.
pub const DECIDED_LOSER_WINRATE: f64 = 0.02;

/// Move of the game with its grade and its losses. The losses are estimated by comparing the search of the position
/// before the move (the preceding search) with the search of the position after it.
#[derive(Clone, Debug, PartialEq)]
pub struct ReviewedMove {
    /// Number of the move in the file, starting at 1.
    pub number: usize,
    pub color: Color,
    pub mv: Move,
    /// Points lost, at least 0.
    pub points_lost: f64,
    /// Winning chance lost, from 0 to 1.
    pub winrate_lost: f64,
    pub grade: Grade,
    /// Index of the move among the candidates of the preceding search, starting at 0. `None` if the move is not among
    /// the candidates.
    pub rank: Option<usize>,
    /// Principal variation of the preceding search. Empty if this search has no candidates.
    pub best_pv: Vec<Move>,
    pub phase: Phase,
    /// Policy prior of the move, from 0 to 1. `None` if the move is not among the candidates.
    pub prior: Option<f32>,
    /// [Difficulty](difficulty) of the position before the move, if known.
    pub difficulty: Option<f64>,
}

impl ReviewedMove {
    /// Grades a move from the analyses before and after it.
    fn new(
        number: usize,
        (color, mv): (Color, Move),
        phase: Phase,
        before: &PositionAnalysis,
        after: &PositionAnalysis,
    ) -> Self {
        let best_pv = before.moves.first().map(|best| best.pv.clone());
        let rank = before.moves.iter().position(|candidate| candidate.mv == mv);
        let mut reviewed_move = Self {
            number,
            color,
            mv,
            points_lost: 0.0,
            winrate_lost: 0.0,
            grade: Grade::Good,
            rank,
            best_pv: best_pv.unwrap_or_default(),
            phase,
            prior: rank.map(|rank| before.moves[rank].prior),
            difficulty: difficulty(before, color),
        };
        // The move preferred by the search loses nothing by definition. Any difference between the two searches then
        // results only from the second search looking one move further ahead.
        if reviewed_move.differs_from_engine() {
            let loss = |amount: f64| color.to_perspective(amount).max(0.0);
            reviewed_move.points_lost = loss(before.lead - after.lead);
            reviewed_move.winrate_lost = loss(before.winrate - after.winrate);
            let loser_winrates =
                [before, after].map(|analysis| analysis.winrate.min(1.0 - analysis.winrate));
            let is_decided = loser_winrates
                .iter()
                .all(|winrate| *winrate < DECIDED_LOSER_WINRATE);
            let is_significant = reviewed_move.winrate_lost > winrate_error(before, after);
            reviewed_move.grade = grade_for(
                reviewed_move.points_lost,
                if is_significant {
                    reviewed_move.winrate_lost
                } else {
                    0.0
                },
                is_decided,
            );
        }
        reviewed_move
    }

    /// Returns true if the preceding search preferred a different move. Returns false if this search has no candidates.
    pub fn differs_from_engine(&self) -> bool {
        self.best_pv.first().is_some_and(|best| *best != self.mv)
    }
}

/// Grades the moves of a game. `analyses` contains the analyses of the initial position and of the position after each
/// move. A move after which other stones are set up counts as good.
pub fn review_moves(line: &MainLine, analyses: &[PositionAnalysis]) -> Vec<ReviewedMove> {
    let moves = line.moves().iter().enumerate();
    moves
        .zip(analyses.windows(2))
        .map(|((index, &played), pair)| {
            // If other stones are set up after the move, the next analysis does not evaluate the move.
            let after = if line.is_followed_by_setup(index) {
                &pair[0]
            } else {
                &pair[1]
            };
            let phase = Phase::of_move(index + 1, line.size());
            ReviewedMove::new(index + 1, played, phase, &pair[0], after)
        })
        .collect()
}

/// Returns the difference between the win rates of two searches that is exceeded by chance in one of twenty cases, if
/// every visit is like a game with the win rate of the first search.
fn winrate_error(before: &PositionAnalysis, after: &PositionAnalysis) -> f64 {
    const Z95_ONE_SIDED: f64 = 1.645;
    let [before_visits, after_visits] =
        [before, after].map(|analysis| f64::from(analysis.visits.max(1)));
    let variance = before.winrate * (1.0 - before.winrate);
    Z95_ONE_SIDED * (variance * (1.0 / before_visits + 1.0 / after_visits)).sqrt()
}

fn grade_for(points: f64, winrate: f64, is_decided: bool) -> Grade {
    let is_reached = |entry: &&GradeEntry| {
        (!is_decided && points >= entry.min_points_lost) || winrate >= entry.min_winrate_lost
    };
    let worst = GRADES.iter().rev().find(is_reached);
    worst.map_or(Grade::Good, |entry| entry.grade)
}

impl Grade {
    /// Returns the grade's entry in [`GRADES`].
    pub fn entry(self) -> &'static GradeEntry {
        let entry = GRADES.iter().find(|entry| entry.grade == self);
        entry.expect("GRADES contains every grade")
    }
}

/// Returns up to `count` moves with a grade worse than `Good`, worst first. Moves are compared by winning chance lost,
/// then by points lost, so that the move that lost the game comes before large losses in a game that was already lost.
pub fn worst_mistakes(moves: &[ReviewedMove], count: usize) -> Vec<&ReviewedMove> {
    let mut worst_moves: Vec<&ReviewedMove> = moves
        .iter()
        .filter(|reviewed_move| reviewed_move.grade > Grade::Good)
        .collect();
    // The sort is stable, so moves that compare as equal remain in game order.
    worst_moves.sort_by(|a, b| {
        (b.winrate_lost.total_cmp(&a.winrate_lost)).then(b.points_lost.total_cmp(&a.points_lost))
    });
    worst_moves.truncate(count);
    worst_moves
}
