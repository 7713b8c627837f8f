//! `honinbo solve`: solves life-and-death problems and small boards exactly.

mod board;
mod limits;
mod problem;

use std::path::PathBuf;

/// Description of the output for problems, shown in the help.
const PROBLEM_OUTPUT_HELP: &str = "\
Output for a problem, one item per line:
  result success|ko|failure|unknown   whether the side to move reaches the goal; unknown: nothing is proven within the
                                      limits, or the result depends on surroundings that are not settled
  goal COLOR lives, COLOR kills COLOR the goal of the side to move, which is named first
  best MOVE                           a move that reaches the goal
  try MOVE                            a guess, only if the result is unknown: the most promising move according to a
                                      search with the network, or the move that reaches the goal if the surrounding
                                      stones hold
  at least ko                         ko is proven, and the result may be better
  first threat own|other              in a ko, the side that needs the first threat: own is the side to move
  seki yes|no                         whether stones live in seki
  nodes N                             number of positions searched";

#[derive(clap::Args)]
#[command(after_help = PROBLEM_OUTPUT_HELP)]
pub struct Args {
    /// SGF file whose first position is the problem
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
    #[command(flatten)]
    limits: limits::SolveLimits,
}

/// Solves the problem or board and prints the result.
pub fn run(args: &Args) -> anyhow::Result<()> {
    match &args.file {
        Some(file) => problem::run(file, &args.problem, &args.limits),
        None => board::run(&args.board, &args.limits),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::TestCli;
    use clap::Parser;

    fn accepts(line: &str) -> bool {
        TestCli::<Args>::try_parse_from(line.split(' '))
            .is_ok_and(|line| line.args.limits.memory > 0)
    }

    #[test]
    fn board_and_problem_options_are_exclusive() {
        let problem_options = [
            "--goal kill",
            "--region A1:B2",
            "--color black",
            "--output x",
        ];
        let board_options = ["--depth 3", "--all-moves"];
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
