//! Intervals between the reports of an analysis over GTP, compared with the requested ones. Runs the program with the
//! built-in network and with a fast evaluator, which produces large trees that take longer to report.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Number of reports per measurement.
const REPORTS: usize = 20;
/// Maximum difference from the requested interval.
const TOLERANCE: Duration = Duration::from_millis(20);

fn start(evaluator: &str) -> Child {
    Command::new(env!("CARGO_BIN_EXE_honinbo"))
        .args(["gtp", "--evaluator", evaluator, "--time", "1000"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts")
}

/// Sends `command`, which must report every `interval`, and prints the differences between the actual intervals and
/// `interval`.
fn measure(evaluator: &str, command: &str, interval: Duration) {
    let mut program = start(evaluator);
    let input = program.stdin.as_mut().expect("a pipe");
    let output = program.stdout.as_mut().expect("a pipe");
    let mut lines = BufReader::new(output).lines();
    // The first evaluations include the time for loading the network.
    writeln!(input, "boardsize 19\nhoninbo-score\n{command}").expect("the program reads");
    let mut next_report = || loop {
        let line = lines.next().expect("the program runs").expect("UTF-8");
        if line.starts_with("info ") {
            return Instant::now();
        }
    };
    let mut previous = next_report();
    let mut differences: Vec<Duration> = (0..REPORTS)
        .map(|_| {
            let now = next_report();
            let difference = (now - previous).abs_diff(interval);
            previous = now;
            difference
        })
        .collect();
    differences.sort();
    let within = differences.iter().filter(|&&found| found <= TOLERANCE);
    println!(
        "{evaluator:<8} {command:<26} median {:>5.1} ms, worst {:>5.1} ms, within {} ms: {} of {REPORTS}",
        1000.0 * differences[REPORTS / 2].as_secs_f64(),
        1000.0 * differences[REPORTS - 1].as_secs_f64(),
        TOLERANCE.as_millis(),
        within.count(),
    );
    program.kill().expect("the program runs");
    program.wait().expect("the program has ended");
}

fn main() {
    println!("difference between the requested and the real interval of reports");
    for evaluator in ["net", "uniform"] {
        for command in ["kata-genmove_analyze b", "kata-analyze b"] {
            for centiseconds in [3, 10, 25] {
                let command = format!("{command} {centiseconds}");
                measure(
                    evaluator,
                    &command,
                    Duration::from_millis(10 * centiseconds),
                );
            }
        }
    }
}
