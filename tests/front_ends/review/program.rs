//! `honinbo review` as a program, with the uniform evaluator.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use super::GAME;

/// Runs `honinbo review` on a game in that directory.
fn review(folder: &Path, arguments: &[&str]) -> Output {
    fs::write(folder.join("game.sgf"), GAME).unwrap();
    Command::new(env!("CARGO_BIN_EXE_honinbo"))
        .args(["review", "--evaluator", "uniform", "--visits", "2"])
        .args(["--threads", "1", "--memory", "64", "game.sgf"])
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
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
    let complete = review(folder.path(), &["--no-files"]);
    assert!(
        complete.status.success() && !complete.stdout.is_empty(),
        "{complete:?}"
    );
    assert_eq!(names(folder.path()), ["game.sgf"]);
    // A directory with the name of the output file.
    fs::create_dir_all(folder.path().join("taken/game.sgf")).unwrap();
    let run = review(folder.path(), &["--output", "taken/game"]);
    assert_eq!(text(&run.stdout), text(&complete.stdout));
    let error_output = text(&run.stderr);
    assert!(
        !run.status.success() && error_output.contains("taken/game.sgf: "),
        "{error_output}"
    );
}

#[test]
fn damaged_file_is_reviewed_with_warning() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("odd.sgf"), "(;SZ[5];B[cc] $;W[bb])").unwrap();
    let run = Command::new(env!("CARGO_BIN_EXE_honinbo"))
        .args(["review", "--evaluator", "uniform", "--visits", "2"])
        .args(["--threads", "1", "--memory", "64", "--no-files", "odd.sgf"])
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert!(run.status.success(), "{run:?}");
    let expected =
        "honinbo: odd.sgf: line 1, column 15: expected ';', '(', ')' or a property, found '$'\n";
    assert_eq!(text(&run.stderr), expected);
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
        let run = review(folder.path(), output);
        assert!(run.status.success(), "{run:?}");
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
        let run = review(
            folder.path(),
            &["-o", &format!("{extension}-review.{extension}")],
        );
        assert!(run.status.success(), "{run:?}");
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
        let error_output = text(&run.stderr);
        assert!(
            run.stdout.is_empty() && error_output.contains(expected),
            "{run:?}"
        );
        assert!(!run.status.success());
    }
    assert_eq!(names(folder.path()), ["game.sgf"]);
    assert_eq!(
        fs::read_to_string(folder.path().join("game.sgf")).unwrap(),
        GAME
    );
}
