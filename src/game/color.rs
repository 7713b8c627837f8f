//! The two colours, and values kept for each of them.

use std::fmt;
use std::ops::{Index, IndexMut};

/// Black or White. Black is index 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Color {
    /// Moves first in an even game.
    Black = 0,
    /// Receives the komi.
    White = 1,
}

impl Color {
    /// Both colours, Black first.
    pub const BOTH: [Self; 2] = [Self::Black, Self::White];

    /// The other colour.
    #[must_use]
    pub const fn opposite(self) -> Self {
        match self {
            Self::Black => Self::White,
            Self::White => Self::Black,
        }
    }

    /// Reads `b`, `w`, `black` or `white` in any case.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        match text.to_ascii_lowercase().as_str() {
            "b" | "black" => Some(Self::Black),
            "w" | "white" => Some(Self::White),
            _ => None,
        }
    }

    /// `B` or `W`, as results and SGF write it.
    #[must_use]
    pub const fn letter(self) -> char {
        match self {
            Self::Black => 'B',
            Self::White => 'W',
        }
    }

    /// `value`, a quantity seen from Black, seen from this colour; the same call turns it back.
    #[must_use]
    pub fn to_perspective<T: std::ops::Neg<Output = T>>(self, value: T) -> T {
        match self {
            Self::Black => value,
            Self::White => -value,
        }
    }
}

impl fmt::Display for Color {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Black => "black",
            Self::White => "white",
        })
    }
}

/// One value for each colour, indexed by [`Color`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ByColor<T> {
    values: [T; 2],
}

impl<T> ByColor<T> {
    /// Black's value, then White's.
    pub const fn new(black: T, white: T) -> Self {
        Self {
            values: [black, white],
        }
    }

    /// What there is for each colour.
    pub fn from_fn(f: impl FnMut(Color) -> T) -> Self {
        Self {
            values: Color::BOTH.map(f),
        }
    }
}

impl<T> Index<Color> for ByColor<T> {
    type Output = T;
    #[inline]
    fn index(&self, color: Color) -> &T {
        &self.values[color as usize]
    }
}

impl<T> IndexMut<Color> for ByColor<T> {
    #[inline]
    fn index_mut(&mut self, color: Color) -> &mut T {
        &mut self.values[color as usize]
    }
}
