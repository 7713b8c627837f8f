//! Ratings of several programs, computed from the games between them.
//!
//! Uses the Bradley-Terry model ("Rank analysis of incomplete block designs", Biometrika 39, 1952), on which Elo is
//! based: a program that is stronger by `d` natural units has the expected score `1 / (1 + e^-d)`. The ratings maximise
//! the likelihood of the results, and their errors are computed from the curvature of the log-likelihood at the
//! maximum. A draw counts as half a win and half a loss. One draw is added for each pair of programs that have met,
//! because a program without losses would otherwise have an infinite rating.

use super::elo::Z95;

/// Elo per natural unit of strength: `400 / ln 10`.
const ELO_PER_UNIT: f64 = 400.0 / std::f64::consts::LN_10;
/// Number of steps of Newton's method, which converges quadratically near the maximum.
const NEWTON_STEPS: usize = 60;
/// Maximum change of any strength in one Newton step.
const MAX_STEP: f64 = 1.0;

/// Results of the games between two programs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HeadToHead {
    /// Indices of the first and the second program.
    pub programs: [usize; 2],
    pub games: f64,
    /// Points of the first program: 1 per win, 1/2 per draw.
    pub points: f64,
}

/// The rating of a program.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rating {
    /// Elo rating relative to the mean of all programs.
    pub elo: f64,
    /// Half-width of the 95% confidence interval, in Elo.
    pub error: f64,
}

/// Computes the ratings of `num_programs` programs. Returns them in the order of the program indices.
///
/// If the programs form groups that have not played each other, ratings from different groups are not comparable. In
/// this case, the errors are large.
pub fn ratings(num_programs: usize, results: &[HeadToHead]) -> Vec<Rating> {
    let results: Vec<HeadToHead> = results
        .iter()
        .filter(|result| result.games > 0.0)
        .map(|result| HeadToHead {
            games: result.games + 1.0,
            points: result.points + 0.5,
            ..*result
        })
        .collect();
    let mut strengths = vec![0.0; num_programs];
    for _ in 0..NEWTON_STEPS {
        let (gradient, inverse) = gradient_and_inverse_hessian(&strengths, &results);
        let step: Vec<f64> = inverse
            .iter()
            .map(|row| row.iter().zip(&gradient).map(|(a, b)| a * b).sum())
            .collect();
        let max_change = step.iter().fold(0.0, |max: f64, x: &f64| max.max(x.abs()));
        let scale = (MAX_STEP / max_change).min(1.0);
        for (strength, change) in strengths.iter_mut().zip(&step) {
            *strength += scale * change;
        }
    }
    let (_, inverse) = gradient_and_inverse_hessian(&strengths, &results);
    let mean = strengths.iter().sum::<f64>() / num_programs.max(1) as f64;
    strengths
        .iter()
        .enumerate()
        .map(|(index, strength)| Rating {
            elo: ELO_PER_UNIT * (strength - mean),
            error: Z95 * ELO_PER_UNIT * inverse[index][index].max(0.0).sqrt(),
        })
        .collect()
}

/// Returns the gradient of the log-likelihood and the inverse of its negative Hessian, restricted to strengths with sum
/// zero.
fn gradient_and_inverse_hessian(
    strengths: &[f64],
    results: &[HeadToHead],
) -> (Vec<f64>, Vec<Vec<f64>>) {
    let count = strengths.len();
    // The Hessian is singular, because adding a constant to all strengths does not change the likelihood. Adding
    // 1/count to every cell makes it invertible.
    let shift = 1.0 / count.max(1) as f64;
    let mut gradient = vec![0.0; count];
    let mut matrix = vec![vec![shift; count]; count];
    for &HeadToHead {
        programs: [one, other],
        games,
        points,
    } in results
    {
        let expected_score = 1.0 / (1.0 + (strengths[other] - strengths[one]).exp());
        gradient[one] += points - games * expected_score;
        gradient[other] -= points - games * expected_score;
        let weight = games * expected_score * (1.0 - expected_score);
        matrix[one][one] += weight;
        matrix[other][other] += weight;
        matrix[one][other] -= weight;
        matrix[other][one] -= weight;
    }
    let mut inverse = invert(matrix);
    for cell in inverse.iter_mut().flatten() {
        *cell -= shift;
    }
    (gradient, inverse)
}

/// Inverts a positive semi-definite matrix by Gauss-Jordan elimination. Smaller pivots are raised to `MIN_PIVOT`, so
/// that the inverse exists even if there are no games.
fn invert(mut matrix: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    const MIN_PIVOT: f64 = 1e-3;
    let count = matrix.len();
    for (index, row) in matrix.iter_mut().enumerate() {
        row.extend((0..count).map(|column| f64::from(u8::from(column == index))));
    }
    for pivot_index in 0..count {
        let pivot = matrix[pivot_index][pivot_index].max(MIN_PIVOT);
        matrix[pivot_index][pivot_index] = pivot;
        matrix[pivot_index]
            .iter_mut()
            .for_each(|cell| *cell /= pivot);
        let row = matrix[pivot_index].clone();
        for (other, cells) in matrix.iter_mut().enumerate() {
            let factor = cells[pivot_index];
            if other != pivot_index {
                cells
                    .iter_mut()
                    .zip(&row)
                    .for_each(|(cell, x)| *cell -= factor * x);
            }
        }
    }
    matrix
        .into_iter()
        .map(|mut row| row.split_off(count))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::match_play::elo;

    fn head_to_head(programs: [usize; 2], games: f64, points: f64) -> HeadToHead {
        HeadToHead {
            programs,
            games,
            points,
        }
    }

    #[test]
    fn two_program_ratings_match_elo() {
        let result = ratings(2, &[head_to_head([0, 1], 99.0, 74.5)]);
        // 75 of 100 with the added draw; the variance of the difference is 1 / (n p q).
        let difference = elo::elo_difference(0.75);
        assert!(
            (result[0].elo - difference / 2.0).abs() < 1e-6,
            "{result:?}"
        );
        assert!(
            (result[1].elo + difference / 2.0).abs() < 1e-6,
            "{result:?}"
        );
        let difference_error = Z95 * ELO_PER_UNIT / (100.0_f64 * 0.75 * 0.25).sqrt();
        assert!((result[0].error - difference_error / 2.0).abs() < 1e-6);
    }

    #[test]
    fn ratings_reproduce_expected_points() {
        // If all pairs play equally many games, the maximum-likelihood ratings reproduce each program's points.
        let results = [
            head_to_head([0, 1], 20.0, 14.0),
            head_to_head([0, 2], 20.0, 18.0),
            head_to_head([1, 2], 20.0, 9.0),
            head_to_head([3, 0], 20.0, 20.0),
            head_to_head([3, 1], 20.0, 20.0),
            head_to_head([2, 3], 20.0, 0.0),
        ];
        let result = ratings(4, &results);
        for program in 0..4 {
            let (mut points, mut expected) = (0.0, 0.0);
            for pair in &results {
                let [one, other] = pair.programs;
                let score = elo::expected_score(result[one].elo - result[other].elo);
                if one == program {
                    points += pair.points + 0.5;
                    expected += (pair.games + 1.0) * score;
                } else if other == program {
                    points += pair.games - pair.points + 0.5;
                    expected += (pair.games + 1.0) * (1.0 - score);
                }
            }
            assert!((points - expected).abs() < 1e-6, "{program}: {result:?}");
        }
        assert!(result[3].elo > result[0].elo + 300.0);
        assert!(result[3].error > result[0].error && result.iter().all(|r| r.error.is_finite()));
        let sum: f64 = result.iter().map(|rating| rating.elo).sum();
        assert!(sum.abs() < 1e-6);
    }

    #[test]
    fn without_games_ratings_are_zero() {
        let result = ratings(3, &[head_to_head([0, 1], 0.0, 0.0)]);
        assert!(
            result
                .iter()
                .all(|rating| rating.elo == 0.0 && rating.error > 1000.0)
        );
        assert_eq!(ratings(0, &[]), []);
    }
}
