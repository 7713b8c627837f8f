//! Seeded random numbers.
//!
//! All random choices of the engine use this generator, so that a single-threaded run with the same seed is
//! reproducible. The generator is xoshiro256++ (Blackman and Vigna, "Scrambled linear pseudorandom number
//! generators", 2018), seeded through SplitMix64 as its authors recommend. It is not suitable for cryptography.
//!
//! Samples are the same on all platforms: transcendental functions come from `libm`, because the results of the standard
//! library's functions depend on the platform.

pub mod stable_hash;

/// Returns the output of a SplitMix64 step from `state`. This function is a fixed bijection of 64-bit words with good
/// mixing.
pub const fn splitmix64(state: u64) -> u64 {
    let mut z = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Random number generator, fully determined by its seed.
#[derive(Clone, Debug)]
pub struct Rng {
    state: [u64; 4],
}

impl Rng {
    /// Creates a generator from `seed`.
    pub fn new(seed: u64) -> Self {
        let mut word = seed;
        let state = std::array::from_fn(|_| {
            let mixed = splitmix64(word);
            word = word.wrapping_add(0x9e37_79b9_7f4a_7c15);
            mixed
        });
        Self { state }
    }

    /// Creates the generator for stream `index` of `seed`. The streams of a seed are statistically independent; use one
    /// stream per thread, game or job.
    pub fn stream(seed: u64, index: u64) -> Self {
        Self::new(splitmix64(seed) ^ splitmix64(index.wrapping_mul(0xd134_2543_de82_ef95)))
    }

    /// Returns 64 random bits.
    #[inline]
    pub fn next_u64(&mut self) -> u64 {
        let s = &mut self.state;
        let result = s[0].wrapping_add(s[3]).rotate_left(23).wrapping_add(s[0]);
        let t = s[1] << 17;
        s[2] ^= s[0];
        s[3] ^= s[1];
        s[1] ^= s[2];
        s[0] ^= s[3];
        s[2] ^= t;
        s[3] = s[3].rotate_left(45);
        result
    }

    /// Returns a uniformly distributed integer in `0..bound`.
    ///
    /// Uses Lemire's multiply-shift without the rejection step; the bias is below `bound / 2^32`.
    ///
    /// # Panics
    /// Panics in debug builds if `bound` is zero or does not fit in 32 bits.
    #[inline]
    pub fn below(&mut self, bound: usize) -> usize {
        debug_assert!(bound > 0 && u32::try_from(bound).is_ok());
        (((self.next_u64() >> 32) * bound as u64) >> 32) as usize
    }

    /// Returns a uniformly distributed number in `[0, 1)` with 24 bits of precision.
    #[inline]
    pub fn unit_f32(&mut self) -> f32 {
        (self.next_u64() >> 40) as f32 * (1.0 / 16_777_216.0)
    }

    /// Returns a uniformly distributed number in `[0, 1)` with 53 bits of precision.
    pub fn unit_f64(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 * (1.0 / 9_007_199_254_740_992.0)
    }

    /// Returns true with probability `p`.
    pub fn chance(&mut self, p: f64) -> bool {
        self.unit_f64() < p
    }

    /// Returns a sample from the standard normal distribution (Box-Muller transform).
    pub fn normal(&mut self) -> f64 {
        let radius = (-2.0 * libm::log(1.0 - self.unit_f64())).sqrt();
        radius * libm::cos(std::f64::consts::TAU * self.unit_f64())
    }

    /// Returns a sample from the gamma distribution with the given positive shape and scale 1 (Marsaglia and Tsang,
    /// "A simple method for generating gamma variables", 2000). For shapes below 1, a sample with `shape + 1` is scaled
    /// down as described in section 6 of the paper.
    pub fn gamma(&mut self, shape: f64) -> f64 {
        if shape < 1.0 {
            let boost = libm::pow(1.0 - self.unit_f64(), 1.0 / shape);
            return self.gamma(shape + 1.0) * boost;
        }
        let d = shape - 1.0 / 3.0;
        let c = 1.0 / (9.0 * d).sqrt();
        loop {
            let x = self.normal();
            let root = 1.0 + c * x;
            let v = root * root * root;
            if v > 0.0
                && libm::log(1.0 - self.unit_f64()) < 0.5 * x * x + d - d * v + d * libm::log(v)
            {
                return d * v;
            }
        }
    }

    /// Samples an index of `weights` with probability proportional to the weight. Weights must not be negative. Returns
    /// `None` if all weights are zero.
    pub fn sample_weighted(&mut self, weights: &[f64]) -> Option<usize> {
        let mut remaining = self.unit_f64() * weights.iter().sum::<f64>();
        let mut last = None;
        for (index, &weight) in weights.iter().enumerate() {
            if weight > 0.0 {
                // If rounding leaves a remainder, the last positive weight is chosen.
                last = Some(index);
                remaining -= weight;
                if remaining < 0.0 {
                    break;
                }
            }
        }
        last
    }

    /// Samples an index of `weights` with probability proportional to `weight^(1/temperature)`. Weights must not be
    /// negative. Returns `None` if all weights are zero.
    pub fn sample_with_temperature(&mut self, weights: &[f64], temperature: f64) -> Option<usize> {
        let max_weight = weights.iter().copied().fold(0.0, f64::max);
        // Dividing by the maximum prevents underflow of the relevant powers.
        let power = |weight: &f64| match max_weight {
            0.0 => 0.0,
            _ => libm::pow(weight / max_weight, 1.0 / temperature),
        };
        let powers: Vec<f64> = weights.iter().map(power).collect();
        self.sample_weighted(&powers)
    }

    /// Samples `count` distinct integers below `bound`, or all integers below `bound` if there are fewer. Returns the
    /// integers in ascending order. All subsets are equally likely (Floyd's method: Bentley and Floyd, "A sample of
    /// brilliance", 1987).
    pub fn sample_indices(&mut self, bound: usize, count: usize) -> Vec<usize> {
        let mut indices = Vec::with_capacity(count.min(bound));
        for upper in bound.saturating_sub(count)..bound {
            let candidate = self.below(upper + 1);
            let index = if indices.contains(&candidate) {
                upper
            } else {
                candidate
            };
            indices.push(index);
        }
        indices.sort_unstable();
        indices
    }

    /// Shuffles the items uniformly (Fisher-Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_are_distinct_and_reproducible() {
        let draw = |mut rng: Rng| [rng.next_u64(), rng.next_u64(), rng.next_u64()];
        assert_eq!(draw(Rng::new(7)), draw(Rng::new(7)));
        assert_ne!(draw(Rng::new(7)), draw(Rng::new(8)));
        assert_ne!(draw(Rng::stream(7, 0)), draw(Rng::stream(7, 1)));
    }

    #[test]
    fn splitmix_matches_reference_output() {
        // First output of the reference generator with state 0.
        assert_eq!(splitmix64(0), 0xe220_a839_7b1d_cdaf);
    }

    #[test]
    fn zero_weights_are_never_sampled() {
        let mut rng = Rng::new(3);
        assert_eq!(rng.sample_weighted(&[0.0, 0.0]), None);
        assert!((0..100).all(|_| rng.sample_weighted(&[0.0, 2.0, 0.0]) == Some(1)));
    }

    #[test]
    fn below_is_uniform() {
        let mut rng = Rng::new(1);
        let mut counts = [0u32; 7];
        for _ in 0..70_000 {
            counts[rng.below(7)] += 1;
        }
        assert!(
            counts.iter().all(|&n| (9_500..10_500).contains(&n)),
            "{counts:?}"
        );
    }

    #[test]
    fn sample_indices_are_distinct_and_uniform() {
        let mut rng = Rng::new(2);
        let mut counts = [0u32; 6];
        for _ in 0..6_000 {
            let indices = rng.sample_indices(6, 3);
            assert!(indices.len() == 3 && indices.is_sorted_by(|a, b| a < b));
            indices.into_iter().for_each(|number| counts[number] += 1);
        }
        assert!(
            counts.iter().all(|n| (2_800..3_200).contains(n)),
            "{counts:?}"
        );
        assert_eq!(rng.sample_indices(3, 9), [0, 1, 2]);
        assert!(rng.sample_indices(0, 4).is_empty());
    }

    #[test]
    fn gamma_mean_equals_shape() {
        let mut rng = Rng::new(3);
        for shape in [0.3, 1.0, 4.5] {
            let mean = (0..20_000).map(|_| rng.gamma(shape)).sum::<f64>() / 20_000.0;
            assert!(
                (mean - shape).abs() < 0.06 * shape.max(1.0),
                "shape {shape}: mean {mean}"
            );
        }
    }
}
