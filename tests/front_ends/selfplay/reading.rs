//! Reading of self-play games, including damaged ones.

use std::fs;
use std::path::{Path, PathBuf};

use honinbo::eval::stack::BaseEvaluator;
use honinbo::game::color::Color;
use honinbo::learn::game::{GameFileError, TrainingGame};
use honinbo::learn::game_files;
use honinbo::learn::replay_window;
use honinbo::learn::sample::{Sample, Sampler};
use honinbo::learn::selfplay::game::{SelfplayGame, SelfplayOutcome};
use honinbo::learn::selfplay::reader::parse_line;
use honinbo::learn::selfplay::sgf_line::format_line;
use honinbo::random::Rng;

use crate::samples::SETTINGS;
use crate::selfplay::support::{game, play, searching, settings};

/// Returns the first scored game with a number of at least `number`.
fn finished(number: u64) -> SelfplayGame {
    let mut games = (number..).map(|number| game(&searching(), BaseEvaluator::Hashed, number));
    let finished = games.find(|game| matches!(game.outcome, SelfplayOutcome::Counted { .. }));
    finished.expect("some game ends")
}

fn read(folder: &Path) -> (Vec<TrainingGame>, Vec<String>) {
    let mut errors = Vec::new();
    let games = game_files::open_games(&file(folder)).unwrap();
    let games = game_files::skip_damaged(games, |damaged| errors.push(damaged.to_string()));
    (games.collect::<Result<_, _>>().unwrap(), errors)
}

fn file(folder: &Path) -> PathBuf {
    folder.join("games-000001.sgf")
}

#[test]
fn reader_returns_rules_targets_and_ownership() {
    for number in [1, 20, 40, 60] {
        let played = finished(number);
        let found = parse_line(format_line(&played, "X").as_bytes()).unwrap();
        let SelfplayOutcome::Counted { count, .. } = &played.outcome else {
            panic!("the game is scored");
        };
        assert_eq!(found.rules, Some(played.conditions.rules));
        assert_eq!(found.winner, played.winner());
        assert_eq!(
            found.black_lead_half_points(),
            Some(count.score.black_lead_half_points())
        );
        assert_eq!(found.final_ownership, Some(count.owned));
        let moves: Vec<_> = played.record.moves().iter().map(|&(_, mv)| mv).collect();
        assert_eq!(found.moves, moves);
        assert_eq!(found.search_targets.len(), moves.len());
        for (found, written) in found.search_targets.iter().zip(&played.targets) {
            let visits = |target: &Option<honinbo::learn::search_target::SearchTarget>| {
                target.as_ref().map(|target| target.visits.clone())
            };
            assert_eq!(visits(found), visits(written));
            if let (Some(found), Some(written)) = (found, written) {
                assert!((found.winrate - written.winrate).abs() < 1e-4);
                assert!((found.lead.unwrap() - written.lead.unwrap()).abs() < 1e-2);
            }
        }
    }
}

#[test]
fn samples_use_search_visits() {
    let played = finished(1);
    let game = parse_line(format_line(&played, "X").as_bytes()).unwrap();
    let mut sampler = Sampler::new(SETTINGS);
    let samples = sampler.sample_game(&game, &mut Rng::new(1));
    let searched: Vec<_> = (0..played.targets.len())
        .filter_map(|at| Some((at, played.targets[at].as_ref()?)))
        .collect();
    assert_eq!(samples.len(), searched.len());
    for (sample, (at, target)) in samples.iter().zip(searched) {
        assert_eq!(sample.policy, Some(target.policy(game.size())));
        let mover = played.record.position_after(at).unwrap().to_move();
        let won = game
            .winner
            .map_or(0.0, |winner| if winner == mover { 1.0 } else { -1.0 });
        assert_eq!(sample.value, won);
        let lead = game.black_lead_half_points().unwrap() as f32 / 2.0;
        assert_eq!(sample.lead, Some(mover.to_perspective(lead)));
        let owners = game.final_ownership.unwrap();
        let expected = game.size().points().map(|point| {
            let black = i8::from(owners[Color::Black].contains(point));
            let white = i8::from(owners[Color::White].contains(point));
            127 * mover.to_perspective(black - white)
        });
        assert_eq!(sample.ownership, Some(expected.collect()));
    }
    // Without search targets, all positions are used with the moves played.
    let plain = TrainingGame {
        search_targets: Vec::new(),
        ..game
    };
    let samples = sampler.sample_game(&plain, &mut Rng::new(1));
    assert_eq!(samples.len(), plain.moves.len());
    let sure = |sample: &Sample| sample.policy.as_ref().is_some_and(|it| it.contains(&1.0));
    assert!(samples.iter().all(sure));
}

#[test]
fn drawn_game_has_even_result() {
    let text = "(;FF[4]GM[1]CA[UTF-8]KM[0]RU[Chinese]SZ[3]KN[1]RE[0];B[ba];W[bc];B[];W[])\n";
    let game = parse_line(text.as_bytes()).unwrap();
    assert_eq!(
        (game.winner, game.black_lead_half_points()),
        (None, Some(0))
    );
    let samples = Sampler::new(SETTINGS).sample_game(&game, &mut Rng::new(1));
    assert_eq!(samples.len(), 4);
    assert!(
        samples
            .iter()
            .all(|sample| (sample.value, sample.lead) == (0.0, Some(0.0)))
    );
}

#[test]
fn damaged_games_are_skipped_and_reported() {
    let folder = tempfile::tempdir().unwrap();
    play(&settings(), folder.path(), 9, 1);
    let (all, errors) = read(folder.path());
    assert!(errors.is_empty() && all.len() >= 6);
    let text = fs::read_to_string(file(folder.path())).unwrap();
    let mut lines: Vec<String> = text.lines().map(|line| format!("{line}\n")).collect();
    let count = lines.len();
    lines[0].truncate(30);
    lines[0].push('\n');
    lines[2] = lines[2].replacen(";B[", ";B[zz", 1);
    let torn = lines[count - 1].len() - 10;
    lines[count - 1].truncate(torn);
    fs::write(file(folder.path()), lines.concat()).unwrap();
    let (left, errors) = read(folder.path());
    assert_eq!(left[0], all[1]);
    assert_eq!(left[1..], all[3..count - 1]);
    let offsets = [0, lines[0].len() + lines[1].len()];
    for (error, offset) in errors.iter().zip(offsets) {
        assert!(error.contains("games-000001.sgf"), "{error}");
        assert!(error.contains(&format!("byte {offset}:")), "{error}");
    }
    assert_eq!(errors.len(), 2);
}

#[test]
fn damaged_files_are_skipped_but_missing_ones_fail() {
    let folder = tempfile::tempdir().unwrap();
    play(&settings(), folder.path(), 5, 1);
    let (all, _) = read(folder.path());
    let other = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        fs::write(&path, bytes).unwrap();
        (path, 0)
    };
    let files = vec![
        other("torn.kifu", b"GOKIFU1\n\x02\0\0\0\x10\0\0\0\x13"),
        (file(folder.path()), 2),
        other("none.sgf", b"no game"),
    ];
    let mut errors = Vec::new();
    let games = game_files::games_from_files(files)
        .collect::<Vec<_>>()
        .into_iter();
    let games = game_files::skip_damaged(games, |damaged| errors.push(damaged.to_string()));
    assert_eq!(games.collect::<Result<Vec<_>, _>>().unwrap(), all[2..]);
    for (error, place) in errors
        .iter()
        .zip(["torn.kifu, byte 16:", "none.sgf, byte 0:"])
    {
        assert!(error.contains(place), "{error}");
    }
    assert_eq!(errors.len(), 2);
    let missing = vec![(folder.path().join("missing.sgf"), 0)];
    let games = game_files::skip_damaged(game_files::games_from_files(missing), |_| ());
    assert!(matches!(
        games.collect::<Vec<_>>()[..],
        [Err(GameFileError::Io { .. })]
    ));
}

/// Two files with four and three games. Of all seven, a window with base 2 holds 2 (1 + 0.4 (3.5^0.75 - 1) / 0.75) =
/// 3.66, and one with base 4 holds 4 (1 + 0.4 (1.75^0.75 - 1) / 0.75) = 5.11.
#[test]
fn window_selects_newest_games() {
    let folder = tempfile::tempdir().unwrap();
    let lines = |games: usize| "(;FF[4]KN[1])\n".repeat(games) + "(;FF[4]KN[1]";
    let files = [("games-000001.sgf", 4), ("games-000002.sgf", 3)].map(|(name, games)| {
        let path = folder.path().join(name);
        fs::write(&path, lines(games)).unwrap();
        path
    });
    let [old, new] = files.clone();
    let newest = |base| replay_window::select_newest(&files, base).unwrap();
    assert_eq!(newest(2), [(new.clone(), 0)]);
    assert_eq!(newest(4), [(old.clone(), 2), (new.clone(), 0)]);
    assert_eq!(newest(7), [(old.clone(), 0), (new.clone(), 0)]);
    let begun = folder.path().join("games-000003.sgf");
    fs::write(&begun, "").unwrap();
    assert_eq!(
        replay_window::select_newest(&[old, new.clone(), begun], 2).unwrap(),
        [(new, 0)]
    );
    let foreign = folder.path().join("foreign.sgf");
    fs::write(&foreign, "(;GM[1]SZ[9];B[ee])").unwrap();
    let error = replay_window::select_newest(&[foreign], 4)
        .unwrap_err()
        .to_string();
    assert!(error.contains("foreign.sgf") && error.contains("self-play"));
}

#[test]
fn inconsistent_lines_are_damaged() {
    let good = "(;FF[4]GM[1]CA[UTF-8]KM[0.5]RU[Chinese]SZ[3]KN[1]RE[B+8.5];B[bb]KT[bb:3][:1]KV[0.5:1];W[];B[])\n";
    assert!(parse_line(good.as_bytes()).is_ok());
    for (from, to) in [
        ("KM[0.5]", "KM[x]"),
        ("KM[0.5]", ""),
        ("Chinese", "Chimese"),
        ("RE[B+8.5]", ""),
        ("B+8.5", "B+7.5"),
        ("B+8.5", "W+R+"),
        ("W[]", "W[bb]"),
        ("W[]", "B[]"),
        ("SZ[3]", "SZ[1]"),
        (";W[];B[]", ""),
        ("bb:3", "bb;3"),
        ("KV[0.5:1]", "KV[5:1]"),
        ("KN[1]", "KN[1]("),
        ("B[])\n", "B[]\n"),
        ("B[])\n", "B[])(;B[aa])\n"),
        ("B[])", "B[]KD[dd])"),
    ] {
        let bad = good.replacen(from, to, 1);
        assert_ne!(bad, good);
        assert!(parse_line(bad.as_bytes()).is_err(), "{bad}");
    }
}
