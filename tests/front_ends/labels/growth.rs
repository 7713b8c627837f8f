//! Labelling with different numbers of threads and after interruptions.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;

use super::{bytes, entries};
use crate::program::{honinbo, run};

/// Runs `honinbo labels` on tiny boards, with the embedded network as player and teacher.
fn labels(store: &Path, arguments: &[&str]) -> Command {
    let teacher = concat!(env!("CARGO_MANIFEST_DIR"), "/weights/default.safetensors");
    let mut command = honinbo(&["labels", "--teacher", teacher, "--precision", "f32"]);
    command
        .args(["--quiet", "--store"])
        .arg(store)
        .args(["--sizes", "4:2,5x3", "--every", "2", "--set-ups", "0.2"])
        .args(arguments)
        .stdout(Stdio::piped());
    command
}

fn grow(store: &Path, arguments: &[&str]) -> String {
    run(&mut labels(store, arguments)).printed()
}

#[test]
fn labels_do_not_depend_on_threads() {
    let folder = tempfile::tempdir().unwrap();
    let [one, four] = ["one", "four"].map(|name| folder.path().join(name));
    let printed = grow(&one, &["--labels", "150", "--threads", "1"]);
    grow(&four, &["--labels", "150", "--threads", "4"]);
    assert_eq!(bytes(&one, "bin"), bytes(&four, "bin"));
    let games = entries(&one).into_iter().flat_map(|entry| entry.games);
    let labels: usize = games.map(|game| game.labels.len()).sum();
    assert!(labels >= 150);
    assert!(
        printed.starts_with(&format!("labels  {labels}\n")),
        "{printed}"
    );
}

/// Kills the process as soon as the store has grown.
fn grow_and_kill(store: &Path, mut child: Child) {
    let length = || {
        let file = store.join("labels-000001.bin");
        file.metadata().map_or(0, |metadata| metadata.len())
    };
    let before = length();
    while length() <= before.max(8) {
        assert!(
            child.try_wait().unwrap().is_none(),
            "the process exited early"
        );
        thread::yield_now();
    }
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn interrupted_store_equals_uninterrupted_one() {
    let folder = tempfile::tempdir().unwrap();
    let [killed, whole] = ["killed", "whole"].map(|name| folder.path().join(name));
    for _ in 0..20 {
        grow_and_kill(
            &killed,
            labels(&killed, &["--threads", "2"]).spawn().unwrap(),
        );
    }
    let counts = entries(&killed)
        .into_iter()
        .map(|entry| entry.label_count());
    let target = counts.sum::<u64>() + 20;
    for store in [&killed, &whole] {
        grow(store, &["--labels", &target.to_string(), "--threads", "2"]);
    }
    assert_eq!(bytes(&killed, "bin"), bytes(&whole, "bin"));
}

#[test]
fn merging_stores_adds_no_duplicates() {
    let folder = tempfile::tempdir().unwrap();
    let [one, other] = ["one", "other"].map(|name| folder.path().join(name));
    grow(&one, &["--labels", "40", "--seed", "1"]);
    grow(&other, &["--labels", "40", "--seed", "2"]);
    let expected = [entries(&one), entries(&other)].concat();
    for _ in 0..2 {
        let mut command = honinbo(&["labels", "--store"]);
        run(command.arg(&one).arg("--import").arg(&other)).printed();
        assert_eq!(entries(&one), expected);
    }
}
