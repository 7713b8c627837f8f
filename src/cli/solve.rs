//! `honinbo solve`: exact values of small boards, and local problems of life and death.

mod board;
mod problem;

use std::path::PathBuf;
use std::time::Duration;

use super::options::checked_seconds;

/// What the lines printed of a problem say.
const OUTPUT_HELP: &str = "\
Of a problem is printed, a line each:
  result success|ko|failure|unknown   whether the side to move reaches the goal; unknown: nothing was proved in time,
                                      or stones around that the answer rests on can be taken
  goal COLOR lives, COLOR kills COLOR what the side to move, named first, is after
  best MOVE                           a move that reaches it
  try MOVE                            nothing was proved: what the network would play, or what would be proved if
                                      the stones around stood
  at least ko                         a ko was proved, and perhaps there is more
  first threat own|other              in a ko the side to move, or the other one, has to find the first threat
  seki yes|no                         whether stones live without two eyes
  nodes N                             positions visited";

#[derive(clap::Args)]
#[command(after_help = OUTPUT_HELP)]
pub struct Args {
    /// A local problem: its first position
    #[arg(
        value_name = "PROBLEM.sgf",
        required_unless_present = "size",
        conflicts_with = "size"
    )]
    file: Option<PathBuf>,
    #[command(flatten)]
    problem: problem::ProblemArgs,
    #[command(flatten)]
    board: board::BoardArgs,
    /// Seconds to try [default: of a problem 5, or as long as the nodes last]
    #[arg(long, value_name = "SECONDS")]
    time: Option<f64>,
    /// Threads [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Memory of the table, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 256)]
    memory: usize,
    /// Positions to be visited at most, for each proof of a problem, or in all for a board
    #[arg(long, value_name = "N", default_value_t = u64::MAX, hide_default_value = true)]
    nodes: u64,
}

/// What the search may use.
struct SolveLimits {
    threads: usize,
    memory: usize,
    nodes: u64,
    time: Option<Duration>,
}

/// Solves the problem or the board and prints what was found out and the work it took.
pub fn run(args: &Args) -> anyhow::Result<()> {
    let cores = super::core_count();
    let time = (args.time.map(|time| checked_seconds(0.0, time))).transpose()?;
    let limits = SolveLimits {
        threads: args.threads.map_or(cores, usize::from),
        memory: args.memory,
        nodes: args.nodes,
        time,
    };
    match &args.file {
        Some(file) => problem::run(file, &args.problem, &limits),
        None => board::run(&args.board, &limits),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::TestCli;
    use clap::Parser;

    fn accepts(line: &str) -> bool {
        TestCli::<Args>::try_parse_from(line.split(' ')).is_ok_and(|line| line.args.memory > 0)
    }

    #[test]
    fn board_and_problem_options_are_exclusive() {
        let problem_options = [
            "--goal kill",
            "--region A1:B2",
            "--color black",
            "--output x",
        ];
        let board_options = ["--depth 3", "--all-moves", "--without table"];
        for option in problem_options {
            assert!(accepts(&format!("solve p.sgf {option}")), "{option}");
            assert!(!accepts(&format!("solve --size 3x3 {option}")), "{option}");
        }
        for option in board_options {
            assert!(accepts(&format!("solve --size 3x3 {option}")), "{option}");
            assert!(!accepts(&format!("solve p.sgf {option}")), "{option}");
        }
        for target in ["p.sgf", "--size 3x3"] {
            assert!(accepts(&format!("solve {target} --time 1 --nodes 9")));
        }
        assert!(!accepts("solve") && !accepts("solve p.sgf --size 3x3"));
        assert!(!accepts("solve p.sgf --output x --no-files"));
    }
}
