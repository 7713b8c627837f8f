//! Estimators for two kinds of delay.
//!
//! [`Lag`] is the time that the client's clock charges for every move in addition to the measured thinking time. The
//! main causes of lag are the network connection and the last step of the search. [`Lateness`] is the time by which a
//! move exceeds its planned duration on a busy machine.

/// Maximum learned lag in seconds. Larger differences have other causes.
const MAX_LEARNED_LAG: f64 = 3.0;
/// Maximum increase of the learned lag after a single measurement, in seconds. A larger increase is accepted only if
/// two measurements in a row exceed the estimate by more than this, because a single large measurement may have an
/// unusual cause.
const MAX_LAG_INCREASE: f64 = 0.5;
/// Fraction of an overestimate of the lag that is removed per measurement.
const LAG_DECAY: f64 = 0.25;
/// Number of recent measurements that must agree on a lag for the estimate to keep it without further measurements.
const CONFIRMING_MEASUREMENTS: usize = 4;

/// Estimated lag per move, in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lag {
    configured: f64,
    learned: f64,
    /// Part of the previous measurement that exceeded the estimate, in seconds.
    previous_excess: f64,
    /// The last measurements of the lag in excess of the configured lag, in seconds, newest first.
    recent: [f64; CONFIRMING_MEASUREMENTS],
}

impl Lag {
    /// Creates an estimate that starts at the configured lag, in seconds, and never falls below this value. A negative
    /// lag counts as 0.
    pub const fn new(configured: f64) -> Self {
        Self {
            configured: configured.max(0.0),
            learned: 0.0,
            previous_excess: 0.0,
            recent: [0.0; CONFIRMING_MEASUREMENTS],
        }
    }

    /// Returns the sum of the configured and the learned lag, in seconds.
    pub const fn seconds(&self) -> f64 {
        self.configured + self.learned
    }

    /// Updates the estimate after a move. `expected` is the remaining time that the engine computed with the current
    /// lag, and `reported` is the remaining time that the client reported. Both are in seconds.
    pub fn update_from_report(&mut self, expected: f64, reported: f64) {
        // A client that reports whole seconds may hide up to one second.
        let rounding = if reported.fract() == 0.0 { 1.0 } else { 0.0 };
        let (min_excess, max_excess) = (expected - reported - rounding, expected - reported);
        self.recent.rotate_right(1);
        self.recent[0] = (self.learned + (min_excess + max_excess) / 2.0).max(0.0);
        if min_excess > 0.0 {
            self.learned += min_excess.min(self.previous_excess.max(MAX_LAG_INCREASE));
        } else if max_excess < 0.0 {
            self.learned += LAG_DECAY * max_excess;
        }
        self.previous_excess = min_excess.max(0.0);
        self.learned = self.learned.clamp(0.0, MAX_LEARNED_LAG);
    }

    /// Updates the estimate after a move without a measurement of the lag, as in overtime. Removes part of the lag that
    /// the recent measurements do not confirm: otherwise, the consequences of a single delay would last for the rest of
    /// the game.
    pub fn decay_unmeasured(&mut self) {
        let confirmed = self.recent.into_iter().fold(f64::INFINITY, f64::min);
        self.learned -= LAG_DECAY * (self.learned - confirmed).max(0.0);
    }
}

/// Maximum estimated lateness in seconds. Larger delays rarely repeat.
const MAX_LATENESS: f64 = 0.5;
/// Fraction of the estimated lateness that is removed per move.
const LATENESS_DECAY: f64 = 0.1;

/// Estimated lateness of the next move.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Lateness {
    seconds: f64,
}

impl Lateness {
    /// Returns the estimate in seconds.
    pub const fn seconds(&self) -> f64 {
        self.seconds
    }

    /// Updates the estimate after a move that was late by `lateness` seconds, or by 0 if it was in time.
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
            lag.update_from_report(expected, reported);
            lag.seconds()
        };
        assert_eq!(after(590.25, 590.0), 0.5, "hidden by whole seconds");
        assert_eq!(after(580.25, 580.125), 0.625);
        assert_eq!(
            after(570.0, 567.0),
            1.125,
            "sudden: two of three seconds at least"
        );
        assert_eq!(after(558.0, 556.5), 2.625, "repeated");
        assert_eq!(after(560.0, 561.5), 2.25, "a quarter of 1.5 s removed");
        assert_eq!(after(550.5, 100.0), 2.75, "limited increase");
        assert_eq!(after(540.0, 90.0), 3.5, "maximum");
        assert_eq!(after(90.0, 590.0), 0.5, "configured minimum");
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
        assert_eq!(after(0.125), 0.225, "a smaller value only decays");
        assert_eq!(after(9.0), 0.5, "maximum");
        assert_eq!(after(0.0), 0.45);
        assert_eq!(after(-1.0), 0.405, "negative counts as 0");
    }
}
