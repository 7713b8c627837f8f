//! Telling networks apart by what they are.

use std::hash::Hasher;

use super::NetDesc;
use crate::random::stable_hash::StableHasher;

impl NetDesc {
    /// A number that networks of the same description and the same weights have in common, whatever kind of file they
    /// came from, on every machine; others have another, but for a chance of nothing.
    #[must_use]
    pub fn fingerprint(&mut self) -> u64 {
        let mut hasher = StableHasher::default();
        let layers = serde_json::to_string(self).expect("names are texts");
        hasher.write(layers.as_bytes());
        for tensor in self.tensors_mut() {
            // Two numbers to a word.
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
