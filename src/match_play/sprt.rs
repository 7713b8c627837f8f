//! Wald's sequential probability ratio test of one Elo difference against another.
//!
//! The log-likelihood ratio compares the best explanation of the results with mean score `s1` against the best one with
//! mean score `s0` (Van den Bergh, "The generalized maximum likelihood ratio for the expectation value of a
//! distribution", 2020). The likeliest distribution with observed frequencies `p` and a given mean `s` is
//! `p / (1 + t (x - s))`, where `t` makes the mean right; so each observation of `x` adds
//! `ln(1 + t0 (x - s0)) - ln(1 + t1 (x - s1))`. The test ends at `ln(beta / (1 - alpha))` and `ln((1 - beta) / alpha)`.

use std::fmt;

use super::elo::{self, Sample};

/// What stands in for a score never seen: without it no distribution with the mean asked for may exist.
const UNSEEN_COUNT: f64 = 1e-3;
/// Of a difference much larger the score cannot be told from a certain win.
const MAX_ELO: f64 = 4_000.0;
/// Bisections to find `t`; each halves the error.
const BISECTION_STEPS: usize = 60;

/// A test of "A is stronger by `elo1`" against "by `elo0`".
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sprt {
    elo0: f64,
    elo1: f64,
    alpha: f64,
    beta: f64,
}

/// What is wrong with the numbers of a test.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum SprtError {
    /// The hypotheses.
    #[error("expected elo0 below elo1, both from -{MAX_ELO} to {MAX_ELO}, found {0} and {1}")]
    Hypotheses(f64, f64),
    /// The error rates.
    #[error("expected alpha and beta between 0 and 0.5, found {0} and {1}")]
    ErrorRates(f64, f64),
}

/// Where a test stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SprtStatus {
    /// More games are needed.
    Undecided,
    /// The results speak for `elo0`.
    AcceptElo0,
    /// The results speak for `elo1`.
    AcceptElo1,
}

impl Sprt {
    /// A test that takes `elo1` for true when `elo0` is with probability `alpha`, and the other way round with `beta`.
    ///
    /// # Errors
    /// When the numbers make no test.
    pub fn new(elo0: f64, elo1: f64, alpha: f64, beta: f64) -> Result<Self, SprtError> {
        if !(elo0 < elo1 && -MAX_ELO <= elo0 && elo1 <= MAX_ELO) {
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

    /// The log-likelihood ratios at which `elo0` and `elo1` are accepted.
    #[must_use]
    pub fn bounds(&self) -> (f64, f64) {
        let (alpha, beta) = (self.alpha, self.beta);
        ((beta / (1.0 - alpha)).ln(), ((1.0 - beta) / alpha).ln())
    }

    /// The log-likelihood ratio of the results, positive when they speak for `elo1`; 0 without any.
    #[must_use]
    pub fn log_likelihood_ratio(&self, sample: &Sample) -> f64 {
        if sample.size() == 0 {
            return 0.0;
        }
        let counts: Vec<(f64, f64)> = sample
            .counts
            .iter()
            .map(|&(score, count)| (score, f64::from(count).max(UNSEEN_COUNT)))
            .collect();
        log_cost(&counts, elo::expected_score(self.elo0))
            - log_cost(&counts, elo::expected_score(self.elo1))
    }

    /// Where the test stands after these results.
    #[must_use]
    pub fn status(&self, sample: &Sample) -> SprtStatus {
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

/// By how much the log-likelihood falls when the mean must be `mean`: the sum of `ln(1 + t (x - mean))`. Scores range
/// from 0 to 1 and all counts are positive.
fn log_cost(counts: &[(f64, f64)], mean: f64) -> f64 {
    // All probabilities stay positive for t in between; the sum below falls from +inf to -inf there.
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

    fn ratio(elo0: f64, elo1: f64, sample: &Sample) -> f64 {
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
        // 50 Elo promise 0.571463: 60 ln(0.571463 / 0.5) + 40 ln(0.428537 / 0.5) = 1.8463.
        let actual = ratio(0.0, 50.0, &Sample::games(60, 0, 40));
        assert_near(actual, 1.8463, 0.01);
        // A single win: ln(0.571463 / 0.5) = 0.1336. No decision comes from that.
        assert_near(ratio(0.0, 50.0, &Sample::games(1, 0, 0)), 0.1336, 0.01);
        assert_eq!(ratio(0.0, 50.0, &Sample::games(0, 0, 0)), 0.0);
    }

    #[test]
    fn near_hypotheses_give_the_normal_ratio() {
        // n (s1 - s0) (2 mean - s0 - s1) / (2 variance) with mean 0.52, variance 0.0996, s0 0.5, s1 0.507195:
        // 1000 * 0.007195 * 0.032805 / 0.1992 = 1.1849.
        let actual = ratio(0.0, 5.0, &Sample::games(220, 600, 180));
        assert_near(actual, 1.1849, 0.01);
        // Pairs: mean 0.505, variance 0.035 - 0.005^2: 1000 * 0.007195 * 0.002805 / 0.06995 = 0.2885.
        let pairs = Sample::pairs([10, 230, 500, 250, 10]);
        assert_near(ratio(0.0, 5.0, &pairs), 0.2885, 0.005);
        // As many lost as won speak for neither side.
        let even = Sample::pairs([0, 40, 920, 40, 0]);
        assert_near(ratio(-5.0, 5.0, &even), 0.0, 1e-6);
    }

    #[test]
    fn status_follows_bounds() {
        let sprt = Sprt::new(0.0, 100.0, 0.05, 0.05).unwrap();
        assert_eq!(sprt.status(&Sample::games(5, 0, 5)), SprtStatus::Undecided);
        assert_eq!(
            sprt.status(&Sample::games(30, 0, 5)),
            SprtStatus::AcceptElo1
        );
        assert_eq!(
            sprt.status(&Sample::games(20, 0, 30)),
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
