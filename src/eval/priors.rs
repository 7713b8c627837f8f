//! Conversion of move weights or logits to priors.

/// Divides weights by their sum, which must not be 0. The order of summation is fixed, so that results are rounded
/// alike on all platforms.
pub(super) fn normalise(weights: &mut [f32]) {
    let sum: f32 = weights.iter().sum();
    for weight in weights {
        *weight /= sum;
    }
}

/// Replaces logits by their softmax. A logit of minus infinity gives 0; at least one logit must be finite.
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
        // exp(ln 3) : exp(0) : exp(-inf) is 3 : 1 : 0, regardless of a common offset.
        for offset in [0.0, 300.0, -300.0] {
            let mut logits = [3f32.ln() + offset, offset, f32::NEG_INFINITY];
            softmax(&mut logits);
            let expected = [0.75, 0.25, 0.0];
            let near = |(a, b): (&f32, &f32)| (a - b).abs() < 1e-4;
            assert!(logits.iter().zip(&expected).all(near), "{logits:?}");
        }
    }
}
