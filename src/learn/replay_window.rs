//! Replay window: the most recent self-play games, on which the network is trained.
//!
//! The window grows more slowly than the number of games, so that the games of early, weak networks drop out of it.

use std::path::{Path, PathBuf};

use super::game::GameFileError;
use super::selfplay::reader::SelfplayReader;

/// Exponent of the window growth (α in Wu, "Accelerating self-play learning in Go", 2019).
const WINDOW_EXPONENT: f64 = 0.75;
/// Growth of the window per additional game when there are `base` games (β in the same paper).
const WINDOW_SCALE: f64 = 0.4;

/// Returns the size of the window (the number of most recent games to use) if there are `games` games in total.
///
/// If `games` is at most `base`, the window contains all games. Otherwise, its size is
/// `base * (1 + β * ((games / base)^α - 1) / α)`, with α = 0.75 and β = 0.4.
pub fn window_size(games: u64, base: u64) -> u64 {
    if games <= base {
        return games;
    }
    let growth = libm::pow(games as f64 / base as f64, WINDOW_EXPONENT) - 1.0;
    (base as f64 * (1.0 + WINDOW_SCALE * growth / WINDOW_EXPONENT)) as u64
}

/// Returns the files that contain games of the [window](window_size), each paired with the number of older games to
/// skip at the start of the file.
///
/// `files` contains the paths of self-play files, oldest first.
///
/// # Errors
/// Returns an error if a file cannot be read or does not contain self-play games.
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
            expected: "self-play games, one per line".to_owned(),
            found: "a file of another kind".to_owned(),
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
        // Ten games above the base enlarge the window by 3.995 games, rounded down.
        assert_eq!(window_size(1_010, 1_000), 1_003);
        let growth = |games| window_size(games + 1_000, 1_000) - window_size(games, 1_000);
        assert!(growth(2_000) > growth(8_000) && growth(8_000) > 0);
    }
}
