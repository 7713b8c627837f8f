//! Connections as the books have them: the two stones of Black's in question are named, the rest is drawn.

use honinbo::game::board::Board;
use honinbo::game::color::Color;
use honinbo::game::diagram::Diagram;
use honinbo::game::point::{Move, Point};
use honinbo::tactics::reading::{
    ConnectionError, ConnectionReader, NoChainError, ReadingLimits, ReadingOutcome, ReadingResult,
    may_be_connected,
};

const LIMITS: ReadingLimits = ReadingLimits {
    plies: 10,
    nodes: 500_000,
    time: None,
};

fn drawn(pair: [&str; 2], picture: &str) -> (Diagram, Board, [Point; 2]) {
    let diagram = Diagram::parse(picture).unwrap();
    let board = diagram.board().unwrap();
    let pair = pair.map(|vertex| diagram.size.parse_vertex(vertex).unwrap());
    (diagram, board, pair)
}

fn connect(board: &Board, pair: [Point; 2]) -> ReadingResult {
    let mut reader = ConnectionReader::new();
    reader.connect(board, pair, None, LIMITS).unwrap()
}

fn disconnect(board: &Board, pair: [Point; 2]) -> ReadingResult {
    let mut reader = ConnectionReader::new();
    reader.disconnect(board, pair, None, LIMITS).unwrap()
}

/// Plays the line of the owner's success out: its moves are legal, and the last makes one chain.
fn assert_joins(board: &Board, pair: [Point; 2], first: Color, reading: &ReadingResult) {
    let (mut board, mut color) = (board.clone(), first);
    for mv in &reading.pv {
        if let Some(point) = mv.point() {
            assert!(!board.place(color, point).suicide, "{reading:?}");
        }
        color = color.opposite();
    }
    let chain = board.chain_at(pair[0]).expect("the stone stands");
    assert!(chain.stones.contains(pair[1]), "{reading:?}");
}

/// Black's stones are joined even if White moves first.
fn assert_joined(pair: [&str; 2], picture: &str) {
    let (_, board, pair) = drawn(pair, picture);
    let cut = disconnect(&board, pair);
    assert!(
        matches!(cut.outcome, ReadingOutcome::Reached { .. }),
        "{cut:?} {picture}"
    );
    assert_eq!(cut.best_move, None);
    assert_joins(&board, pair, Color::White, &cut);
}

/// Who moves first at `v` has its way.
fn assert_open(pair: [&str; 2], picture: &str) {
    let (diagram, board, pair) = drawn(pair, picture);
    let vital = diagram.labelled('v').only().map(Move::Play);
    let joined = connect(&board, pair);
    assert!(
        matches!(joined.outcome, ReadingOutcome::Reached { .. }),
        "{joined:?} {picture}"
    );
    assert_eq!(joined.best_move, vital);
    assert_joins(&board, pair, Color::Black, &joined);
    let cut = disconnect(&board, pair);
    assert_eq!(
        cut.outcome,
        ReadingOutcome::Prevented { plies: 10 },
        "{picture}"
    );
    assert_eq!(cut.best_move, vital);
}

#[test]
fn links_that_come_in_pairs_hold() {
    // A bamboo joint.
    assert_joined(
        ["C4", "E4"],
        ". . . . . . .
         . . . . . . .
         . . X . X . .
         . . X . X . .
         . . . . . . .
         . . . . . . .",
    );
    // A diagonal.
    assert_joined(
        ["C4", "D3"],
        ". . . . . . .
         . . . . . . .
         . . X . . . .
         . . . X . . .
         . . . . . . .
         . . . . . . .",
    );
    // A tiger's mouth: who cuts is taken.
    assert_joined(
        ["C4", "D3"],
        ". . . . . . .
         . . . . . . .
         . . X O . . .
         . X . X . . .
         . . . . . . .
         . . . . . . .",
    );
    // A jump on the first line, and on the second.
    assert_joined(
        ["C1", "E1"],
        ". . . . . . .
         . . . . . . .
         . . . . . . .
         . . . . . . .
         . . . . . . .
         . . X . X . .",
    );
    assert_joined(
        ["C2", "E2"],
        ". . . . . . .
         . . . . . . .
         . . . . . . .
         . . . . . . .
         . . X . X . .
         . . . . . . .",
    );
}

#[test]
fn a_stone_between_that_can_be_taken_cuts_nothing() {
    assert_joined(
        ["C3", "E3"],
        ". . . . . . .
         . . . . . . .
         . . . X . . .
         . . X O X . .
         . . X . X . .
         . . . . . . .",
    );
}

#[test]
fn a_link_that_is_alone_is_for_who_comes_first() {
    // A diagonal with one side closed.
    assert_open(
        ["C4", "D3"],
        ". . . . . . .
         . . . O O . .
         . . X v O . .
         . O O X . . .
         . . . . . . .
         . . . . . . .",
    );
    // A hane at the edge, below the stone between.
    assert_open(
        ["C2", "E2"],
        ". . O O O . .
         . . O O O . .
         . . X O X . .
         . . . v . . .",
    );
    // A jump with a wall of White's on both sides.
    assert_open(
        ["C4", "E4"],
        ". . . . . . .
         . . O O O . .
         . . X v X . .
         . O O . O . .
         . . . . . . .
         . . . . . . .",
    );
}

#[test]
fn a_large_knights_move_is_cut() {
    let (_, board, pair) = drawn(
        ["B4", "E3"],
        ". . . . . .
         O O O O O .
         . X . . . .
         . . . . X .
         O O O O O O
         . . . . . .",
    );
    let cut = disconnect(&board, pair);
    assert_eq!(cut.outcome, ReadingOutcome::Prevented { plies: 10 });
    assert!(cut.best_move.is_some());
}

#[test]
fn a_chain_that_is_taken_is_joined_to_nothing() {
    let (diagram, board, pair) = drawn(
        ["A1", "C1"],
        "O O O .
         X v X .",
    );
    let cut = disconnect(&board, pair);
    assert_eq!(cut.outcome, ReadingOutcome::Prevented { plies: 10 });
    assert_eq!(cut.best_move, diagram.labelled('v').only().map(Move::Play));
}

#[test]
fn a_link_by_a_ko_is_told_from_a_link() {
    let (diagram, board, pair) = drawn(
        ["A4", "A2"],
        ". O . .
         X O . .
         O v O .
         X O . .
         . O . .",
    );
    let joined = connect(&board, pair);
    let expected = ReadingOutcome::Ko {
        needs_threat: Color::White,
        plies: 3,
    };
    assert_eq!(joined.outcome, expected);
    assert_eq!(
        joined.best_move,
        diagram.labelled('v').only().map(Move::Play)
    );
}

#[test]
fn how_far_apart_they_are_is_told_from_below() {
    let (_, board, [one, other]) = drawn(
        ["A3", "E3"],
        ". . O . .
         . . O . .
         X . O . X
         . . O . .
         . . . . .",
    );
    // Around the end of the wall it takes seven.
    let fewest = (0..10).find(|&moves| may_be_connected(&board, [one, other], moves));
    assert_eq!(fewest, Some(7));
    assert!(!may_be_connected(&board, [one, Point::at(2, 4)], 25));
}

#[test]
fn what_is_no_pair_is_refused() {
    let (_, board, [black, white]) = drawn(
        ["A2", "C2"],
        "X . O
         . . .",
    );
    let empty = Point::at(0, 1);
    let mut reader = ConnectionReader::new();
    let mut ask = |pair| reader.connect(&board, pair, None, LIMITS);
    assert_eq!(ask([black, white]), Err(ConnectionError::DifferentColors));
    let missing = Err(ConnectionError::NoChain(NoChainError { point: empty }));
    assert_eq!(ask([black, empty]), missing);
    assert_eq!(ask([empty, black]), missing);
    let same = ask([black, black]).unwrap();
    assert_eq!(same.outcome, ReadingOutcome::Reached { plies: 0 });
    assert_eq!(same.best_move, Some(Move::Pass));
    let limits = ReadingLimits { nodes: 0, ..LIMITS };
    let (_, board, pair) = drawn(["A2", "C2"], "X . X\n. . .");
    let none = reader.disconnect(&board, pair, None, limits).unwrap();
    assert_eq!(
        (none.outcome, none.best_move),
        (ReadingOutcome::Unknown, None)
    );
}
