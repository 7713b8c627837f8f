//! A review as lines of text: how each side played, and the worst mistakes.

use super::Review;
use super::verdict::{GRADES, Grade, Turn, worst};
use super::words::{capitalised, lead, move_text, points};
use crate::game::color::Color;

/// How one side played.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Summary {
    /// Its moves.
    pub moves: usize,
    /// How many of them the search would have played, too.
    pub same: usize,
    /// Points lost in all.
    pub points_lost: f64,
    /// Moves of each grade, as the table of grades orders them.
    pub grades: [usize; GRADES.len()],
}

impl Summary {
    /// The moves of `color`.
    #[must_use]
    pub fn of(turns: &[Turn], color: Color) -> Self {
        let own = turns.iter().filter(|turn| turn.color == color);
        own.fold(Self::default(), |mut sum, turn| {
            sum.moves += 1;
            sum.same += usize::from(!turn.differs());
            sum.points_lost += turn.points_lost;
            let place = GRADES.iter().position(|entry| entry.grade == turn.grade);
            if let Some(place) = place {
                sum.grades[place] += 1;
            }
            sum
        })
    }

    /// Points lost by a move on average.
    #[must_use]
    pub fn mean_loss(&self) -> f64 {
        self.points_lost / self.moves.max(1) as f64
    }
}

/// The whole text; the `count` worst moves are listed.
#[must_use]
pub fn table(review: &Review, count: usize) -> String {
    let mut text = summaries(review);
    let worst = worst(&review.turns, count);
    if !worst.is_empty() {
        text += "\nmove  played    grade       points   win %  before   better\n";
    }
    let size = review.line.size();
    let first = review.line.number(0);
    for turn in worst {
        let before = &review.assessments[turn.number - first];
        let line: Vec<String> = turn
            .better
            .iter()
            .take(5)
            .map(|&mv| size.move_text(mv))
            .collect();
        text += &format!(
            "{:>4}  {:<8}  {:<10}  {:>6}  {:>6}  {:<7}  {}\n",
            turn.number,
            move_text(size, turn.color, turn.mv),
            turn.grade.entry().name,
            points(-turn.points_lost),
            points(-100.0 * turn.winrate_lost),
            lead(before.lead),
            line.join(" ")
        );
    }
    text
}

fn summaries(review: &Review) -> String {
    let mut text = String::from("side   moves  same as engine  points lost a move");
    for entry in &GRADES {
        if entry.grade > Grade::Good {
            text += &format!("  {:>10}", plural(entry.name));
        }
    }
    text.push('\n');
    for color in Color::BOTH {
        let sum = Summary::of(&review.turns, color);
        let share = 100.0 * sum.same as f64 / sum.moves.max(1) as f64;
        text += &format!(
            "{:<5}  {:>5}  {:>12.0} %  {:>18.2}",
            capitalised(&color.to_string()),
            sum.moves,
            share,
            sum.mean_loss()
        );
        for (entry, amount) in GRADES.iter().zip(sum.grades) {
            if entry.grade > Grade::Good {
                text += &format!("  {amount:>10}");
            }
        }
        text.push('\n');
    }
    text
}

fn plural(name: &str) -> String {
    match name.strip_suffix('y') {
        Some(stem) => format!("{stem}ies"),
        None => format!("{name}s"),
    }
}
