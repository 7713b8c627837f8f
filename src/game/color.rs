//! Colours, and pairs of values indexed by colour.

use std::fmt;
use std::ops::{Index, IndexMut};

/// Colour of a stone or player. Black has index 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Color {
    /// Moves first in an even game.
    Black = 0,
    /// Receives komi.
    White = 1,
}

impl Color {
    /// Both colours, Black first.
    pub const BOTH: [Self; 2] = [Self::Black, Self::White];

    /// Returns the other colour.
    pub const fn opposite(self) -> Self {
        match self {
            Self::Black => Self::White,
            Self::White => Self::Black,
        }
    }

    /// Parses `b`, `w`, `black` or `white`, ignoring case. Returns `None` for other text.
    pub fn parse(text: &str) -> Option<Self> {
        match text.to_ascii_lowercase().as_str() {
            "b" | "black" => Some(Self::Black),
            "w" | "white" => Some(Self::White),
            _ => None,
        }
    }

    /// Returns `B` or `W`, as used in results and SGF.
    pub const fn letter(self) -> char {
        match self {
            Self::Black => 'B',
            Self::White => 'W',
        }
    }

    /// Converts a value between Black's perspective and this colour's perspective: negates the value if this colour is
    /// White.
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

/// One value per colour, indexed by [`Color`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ByColor<T> {
    values: [T; 2],
}

impl<T> ByColor<T> {
    /// Creates a pair from Black's value and White's value.
    pub const fn new(black: T, white: T) -> Self {
        Self {
            values: [black, white],
        }
    }

    /// Creates a pair by calling `f` for each colour, Black first.
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
