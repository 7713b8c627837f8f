//! Solution of a life-and-death problem, and its tree of variations.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use honinbo::engine::life_guess::{GuessLimits, guess_life_move};
use honinbo::eval::device::DeviceConfig;
use honinbo::eval::embedded;
use honinbo::game::color::Color;
use honinbo::game::point::{BoardSize, Move};
use honinbo::game::pointset::PointSet;
use honinbo::game::position::Position;
use honinbo::game::record::Record;
use honinbo::game::rules::Rules;
use honinbo::io::file;
use honinbo::io::stderr;
use honinbo::net::cpu::isa::Isa;
use honinbo::net::precision::Precision;
use honinbo::sgf::convert::{read_until_move, write_game};
use honinbo::sgf::points::write_move;
use honinbo::sgf::{Collection, GameTree, GameWarning, NodeId, Value, write};
use honinbo::tactics::life::{
    Branch, LifeArea, LifeError, LifeGoal, LifeLimits, LifeOutcome, LifeProblem, Solution,
    default_region,
};

use super::limits::SolveLimits;
use crate::cli::files;
use crate::cli::process::print;

/// Default time limit if neither `--time` nor `--nodes` is set.
const DEFAULT_TIME: Duration = Duration::from_secs(5);

#[derive(clap::Args)]
pub struct ProblemArgs {
    /// Goal of the side to move
    ///
    /// With `auto`, the goal is `live` if the side to move is under attack, otherwise `kill`. If only one side has a
    /// group in the region, that side is under attack. Otherwise, it is the side with fewer stones that can be reached
    /// from outside the region (the side to move if both have equally many).
    #[arg(long, value_enum, default_value_t = GoalArg::Auto, conflicts_with = "size")]
    goal: GoalArg,
    /// Opposite corners of the region, such as A1:G7 [default: around all stones, with a margin of up to four points]
    ///
    /// Stones connected to the outside are alive, and empty points outside belong to the attacker. The region should
    /// include all escape routes of the group: a group that can leave the region is not proved dead.
    #[arg(long, value_name = "CORNERS", conflicts_with = "size")]
    region: Option<String>,
    /// Side to move [default: from the file, or Black]
    #[arg(long, value_enum, conflicts_with = "size")]
    color: Option<ColorArg>,
    /// File or folder for the solution tree [default: PROBLEM.solved.sgf, next to the problem]
    #[arg(long, short, value_name = "FILE", conflicts_with = "size")]
    output: Option<PathBuf>,
    /// Do not write a file
    #[arg(long, conflicts_with_all = ["output", "size"])]
    no_files: bool,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum GoalArg {
    Auto,
    Kill,
    Live,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum ColorArg {
    Black,
    White,
}

/// Solves the problem, prints the result and writes the tree of variations.
///
/// If printing fails, the file is still written before the error is returned, so that the solution is not lost.
pub fn run(file: &Path, args: &ProblemArgs, limits: &SolveLimits) -> anyhow::Result<()> {
    let context = || file.display().to_string();
    let limits = life_limits(limits)?;
    let output = args.output(file)?;
    let parsed = files::read_game_file(file)?;
    let tree = parsed.first_game();
    let part = read_until_move(tree, Some(0), Rules::default()).with_context(context)?;
    for warning in &part.warnings {
        // The rules, the komi and the handicap do not matter for the problem.
        if let GameWarning::IgnoredStone(_) | GameWarning::RemovedStones { .. } = warning {
            stderr::eprint_line(format_args!("honinbo: {}: {warning}", context()));
        }
    }
    let position = part.record.position();
    let region = match &args.region {
        Some(corners) => parse_region(corners, position.size())?,
        None => default_region(position.board()),
    };
    let to_move = args
        .to_move()
        .unwrap_or_else(|| first_to_move(tree, position));
    if args.region.is_none() && position.board().occupied_points().is_empty() {
        bail!(
            "{}: the first position has no stones; it must show the problem",
            context()
        );
    }
    let problem = LifeProblem {
        board: position.board(),
        region: &region,
        target: None,
        to_move,
        ko: None,
    };
    let goal = match args.goal {
        GoalArg::Auto => problem.goal().with_context(context)?,
        GoalArg::Kill => LifeGoal::Kill,
        GoalArg::Live => LifeGoal::Live,
    };
    // If no proof is found, a search with the network suggests a move at the end. Fail early if the network cannot run on
    // this processor.
    Isa::from_env_or_best()?;
    if let Some(path) = &output {
        files::create_parent_folder("--output", path)?;
    }
    let started = Instant::now();
    let mut solution = problem.solve(goal, limits).map_err(|error| match error {
        LifeError::Table(error) => anyhow::Error::new(error).context("--memory"),
        other => anyhow::Error::new(other).context(context()),
    })?;
    if solution.needs_guess() {
        let guess_limits = GuessLimits::after_proofs(&limits, started.elapsed());
        let guess = guess_move(position, to_move, &problem.area(goal)?, guess_limits)?;
        if let Some(mv) = guess {
            solution.set_guess(mv);
        }
    }
    let text = solution_text(&solution, goal, to_move, position.size());
    let print_result = print(&text);
    if let Some(path) = output.filter(|_| solution.outcome != LifeOutcome::Unknown) {
        write_tree(&path, &part.record, (to_move, &solution), &text)?;
    }
    print_result
}

/// Returns the move that looks most promising to the built-in network; see [`guess_life_move`].
fn guess_move(
    position: &Position,
    to_move: Color,
    area: &LifeArea,
    limits: GuessLimits,
) -> anyhow::Result<Option<Move>> {
    let mut position = position.clone();
    position.set_to_move(to_move);
    let network = embedded::evaluator(DeviceConfig::on_cpu(Precision::default()))?;
    let never = AtomicBool::new(false);
    Ok(guess_life_move(network, &position, area, limits, &never)?)
}

impl ProblemArgs {
    fn to_move(&self) -> Option<Color> {
        self.color.map(|color| match color {
            ColorArg::Black => Color::Black,
            ColorArg::White => Color::White,
        })
    }

    /// Returns the output file, or `None` with `--no-files`. Returns an error if the output file is the problem file.
    fn output(&self, problem: &Path) -> anyhow::Result<Option<PathBuf>> {
        if self.no_files {
            return Ok(None);
        }
        let path = files::output_path(self.output.as_deref(), problem, ".solved.sgf");
        files::ensure_not_input("--output", &path, problem)?;
        Ok(Some(path))
    }
}

fn life_limits(limits: &SolveLimits) -> anyhow::Result<LifeLimits> {
    let unlimited = limits.nodes == u64::MAX;
    Ok(LifeLimits {
        nodes_per_proof: limits.nodes,
        time: (limits.time()?).or_else(|| unlimited.then_some(DEFAULT_TIME)),
        table_mib: limits.memory,
        threads: limits.threads.count(),
    })
}

fn parse_region(corners: &str, size: BoardSize) -> anyhow::Result<PointSet> {
    let points = corners
        .split_once(':')
        .and_then(|(one, other)| size.parse_vertex(one).zip(size.parse_vertex(other)));
    let Some((one, other)) = points else {
        bail!(
            "--region must be two opposite corners of a rectangle on the board, such as A1:G7, not {corners:?}"
        );
    };
    Ok(PointSet::rectangle(one, other))
}

/// Returns the side that moves first in the problem. The first node of the main line with a property `W`, `B` or `PL`
/// determines this side. If there is no such node, returns Black.
fn first_to_move(tree: &GameTree, position: &Position) -> Color {
    let first_color = (tree.main_line()).find_map(|id| {
        let node = tree.node(id);
        match ["W", "B", "PL"].map(|name| node.has(name)) {
            [true, ..] => Some(Color::White),
            [_, true, _] => Some(Color::Black),
            [.., true] => Some(position.to_move()),
            _ => None,
        }
    });
    first_color.unwrap_or(Color::Black)
}

fn solution_text(solution: &Solution, goal: LifeGoal, to_move: Color, size: BoardSize) -> String {
    let result = match solution.outcome {
        LifeOutcome::Success => "success",
        LifeOutcome::Ko {
            is_confirmed: true, ..
        } => "ko",
        LifeOutcome::Failure => "failure",
        // An unconfirmed ko is described below.
        LifeOutcome::Ko { .. } | LifeOutcome::Unknown => "unknown",
    };
    let goal = match goal {
        LifeGoal::Live => format!("{to_move} lives"),
        LifeGoal::Kill => format!("{to_move} kills {}", to_move.opposite()),
    };
    let mut text = format!("result {result}\ngoal {goal}\n");
    match solution.best_move {
        Some(best) if solution.outcome == LifeOutcome::Unknown => {
            text += &format!("try {}\n", size.format_move(best));
        }
        Some(best) => text += &format!("best {}\n", size.format_move(best)),
        None => {}
    }
    if let LifeOutcome::Ko {
        needs_threat,
        is_confirmed,
    } = solution.outcome
    {
        if !is_confirmed {
            text += "at least ko\n";
        }
        text += if needs_threat {
            "first threat own\n"
        } else {
            "first threat other\n"
        };
    }
    if let Some(seki) = solution.seki {
        text += if seki { "seki yes\n" } else { "seki no\n" };
    }
    text + &format!("nodes {}\n", solution.nodes)
}

fn write_tree(
    path: &Path,
    record: &Record,
    (to_move, solution): (Color, &Solution),
    comment: &str,
) -> anyhow::Result<()> {
    let mut tree = write_game(record);
    let root = tree.root();
    let node = tree.node_mut(root);
    node.set("PL", Value::from_text(&to_move.letter().to_string()));
    node.set("C", Value::from_text(comment));
    add_branches(&mut tree, root, to_move, &solution.tree);
    let bytes = write(&Collection { games: vec![tree] });
    file::write_atomic(path, bytes).with_context(|| path.display().to_string())?;
    stderr::eprint_line(format_args!("wrote {}", path.display()));
    Ok(())
}

fn add_branches(tree: &mut GameTree, parent: NodeId, color: Color, branches: &[Branch]) {
    for Branch { mv, replies } in branches {
        let id = tree.add_child(parent);
        let vertex = write_move(*mv);
        tree.node_mut(id).set(&color.letter().to_string(), vertex);
        add_branches(tree, id, color.opposite(), replies);
    }
}
