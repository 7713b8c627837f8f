//! Ownership and no-result statistics of the root and of each root move. A search collects them outside the tree.

use std::collections::HashMap;

use super::node::NodeId;
use crate::eval::Evaluation;
use crate::game::color::Color;

/// Ownership and no-result statistics over playouts, from the perspective of the side to move at the root. All fields
/// are empty or `None` if nothing was recorded.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OwnershipStats {
    /// Expected owner of each point in row-major order, from -1 (the opponent) to 1 (the side to move). Empty if the
    /// evaluator does not predict ownership.
    pub ownership: Vec<f32>,
    /// Standard deviation of the ownership of each point over the playouts.
    pub ownership_deviation: Vec<f32>,
    /// Probability of no result, from 0 to 1.
    pub no_result: Option<f64>,
}

/// Running sums of the statistics, from Black's perspective.
#[derive(Debug, Default)]
pub struct StatsAccumulator {
    root: StatsSums,
    children: HashMap<NodeId, StatsSums>,
}

#[derive(Clone, Debug, Default)]
struct StatsSums {
    ownership_sums: Vec<f64>,
    ownership_squares: Vec<f64>,
    /// Number of evaluations that included ownership.
    ownership_count: u64,
    no_result: f64,
    /// Number of evaluations.
    count: u64,
}

impl StatsAccumulator {
    /// Adds the evaluation of a position in which `to_move` is to move. `root_child` is the node after the first move
    /// of the playout, or `None` if the playout has no move or statistics per move are not requested.
    pub fn add(&mut self, evaluation: &Evaluation, to_move: Color, root_child: Option<NodeId>) {
        self.root.add(evaluation, to_move);
        if let Some(id) = root_child {
            self.children
                .entry(id)
                .or_default()
                .add(evaluation, to_move);
        }
    }

    /// Returns true if nothing was recorded.
    pub const fn is_empty(&self) -> bool {
        self.root.count == 0
    }

    /// Returns the statistics of all playouts, from the perspective of `to_move`.
    pub fn root_stats(&self, to_move: Color) -> OwnershipStats {
        self.root.means(to_move)
    }

    /// Returns the statistics of the playouts through `id`, a child of the root, from the perspective of `to_move`.
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
