//! Search values and windows.

/// Value of one point. All values of the search are in these units, from the perspective of the side to move.
pub const UNITS_PER_POINT: i32 = 16;
/// Upper bound on any value.
pub const INFINITY: i32 = 1 << 22;
/// Value of a game without a result.
pub const NO_RESULT_VALUE: i32 = 0;

/// Search window. A value below `alpha` is irrelevant because the side to move has a better option elsewhere, and a
/// value above `beta` is irrelevant because its opponent has one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    pub alpha: i32,
    pub beta: i32,
}

impl Window {
    /// The window that contains all values.
    pub const FULL: Self = Self {
        alpha: -INFINITY,
        beta: INFINITY,
    };

    /// Creates the window that only distinguishes values up to `alpha` from larger ones.
    pub const fn null(alpha: i32) -> Self {
        Self {
            alpha,
            beta: alpha + 1,
        }
    }

    /// Returns the same window from the opponent's perspective.
    pub const fn flipped(self) -> Self {
        Self {
            alpha: -self.beta,
            beta: -self.alpha,
        }
    }

    /// Raises `alpha` to `value` if that is larger.
    pub fn raise_alpha(self, value: i32) -> Self {
        Self {
            alpha: self.alpha.max(value),
            ..self
        }
    }

    /// Returns true if there is a value between `alpha` and `beta`, so that the window is not a null window.
    pub const fn is_open(self) -> bool {
        self.beta - self.alpha > 1
    }
}
