//! The replay window: of the games of self-play only the newest are learnt from, more of them the more there are, but
//! ever more slowly, so that what weak nets played is forgotten.

use std::path::{Path, PathBuf};

use super::archive::ArchiveError;
use super::selfplay::read::LineGames;

/// The power of the number of games that the window grows with (α in Wu, "Accelerating self-play learning in Go", 2019,
/// on the training window) ...
const POWER: f64 = 0.75;
/// ... and how much it grows with the first game too many (β there).
const GROWTH: f64 = 0.4;

/// How many of so many games are learnt from: all up to `base`; of more `base (1 + β ((games / base)^α - 1) / α)`.
#[must_use]
pub fn window(games: u64, base: u64) -> u64 {
    if games <= base {
        return games;
    }
    let grown = libm::pow(games as f64 / base as f64, POWER) - 1.0;
    (base as f64 * (1.0 + GROWTH * grown / POWER)) as u64
}

/// The files that hold the games in the [`window`], each with the number of games at its beginning that are too old. The
/// files are of self-play and in the order in which they were written.
///
/// # Errors
/// When a file cannot be read or is of another kind.
pub fn newest(files: &[PathBuf], base: u64) -> Result<Vec<(PathBuf, usize)>, ArchiveError> {
    let counted = files.iter().map(|file| Ok((file, games(file)?)));
    let counted: Vec<(&PathBuf, u64)> = counted.collect::<Result<_, ArchiveError>>()?;
    let all = counted.iter().map(|&(_, games)| games).sum();
    let mut old = all - window(all, base);
    let mut newest = Vec::new();
    for (file, games) in counted {
        let skipped = old.min(games);
        old -= skipped;
        if skipped < games {
            newest.push((file.clone(), skipped as usize));
        }
    }
    Ok(newest)
}

fn games(file: &Path) -> Result<u64, ArchiveError> {
    match LineGames::open(file)? {
        Some(lines) => lines.games(),
        None => Err(ArchiveError::Format {
            file: file.display().to_string(),
            offset: 0,
            expected: "games of self-play, a line each".to_owned(),
            found: "another kind of file".to_owned(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// At four times the base: 1 + 0.4 (4^0.75 - 1) / 0.75 = 1 + 0.4 * 1.828427 / 0.75 = 1.975161.
    #[test]
    fn the_window_grows_ever_more_slowly() {
        assert_eq!(
            [0, 1, 999, 1000].map(|games| window(games, 1000)),
            [0, 1, 999, 1000]
        );
        assert_eq!(window(4_000, 1_000), 1_975);
        // Of ten games just above the base four are new to it.
        assert_eq!(window(1_010, 1_000), 1_003);
        let growth = |games| window(games + 1_000, 1_000) - window(games, 1_000);
        assert!(growth(2_000) > growth(8_000) && growth(8_000) > 0);
    }
}
