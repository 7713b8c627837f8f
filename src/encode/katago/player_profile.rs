//! Player profiles: the additional input of KataGo's human-style networks, which describes the players and the game.
//!
//! A [`Profile`] is encoded as 192 numbers ([`PROFILE_LEN`]): whether the players are human and have ranks, the ranks,
//! whether the game is rated, the time control, the area of the board, the date, and the source of the record.

use std::f64::consts::TAU;

use crate::game::color::{ByColor, Color};

/// Length of an encoded profile.
pub const PROFILE_LEN: usize = 192;

/// Offset of the ranks in the encoding. The following constants are the offsets of the other parts.
const RANK_OFFSET: usize = 6;
const RATED_OFFSET: usize = RANK_OFFSET + 2 * RANK_STEPS;
const TIME_KIND_OFFSET: usize = RATED_OFFSET + 1;
const TIME_VALUES_OFFSET: usize = TIME_KIND_OFFSET + 7;
const AREA_OFFSET: usize = TIME_VALUES_OFFSET + 4;
const DATE_OFFSET: usize = AREA_OFFSET + 1;
const SOURCE_OFFSET: usize = DATE_OFFSET + 2 * DATE_WAVELENGTHS;

/// Length of the unary ("thermometer") encoding of a rank.
const RANK_STEPS: usize = 34;
/// Number of wavelengths in the encoding of the date.
const DATE_WAVELENGTHS: usize = 32;
/// Shortest wavelength in days: play may depend on the day of the week.
const MIN_WAVELENGTH_DAYS: f64 = 7.0;
/// Ratio of the longest to the shortest wavelength.
const LONGEST_TO_SHORTEST_WAVELENGTH: f64 = 80_000.0;
/// Days from 1 January of year 1 to 1 January 1970.
const UNIX_EPOCH_DAY: i32 = 719_162;

/// Year and month in profiles of present-day games, which are played after humans started to learn from engines.
pub(super) const POST_ALPHAZERO_MONTH: (u16, u8) = (2020, 3);

/// Rank of a player in steps from the top: 1 is a professional or 9 dan, 9 is 1 dan, 10 is 1 kyu, and 34 is 25 kyu.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rank(pub u8);

impl Rank {
    /// Creates an amateur dan rank. Returns `None` if `dan` is not from 1 to 9.
    pub const fn dan(dan: u8) -> Option<Self> {
        match dan {
            1..=9 => Some(Self(10 - dan)),
            _ => None,
        }
    }

    /// Creates a kyu rank. Returns `None` if `kyu` is not from 1 to 25.
    pub const fn kyu(kyu: u8) -> Option<Self> {
        match kyu {
            1..=25 => Some(Self(9 + kyu)),
            _ => None,
        }
    }
}

/// Time control with main time followed by periods. A move uses up a period only if it takes longer than the period.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ByoYomi {
    /// Main time in seconds.
    pub main: f64,
    /// Duration of a period in seconds.
    pub period: f64,
    /// Number of periods.
    pub periods: u8,
}

/// A date, stored as the number of days since 1 January 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Date(i32);

impl Date {
    /// Returns the first day of a month in the Gregorian calendar, or `None` unless the year is at least 1 and
    /// `month` is from 1 to 12.
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

    /// Returns the number of days since 1 January 1970.
    pub const fn days_since_unix_epoch(self) -> i32 {
        self.0
    }
}

/// Source of a game record. The discriminant is the index of the source in the encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GameSource {
    Other = 0,
    /// KGS Go Server.
    Kgs = 2,
    /// GoGoD collection of professional games.
    GoGod = 5,
    /// Go4Go collection of professional games.
    Go4Go = 6,
}

/// Description of a game between two humans: the players and the circumstances.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Profile {
    /// Ranks, or `None` if they are unknown.
    pub ranks: Option<ByColor<Rank>>,
    /// True if the game is known to be rated.
    pub is_rated: bool,
    /// Time control, or `None` if it is unknown.
    pub time_control: Option<ByoYomi>,
    pub date: Date,
    pub source: GameSource,
}

/// Default profile: players of unknown rank in a present-day game.
impl Default for Profile {
    fn default() -> Self {
        let (year, month) = POST_ALPHAZERO_MONTH;
        Self {
            ranks: None,
            is_rated: false,
            time_control: None,
            date: Date::first_of_month(year, month).expect("the month is from 1 to 12"),
            source: GameSource::Other,
        }
    }
}

impl Profile {
    /// Encodes the profile from the perspective of `to_move`, for a board of `area` points.
    ///
    /// # Panics
    /// Panics if the length of `output` is not [`PROFILE_LEN`].
    pub fn encode(&self, to_move: Color, area: usize, output: &mut [f32]) {
        assert_eq!(output.len(), PROFILE_LEN, "length of the profile");
        output.fill(0.0);
        // Three pairs of flags for the side to move and its opponent: human, without rank (never set), of unknown rank.
        output[..2].fill(1.0);
        match self.ranks {
            None => output[4..6].fill(1.0),
            Some(ranks) => {
                for (side, color) in [to_move, to_move.opposite()].into_iter().enumerate() {
                    let steps = usize::from(ranks[color].0).min(RANK_STEPS);
                    output[RANK_OFFSET + side * RANK_STEPS..][..steps].fill(1.0);
                }
            }
        }
        output[RATED_OFFSET] = if self.is_rated { 0.0 } else { 0.5 };
        self.encode_time(output);
        output[AREA_OFFSET] = (0.5 * (area as f64 / 361.0).ln()) as f32;
        self.encode_date(&mut output[DATE_OFFSET..SOURCE_OFFSET]);
        output[SOURCE_OFFSET + self.source as usize] = 1.0;
    }

    fn encode_time(&self, output: &mut [f32]) {
        let (kind, main, period, periods) = match self.time_control {
            None => (0, 0.0, 0.0, 0),
            Some(ByoYomi {
                main,
                period,
                periods,
            }) => (4, main, period, periods),
        };
        output[TIME_KIND_OFFSET + kind] = 1.0;
        let count = |count: u8| (f64::from(count) + 2.0).ln() - 1.5;
        let times = [
            0.4 * ((main + 60.0).ln() - 6.5),
            0.3 * ((period + 1.0).ln() - 3.0),
            0.5 * count(periods),
            // Number of moves per period. This is 0, because only other time controls have it.
            0.25 * count(0),
        ];
        for (out, time) in output[TIME_VALUES_OFFSET..].iter_mut().zip(times) {
            *out = time as f32;
        }
    }

    /// Encodes the date as the cosine and the sine of its phase for each wavelength.
    fn encode_date(&self, waves: &mut [f32]) {
        let ratio = LONGEST_TO_SHORTEST_WAVELENGTH.powf(1.0 / (DATE_WAVELENGTHS as f64 - 1.0));
        let mut length = MIN_WAVELENGTH_DAYS;
        for wave in waves.chunks_exact_mut(2) {
            let cycles = f64::from(self.date.days_since_unix_epoch()) / length;
            wave[0] = (cycles * TAU).cos() as f32;
            wave[1] = (cycles * TAU).sin() as f32;
            length *= ratio;
        }
    }
}
