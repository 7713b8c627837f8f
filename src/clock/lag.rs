//! What passes on every move outside the thinking that is measured: given, and learned from a client that tells what its
//! clock shows.

/// The most, in seconds, that is learned: what goes beyond has other reasons.
const MOST: f64 = 3.0;
/// More than this at a time is believed once it comes again: a clock may have run on for once.
const SUDDEN: f64 = 0.5;
/// Of an overestimate, what is taken back at a time.
const TAKEN_BACK: f64 = 0.25;

/// An allowance for lag.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lag {
    given: f64,
    learned: f64,
    /// What the last measure found beyond it.
    last_excess: f64,
}

impl Lag {
    /// So many seconds; less than none are none.
    #[must_use]
    pub const fn new(given: f64) -> Self {
        Self {
            given: given.max(0.0),
            learned: 0.0,
            last_excess: 0.0,
        }
    }

    /// The allowance in seconds: what was given, and what was learned beyond it.
    #[must_use]
    pub const fn seconds(&self) -> f64 {
        self.given + self.learned
    }

    /// Learns from a clock that was expected to show so much after a move, this lag included, and showed something else.
    pub fn measure(&mut self, expected: f64, told: f64) {
        // Whole seconds may hide most of another one.
        let hidden = if told.fract() == 0.0 { 1.0 } else { 0.0 };
        let (least, most) = (expected - told - hidden, expected - told);
        if least > 0.0 {
            self.learned += least.min(self.last_excess.max(SUDDEN));
        } else if most < 0.0 {
            self.learned += TAKEN_BACK * most;
        }
        self.last_excess = least.max(0.0);
        self.learned = self.learned.clamp(0.0, MOST);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lag_follows_what_clocks_show() {
        let mut lag = Lag::new(0.5);
        let mut after = |expected, told| {
            lag.measure(expected, told);
            lag.seconds()
        };
        assert_eq!(after(590.25, 590.0), 0.5, "whole seconds may hide as much");
        assert_eq!(after(580.25, 580.125), 0.625);
        assert_eq!(after(570.0, 567.0), 1.125, "of three at least two: sudden");
        assert_eq!(after(558.0, 556.5), 2.625, "now it comes again");
        assert_eq!(
            after(560.0, 561.5),
            2.25,
            "1.5 too much, a quarter of it taken back"
        );
        assert_eq!(
            after(550.5, 100.0),
            2.75,
            "a clock that was put back is not lag"
        );
        assert_eq!(after(540.0, 90.0), 3.5, "at most so much");
        assert_eq!(after(90.0, 590.0), 0.5, "never less than was given");
    }
}
