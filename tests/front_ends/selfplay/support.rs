//! Small runs with evaluators that need no network.

use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use honinbo::eval::orient::Orientation;
use honinbo::eval::stack::{Base, Stack, StackSettings};
use honinbo::game::rules::Komi;
use honinbo::learn::selfplay::Settings;
use honinbo::learn::selfplay::choice::Choice;
use honinbo::learn::selfplay::game::{self, Played};
use honinbo::learn::selfplay::run::{Extent, SelfplayError, run};
use honinbo::learn::selfplay::search::Effort;
use honinbo::learn::selfplay::tally::Tally;

/// Games on 5x5 of players who know nothing, under all kinds of rules.
pub fn settings() -> Settings {
    Settings {
        sizes: Choice::sizes("5").unwrap(),
        rules: Choice::rules("tromp-taylor,chinese,japanese,aga,new-zealand,stone-scoring")
            .unwrap(),
        komi: Some(Komi::from_half_points(1)),
        komi_spread: 2.0,
        handicap_share: 0.2,
        effort: Effort {
            visits: 1,
            fast_visits: 1,
            full_share: 1.0,
            forced: 0.0,
        },
        resign: 0.0,
        play_out: 0.0,
        seed: 7,
        player: "Player; of [tests]".to_owned(),
    }
}

/// The same with short searches.
pub fn searching() -> Settings {
    let effort = Effort {
        visits: 24,
        fast_visits: 6,
        full_share: 0.5,
        forced: 0.0,
    };
    Settings {
        effort,
        ..settings()
    }
}

/// The evaluator around a judge, as the program builds it.
pub fn stack(judge: Base, batch: usize) -> Stack {
    Stack::new(
        judge,
        StackSettings {
            orientation: Orientation::Random { seed: 0 },
            cache: 0,
            batch,
            at_once: 2,
        },
    )
}

/// Plays up to game number `games`.
pub fn play(settings: &Settings, folder: &Path, games: u64, parallel: usize) -> Tally {
    try_play(settings, folder, games, parallel).unwrap()
}

/// The same where it may fail.
pub fn try_play(
    settings: &Settings,
    folder: &Path,
    games: u64,
    parallel: usize,
) -> Result<Tally, SelfplayError> {
    run(
        settings,
        &stack(Base::Hashed, 1),
        folder,
        Extent { games, parallel },
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
pub fn game(settings: &Settings, judge: Base, number: u64) -> Played {
    let never = AtomicBool::new(false);
    let played = game::play(settings, &stack(judge, 1), number, &never);
    played.unwrap().expect("nobody stops it")
}
