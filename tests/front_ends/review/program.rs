//! `honinbo review` as a program, with the uniform evaluator.

use std::fs;
use std::path::Path;

use super::GAME;
use crate::program::{Run, honinbo, run};

/// Runs `honinbo review` on a game in that directory.
fn review(folder: &Path, arguments: &[&str]) -> Run {
    review_file(folder, "game.sgf", GAME, arguments)
}

fn review_file(folder: &Path, name: &str, text: &str, arguments: &[&str]) -> Run {
    fs::write(folder.join(name), text).unwrap();
    let mut program = honinbo(&["review", "--evaluator", "uniform", "--visits", "2"]);
    program.args(["--threads", "1", "--memory", "64", name]);
    run(program.args(arguments).current_dir(folder))
}

/// Returns the sorted names of the files in a directory.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let name = |entry: fs::DirEntry| entry.file_name().to_string_lossy().into_owned();
    let mut names: Vec<String> = entries.map(|entry| name(entry.unwrap())).collect();
    names.sort_unstable();
    names
}

/// Extensions of the files that a review writes.
#[cfg(feature = "png")]
const EXTENSIONS: [&str; 3] = ["sgf", "svg", "png"];
#[cfg(not(feature = "png"))]
const EXTENSIONS: [&str; 2] = ["sgf", "svg"];

#[test]
fn table_is_printed_despite_write_errors() {
    let folder = tempfile::tempdir().unwrap();
    let complete = review(folder.path(), &["--no-files"]).printed();
    assert!(!complete.is_empty());
    assert_eq!(names(folder.path()), ["game.sgf"]);
    // A directory with the name of the output file.
    fs::create_dir_all(folder.path().join("taken/game.sgf")).unwrap();
    let run = review(folder.path(), &["--output", "taken/game"]);
    assert_eq!(run.stdout, complete);
    run.assert_fails("taken/game.sgf: ");
}

#[test]
fn illegal_moves_are_reviewed_with_warning() {
    let folder = tempfile::tempdir().unwrap();
    let game = "(;SZ[4]AB[da][ab][bb]AW[aa][ba][cb][db];B[ca];W[ba];B[da];W[aa])";
    let run = review_file(folder.path(), "odd.sgf", game, &["--no-files"]);
    assert!(run.success, "{run:?}");
    let expected = "honinbo: odd.sgf: illegal under these rules: move 4 (white A4): the move repeats an earlier \
                    position (superko)\n";
    assert_eq!(run.stderr, expected);
}

#[test]
fn damaged_file_is_reviewed_with_warning() {
    let folder = tempfile::tempdir().unwrap();
    let odd = "(;SZ[5];B[cc] $;W[bb])";
    let run = review_file(folder.path(), "odd.sgf", odd, &["--no-files"]);
    assert!(run.success, "{run:?}");
    let expected =
        "honinbo: odd.sgf: line 1, column 15: expected ';', '(', ')' or a property, found '$'\n";
    assert_eq!(run.stderr, expected);
}

#[test]
fn output_directory_gets_default_names() {
    let folder = tempfile::tempdir().unwrap();
    let default_names: Vec<String> = EXTENSIONS
        .map(|extension| format!("game.review.{extension}"))
        .into();
    for (output, place) in [(&["-o", "a"][..], "a"), (&["-o", "b/"], "b"), (&[], ".")] {
        let place = folder.path().join(place);
        if output == ["-o", "a"] {
            fs::create_dir(&place).unwrap();
        }
        review(folder.path(), output).printed();
        let written = names(&place);
        assert!(
            default_names
                .iter()
                .all(|name| written.iter().any(|other| other == name)),
            "{written:?}"
        );
        assert!(
            !written.iter().any(|name| name.starts_with('.')),
            "{written:?}"
        );
    }
}

#[test]
fn output_extension_is_not_repeated() {
    let folder = tempfile::tempdir().unwrap();
    let mut expected = vec!["game.sgf".to_owned()];
    for extension in ["sgf", "png"] {
        let output = format!("{extension}-review.{extension}");
        review(folder.path(), &["-o", &output]).printed();
        expected.extend(EXTENSIONS.map(|written| format!("{extension}-review.{written}")));
    }
    expected.sort();
    assert_eq!(names(folder.path()), expected);
}

#[test]
fn invalid_options_fail_before_review() {
    let folder = tempfile::tempdir().unwrap();
    for (arguments, expected) in [
        (
            &["--output", "game"][..],
            "--output would overwrite the input file",
        ),
        (
            &["--size", "9"],
            "--size cannot be used here: the game file sets the board size",
        ),
        (&["--log", "l"], "--log cannot be used here"),
        (
            &["--resign", "3"],
            "--resign cannot be used here: this command does not play",
        ),
        (&["--name", "n"], "--name cannot be used here"),
        (
            &["--output", "game.sgf/here"],
            "--output game.sgf: File exists",
        ),
        (&["--level", "3"], "--level cannot be used here"),
    ] {
        let run = review(folder.path(), arguments);
        assert!(run.stdout.is_empty(), "{run:?}");
        run.assert_fails(expected);
    }
    assert_eq!(names(folder.path()), ["game.sgf"]);
    assert_eq!(
        fs::read_to_string(folder.path().join("game.sgf")).unwrap(),
        GAME
    );
}

#[test]
fn correction_and_unknown_rules_are_reviewed_with_warning() {
    let folder = tempfile::tempdir().unwrap();
    let game = "(;SZ[9]RU[Chess];B[ee];W[cc];AE[cc];W[cd];B[gg])";
    let run = review_file(folder.path(), "odd.sgf", game, &["--json", "--no-files"]);
    assert!(run.success, "{run:?}");
    let report: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    let moves = report["moves"].as_array().unwrap();
    let played: Vec<&str> = moves
        .iter()
        .map(|mv| mv["move"].as_str().unwrap())
        .collect();
    assert_eq!(played, ["E5", "C7", "C6", "G3"]);
    assert_eq!(report["positions"].as_array().unwrap().len(), 5);
    assert!(
        run.stderr.contains("the rules \"Chess\" (RU) are unknown"),
        "{run:?}"
    );
}
