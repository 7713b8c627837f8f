//! The strengths of several programs from the games between them.
//!
//! The model of Bradley and Terry ("Rank analysis of incomplete block designs", Biometrika 39, 1952), which is Elo's: a
//! program that is `d` stronger scores `1 / (1 + e^-d)` on average. The strengths are those that make the results most
//! likely, their errors come from the curvature of the likelihood there. Draws are half a win and half a loss; each two
//! programs that have met are taken to have drawn once more, lest one that won every game be infinitely strong.

use super::elo::Z95;

/// Elo in a unit of natural strength: `400 / ln 10`.
const ELO: f64 = 400.0 / std::f64::consts::LN_10;
/// Steps of Newton's method, which doubles its digits with each.
const STEPS: usize = 60;
/// The longest change of a strength in a step.
const LONGEST_STEP: f64 = 1.0;

/// What two programs did against each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Meeting {
    /// The two, by their places in the list of programs.
    pub programs: [usize; 2],
    /// Games with a result.
    pub games: f64,
    /// Points of the first: 1 for a win, a half for a draw.
    pub points: f64,
}

/// The strength of a program.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rating {
    /// Elo above the average of all.
    pub elo: f64,
    /// Half of the interval that holds it with 95 %.
    pub error: f64,
}

/// The ratings of so many programs. Those without a connection by games are on different scales, with wide errors.
#[must_use]
pub fn ratings(programs: usize, meetings: &[Meeting]) -> Vec<Rating> {
    let meetings: Vec<Meeting> = meetings
        .iter()
        .filter(|meeting| meeting.games > 0.0)
        .map(|meeting| Meeting {
            games: meeting.games + 1.0,
            points: meeting.points + 0.5,
            ..*meeting
        })
        .collect();
    let mut strengths = vec![0.0; programs];
    for _ in 0..STEPS {
        let (slope, inverse) = curvature(&strengths, &meetings);
        let step: Vec<f64> = inverse
            .iter()
            .map(|row| row.iter().zip(&slope).map(|(a, b)| a * b).sum())
            .collect();
        let longest = step
            .iter()
            .fold(0.0, |most: f64, x: &f64| most.max(x.abs()));
        let shorter = (LONGEST_STEP / longest).min(1.0);
        for (strength, change) in strengths.iter_mut().zip(&step) {
            *strength += shorter * change;
        }
    }
    let (_, inverse) = curvature(&strengths, &meetings);
    let mean = strengths.iter().sum::<f64>() / programs.max(1) as f64;
    strengths
        .iter()
        .enumerate()
        .map(|(place, strength)| Rating {
            elo: ELO * (strength - mean),
            error: Z95 * ELO * inverse[place][place].max(0.0).sqrt(),
        })
        .collect()
}

/// The slope of the log-likelihood, and the inverse of its curvature among strengths with the sum zero.
fn curvature(strengths: &[f64], meetings: &[Meeting]) -> (Vec<f64>, Vec<Vec<f64>>) {
    let count = strengths.len();
    // All ones over the count is what a shift of all strengths has for curvature here, lest there be none.
    let shift = 1.0 / count.max(1) as f64;
    let mut slope = vec![0.0; count];
    let mut matrix = vec![vec![shift; count]; count];
    for &Meeting {
        programs: [one, other],
        games,
        points,
    } in meetings
    {
        let chance = 1.0 / (1.0 + (strengths[other] - strengths[one]).exp());
        slope[one] += points - games * chance;
        slope[other] -= points - games * chance;
        let weight = games * chance * (1.0 - chance);
        matrix[one][one] += weight;
        matrix[other][other] += weight;
        matrix[one][other] -= weight;
        matrix[other][one] -= weight;
    }
    let mut inverse = inverted(matrix);
    for cell in inverse.iter_mut().flatten() {
        *cell -= shift;
    }
    (slope, inverse)
}

/// The inverse of a matrix without negative directions, by Gauss and Jordan. Flat directions get a steep inverse, as if a
/// thousandth of a game had been played.
fn inverted(mut matrix: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    const FLAT: f64 = 1e-3;
    let count = matrix.len();
    for (place, row) in matrix.iter_mut().enumerate() {
        row.extend((0..count).map(|column| f64::from(u8::from(column == place))));
    }
    for place in 0..count {
        let pivot = matrix[place][place].max(FLAT);
        matrix[place][place] = pivot;
        matrix[place].iter_mut().for_each(|cell| *cell /= pivot);
        let row = matrix[place].clone();
        for (other, cells) in matrix.iter_mut().enumerate() {
            let factor = cells[place];
            if other != place {
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
    use crate::contest::elo;

    fn meeting(programs: [usize; 2], games: f64, points: f64) -> Meeting {
        Meeting {
            programs,
            games,
            points,
        }
    }

    #[test]
    fn two_programs_are_as_far_apart_as_their_score_says() {
        let found = ratings(2, &[meeting([0, 1], 99.0, 74.5)]);
        // 75 of 100 with the draw that is added; the variance of a difference is 1 / (n p q).
        let apart = elo::elo_of(0.75);
        assert!((found[0].elo - apart / 2.0).abs() < 1e-6, "{found:?}");
        assert!((found[1].elo + apart / 2.0).abs() < 1e-6, "{found:?}");
        let of_the_difference = Z95 * ELO / (100.0_f64 * 0.75 * 0.25).sqrt();
        assert!((found[0].error - of_the_difference / 2.0).abs() < 1e-6);
    }

    #[test]
    fn the_strengths_explain_the_results() {
        // Where every program meets every other equally often, as many points as expected are what makes the results
        // most likely.
        let meetings = [
            meeting([0, 1], 20.0, 14.0),
            meeting([0, 2], 20.0, 18.0),
            meeting([1, 2], 20.0, 9.0),
            meeting([3, 0], 20.0, 20.0),
            meeting([3, 1], 20.0, 20.0),
            meeting([2, 3], 20.0, 0.0),
        ];
        let found = ratings(4, &meetings);
        for program in 0..4 {
            let (mut points, mut expected) = (0.0, 0.0);
            for meeting in &meetings {
                let [one, other] = meeting.programs;
                let score = elo::score_of(found[one].elo - found[other].elo);
                if one == program {
                    points += meeting.points + 0.5;
                    expected += (meeting.games + 1.0) * score;
                } else if other == program {
                    points += meeting.games - meeting.points + 0.5;
                    expected += (meeting.games + 1.0) * (1.0 - score);
                }
            }
            assert!((points - expected).abs() < 1e-6, "{program}: {found:?}");
        }
        assert!(found[3].elo > found[0].elo + 300.0);
        assert!(found[3].error > found[0].error && found.iter().all(|r| r.error.is_finite()));
        let sum: f64 = found.iter().map(|rating| rating.elo).sum();
        assert!(sum.abs() < 1e-6);
    }

    #[test]
    fn without_games_nothing_is_known() {
        let found = ratings(3, &[meeting([0, 1], 0.0, 0.0)]);
        assert!(
            found
                .iter()
                .all(|rating| rating.elo == 0.0 && rating.error > 1000.0)
        );
        assert_eq!(ratings(0, &[]), []);
    }
}
