//! Decoding of the raw head outputs into probabilities, scores in points, and expected errors.
//!
//! The formulas for KataGo's networks and their dependence on the version follow KataGo's `cpp/neuralnet/nneval.cpp`.

use super::spec::{KataReadout, Readout};

/// Points per unit of the score output in this engine's networks.
const HONINBO_POINTS_PER_SCORE: f32 = 20.0;
/// Scale of the score output in KataGo's networks of version 3. On an NxN board, one unit of the output corresponds to
/// this number times N points.
const KATA_V3_SCORE_SCALE: f64 = 2.0;

/// Decoded value outputs for a position, from the perspective of the player to move, or of Black if
/// [`Readout::is_result_for_black`] returns true.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ValueEstimate {
    /// Expected result from -1 (loss) to 1 (win): the probability of a win minus that of a loss.
    pub value: f32,
    /// Probability of a game without a result. 0 if the network does not predict it or if the rules exclude such games.
    /// (KataGo's networks of version 3 predict it regardless of the rules.)
    pub no_result: f32,
    /// Expected lead in points: the game would be even if the opponent received this number of points as compensation.
    /// `None` if the network has no score output.
    pub lead: Option<f32>,
    /// Score distribution and expected errors. `None` if the network does not predict them.
    pub details: Option<KataDetails>,
}

/// Additional outputs of KataGo's networks, from the perspective of the player to move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KataDetails {
    /// Expected final score of self-play from this position, in points.
    pub score_mean: f32,
    /// Expected square of the final score of self-play.
    pub score_mean_square: f32,
    /// Expected errors. `None` for networks before version 9, which do not predict them.
    pub errors: Option<UncertaintyEstimates>,
}

/// Expected number of turns until the winner is clear, and expected short-term errors (over the next few turns) of
/// value and score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UncertaintyEstimates {
    /// Expected number of turns until the winner is clear (KataGo's `varTimeLeft`).
    pub variance_time: f32,
    /// Expected short-term error of [`ValueEstimate::value`].
    pub value: f32,
    /// Expected short-term error of the score, in points.
    pub score: f32,
}

impl KataDetails {
    /// Returns the mean of each field over all elements of `all`, which must not be empty. Returns `None` if an element
    /// is `None`. The `errors` of the result are `None` if the `errors` of any element are `None`.
    pub fn mean(all: impl Iterator<Item = Option<Self>>) -> Option<Self> {
        let all: Vec<Self> = all.collect::<Option<_>>()?;
        let errors: Option<Vec<_>> = all.iter().map(|details| details.errors).collect();
        Some(Self {
            score_mean: mean(&all, |details| details.score_mean),
            score_mean_square: mean(&all, |details| details.score_mean_square),
            errors: errors.map(|all| UncertaintyEstimates {
                variance_time: mean(&all, |errors| errors.variance_time),
                value: mean(&all, |errors| errors.value),
                score: mean(&all, |errors| errors.score),
            }),
        })
    }

    /// Returns the standard deviation of the final score, in points.
    #[must_use]
    pub fn score_deviation(&self) -> f32 {
        (self.score_mean_square - self.score_mean * self.score_mean)
            .max(0.0)
            .sqrt()
    }
}

impl Readout {
    /// Returns true if the result is from Black's perspective, regardless of the side to move.
    #[must_use]
    pub fn is_result_for_black(&self) -> bool {
        *self == Self::LeelaZeroBlack
    }

    /// Decodes the raw outputs for the game result (`result`) and the score (`score`) of a position. `area` is the
    /// number of points of the board, and `no_result` is true if the rules allow a game to end without a result.
    #[must_use]
    pub fn decode_value(
        &self,
        result: &[f32],
        score: &[f32],
        no_result: bool,
        area: usize,
    ) -> ValueEstimate {
        match self {
            Self::Honinbo => ValueEstimate {
                value: result[0].tanh(),
                lead: score.first().map(|score| score * HONINBO_POINTS_PER_SCORE),
                ..ValueEstimate::default()
            },
            Self::LeelaZero | Self::LeelaZeroBlack => ValueEstimate {
                value: result[0].tanh(),
                ..ValueEstimate::default()
            },
            Self::KataGo(readout) => readout.decode_value(result, score, no_result, area),
        }
    }
}

impl KataReadout {
    fn decode_value(
        &self,
        result: &[f32],
        score: &[f32],
        no_result: bool,
        area: usize,
    ) -> ValueEstimate {
        let [win, loss, no_result] = result_probabilities(result, no_result || self.version == 3);
        // A game without a result counts as score 0.
        let counted = 1.0 - no_result;
        let (mean, square, lead) = match *score {
            [value] => {
                let points = points_of_v3_score(value, area);
                (points, points * points, points)
            }
            [mean, deviation, ref rest @ ..] => {
                let mean = f64::from(mean) * f64::from(self.score_mean);
                let deviation = softplus(deviation) * f64::from(self.score_deviation);
                let lead = rest
                    .first()
                    .map_or(mean, |&lead| f64::from(lead) * f64::from(self.lead));
                (
                    mean * counted,
                    (mean * mean + deviation * deviation) * counted,
                    lead * counted,
                )
            }
            [] => (0.0, 0.0, 0.0),
        };
        let errors = match *score {
            [_, _, _, time, value, score] => Some(UncertaintyEstimates {
                variance_time: (softplus(time) * f64::from(self.variance_time)) as f32,
                value: self.error(value, self.value_error, 1.0),
                score: self.error(score, self.score_error, 10.0),
            }),
            _ => None,
        };
        ValueEstimate {
            value: (win - loss) as f32,
            no_result: no_result as f32,
            lead: Some(lead as f32),
            details: Some(KataDetails {
                score_mean: mean as f32,
                score_mean_square: square as f32,
                errors,
            }),
        }
    }

    /// Decodes an expected error. Networks of version 9 predict the error in multiples of `unit`. Newer networks
    /// predict the squared error in multiples of `factor`: `softplus(number)` or, from version 14,
    /// `softplus(number / 2)^2`.
    fn error(&self, number: f32, factor: f32, unit: f64) -> f32 {
        let factor = f64::from(factor);
        let error = match self.version {
            ..=9 => softplus(number) * unit,
            10..=13 => (softplus(number) * factor).sqrt(),
            14.. => softplus(number / 2.0) * factor.sqrt(),
        };
        error as f32
    }
}

fn mean<T>(all: &[T], number: fn(&T) -> f32) -> f32 {
    1.0 / all.len() as f32 * all.iter().map(number).sum::<f32>()
}

/// Returns the probabilities of win, loss and no result: the softmax of the three `logits`. If `no_result` is false,
/// the third probability is 0.
fn result_probabilities(logits: &[f32], no_result: bool) -> [f64; 3] {
    let mut logits = [logits[0], logits[1], logits[2]].map(f64::from);
    if !no_result {
        logits[2] = f64::NEG_INFINITY;
    }
    let highest = logits.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let weights = logits.map(|logit| (logit - highest).exp());
    let sum: f64 = weights.iter().sum();
    weights.map(|weight| weight / sum)
}

/// Converts the score output of a network of version 3 into points. The output is `tan(pi / 2 * s)`, where `s` is the
/// score value `2 / pi * atan(points / (2 * side))` with `side = sqrt(area)`.
fn points_of_v3_score(number: f32, area: usize) -> f64 {
    f64::from(number) * KATA_V3_SCORE_SCALE * (area as f64).sqrt()
}

/// Computes `ln(1 + e^x)` without overflow for large `x`.
fn softplus(x: f32) -> f64 {
    let x = f64::from(x);
    x.max(0.0) + (-x.abs()).exp().ln_1p()
}

/// Returns the policy logit of a move, given its logit in each policy of the network (`logits`).
///
/// The second element, if any, is the logit in the optimistic policy. The result interpolates between the first two
/// elements with weight `optimism` (0 selects the first one). Further elements are ignored. The result is 0 if `logits`
/// is empty.
#[must_use]
pub fn blend_policy_logits(logits: &[f32], optimism: f32) -> f32 {
    match *logits {
        [plain, optimistic, ..] => plain + (optimistic - plain) * optimism,
        [plain] => plain,
        [] => 0.0,
    }
}
