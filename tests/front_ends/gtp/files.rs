//! Warnings of `loadsgf`.

use std::fs;

use crate::program::{honinbo, run};

/// Loads a game in the program. Returns the position's moves and everything written to standard error.
fn load(game: &str) -> (String, String) {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("game.sgf"), game).unwrap();
    fs::write(
        folder.path().join("commands"),
        "loadsgf game.sgf\nprintsgf\n",
    )
    .unwrap();
    let commands = fs::File::open(folder.path().join("commands")).unwrap();
    let mut program = honinbo(&["gtp", "--evaluator", "uniform", "--memory", "64"]);
    let run = run(program.current_dir(folder.path()).stdin(commands));
    assert!(run.success, "{run:?}");
    let (moves, errors) = (run.stdout.replace('\n', ""), run.stderr);
    let moves = moves
        .split_once("(;")
        .map_or(moves.clone(), |(_, game)| game.to_owned());
    (moves, errors)
}

#[test]
fn game_is_loaded_up_to_first_impossible_move() {
    let (game, errors) = load("(;SZ[9];B[ee];W[cc];B[cc];W[gg])");
    assert!(game.ends_with(";B[ee];W[cc])"), "{game}");
    let expected = "honinbo: \"game.sgf\": only the moves before the first error were read: \
                    move 3 (black C7): the point is occupied\n";
    assert_eq!(errors, expected);
}

#[test]
fn games_of_five_thousand_moves_are_loaded() {
    let passes = ";B[];W[]".repeat(2499);
    let (game, errors) = load(&format!("(;SZ[9];B[ee];W[cc]{passes})"));
    assert_eq!(
        game.matches(";B").count() + game.matches(";W").count(),
        5000
    );
    assert_eq!(errors, "");
    let (game, errors) = load(&format!("(;SZ[9]{passes};B[ee];W[cc];B[];W[];B[])"));
    assert!(game.ends_with(";B[ee];W[cc])"), "{game}");
    assert!(errors.contains("at most 5000 moves"), "{errors}");
}

#[test]
fn what_is_not_understood_is_reported() {
    let (game, errors) = load("(;SZ[9]RU[Chess]KM[many]AB[zz];B[ee])");
    assert!(game.ends_with(";B[ee])"), "{game}");
    for (line, expected) in errors
        .lines()
        .zip(["rules \"Chess\"", "komi \"many\"", "\"zz\""])
    {
        assert!(line.contains(expected), "{line}");
    }
    assert_eq!(errors.lines().count(), 3, "{errors}");
}

#[test]
fn usual_spellings_give_no_warnings() {
    let (game, errors) = load("(;SZ[9]RU[日本規約]KM[6.5目];B[ee])");
    assert_eq!(errors, "");
    assert!(game.contains("KM[6.5]RU[Japanese]"), "{game}");
}

#[test]
fn komi_in_stones_is_converted_with_a_message() {
    let folder = tempfile::tempdir().unwrap();
    let commands = folder.path().join("commands");
    fs::write(
        &commands,
        "komi 3.75\nget_komi\nkomi 6.5\nget_komi\nkomi 7.25\nget_komi\n",
    )
    .unwrap();
    let mut program = honinbo(&["gtp", "--evaluator", "uniform", "--memory", "64"]);
    let run = run(program.stdin(fs::File::open(&commands).unwrap()));
    let answers: Vec<&str> = run.stdout.split("\n\n").map(str::trim).collect();
    assert_eq!(
        [answers[1], answers[3], answers[5]],
        ["= 7.5", "= 6.5", "= 6.5"]
    );
    assert!(answers[4].starts_with('?'), "{answers:?}");
    assert_eq!(
        run.stderr,
        "honinbo: the komi 3.75 was read as 7.5 points\n"
    );
}
