//! Small self-play runs with evaluators that need no network.

use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use honinbo::eval::stack::{BaseEvaluator, EvaluatorStack, StackSettings};
use honinbo::eval::symmetry::SymmetryMode;
use honinbo::game::rules::Komi;
use honinbo::learn::selfplay::SelfplaySettings;
use honinbo::learn::selfplay::game::{self, SelfplayGame};
use honinbo::learn::selfplay::run::{SelfplayError, SelfplayLimits, SelfplayStats, run_selfplay};
use honinbo::learn::selfplay::settings::PlayoutCap;
use honinbo::learn::selfplay::weighted_choice::WeightedChoice;

/// Settings for games on 5x5 without a search, under many rules.
pub fn settings() -> SelfplaySettings {
    SelfplaySettings {
        sizes: WeightedChoice::parse_sizes("5").unwrap(),
        rules: WeightedChoice::parse_rules(
            "tromp-taylor,chinese,japanese,aga,new-zealand,stone-scoring",
        )
        .unwrap(),
        komi: Some(Komi::from_half_points(1)),
        komi_deviation: 2.0,
        handicap_fraction: 0.2,
        playout_cap: PlayoutCap {
            full_visits: 1,
            fast_visits: 1,
            full_fraction: 1.0,
            forced_playouts: 0.0,
        },
        resign_percent: 0.0,
        no_resign_fraction: 0.0,
        seed: 7,
        player_name: "Player; of [tests]".to_owned(),
    }
}

/// Settings with short searches.
pub fn searching() -> SelfplaySettings {
    let playout_cap = PlayoutCap {
        full_visits: 24,
        fast_visits: 6,
        full_fraction: 0.5,
        forced_playouts: 0.0,
    };
    SelfplaySettings {
        playout_cap,
        ..settings()
    }
}

/// Builds an evaluator stack like the program.
pub fn stack(base: BaseEvaluator, batch: usize) -> EvaluatorStack {
    EvaluatorStack::new(
        base,
        StackSettings {
            symmetry: SymmetryMode::Random { seed: 0 },
            cache_mib: 0,
            batch_size: batch,
            max_concurrent_batches: 2,
        },
    )
}

/// Plays games up to number `games`.
pub fn play(
    settings: &SelfplaySettings,
    folder: &Path,
    games: u64,
    parallel: usize,
) -> SelfplayStats {
    try_play(settings, folder, games, parallel).unwrap()
}

/// Like [`play`], but returns errors.
pub fn try_play(
    settings: &SelfplaySettings,
    folder: &Path,
    games: u64,
    parallel: usize,
) -> Result<SelfplayStats, SelfplayError> {
    run_selfplay(
        settings,
        &stack(BaseEvaluator::Hashed, 1),
        folder,
        SelfplayLimits {
            max_games: games,
            parallel_games: parallel,
        },
        &AtomicBool::new(false),
        &|_| {},
    )
}

/// Plays `games` games and returns their lines.
pub fn played_lines(settings: &SelfplaySettings, games: u64, parallel: usize) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    play(settings, folder.path(), games, parallel);
    lines(folder.path())
}

/// Returns the lines of all files in a folder, sorted.
pub fn lines(folder: &Path) -> Vec<String> {
    let mut lines = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let text = fs::read_to_string(entry.unwrap().path()).unwrap();
        assert!(text.is_empty() || text.ends_with('\n'));
        lines.extend(text.lines().map(str::to_owned));
    }
    lines.sort();
    lines
}

/// Plays one game.
pub fn game(settings: &SelfplaySettings, base: BaseEvaluator, number: u64) -> SelfplayGame {
    let never = AtomicBool::new(false);
    let played = game::play_game(settings, &stack(base, 1), number, &never);
    played.unwrap().expect("the game is not stopped")
}
