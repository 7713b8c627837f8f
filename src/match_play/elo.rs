//! Scores and Elo differences with their uncertainty.
//!
//! The Elo model: a side that is `d` stronger scores `1 / (1 + 10^(-d / 400))` on average. Intervals of the score are
//! Wilson's ("Probable inference, the law of succession, and statistical inference", JASA 22, 1927), which stay honest
//! when one side wins nearly every game. Wilson's formula is for wins and losses only; draws and games in pairs vary
//! less (or more), so the number of games is divided by the ratio of the observed variance to that of wins and
//! losses. One binomial observation is mixed into that ratio, lest a few lucky pairs look certain.

/// The normal quantile of a two-sided interval of 95 %.
pub(super) const Z95: f64 = 1.959_964;

/// How often each score was seen. An observation is one game, or a pair of games with its mean score.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// Scores from 0 to 1 with their counts.
    pub counts: Vec<(f64, u32)>,
    /// Games in an observation.
    pub games_per_observation: u32,
}

/// The score of a side and the ends of its interval of 95 %.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The observed mean.
    pub mean: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Sample {
    /// Single games.
    #[must_use]
    pub fn games(wins: u32, draws: u32, losses: u32) -> Self {
        Self {
            counts: vec![(0.0, losses), (0.5, draws), (1.0, wins)],
            games_per_observation: 1,
        }
    }

    /// Pairs of games; `counts[k]` of them brought `k` half points out of four.
    #[must_use]
    pub fn pairs(counts: [u32; 5]) -> Self {
        let scores = [0.0, 0.25, 0.5, 0.75, 1.0];
        Self {
            counts: scores.into_iter().zip(counts).collect(),
            games_per_observation: 2,
        }
    }

    /// The same as the other side sees it.
    #[must_use]
    pub fn reversed(&self) -> Self {
        let counts = self.counts.iter();
        Self {
            counts: counts.map(|&(score, count)| (1.0 - score, count)).collect(),
            ..*self
        }
    }

    /// With another's observations, of as many games each.
    #[must_use]
    pub fn plus(mut self, other: &Self) -> Self {
        self.counts.extend(&other.counts);
        self
    }

    /// Number of observations.
    #[must_use]
    pub fn size(&self) -> u32 {
        self.counts.iter().map(|&(_, count)| count).sum()
    }

    /// The mean score and its interval; `None` without observations.
    #[must_use]
    pub fn interval(&self) -> Option<Interval> {
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

/// Wilson's interval for a mean score over that many independent games.
fn wilson(mean: f64, games: f64) -> Interval {
    let z2 = Z95 * Z95 / games;
    let centre = (mean + z2 / 2.0) / (1.0 + z2);
    let variance = mean * (1.0 - mean) / games + z2 / (4.0 * games);
    let half_width = Z95 * variance.sqrt() / (1.0 + z2);
    Interval {
        mean,
        low: (centre - half_width).clamp(0.0, mean),
        high: (centre + half_width).clamp(mean, 1.0),
    }
}

/// The score that a difference in Elo promises.
#[must_use]
pub fn expected_score(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

/// The difference in Elo that a score speaks for; infinite for 0 and 1.
#[must_use]
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
        // Ten to one is a power of ten, so 400 points; 200 points are the square root of ten to one.
        assert_near(elo_difference(10.0 / 11.0), 400.0, 1e-9);
        assert_near(expected_score(200.0), 0.759_747, 1e-6);
        assert_near(expected_score(-200.0), 1.0 - 0.759_747, 1e-6);
        assert_eq!(expected_score(0.0), 0.5);
        assert_eq!(elo_difference(1.0), f64::INFINITY);
        assert_eq!(elo_difference(0.0), f64::NEG_INFINITY);
    }

    #[test]
    fn win_loss_intervals_match_wilson() {
        assert_eq!(Sample::games(0, 0, 0).interval(), None);
        // Five of ten: the value in every table of Wilson intervals.
        let even = Sample::games(5, 0, 5).interval().unwrap();
        assert_near(even.low, 0.2366, 1e-4);
        assert_near(even.high, 0.7634, 1e-4);
        // Ten of ten: the lower end is 10 / (10 + z^2) = 0.7225, which is 166 Elo.
        let all = Sample::games(10, 0, 0).interval().unwrap();
        assert_near(all.low, 0.7225, 1e-4);
        assert_near(elo_difference(all.low), 166.2, 0.1);
        assert_eq!((all.mean, all.high), (1.0, 1.0));
    }

    #[test]
    fn large_samples_approach_normal_interval() {
        // Mean 0.52; variance 0.22 + 600/4000 - 0.2704 = 0.0996; 1.96 sqrt(0.0996 / 1000) = 0.01956.
        let games = Sample::games(220, 600, 180).interval().unwrap();
        assert_near(games.mean, 0.52, 1e-12);
        assert_near(games.high - games.mean, 0.01956, 2e-4);
        assert_near(games.mean - games.low, 0.01956, 2e-4);
        // Pairs: variance (40 + 40) / 1000 / 16 = 0.005, of two binomial games 0.125; the ratio 0.04 with one binomial
        // observation in 1001 is 0.04096; 1.96 sqrt(0.04096 * 0.25 / 2000) = 0.004435.
        let pairs = Sample::pairs([0, 40, 920, 40, 0]).interval().unwrap();
        assert_near(pairs.high - pairs.low, 2.0 * 0.004_435, 1e-5);
        let won = Sample::pairs([0, 0, 1, 2, 1]);
        let both = won.clone().plus(&won.reversed()).interval().unwrap();
        let expected = Sample::pairs([1, 2, 2, 2, 1]).interval().unwrap();
        assert_near(both.low, expected.low, 1e-12);
        assert_near(both.high, expected.high, 1e-12);
    }
}
