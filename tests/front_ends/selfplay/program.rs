//! The command itself: it goes on where it stopped, and an interrupt costs no game that was over.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

/// `honinbo selfplay` on 5x5 without search, so many games in all.
fn selfplay(folder: &Path, games: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_honinbo"));
    command
        .args(["selfplay", "--sizes", "5:1", "--visits", "1", "--seed", "3"])
        .args(["--threads", "1", "--quiet", "--games", games, "--out"])
        .arg(folder)
        .stdout(Stdio::null());
    command
}

/// All games of a folder.
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
fn it_goes_on_where_it_stopped() {
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
fn an_interrupt_leaves_whole_games() {
    let folder = tempfile::tempdir().unwrap();
    let mut program = selfplay(folder.path(), "1000000").spawn().unwrap();
    while !written(folder.path()).contains('\n') {
        assert!(program.try_wait().unwrap().is_none(), "it plays for ever");
        std::thread::yield_now();
    }
    let pid = program.id().to_string();
    let told = Command::new("kill").args(["-INT", &pid]).status().unwrap();
    assert!(told.success());
    // Not all were played that were asked for.
    assert_eq!(program.wait().unwrap().code(), Some(1));
    let games = written(folder.path());
    assert!(games.ends_with(")\n"));
    assert!(
        games
            .lines()
            .all(|game| game.starts_with("(;") && game.ends_with(')'))
    );
    // And they are where the next run goes on.
    let more = (games.lines().count() + 1).to_string();
    assert!(selfplay(folder.path(), &more).status().unwrap().success());
    assert!(written(folder.path()).starts_with(&games));
}
