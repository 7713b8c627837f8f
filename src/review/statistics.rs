//! Statistics of a player's moves: mean losses, classes of losses, accuracy, and turning points.
//!
//! The accuracy is computed as in KaTrain, so that players can compare the figures: moves in difficult positions and
//! large losses have more weight.

use super::grading::{GRADES, ReviewedMove, worst_mistakes};
use super::phase::PHASE_NAMES;
use crate::game::color::Color;

/// Minimum losses in points of the classes of losses, best class first.
pub const LOSS_CLASS_LIMITS: [f64; 6] = [0.0, 0.5, 1.5, 3.0, 6.0, 12.0];

/// Returns the index of the class of a loss in [`LOSS_CLASS_LIMITS`].
pub fn loss_class(points_lost: f64) -> usize {
    let limits = LOSS_CLASS_LIMITS.iter();
    limits.filter(|limit| points_lost >= **limit).count().max(1) - 1
}

/// Losses of a number of moves.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LossSummary {
    /// Number of moves.
    pub moves: usize,
    /// Total number of points lost.
    pub points_lost: f64,
    /// Sum of the weights of the moves.
    weight: f64,
    /// Sum of the losses in points, each multiplied by the weight of the move.
    weighted_loss: f64,
}

impl LossSummary {
    /// Minimum weight of a move.
    const MIN_WEIGHT: f64 = 0.05;
    /// Loss in points of moves with the maximum weight, 1.
    const MAX_WEIGHT_LOSS: f64 = 4.0;
    /// Accuracy of moves that lose one point each, relative to perfect moves.
    const ACCURACY_PER_POINT: f64 = 0.75;

    fn add(&mut self, reviewed_move: &ReviewedMove) {
        let loss = reviewed_move.points_lost;
        let difficulty = reviewed_move.difficulty.unwrap_or(0.0);
        let weight = difficulty.max(loss / Self::MAX_WEIGHT_LOSS);
        let weight = weight.clamp(Self::MIN_WEIGHT, 1.0);
        self.moves += 1;
        self.points_lost += loss;
        self.weight += weight;
        self.weighted_loss += weight * loss;
    }

    /// Returns the average number of points lost per move; 0 without moves.
    pub fn mean_points_lost(&self) -> f64 {
        self.points_lost / self.moves.max(1) as f64
    }

    /// Returns the accuracy in percent by KaTrain's formula, or `None` without moves.
    pub fn katrain_accuracy(&self) -> Option<f64> {
        let mean = self.weighted_loss / self.weight;
        (self.moves > 0).then(|| 100.0 * Self::ACCURACY_PER_POINT.powf(mean))
    }
}

/// Summary of a player's moves.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PlayerSummary {
    /// Losses of all moves.
    pub losses: LossSummary,
    /// Losses in each phase, in the order of [`PHASE_NAMES`].
    pub phases: [LossSummary; PHASE_NAMES.len()],
    /// Number of moves that do not [differ](ReviewedMove::differs_from_engine) from the search's preferred move.
    pub engine_matches: usize,
    /// Number of moves of each grade, in the order of [`GRADES`].
    pub grades: [usize; GRADES.len()],
    /// Number of moves in each class of losses, in the order of [`LOSS_CLASS_LIMITS`].
    pub loss_classes: [usize; LOSS_CLASS_LIMITS.len()],
}

impl PlayerSummary {
    /// Summarises the moves of `color`.
    pub fn from_moves(moves: &[ReviewedMove], color: Color) -> Self {
        let player_moves = moves
            .iter()
            .filter(|reviewed_move| reviewed_move.color == color);
        player_moves.fold(Self::default(), |mut summary, reviewed_move| {
            summary.losses.add(reviewed_move);
            summary.phases[reviewed_move.phase as usize].add(reviewed_move);
            summary.engine_matches += usize::from(!reviewed_move.differs_from_engine());
            summary.grades[reviewed_move.grade as usize] += 1;
            summary.loss_classes[loss_class(reviewed_move.points_lost)] += 1;
            summary
        })
    }

    /// Returns the fraction of moves that do not differ from the search's preferred move, or `None` without moves.
    pub fn first_choice_share(&self) -> Option<f64> {
        let count = self.losses.moves;
        (count > 0).then(|| self.engine_matches as f64 / count as f64)
    }
}

/// Maximum number of turning points.
const MAX_TURNING_POINTS: usize = 5;
/// Minimum loss of winning chance at a turning point, from 0 to 1.
const MIN_TURNING_POINT_LOSS: f64 = 0.1;

/// Returns the moves that decided the game: up to five moves with a grade worse than `Good` that lost most winning
/// chance, worst first.
pub fn turning_points(moves: &[ReviewedMove]) -> Vec<&ReviewedMove> {
    let mut points = worst_mistakes(moves, MAX_TURNING_POINTS);
    points.retain(|reviewed_move| reviewed_move.winrate_lost >= MIN_TURNING_POINT_LOSS);
    points
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::point::{BoardSize, Move};
    use crate::review::grading::Grade;
    use crate::review::phase::Phase;

    fn reviewed(number: usize, points_lost: f64, difficulty: Option<f64>) -> ReviewedMove {
        let winrate_lost = points_lost / 20.0;
        ReviewedMove {
            number,
            color: Color::Black,
            mv: Move::Pass,
            points_lost,
            winrate_lost,
            grade: if points_lost >= 2.0 {
                Grade::Inaccuracy
            } else {
                Grade::Good
            },
            rank: None,
            best_pv: Vec::new(),
            phase: Phase::of_move(number, BoardSize::new(9, 9).unwrap()),
            prior: None,
            difficulty,
        }
    }

    #[test]
    fn losses_are_classified_by_katrains_limits() {
        for (loss, class) in [
            (0.0, 0),
            (0.49, 0),
            (0.5, 1),
            (1.5, 2),
            (2.99, 2),
            (3.0, 3),
            (6.0, 4),
            (11.9, 4),
            (12.0, 5),
            (99.0, 5),
            (f64::NAN, 0),
        ] {
            assert_eq!(loss_class(loss), class, "{loss}");
        }
    }

    #[test]
    fn accuracy_is_katrains() {
        let summary = |moves: &[ReviewedMove]| PlayerSummary::from_moves(moves, Color::Black);
        assert_eq!(summary(&[]).losses.katrain_accuracy(), None);
        let perfect = summary(&[reviewed(1, 0.0, Some(0.3)), reviewed(3, 0.0, None)]);
        assert_eq!(perfect.losses.katrain_accuracy(), Some(100.0));
        // Every move loses one point, whatever the weights.
        let one = summary(&[reviewed(1, 1.0, Some(0.9)), reviewed(3, 1.0, None)]);
        assert!((one.losses.katrain_accuracy().unwrap() - 75.0).abs() < 1e-9);
        // Weights: 0.5 (difficulty), 1 (loss of 4 points or more), 0.05 (minimum). Weighted mean: (0.5 + 8) / 1.55.
        let mixed = summary(&[
            reviewed(1, 1.0, Some(0.5)),
            reviewed(13, 8.0, Some(0.2)),
            reviewed(35, 0.0, None),
        ]);
        let expected = 100.0 * 0.75_f64.powf(8.5 / 1.55);
        assert!((mixed.losses.katrain_accuracy().unwrap() - expected).abs() < 1e-9);
        assert_eq!(mixed.phases.map(|phase| phase.moves), [1, 1, 1]);
        assert_eq!(
            mixed.phases[1].katrain_accuracy().map(f64::round),
            Some(10.0)
        );
        assert_eq!(mixed.losses.mean_points_lost(), 3.0);
        assert_eq!(mixed.loss_classes, [1, 1, 0, 0, 1, 0]);
    }

    #[test]
    fn turning_points_lost_most_winning_chance() {
        let moves: Vec<ReviewedMove> = [1.0, 5.0, 2.0, 1.9, 3.0, 9.0, 4.0, 4.5, 2.5]
            .into_iter()
            .enumerate()
            .map(|(index, loss)| reviewed(index + 1, loss, None))
            .collect();
        let numbers = |moves| {
            turning_points(moves)
                .iter()
                .map(|mv| mv.number)
                .collect::<Vec<_>>()
        };
        assert_eq!(numbers(&moves), [6, 2, 8, 7, 5]);
        assert_eq!(numbers(&moves[..4]), [2, 3]);
    }
}
