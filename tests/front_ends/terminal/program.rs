//! The program with the network inside it, in line mode.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// Runs `honinbo play` with few visits and says the lines; `home` is the user's folder.
fn play(home: &Path, arguments: &[&str], lines: &str) -> Output {
    play_at_level(home, &[&["--visits", "8"], arguments].concat(), lines)
}

/// The same with as many visits as the level has.
fn play_at_level(home: &Path, arguments: &[&str], lines: &str) -> Output {
    let mut program = Command::new(env!("CARGO_BIN_EXE_honinbo"))
        .arg("play")
        .args(["--threads", "1", "--seed", "1"])
        .args(arguments)
        .env("HOME", home)
        .env("XDG_DATA_HOME", home.join("data"))
        .env("LC_ALL", "C.UTF-8")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // The program may be gone before it has read all.
    let _ = program.stdin.take().unwrap().write_all(lines.as_bytes());
    program.wait_with_output().unwrap()
}

/// The same with a new game, on a small board.
fn play_anew(home: &Path, arguments: &[&str], lines: &str) -> Output {
    play(home, &[&["--size", "5"], arguments].concat(), lines)
}

fn text(output: &Output) -> String {
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[test]
fn a_game_is_played_left_and_resumed() {
    let home = tempfile::tempdir().unwrap();
    let none = play(home.path(), &["--resume"], "");
    assert!(!none.status.success());
    let said = String::from_utf8(none.stderr).unwrap();
    assert_eq!(said, "honinbo: --resume: no saved game found\n");

    let first = text(&play_anew(
        home.path(),
        &["--level", "3"],
        "c3\nundo\nd3\nquit\n",
    ));
    assert!(
        first.starts_with("   A B C D E\n 5 ┌─┬─┬─┬─┐ 5\n"),
        "{first}"
    );
    // On so small a board a learner may well see nothing left to play for.
    let answers = ["White plays ", "White passes"].map(|words| first.matches(words).count());
    assert_eq!(answers.iter().sum::<usize>(), 2, "{first}");
    assert!(!first.contains('\x1b'), "{first}");
    let last = &first[first.rfind("   A B C D E\n 5").unwrap()..];
    let board: Vec<&str> = last.lines().take(8).collect();

    let resumed = text(&play_at_level(home.path(), &["--resume"], "level\n"));
    let again: Vec<&str> = resumed.lines().take(8).collect();
    assert_eq!(again, board);
    assert!(resumed.contains(" 3  learner  <- now"), "{resumed}");
    // Who says how long it thinks does not want the level of before.
    let told = text(&play(home.path(), &["--resume"], "level\n"));
    assert!(
        told.contains("full strength  <- now") && !told.contains("learner  <- now"),
        "{told}"
    );
}

#[test]
fn the_program_plays_itself_to_the_end_and_draws_in_letters_on_request() {
    let home = tempfile::tempdir().unwrap();
    let arguments = [
        "--color", "none", "--ascii", "--level", "2", "--rules", "japanese",
    ];
    let said = text(&play_anew(home.path(), &arguments, ""));
    assert!(said.is_ascii(), "{said}");
    assert!(said.contains("The game is over"), "{said}");
    let saved = std::fs::read_to_string(home.path().join("data/honinbo/resume.sgf")).unwrap();
    assert!(
        saved.contains("PB[Honinbo level 2]") && saved.contains("RE["),
        "{saved}"
    );
}

#[test]
fn a_handicap_has_the_komi_that_is_told() {
    let home = tempfile::tempdir().unwrap();
    for (komi, used) in [(&[][..], "0.5"), (&["--komi", "5.5"], "5.5")] {
        let arguments = [&["--handicap", "2", "--color", "both"], komi].concat();
        let said = text(&play_anew(home.path(), &arguments, ""));
        let expected = format!("A new game with 2 handicap stones and a komi of {used}.");
        assert!(said.contains(&expected), "{said}");
    }
}

#[test]
fn what_cannot_be_is_said_in_a_line() {
    let home = tempfile::tempdir().unwrap();
    for (arguments, said) in [
        (
            &["--color", "red"][..],
            "must be black, white, both or none",
        ),
        (
            &["--handicap", "8", "--size", "5"],
            "--handicap: expected 0, or 2 to 6 stones on the 5x5 board, found \"8\"",
        ),
        (&["--level", "0"], "--level must be between 1 and 10, not 0"),
        (
            &["--level", "300"],
            "--level must be between 1 and 10, not 300",
        ),
        (
            &["--level", "3", "--search", "alphabeta"],
            "--level cannot be combined with --search alphabeta; use --depth to make it weaker",
        ),
        (&["nonesuch.sgf"], "nonesuch.sgf: No such file or directory"),
        (
            &["nonesuch.sgf", "--size", "9"],
            "--size cannot be used here: the game file sets the board size",
        ),
        (
            &["--log", "l"],
            "--log cannot be used here: this command has no clients",
        ),
    ] {
        let output = play(home.path(), arguments, "");
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(
            !output.status.success() && error.contains(said),
            "{arguments:?}: {error}"
        );
    }
}
