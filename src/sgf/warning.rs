//! Warnings about parts of a game that were not understood or had to be corrected.

use thiserror::Error;

use super::points::PointOrSizeError;
use crate::game::rules::Komi;

/// Part of a game that was not understood or had to be corrected. The game can be played nevertheless.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum GameWarning {
    /// The rules are unknown, so other rules apply.
    #[error("the rules {found:?} (RU) are unknown; {used} rules are used")]
    UnknownRules { found: String, used: String },
    /// The komi is not a number of points that the engine supports.
    #[error("the komi {found:?} (KM) was not understood; {used} is used")]
    UnknownKomi { found: String, used: Komi },
    /// The komi is in hundredths, without a sign that the file comes from a server that writes it in this way.
    #[error("the komi {found:?} (KM) was read as {komi} points")]
    KomiInHundredths { found: String, komi: Komi },
    /// The handicap is not a number.
    #[error("the handicap {found:?} (HA) was not understood")]
    UnknownHandicap { found: String },
    /// The file declares handicap stones without placing them, and a move shows that they are not on the usual points.
    #[error(
        "the file declares {stones} handicap stones (HA) but does not place them, and a move is on one of the usual points"
    )]
    UnplacedHandicap { stones: usize },
    /// A set-up stone is not on the board. It is ignored.
    #[error("ignored a set-up stone: {0}")]
    IgnoredStone(PointOrSizeError),
    /// Set-up stones without liberties were removed.
    #[error("removed {count} set-up stones without liberties")]
    RemovedStones { count: usize },
}
