//! `honinbo review` through the binary, with an evaluator that knows nothing and takes no time.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use super::GAME;

/// Runs `honinbo review` of the game in that folder.
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

/// The names of the files in a folder, in order.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let name = |entry: fs::DirEntry| entry.file_name().to_string_lossy().into_owned();
    let mut names: Vec<String> = entries.map(|entry| name(entry.unwrap())).collect();
    names.sort_unstable();
    names
}

/// Endings of the files that a review writes.
#[cfg(feature = "png")]
const ENDINGS: [&str; 3] = ["sgf", "svg", "png"];
#[cfg(not(feature = "png"))]
const ENDINGS: [&str; 2] = ["sgf", "svg"];

#[test]
fn what_was_found_is_told_even_where_it_cannot_be_written() {
    let folder = tempfile::tempdir().unwrap();
    let whole = review(folder.path(), &["--no-files"]);
    assert!(
        whole.status.success() && !whole.stdout.is_empty(),
        "{whole:?}"
    );
    assert_eq!(names(folder.path()), ["game.sgf"]);
    // Where a file is to go there is a folder.
    fs::create_dir_all(folder.path().join("taken/game.sgf")).unwrap();
    let run = review(folder.path(), &["--output", "taken/game"]);
    assert_eq!(text(&run.stdout), text(&whole.stdout));
    let said = text(&run.stderr);
    assert!(
        !run.status.success() && said.contains("taken/game.sgf: "),
        "{said}"
    );
}

#[test]
fn a_file_that_had_to_be_mended_is_reviewed_with_a_warning() {
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
fn in_a_folder_the_files_have_their_usual_names() {
    let folder = tempfile::tempdir().unwrap();
    let usual: Vec<String> = ENDINGS.map(|ending| format!("game.review.{ending}")).into();
    for (output, place) in [(&["-o", "a"][..], "a"), (&["-o", "b/"], "b"), (&[], ".")] {
        let place = folder.path().join(place);
        if output == ["-o", "a"] {
            fs::create_dir(&place).unwrap();
        }
        let run = review(folder.path(), output);
        assert!(run.status.success(), "{run:?}");
        let written = names(&place);
        assert!(
            usual
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
fn an_ending_that_files_have_anyway_is_not_doubled() {
    let folder = tempfile::tempdir().unwrap();
    let mut expected = vec!["game.sgf".to_owned()];
    for ending in ["sgf", "png"] {
        let run = review(folder.path(), &["-o", &format!("{ending}-told.{ending}")]);
        assert!(run.status.success(), "{run:?}");
        expected.extend(ENDINGS.map(|written| format!("{ending}-told.{written}")));
    }
    expected.sort();
    assert_eq!(names(folder.path()), expected);
}

#[test]
fn what_cannot_be_is_refused_before_the_work() {
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
        let said = text(&run.stderr);
        assert!(run.stdout.is_empty() && said.contains(expected), "{run:?}");
        assert!(!run.status.success());
    }
    assert_eq!(names(folder.path()), ["game.sgf"]);
    assert_eq!(
        fs::read_to_string(folder.path().join("game.sgf")).unwrap(),
        GAME
    );
}
