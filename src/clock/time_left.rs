//! What a clock shows: full, and after a move.

use super::time_control::TimeControl;

/// What a player's clock shows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TimeLeft {
    /// Main time, or all the time of a system without overtime, in seconds.
    Main(f64),
    /// Canadian overtime: seconds for the stones still to play in this period.
    Stones {
        /// Seconds left of the period.
        seconds: f64,
        /// Stones left to play in it, at least 1.
        stones: u32,
    },
    /// Japanese overtime: seconds left of the running period.
    Periods {
        /// Seconds left of the period; the next move has all of it again.
        seconds: f64,
        /// Periods left with this one, at least 1.
        periods: u32,
    },
}

/// What a full clock shows; `None` where there is no limit.
pub fn full_clock(control: &TimeControl) -> Option<TimeLeft> {
    match *control {
        TimeControl::Unlimited => None,
        TimeControl::Absolute { main }
        | TimeControl::Canadian { main, .. }
        | TimeControl::ByoYomi { main, .. }
        | TimeControl::Fischer { main, .. }
        | TimeControl::FischerCapped { main, .. } => Some(TimeLeft::Main(main)),
    }
}

/// The overtime that follows the main time, as it begins; `None` where none does.
#[must_use]
pub const fn overtime(control: &TimeControl) -> Option<TimeLeft> {
    match *control {
        TimeControl::Canadian {
            period: seconds,
            stones,
            ..
        } => Some(TimeLeft::Stones { seconds, stones }),
        TimeControl::ByoYomi {
            period: seconds,
            periods,
            ..
        } => Some(TimeLeft::Periods { seconds, periods }),
        TimeControl::Unlimited
        | TimeControl::Absolute { .. }
        | TimeControl::Fischer { .. }
        | TimeControl::FischerCapped { .. } => None,
    }
}

/// What the clock shows once a move has taken `spent` seconds. Time overdrawn is forgiven: the game goes on, so the
/// referee saw it otherwise.
pub fn after_move(control: &TimeControl, time_left: TimeLeft, spent: f64) -> Option<TimeLeft> {
    match (time_left, *control) {
        (TimeLeft::Main(main), TimeControl::Canadian { .. } | TimeControl::ByoYomi { .. })
            if spent > main =>
        {
            after_move(control, overtime(control)?, spent - main)
        }
        (TimeLeft::Main(main), TimeControl::Fischer { increment, .. }) => {
            Some(TimeLeft::Main((main - spent).max(0.0) + increment))
        }
        (
            TimeLeft::Main(main),
            TimeControl::FischerCapped {
                increment,
                clock_limit,
                ..
            },
        ) => {
            let incremented = (main - spent).max(0.0) + increment;
            Some(TimeLeft::Main(
                incremented.min(clock_limit.unwrap_or(incremented)),
            ))
        }
        (TimeLeft::Main(main), _) => Some(TimeLeft::Main((main - spent).max(0.0))),
        (TimeLeft::Stones { seconds, stones }, _) => {
            canadian_after(control, seconds, stones, spent)
        }
        (TimeLeft::Periods { seconds, periods }, TimeControl::ByoYomi { period, .. }) => {
            Some(byo_yomi_after(seconds, period, periods, spent))
        }
        // Periods come from these settings alone; others have replaced the clock.
        (TimeLeft::Periods { .. }, _) => full_clock(control),
    }
}

/// The clock after a move of `spent` seconds in a period with so much left; under settings that know no next period
/// there is nothing to limit the move after the last stone.
fn canadian_after(
    control: &TimeControl,
    seconds: f64,
    stones: u32,
    spent: f64,
) -> Option<TimeLeft> {
    if stones > 1 {
        return Some(TimeLeft::Stones {
            seconds: (seconds - spent).max(0.0),
            stones: stones - 1,
        });
    }
    match *control {
        TimeControl::Canadian { period, stones, .. } => Some(TimeLeft::Stones {
            seconds: period,
            stones,
        }),
        _ => None,
    }
}

fn byo_yomi_after(seconds: f64, period: f64, periods: u32, spent: f64) -> TimeLeft {
    // The period runs out exactly when all of it is used; a move on the last instant is still in time.
    let used_periods = ((spent - seconds) / period).ceil().max(0.0) as u32;
    TimeLeft::Periods {
        seconds: period,
        periods: periods.saturating_sub(used_periods).max(1),
    }
}
