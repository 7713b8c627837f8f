//! Exact values of small boards.

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
pub struct AskedBoard {
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
        value_parser = PossibleValuesParser::new(PARTS.map(|(name, _)| name))
    )]
    without: Vec<String>,
}

/// Prints the board's value and its best first moves.
pub fn run(asked: &AskedBoard, means: &super::Means) -> anyhow::Result<()> {
    let size = asked.size.context("expected --size or a file")?;
    let usual = Means::default();
    let means = Means {
        threads: means.threads,
        table_mib: means.memory,
        nodes: means.nodes,
        time: means.time,
        depth: asked.depth.unwrap_or(usual.depth),
        features: features(&asked.without),
    };
    let solver = Solver::new(size, means).context("--size, --memory")?;
    let bar = ProgressBar::new_spinner().with_style(ProgressStyle::with_template("{msg}")?);
    let mut depths = [0; 2];
    let bounds = solver.solve(&mut |progress| {
        depths[usize::from(progress.prover == Color::White)] = progress.depth;
        bar.set_message(told(&progress));
    });
    let mut text = match bounds {
        Bounds { least, most } if least == most => format!("value {}\n", score(least)),
        Bounds { least, most } => {
            let [black, white] = depths;
            let (least, most) = (score(least), score(most));
            format!("value unknown, from {least} to {most}\ndepth black {black}, white {white}\n")
        }
    };
    if bounds.least == bounds.most {
        let first = solver.first_move();
        let (mut moves, mut all) = (Vec::new(), true);
        if asked.all_moves || size.area() <= EASY {
            let mut watch = |progress: Progress| bar.set_message(told(&progress));
            (moves, all) = solver.first_moves(bounds.least, &mut watch);
        }
        if moves.is_empty() {
            // Where no stone does, it is a pass.
            moves.extend(first);
        }
        let names: Vec<String> = (moves.into_iter().map(|mv| size.move_text(mv))).collect();
        // What was found of the first moves may have been forgotten.
        if !names.is_empty() {
            text += &format!("best {}\n", names.join(" "));
        }
        if !all {
            text += "others not all settled\n";
        }
    }
    bar.finish_and_clear();
    text += &format!("nodes {}\n", solver.nodes());
    crate::cli::print(text)
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
