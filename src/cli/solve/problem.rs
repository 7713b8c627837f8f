//! Local problems of life and death, and the tree of answers.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, bail};
use honinbo::eval::embedded;
use honinbo::eval::likeliest::likeliest;
use honinbo::file;
use honinbo::game::color::Color;
use honinbo::game::point::{BoardSize, Move};
use honinbo::game::pointset::PointSet;
use honinbo::game::position::Position;
use honinbo::game::record::Record;
use honinbo::game::rules::Rules;
use honinbo::net::kernels::vocabulary::Vocabulary;
use honinbo::net::precision::Precision;
use honinbo::notice;
use honinbo::sgf::points::write_move;
use honinbo::sgf::record::{read_position, write_game};
use honinbo::sgf::{Collection, Coordinate, GameTree, NodeId, Value, write};
use honinbo::tactics::life::{
    Branch, Goal, LifeError, Limits, Outcome, Problem, Solution, surroundings,
};

use crate::cli::{inputs, outputs};

/// Where neither time nor nodes are given.
const DEFAULT_TIME: Duration = Duration::from_secs(5);

#[derive(clap::Args)]
pub struct AskedProblem {
    /// What the side to move wants; `auto`: to live if no more of its stones than of the other's can be reached from
    /// outside the region, else to kill
    #[arg(long, value_enum, default_value_t = AskedGoal::Auto, conflicts_with = "size")]
    goal: AskedGoal,
    /// Opposite corners of the region, as A1:G7; stones that go on beyond it live, and its empty points there are the
    /// attacker's, so it should reach as far as the group could run [default: around all stones]
    #[arg(long, value_name = "CORNERS", conflicts_with = "size")]
    region: Option<String>,
    /// The side to move [default: as the file says, else Black]
    #[arg(long, value_enum, conflicts_with = "size")]
    color: Option<AskedColor>,
    /// Where the tree of answers goes; in a folder as NAME.solved.sgf [default: beside the problem]
    #[arg(long, short, value_name = "FILE", conflicts_with = "size")]
    output: Option<PathBuf>,
    /// Only print, write no file
    #[arg(long, conflicts_with_all = ["output", "size"])]
    no_files: bool,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum AskedGoal {
    Auto,
    Kill,
    Live,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum AskedColor {
    Black,
    White,
}

/// Prints what comes of the problem and writes the tree of answers. What cannot be written is told last, so that no work
/// is lost with it.
pub fn run(file: &Path, asked: &AskedProblem, means: &super::Means) -> anyhow::Result<()> {
    let place = || file.display().to_string();
    let output = asked.output(file)?;
    let parsed = inputs::game_file(file)?;
    let tree = parsed.first();
    let record = read_position(tree, Some(0), Rules::default()).with_context(place)?;
    let position = record.position();
    let region = match &asked.region {
        Some(corners) => region(corners, position.size())?,
        None => surroundings(position.board()),
    };
    let to_play = asked
        .to_play()
        .unwrap_or_else(|| first_to_move(tree, position));
    if asked.region.is_none() && position.board().occupied().is_empty() {
        bail!(
            "{}: expected stones in the first position of the file, found none",
            place()
        );
    }
    let problem = Problem {
        board: position.board(),
        region: &region,
        target: None,
        to_play,
        ko: None,
    };
    let goal = match asked.goal {
        AskedGoal::Auto => problem.goal().with_context(place)?,
        AskedGoal::Kill => Goal::Kill,
        AskedGoal::Live => Goal::Live,
    };
    let limits = limits(means);
    // What the network may need at the end, so that no work is lost for want of it.
    Vocabulary::chosen()?;
    if let Some(path) = &output {
        outputs::make_folder_of("--output", path)?;
    }
    let mut solution = problem.solve(goal, limits).map_err(|error| match error {
        LifeError::Table(table) => anyhow::Error::new(table).context("--memory"),
        other => anyhow::Error::new(other).context(place()),
    })?;
    if let Some(likeliest) = likeliest_try(position, to_play, &solution.tries)? {
        solution.best = Some(likeliest);
    }
    let text = told(&solution, goal, to_play, position.size());
    let printed = crate::cli::print(&text);
    if let Some(path) = output.filter(|_| solution.outcome != Outcome::Unknown) {
        write_tree(&path, &record, (to_play, &solution), &text)?;
    }
    printed
}

/// What the network would play of the moves that may help, where nothing is proved: of what proofs have left open it has
/// the better guess.
fn likeliest_try(
    position: &Position,
    to_play: Color,
    tries: &[Move],
) -> anyhow::Result<Option<Move>> {
    if tries.is_empty() {
        return Ok(None);
    }
    let mut position = position.clone();
    position.set_to_move(to_play);
    let network = embedded::network(Precision::default())?;
    Ok(likeliest(network, &position, tries)?)
}

impl AskedProblem {
    fn to_play(&self) -> Option<Color> {
        self.color.map(|color| match color {
            AskedColor::Black => Color::Black,
            AskedColor::White => Color::White,
        })
    }

    /// Where the tree of answers goes, if it is to go anywhere; an error if that is the problem itself.
    fn output(&self, problem: &Path) -> anyhow::Result<Option<PathBuf>> {
        if self.no_files {
            return Ok(None);
        }
        let mut name = problem.file_stem().unwrap_or_default().to_os_string();
        name.push(".solved.sgf");
        let path = match &self.output {
            None => problem.with_file_name(name),
            Some(path) => outputs::in_folder_or_as_told(path, name),
        };
        outputs::not_what_was_read("--output", &path, problem)?;
        Ok(Some(path))
    }
}

fn limits(means: &super::Means) -> Limits {
    let unlimited = means.nodes == u64::MAX;
    Limits {
        nodes: means.nodes,
        time: (means.time).or_else(|| unlimited.then_some(DEFAULT_TIME)),
        table_mib: means.memory,
        threads: means.threads,
    }
}

fn region(corners: &str, size: BoardSize) -> anyhow::Result<PointSet> {
    let points = corners
        .split_once(':')
        .and_then(|(one, other)| size.parse_vertex(one).zip(size.parse_vertex(other)));
    let Some((one, other)) = points else {
        bail!("--region: expected two corners on the board as A1:G7, found {corners:?}");
    };
    Ok(PointSet::rectangle(one, other))
}

/// The side to move as the file says, by its first position or the first move of the main line.
fn first_to_move(tree: &GameTree, position: &Position) -> Color {
    let told = (tree.main_line()).find_map(|id| {
        let node = tree.node(id);
        match ["W", "B", "PL"].map(|name| node.has(name)) {
            [true, ..] => Some(Color::White),
            [_, true, _] => Some(Color::Black),
            [.., true] => Some(position.to_move()),
            _ => None,
        }
    });
    told.unwrap_or(Color::Black)
}

fn told(solution: &Solution, goal: Goal, to_play: Color, size: BoardSize) -> String {
    let result = match solution.outcome {
        Outcome::Success => "success",
        Outcome::Ko { is_sure: true, .. } => "ko",
        Outcome::Failure => "failure",
        // What was shown of a ko is told below.
        Outcome::Ko { .. } | Outcome::Unknown => "unknown",
    };
    let goal = match goal {
        Goal::Live => format!("{to_play} lives"),
        Goal::Kill => format!("{to_play} kills {}", to_play.opposite()),
    };
    let mut text = format!("result {result}\ngoal {goal}\n");
    match solution.best {
        Some(best) if solution.outcome == Outcome::Unknown => {
            text += &format!("try {}\n", size.move_text(best));
        }
        Some(best) => text += &format!("best {}\n", size.move_text(best)),
        None => {}
    }
    if let Outcome::Ko {
        needs_threat,
        is_sure,
    } = solution.outcome
    {
        if !is_sure {
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
    (to_play, solution): (Color, &Solution),
    comment: &str,
) -> anyhow::Result<()> {
    let mut solved = write_game(record);
    let root = solved.root();
    let node = solved.node_mut(root);
    node.set("PL", Value::from_text(&to_play.letter().to_string()));
    node.set("C", Value::from_text(comment));
    grow(&mut solved, root, to_play, &solution.tree);
    let bytes = write(&Collection {
        games: vec![solved],
    });
    file::put(path, bytes).with_context(|| path.display().to_string())?;
    notice::say(format_args!("honinbo: written {}", path.display()));
    Ok(())
}

fn grow(tree: &mut GameTree, parent: NodeId, color: Color, branches: &[Branch]) {
    for Branch { mv, answers } in branches {
        let id = tree.add_child(parent);
        let place = write_move(mv.point().map(Coordinate::from));
        tree.node_mut(id).set(&color.letter().to_string(), place);
        grow(tree, id, color.opposite(), answers);
    }
}
