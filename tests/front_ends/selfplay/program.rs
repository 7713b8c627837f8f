//! The `selfplay` command: continuation and interruption.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::program::honinbo;

/// `honinbo selfplay` on 5x5 without a search, up to game number `games`.
fn selfplay(folder: &Path, games: &str) -> Command {
    let mut command = honinbo(&["selfplay", "--sizes", "5:1", "--visits", "1", "--seed", "3"]);
    command
        .args(["--threads", "1", "--quiet", "--games", games, "--out"])
        .arg(folder)
        .stdout(Stdio::null());
    command
}

/// Returns the contents of all files in a folder.
fn written(folder: &Path) -> String {
    let files = fs::read_dir(folder).into_iter().flatten();
    let mut files: Vec<_> = files.map(|file| file.unwrap().path()).collect();
    files.sort();
    let games = files.iter().filter(|path| path.extension().is_some());
    games
        .map(|path| fs::read_to_string(path).unwrap())
        .collect()
}

#[test]
fn run_continues_existing_games() {
    let folder = tempfile::tempdir().unwrap();
    assert!(selfplay(folder.path(), "2").status().unwrap().success());
    let first = written(folder.path());
    assert_eq!(first.lines().count(), 2);
    assert!(selfplay(folder.path(), "3").status().unwrap().success());
    let all = written(folder.path());
    assert!(all.starts_with(&first) && all.lines().count() == 3, "{all}");
    let whole = tempfile::tempdir().unwrap();
    assert!(selfplay(whole.path(), "3").status().unwrap().success());
    assert_eq!(written(whole.path()), all);
}

#[cfg(unix)]
#[test]
fn interrupt_leaves_complete_games() {
    let folder = tempfile::tempdir().unwrap();
    let mut program = selfplay(folder.path(), "1000000").spawn().unwrap();
    while !written(folder.path()).contains('\n') {
        assert!(
            program.try_wait().unwrap().is_none(),
            "the process exited early"
        );
        std::thread::yield_now();
    }
    let pid = program.id().to_string();
    let killed = Command::new("kill").args(["-INT", &pid]).status().unwrap();
    assert!(killed.success());
    // The run did not reach its goal.
    assert_eq!(program.wait().unwrap().code(), Some(1));
    let games = written(folder.path());
    assert!(games.ends_with(")\n"));
    assert!(
        games
            .lines()
            .all(|game| game.starts_with("(;") && game.ends_with(')'))
    );
    // The next run continues after them.
    let more = (games.lines().count() + 1).to_string();
    assert!(selfplay(folder.path(), &more).status().unwrap().success());
    assert!(written(folder.path()).starts_with(&games));
}
