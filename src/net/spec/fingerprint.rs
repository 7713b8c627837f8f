//! Fingerprints that identify networks by their content.

use std::hash::Hasher;

use super::NetSpec;
use crate::random::stable_hash::StableHasher;

impl NetSpec {
    /// Returns a 64-bit hash of the description, including the name, the note and all weights, but not the calibration
    /// ranges.
    ///
    /// The hash does not depend on the file format or the machine. Different networks have different fingerprints,
    /// apart from hash collisions.
    #[must_use]
    pub fn fingerprint(&mut self) -> u64 {
        let mut hasher = StableHasher::default();
        let layers =
            serde_json::to_string(self).expect("a network description can be serialised as JSON");
        hasher.write(layers.as_bytes());
        for tensor in self.tensors_mut() {
            // Hash two `f32` values per 64-bit word.
            let (pairs, last) = tensor.values.as_chunks();
            for [first, second] in pairs {
                let (first, second) = (first.to_bits(), second.to_bits());
                hasher.write_u64(u64::from(first) << 32 | u64::from(second));
            }
            last.iter()
                .for_each(|last| hasher.write_u32(last.to_bits()));
        }
        hasher.finish()
    }
}
