//! Exact solution of a small board.

use anyhow::Context;
use honinbo::game::color::Color;
use honinbo::game::point::BoardSize;
use honinbo::game::score::Score;
use honinbo::io::plural::counted;
use honinbo::tactics::solver::{Solver, SolverOptions, SolverProgress};

use super::limits::SolveLimits;
use crate::cli::process::print;
use crate::cli::progress;

/// Maximum number of board points for which all best first moves are determined by default.
const MAX_AREA_FOR_ALL_MOVES: usize = 16;

#[derive(clap::Args)]
pub struct BoardArgs {
    /// Solve the empty board of this size, N or WxH (area scoring without komi; valid for every superko rule)
    #[arg(long, value_name = "SIZE")]
    size: Option<BoardSize>,
    /// Maximum search depth, in moves
    #[arg(long, value_name = "N", conflicts_with = "file")]
    depth: Option<u32>,
    /// Find all best first moves (default for boards of up to 16 points)
    #[arg(long, conflicts_with = "file")]
    all_moves: bool,
}

/// Solves the board and prints its value and the best first moves.
pub fn run(args: &BoardArgs, limits: &SolveLimits) -> anyhow::Result<()> {
    let size = args
        .size
        .context("give a problem file, or --size to solve an empty board")?;
    let defaults = SolverOptions::default();
    let limits = SolverOptions {
        threads: limits.threads.count(),
        table_mib: limits.memory,
        nodes: limits.nodes,
        time: limits.time()?,
        depth: args.depth.unwrap_or(defaults.depth),
    };
    let solver = Solver::new(size, limits).context("--size, --memory")?;
    let spinner = progress::spinner("{msg}");
    let mut depths = [0; 2];
    let bounds = solver.solve_empty_board(&mut |progress| {
        depths[usize::from(progress.prover == Color::White)] = progress.depth;
        spinner.set_message(progress_message(&progress));
    });
    let is_solved = bounds.lower == bounds.upper;
    let mut text = if is_solved {
        format!("value {}\n", score_from_lead(bounds.lower))
    } else {
        let [black, white] = depths;
        let (lower, upper) = (score_from_lead(bounds.lower), score_from_lead(bounds.upper));
        format!(
            "value between {lower} and {upper}\nsearched to depth {black} for Black, {white} for White\n"
        )
    };
    if is_solved {
        let first = solver.best_first_move();
        let (mut moves, mut is_complete) = (Vec::new(), true);
        if args.all_moves || size.area() <= MAX_AREA_FOR_ALL_MOVES {
            let mut on_progress =
                |progress: SolverProgress| spinner.set_message(progress_message(&progress));
            (moves, is_complete) = solver.first_moves_reaching(bounds.lower, &mut on_progress);
        }
        if moves.is_empty() {
            // If no stone placement reaches the value of the board, the best move is a pass.
            moves.extend(first);
        }
        let vertices: Vec<String> = (moves.into_iter().map(|mv| size.format_move(mv))).collect();
        // The list is empty if the entries of the first moves have been overwritten in the transposition table.
        if !vertices.is_empty() {
            text += &format!("best {}\n", vertices.join(" "));
        }
        if !is_complete {
            text += "there may be other best first moves (a limit was reached)\n";
        }
    }
    spinner.finish_and_clear();
    text += &format!("nodes {}\n", solver.node_count());
    print(text)
}

/// Converts Black's lead in points to a score.
const fn score_from_lead(lead: i32) -> Score {
    Score::from_half_points(2 * lead)
}

fn progress_message(progress: &SolverProgress) -> String {
    let prover = match progress.prover {
        Color::Black => "Black",
        Color::White => "White",
    };
    format!(
        "searching for a proof for {prover} up to depth {}; value between {} and {}; {}",
        progress.depth,
        score_from_lead(progress.bounds.lower),
        score_from_lead(progress.bounds.upper),
        counted(progress.nodes, "position")
    )
}
