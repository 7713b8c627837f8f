//! What each move of a game was worth.

use super::analysis::PositionAnalysis;
use super::main_line::MainLine;
use crate::game::color::Color;
use crate::game::point::Move;

/// How bad a move was; the worse, the greater.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Grade {
    /// Nothing to say against it.
    Good,
    /// Something was lost.
    Inaccuracy,
    /// Much was lost.
    Mistake,
    /// Very much was lost.
    Blunder,
}

/// What is told of a grade.
pub struct GradeEntry {
    /// The grade.
    pub grade: Grade,
    /// Its name.
    pub name: &'static str,
    /// Points that a move of this grade loses at least, where the game is not decided.
    pub points: f64,
    /// The chance to win, from 0 to 1, that it loses at least.
    pub winrate: f64,
    /// The property of a game file that marks such a move, and its value.
    pub property: Option<(&'static str, &'static str)>,
}

/// All grades, the best first. A move has the worst grade of which it reaches either bound.
pub const GRADES: [GradeEntry; 4] = [
    GradeEntry {
        grade: Grade::Good,
        name: "good",
        points: 0.0,
        winrate: 0.0,
        property: None,
    },
    GradeEntry {
        grade: Grade::Inaccuracy,
        name: "inaccuracy",
        points: 2.0,
        winrate: 0.08,
        property: Some(("DO", "")),
    },
    GradeEntry {
        grade: Grade::Mistake,
        name: "mistake",
        points: 5.0,
        winrate: 0.2,
        property: Some(("BM", "1")),
    },
    GradeEntry {
        grade: Grade::Blunder,
        name: "blunder",
        points: 12.0,
        winrate: 0.4,
        property: Some(("BM", "2")),
    },
];

/// A game is decided while the loser's chance to win stays below this: points given away there are no mistakes.
pub const DECIDED_WINRATE: f64 = 0.02;

/// A move of the game and what it lost, as the searches before and after it see it.
#[derive(Clone, Debug, PartialEq)]
pub struct ReviewedMove {
    /// Its number in the file, from 1.
    pub number: usize,
    /// Whose move.
    pub color: Color,
    /// The move.
    pub mv: Move,
    /// Points lost, not below 0.
    pub points_lost: f64,
    /// Chance to win lost, from 0 to 1.
    pub winrate_lost: f64,
    /// What that amounts to.
    pub grade: Grade,
    /// The place of the move among those that the search thought of before it, from 0.
    pub rank: Option<usize>,
    /// What the search would have played, and how it would have gone on.
    pub best_pv: Vec<Move>,
}

impl ReviewedMove {
    /// The move made between two assessments.
    fn new(
        number: usize,
        (color, mv): (Color, Move),
        before: &PositionAnalysis,
        after: &PositionAnalysis,
    ) -> Self {
        let best_pv = before.moves.first().map(|best| best.pv.clone());
        let mut reviewed_move = Self {
            number,
            color,
            mv,
            points_lost: 0.0,
            winrate_lost: 0.0,
            grade: Grade::Good,
            rank: before.moves.iter().position(|candidate| candidate.mv == mv),
            best_pv: best_pv.unwrap_or_default(),
        };
        // The search's own move loses nothing: what differs is what a deeper look has found.
        if reviewed_move.differs_from_engine() {
            let loss = |amount: f64| color.to_perspective(amount).max(0.0);
            reviewed_move.points_lost = loss(before.lead - after.lead);
            reviewed_move.winrate_lost = loss(before.winrate - after.winrate);
            let loser_winrates =
                [before, after].map(|analysis| analysis.winrate.min(1.0 - analysis.winrate));
            let is_decided = loser_winrates
                .iter()
                .all(|winrate| *winrate < DECIDED_WINRATE);
            reviewed_move.grade = grade_for(
                reviewed_move.points_lost,
                reviewed_move.winrate_lost,
                is_decided,
            );
        }
        reviewed_move
    }

    /// Whether the search would have played something else.
    pub fn differs_from_engine(&self) -> bool {
        self.best_pv.first().is_some_and(|best| *best != self.mv)
    }
}

/// The turns of a game whose positions were assessed.
pub fn review_moves(line: &MainLine, assessments: &[PositionAnalysis]) -> Vec<ReviewedMove> {
    let moves = line.moves().iter().enumerate();
    moves
        .zip(assessments.windows(2))
        .map(|((index, &played), pair)| {
            ReviewedMove::new(line.move_number(index), played, &pair[0], &pair[1])
        })
        .collect()
}

fn grade_for(points: f64, winrate: f64, is_decided: bool) -> Grade {
    let is_reached =
        |entry: &&GradeEntry| (!is_decided && points >= entry.points) || winrate >= entry.winrate;
    let worst = GRADES.iter().rev().find(is_reached);
    worst.map_or(Grade::Good, |entry| entry.grade)
}

impl Grade {
    /// Its entry in the table.
    pub fn entry(self) -> &'static GradeEntry {
        let entry = GRADES.iter().find(|entry| entry.grade == self);
        entry.expect("the table holds every grade")
    }
}

/// The turns that lost most, the worst first: by grade, then by points, then by chance to win. Good ones are not among
/// them.
pub fn worst_moves(moves: &[ReviewedMove], count: usize) -> Vec<&ReviewedMove> {
    let mut worst_moves: Vec<&ReviewedMove> = moves
        .iter()
        .filter(|reviewed_move| reviewed_move.grade > Grade::Good)
        .collect();
    // Of equals the earlier one stays before the later.
    worst_moves.sort_by(|a, b| {
        b.grade
            .cmp(&a.grade)
            .then(b.points_lost.total_cmp(&a.points_lost))
            .then(b.winrate_lost.total_cmp(&a.winrate_lost))
    });
    worst_moves.truncate(count);
    worst_moves
}

/// How one side played.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PlayerSummary {
    /// Its moves.
    pub moves: usize,
    /// How many of them the search would have played, too.
    pub engine_matches: usize,
    /// Points lost in all.
    pub points_lost: f64,
    /// Moves of each grade, as the table of grades orders them.
    pub grades: [usize; GRADES.len()],
}

impl PlayerSummary {
    /// The moves of `color`.
    pub fn from_moves(moves: &[ReviewedMove], color: Color) -> Self {
        let player_moves = moves
            .iter()
            .filter(|reviewed_move| reviewed_move.color == color);
        player_moves.fold(Self::default(), |mut summary, reviewed_move| {
            summary.moves += 1;
            summary.engine_matches += usize::from(!reviewed_move.differs_from_engine());
            summary.points_lost += reviewed_move.points_lost;
            let index = GRADES
                .iter()
                .position(|entry| entry.grade == reviewed_move.grade);
            if let Some(index) = index {
                summary.grades[index] += 1;
            }
            summary
        })
    }

    /// Points lost by a move on average.
    pub fn mean_loss(&self) -> f64 {
        self.points_lost / self.moves.max(1) as f64
    }
}
