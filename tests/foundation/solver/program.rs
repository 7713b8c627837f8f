//! `honinbo solve` through the binary.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use honinbo::game::color::Color;
use honinbo::game::rules::Rules;
use honinbo::sgf::convert::read_position;
use honinbo::sgf::points::write_move;
use honinbo::sgf::{GameTree, NodeId, Value, parse};
use honinbo::tactics::life::{Branch, LifeGoal, LifeLimits, LifeProblem, surroundings};

/// White kills at B5.
const PROBLEM: &str = "(;SZ[8:5]PL[W]AB[da][ab][bb][cb][db]AW[ea][eb][ac][bc][cc][dc][ec])";

/// White kills the rectangle of six in the corner, for it has no outside liberty; Black resists.
const RECTANGLE: &str =
    "(;SZ[7:6]PL[W]AB[da][db][ac][bc][cc][dc]AW[ea][eb][ec][ad][bd][cd][dd][ed])";

/// Runs `honinbo solve` in that folder.
fn solve(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_honinbo"))
        .args(["solve", "--threads", "1", "--memory", "16"])
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn what_was_found_is_told_even_where_it_cannot_be_written() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("p.sgf"), PROBLEM).unwrap();
    let run = solve(folder.path(), &["p.sgf"]);
    let told = text(&run.stdout);
    assert!(run.status.success(), "{run:?}");
    assert!(
        told.starts_with("result success\ngoal white kills black\nbest B5\n"),
        "{told}"
    );
    assert!(folder.path().join("p.solved.sgf").exists());

    let run = solve(folder.path(), &["p.sgf", "--output", "new/"]);
    assert!(run.status.success(), "{run:?}");
    assert!(folder.path().join("new/p.solved.sgf").exists());

    // Where the file is to go there is a folder.
    fs::create_dir_all(folder.path().join("taken/p.solved.sgf")).unwrap();
    let run = solve(folder.path(), &["p.sgf", "--output", "taken"]);
    assert!(text(&run.stdout).starts_with("result success\n"), "{run:?}");
    let said = text(&run.stderr);
    assert!(
        !run.status.success() && said.contains("taken/p.solved.sgf: "),
        "{said}"
    );
}

#[test]
fn the_file_holds_the_problem_what_was_told_and_the_answers() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("p.sgf"), RECTANGLE).unwrap();
    let run = solve(folder.path(), &["p.sgf"]);
    let bytes = fs::read(folder.path().join("p.solved.sgf")).unwrap();
    let parsed = parse(&bytes).unwrap();
    let solved = parsed.first_game();
    let root = solved.node(solved.root());
    let told = |name| root.value(name).map(Value::text);
    assert_eq!(told("PL").as_deref(), Some("W"));
    assert_eq!(told("C"), Some(text(&run.stdout)));

    let set_up = |tree: &GameTree| read_position(tree, Some(0), Rules::default()).unwrap();
    let parsed = parse(RECTANGLE.as_bytes()).unwrap();
    let asked = parsed.first_game();
    let (asked, kept) = (set_up(asked), set_up(solved));
    let board = kept.position().board();
    assert_eq!(board, asked.position().board());
    let problem = LifeProblem {
        board,
        region: &surroundings(board),
        target: None,
        to_move: Color::White,
        ko: None,
    };
    let limits = LifeLimits {
        nodes: u64::MAX,
        ..LifeLimits::default()
    };
    let solution = problem.solve(LifeGoal::Kill, limits).unwrap();
    assert!(!solution.tree[0].replies.is_empty());
    check_answers(solved, solved.root(), Color::White, &solution.tree);
}

/// Compares what follows a node with those answers.
fn check_answers(tree: &GameTree, parent: NodeId, color: Color, branches: &[Branch]) {
    let children: Vec<NodeId> = tree.children(parent).collect();
    assert_eq!(children.len(), branches.len());
    for (
        child,
        Branch {
            mv,
            replies: answers,
        },
    ) in children.into_iter().zip(branches)
    {
        let played = tree.node(child).value(&color.letter().to_string());
        let expected = write_move(*mv);
        assert_eq!(played, Some(&expected));
        check_answers(tree, child, color.opposite(), answers);
    }
}

#[test]
fn where_nothing_is_proved_the_likeliest_move_is_told() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("p.sgf"), PROBLEM).unwrap();
    let run = solve(folder.path(), &["p.sgf", "--nodes", "1"]);
    let told = text(&run.stdout);
    assert!(
        told.starts_with("result unknown\ngoal white kills black\ntry B5\n"),
        "{told}"
    );
    assert!(!folder.path().join("p.solved.sgf").exists(), "no proof");

    // The network could not be asked: that is told before the work, not after it.
    let run = Command::new(env!("CARGO_BIN_EXE_honinbo"))
        .args(["solve", "p.sgf", "--memory", "16"])
        .env("HONINBO_CPU", "abacus")
        .current_dir(folder.path())
        .output()
        .unwrap();
    let said = text(&run.stderr);
    assert!(!run.status.success() && said.contains("abacus"), "{said}");
    assert!(!folder.path().join("p.solved.sgf").exists());
}

#[test]
fn the_side_to_move_is_told_beside_the_stones_or_by_the_first_move() {
    let folder = tempfile::tempdir().unwrap();
    let below = PROBLEM.replace("PL[W]", ";");
    let games = [
        PROBLEM.replace("PL[W]", ";PL[W]"),
        below.replace(')', ";W[aa])"),
        below,
    ];
    for (game, goal) in games
        .iter()
        .zip(["white kills black", "white kills black", "black lives"])
    {
        fs::write(folder.path().join("p.sgf"), game).unwrap();
        let run = solve(folder.path(), &["p.sgf", "--no-files"]);
        let told = text(&run.stdout);
        let expected = format!("\ngoal {goal}\n");
        assert!(told.contains(&expected), "{game}: {told}");
    }
}

#[test]
fn a_file_that_begins_without_stones_is_no_problem() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("game.sgf"), "(;SZ[9];B[ee];W[cc])").unwrap();
    let run = solve(folder.path(), &["game.sgf", "--no-files"]);
    let said = text(&run.stderr);
    assert!(run.stdout.is_empty() && !run.status.success(), "{run:?}");
    assert_eq!(
        said,
        "honinbo: game.sgf: the first position has no stones\n"
    );
}

#[test]
fn the_problem_is_not_written_over() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("p.sgf"), PROBLEM).unwrap();
    let run = solve(folder.path(), &["p.sgf", "--output", "p.sgf"]);
    let said = text(&run.stderr);
    assert!(run.stdout.is_empty() && !run.status.success(), "{run:?}");
    assert!(
        said.contains("--output would overwrite the input file"),
        "{said}"
    );
    let kept = fs::read_to_string(folder.path().join("p.sgf")).unwrap();
    assert_eq!(kept, PROBLEM);
}

#[test]
fn an_end_before_the_value_is_found_is_told_with_how_far_it_came() {
    let folder = tempfile::tempdir().unwrap();
    let told = |arguments: &[&str]| text(&solve(folder.path(), arguments).stdout);
    assert_eq!(
        told(&["--size", "3x3", "--time", "0"]),
        "value unknown, from W+9 to B+9\ndepth black 0, white 0\nnodes 0\n"
    );
    let shallow = told(&["--size", "3x3", "--depth", "2"]);
    let expected = "value unknown, from W+9 to B+9\ndepth black 2, white 2\nnodes ";
    assert!(shallow.starts_with(expected), "{shallow}");
    let run = solve(folder.path(), &["--size", "3x3", "--time=-1"]);
    let said = text(&run.stderr);
    assert!(
        said.contains("--time must be between 0 and 32000000 seconds, not -1"),
        "{said}"
    );
}
