//! From the heads' numbers to what they say of a position.
//!
//! KataGo's formulas are those of its own evaluation code (`nneval.cpp`), where the numbers of each version are told.

use super::desc::{KataReadout, Readout};

/// Points that the score of this engine's own nets counts in.
const SCORE_SCALE: f32 = 20.0;
/// Turns an expected score of KataGo's third version, which is no number of points yet, into points.
const SCORE_VALUE_SCALE: f64 = 2.0;

/// What the value head says of one position, from the side of the player to move, or from Black's where
/// [`Readout::is_for_black`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Judgement {
    /// Expected result, from -1 (lost) to 1 (won): the chance to win less that to lose.
    pub value: f32,
    /// Chance of a game without result; 0 where the net does not know of such or the rules forbid it.
    pub no_result: f32,
    /// Expected lead in points: the komi that would make the game even, beyond the one there is.
    pub lead: Option<f32>,
    /// More about the score and the errors of all this.
    pub details: Option<Details>,
}

/// What only some nets say of a position, from the side of the player to move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Details {
    /// Expected score of a game that the net plays against itself, in points.
    pub score_mean: f32,
    /// Expected square of that score.
    pub score_mean_square: f32,
    /// What nets since 2020 add.
    pub errors: Option<Errors>,
}

/// How long the game stays open and how far off the judgement is expected to be a few turns on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Errors {
    /// Expected turns until the winner shows.
    pub variance_time: f32,
    /// Expected error of win less loss.
    pub value: f32,
    /// Expected error of the score in points.
    pub score: f32,
}

impl Details {
    /// The means of all numbers; `None` when one of them is missing.
    pub fn mean(all: impl Iterator<Item = Option<Self>>) -> Option<Self> {
        let all: Vec<Self> = all.collect::<Option<_>>()?;
        let share = 1.0 / all.len() as f32;
        let mean = |number: fn(&Self) -> f32| share * all.iter().map(number).sum::<f32>();
        let errors: Option<Vec<Errors>> = all.iter().map(|details| details.errors).collect();
        let errors = errors.map(|errors| {
            let mean = |number: fn(&Errors) -> f32| share * errors.iter().map(number).sum::<f32>();
            Errors {
                variance_time: mean(|errors| errors.variance_time),
                value: mean(|errors| errors.value),
                score: mean(|errors| errors.score),
            }
        });
        Some(Self {
            score_mean: mean(|details| details.score_mean),
            score_mean_square: mean(|details| details.score_mean_square),
            errors,
        })
    }

    /// The standard deviation of the score.
    #[must_use]
    pub fn score_deviation(&self) -> f32 {
        (self.score_mean_square - self.score_mean * self.score_mean)
            .max(0.0)
            .sqrt()
    }
}

impl Readout {
    /// Whether the result is told for Black, whoever is to move.
    #[must_use]
    pub fn is_for_black(&self) -> bool {
        *self == Self::LeelaZeroBlack
    }

    /// Reads the result's and the score's numbers of one position; `no_result` tells whether the rules know games
    /// without result, and `area` the points of the board.
    #[must_use]
    pub fn judge(&self, result: &[f32], score: &[f32], no_result: bool, area: usize) -> Judgement {
        match self {
            Self::Honinbo => Judgement {
                value: result[0].tanh(),
                lead: score.first().map(|score| score * SCORE_SCALE),
                ..Judgement::default()
            },
            Self::LeelaZero | Self::LeelaZeroBlack => Judgement {
                value: result[0].tanh(),
                ..Judgement::default()
            },
            Self::KataGo(readout) => readout.judge(result, score, no_result, area),
        }
    }
}

impl KataReadout {
    fn judge(&self, result: &[f32], score: &[f32], no_result: bool, area: usize) -> Judgement {
        let [win, loss, no_result] = chances(result, no_result || self.version == 3);
        // A game without result counts as no points.
        let counted = 1.0 - no_result;
        let (mean, square, lead) = match *score {
            [value] => {
                let points = points_of_score_value(value, area);
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
            [_, _, _, time, value, score] => Some(Errors {
                variance_time: (softplus(time) * f64::from(self.variance_time)) as f32,
                value: self.error(value, self.value_error, 1.0),
                score: self.error(score, self.score_error, 10.0),
            }),
            _ => None,
        };
        Judgement {
            value: (win - loss) as f32,
            no_result: no_result as f32,
            lead: Some(lead as f32),
            details: Some(Details {
                score_mean: mean as f32,
                score_mean_square: square as f32,
                errors,
            }),
        }
    }

    /// An expected error: its square is what newer nets foretell, the error itself what those of version 9 do, in units
    /// of their own.
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

/// The softmax of the logits of win, loss and no result; without the last where there is no such thing.
fn chances(logits: &[f32], no_result: bool) -> [f64; 3] {
    let mut logits = [logits[0], logits[1], logits[2]].map(f64::from);
    if !no_result {
        logits[2] = f64::NEG_INFINITY;
    }
    let highest = logits.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let weights = logits.map(|logit| (logit - highest).exp());
    let sum: f64 = weights.iter().sum();
    weights.map(|weight| weight / sum)
}

/// Nets of version 3 tell `tan` of a score's value, which is `2/pi atan(points / (2 side))` of the points.
fn points_of_score_value(number: f32, area: usize) -> f64 {
    f64::from(number) * SCORE_VALUE_SCALE * (area as f64).sqrt()
}

/// `ln(1 + e^x)`
fn softplus(x: f32) -> f64 {
    let x = f64::from(x);
    x.max(0.0) + (-x.abs()).exp().ln_1p()
}

/// The logit of a move: mixed from the first two kinds if there are that many, the second of which hopes for surprises.
#[must_use]
pub fn logit(kinds: &[f32], optimism: f32) -> f32 {
    match *kinds {
        [plain, hopeful, ..] => plain + (hopeful - plain) * optimism,
        [plain] => plain,
        [] => 0.0,
    }
}
