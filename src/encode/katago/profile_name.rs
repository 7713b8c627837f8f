//! Profiles by the names that KataGo's setting `humanSLProfile` has for them.
//!
//! | name | the game is |
//! |---|---|
//! | `rank_5k`, from `20k` to `9d` | one of amateurs of that grade, in 2020 |
//! | `rank_5k_1d` | the same, Black of the first grade and White of the second |
//! | `preaz_5k`, `preaz_5k_1d` | the same in 2016, before players learnt from engines |
//! | `proyear_1846`, from 1800 to 2023 | one of professionals of that year |
//! | nothing or `_` | one of players of whom nothing is known |

use std::str::FromStr;

use super::profile::{Day, Player, Profile, Rank, Rated, Source, TimeControl};
use crate::game::color::ByColor;

/// Amateurs' games: year and month before and after players learnt from engines.
const BEFORE_ENGINES: (u16, u8) = (2016, 9);
const SINCE_ENGINES: (u16, u8) = (2020, 3);
/// Professional games are found in one collection up to this year, and later ones in another.
const LAST_OF_FIRST_COLLECTION: u16 = 2020;

/// A name that stands for no profile.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "expected a profile such as rank_5k, rank_20k_9d, preaz_1d or proyear_1800 (to proyear_2023), found {found:?}"
)]
pub struct UnknownProfile {
    /// The name.
    pub found: String,
}

impl FromStr for Profile {
    type Err = UnknownProfile;

    fn from_str(name: &str) -> Result<Self, UnknownProfile> {
        let known = match name.split_once('_') {
            None if name.is_empty() => Some(Self::default()),
            Some(("", "")) => Some(Self::default()),
            Some(("rank", ranks)) => amateurs(ranks, SINCE_ENGINES),
            Some(("preaz", ranks)) => amateurs(ranks, BEFORE_ENGINES),
            Some(("proyear", year)) => professionals(year),
            _ => None,
        };
        known.ok_or_else(|| UnknownProfile {
            found: name.to_owned(),
        })
    }
}

/// When amateurs' games are played where the name says nothing else.
pub(super) fn present_day() -> Day {
    first_of(SINCE_ENGINES)
}

fn first_of((year, month): (u16, u8)) -> Day {
    Day::first_of(year, month).expect("the months named here are from 1 to 12")
}

fn amateurs(ranks: &str, month: (u16, u8)) -> Option<Profile> {
    let (black, white) = ranks.split_once('_').unwrap_or((ranks, ranks));
    let human = |rank| Player { human: true, rank };
    Some(Profile {
        players: ByColor::new(human(grade(black)?), human(grade(white)?)),
        rated: Rated::Unknown,
        time: TimeControl::ByoYomi {
            main: 1200.0,
            period: 30.0,
            periods: 5,
        },
        day: first_of(month),
        source: Source::Kgs,
    })
}

/// Reads a grade from `20k` to `9d`, without leading zeros.
fn grade(text: &str) -> Option<Rank> {
    if text.starts_with(['0', '+']) {
        return None;
    }
    if let Some(dan) = text.strip_suffix('d') {
        return Rank::dan(dan.parse().ok()?);
    }
    let kyu: u8 = text.strip_suffix('k')?.parse().ok()?;
    Rank::kyu(kyu).filter(|_| kyu <= 20)
}

fn professionals(year: &str) -> Option<Profile> {
    let year: u16 = year.parse().ok()?;
    if !(1800..=2023).contains(&year) {
        return None;
    }
    let player = Player {
        human: true,
        rank: Rank::Grade(1),
    };
    Some(Profile {
        players: ByColor::new(player, player),
        rated: Rated::Yes,
        time: TimeControl::Unknown,
        day: first_of((year, 6)),
        source: if year <= LAST_OF_FIRST_COLLECTION {
            Source::GoGod
        } else {
            Source::Go4Go
        },
    })
}
