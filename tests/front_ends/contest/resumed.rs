//! Matches that were broken off and go on from their results file, and what they refuse to go on from; tournaments.

use std::fs;
use std::io;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use honinbo::game::point::BoardSize;
use honinbo::game::record::Record;
use honinbo::match_play::gtp_engine::GtpEngine;
use honinbo::match_play::match_stats::Side;
use honinbo::match_play::opening;
use honinbo::match_play::results_file::{ResultsError, ResultsFile};
use honinbo::match_play::runner::{FinishedGame, MatchConfig, MatchSummary, Role};

use crate::contest::scripted::Step::{Die, Say};
use crate::contest::scripted::{Scripted, contest, passes};

/// Makes one move and dies.
fn quitter() -> Scripted {
    Scripted::new(&[Say("B5"), Die])
}

/// Plays what is left of the match between [`passes`] and `b`, at most so many games, and keeps them at the prefix.
fn play(
    contest: &MatchConfig,
    b: &Scripted,
    prefix: &Path,
    most: usize,
) -> Result<MatchSummary, String> {
    let summon = |seat| {
        let script = match seat {
            Role::Player(Side::A) => passes(),
            _ => b.clone(),
        };
        Ok(Box::new(script) as Box<dyn GtpEngine>)
    };
    let begun = contest
        .prepare(&summon)
        .map_err(|error| error.to_string())?;
    let mut results = ResultsFile::open(prefix, contest, begun.identities(), None)
        .map_err(|error| error.to_string())?;
    let kept = results.entries();
    let mut left = most;
    let mut on_game = |finished: &FinishedGame<'_>| {
        left = left
            .checked_sub(1)
            .ok_or(io::Error::other("the power has failed"))?;
        results.append(finished)
    };
    let never = AtomicBool::new(false);
    let (summary, ended) = contest.resume(begun, &kept, &summon, &mut on_game, &never);
    ended.map(|()| summary).map_err(|error| error.to_string())
}

fn with_openings(games: usize, folder: &Path) -> MatchConfig {
    let list = folder.join("list.txt");
    fs::write(&list, "C3 B2\nD4, pass, A1\nE5\n").unwrap();
    let mut contest = contest(games);
    contest.openings =
        opening::load(&list, contest.conditions.size, contest.conditions.rules).unwrap();
    contest
}

#[test]
fn a_match_goes_on_where_it_was_broken_off() {
    let folder = tempfile::tempdir().unwrap();
    for concurrency in [1, 3] {
        let contest = MatchConfig {
            concurrency,
            ..with_openings(8, folder.path())
        };
        let [whole, pieces] =
            ["whole", "pieces"].map(|name| folder.path().join(format!("{name}{concurrency}")));
        let expected = play(&contest, &quitter(), &whole, usize::MAX).unwrap();
        for _ in 0..2 {
            let error = play(&contest, &quitter(), &pieces, 3).unwrap_err();
            assert!(error.ends_with("the power has failed"), "{error}");
        }
        let found = play(&contest, &quitter(), &pieces, usize::MAX).unwrap();
        let (a, b) = (&expected, &found);
        assert_eq!(a.stats.total(), b.stats.total());
        assert_eq!(a.stats.pair_sample(), b.stats.pair_sample());
        assert_eq!(a.stats.faults(Side::B), b.stats.faults(Side::B));
        assert_eq!(a.stats.timing(Side::A).moves, b.stats.timing(Side::A).moves);
        assert_eq!(a.stats.mean_length(), b.stats.mean_length());
        assert_eq!(a.stats.distinct_games(), b.stats.distinct_games());
        let mut incidents = [a, b].map(|summary| summary.stats.incidents().to_vec());
        incidents
            .iter_mut()
            .for_each(|list| list.sort_by_key(|incident| incident.game_index));
        assert_eq!(incidents[0], incidents[1]);
        assert!(found.stats.faults(Side::B).crashes > 0);
        let dat = |prefix: &Path| fs::read_to_string(prefix.with_extension("dat")).unwrap();
        assert_eq!(dat(&pieces).lines().count(), dat(&whole).lines().count());
        // A match that is over stays as it is, and can be made longer.
        let again = play(&contest, &quitter(), &pieces, 0).unwrap();
        assert_eq!(again.stats.games(), 8);
        let longer = MatchConfig {
            max_games: 9,
            ..contest
        };
        let longer = play(&longer, &quitter(), &pieces, 1).unwrap();
        assert_eq!(longer.stats.games(), 9);
    }
}

#[test]
fn what_was_played_before_an_interrupt_or_a_failure_is_told() {
    let contest = contest(9);
    let summon = |_| Ok(Box::new(passes()) as Box<dyn GtpEngine>);
    for fails in [false, true] {
        let interrupted = AtomicBool::new(false);
        let begun = contest.prepare(&summon).unwrap();
        let mut told = 0;
        let mut on_game = |finished: &FinishedGame<'_>| {
            told += 1;
            let is_last = finished.stats.games() == 3;
            if is_last && !fails {
                interrupted.store(true, Ordering::Relaxed);
            }
            if is_last && fails {
                return Err(io::Error::other("the disk is full"));
            }
            Ok(())
        };
        let (summary, ended) = contest.resume(begun, &[], &summon, &mut on_game, &interrupted);
        assert_eq!((summary.stats.games(), ended.is_err()), (told, fails));
        // Games that were over when the interrupt came count too.
        assert!(told == 3 || told > 3 && !fails, "{told}");
    }
}

#[test]
fn a_program_that_dies_when_the_match_is_interrupted_has_lost_nothing() {
    let contest = contest(9);
    let interrupted = AtomicBool::new(false);
    let calls = AtomicUsize::new(0);
    let summon = |seat| {
        let script = match seat {
            Role::Player(Side::A) => passes(),
            _ => {
                // It died in the first game. Whatever ends it in the second ends the match too.
                let is_second = calls.fetch_add(1, Ordering::Relaxed) == 1;
                interrupted.store(is_second, Ordering::Relaxed);
                quitter()
            }
        };
        Ok(Box::new(script) as Box<dyn GtpEngine>)
    };
    let begun = contest.prepare(&summon).unwrap();
    let (summary, ended) = contest.resume(begun, &[], &summon, &mut |_| Ok(()), &interrupted);
    assert!(ended.is_ok());
    assert_eq!(summary.stats.games(), 1);
}

#[test]
fn the_table_is_as_gogui_twogtp_has_it() {
    let folder = tempfile::tempdir().unwrap();
    let prefix = folder.path().join("match");
    // Black wins by counting whoever it is; the second program dies in its second move.
    play(&contest(3), &quitter(), &prefix, usize::MAX).unwrap();
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
    let theirs =
        "#GAME RES_B RES_W RES_R ALT DUP LEN TIME_B TIME_W CPU_B CPU_W ERR ERR_MSG".split(' ');
    assert_eq!(columns[..13], theirs.collect::<Vec<_>>());
    let cell = |row: usize, name: &str| {
        let place = columns
            .iter()
            .position(|column| column.trim_start_matches('#') == name);
        lines[head + 2 + row]
            .split('\t')
            .nth(place.unwrap())
            .unwrap()
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
fn results_of_another_match_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let prefix = folder.path().join("match");
    let first = with_openings(6, folder.path());
    play(&first, &passes(), &prefix, usize::MAX).unwrap();
    let refused = |contest: &MatchConfig| play(contest, &passes(), &prefix, 9).unwrap_err();
    let mut other = first.clone();
    other.conditions.max_moves = 21;
    let complaint = refused(&other);
    assert!(
        complaint.ends_with(
            "expected the MaxMoves of its games, \"20\", found \"21\"; another prefix begins anew"
        ),
        "{complaint}"
    );
    other.conditions.size = BoardSize::new(3, 3).unwrap();
    let complaint = refused(&other);
    assert!(complaint.contains("the Size of its games"), "{complaint}");
    other = first.clone();
    other.labels[1] = "third".to_owned();
    assert!(refused(&other).contains("WhiteCommand"));
    other = first.clone();
    // Other openings, though each game begins with the one that it has now.
    other.openings = (other.openings.iter())
        .map(|opening| Record::new(opening.size(), *opening.rules()))
        .collect();
    let complaint = refused(&other);
    assert!(
        complaint.contains("the Openings of its games"),
        "{complaint}"
    );
    other = first.clone();
    other.conditions.rules_name = "AREA, as nobody writes it".to_owned();
    assert_eq!(play(&other, &passes(), &prefix, 9).map(|_| ()), Ok(()));
    other = MatchConfig {
        max_games: 5,
        ..first.clone()
    };
    assert!(refused(&other).contains("expected at most 5 games, found game 6"));
}

#[test]
fn results_that_were_tampered_with_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let prefix = folder.path().join("match");
    let dat = prefix.with_extension("dat");
    let first = with_openings(6, folder.path());
    play(&first, &passes(), &prefix, usize::MAX).unwrap();
    let kept = fs::read_to_string(&dat).unwrap();
    let refused = |contest: &MatchConfig| play(contest, &passes(), &prefix, 9).unwrap_err();
    for (from, to, expected) in [
        ("#GAME\t", "#GAMES\t", "expected the columns GAME RES_B"),
        ("\n0\t", "\nzero\t", "GAME: expected a number"),
        ("\tB+2.5", "\tB-2.5", "RES_B: expected a result"),
    ] {
        fs::write(&dat, kept.replacen(from, to, 1)).unwrap();
        let complaint = refused(&first);
        assert!(complaint.contains(expected), "{complaint}");
    }
    fs::write(&dat, "").unwrap();
    let complaint = refused(&first);
    let expected = "line 1: expected the columns' names, found the end of the file";
    assert!(complaint.ends_with(expected), "{complaint}");
    fs::write(&dat, &kept).unwrap();
    let [one, other] = [0, 2].map(|game| folder.path().join(format!("match-{game}.sgf")));
    let record = fs::read(&one).unwrap();
    fs::copy(&other, &one).unwrap();
    let complaint = refused(&first);
    assert!(
        complaint.ends_with("expected the opening of this match, found other moves"),
        "{complaint}"
    );
    fs::write(&one, record).unwrap();
    fs::remove_file(folder.path().join("match-3.sgf")).unwrap();
    let begun = first
        .prepare(&|_| Ok(Box::new(passes()) as Box<dyn GtpEngine>))
        .unwrap();
    let error = ResultsFile::open(&prefix, &first, begun.identities(), None).unwrap_err();
    assert!(matches!(error, ResultsError::Unreadable { .. }), "{error}");
}

#[test]
fn one_match_at_a_time_writes_its_results() {
    let folder = tempfile::tempdir().unwrap();
    let prefix = folder.path().join("match");
    let contest = contest(2);
    let begun = contest
        .prepare(&|_| Ok(Box::new(passes()) as Box<dyn GtpEngine>))
        .unwrap();
    let open = || ResultsFile::open(&prefix, &contest, begun.identities(), None);
    let first = open().unwrap();
    let error = open().unwrap_err();
    assert!(matches!(error, ResultsError::Locked { .. }), "{error}");
    drop(first);
    drop(open().unwrap());
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

/// The program's own command, with a board so small that nothing takes long: between players of so many visits, with
/// the results at that prefix.
fn program(folder: &Path, visits: &[u32], prefix: &str, options: &[&str]) -> (String, String) {
    let player = |visits: &u32| {
        format!("self --evaluator uniform --threads 1 --memory 64 --visits {visits}")
    };
    let run = Command::new(env!("CARGO_BIN_EXE_honinbo"))
        .arg("match")
        .args(visits.iter().map(player))
        .args(["--games", "2", "--size", "3", "--results", prefix])
        .args(options)
        .current_dir(folder)
        .output()
        .unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&run.stdout), text(&run.stderr))
}

fn tournament(folder: &Path, options: &[&str]) -> (String, String) {
    program(folder, &[2, 20, 6], "cup", options)
}

#[test]
fn a_prefix_that_is_a_folder_is_made_and_one_that_cannot_be_written_is_named() {
    let folder = tempfile::tempdir().unwrap();
    program(folder.path(), &[2, 2], "deep/cup/", &[]);
    let files = fs::read_dir(folder.path().join("deep/cup")).unwrap();
    assert_eq!(files.count(), 3);
    // A folder stands where the first game is to go.
    fs::create_dir(folder.path().join("bad-0.sgf")).unwrap();
    let (_, said) = program(folder.path(), &[2, 2], "bad", &[]);
    assert!(said.contains("honinbo: game 1: --results bad: "), "{said}");
}

#[test]
fn three_programs_meet_and_a_table_tells_how() {
    let folder = tempfile::tempdir().unwrap();
    let (table, progress) = tournament(folder.path(), &[]);
    assert_eq!(progress.lines().count(), 6, "{progress}");
    let rows: Vec<Vec<&str>> = table
        .lines()
        .map(|line| line.split_whitespace().collect())
        .collect();
    let mut letters: Vec<&str> = rows[1..4].iter().map(|row| row[0]).collect();
    letters.sort_unstable();
    assert_eq!(letters, ["A", "B", "C"], "{table}");
    let sum = |column: usize| -> u32 {
        rows[1..4]
            .iter()
            .map(|row| row[column].parse::<u32>().unwrap())
            .sum()
    };
    // Every game is one of two programs.
    assert_eq!((sum(1), sum(2)), (12, sum(3)), "{table}");
    for pair in ["AB", "AC", "BC"] {
        for file in ["cup-PAIR.dat", "cup-PAIR-0.sgf", "cup-PAIR-1.sgf"] {
            assert!(folder.path().join(file.replace("PAIR", pair)).exists());
        }
    }
    // All has been played: the same table again, and not a game more.
    let (again, progress) = tournament(folder.path(), &[]);
    assert_eq!(again, table);
    assert_eq!(
        progress,
        "A-B: continuing after 2 games\nA-C: continuing after 2 games\nB-C: continuing after 2 games\n"
    );
    let (_, refused) = tournament(folder.path(), &["--komi", "0.5"]);
    assert!(
        refused.contains("expected the Komi of its games, \"7.5\", found \"0.5\""),
        "{refused}"
    );
}
