//! Resuming matches from a results file, rejected results files, and tournaments.

use std::fs;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use honinbo::game::point::BoardSize;
use honinbo::game::record::Record;
use honinbo::match_play::finished_game::FinishedGame;
use honinbo::match_play::game::FaultKind;
use honinbo::match_play::game_sgf;
use honinbo::match_play::match_config::{MatchConfig, Role};
use honinbo::match_play::match_stats::MatchSummary;
use honinbo::match_play::results_file::{ResultsError, ResultsFile};
use honinbo::match_play::side::Side;

use crate::match_play::scripted::Step::{Exit, Respond};
use crate::match_play::scripted::{Scripted, match_config, passes, set_openings};
use crate::program::{Run, honinbo, run};

/// An engine that plays one move and exits.
fn crashing_player() -> Scripted {
    Scripted::new(&[Respond("B5"), Exit])
}

/// Plays up to `max_games` remaining games between [`passes`] and `b`, and stores them at `prefix`.
fn play(
    config: &MatchConfig,
    b: &Scripted,
    prefix: &Path,
    max_games: usize,
) -> Result<MatchSummary, String> {
    let launch = |role| match role {
        Role::Player(Side::A) => passes().launch(),
        _ => b.launch(),
    };
    let prepared = config
        .start_first_engines(&launch)
        .map_err(|error| error.to_string())?;
    let mut results = ResultsFile::open(prefix, config, prepared.identities(), None)
        .map_err(|error| error.to_string())?;
    let saved_games = results.games();
    let mut remaining = max_games;
    let mut on_game = |finished: &FinishedGame<'_>| {
        remaining = remaining
            .checked_sub(1)
            .ok_or(io::Error::other("the power has failed"))?;
        results.append(finished, &game_sgf::to_sgf(finished))
    };
    let no_interrupt = AtomicBool::new(false);
    let (summary, result) =
        config.play_remaining_games(prepared, &saved_games, &launch, &mut on_game, &no_interrupt);
    result.map(|()| summary).map_err(|error| error.to_string())
}

fn with_openings(games: usize) -> MatchConfig {
    let mut config = match_config(games);
    set_openings(&mut config, "C3 B2\nD4, pass, A1\nE5\n");
    config
}

#[test]
fn interrupted_match_resumes_with_same_result() {
    let folder = tempfile::tempdir().unwrap();
    for concurrency in [1, 3] {
        let config = MatchConfig {
            concurrency,
            ..with_openings(8)
        };
        let [uninterrupted, resumed] = ["uninterrupted", "resumed"]
            .map(|name| folder.path().join(format!("{name}{concurrency}")));
        let expected = play(&config, &crashing_player(), &uninterrupted, usize::MAX).unwrap();
        for _ in 0..2 {
            let error = play(&config, &crashing_player(), &resumed, 3).unwrap_err();
            assert!(error.ends_with("the power has failed"), "{error}");
        }
        let found = play(&config, &crashing_player(), &resumed, usize::MAX).unwrap();
        let (a, b) = (&expected, &found);
        assert_eq!(a.stats.total_results(), b.stats.total_results());
        assert_eq!(a.stats.pair_sample(), b.stats.pair_sample());
        assert_eq!(a.stats.faults(Side::B), b.stats.faults(Side::B));
        assert_eq!(
            a.stats.thinking_time(Side::A).moves,
            b.stats.thinking_time(Side::A).moves
        );
        assert_eq!(a.stats.mean_length(), b.stats.mean_length());
        assert_eq!(a.stats.distinct_game_count(), b.stats.distinct_game_count());
        let mut incidents = [a, b].map(|summary| summary.stats.incidents().to_vec());
        incidents
            .iter_mut()
            .for_each(|list| list.sort_by_key(|incident| incident.game_index));
        assert_eq!(incidents[0], incidents[1]);
        assert!(found.stats.faults(Side::B)[FaultKind::Crash as usize] > 0);
        let dat = |prefix: &Path| fs::read_to_string(prefix.with_extension("dat")).unwrap();
        assert_eq!(
            dat(&resumed).lines().count(),
            dat(&uninterrupted).lines().count()
        );
        // A finished match is not played again, but can be extended.
        let again = play(&config, &crashing_player(), &resumed, 0).unwrap();
        assert_eq!(again.stats.game_count(), 8);
        let longer = MatchConfig {
            max_games: 9,
            ..config
        };
        let longer = play(&longer, &crashing_player(), &resumed, 1).unwrap();
        assert_eq!(longer.stats.game_count(), 9);
    }
}

#[test]
fn summary_survives_interrupts_and_errors() {
    let config = match_config(9);
    let launch = |_| passes().launch();
    for fails in [false, true] {
        let interrupted = AtomicBool::new(false);
        let prepared = config.start_first_engines(&launch).unwrap();
        let mut finished_games = 0;
        let mut on_game = |finished: &FinishedGame<'_>| {
            finished_games += 1;
            let is_last = finished.stats.game_count() == 3;
            if is_last && !fails {
                interrupted.store(true, Ordering::Relaxed);
            }
            if is_last && fails {
                return Err(io::Error::other("the disk is full"));
            }
            Ok(())
        };
        let (summary, result) =
            config.play_remaining_games(prepared, &[], &launch, &mut on_game, &interrupted);
        assert_eq!(
            (summary.stats.game_count(), result.is_err()),
            (finished_games, fails)
        );
        // Games that had ended before the interrupt are included.
        assert!(
            finished_games == 3 || finished_games > 3 && !fails,
            "{finished_games}"
        );
    }
}

#[test]
fn engine_exit_during_interrupt_is_no_loss() {
    let config = match_config(9);
    let interrupted = AtomicBool::new(false);
    let calls = AtomicUsize::new(0);
    let launch = |role| match role {
        Role::Player(Side::A) => passes().launch(),
        _ => {
            // The engine exits in the first game. Its exit in the second game coincides with the interrupt.
            let is_second = calls.fetch_add(1, Ordering::Relaxed) == 1;
            interrupted.store(is_second, Ordering::Relaxed);
            crashing_player().launch()
        }
    };
    let prepared = config.start_first_engines(&launch).unwrap();
    let (summary, result) =
        config.play_remaining_games(prepared, &[], &launch, &mut |_| Ok(()), &interrupted);
    assert!(result.is_ok());
    assert_eq!(summary.stats.game_count(), 1);
}

#[test]
fn results_table_matches_gogui_twogtp() {
    let folder = tempfile::tempdir().unwrap();
    let prefix = folder.path().join("match");
    // The second program exits at its second move.
    play(&match_config(3), &crashing_player(), &prefix, usize::MAX).unwrap();
    let text = fs::read_to_string(prefix.with_extension("dat")).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let head = lines.iter().position(|line| *line == "#").unwrap();
    for setting in [
        "# Black: Scripted",
        "# WhiteCommand: second",
        "# Size: 5",
        "# Komi: 7.5",
    ] {
        assert!(lines[..head].contains(&setting), "{setting}: {text}");
    }
    let columns: Vec<&str> = lines[head + 1].split('\t').collect();
    let expected =
        "#GAME RES_B RES_W RES_R ALT DUP LEN TIME_B TIME_W CPU_B CPU_W ERR ERR_MSG".split(' ');
    assert_eq!(columns[..13], expected.collect::<Vec<_>>());
    let cell = |row: usize, name: &str| {
        let mut names = columns.iter().map(|column| column.trim_start_matches('#'));
        let index = names.position(|column| column == name).unwrap();
        lines[head + 2 + row].split('\t').nth(index).unwrap()
    };
    assert_eq!([0, 1, 2].map(|row| cell(row, "GAME")), ["0", "1", "2"]);
    assert_eq!([0, 1, 2].map(|row| cell(row, "ALT")), ["0", "1", "0"]);
    assert_eq!([0, 1, 2].map(|row| cell(row, "RES_B")), ["B+F"; 3]);
    assert_eq!([0, 1, 2].map(|row| cell(row, "DUP")), ["-", "-", "0"]);
    assert_eq!(cell(0, "ERR"), "1");
    assert!(cell(0, "ERR_MSG").starts_with("B crash: white failed: "));
    for game in 0..3 {
        assert!(folder.path().join(format!("match-{game}.sgf")).exists());
    }
}

#[test]
fn results_of_another_match_are_rejected() {
    let folder = tempfile::tempdir().unwrap();
    let prefix = folder.path().join("match");
    let first = with_openings(6);
    play(&first, &passes(), &prefix, usize::MAX).unwrap();
    let error_text = |config: &MatchConfig| play(config, &passes(), &prefix, 9).unwrap_err();
    let mut other = first.clone();
    other.conditions.max_moves = 21;
    let error = error_text(&other);
    assert!(
        error.ends_with(
            "MaxMoves was \"20\" in the saved games, but is \"21\" now; use another prefix for a new match"
        ),
        "{error}"
    );
    other.conditions.size = BoardSize::new(3, 3).unwrap();
    let error = error_text(&other);
    assert!(error.contains("Size was "), "{error}");
    other = first.clone();
    other.labels[1] = "third".to_owned();
    assert!(error_text(&other).contains("WhiteCommand"));
    other = first.clone();
    // Different openings, although the saved games start with the moves of these openings too.
    other.openings = (other.openings.iter())
        .map(|opening| Record::new(opening.size(), *opening.rules()))
        .collect();
    let error = error_text(&other);
    assert!(error.contains("Openings was "), "{error}");
    other = first.clone();
    other.conditions.rules_name = "AREA, in an unusual spelling".to_owned();
    assert_eq!(play(&other, &passes(), &prefix, 9).map(|_| ()), Ok(()));
    other = MatchConfig {
        max_games: 5,
        ..first.clone()
    };
    assert!(
        error_text(&other)
            .contains("the saved match has a game 6, but this match has only 5 games")
    );
}

#[test]
fn corrupt_results_are_rejected() {
    let folder = tempfile::tempdir().unwrap();
    let prefix = folder.path().join("match");
    let dat = prefix.with_extension("dat");
    let first = with_openings(6);
    play(&first, &passes(), &prefix, usize::MAX).unwrap();
    let saved_text = fs::read_to_string(&dat).unwrap();
    let error_text = |config: &MatchConfig| play(config, &passes(), &prefix, 9).unwrap_err();
    for (from, to, expected) in [
        ("#GAME\t", "#GAMES\t", "or the columns GAME RES_B"),
        ("\n0\t", "\nzero\t", "GAME: expected a number"),
        ("\tB+2.5", "\tB-2.5", "RES_B: expected a result"),
    ] {
        fs::write(&dat, saved_text.replacen(from, to, 1)).unwrap();
        let error = error_text(&first);
        assert!(error.contains(expected), "{error}");
    }
    fs::write(&dat, "").unwrap();
    let error = error_text(&first);
    let expected = "line 1: expected the column names, found the end of the file";
    assert!(error.ends_with(expected), "{error}");
    fs::write(&dat, &saved_text).unwrap();
    let [one, other] = [0, 2].map(|game| folder.path().join(format!("match-{game}.sgf")));
    let record = fs::read(&one).unwrap();
    fs::copy(&other, &one).unwrap();
    let error = error_text(&first);
    assert!(
        error.contains("the game does not start with the opening of this match"),
        "{error}"
    );
    fs::write(&one, record).unwrap();
    fs::remove_file(folder.path().join("match-3.sgf")).unwrap();
    let prepared = first.start_first_engines(&|_| passes().launch()).unwrap();
    let error = ResultsFile::open(&prefix, &first, prepared.identities(), None).unwrap_err();
    assert!(matches!(error, ResultsError::Unreadable { .. }), "{error}");
}

#[test]
fn results_file_is_locked() {
    let folder = tempfile::tempdir().unwrap();
    let prefix = folder.path().join("match");
    let config = match_config(2);
    let prepared = config.start_first_engines(&|_| passes().launch()).unwrap();
    let open = || ResultsFile::open(&prefix, &config, prepared.identities(), None);
    let first = open().unwrap();
    let error = open().unwrap_err();
    assert!(matches!(error, ResultsError::Locked { .. }), "{error}");
    drop(first);
    drop(open().unwrap());
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

/// Runs `honinbo match` on a small board between players with the given visits.
fn program(folder: &Path, visits: &[u32], prefix: &str, options: &[&str]) -> Run {
    let player = |visits: &u32| {
        format!("self --evaluator uniform --threads 1 --memory 64 --visits {visits}")
    };
    let mut program = honinbo(&["match"]);
    program.args(visits.iter().map(player)).args([
        "--games",
        "2",
        "--size",
        "3",
        "--results",
        prefix,
    ]);
    run(program.args(options).current_dir(folder))
}

fn tournament(folder: &Path, options: &[&str]) -> Run {
    program(folder, &[2, 20, 6], "cup", options)
}

#[test]
fn results_folder_is_created_or_error_named() {
    let folder = tempfile::tempdir().unwrap();
    program(folder.path(), &[2, 2], "deep/cup/", &[]);
    let files = fs::read_dir(folder.path().join("deep/cup")).unwrap();
    assert_eq!(files.count(), 3);
    // A folder has the name of the first game's file.
    fs::create_dir(folder.path().join("bad-0.sgf")).unwrap();
    let bad = program(folder.path(), &[2, 2], "bad", &[]);
    bad.assert_fails("honinbo: game 1: --results bad: ");
}

#[test]
fn tournament_prints_table_and_resumes() {
    let folder = tempfile::tempdir().unwrap();
    let first = tournament(folder.path(), &[]);
    assert_eq!(first.stderr.lines().count(), 6, "{first:?}");
    let table = &first.stdout;
    let rows: Vec<Vec<&str>> = table
        .lines()
        .map(|line| line.split_whitespace().collect())
        .collect();
    let mut letters: Vec<&str> = rows[1..4].iter().map(|row| row[0]).collect();
    letters.sort_unstable();
    assert_eq!(letters, ["A", "B", "C"], "{table}");
    let number = |row: &Vec<&str>, column: usize| row[column].parse::<u32>().unwrap();
    let sum = |column| -> u32 { rows[1..4].iter().map(|row| number(row, column)).sum() };
    // Every game has two players.
    assert_eq!((sum(1), sum(2)), (12, sum(3)), "{table}");
    for pair in ["AB", "AC", "BC"] {
        for file in ["cup-PAIR.dat", "cup-PAIR-0.sgf", "cup-PAIR-1.sgf"] {
            assert!(folder.path().join(file.replace("PAIR", pair)).exists());
        }
    }
    // A finished tournament prints the same table without playing.
    let again = tournament(folder.path(), &[]);
    assert_eq!(&again.stdout, table);
    assert_eq!(
        again.stderr,
        "A-B: continuing after 2 games\nA-C: continuing after 2 games\nB-C: continuing after 2 games\n"
    );
    tournament(folder.path(), &["--komi", "0.5"])
        .assert_fails("Komi was \"7.5\" in the saved games, but is \"0.5\" now");
}
