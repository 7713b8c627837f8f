//! Exact values of small boards.

use anyhow::Context;
use clap::builder::PossibleValuesParser;
use honinbo::game::color::Color;
use honinbo::game::point::BoardSize;
use honinbo::game::score::Score;
use honinbo::tactics::solver::features::{FEATURES, Features};
use honinbo::tactics::solver::{ScoreBounds, Solver, SolverOptions, SolverProgress};
use indicatif::{ProgressBar, ProgressStyle};

/// Points up to which all first moves are looked at.
const MAX_AREA_FOR_ALL_MOVES: usize = 16;

#[derive(clap::Args)]
pub struct BoardArgs {
    /// The empty board to solve, N or WxH: area scoring, no komi, any superko rule
    #[arg(long, value_name = "SIZE")]
    size: Option<BoardSize>,
    /// Longest lines to be searched, in moves
    #[arg(long, value_name = "N", conflicts_with = "file")]
    depth: Option<u32>,
    /// Also look for all other first moves as good as the one found [default: up to 16 points]
    #[arg(long, conflicts_with = "file")]
    all_moves: bool,
    /// Leave a part of the search out, to measure what it is worth
    #[arg(
        long,
        value_name = "PART",
        conflicts_with = "file",
        value_parser = PossibleValuesParser::new(FEATURES.map(|(name, _)| name))
    )]
    without: Vec<String>,
}

/// Prints the board's value and its best first moves.
pub fn run(args: &BoardArgs, limits: &super::SolveLimits) -> anyhow::Result<()> {
    let size = args.size.context("expected --size or a file")?;
    let defaults = SolverOptions::default();
    let limits = SolverOptions {
        threads: limits.threads,
        table_mib: limits.memory,
        nodes: limits.nodes,
        time: limits.time,
        depth: args.depth.unwrap_or(defaults.depth),
        features: features(&args.without),
    };
    let solver = Solver::new(size, limits).context("--size, --memory")?;
    let bar = ProgressBar::new_spinner().with_style(ProgressStyle::with_template("{msg}")?);
    let mut depths = [0; 2];
    let bounds = solver.solve(&mut |progress| {
        depths[usize::from(progress.prover == Color::White)] = progress.depth;
        bar.set_message(progress_message(&progress));
    });
    let mut text = match bounds {
        ScoreBounds {
            lower: least,
            upper: most,
        } if least == most => format!("value {}\n", score(least)),
        ScoreBounds {
            lower: least,
            upper: most,
        } => {
            let [black, white] = depths;
            let (min, max) = (score(least), score(most));
            format!("value unknown, from {min} to {max}\ndepth black {black}, white {white}\n")
        }
    };
    if bounds.lower == bounds.upper {
        let first = solver.first_move();
        let (mut moves, mut is_complete) = (Vec::new(), true);
        if args.all_moves || size.area() <= MAX_AREA_FOR_ALL_MOVES {
            let mut on_progress =
                |progress: SolverProgress| bar.set_message(progress_message(&progress));
            (moves, is_complete) = solver.first_moves(bounds.lower, &mut on_progress);
        }
        if moves.is_empty() {
            // Where no stone does, it is a pass.
            moves.extend(first);
        }
        let vertices: Vec<String> = (moves.into_iter().map(|mv| size.format_move(mv))).collect();
        // What was found of the first moves may have been forgotten.
        if !vertices.is_empty() {
            text += &format!("best {}\n", vertices.join(" "));
        }
        if !is_complete {
            text += "others not all settled\n";
        }
    }
    bar.finish_and_clear();
    text += &format!("nodes {}\n", solver.nodes());
    crate::cli::print(text)
}

fn features(without: &[String]) -> Features {
    let mut features = Features::default();
    for (name, part) in FEATURES {
        if without.iter().any(|other| other == name) {
            *part(&mut features) = false;
        }
    }
    features
}

/// Black's lead as a result.
const fn score(lead: i32) -> Score {
    Score::from_half_points(2 * lead)
}

fn progress_message(progress: &SolverProgress) -> String {
    let prover = match progress.prover {
        Color::Black => "Black",
        Color::White => "White",
    };
    format!(
        "{prover}, lines of {} moves; from {} to {}; {} positions",
        progress.depth,
        score(progress.bounds.lower),
        score(progress.bounds.upper),
        progress.nodes
    )
}
