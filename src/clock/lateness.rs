//! How late answers are on a machine that is busy with something else: learned from those that were.

/// The most, in seconds, that is learned: what goes beyond seldom comes twice.
const MAX_LATENESS: f64 = 0.5;
/// Of what nothing has confirmed, what every answer takes back.
const DECAY: f64 = 0.1;

/// What to keep back for the next answer.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Lateness {
    seconds: f64,
}

impl Lateness {
    /// In seconds.
    #[must_use]
    pub const fn seconds(&self) -> f64 {
        self.seconds
    }

    /// Learns from an answer that came so many seconds later than planned; 0 if it did not.
    pub fn update(&mut self, lateness: f64) {
        let decayed = self.seconds - DECAY * self.seconds;
        self.seconds = lateness.clamp(0.0, MAX_LATENESS).max(decayed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
