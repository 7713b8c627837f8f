//! Delays.

/// The most, in seconds, that is learned: what goes beyond has other reasons.
const MAX_LEARNED_LAG: f64 = 3.0;
/// More than this at a time is believed once it comes again: a clock may have run on for once.
const MAX_LAG_STEP: f64 = 0.5;
/// Of an overestimate, what is taken back at a time.
const LAG_DECAY: f64 = 0.25;

/// An allowance for lag.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lag {
    configured: f64,
    learned: f64,
    /// What the last measure found beyond it.
    previous_excess: f64,
}

impl Lag {
    /// So many seconds; less than none are none.
    pub const fn new(configured: f64) -> Self {
        Self {
            configured: configured.max(0.0),
            learned: 0.0,
            previous_excess: 0.0,
        }
    }

    /// The allowance in seconds: what was given, and what was learned beyond it.
    pub const fn seconds(&self) -> f64 {
        self.configured + self.learned
    }

    /// Learns from a clock that was expected to show so much after a move, this lag included, and showed something else.
    pub fn measure(&mut self, expected: f64, reported: f64) {
        // Whole seconds may hide most of another one.
        let rounding = if reported.fract() == 0.0 { 1.0 } else { 0.0 };
        let (min_excess, max_excess) = (expected - reported - rounding, expected - reported);
        if min_excess > 0.0 {
            self.learned += min_excess.min(self.previous_excess.max(MAX_LAG_STEP));
        } else if max_excess < 0.0 {
            self.learned += LAG_DECAY * max_excess;
        }
        self.previous_excess = min_excess.max(0.0);
        self.learned = self.learned.clamp(0.0, MAX_LEARNED_LAG);
    }
}

/// The most, in seconds, that is learned: what goes beyond seldom comes twice.
const MAX_LATENESS: f64 = 0.5;
/// Of what nothing has confirmed, what every answer takes back.
const LATENESS_DECAY: f64 = 0.1;

/// What to keep back for the next answer.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Lateness {
    seconds: f64,
}

impl Lateness {
    /// In seconds.
    pub const fn seconds(&self) -> f64 {
        self.seconds
    }

    /// Learns from an answer that came so many seconds later than planned; 0 if it did not.
    pub fn update(&mut self, lateness: f64) {
        let decayed = self.seconds - LATENESS_DECAY * self.seconds;
        self.seconds = lateness.clamp(0.0, MAX_LATENESS).max(decayed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lag_tracks_reported_clocks() {
        let mut lag = Lag::new(0.5);
        let mut after = |expected, reported| {
            lag.measure(expected, reported);
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

    #[test]
    fn lateness_decays_after_responses() {
        let mut lateness = Lateness::default();
        let mut after = |seconds| {
            lateness.update(seconds);
            lateness.seconds()
        };
        assert_eq!(after(0.0), 0.0);
        assert_eq!(after(0.25), 0.25);
        assert_eq!(after(0.125), 0.225, "less says little");
        assert_eq!(after(9.0), 0.5, "so much seldom comes twice");
        assert_eq!(after(0.0), 0.45);
        assert_eq!(after(-1.0), 0.405, "nobody is early");
    }
}
