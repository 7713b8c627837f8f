//! Scores and Elo differences with confidence intervals.
//!
//! In the Elo model, a side that is stronger by `d` has the expected score `1 / (1 + 10^(-d / 400))`. Score intervals
//! are Wilson intervals ("Probable inference, the law of succession, and statistical inference", JASA 22, 1927), which
//! remain valid for scores near 0 and 1. Wilson's formula assumes wins and losses only. Draws and paired games have a
//! different variance, so the number of games is divided by the ratio of the observed to the binomial variance. This
//! ratio includes one additional observation with the binomial variance, so that a few equal results do not produce an
//! interval of width zero.

/// Quantile of the normal distribution for a two-sided 95% interval.
pub(super) const Z95: f64 = 1.959_964;

/// Observed scores with their counts. An observation is the score of a game or the mean score of a pair of games.
#[derive(Clone, Debug, PartialEq)]
pub struct ScoreSample {
    /// Pairs of a score, from 0 to 1, and the number of observations with this score.
    pub counts: Vec<(f64, u32)>,
    pub games_per_observation: u32,
}

/// A mean score, from 0 to 1, with its 95% confidence interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConfidenceInterval {
    pub mean: f64,
    pub low: f64,
    pub high: f64,
}

impl ScoreSample {
    /// Creates a sample of single games.
    pub fn from_games(wins: u32, draws: u32, losses: u32) -> Self {
        Self {
            counts: vec![(0.0, losses), (0.5, draws), (1.0, wins)],
            games_per_observation: 1,
        }
    }

    /// Creates a sample of game pairs. `counts[k]` is the number of pairs in which the side scored `k` half points out
    /// of four.
    pub fn from_pairs(counts: [u32; 5]) -> Self {
        let scores = [0.0, 0.25, 0.5, 0.75, 1.0];
        Self {
            counts: scores.into_iter().zip(counts).collect(),
            games_per_observation: 2,
        }
    }

    /// Returns the sample from the opponent's perspective.
    pub fn reversed(&self) -> Self {
        let counts = self.counts.iter();
        Self {
            counts: counts.map(|&(score, count)| (1.0 - score, count)).collect(),
            ..*self
        }
    }

    /// Returns a sample with the observations of both samples, which must have the same number of games per
    /// observation.
    pub fn merged(mut self, other: &Self) -> Self {
        self.counts.extend(&other.counts);
        self
    }

    /// Returns the number of observations.
    pub fn size(&self) -> u32 {
        self.counts.iter().map(|&(_, count)| count).sum()
    }

    /// Returns the mean score and its confidence interval, or `None` if the sample is empty.
    pub fn interval(&self) -> Option<ConfidenceInterval> {
        let size = f64::from(self.size());
        if size == 0.0 {
            return None;
        }
        let mean_of = |value: &dyn Fn(f64) -> f64| {
            let weighted = self.counts.iter().map(|&(x, n)| f64::from(n) * value(x));
            weighted.sum::<f64>() / size
        };
        let mean = mean_of(&|x| x);
        let binomial = mean * (1.0 - mean);
        let games_per_observation = f64::from(self.games_per_observation);
        let observed_ratio = if binomial > 0.0 {
            games_per_observation * mean_of(&|x| (x - mean) * (x - mean)) / binomial
        } else {
            1.0
        };
        let ratio = (size * observed_ratio + 1.0) / (size + 1.0);
        Some(wilson(mean, size * games_per_observation / ratio))
    }
}

/// Returns the Wilson interval for a mean score over `games` independent games. `games` need not be an integer.
fn wilson(mean: f64, games: f64) -> ConfidenceInterval {
    let z2 = Z95 * Z95 / games;
    let centre = (mean + z2 / 2.0) / (1.0 + z2);
    let variance = mean * (1.0 - mean) / games + z2 / (4.0 * games);
    let half_width = Z95 * variance.sqrt() / (1.0 + z2);
    ConfidenceInterval {
        mean,
        low: (centre - half_width).clamp(0.0, mean),
        high: (centre + half_width).clamp(mean, 1.0),
    }
}

/// Returns the expected score, from 0 to 1, of a side that is stronger by `elo`.
pub fn expected_score(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

/// Returns the Elo difference at which the expected score is `score`. The difference is infinite for scores of 0 and 1.
pub fn elo_difference(score: f64) -> f64 {
    400.0 * (score / (1.0 - score)).log10()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_near(actual: f64, expected: f64, tolerance: f64) {
        assert!(
            (actual - expected).abs() <= tolerance,
            "expected {expected} within {tolerance}, found {actual}"
        );
    }

    #[test]
    fn elo_and_score_are_inverse() {
        // 400 points are odds of 10:1, and 200 points are odds of sqrt(10):1.
        assert_near(elo_difference(10.0 / 11.0), 400.0, 1e-9);
        assert_near(expected_score(200.0), 0.759_747, 1e-6);
        assert_near(expected_score(-200.0), 1.0 - 0.759_747, 1e-6);
        assert_eq!(expected_score(0.0), 0.5);
        assert_eq!(elo_difference(1.0), f64::INFINITY);
        assert_eq!(elo_difference(0.0), f64::NEG_INFINITY);
    }

    #[test]
    fn win_loss_intervals_match_wilson() {
        assert_eq!(ScoreSample::from_games(0, 0, 0).interval(), None);
        // The tabulated Wilson interval for five of ten.
        let even = ScoreSample::from_games(5, 0, 5).interval().unwrap();
        assert_near(even.low, 0.2366, 1e-4);
        assert_near(even.high, 0.7634, 1e-4);
        // Ten of ten: the lower bound is 10 / (10 + z^2) = 0.7225, equal to 166 Elo.
        let all = ScoreSample::from_games(10, 0, 0).interval().unwrap();
        assert_near(all.low, 0.7225, 1e-4);
        assert_near(elo_difference(all.low), 166.2, 0.1);
        assert_eq!((all.mean, all.high), (1.0, 1.0));
    }

    #[test]
    fn large_samples_approach_normal_interval() {
        // Mean 0.52; variance 0.22 + 600/4000 - 0.2704 = 0.0996; 1.96 sqrt(0.0996 / 1000) = 0.01956.
        let games = ScoreSample::from_games(220, 600, 180).interval().unwrap();
        assert_near(games.mean, 0.52, 1e-12);
        assert_near(games.high - games.mean, 0.01956, 2e-4);
        assert_near(games.mean - games.low, 0.01956, 2e-4);
        // Pairs: variance (40 + 40) / 1000 / 16 = 0.005, versus 0.125 for two binomial games. The ratio 0.04, with one
        // binomial observation in 1001, becomes 0.04096; 1.96 sqrt(0.04096 * 0.25 / 2000) = 0.004435.
        let pairs = ScoreSample::from_pairs([0, 40, 920, 40, 0])
            .interval()
            .unwrap();
        assert_near(pairs.high - pairs.low, 2.0 * 0.004_435, 1e-5);
        let won = ScoreSample::from_pairs([0, 0, 1, 2, 1]);
        let both = won.clone().merged(&won.reversed()).interval().unwrap();
        let expected = ScoreSample::from_pairs([1, 2, 2, 2, 1]).interval().unwrap();
        assert_near(both.low, expected.low, 1e-12);
        assert_near(both.high, expected.high, 1e-12);
    }
}
