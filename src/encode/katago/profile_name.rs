//! Parser for profile names, as used in KataGo's setting `humanSLProfile`.
//!
//! | name | game |
//! |---|---|
//! | `rank_5k`, from `20k` to `9d` | amateurs of this rank in 2020 |
//! | `rank_5k_1d` | Black of the first rank, White of the second |
//! | `preaz_5k`, `preaz_5k_1d` | the same in 2016, before players learned from engines |
//! | `proyear_1846`, from 1800 to 2023 | professionals in this year |
//! | empty or `_` | unknown players |

use std::str::FromStr;

use super::player_profile::{ByoYomi, Date, GameSource, POST_ALPHAZERO_MONTH, Profile, Rank};
use crate::game::color::ByColor;

/// Year and month of amateur games before players learned from engines.
const PRE_ALPHAZERO_MONTH: (u16, u8) = (2016, 9);
/// Last year for which the professional games come from the GoGoD collection. Later games come from Go4Go.
const LAST_GOGOD_YEAR: u16 = 2020;

/// Error for an unknown profile name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "unknown profile {found:?} (examples: rank_5k, rank_20k_9d, preaz_1d, proyear_1800 to proyear_2023)"
)]
pub struct UnknownProfileError {
    pub found: String,
}

impl FromStr for Profile {
    type Err = UnknownProfileError;

    fn from_str(name: &str) -> Result<Self, UnknownProfileError> {
        let profile = match name.split_once('_') {
            None if name.is_empty() => Some(Self::default()),
            Some(("", "")) => Some(Self::default()),
            Some(("rank", ranks)) => amateur_profile(ranks, POST_ALPHAZERO_MONTH),
            Some(("preaz", ranks)) => amateur_profile(ranks, PRE_ALPHAZERO_MONTH),
            Some(("proyear", year)) => professional_profile(year),
            _ => None,
        };
        profile.ok_or_else(|| UnknownProfileError {
            found: name.to_owned(),
        })
    }
}

fn first_of_month((year, month): (u16, u8)) -> Date {
    Date::first_of_month(year, month).expect("the months named here are from 1 to 12")
}

fn amateur_profile(ranks: &str, month: (u16, u8)) -> Option<Profile> {
    let (black, white) = ranks.split_once('_').unwrap_or((ranks, ranks));
    Some(Profile {
        ranks: Some(ByColor::new(parse_rank(black)?, parse_rank(white)?)),
        is_rated: false,
        time_control: Some(ByoYomi {
            main: 1200.0,
            period: 30.0,
            periods: 5,
        }),
        date: first_of_month(month),
        source: GameSource::Kgs,
    })
}

/// Parses a rank from `20k` to `9d`, without leading zeros.
fn parse_rank(text: &str) -> Option<Rank> {
    if text.starts_with(['0', '+']) {
        return None;
    }
    if let Some(dan) = text.strip_suffix('d') {
        return Rank::dan(dan.parse().ok()?);
    }
    let kyu: u8 = text.strip_suffix('k')?.parse().ok()?;
    Rank::kyu(kyu).filter(|_| kyu <= 20)
}

fn professional_profile(year: &str) -> Option<Profile> {
    let year: u16 = year.parse().ok()?;
    if !(1800..=2023).contains(&year) {
        return None;
    }
    Some(Profile {
        ranks: Some(ByColor::new(Rank(1), Rank(1))),
        is_rated: true,
        time_control: None,
        date: first_of_month((year, 6)),
        source: if year <= LAST_GOGOD_YEAR {
            GameSource::GoGod
        } else {
            GameSource::Go4Go
        },
    })
}
