//! `honinbo solve`: exact values of small boards.

use anyhow::Context;
use clap::builder::PossibleValuesParser;
use honinbo::game::color::Color;
use honinbo::game::point::BoardSize;
use honinbo::game::score::Score;
use honinbo::tactics::solver::features::{Features, PARTS};
use honinbo::tactics::solver::{Bounds, Means, Progress, Solver};
use indicatif::{ProgressBar, ProgressStyle};

/// Points up to which all first moves are looked at.
const EASY: usize = 16;

#[derive(clap::Args)]
pub struct Args {
    /// The empty board to solve, N or WxH: area scoring, no komi, any superko rule
    #[arg(long, value_name = "SIZE")]
    size: BoardSize,
    /// Threads [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Memory of the table, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 256)]
    memory: usize,
    /// Positions to be visited at most
    #[arg(long, value_name = "N", default_value_t = u64::MAX, hide_default_value = true)]
    nodes: u64,
    /// Longest lines to be searched, in moves
    #[arg(long, value_name = "N")]
    depth: Option<u32>,
    /// Also look for all other first moves as good as the one found [default: up to 16 points]
    #[arg(long)]
    all_moves: bool,
    /// Leave a part of the search out, to measure what it is worth
    #[arg(long, value_name = "PART", value_parser = PossibleValuesParser::new(PARTS.map(|(name, _)| name)))]
    without: Vec<String>,
}

/// Solves the board and prints its value, its best first moves and the work it took.
pub fn run(args: &Args) -> anyhow::Result<()> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let usual = Means::default();
    let means = Means {
        threads: args.threads.map_or(cores, usize::from),
        table_mib: args.memory,
        nodes: args.nodes,
        depth: args.depth.unwrap_or(usual.depth),
        features: features(&args.without),
    };
    let solver = Solver::new(args.size, means).context("--size, --memory")?;
    let bar = ProgressBar::new_spinner().with_style(ProgressStyle::with_template("{msg}")?);
    let mut watch = |progress: Progress| bar.set_message(told(&progress));
    let bounds = solver.solve(&mut watch);
    let mut text = match bounds {
        Bounds { least, most } if least == most => format!("value {}\n", score(least)),
        Bounds { least, most } => {
            format!("value unknown, from {} to {}\n", score(least), score(most))
        }
    };
    if bounds.least == bounds.most {
        let first = solver.first_move();
        let mut moves = Vec::new();
        if args.all_moves || args.size.area() <= EASY {
            moves = solver.first_moves(bounds.least, &mut watch);
        }
        if moves.is_empty() {
            // Where no stone does, it is a pass.
            moves.extend(first);
        }
        let names: Vec<String> = (moves.into_iter().map(|mv| args.size.move_text(mv))).collect();
        text += &format!("best {}\n", names.join(" "));
    }
    bar.finish_and_clear();
    text += &format!("nodes {}\n", solver.nodes());
    super::print(text)
}

fn features(without: &[String]) -> Features {
    let mut features = Features::default();
    for (name, part) in PARTS {
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

fn told(progress: &Progress) -> String {
    let prover = match progress.prover {
        Color::Black => "Black",
        Color::White => "White",
    };
    format!(
        "{prover}, lines of {} moves; from {} to {}; {} positions",
        progress.depth,
        score(progress.bounds.least),
        score(progress.bounds.most),
        progress.nodes
    )
}
