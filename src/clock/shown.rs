//! What a clock shows: full, and after a move.

use super::settings::TimeSettings;

/// What a player's clock shows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Left {
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
pub fn full(settings: &TimeSettings) -> Option<Left> {
    match *settings {
        TimeSettings::Unlimited => None,
        TimeSettings::Absolute { main }
        | TimeSettings::Canadian { main, .. }
        | TimeSettings::ByoYomi { main, .. }
        | TimeSettings::Fischer { main, .. }
        | TimeSettings::FischerCapped { main, .. } => Some(Left::Main(main)),
    }
}

/// The overtime that follows the main time, as it begins; `None` where none does.
#[must_use]
pub const fn overtime(settings: &TimeSettings) -> Option<Left> {
    match *settings {
        TimeSettings::Canadian {
            period: seconds,
            stones,
            ..
        } => Some(Left::Stones { seconds, stones }),
        TimeSettings::ByoYomi {
            period: seconds,
            periods,
            ..
        } => Some(Left::Periods { seconds, periods }),
        TimeSettings::Unlimited
        | TimeSettings::Absolute { .. }
        | TimeSettings::Fischer { .. }
        | TimeSettings::FischerCapped { .. } => None,
    }
}

/// What the clock shows once a move has taken `spent` seconds. Time overdrawn is forgiven: the game goes on, so the
/// referee saw it otherwise.
pub fn after(settings: &TimeSettings, left: Left, spent: f64) -> Option<Left> {
    match (left, *settings) {
        (Left::Main(main), TimeSettings::Canadian { .. } | TimeSettings::ByoYomi { .. })
            if spent > main =>
        {
            after(settings, overtime(settings)?, spent - main)
        }
        (Left::Main(main), TimeSettings::Fischer { increment, .. }) => {
            Some(Left::Main((main - spent).max(0.0) + increment))
        }
        (
            Left::Main(main),
            TimeSettings::FischerCapped {
                increment, limit, ..
            },
        ) => {
            let filled = (main - spent).max(0.0) + increment;
            Some(Left::Main(filled.min(limit.unwrap_or(filled))))
        }
        (Left::Main(main), _) => Some(Left::Main((main - spent).max(0.0))),
        (Left::Stones { seconds, stones }, _) => canadian_after(settings, seconds, stones, spent),
        (Left::Periods { seconds, periods }, TimeSettings::ByoYomi { period, .. }) => {
            Some(byo_yomi_after(seconds, period, periods, spent))
        }
        // Periods come from these settings alone; others have replaced the clock.
        (Left::Periods { .. }, _) => full(settings),
    }
}

/// The clock after a move of `spent` seconds in a period with so much left; under settings that know no next period
/// there is nothing to limit the move after the last stone.
fn canadian_after(settings: &TimeSettings, seconds: f64, stones: u32, spent: f64) -> Option<Left> {
    if stones > 1 {
        return Some(Left::Stones {
            seconds: (seconds - spent).max(0.0),
            stones: stones - 1,
        });
    }
    match *settings {
        TimeSettings::Canadian { period, stones, .. } => Some(Left::Stones {
            seconds: period,
            stones,
        }),
        _ => None,
    }
}

fn byo_yomi_after(seconds: f64, period: f64, periods: u32, spent: f64) -> Left {
    // The period runs out exactly when all of it is used; a move on the last instant is still in time.
    let used = ((spent - seconds) / period).ceil().max(0.0) as u32;
    Left::Periods {
        seconds: period,
        periods: periods.saturating_sub(used).max(1),
    }
}
