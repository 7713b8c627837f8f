//! Zobrist keys: a fixed random number for each combination of colour and point, computed at compile time.
//!
//! The hash of a board is the exclusive-or of the keys of its stones (Zobrist 1970), so adding or removing a stone
//! takes one operation.

use super::color::Color;
use super::point::{POINT_TABLE_LEN, Point};
use crate::random::splitmix64;

const STONE_KEYS: [[u64; 2]; POINT_TABLE_LEN] = {
    let mut keys = [[0; 2]; POINT_TABLE_LEN];
    let mut i = 0;
    while i < POINT_TABLE_LEN {
        keys[i] = [
            splitmix64(0x60_0000 + 2 * i as u64),
            splitmix64(0x60_0001 + 2 * i as u64),
        ];
        i += 1;
    }
    keys
};

/// Returns the key of a stone of `color` at `point`.
#[inline]
pub const fn stone_key(color: Color, point: Point) -> u64 {
    STONE_KEYS[point.number()][color as usize]
}

/// Returns the key of the side to move; zero for Black.
#[inline]
pub const fn to_move_key(color: Color) -> u64 {
    match color {
        Color::Black => 0,
        Color::White => 0x9d5c_3f0a_81e6_27b4,
    }
}
