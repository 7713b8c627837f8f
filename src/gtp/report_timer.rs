//! Schedule of the reports of an analysis.

use std::time::{Duration, Instant};

/// Determines when the next report of an analysis is due. Reports are due at multiples of the interval after the start,
/// regardless of how long it takes to send them.
#[derive(Clone, Copy, Debug)]
pub struct ReportTimer {
    interval: Duration,
    due: Instant,
}

impl ReportTimer {
    /// Starts a timer at `now`.
    pub fn start(interval: Duration, now: Instant) -> Self {
        Self {
            interval,
            due: now + interval,
        }
    }

    /// Returns the time until the next report.
    pub fn remaining(&self, now: Instant) -> Duration {
        self.due.saturating_duration_since(now)
    }

    /// Returns true if a report is due, and schedules the next one. Reports that are more than an interval late are left
    /// out.
    pub fn take_due(&mut self, now: Instant) -> bool {
        let is_due = now >= self.due;
        if is_due {
            self.due += self.interval;
            if self.due <= now {
                self.due = now + self.interval;
            }
        }
        is_due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn late_reports_do_not_delay_later_ones() {
        let start = Instant::now();
        let after = |ms| start + Duration::from_millis(ms);
        let mut timer = ReportTimer::start(Duration::from_millis(100), start);
        for (now, is_due, remaining) in [
            (40, false, 60),
            (100, true, 100),
            (130, false, 70),
            (215, true, 85),
            // The reports at 300 and 400 ms were missed.
            (450, true, 100),
            (549, false, 1),
            (550, true, 100),
        ] {
            assert_eq!(timer.take_due(after(now)), is_due, "{now}");
            let remaining = Duration::from_millis(remaining);
            assert_eq!(timer.remaining(after(now)), remaining, "{now}");
        }
    }
}
