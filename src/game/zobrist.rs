//! Zobrist keys: a fixed random word for each stone, made at compile time.
//!
//! The hash of a board is the exclusive-or of the keys of its stones (Zobrist 1970); a stone put down or taken away
//! changes it by one operation.

use super::color::Color;
use super::point::{NUM_POINTS, Point};
use crate::random::splitmix64;

const KEYS: [[u64; 2]; NUM_POINTS] = {
    let mut keys = [[0; 2]; NUM_POINTS];
    let mut i = 0;
    while i < NUM_POINTS {
        keys[i] = [
            splitmix64(0x60_0000 + 2 * i as u64),
            splitmix64(0x60_0001 + 2 * i as u64),
        ];
        i += 1;
    }
    keys
};

/// The key of a stone of that colour on that point.
#[must_use]
#[inline]
pub const fn stone_key(color: Color, point: Point) -> u64 {
    KEYS[point.number()][color as usize]
}

/// The key that stands for the side to move; Black's is zero.
#[must_use]
#[inline]
pub const fn to_move_key(color: Color) -> u64 {
    match color {
        Color::Black => 0,
        Color::White => 0x9d5c_3f0a_81e6_27b4,
    }
}
