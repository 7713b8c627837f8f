//! Repetition in well-known positions, replayed through GTP under the default rules and several named ones. Every
//! response is compared with the naive rules, and the first rejected move with the one expected from the rules' texts.

use honinbo::game::color::Color;
use honinbo::game::point::BoardSize;
use honinbo::game::rules::{KoRule, Rules};

use super::answers;
use crate::naive::bridge::{point, to_naive};
use crate::naive::{Legality, NaiveBoard, NaiveGame, Place};

/// A position and a cycle of moves that leads back to it. Black moves first, and the colours alternate.
struct Scenario {
    name: &'static str,
    diagram: &'static str,
    cycle: &'static str,
    /// Number of the first move, from 1, that is rejected under positional superko.
    positional: usize,
    /// Number of the first move that is rejected under situational superko.
    situational: usize,
    /// Number of moves after which the game has no result under simple ko, or `None` if a pass interrupts every cycle.
    no_result: Option<usize>,
}

const SCENARIOS: [Scenario; 5] = [
    Scenario {
        name: "triple ko",
        diagram: "
            . X O . . X O . . X O .
            X O . O X . X O X O . O
            . X O . . X O . . X O .
            . . . . . . . . . . . .",
        cycle: "C3 F3 L3 B3 G3 K3",
        positional: 6,
        situational: 6,
        no_result: Some(12),
    },
    Scenario {
        name: "eternal life",
        diagram: "
            O O . X
            X X O O
            . . . .",
        cycle: "C3 B3 D3 A3",
        positional: 4,
        situational: 4,
        no_result: Some(8),
    },
    // The board is the same after Black's second move, but White is to move.
    Scenario {
        name: "send two, return one",
        diagram: "
            . X . O .
            X O O O .
            X . O . .",
        cycle: "C3 A3 B3 pass",
        positional: 3,
        situational: 5,
        no_result: None,
    },
    Scenario {
        name: "two kos and two separate passes",
        diagram: "
            . X O . . X O .
            X O . O X . X O
            . X O . . X O .
            . . . . . . . .",
        cycle: "C3 F3 pass B3 G3 pass",
        positional: 5,
        situational: 7,
        no_result: None,
    },
    Scenario {
        name: "one ko and two passes in a row",
        diagram: "
            . X O . .
            X O . O .
            . X O . .
            . . . . .",
        cycle: "C3 pass pass B3 pass pass",
        positional: 4,
        situational: 4,
        no_result: None,
    },
];

/// Rules by name, or `None` for the default rules, with their ko rule.
const RULE_SETS: [(Option<&str>, KoRule); 5] = [
    (None, KoRule::Positional),
    (Some("tromp-taylor"), KoRule::Positional),
    (Some("aga"), KoRule::Situational),
    (Some("chinese"), KoRule::Simple),
    (Some("japanese"), KoRule::Simple),
];

/// Number of times that each cycle is played.
const CYCLES: usize = 3;

fn board(diagram: &str) -> NaiveBoard {
    to_naive(&honinbo::game::diagram::parse_board(diagram).unwrap())
}

fn size(board: &NaiveBoard) -> BoardSize {
    BoardSize::new(board.width(), board.height()).unwrap()
}

/// Returns the commands that set up the position.
fn setup(board: &NaiveBoard, rules: Option<&str>) -> Vec<String> {
    let size = size(board);
    let stones = Color::BOTH.into_iter().flat_map(|color| {
        let stones = board.stones(color).into_iter();
        stones.map(move |stone| format!("{color} {}", size.vertex(point(stone))))
    });
    let stones: Vec<String> = stones.collect();
    let mut commands = vec![format!("boardsize {} {}", size.width(), size.height())];
    commands.extend(rules.map(|name| format!("kata-set-rules {name}")));
    commands.push(format!("set_position {}", stones.join(" ")));
    commands
}

/// Moves of the cycle, repeated, with the colours that play them.
fn moves(scenario: &Scenario) -> Vec<(Color, &'static str)> {
    let vertices = scenario.cycle.split(' ').cycle();
    let count = CYCLES * scenario.cycle.split(' ').count();
    Color::BOTH
        .into_iter()
        .cycle()
        .zip(vertices)
        .take(count)
        .collect()
}

fn place(size: BoardSize, vertex: &str) -> Option<Place> {
    let point = size.parse_move(vertex).unwrap().point()?;
    Some((point.column(), point.row()))
}

/// Returns the number of the first move that the naive rules reject and, under simple ko, the number of moves after
/// which a position has occurred three times.
fn naive_outcome(scenario: &Scenario, ko: KoRule) -> (Option<usize>, Option<usize>) {
    let board = board(scenario.diagram);
    let size = size(&board);
    let mut game = NaiveGame::new(board, Color::Black);
    for (index, (color, vertex)) in moves(scenario).into_iter().enumerate() {
        let place = place(size, vertex);
        if let Some(place) = place {
            let after = game.board.after(color, place);
            if game.legality(ko, false, color, &after) != Legality::Legal {
                return (Some(index + 1), None);
            }
        }
        game.play(color, place);
        if ko == KoRule::Simple && game.occurrences() >= 3 {
            return (None, Some(index + 1));
        }
    }
    (None, None)
}

#[test]
fn well_known_repetitions_follow_each_rule_set() {
    for scenario in &SCENARIOS {
        for (rules, ko) in RULE_SETS {
            let name = format!("{} under {rules:?}", scenario.name);
            let (rejected, no_result) = match ko {
                KoRule::Positional => (Some(scenario.positional), None),
                KoRule::Situational => (Some(scenario.situational), None),
                KoRule::Simple => (None, scenario.no_result),
            };
            assert_eq!(naive_outcome(scenario, ko), (rejected, no_result), "{name}");
            check_session(scenario, rules, rejected, no_result, &name);
        }
    }
}

/// Plays the moves until one is rejected or the game has no result.
fn check_session(
    scenario: &Scenario,
    rules: Option<&str>,
    rejected: Option<usize>,
    no_result: Option<usize>,
    name: &str,
) {
    let mut commands = setup(&board(scenario.diagram), rules);
    let first = commands.len();
    let moves = moves(scenario);
    let played = rejected.or(no_result).unwrap_or(moves.len());
    let plays = moves[..played].iter();
    commands.extend(plays.map(|(color, vertex)| format!("play {color} {vertex}")));
    commands.extend(["final_score", "move_history", "showboard"].map(str::to_owned));
    let answers = answers(&(commands.join("\n") + "\n"));
    let (plays, [score, history, shown]) = answers[first..].split_last_chunk().unwrap();
    let legal = rejected.map_or(played, |number| number - 1);
    for (index, answer) in plays.iter().enumerate() {
        if index < legal {
            assert_eq!(answer, "=", "{name}: move {}", index + 1);
        } else {
            let reason = "? illegal move: the move repeats an earlier position (superko)";
            assert_eq!(answer, reason, "{name}: move {}", index + 1);
        }
    }
    assert_eq!(
        history.lines().count(),
        legal,
        "{name}: a rejected move has no effect"
    );
    let no_result_text = "the game has no result (a position occurred three times)";
    if no_result.is_some() {
        assert_eq!(
            *score,
            format!("? cannot score: {no_result_text}"),
            "{name}"
        );
        assert!(
            shown.ends_with(&format!("; {no_result_text}")),
            "{name}: {shown}"
        );
    } else {
        assert!(score.starts_with("= "), "{name}: {score}");
        assert!(!shown.contains("no result"), "{name}: {shown}");
    }
}

/// A game without a result can go on, and undoing the last move restores it.
#[test]
fn undo_continues_game_without_result() {
    let scenario = &SCENARIOS[0];
    let mut commands = setup(&board(scenario.diagram), Some("chinese"));
    let moves = moves(scenario);
    let plays = moves[..12].iter();
    commands.extend(plays.map(|(color, vertex)| format!("play {color} {vertex}")));
    let last = [
        "printsgf",
        "genmove b",
        "undo",
        "undo",
        "final_score",
        "printsgf",
    ];
    commands.extend(last.map(str::to_owned));
    let answers = answers(&(commands.join("\n") + "\n"));
    let [
        with_result,
        moved,
        undone,
        undone_again,
        score,
        without_result,
    ] = answers.last_chunk().unwrap();
    assert!(with_result.contains("RE[Void]"), "{with_result}");
    assert!(moved.starts_with("= "), "{moved}");
    assert_eq!([undone, undone_again], ["=", "="]);
    assert!(score.starts_with("= "), "{score}");
    assert!(!without_result.contains("RE["), "{without_result}");
}

#[test]
fn default_rules_are_area_scoring_with_positional_superko() {
    let answers =
        answers("kata-get-rules\nget_komi\nkata-set-rules chinese-ogs\nkata-get-rules\nget_komi\n");
    assert_eq!(answers[0], answers[3]);
    assert_eq!(
        (answers[1].as_str(), answers[4].as_str()),
        ("= 7.5", "= 7.5")
    );
    assert!(
        answers[0].contains("\"ko\":\"POSITIONAL\""),
        "{}",
        answers[0]
    );
    assert_eq!(Rules::default().name(), Some("chinese-ogs"));
}

/// A game file may contain a move that a client may not request.
#[test]
fn files_with_repetitions_are_loaded() {
    let scenario = &SCENARIOS[0];
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("triple-ko.sgf");
    let board = board(scenario.diagram);
    let mut commands = setup(&board, None);
    commands.push(format!("printsgf {}", path.display()));
    answers(&(commands.join("\n") + "\n"));
    let written = std::fs::read_to_string(&path).unwrap();
    let size = size(&board);
    let moves = moves(scenario).into_iter().take(6).map(|(color, vertex)| {
        let (column, row) = place(size, vertex).unwrap();
        let letter = |side: usize| char::from(b'a' + side as u8);
        format!(";{}[{}{}]", color.letter(), letter(column), letter(row))
    });
    let game =
        written.trim_end().trim_end_matches(')').to_owned() + &moves.collect::<String>() + ")";
    std::fs::write(&path, game).unwrap();
    let load = format!(
        "loadsgf {}\nmove_history\nundo\nplay w K3\nplay w pass\n",
        path.display()
    );
    let answers = answers(&load);
    assert_eq!(answers[0], "=");
    assert_eq!(answers[1].lines().next(), Some("= white K3"));
    assert_eq!(
        answers[3],
        "? illegal move: the move repeats an earlier position (superko)"
    );
    assert_eq!(answers[4], "=");
}
