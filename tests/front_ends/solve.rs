//! `honinbo solve` as a program.

use std::fs;
use std::path::Path;

use honinbo::game::color::Color;
use honinbo::game::rules::Rules;
use honinbo::sgf::convert::read_until_move;
use honinbo::sgf::points::write_move;
use honinbo::sgf::{GameTree, NodeId, Value, parse};
use honinbo::tactics::life::{Branch, LifeGoal, LifeLimits, LifeProblem, default_region};

use crate::program::{Run, honinbo, run};

/// White kills at B5.
const PROBLEM: &str = "(;SZ[8:5]PL[W]AB[da][ab][bb][cb][db]AW[ea][eb][ac][bc][cc][dc][ec])";

/// White kills the six-point rectangle in the corner, which has no outside liberties. Black has several replies.
const RECTANGLE: &str =
    "(;SZ[7:6]PL[W]AB[da][db][ac][bc][cc][dc]AW[ea][eb][ec][ad][bd][cd][dd][ed])";

/// Runs `honinbo solve` in `folder`.
fn solve(folder: &Path, arguments: &[&str]) -> Run {
    let mut program = honinbo(&["solve", "--threads", "1", "--memory", "16"]);
    run(program.args(arguments).current_dir(folder))
}

#[test]
fn result_is_printed_when_writing_fails() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("p.sgf"), PROBLEM).unwrap();
    let output = solve(folder.path(), &["p.sgf"]).printed();
    assert!(
        output.starts_with("result success\ngoal white kills black\nbest B5\n"),
        "{output}"
    );
    assert!(folder.path().join("p.solved.sgf").exists());

    solve(folder.path(), &["p.sgf", "--output", "new/"]).printed();
    assert!(folder.path().join("new/p.solved.sgf").exists());

    // A folder has the name of the output file.
    fs::create_dir_all(folder.path().join("taken/p.solved.sgf")).unwrap();
    let run = solve(folder.path(), &["p.sgf", "--output", "taken"]);
    assert!(run.stdout.starts_with("result success\n"), "{run:?}");
    run.assert_fails("taken/p.solved.sgf: ");
}

#[test]
fn output_contains_problem_result_and_tree() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("p.sgf"), RECTANGLE).unwrap();
    let run = solve(folder.path(), &["p.sgf"]);
    let bytes = fs::read(folder.path().join("p.solved.sgf")).unwrap();
    let parsed = parse(&bytes).unwrap();
    let solved = parsed.first_game();
    let root = solved.node(solved.root());
    let output = |name| root.value(name).map(Value::text);
    assert_eq!(output("PL").as_deref(), Some("W"));
    assert_eq!(output("C"), Some(run.stdout));

    let set_up = |tree: &GameTree| {
        read_until_move(tree, Some(0), Rules::default())
            .unwrap()
            .record
    };
    let parsed = parse(RECTANGLE.as_bytes()).unwrap();
    let problem = parsed.first_game();
    let (problem, saved) = (set_up(problem), set_up(solved));
    let board = saved.position().board();
    assert_eq!(board, problem.position().board());
    let problem = LifeProblem {
        board,
        region: &default_region(board),
        target: None,
        to_move: Color::White,
        ko: None,
    };
    let limits = LifeLimits {
        nodes_per_proof: u64::MAX,
        ..LifeLimits::default()
    };
    let solution = problem.solve(LifeGoal::Kill, limits).unwrap();
    assert!(!solution.tree[0].replies.is_empty());
    check_answers(solved, solved.root(), Color::White, &solution.tree);
}

/// Compares the children of a node with the given branches.
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
fn unproved_problem_suggests_network_move() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("p.sgf"), PROBLEM).unwrap();
    let output = solve(folder.path(), &["p.sgf", "--nodes", "1"]).stdout;
    assert!(
        output.starts_with("result unknown\ngoal white kills black\ntry B5\n"),
        "{output}"
    );
    assert!(!folder.path().join("p.solved.sgf").exists(), "no proof");

    // If the network cannot run, the program reports this before the search.
    let mut program = honinbo(&["solve", "p.sgf", "--memory", "16"]);
    program.env("HONINBO_CPU", "abacus");
    run(program.current_dir(folder.path())).assert_fails("abacus");
    assert!(!folder.path().join("p.solved.sgf").exists());
}

#[test]
fn side_to_move_from_setup_or_move() {
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
        let output = solve(folder.path(), &["p.sgf", "--no-files"]).stdout;
        let expected = format!("\ngoal {goal}\n");
        assert!(output.contains(&expected), "{game}: {output}");
    }
}

#[test]
fn file_without_setup_stones_is_rejected() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("game.sgf"), "(;SZ[9];B[ee];W[cc])").unwrap();
    let run = solve(folder.path(), &["game.sgf", "--no-files"]);
    assert!(run.stdout.is_empty() && !run.success, "{run:?}");
    assert_eq!(
        run.stderr,
        "honinbo: game.sgf: the first position has no stones; it must show the problem\n"
    );
}

#[test]
fn problem_is_not_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("p.sgf"), PROBLEM).unwrap();
    let run = solve(folder.path(), &["p.sgf", "--output", "p.sgf"]);
    assert!(run.stdout.is_empty(), "{run:?}");
    run.assert_fails("--output would overwrite the input file");
    let saved = fs::read_to_string(folder.path().join("p.sgf")).unwrap();
    assert_eq!(saved, PROBLEM);
}

#[test]
fn interrupted_solve_reports_bounds_and_depth() {
    let folder = tempfile::tempdir().unwrap();
    let output = |arguments: &[&str]| solve(folder.path(), arguments).stdout;
    assert_eq!(
        output(&["--size", "3x3", "--time", "0"]),
        "value between W+9 and B+9\nsearched to depth 0 for Black, 0 for White\nnodes 0\n"
    );
    let shallow = output(&["--size", "3x3", "--depth", "2"]);
    let expected = "value between W+9 and B+9\nsearched to depth 2 for Black, 2 for White\nnodes ";
    assert!(shallow.starts_with(expected), "{shallow}");
    let run = solve(folder.path(), &["--size", "3x3", "--time=-1"]);
    run.assert_fails("--time must be between 0 and 32000000 seconds, not -1");
}
