//! Wald's sequential probability ratio test (SPRT) between two Elo differences.
//!
//! The test uses the generalised log-likelihood ratio (Van den Bergh, "The generalized maximum likelihood ratio for the
//! expectation value of a distribution", 2020): the logarithm of the likelihood of the results under the most likely
//! distribution with mean score `s1`, relative to that under the most likely distribution with mean score `s0`. Given
//! the observed frequency `p` of each score `x`, the most likely distribution with mean `s` is `p / (1 + t (x - s))`,
//! where `t` is chosen so that the mean is `s`. With `t0` for `s0` and `t1` for `s1`, an observation of `x` therefore
//! adds `ln(1 + t0 (x - s0)) - ln(1 + t1 (x - s1))`. The test ends when the ratio falls to `ln(beta / (1 - alpha))`,
//! which accepts `s0`, or rises to `ln((1 - beta) / alpha)`, which accepts `s1`.

use std::fmt;

use super::elo::{self, ScoreSample};

/// Count assumed for scores that were not observed. With a count of 0, there might be no distribution with the required
/// mean.
const UNSEEN_COUNT: f64 = 1e-3;
/// Maximum Elo difference. The expected score at this difference is practically 1.
const MAX_ELO_DIFFERENCE: f64 = 4_000.0;
/// Number of bisection steps to find `t`. Each step halves the error.
const BISECTION_STEPS: usize = 60;

/// Test of the hypothesis "A is stronger by `elo1`" against the hypothesis "A is stronger by `elo0`".
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sprt {
    elo0: f64,
    elo1: f64,
    alpha: f64,
    beta: f64,
}

/// Error in the parameters of a test.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum SprtError {
    /// The Elo differences are out of range or in the wrong order.
    #[error(
        "elo0 must be less than elo1, and both must be between -{MAX_ELO_DIFFERENCE} and {MAX_ELO_DIFFERENCE}; got {0} and {1}"
    )]
    Hypotheses(f64, f64),
    /// The error probabilities are out of range.
    #[error("alpha and beta must be greater than 0 and less than 0.5, not {0} and {1}")]
    ErrorRates(f64, f64),
}

/// State of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SprtStatus {
    Undecided,
    AcceptElo0,
    AcceptElo1,
}

impl Sprt {
    /// Creates a test that accepts `elo1` with probability `alpha` if the true difference is `elo0`, and `elo0` with
    /// probability `beta` if the true difference is `elo1`.
    ///
    /// # Errors
    /// Returns an error if a parameter is out of range.
    pub fn new(elo0: f64, elo1: f64, alpha: f64, beta: f64) -> Result<Self, SprtError> {
        if !(elo0 < elo1 && -MAX_ELO_DIFFERENCE <= elo0 && elo1 <= MAX_ELO_DIFFERENCE) {
            return Err(SprtError::Hypotheses(elo0, elo1));
        }
        let is_rate = |rate: f64| rate > 0.0 && rate < 0.5;
        if !is_rate(alpha) || !is_rate(beta) {
            return Err(SprtError::ErrorRates(alpha, beta));
        }
        Ok(Self {
            elo0,
            elo1,
            alpha,
            beta,
        })
    }

    /// Returns the log-likelihood ratios at which `elo0` and `elo1` are accepted.
    pub fn bounds(&self) -> (f64, f64) {
        let (alpha, beta) = (self.alpha, self.beta);
        ((beta / (1.0 - alpha)).ln(), ((1.0 - beta) / alpha).ln())
    }

    /// Returns the log-likelihood ratio. It is positive if the results favour `elo1`, and 0 if there are no games.
    pub fn log_likelihood_ratio(&self, sample: &ScoreSample) -> f64 {
        if sample.size() == 0 {
            return 0.0;
        }
        let counts: Vec<(f64, f64)> = sample
            .counts
            .iter()
            .map(|&(score, count)| (score, f64::from(count).max(UNSEEN_COUNT)))
            .collect();
        log_likelihood_decrease(&counts, elo::expected_score(self.elo0))
            - log_likelihood_decrease(&counts, elo::expected_score(self.elo1))
    }

    /// Returns the state of the test after the games in `sample`.
    pub fn status(&self, sample: &ScoreSample) -> SprtStatus {
        let ratio = self.log_likelihood_ratio(sample);
        let (low, high) = self.bounds();
        if ratio >= high {
            SprtStatus::AcceptElo1
        } else if ratio <= low {
            SprtStatus::AcceptElo0
        } else {
            SprtStatus::Undecided
        }
    }
}

impl fmt::Display for Sprt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            elo0,
            elo1,
            alpha,
            beta,
        } = self;
        write!(f, "elo0 {elo0}, elo1 {elo1}, alpha {alpha}, beta {beta}")
    }
}

impl fmt::Display for SprtStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Undecided => "undecided",
            Self::AcceptElo0 => "elo0 accepted",
            Self::AcceptElo1 => "elo1 accepted",
        })
    }
}

/// Returns the decrease in the maximum log-likelihood if the distribution is required to have the mean score `mean`:
/// the sum of `ln(1 + t (x - mean))` over all observations. `counts` contains scores between 0 and 1, each with a
/// positive number of observations.
fn log_likelihood_decrease(counts: &[(f64, f64)], mean: f64) -> f64 {
    // For all t in this interval, the probabilities are positive. Over it, the sum below decreases from +inf to -inf.
    let (mut low, mut high) = (-1.0 / (1.0 - mean), 1.0 / mean);
    for _ in 0..BISECTION_STEPS {
        let t = 0.5 * (low + high);
        let excess = |&(x, n): &(f64, f64)| n * (x - mean) / (1.0 + t * (x - mean));
        if counts.iter().map(excess).sum::<f64>() > 0.0 {
            low = t;
        } else {
            high = t;
        }
    }
    let t = 0.5 * (low + high);
    let costs = counts.iter().map(|&(x, n)| n * (t * (x - mean)).ln_1p());
    costs.sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ratio(elo0: f64, elo1: f64, sample: &ScoreSample) -> f64 {
        let sprt = Sprt::new(elo0, elo1, 0.05, 0.05).unwrap();
        sprt.log_likelihood_ratio(sample)
    }

    fn assert_near(actual: f64, expected: f64, tolerance: f64) {
        assert!(
            (actual - expected).abs() <= tolerance,
            "expected {expected} within {tolerance}, found {actual}"
        );
    }

    #[test]
    fn bounds_match_wald() {
        let (low, high) = Sprt::new(0.0, 10.0, 0.05, 0.05).unwrap().bounds();
        assert_near(low, -2.944_439, 1e-6);
        assert_near(high, 2.944_439, 1e-6);
        // ln(0.1 / 0.99) and ln(0.9 / 0.01).
        let (low, high) = Sprt::new(0.0, 10.0, 0.01, 0.1).unwrap().bounds();
        assert_near(low, -2.292_535, 1e-6);
        assert_near(high, 4.499_810, 1e-6);
    }

    #[test]
    fn wins_and_losses_give_the_binomial_ratio() {
        // The expected score at 50 Elo is 0.571463: 60 ln(0.571463 / 0.5) + 40 ln(0.428537 / 0.5) = 1.8463.
        let actual = ratio(0.0, 50.0, &ScoreSample::from_games(60, 0, 40));
        assert_near(actual, 1.8463, 0.01);
        // One win: ln(0.571463 / 0.5) = 0.1336, far from a decision.
        assert_near(
            ratio(0.0, 50.0, &ScoreSample::from_games(1, 0, 0)),
            0.1336,
            0.01,
        );
        assert_eq!(ratio(0.0, 50.0, &ScoreSample::from_games(0, 0, 0)), 0.0);
    }

    #[test]
    fn near_hypotheses_give_the_normal_ratio() {
        // n (s1 - s0) (2 mean - s0 - s1) / (2 variance) with mean 0.52, variance 0.0996, s0 0.5, s1 0.507195:
        // 1000 * 0.007195 * 0.032805 / 0.1992 = 1.1849.
        let actual = ratio(0.0, 5.0, &ScoreSample::from_games(220, 600, 180));
        assert_near(actual, 1.1849, 0.01);
        // Pairs: mean 0.505, variance 0.035 - 0.005^2: 1000 * 0.007195 * 0.002805 / 0.06995 = 0.2885.
        let pairs = ScoreSample::from_pairs([10, 230, 500, 250, 10]);
        assert_near(ratio(0.0, 5.0, &pairs), 0.2885, 0.005);
        // Equally many wins and losses favour neither hypothesis.
        let even = ScoreSample::from_pairs([0, 40, 920, 40, 0]);
        assert_near(ratio(-5.0, 5.0, &even), 0.0, 1e-6);
    }

    #[test]
    fn status_follows_bounds() {
        let sprt = Sprt::new(0.0, 100.0, 0.05, 0.05).unwrap();
        assert_eq!(
            sprt.status(&ScoreSample::from_games(5, 0, 5)),
            SprtStatus::Undecided
        );
        assert_eq!(
            sprt.status(&ScoreSample::from_games(30, 0, 5)),
            SprtStatus::AcceptElo1
        );
        assert_eq!(
            sprt.status(&ScoreSample::from_games(20, 0, 30)),
            SprtStatus::AcceptElo0
        );
    }

    #[test]
    fn invalid_parameters_are_rejected() {
        assert!(Sprt::new(5.0, 5.0, 0.05, 0.05).is_err());
        assert!(Sprt::new(f64::NAN, 5.0, 0.05, 0.05).is_err());
        assert!(Sprt::new(0.0, 5.0, 0.0, 0.05).is_err());
        assert!(Sprt::new(0.0, 5.0, 0.05, 0.5).is_err());
    }
}
