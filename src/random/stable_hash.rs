//! Hasher that produces the same results on all platforms and in all Rust releases. The standard library does not
//! guarantee this for its hashers.
//!
//! Reproducible searches depend on this hasher. It offers no protection against deliberately colliding keys.

use std::hash::Hasher;

use crate::random::splitmix64;

/// Hasher that mixes each 64-bit word with SplitMix64. Narrower integers are zero-extended to 64 bits, so the hash of a
/// non-negative integer does not depend on its width.
#[derive(Clone, Copy, Debug, Default)]
pub struct StableHasher(u64);

impl Hasher for StableHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.write_u64(u64::from_le_bytes(word));
        }
    }

    fn write_u8(&mut self, word: u8) {
        self.write_u64(word.into());
    }

    fn write_u16(&mut self, word: u16) {
        self.write_u64(word.into());
    }

    fn write_u32(&mut self, word: u32) {
        self.write_u64(word.into());
    }

    fn write_u64(&mut self, word: u64) {
        self.0 = splitmix64(self.0 ^ word);
    }

    fn write_usize(&mut self, word: usize) {
        self.write_u64(word as u64);
    }
}

#[cfg(test)]
mod tests {
    use std::hash::Hash;

    use super::*;

    fn hash(value: impl Hash) -> u64 {
        let mut hasher = StableHasher::default();
        value.hash(&mut hasher);
        hasher.finish()
    }

    #[test]
    fn integers_hash_independent_of_width() {
        // Published first output of SplitMix64.
        assert_eq!(hash(0u64), 0xe220_a839_7b1d_cdaf);
        assert_eq!(hash(0u8), hash(0u64));
        assert_eq!(hash((7u16, 9i8)), hash((7u64, 9usize)));
        // An `Option` hashes its discriminant, 0 or 1, and then its value.
        assert_eq!(hash(Some(5u32)), hash((1u8, 5u8)));
        assert_ne!(hash((7u8, 9u8)), hash((9u8, 7u8)), "the order matters");
    }
}
