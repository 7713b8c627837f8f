//! Positions that the program solves with the built-in network.
//!
//! The files in `tests/front_ends/positions` contain positions that are separated by empty lines. Lines `KEY: VALUE`
//! precede a diagram:
//!
//! - `why`: the reason for the answer
//! - `to move`: `black` or `white`
//! - `komi`: chosen so that only the correct moves win, if possible
//! - `rules` (default: `chinese-ogs`)
//! - `last move: pass` if the opponent has just passed
//! - `correct`: all correct moves

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use honinbo::game::color::Color;
use honinbo::game::diagram;

use crate::program::{honinbo, run};

const CATEGORIES: [&str; 5] = ["captures", "ladders", "life-and-death", "endgame", "passes"];

/// Number of positions that the program solves. Raise it when a change solves more.
const SOLVED: usize = 49;

#[derive(Debug, Default)]
struct Problem {
    name: String,
    why: String,
    to_move: String,
    komi: String,
    rules: Option<String>,
    opponent_passed: bool,
    correct: Vec<String>,
    diagram: String,
}

impl Problem {
    fn parse(name: String, text: &str) -> Self {
        let mut problem = Self {
            name,
            ..Self::default()
        };
        for line in text.lines() {
            let Some((key, value)) = line.split_once(": ") else {
                problem.diagram.push_str(line);
                problem.diagram.push('\n');
                continue;
            };
            let text = value.to_owned();
            match key {
                "why" => problem.why = text,
                "to move" => problem.to_move = text,
                "komi" => problem.komi = text,
                "rules" => problem.rules = Some(text),
                "last move" => problem.opponent_passed = value == "pass",
                "correct" => {
                    problem.correct = value.split_whitespace().map(str::to_owned).collect();
                }
                _ => panic!("{}: unknown key {key}", problem.name),
            }
        }
        problem
    }

    /// Returns the GTP commands for the position, of which only the last one has a number, `id`.
    fn commands(&self, id: usize) -> String {
        let board = diagram::parse_board(&self.diagram).unwrap_or_else(|error| {
            panic!("{}: {error}", self.name);
        });
        let size = board.size();
        let mut commands = format!("boardsize {}\n", size.width());
        let rules = self.rules.as_deref().unwrap_or("chinese-ogs");
        writeln!(commands, "kata-set-rules {rules}\nkomi {}", self.komi).expect("text");
        commands.push_str("set_position");
        for point in size.points() {
            if let Some(color) = board.color_at(point) {
                write!(commands, " {color} {}", size.vertex(point)).expect("text");
            }
        }
        commands.push('\n');
        let color = Color::parse(&self.to_move).expect("a colour");
        if self.opponent_passed {
            writeln!(commands, "play {} pass", color.opposite()).expect("text");
        }
        writeln!(commands, "{id} reg_genmove {color}").expect("text");
        commands
    }
}

fn problems() -> Vec<Problem> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/front_ends/positions");
    let of_category = |category: &str| {
        let text = fs::read_to_string(folder.join(category).with_extension("txt"))
            .expect("a file of positions");
        let parts = text.trim().split("\n\n").enumerate();
        parts
            .map(|(index, part)| Problem::parse(format!("{category} {}", index + 1), part))
            .collect::<Vec<_>>()
    };
    CATEGORIES.into_iter().flat_map(of_category).collect()
}

/// Returns the program's moves.
fn moves(problems: &[Problem]) -> Vec<String> {
    let folder = tempfile::tempdir().expect("a folder");
    let sent = folder.path().join("sent");
    let commands = problems.iter().enumerate();
    let commands: String = commands.map(|(id, problem)| problem.commands(id)).collect();
    fs::write(&sent, commands).expect("a file");
    let mut program = honinbo(&["gtp", "--precision", "f32", "--threads", "1"]);
    program
        .args(["--seed", "0", "--visits", "200"])
        .stdin(fs::File::open(&sent).expect("the file"));
    let printed = run(&mut program).printed();
    let errors: Vec<_> = printed
        .lines()
        .filter(|line| line.starts_with('?'))
        .collect();
    assert!(errors.is_empty(), "{errors:?}");
    let numbered = |id| {
        let prefix = format!("={id} ");
        printed.lines().find_map(|line| line.strip_prefix(&prefix))
    };
    (0..problems.len())
        .map(|id| numbered(id).expect("a move").to_owned())
        .collect()
}

#[test]
fn positions_cover_all_categories_and_sizes() {
    let problems = problems();
    assert!(problems.len() >= 50, "{} positions", problems.len());
    for category in CATEGORIES {
        let count = problems
            .iter()
            .filter(|problem| problem.name.starts_with(category))
            .count();
        assert!(count >= 8, "{category}: {count} positions");
    }
    for problem in &problems {
        assert!(!problem.why.is_empty(), "{}", problem.name);
        assert!(!problem.correct.is_empty(), "{}", problem.name);
    }
    let rows = |problem: &Problem| problem.diagram.lines().count();
    let sizes: Vec<_> = problems.iter().map(rows).collect();
    assert!(sizes.iter().all(|rows| [9, 19].contains(rows)), "{sizes:?}");
    assert!(sizes.iter().filter(|rows| **rows == 9).count() >= 25);
}

#[test]
fn network_solves_positions() {
    let problems = problems();
    let moves = moves(&problems);
    let failed: Vec<_> = problems
        .iter()
        .zip(&moves)
        .filter(|(problem, found)| !problem.correct.contains(found))
        .map(|(problem, found)| {
            let Problem {
                name, why, correct, ..
            } = problem;
            format!("{name}: {found}, expected {} ({why})", correct.join(" or "))
        })
        .collect();
    let solved = problems.len() - failed.len();
    assert!(
        solved >= SOLVED,
        "solved {solved} of {}:\n{}",
        problems.len(),
        failed.join("\n")
    );
}
