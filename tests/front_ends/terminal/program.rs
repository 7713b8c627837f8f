//! `honinbo play` in line mode, with the built-in network.

use std::fs::{self, File};
use std::path::Path;

use crate::program::{Run, honinbo, run};

/// Runs `honinbo play` with few visits on the given input. `home` is the home folder.
fn play(home: &Path, arguments: &[&str], lines: &str) -> Run {
    play_at_level(home, &[&["--visits", "8"], arguments].concat(), lines)
}

/// Runs `honinbo play` with the visits of the level.
fn play_at_level(home: &Path, arguments: &[&str], lines: &str) -> Run {
    let input = home.join("input");
    fs::write(&input, lines).unwrap();
    let mut program = honinbo(&["play", "--threads", "1", "--seed", "1"]);
    program.args(arguments).stdin(File::open(input).unwrap());
    program
        .env("HOME", home)
        .env("XDG_DATA_HOME", home.join("data"))
        .env("LC_ALL", "C.UTF-8");
    run(&mut program)
}

/// Runs a new game on a small board.
fn play_new_game(home: &Path, arguments: &[&str], lines: &str) -> String {
    play(home, &[&["--size", "5"], arguments].concat(), lines).printed()
}

#[test]
fn game_can_be_left_and_resumed() {
    let home = tempfile::tempdir().unwrap();
    let none = play(home.path(), &["--resume"], "");
    assert!(!none.success);
    assert_eq!(none.stderr, "honinbo: --resume: no saved game found\n");

    let lines = "c3\nundo\nd3\nquit\n";
    let first = play_new_game(home.path(), &["--level", "3"], lines);
    assert!(
        first.starts_with("   A B C D E\n 5 ┌─┬─┬─┬─┐ 5\n"),
        "{first}"
    );
    // On a board of this size, a low level may pass early.
    let answers = ["White played ", "White passed"].map(|words| first.matches(words).count());
    assert_eq!(answers.iter().sum::<usize>(), 2, "{first}");
    assert!(!first.contains('\x1b'), "{first}");
    let last = &first[first.rfind("   A B C D E\n 5").unwrap()..];
    let board: Vec<&str> = last.lines().take(8).collect();

    let resumed = play_at_level(home.path(), &["--resume"], "level\n").printed();
    let again: Vec<&str> = resumed.lines().take(8).collect();
    assert_eq!(again, board);
    assert!(resumed.contains(" 3  learner  <- current"), "{resumed}");
    // --visits overrides the saved level.
    let resumed = play(home.path(), &["--resume"], "level\n").printed();
    let is_current = |level: &str| resumed.contains(&format!("{level}  <- current"));
    assert!(
        is_current("full strength") && !is_current("learner"),
        "{resumed}"
    );
}

#[test]
fn program_plays_itself_in_ascii() {
    let home = tempfile::tempdir().unwrap();
    let arguments = [
        "--color", "none", "--ascii", "--level", "2", "--rules", "japanese",
    ];
    let message = play_new_game(home.path(), &arguments, "");
    assert!(message.is_ascii(), "{message}");
    assert!(message.contains("Game over"), "{message}");
    let saved = fs::read_to_string(home.path().join("data/honinbo/played/game-1.sgf")).unwrap();
    assert!(
        saved.contains("PB[Honinbo level 2]") && saved.contains("RE["),
        "{saved}"
    );
}

#[test]
fn handicap_game_uses_the_given_komi() {
    let home = tempfile::tempdir().unwrap();
    for (komi, used) in [(&[][..], "0.5"), (&["--komi", "5.5"], "5.5")] {
        let arguments = [&["--handicap", "2", "--color", "both"], komi].concat();
        let message = play_new_game(home.path(), &arguments, "");
        let expected = format!("New game with 2 handicap stones and komi {used}.");
        assert!(message.contains(&expected), "{message}");
    }
}

#[test]
fn control_characters_are_not_printed() {
    let home = tempfile::tempdir().unwrap();
    let game = "(;SZ[5]RU[\x1b[2J]KM[\x1b]PB[\x1b[31m]C[\x07\u{9b}];B[\x1bz];W[aa])";
    let name = "\x1b[31mred\u{9b}.sgf";
    let folder = home.path();
    fs::write(folder.join(name), game).unwrap();
    let (path, missing) = (folder.join(name), folder.join("\x1b]0;title\x07"));
    let [path, missing] = [path, missing].map(|path| path.to_str().unwrap().to_owned());
    let lines = format!("load {missing}\nload {path}\n\x1b[5m\nsave {path}2\nhelp \x1b[1m\n");
    for (file, success) in [(&path, true), (&missing, false)] {
        let arguments = [file.as_str(), "--color", "both"];
        let run = play(folder, &arguments, &lines);
        assert_eq!(run.success, success, "{run:?}");
        let printed = run.stdout + &run.stderr;
        assert!(printed.contains('?'), "{printed:?}");
        let control = printed.find(|c: char| c.is_control() && c != '\n');
        assert_eq!(control, None, "{printed:?}");
    }
}

#[test]
fn invalid_options_are_reported() {
    let home = tempfile::tempdir().unwrap();
    // The message of the operating system.
    let missing = fs::read("nonesuch.sgf").unwrap_err();
    let missing = format!("nonesuch.sgf: {missing}");
    for (arguments, message) in [
        (
            &["--color", "red"][..],
            "must be black, white, both or none",
        ),
        (
            &["--handicap", "8", "--size", "5"],
            "--handicap: \"8\" is not a valid number of handicap stones (0, or 2 to 6 on the 5x5 board)",
        ),
        (&["--level", "0"], "--level must be between 1 and 10, not 0"),
        (
            &["--level", "300"],
            "--level must be between 1 and 10, not 300",
        ),
        (
            &["--level", "3", "--search", "alphabeta"],
            "--level cannot be combined with --search alphabeta; use --depth to weaken the search",
        ),
        (&["nonesuch.sgf"], missing.as_str()),
        (
            &["nonesuch.sgf", "--size", "9"],
            "--size cannot be used here: the game file sets the board size",
        ),
        (
            &["--log", "l"],
            "--log cannot be used here: this command has no clients",
        ),
    ] {
        play(home.path(), arguments, "").assert_fails(message);
    }
}
