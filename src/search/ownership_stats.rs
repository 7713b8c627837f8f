//! What a search counts over its playouts beside the sums of its nodes: the owners of the points and the chance of a game
//! without result, at the root and after each of its moves.

use std::collections::HashMap;

use super::node::NodeId;
use crate::eval::Evaluation;
use crate::game::color::Color;

/// Means over playouts, from the side of the player to move at the root. All empty as long as nothing was counted.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OwnershipStats {
    /// The expected owner of each point in reading order, 1 the side to move's; empty where the evaluator knows none.
    pub ownership: Vec<f32>,
    /// The standard deviation of each of these over the playouts.
    pub ownership_deviation: Vec<f32>,
    /// The chance of a game without result, 0 to 1.
    pub no_result: Option<f64>,
}

/// What is being counted; from Black's side.
#[derive(Debug, Default)]
pub struct StatsAccumulator {
    root: StatsSums,
    children: HashMap<NodeId, StatsSums>,
}

#[derive(Clone, Debug, Default)]
struct StatsSums {
    ownership_sums: Vec<f64>,
    ownership_squares: Vec<f64>,
    /// Evaluations that told owners.
    ownership_count: u64,
    no_result: f64,
    /// All evaluations.
    count: u64,
}

impl StatsAccumulator {
    /// Counts what the evaluator says of a position where `to_move` is to move; `root_child` is the node of the root's move
    /// that led there, when it is to be counted for that too.
    pub fn add(&mut self, evaluation: &Evaluation, to_move: Color, root_child: Option<NodeId>) {
        self.root.add(evaluation, to_move);
        if let Some(id) = root_child {
            self.children
                .entry(id)
                .or_default()
                .add(evaluation, to_move);
        }
    }

    /// Whether nothing was counted.
    pub const fn is_empty(&self) -> bool {
        self.root.count == 0
    }

    /// The means over all of them.
    pub fn root_stats(&self, to_move: Color) -> OwnershipStats {
        self.root.means(to_move)
    }

    /// The means over the playouts that began with the move which leads to that node.
    pub fn child_stats(&self, id: NodeId, to_move: Color) -> OwnershipStats {
        let sums = self.children.get(&id);
        sums.map_or_else(OwnershipStats::default, |sums| sums.means(to_move))
    }
}

impl StatsSums {
    fn add(&mut self, evaluation: &Evaluation, to_move: Color) {
        self.count += 1;
        self.no_result += f64::from(evaluation.no_result);
        if evaluation.ownership.is_empty() {
            return;
        }
        self.ownership_count += 1;
        self.ownership_sums.resize(evaluation.ownership.len(), 0.0);
        self.ownership_squares
            .resize(evaluation.ownership.len(), 0.0);
        let sums = self
            .ownership_sums
            .iter_mut()
            .zip(&mut self.ownership_squares);
        for ((sum, square), &owner) in sums.zip(&evaluation.ownership) {
            let owner = f64::from(to_move.to_perspective(owner));
            *sum += owner;
            *square += owner * owner;
        }
    }

    fn means(&self, to_move: Color) -> OwnershipStats {
        let count = self.ownership_count.max(1) as f64;
        let deviation = |(sum, square): (&f64, &f64)| {
            let mean = sum / count;
            (square / count - mean * mean).max(0.0).sqrt() as f32
        };
        OwnershipStats {
            ownership: self
                .ownership_sums
                .iter()
                .map(|sum| to_move.to_perspective(sum / count) as f32)
                .collect(),
            ownership_deviation: self
                .ownership_sums
                .iter()
                .zip(&self.ownership_squares)
                .map(deviation)
                .collect(),
            no_result: (self.count > 0).then(|| self.no_result / self.count as f64),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn evaluation(owner: f32, no_result: f32) -> Evaluation {
        Evaluation {
            ownership: vec![owner],
            no_result,
            ..Evaluation::default()
        }
    }

    #[test]
    fn means_of_recorded_evaluations() {
        let mut stats = StatsAccumulator::default();
        stats.add(&evaluation(0.5, 0.25), Color::Black, Some(1));
        stats.add(&evaluation(0.5, 0.75), Color::White, Some(2));
        let root_stats = stats.root_stats(Color::White);
        assert_eq!(
            (root_stats.ownership, root_stats.no_result),
            (vec![0.0], Some(0.5))
        );
        assert_eq!(root_stats.ownership_deviation, [0.5]);
        let child_stats = stats.child_stats(2, Color::White);
        assert_eq!(
            (child_stats.ownership, child_stats.no_result),
            (vec![0.5], Some(0.75))
        );
        assert_eq!(child_stats.ownership_deviation, [0.0]);
        assert_eq!(
            stats.child_stats(3, Color::White),
            OwnershipStats::default()
        );
        assert_eq!(
            StatsAccumulator::default().root_stats(Color::Black),
            OwnershipStats::default()
        );
    }
}
