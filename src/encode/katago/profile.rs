//! Who is taken to play: what KataGo's networks that imitate humans are told about the game.
//!
//! A [`Profile`] becomes 192 numbers ([`PROFILE_LEN`]): whether the players are human and ranked, their ranks, the
//! kind of game, the time control, the board's area, the date and where the record comes from.

use std::f64::consts::TAU;

use super::profile_name;
use crate::game::color::{ByColor, Color};

/// Length of a profile as a network's input.
pub const PROFILE_LEN: usize = 192;

/// Where each part begins.
const RANK_OFFSET: usize = 6;
const RATED_OFFSET: usize = RANK_OFFSET + 2 * RANK_STEPS;
const TIME_KIND_OFFSET: usize = RATED_OFFSET + 1;
const TIME_OFFSET: usize = TIME_KIND_OFFSET + 7;
const AREA_OFFSET: usize = TIME_OFFSET + 4;
const DATE_OFFSET: usize = AREA_OFFSET + 1;
const SOURCE_OFFSET: usize = DATE_OFFSET + 2 * DATE_WAVES;

/// Steps of the thermometer that shows a rank.
const RANK_STEPS: usize = 34;
/// Waves that show the date.
const DATE_WAVES: usize = 32;
/// The shortest of these waves, in days: games may differ by the day of the week.
const MIN_WAVE_DAYS: f64 = 7.0;
/// The longest is so many times the shortest.
const WAVE_LENGTH_RATIO: f64 = 80_000.0;
/// Longer times and more periods and moves are shown as these: seconds of main time and of a period, and a number.
const MAX_MAIN_SECONDS: f64 = 3.0 * 86_400.0;
const MAX_PERIOD_SECONDS: f64 = 86_400.0;
const MAX_COUNT: u16 = 50;
/// Days from 1 January of the year 1 to that of 1970.
const UNIX_EPOCH_DAY: i32 = 719_162;

/// How strong a player is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rank {
    /// The record does not say.
    Unknown,
    /// The player has none.
    Unranked,
    /// A grade: steps down from the highest professional or 9 dan, which is 1; 9 is 1 dan, 10 is 1 kyu.
    Grade(u8),
}

impl Rank {
    /// An amateur's dan grade, from 1 to 9.
    #[must_use]
    pub const fn dan(dan: u8) -> Option<Self> {
        match dan {
            1..=9 => Some(Self::Grade(10 - dan)),
            _ => None,
        }
    }

    /// A kyu grade, from 1 to 25.
    #[must_use]
    pub const fn kyu(kyu: u8) -> Option<Self> {
        match kyu {
            1..=25 => Some(Self::Grade(9 + kyu)),
            _ => None,
        }
    }

    /// Steps of the thermometer.
    fn num_steps(self) -> usize {
        match self {
            Self::Unknown | Self::Unranked => 0,
            Self::Grade(grade) => usize::from(grade).min(RANK_STEPS),
        }
    }
}

/// Whether the game counts for ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rated {
    /// It does.
    Yes,
    /// It does not.
    No,
    /// Nothing is known.
    Unknown,
}

/// The time control, in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ProfileTimeControl {
    /// Nothing is known.
    Unknown,
    /// No limit.
    Unlimited,
    /// A time for the whole game.
    Absolute {
        /// That time.
        main: f64,
    },
    /// A time for each move.
    Simple {
        /// That time.
        period: f64,
    },
    /// A main time, then periods of which one is lost when a move takes longer.
    ByoYomi {
        /// The main time.
        main: f64,
        /// A period's time.
        period: f64,
        /// Their number.
        periods: u16,
    },
    /// A main time, then a number of moves in each period.
    Canadian {
        /// The main time.
        main: f64,
        /// A period's time.
        period: f64,
        /// The moves.
        moves: u16,
    },
    /// A main time, and more for each move made.
    Fischer {
        /// The main time.
        main: f64,
        /// What a move adds.
        increment: f64,
    },
}

impl ProfileTimeControl {
    /// Number of the kind; main time, time of a period, periods, moves in a period.
    const fn parts(self) -> (usize, f64, f64, u16, u16) {
        match self {
            Self::Unknown => (0, 0.0, 0.0, 0, 0),
            Self::Unlimited => (1, 0.0, 0.0, 0, 0),
            Self::Absolute { main } => (2, main, 0.0, 0, 0),
            Self::Simple { period } => (3, 0.0, period, 0, 0),
            Self::ByoYomi {
                main,
                period,
                periods,
            } => (4, main, period, periods, 0),
            Self::Canadian {
                main,
                period,
                moves,
            } => (5, main, period, 0, moves),
            Self::Fischer { main, increment } => (6, main, increment, 0, 0),
        }
    }
}

/// A day, counted from 1 January 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Day(i32);

impl Day {
    /// The day of that number, negative before 1970.
    #[must_use]
    pub const fn from_number(number: i32) -> Self {
        Self(number)
    }

    /// The first day of a month of the Gregorian calendar; `None` unless the year is from 1 and `month` from 1 to 12.
    #[must_use]
    pub fn first_of_month(year: u16, month: u8) -> Option<Self> {
        const DAYS_BEFORE_MONTH: [i32; 12] =
            [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];
        let days_before_month = DAYS_BEFORE_MONTH.get(usize::from(month).checked_sub(1)?)?;
        let (year, full_years) = (i32::from(year), i32::from(year.checked_sub(1)?));
        let leap_year = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        let leap_days = full_years / 4 - full_years / 100
            + full_years / 400
            + i32::from(leap_year && month > 2);
        Some(Self(
            365 * full_years + leap_days + days_before_month - UNIX_EPOCH_DAY,
        ))
    }

    /// Its number.
    #[must_use]
    pub const fn number(self) -> i32 {
        self.0
    }
}

/// Where a game record comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GameSource {
    /// None of the others.
    Other = 0,
    /// The Online Go Server.
    Ogs = 1,
    /// The KGS Go Server.
    Kgs = 2,
    /// The Fox Go Server.
    Fox = 3,
    /// The Tygem server.
    Tygem = 4,
    /// The GoGoD collection of professional games.
    GoGod = 5,
    /// The Go4Go collection of professional games.
    Go4Go = 6,
}

/// One of the two players.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProfilePlayer {
    /// Whether a human plays.
    pub is_human: bool,
    /// How strongly.
    pub rank: Rank,
}

/// A game and its players.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Profile {
    /// The players.
    pub players: ByColor<ProfilePlayer>,
    /// Whether the game counts.
    pub rated: Rated,
    /// The clock.
    pub time_control: ProfileTimeControl,
    /// When it is played.
    pub day: Day,
    /// Where its record is found.
    pub source: GameSource,
}

/// Humans of whom nothing is known, in the month that the profiles of present-day amateurs name too.
impl Default for Profile {
    fn default() -> Self {
        let player = ProfilePlayer {
            is_human: true,
            rank: Rank::Unknown,
        };
        Self {
            players: ByColor::new(player, player),
            rated: Rated::Unknown,
            time_control: ProfileTimeControl::Unknown,
            day: profile_name::default_day(),
            source: GameSource::Other,
        }
    }
}

impl Profile {
    /// Writes the profile of a game on a board of `area` points as `to_move` sees it.
    ///
    /// # Panics
    /// When `output` is not [`PROFILE_LEN`] long.
    pub fn encode(&self, to_move: Color, area: usize, output: &mut [f32]) {
        assert_eq!(output.len(), PROFILE_LEN, "length of the profile");
        output.fill(0.0);
        for (side, color) in [to_move, to_move.opposite()].into_iter().enumerate() {
            let ProfilePlayer { is_human, rank } = self.players[color];
            for (field, value) in [is_human, rank == Rank::Unranked, rank == Rank::Unknown]
                .into_iter()
                .enumerate()
            {
                output[2 * field + side] = f32::from(u8::from(value));
            }
            output[RANK_OFFSET + side * RANK_STEPS..][..rank.num_steps()].fill(1.0);
        }
        output[RATED_OFFSET] = match self.rated {
            Rated::Yes => 0.0,
            Rated::No => 1.0,
            Rated::Unknown => 0.5,
        };
        self.encode_time(output);
        output[AREA_OFFSET] = (0.5 * (area as f64 / 361.0).ln()) as f32;
        self.encode_day(&mut output[DATE_OFFSET..SOURCE_OFFSET]);
        output[SOURCE_OFFSET + self.source as usize] = 1.0;
    }

    fn encode_time(&self, output: &mut [f32]) {
        let (kind, main, period, periods, moves) = self.time_control.parts();
        output[TIME_KIND_OFFSET + kind] = 1.0;
        let main = main.clamp(0.0, MAX_MAIN_SECONDS);
        let period = period.clamp(0.0, MAX_PERIOD_SECONDS);
        let count = |count: u16| (f64::from(count.min(MAX_COUNT)) + 2.0).ln() - 1.5;
        let times = [
            0.4 * ((main + 60.0).ln() - 6.5),
            0.3 * ((period + 1.0).ln() - 3.0),
            0.5 * count(periods),
            0.25 * count(moves),
        ];
        for (out, time) in output[TIME_OFFSET..].iter_mut().zip(times) {
            *out = time as f32;
        }
    }

    /// Cosine and sine of the day in waves of growing length.
    fn encode_day(&self, waves: &mut [f32]) {
        let ratio = WAVE_LENGTH_RATIO.powf(1.0 / (DATE_WAVES as f64 - 1.0));
        let mut length = MIN_WAVE_DAYS;
        for wave in waves.chunks_exact_mut(2) {
            let cycles = f64::from(self.day.number()) / length;
            wave[0] = (cycles * TAU).cos() as f32;
            wave[1] = (cycles * TAU).sin() as f32;
            length *= ratio;
        }
    }
}
