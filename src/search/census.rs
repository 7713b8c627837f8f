//! What a search counts over its playouts beside the sums of its nodes: the owners of the points and the chance of a game
//! without result, at the root and after each of its moves.

use std::collections::HashMap;

use super::node::NodeId;
use crate::eval::Evaluation;
use crate::game::color::Color;

/// Means over playouts, from the side of the player to move at the root. All empty as long as nothing was counted.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Census {
    /// The expected owner of each point in reading order, 1 the side to move's; empty where the evaluator knows none.
    pub ownership: Vec<f32>,
    /// The standard deviation of each of these over the playouts.
    pub ownership_deviation: Vec<f32>,
    /// The chance of a game without result, 0 to 1.
    pub no_result: Option<f64>,
}

/// What is being counted; from Black's side.
#[derive(Debug, Default)]
pub struct Counts {
    whole: Sums,
    after: HashMap<NodeId, Sums>,
}

#[derive(Clone, Debug, Default)]
struct Sums {
    owners: Vec<f64>,
    squares: Vec<f64>,
    /// Evaluations that told owners.
    told: u64,
    no_result: f64,
    /// All evaluations.
    count: u64,
}

impl Counts {
    /// Counts what the evaluator says of a position where `to_move` is to move; `first` is the node of the root's move
    /// that led there, when it is to be counted for that too.
    pub fn add(&mut self, evaluation: &Evaluation, to_move: Color, first: Option<NodeId>) {
        self.whole.add(evaluation, to_move);
        if let Some(id) = first {
            self.after.entry(id).or_default().add(evaluation, to_move);
        }
    }

    /// Whether nothing was counted.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.whole.count == 0
    }

    /// The means over all of them.
    #[must_use]
    pub fn whole(&self, to_move: Color) -> Census {
        self.whole.means(to_move)
    }

    /// The means over the playouts that began with the move which leads to that node.
    #[must_use]
    pub fn after(&self, id: NodeId, to_move: Color) -> Census {
        let sums = self.after.get(&id);
        sums.map_or_else(Census::default, |sums| sums.means(to_move))
    }
}

impl Sums {
    fn add(&mut self, evaluation: &Evaluation, to_move: Color) {
        self.count += 1;
        self.no_result += f64::from(evaluation.no_result);
        if evaluation.ownership.is_empty() {
            return;
        }
        self.told += 1;
        self.owners.resize(evaluation.ownership.len(), 0.0);
        self.squares.resize(evaluation.ownership.len(), 0.0);
        let sums = self.owners.iter_mut().zip(&mut self.squares);
        for ((sum, square), &owner) in sums.zip(&evaluation.ownership) {
            let owner = f64::from(to_move.from_black(owner));
            *sum += owner;
            *square += owner * owner;
        }
    }

    fn means(&self, to_move: Color) -> Census {
        let told = self.told.max(1) as f64;
        let deviation = |(sum, square): (&f64, &f64)| {
            let mean = sum / told;
            (square / told - mean * mean).max(0.0).sqrt() as f32
        };
        Census {
            ownership: self
                .owners
                .iter()
                .map(|sum| to_move.from_black(sum / told) as f32)
                .collect(),
            ownership_deviation: self
                .owners
                .iter()
                .zip(&self.squares)
                .map(deviation)
                .collect(),
            no_result: (self.count > 0).then(|| self.no_result / self.count as f64),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(owner: f32, no_result: f32) -> Evaluation {
        Evaluation {
            ownership: vec![owner],
            no_result,
            ..Evaluation::default()
        }
    }

    #[test]
    fn means_are_those_of_what_was_told() {
        let mut counts = Counts::default();
        counts.add(&told(0.5, 0.25), Color::Black, Some(1));
        counts.add(&told(0.5, 0.75), Color::White, Some(2));
        let whole = counts.whole(Color::White);
        assert_eq!((whole.ownership, whole.no_result), (vec![0.0], Some(0.5)));
        assert_eq!(whole.ownership_deviation, [0.5]);
        let after = counts.after(2, Color::White);
        assert_eq!((after.ownership, after.no_result), (vec![0.5], Some(0.75)));
        assert_eq!(after.ownership_deviation, [0.0]);
        assert_eq!(counts.after(3, Color::White), Census::default());
        assert_eq!(Counts::default().whole(Color::Black), Census::default());
    }
}
