//! The replay window: of the games of self-play only the newest are learnt from, more of them the more there are, but
//! ever more slowly, so that what weak nets played is forgotten.

use std::path::{Path, PathBuf};

use super::archive::GameFileError;
use super::selfplay::reader::SelfplayReader;

/// The power of the number of games that the window grows with (α in Wu, "Accelerating self-play learning in Go", 2019,
/// on the training window) ...
const WINDOW_EXPONENT: f64 = 0.75;
/// ... and how much it grows with the first game too many (β there).
const WINDOW_SCALE: f64 = 0.4;

/// How many of so many games are learnt from: all up to `base`; of more `base (1 + β ((count_games / base)^α - 1) / α)`.
#[must_use]
pub fn window_size(games: u64, base: u64) -> u64 {
    if games <= base {
        return games;
    }
    let growth = libm::pow(games as f64 / base as f64, WINDOW_EXPONENT) - 1.0;
    (base as f64 * (1.0 + WINDOW_SCALE * growth / WINDOW_EXPONENT)) as u64
}

/// The files that hold the games in the [`window_size`], each with the number of games at its beginning that are too old. The
/// files are of self-play and in the order in which they were written.
///
/// # Errors
/// When a file cannot be read or is of another kind.
pub fn select_newest(files: &[PathBuf], base: u64) -> Result<Vec<(PathBuf, usize)>, GameFileError> {
    let game_counts = files.iter().map(|file| Ok((file, count_games(file)?)));
    let game_counts: Vec<(&PathBuf, u64)> = game_counts.collect::<Result<_, GameFileError>>()?;
    let total = game_counts.iter().map(|&(_, games)| games).sum();
    let mut skip_remaining = total - window_size(total, base);
    let mut selected = Vec::new();
    for (file, games) in game_counts {
        let skip = skip_remaining.min(games);
        skip_remaining -= skip;
        if skip < games {
            selected.push((file.clone(), skip as usize));
        }
    }
    Ok(selected)
}

fn count_games(file: &Path) -> Result<u64, GameFileError> {
    match SelfplayReader::open(file)? {
        Some(lines) => lines.count_games(),
        None => Err(GameFileError::Format {
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
    fn window_growth_slows_down() {
        assert_eq!(
            [0, 1, 999, 1000].map(|games| window_size(games, 1000)),
            [0, 1, 999, 1000]
        );
        assert_eq!(window_size(4_000, 1_000), 1_975);
        // Of ten games just above the base four are new to it.
        assert_eq!(window_size(1_010, 1_000), 1_003);
        let growth = |games| window_size(games + 1_000, 1_000) - window_size(games, 1_000);
        assert!(growth(2_000) > growth(8_000) && growth(8_000) > 0);
    }
}
