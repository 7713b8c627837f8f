//! Small runs with evaluators that need no network.

use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use honinbo::eval::stack::{BaseEvaluator, EvaluatorStack, StackSettings};
use honinbo::eval::symmetry::SymmetryMode;
use honinbo::game::rules::Komi;
use honinbo::learn::selfplay::SelfplaySettings;
use honinbo::learn::selfplay::game::{self, SelfplayGame};
use honinbo::learn::selfplay::run::SelfplayStats;
use honinbo::learn::selfplay::run::{SelfplayError, SelfplayLimits, run_selfplay};
use honinbo::learn::selfplay::settings::PlayoutCap;
use honinbo::learn::selfplay::weighted_choice::WeightedChoice;

/// Games on 5x5 of players who know nothing, under all kinds of rules.
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
        play_out_fraction: 0.0,
        seed: 7,
        player_name: "Player; of [tests]".to_owned(),
    }
}

/// The same with short searches.
pub fn searching() -> SelfplaySettings {
    let effort = PlayoutCap {
        full_visits: 24,
        fast_visits: 6,
        full_fraction: 0.5,
        forced_playouts: 0.0,
    };
    SelfplaySettings {
        playout_cap: effort,
        ..settings()
    }
}

/// The evaluator around a judge, as the program builds it.
pub fn stack(judge: BaseEvaluator, batch: usize) -> EvaluatorStack {
    EvaluatorStack::new(
        judge,
        StackSettings {
            symmetry: SymmetryMode::Random { seed: 0 },
            cache_mib: 0,
            batch_size: batch,
            max_concurrent_batches: 2,
        },
    )
}

/// Plays up to game number `games`.
pub fn play(
    settings: &SelfplaySettings,
    folder: &Path,
    games: u64,
    parallel: usize,
) -> SelfplayStats {
    try_play(settings, folder, games, parallel).unwrap()
}

/// The same where it may fail.
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

/// The whole lines of a folder's files, sorted.
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

/// One game.
pub fn game(settings: &SelfplaySettings, judge: BaseEvaluator, number: u64) -> SelfplayGame {
    let never = AtomicBool::new(false);
    let played = game::play_game(settings, &stack(judge, 1), number, &never);
    played.unwrap().expect("nobody stops it")
}
