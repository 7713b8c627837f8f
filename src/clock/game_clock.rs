//! The clocks of both players as known to the engine.
//!
//! Before every move, some clients report the time left; others never do. The clock shows the most recent value: the
//! client's report, or a value computed from the engine's measurements.

use super::delay::{Lag, Lateness};
use super::time_control::{Overtime, TimeControl};
use crate::game::color::{ByColor, Color};

/// Time left on a player's clock.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimeLeft {
    /// Remaining main time or, in overtime, the time left in the current period, in seconds.
    pub seconds: f64,
    /// In Canadian overtime, the number of stones still to be played in the current period. In byo-yomi, the number of
    /// periods left, including the current one. 0 in main time.
    pub stones_or_periods: u32,
}

impl TimeLeft {
    /// Creates a clock reading of `seconds` in main time.
    pub const fn in_main_time(seconds: f64) -> Self {
        Self {
            seconds,
            stones_or_periods: 0,
        }
    }

    /// Returns the clock reading at the start of overtime, or `None` if there are no overtime periods.
    pub const fn at_overtime_start(control: &TimeControl) -> Option<Self> {
        match control.overtime {
            Overtime::Canadian {
                period: seconds,
                stones: stones_or_periods,
            }
            | Overtime::ByoYomi {
                period: seconds,
                periods: stones_or_periods,
            } => Some(Self {
                seconds,
                stones_or_periods,
            }),
            Overtime::None | Overtime::Fischer { .. } => None,
        }
    }

    /// Returns true if the player is in main time.
    pub const fn is_in_main_time(&self) -> bool {
        self.stones_or_periods == 0
    }

    /// Returns the clock reading after a move of `spent` seconds, or `None` if there is no time limit after the move.
    ///
    /// `spent` may exceed the time left. In this case, the clock then shows 0 s or the last period, and the game
    /// continues, because the referee's clock may show a different time.
    pub fn after_move(self, control: &TimeControl, spent: f64) -> Option<Self> {
        let seconds = (self.seconds - spent).max(0.0);
        match (control.overtime, self.stones_or_periods) {
            (Overtime::Canadian { .. } | Overtime::ByoYomi { .. }, 0) if spent > self.seconds => {
                Self::at_overtime_start(control)?.after_move(control, spent - self.seconds)
            }
            (
                Overtime::Fischer {
                    increment,
                    clock_limit,
                    ..
                },
                0,
            ) => {
                let incremented = seconds + increment;
                Some(Self::in_main_time(
                    incremented.min(clock_limit.unwrap_or(incremented)),
                ))
            }
            (_, 0) => Some(Self::in_main_time(seconds)),
            (Overtime::ByoYomi { period, .. }, periods) => {
                // A move that uses exactly the whole period is still in time.
                let used_periods = ((spent - self.seconds) / period).ceil().max(0.0) as u32;
                Some(Self {
                    seconds: period,
                    stones_or_periods: periods.saturating_sub(used_periods).max(1),
                })
            }
            // If the time control is not Canadian, this is `None`: there is no limit after the last stone.
            (_, 1) => Self::at_overtime_start(control),
            (_, stones) => Some(Self {
                seconds,
                stones_or_periods: stones - 1,
            }),
        }
    }
}

/// Time control and both players' clocks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GameClock {
    time_control: TimeControl,
    time_left: ByColor<Option<TimeLeft>>,
    lag: Lag,
    lateness: Lateness,
    /// Main time left after the player's last move, for comparison with the client's next report. `None` in overtime,
    /// if the main time is used up, or once the client has reported the time left.
    expected_main: ByColor<Option<f64>>,
}

impl GameClock {
    /// Creates clocks with the full time. `lag` is an allowance per move, in seconds, for time outside the measured
    /// thinking time, such as network delay and the last step of the search.
    pub fn new(time_control: TimeControl, lag: f64) -> Self {
        let initial = time_control.main.map(TimeLeft::in_main_time);
        Self {
            time_control,
            time_left: ByColor::new(initial, initial),
            lag: Lag::new(lag),
            lateness: Lateness::default(),
            expected_main: ByColor::default(),
        }
    }

    pub const fn time_control(&self) -> &TimeControl {
        &self.time_control
    }

    /// Returns the lag allowance in seconds: the configured value plus the measured excess.
    pub fn lag(&self) -> f64 {
        self.lag.seconds()
    }

    /// Returns the estimated lateness of the next move in seconds.
    pub fn lateness(&self) -> f64 {
        self.lateness.seconds()
    }

    /// Returns a player's time left, or `None` if the time is unlimited.
    pub fn time_left(&self, color: Color) -> Option<TimeLeft> {
        self.time_left[color]
    }

    /// Returns the maximum duration of a player's next move in seconds, including any lag, or `None` if the time is
    /// unlimited.
    ///
    /// The maximum includes the overtime that a single move can use and respects the move limit of the time control. A
    /// move of exactly this duration is in time.
    pub fn seconds_until_flag(&self, color: Color) -> Option<f64> {
        let time_left = self.time_left[color]?;
        let overtime = match (self.time_control.overtime, time_left.stones_or_periods) {
            (Overtime::Canadian { period, .. }, 0) => period,
            (Overtime::ByoYomi { period, periods }, 0) => period * f64::from(periods),
            (Overtime::ByoYomi { period, .. }, periods) => period * f64::from(periods - 1),
            _ => 0.0,
        };
        let move_limit = match self.time_control.overtime {
            Overtime::Fischer { move_limit, .. } => move_limit,
            _ => None,
        };
        let seconds = time_left.seconds + overtime;
        Some(seconds.min(move_limit.unwrap_or(seconds)))
    }

    /// Changes the time control and resets the clocks. The estimates of lag and lateness are preserved. If the new time
    /// control equals the previous one, the pending lag measurement is preserved as well, because some clients send the
    /// time control before every move, followed by the time left.
    pub fn set_time_control(&mut self, time_control: TimeControl) {
        let is_unchanged = time_control == self.time_control;
        *self = Self {
            lag: self.lag,
            lateness: self.lateness,
            expected_main: if is_unchanged {
                self.expected_main
            } else {
                ByColor::default()
            },
            ..Self::new(time_control, 0.0)
        };
    }

    /// Resets the clocks for a new game.
    pub fn reset(&mut self) {
        self.expected_main = ByColor::default();
        self.set_time_control(self.time_control);
    }

    /// Sets a player's time left as reported by the client.
    ///
    /// `stones_or_periods` is the number of stones to play in Canadian overtime, the number of periods left in
    /// byo-yomi, and 0 in main time. Negative times count as 0, because a client may continue to count down after the
    /// time has run out. If the time control limits the time but has no overtime, a report of overtime counts as main
    /// time. A report of more time than an overtime period has counts as main time plus one period, because some
    /// clients do not distinguish between main time and overtime. If the player's time is unlimited, the report sets a
    /// limit, except that a report of two zeros has no effect: some clients send it to indicate unlimited time.
    pub fn set_time_left(&mut self, color: Color, seconds: f64, stones_or_periods: u32) {
        let expected_main = self.expected_main[color].take();
        if self.time_left[color].is_none() && (seconds, stones_or_periods) == (0.0, 0) {
            return;
        }
        let reported = TimeLeft {
            seconds: seconds.max(0.0),
            stones_or_periods,
        };
        let TimeControl { main, overtime } = self.time_control;
        let time_left = match overtime {
            Overtime::Canadian { period, .. } | Overtime::ByoYomi { period, .. }
                if !reported.is_in_main_time() && reported.seconds > period =>
            {
                TimeLeft::in_main_time(reported.seconds - period)
            }
            Overtime::None | Overtime::Fischer { .. } if main.is_some() => {
                TimeLeft::in_main_time(reported.seconds)
            }
            _ => reported,
        };
        if let Some(expected) = expected_main.filter(|_| time_left.is_in_main_time()) {
            self.lag.update_from_report(expected, time_left.seconds);
        }
        self.time_left[color] = Some(time_left);
    }

    /// Updates the lateness estimate after a move that was late by `lateness` seconds, or by 0 if it was in time.
    pub fn record_lateness(&mut self, lateness: f64) {
        self.lateness.update(lateness);
    }

    /// Updates a player's clock after a move: deducts `seconds` of thinking time and the lag, then applies any
    /// increment or starts the next period.
    pub fn record_move_time(&mut self, color: Color, seconds: f64) {
        let spent = seconds.max(0.0) + self.lag();
        self.time_left[color] = self.time_left[color]
            .and_then(|time_left| time_left.after_move(&self.time_control, spent));
        self.expected_main[color] = self.time_left[color]
            .filter(|time_left| time_left.is_in_main_time() && time_left.seconds > 0.0)
            .map(|time_left| time_left.seconds);
        if self.expected_main[color].is_none() {
            self.lag.decay_unmeasured();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Color::{Black, White};

    fn clock(arguments: &str) -> GameClock {
        let arguments: Vec<_> = arguments.split(' ').collect();
        GameClock::new(TimeControl::from_kata(&arguments).unwrap(), 0.5)
    }

    fn overtime(seconds: f64, stones_or_periods: u32) -> Option<TimeLeft> {
        Some(TimeLeft {
            seconds,
            stones_or_periods,
        })
    }

    #[test]
    fn deduction_includes_thinking_and_lag() {
        let mut absolute = clock("absolute 60");
        absolute.record_move_time(Black, 9.5);
        assert_eq!(
            absolute.time_left(Black),
            Some(TimeLeft::in_main_time(50.0))
        );
        assert_eq!(
            absolute.time_left(White),
            Some(TimeLeft::in_main_time(60.0))
        );
        absolute.record_move_time(Black, 100.0);
        assert_eq!(absolute.time_left(Black), Some(TimeLeft::in_main_time(0.0)));
        let mut fischer = clock("fischer 60 5");
        fischer.record_move_time(White, 9.5);
        assert_eq!(fischer.time_left(White), Some(TimeLeft::in_main_time(55.0)));
        let mut capped = clock("fischer-capped 60 5 61 -1");
        capped.record_move_time(White, 0.5);
        assert_eq!(capped.time_left(White), Some(TimeLeft::in_main_time(61.0)));
    }

    #[test]
    fn canadian_periods_repeat() {
        let mut canadian = clock("canadian 10 30 2");
        canadian.record_move_time(Black, 9.5);
        assert_eq!(canadian.time_left(Black), Some(TimeLeft::in_main_time(0.0)));
        for (seconds, stones) in [(20.0, 1), (30.0, 2)] {
            canadian.record_move_time(Black, 9.5);
            assert_eq!(canadian.time_left(Black), overtime(seconds, stones));
        }
    }

    #[test]
    fn byo_yomi_consumes_only_expired_periods() {
        let mut byo_yomi = clock("byoyomi 10 30 3");
        for (thinking, periods) in [(39.5, 3), (29.5, 3), (30.0, 2), (500.0, 1)] {
            byo_yomi.record_move_time(Black, thinking);
            assert_eq!(byo_yomi.time_left(Black), overtime(30.0, periods));
        }
    }

    /// Each case lists the maximum duration of each move, calculated by hand, and its actual duration.
    #[test]
    fn until_flag_is_maximum_move_time() {
        let games: [(&str, &[(f64, f64)]); 7] = [
            ("absolute 10", &[(10.0, 4.25), (5.75, 5.75), (0.0, 0.0)]),
            // After 3 s of the first period, with two stones to play: 17 s for the second stone, then a new period.
            (
                "canadian 10 20 2",
                &[
                    (30.0, 6.0),
                    (24.0, 7.0),
                    (17.0, 17.0),
                    (20.0, 1.0),
                    (19.0, 0.0),
                ],
            ),
            // Main time, then almost all of the first of three periods. The next move uses up two periods, and the
            // last one remains.
            (
                "byoyomi 10 5 3",
                &[
                    (25.0, 8.0),
                    (17.0, 7.0),
                    (15.0, 12.0),
                    (5.0, 5.0),
                    (5.0, 1.0),
                ],
            ),
            (
                "fischer 10 1",
                &[(10.0, 4.0), (7.0, 7.0), (1.0, 0.5), (1.5, 0.0)],
            ),
            // 10 - 1 + 3 exceeds the clock limit of 11. With more than 5 s on the clock, the move limit applies.
            (
                "fischer-capped 10 3 11 5",
                &[
                    (5.0, 1.0),
                    (5.0, 5.0),
                    (5.0, 5.0),
                    (5.0, 5.0),
                    (5.0, 4.5),
                    (3.5, 3.5),
                    (3.0, 0.0),
                ],
            ),
            ("fischer-capped 10 1 -1 -1", &[(10.0, 9.0), (2.0, 0.0)]),
            ("fischer-capped 4 1 -1 8", &[(4.0, 1.0), (4.0, 0.0)]),
        ];
        for (arguments, moves) in games {
            let mut clock = GameClock::new(*clock(arguments).time_control(), 0.0);
            for (move_index, &(limit, spent)) in moves.iter().enumerate() {
                assert_eq!(
                    clock.seconds_until_flag(White),
                    Some(limit),
                    "{arguments}, move {move_index}"
                );
                clock.record_move_time(White, spent);
            }
        }
        assert_eq!(clock("none").seconds_until_flag(White), None);
    }

    #[test]
    fn client_reports_override_clock() {
        let mut byo_yomi = clock("byoyomi 10 30 3");
        byo_yomi.set_time_left(Black, 7.0, 0);
        assert_eq!(byo_yomi.time_left(Black), Some(TimeLeft::in_main_time(7.0)));
        byo_yomi.set_time_left(Black, 12.0, 2);
        assert_eq!(byo_yomi.time_left(Black), overtime(12.0, 2));
        byo_yomi.reset();
        assert_eq!(
            byo_yomi.time_left(Black),
            Some(TimeLeft::in_main_time(10.0))
        );
        let mut absolute = clock("absolute 60");
        absolute.set_time_left(White, 20.0, 5);
        assert_eq!(
            absolute.time_left(White),
            Some(TimeLeft::in_main_time(20.0))
        );
        absolute.set_time_left(White, -4.0, 0);
        assert_eq!(absolute.time_left(White), Some(TimeLeft::in_main_time(0.0)));
    }

    #[test]
    fn more_time_than_a_period_is_main_time() {
        for (arguments, reported, expected) in [
            ("canadian 60 2 1", (30.0, 1), TimeLeft::in_main_time(28.0)),
            (
                "canadian 600 300 25",
                (301.0, 25),
                TimeLeft::in_main_time(1.0),
            ),
            (
                "byoyomi 600 30 5",
                (300.0, 5),
                TimeLeft::in_main_time(270.0),
            ),
        ] {
            let mut clock = clock(arguments);
            clock.set_time_left(White, reported.0, reported.1);
            assert_eq!(clock.time_left(White), Some(expected), "{arguments}");
        }
        for (arguments, seconds, periods) in [("canadian 600 300 25", 300.0, 3), ("none", 900.0, 1)]
        {
            let mut clock = clock(arguments);
            clock.set_time_left(White, seconds, periods);
            assert_eq!(
                clock.time_left(White),
                overtime(seconds, periods),
                "{arguments}"
            );
        }
    }

    #[test]
    fn stall_in_main_time_does_not_shorten_overtime() {
        for arguments in ["byoyomi 100 10 5", "canadian 100 50 5"] {
            let lag_after = |delays: [f64; 4]| {
                let mut clock = clock(arguments);
                let mut main = 100.0;
                for delay in delays {
                    clock.record_move_time(Black, 10.0);
                    main -= 10.0 + delay;
                    clock.set_time_left(Black, main, 0);
                }
                // Overtime, in which the client reports nothing that the lag could be measured by.
                clock.set_time_left(Black, 10.0, 5);
                for _ in 0..30 {
                    clock.record_move_time(Black, 1.0);
                }
                clock.lag()
            };
            let stalled = lag_after([0.5, 0.5, 9.5, 9.5]);
            assert!(stalled < 0.51, "{arguments}: {stalled}");
            let slow_network = lag_after([2.4; 4]);
            assert!(slow_network > 2.39, "{arguments}: {slow_network}");
        }
    }

    #[test]
    fn lag_is_measured_after_charged_moves() {
        let mut clock = clock("absolute 600");
        clock.set_time_left(Black, 590.25, 0);
        assert_eq!(clock.lag(), 0.5, "no move was charged");
        clock.record_move_time(Black, 9.5);
        clock.set_time_left(Black, 580.0, 0);
        clock.set_time_left(Black, 570.25, 0);
        assert_eq!(clock.lag(), 0.5, "repeated report");
        clock.record_move_time(Black, 9.5);
        clock.set_time_left(Black, 560.125, 0);
        assert_eq!(clock.lag(), 0.625);
        // The same time control again, as some clients send it before every move; then a different one.
        for (time_control, expected_lag) in [
            (clock.time_control, 0.75),
            (TimeControl::absolute(60.0), 0.75),
        ] {
            clock.record_move_time(Black, 9.25);
            let expected_main = clock.expected_main[Black].expect("main time");
            clock.set_time_control(time_control);
            clock.set_time_left(Black, expected_main - 0.125, 0);
            assert_eq!(clock.lag(), expected_lag);
        }
        clock.reset();
        assert_eq!(clock.lag(), 0.75, "lag survives a reset");
    }

    #[test]
    fn client_reports_limit_unset_clocks() {
        let mut unset = clock("none");
        unset.record_move_time(Black, 5.0);
        unset.set_time_left(White, 0.0, 0);
        assert_eq!(
            (unset.time_left(Black), unset.time_left(White)),
            (None, None)
        );
        unset.set_time_left(Black, 30.0, 0);
        unset.record_move_time(Black, 9.5);
        assert_eq!(unset.time_left(Black), Some(TimeLeft::in_main_time(20.0)));
        unset.set_time_left(White, 30.0, 1);
        unset.record_move_time(White, 9.5);
        assert_eq!(unset.time_left(White), None);
        // An expired clock is still a limit.
        for (seconds, stones) in [(-1.0, 0), (0.0, 1)] {
            let mut overdrawn = clock("none");
            overdrawn.set_time_left(White, seconds, stones);
            assert_eq!(overdrawn.time_left(White), overtime(0.0, stones));
        }
        unset.set_time_left(Black, 0.0, 0);
        assert_eq!(unset.time_left(Black), Some(TimeLeft::in_main_time(0.0)));
    }
}
