//! Labels and their binary form.
//!
//! All numbers are stored in little-endian order. Values are from the perspective of the side to move:
//!
//! | type | meaning |
//! |---|---|
//! | u8 | flags of the optional parts: 1 lead, 2 score deviation, 4 errors, 8 ownership |
//! | u16 | probability of winning * 65,535 |
//! | u16 | probability of no result * 65,535 |
//! | i16 | lead in points * 64 (optional) |
//! | u16 | standard deviation of the score in points * 64 (optional) |
//! | u16, u16, u16 | value error * 16,384; score error in points * 64; variance time in turns * 64 (optional) |
//! | u8 n, n x (u16, u8) | most probable moves: board index (the area for a pass), -16 log2 of the probability |
//! | (area + 1) / 2 bytes | ownership: two points per byte, low four bits first, (owner + 1) * 7.5 rounded (optional) |

use super::little_endian::{read_u8, read_u16};
use crate::eval::{Evaluation, UncertaintyEstimates};

/// Sum of probabilities at which no further moves are stored. The moves are stored in descending order of probability.
const STORED_POLICY_SUM: f32 = 0.997;
/// Maximum number of moves stored per label.
const MAX_POLICY_MOVES: usize = 32;
/// Resolution of the stored move probabilities, which are on a logarithmic scale: number of steps per factor of two.
const STEPS_PER_DOUBLING: f32 = 16.0;

const HAS_LEAD: u8 = 1;
const HAS_SCORE_DEVIATION: u8 = 2;
const HAS_SHORT_TERM_ERRORS: u8 = 4;
const HAS_OWNERSHIP: u8 = 8;

const PROBABILITY_SCALE: f32 = 65_535.0;
const POINTS_SCALE: f32 = 64.0;
const VALUE_ERROR_SCALE: f32 = 16_384.0;
const OWNER_SCALE: f32 = 7.5;

/// Prediction of a teacher for one position, from the perspective of the side to move.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Label {
    /// Probability of winning.
    pub win: f32,
    /// Probability that the game ends without a result.
    pub no_result: f32,
    /// Lead in points, including komi; `None` if the teacher does not predict the lead.
    pub lead: Option<f32>,
    /// Standard deviation of the final score in points, if predicted.
    pub score_deviation: Option<f32>,
    /// Variance time and expected short-term errors, if predicted.
    pub errors: Option<UncertaintyEstimates>,
    /// Most probable moves with their probabilities, in descending order of probability. A move is the board index of a
    /// point, or the board area for a pass.
    pub policy: Vec<(u16, f32)>,
    /// Expected owner of each point, from -1 (opponent) to 1 (side to move); empty if unknown.
    pub ownership: Vec<f32>,
}

impl Label {
    /// Creates a label from an evaluation. `has_lead` is true if the evaluator predicts the lead.
    pub fn from_evaluation(evaluation: &Evaluation, has_lead: bool) -> Self {
        Self {
            win: f32::midpoint(1.0 - evaluation.no_result, evaluation.value),
            no_result: evaluation.no_result,
            lead: has_lead.then_some(evaluation.score_lead),
            score_deviation: evaluation.details.map(|details| details.score_deviation()),
            errors: evaluation.details.and_then(|details| details.errors),
            policy: top_moves(&evaluation.policy),
            ownership: evaluation.ownership.clone(),
        }
    }

    /// Returns the expected result, from -1 (loss) to 1 (win).
    pub fn value(&self) -> f32 {
        (2.0 * self.win - 1.0 + self.no_result).clamp(-1.0, 1.0)
    }

    /// Returns the probability of every point of a board with `area` points, followed by the probability of a pass, all
    /// scaled to a sum of 1. Returns `None` if the label contains no moves or a move outside the board.
    pub fn dense_policy(&self, area: usize) -> Option<Vec<f32>> {
        let sum: f32 = self
            .policy
            .iter()
            .map(|&(_, probability)| probability)
            .sum();
        let mut policy = vec![0.0; area + 1];
        for &(index, probability) in &self.policy {
            *policy.get_mut(usize::from(index))? = probability / sum;
        }
        (sum > 0.0).then_some(policy)
    }

    /// Appends the binary form of the label to `out`.
    pub fn encode(&self, out: &mut Vec<u8>) {
        let flag = |present: bool, bit: u8| if present { bit } else { 0 };
        out.push(
            flag(self.lead.is_some(), HAS_LEAD)
                | flag(self.score_deviation.is_some(), HAS_SCORE_DEVIATION)
                | flag(self.errors.is_some(), HAS_SHORT_TERM_ERRORS)
                | flag(!self.ownership.is_empty(), HAS_OWNERSHIP),
        );
        out.extend(encode_scaled(self.win, PROBABILITY_SCALE));
        out.extend(encode_scaled(self.no_result, PROBABILITY_SCALE));
        if let Some(lead) = self.lead {
            // A cast from a float to an integer saturates.
            out.extend(((lead * POINTS_SCALE).round() as i16).to_le_bytes());
        }
        if let Some(deviation) = self.score_deviation {
            out.extend(encode_scaled(deviation, POINTS_SCALE));
        }
        if let Some(errors) = self.errors {
            out.extend(encode_scaled(errors.value, VALUE_ERROR_SCALE));
            out.extend(encode_scaled(errors.score, POINTS_SCALE));
            out.extend(encode_scaled(errors.variance_time, POINTS_SCALE));
        }
        let moves = &self.policy[..self.policy.len().min(MAX_POLICY_MOVES)];
        out.push(moves.len() as u8);
        for &(index, probability) in moves {
            out.extend(index.to_le_bytes());
            out.push((-STEPS_PER_DOUBLING * probability.log2()).round() as u8);
        }
        let nibble = |owner: f32| ((owner + 1.0) * OWNER_SCALE).round().clamp(0.0, 15.0) as u8;
        for pair in self.ownership.chunks(2) {
            out.push(nibble(pair[0]) | pair.get(1).map_or(0, |&owner| nibble(owner) << 4));
        }
    }

    /// Parses a label for a board with `area` points and removes its bytes from the start of `bytes`. Returns `None` if
    /// the bytes are invalid.
    pub fn decode(bytes: &mut &[u8], area: usize) -> Option<Self> {
        let flags = read_u8(bytes)?;
        let has = |bit: u8| flags & bit != 0;
        let win = read_scaled(bytes, PROBABILITY_SCALE)?;
        let no_result = read_scaled(bytes, PROBABILITY_SCALE)?;
        let lead = match has(HAS_LEAD) {
            true => Some(f32::from(read_u16(bytes)?.cast_signed()) / POINTS_SCALE),
            false => None,
        };
        let score_deviation = match has(HAS_SCORE_DEVIATION) {
            true => Some(read_scaled(bytes, POINTS_SCALE)?),
            false => None,
        };
        let errors = match has(HAS_SHORT_TERM_ERRORS) {
            true => Some(UncertaintyEstimates {
                value: read_scaled(bytes, VALUE_ERROR_SCALE)?,
                score: read_scaled(bytes, POINTS_SCALE)?,
                variance_time: read_scaled(bytes, POINTS_SCALE)?,
            }),
            false => None,
        };
        let policy = decode_policy(bytes, area)?;
        let ownership = match has(HAS_OWNERSHIP) {
            true => decode_ownership(bytes, area)?,
            false => Vec::new(),
        };
        Some(Self {
            win,
            no_result,
            lead,
            score_deviation,
            errors,
            policy,
            ownership,
        })
    }
}

/// Returns the most probable moves in descending order of probability, until their sum reaches [`STORED_POLICY_SUM`],
/// but at most [`MAX_POLICY_MOVES`].
fn top_moves(policy: &[f32]) -> Vec<(u16, f32)> {
    let mut moves: Vec<(u16, f32)> = (0..).zip(policy.iter().copied()).collect();
    moves.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let mut sum = 0.0;
    let count = moves
        .iter()
        .take(MAX_POLICY_MOVES)
        .take_while(|&&(_, probability)| {
            let is_included = sum < STORED_POLICY_SUM && probability > 0.0;
            sum += probability;
            is_included
        });
    let count = count.count();
    moves.truncate(count);
    moves
}

fn decode_policy(bytes: &mut &[u8], area: usize) -> Option<Vec<(u16, f32)>> {
    let count = usize::from(read_u8(bytes)?);
    let mut policy = Vec::with_capacity(count);
    for _ in 0..count {
        let index = read_u16(bytes).filter(|&index| usize::from(index) <= area)?;
        policy.push((
            index,
            (-f32::from(read_u8(bytes)?) / STEPS_PER_DOUBLING).exp2(),
        ));
    }
    Some(policy)
}

/// Parses the owners of `area` points, stored as two points per byte. Returns `None` if `bytes` is too short.
pub(super) fn decode_ownership(bytes: &mut &[u8], area: usize) -> Option<Vec<f32>> {
    let packed = bytes.split_off(..area.div_ceil(2))?;
    let owner = |index: usize| packed[index / 2] >> (4 * (index % 2)) & 15;
    Some(
        (0..area)
            .map(|index| f32::from(owner(index)) / OWNER_SCALE - 1.0)
            .collect(),
    )
}

fn encode_scaled(value: f32, scale: f32) -> [u8; 2] {
    // A cast from a float to an integer saturates.
    ((value * scale).round() as u16).to_le_bytes()
}

/// Reads a `u16` and divides it by `scale`.
fn read_scaled(bytes: &mut &[u8], scale: f32) -> Option<f32> {
    Some(f32::from(read_u16(bytes)?) / scale)
}
