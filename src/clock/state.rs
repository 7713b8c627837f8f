//! The clocks of both players as far as the engine knows them.
//!
//! Some clients send what is left before every move, some never do. The numbers that came last are right: those of
//! the client when it sends some, else those that the engine's own measurements lead to.

use super::lag::Lag;
use super::lateness::Lateness;
use super::settings::TimeSettings;
use super::shown::{Left, after, full};
use crate::game::color::{ByColor, Color};

/// The time settings and both players' clocks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clock {
    settings: TimeSettings,
    left: ByColor<Option<Left>>,
    lag: Lag,
    lateness: Lateness,
    /// The main time left when a clock was last charged, as long as nobody has said what it really shows.
    reckoned: ByColor<Option<f64>>,
}

impl Clock {
    /// Full clocks under these settings. `lag` is the allowance in seconds for what passes on every move outside the
    /// thinking that is measured: the way to the client and back, and the search's last step.
    #[must_use]
    pub fn new(settings: TimeSettings, lag: f64) -> Self {
        let full = full(&settings);
        Self {
            settings,
            left: ByColor::new(full, full),
            lag: Lag::new(lag),
            lateness: Lateness::default(),
            reckoned: ByColor::default(),
        }
    }

    /// The settings.
    #[must_use]
    pub const fn settings(&self) -> &TimeSettings {
        &self.settings
    }

    /// The allowance for lag in seconds: the given one, and what has been measured beyond it.
    #[must_use]
    pub fn lag(&self) -> f64 {
        self.lag.seconds()
    }

    /// By how many seconds answers have lately come later than planned.
    #[must_use]
    pub fn lateness(&self) -> f64 {
        self.lateness.seconds()
    }

    /// What that player's clock shows; `None` when there is no limit.
    #[must_use]
    pub fn left(&self, color: Color) -> Option<Left> {
        self.left[color]
    }

    /// The longest that a player's next move may take, in seconds without the lag: what the clock shows and what of the
    /// overtime behind it one move can use, or the longest move that the settings allow. A move of exactly this length
    /// is in time. `None` when there is no limit.
    #[must_use]
    pub fn until_flag(&self, color: Color) -> Option<f64> {
        Some(match (self.left[color]?, self.settings) {
            (Left::Main(main), TimeSettings::Canadian { period, .. }) => main + period,
            (
                Left::Main(main),
                TimeSettings::ByoYomi {
                    period, periods, ..
                },
            ) => main + period * f64::from(periods),
            (
                Left::Main(main),
                TimeSettings::FischerCapped {
                    longest_move: Some(longest),
                    ..
                },
            ) => main.min(longest),
            (Left::Periods { seconds, periods }, TimeSettings::ByoYomi { period, .. }) => {
                seconds + period * f64::from(periods.saturating_sub(1))
            }
            (
                Left::Main(seconds) | Left::Stones { seconds, .. } | Left::Periods { seconds, .. },
                _,
            ) => seconds,
        })
    }

    /// New settings, and full clocks; the way to the client stays as long as it was, and the machine as busy. Some
    /// clients send the same ones before every move, and then what is left.
    pub fn set(&mut self, settings: TimeSettings) {
        let again = settings == self.settings;
        *self = Self {
            lag: self.lag,
            lateness: self.lateness,
            reckoned: if again {
                self.reckoned
            } else {
                ByColor::default()
            },
            ..Self::new(settings, 0.0)
        };
    }

    /// Full clocks again, for a new game.
    pub fn restart(&mut self) {
        self.reckoned = ByColor::default();
        self.set(self.settings);
    }

    /// Takes the client's word: so many seconds, and the stones to play in them (Canadian), the periods left (Japanese)
    /// or 0 in main time. A time below zero is none left: a client may count a little further than the flag. Overtime
    /// under settings without one is main time. When nothing was set, the numbers set the limit, and two zeros say that
    /// there is none, as some clients do, unless there was one already.
    pub fn set_left(&mut self, color: Color, seconds: f64, stones_or_periods: u32) {
        let unlimited = self.left[color].is_none() && (seconds, stones_or_periods) == (0.0, 0);
        let seconds = seconds.max(0.0);
        if let (Some(expected), 0) = (self.reckoned[color].take(), stones_or_periods) {
            self.lag.measure(expected, seconds);
        }
        self.left[color] = match (self.settings, stones_or_periods) {
            (TimeSettings::Unlimited, _) if unlimited => None,
            (TimeSettings::Unlimited | TimeSettings::Canadian { .. }, stones) if stones > 0 => {
                Some(Left::Stones { seconds, stones })
            }
            (TimeSettings::ByoYomi { .. }, periods) if periods > 0 => {
                Some(Left::Periods { seconds, periods })
            }
            _ => Some(Left::Main(seconds)),
        };
    }

    /// Learns by how many seconds an answer came later than planned, 0 if it did not.
    pub fn answered(&mut self, late: f64) {
        self.lateness.learn(late);
    }

    /// Charges a player for a move that took so many seconds to think, and for the lag.
    pub fn charge(&mut self, color: Color, seconds: f64) {
        let spent = seconds.max(0.0) + self.lag();
        self.left[color] = self.left[color].and_then(|left| after(&self.settings, left, spent));
        self.reckoned[color] = match self.left[color] {
            Some(Left::Main(main)) if main > 0.0 => Some(main),
            _ => None,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Color::{Black, White};

    fn clock(words: &str) -> Clock {
        let words: Vec<_> = words.split(' ').collect();
        Clock::new(TimeSettings::from_kata(&words).unwrap(), 0.5)
    }

    #[test]
    fn absolute_and_fischer_count_thinking_and_lag() {
        let mut absolute = clock("absolute 60");
        absolute.charge(Black, 9.5);
        assert_eq!(absolute.left(Black), Some(Left::Main(50.0)));
        assert_eq!(absolute.left(White), Some(Left::Main(60.0)));
        absolute.charge(Black, 100.0);
        assert_eq!(absolute.left(Black), Some(Left::Main(0.0)));
        let mut fischer = clock("fischer 60 5");
        fischer.charge(White, 9.5);
        assert_eq!(fischer.left(White), Some(Left::Main(55.0)));
        let mut capped = clock("fischer-capped 60 5 61 -1");
        capped.charge(White, 0.5);
        assert_eq!(capped.left(White), Some(Left::Main(61.0)));
    }

    #[test]
    fn canadian_periods_follow_one_another() {
        let mut canadian = clock("canadian 10 30 2");
        canadian.charge(Black, 9.5);
        assert_eq!(canadian.left(Black), Some(Left::Main(0.0)));
        for (seconds, stones) in [(20.0, 1), (30.0, 2)] {
            canadian.charge(Black, 9.5);
            assert_eq!(canadian.left(Black), Some(Left::Stones { seconds, stones }));
        }
    }

    #[test]
    fn byo_yomi_uses_up_only_what_ran_out() {
        let mut byo_yomi = clock("byoyomi 10 30 3");
        for (thought, periods) in [(39.5, 3), (29.5, 3), (30.0, 2), (500.0, 1)] {
            byo_yomi.charge(Black, thought);
            let seconds = 30.0;
            assert_eq!(
                byo_yomi.left(Black),
                Some(Left::Periods { seconds, periods })
            );
        }
    }

    /// Before each move the longest it may take, then what it took; all worked by hand.
    #[test]
    fn the_flag_falls_after_all_that_one_move_can_use() {
        let games: [(&str, &[(f64, f64)]); 7] = [
            ("absolute 10", &[(10.0, 4.25), (5.75, 5.75), (0.0, 0.0)]),
            // 3 s into the first period with two stones: 17 s for the second stone, then a new period.
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
            // Main time, then the first of three periods, all but lost; two are used up, and the last remains.
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
            // 10 - 1 + 3 is above the ceiling of 11; above 5 s left, the longest move counts.
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
        for (words, moves) in games {
            let mut clock = Clock::new(*clock(words).settings(), 0.0);
            for (made, &(longest, taken)) in moves.iter().enumerate() {
                assert_eq!(
                    clock.until_flag(White),
                    Some(longest),
                    "{words}, {made} made"
                );
                clock.charge(White, taken);
            }
        }
        assert_eq!(clock("none").until_flag(White), None);
    }

    #[test]
    fn the_clients_numbers_come_first() {
        let mut byo_yomi = clock("byoyomi 10 30 3");
        byo_yomi.set_left(Black, 7.0, 0);
        assert_eq!(byo_yomi.left(Black), Some(Left::Main(7.0)));
        byo_yomi.set_left(Black, 12.0, 2);
        let (seconds, periods) = (12.0, 2);
        assert_eq!(
            byo_yomi.left(Black),
            Some(Left::Periods { seconds, periods })
        );
        byo_yomi.restart();
        assert_eq!(byo_yomi.left(Black), Some(Left::Main(10.0)));
        let mut absolute = clock("absolute 60");
        absolute.set_left(White, 20.0, 5);
        assert_eq!(absolute.left(White), Some(Left::Main(20.0)));
        absolute.set_left(White, -4.0, 0);
        assert_eq!(absolute.left(White), Some(Left::Main(0.0)));
    }

    #[test]
    fn lag_is_measured_on_main_time_that_was_thought_in() {
        let mut clock = clock("absolute 600");
        clock.set_left(Black, 590.25, 0);
        assert_eq!(clock.lag(), 0.5, "nothing was thought");
        clock.charge(Black, 9.5);
        clock.set_left(Black, 580.0, 0);
        clock.set_left(Black, 570.25, 0);
        assert_eq!(clock.lag(), 0.5, "told again");
        clock.charge(Black, 9.5);
        clock.set_left(Black, 560.125, 0);
        assert_eq!(clock.lag(), 0.625);
        // The same settings once more, as some clients send them before every move; then others.
        for (settings, measured) in [
            (clock.settings, 0.75),
            (TimeSettings::Absolute { main: 60.0 }, 0.75),
        ] {
            clock.charge(Black, 9.25);
            let left = clock.reckoned[Black].expect("main time");
            clock.set(settings);
            clock.set_left(Black, left - 0.125, 0);
            assert_eq!(clock.lag(), measured);
        }
        clock.restart();
        assert_eq!(clock.lag(), 0.75, "the client is where it was");
    }

    #[test]
    fn without_settings_the_clients_numbers_set_the_limit() {
        let mut unset = clock("none");
        unset.charge(Black, 5.0);
        unset.set_left(White, 0.0, 0);
        assert_eq!((unset.left(Black), unset.left(White)), (None, None));
        unset.set_left(Black, 30.0, 0);
        unset.charge(Black, 9.5);
        assert_eq!(unset.left(Black), Some(Left::Main(20.0)));
        unset.set_left(White, 30.0, 1);
        unset.charge(White, 9.5);
        assert_eq!(unset.left(White), None);
        // A clock that has run out is none the less a clock.
        for (seconds, stones, left) in [
            (-1.0, 0, Left::Main(0.0)),
            (
                0.0,
                1,
                Left::Stones {
                    seconds: 0.0,
                    stones: 1,
                },
            ),
        ] {
            let mut overdrawn = clock("none");
            overdrawn.set_left(White, seconds, stones);
            assert_eq!(overdrawn.left(White), Some(left));
        }
        unset.set_left(Black, 0.0, 0);
        assert_eq!(unset.left(Black), Some(Left::Main(0.0)));
    }
}
