//! From weights or logits of moves to priors that sum to 1, and the empty answer to fill.

use super::Evaluation;
use crate::game::point::BoardSize;

/// Empties an answer and makes room for the priors of a board of that size, all 0.
pub(super) fn clear(evaluation: &mut Evaluation, size: BoardSize) {
    evaluation.policy.clear();
    evaluation.policy.resize(size.area() + 1, 0.0);
    evaluation.value = 0.0;
    evaluation.no_result = 0.0;
    evaluation.score_lead = 0.0;
    evaluation.details = None;
    evaluation.ownership.clear();
}

/// Divides weights by their sum, which is not 0. Addition goes from the first to the last, so that every platform
/// rounds alike.
pub(super) fn normalise(weights: &mut [f32]) {
    let sum: f32 = weights.iter().sum();
    for weight in weights {
        *weight /= sum;
    }
}

/// Turns logits into priors: `exp(x - max)` over its sum. A logit of minus infinity gives 0; one of them is finite.
pub(super) fn softmax(logits: &mut [f32]) {
    let max = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    for logit in logits.iter_mut() {
        *logit = (*logit - max).exp();
    }
    normalise(logits);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn softmax_of_known_logits() {
        // exp(ln 3) : exp(0) : exp(-inf) is 3 : 1 : 0; a common offset does not matter, however large.
        for offset in [0.0, 300.0, -300.0] {
            let mut logits = [3f32.ln() + offset, offset, f32::NEG_INFINITY];
            softmax(&mut logits);
            let expected = [0.75, 0.25, 0.0];
            let near = |(a, b): (&f32, &f32)| (a - b).abs() < 1e-4;
            assert!(logits.iter().zip(&expected).all(near), "{logits:?}");
        }
    }
}
