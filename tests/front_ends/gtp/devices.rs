//! Devices of the network: the same script gives legal moves on every device, and an unusable device is explained.

use std::io::{Seek, Write};

use crate::program::{Run, honinbo, run};

/// Runs a script in which the program plays against itself on 9x9.
fn play_on(device: &str) -> Run {
    let mut script = tempfile::tempfile().expect("a file");
    let moves = "genmove b\ngenmove w\n".repeat(3);
    write!(script, "boardsize 9\n{moves}showboard\nquit\n").expect("a writable file");
    script.rewind().expect("a file");
    let mut program = honinbo(&["gtp", "--device", device, "--precision", "f32"]);
    program
        .args(["--threads", "1", "--visits", "6", "--seed", "1"])
        .stdin(script);
    run(&mut program)
}

#[test]
fn script_gives_the_same_answers_on_cpu_and_candle() {
    let [cpu, candle] = ["cpu", "candle"].map(|device| play_on(device).printed());
    assert_eq!(candle.matches("= ").count(), cpu.matches("= ").count());
    assert!(!cpu.contains('?') && !candle.contains('?'), "{candle}");
    // The values differ by rounding only, so the most visited moves are the same.
    assert_eq!(candle, cpu);
}

#[test]
fn missing_devices_are_explained() {
    if !cfg!(feature = "cuda") {
        play_on("cuda").assert_fails("--features cuda");
    }
    if !cfg!(feature = "metal") {
        play_on("metal").assert_fails("--device cpu");
    }
    play_on("tpu").assert_fails("use auto, cpu, cuda, cuda:N, metal or candle");
}
