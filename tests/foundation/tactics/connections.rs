//! Textbook connections. Each test names the two black stones in question.

use honinbo::game::board::Board;
use honinbo::game::color::Color;
use honinbo::game::diagram::Diagram;
use honinbo::game::point::{Move, Point};
use honinbo::tactics::reading::{
    ConnectionReader, ReadingError, ReadingLimits, ReadingOutcome, ReadingResult, ReadingSide,
    may_connect_within,
};

const LIMITS: ReadingLimits = ReadingLimits {
    plies: 10,
    nodes: 500_000,
    time: None,
};

fn parse(pair: [&str; 2], text: &str) -> (Diagram, Board, [Point; 2]) {
    let diagram = Diagram::parse(text).unwrap();
    let board = diagram.to_board().unwrap();
    let pair = pair.map(|vertex| diagram.size.parse_vertex(vertex).unwrap());
    (diagram, board, pair)
}

fn read(board: &Board, pair: [Point; 2], first: ReadingSide) -> ReadingResult {
    let mut reader = ConnectionReader::default();
    reader.read(board, pair, first, None, LIMITS).unwrap()
}

/// Plays the variation of the owner's success: all moves are legal, and the last one connects the stones.
fn assert_variation_connects(
    board: &Board,
    pair: [Point; 2],
    first: Color,
    reading: &ReadingResult,
) {
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

/// The stones are connected even if White moves first.
fn assert_connected(pair: [&str; 2], text: &str) {
    let (_, board, pair) = parse(pair, text);
    let cut = read(&board, pair, ReadingSide::Breaker);
    assert!(
        matches!(cut.outcome, ReadingOutcome::Reached { .. }),
        "{cut:?} {text}"
    );
    assert_eq!(cut.best_move, None);
    assert_variation_connects(&board, pair, Color::White, &cut);
}

/// The side that plays at `v` first succeeds.
fn assert_undecided(pair: [&str; 2], text: &str) {
    let (diagram, board, pair) = parse(pair, text);
    let vital = diagram.points_with_label('v').only().map(Move::Play);
    let connected = read(&board, pair, ReadingSide::Maker);
    assert!(
        matches!(connected.outcome, ReadingOutcome::Reached { .. }),
        "{connected:?} {text}"
    );
    assert_eq!(connected.best_move, vital);
    assert_variation_connects(&board, pair, Color::Black, &connected);
    let cut = read(&board, pair, ReadingSide::Breaker);
    assert_eq!(
        cut.outcome,
        ReadingOutcome::Prevented { plies: 10 },
        "{text}"
    );
    assert_eq!(cut.best_move, vital);
}

#[test]
fn paired_links_are_connected() {
    // A bamboo joint.
    assert_connected(
        ["C4", "E4"],
        ". . . . . . .
         . . . . . . .
         . . X . X . .
         . . X . X . .
         . . . . . . .
         . . . . . . .",
    );
    // A diagonal.
    assert_connected(
        ["C4", "D3"],
        ". . . . . . .
         . . . . . . .
         . . X . . . .
         . . . X . . .
         . . . . . . .
         . . . . . . .",
    );
    // A tiger's mouth: a cutting stone is captured.
    assert_connected(
        ["C4", "D3"],
        ". . . . . . .
         . . . . . . .
         . . X O . . .
         . X . X . . .
         . . . . . . .
         . . . . . . .",
    );
    // A one-point jump on the first line, and on the second.
    assert_connected(
        ["C1", "E1"],
        ". . . . . . .
         . . . . . . .
         . . . . . . .
         . . . . . . .
         . . . . . . .
         . . X . X . .",
    );
    assert_connected(
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
fn capturable_cutting_stone_does_not_cut() {
    assert_connected(
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
fn single_link_depends_on_first_move() {
    // A diagonal with one side closed.
    assert_undecided(
        ["C4", "D3"],
        ". . . . . . .
         . . . O O . .
         . . X v O . .
         . O O X . . .
         . . . . . . .
         . . . . . . .",
    );
    // A hane at the edge, below the stone in between.
    assert_undecided(
        ["C2", "E2"],
        ". . O O O . .
         . . O O O . .
         . . X O X . .
         . . . v . . .",
    );
    // A one-point jump between two white walls.
    assert_undecided(
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
fn large_knights_move_is_cut() {
    let (_, board, pair) = parse(
        ["B4", "E3"],
        ". . . . . .
         O O O O O .
         . X . . . .
         . . . . X .
         O O O O O O
         . . . . . .",
    );
    let cut = read(&board, pair, ReadingSide::Breaker);
    assert_eq!(cut.outcome, ReadingOutcome::Prevented { plies: 10 });
    assert!(cut.best_move.is_some());
}

#[test]
fn captured_chain_is_not_connected() {
    let (diagram, board, pair) = parse(
        ["A1", "C1"],
        "O O O .
         X v X .",
    );
    let cut = read(&board, pair, ReadingSide::Breaker);
    assert_eq!(cut.outcome, ReadingOutcome::Prevented { plies: 10 });
    assert_eq!(
        cut.best_move,
        diagram.points_with_label('v').only().map(Move::Play)
    );
}

#[test]
fn ko_connection_is_reported_as_ko() {
    let (diagram, board, pair) = parse(
        ["A4", "A2"],
        ". O . .
         X O . .
         O v O .
         X O . .
         . O . .",
    );
    let connected = read(&board, pair, ReadingSide::Maker);
    let expected = ReadingOutcome::Ko {
        needs_threat: Color::White,
        plies: 3,
    };
    assert_eq!(connected.outcome, expected);
    assert_eq!(
        connected.best_move,
        diagram.points_with_label('v').only().map(Move::Play)
    );
}

#[test]
fn minimum_moves_are_a_lower_bound() {
    let (_, board, [one, other]) = parse(
        ["A3", "E3"],
        ". . O . .
         . . O . .
         X . O . X
         . . O . .
         . . . . .",
    );
    // The way around the end of the wall takes seven moves.
    let min_moves = (0..10).find(|&moves| may_connect_within(&board, [one, other], moves));
    assert_eq!(min_moves, Some(7));
    assert!(!may_connect_within(&board, [one, Point::at(2, 4)], 25));
}

#[test]
fn invalid_pairs_are_rejected() {
    let (_, board, [black, white]) = parse(
        ["A2", "C2"],
        "X . O
         . . .",
    );
    let empty = Point::at(0, 1);
    let mut reader = ConnectionReader::default();
    let mut read = |pair| reader.read(&board, pair, ReadingSide::Maker, None, LIMITS);
    assert_eq!(read([black, white]), Err(ReadingError::DifferentColors));
    let missing = Err(ReadingError::NoStone { point: empty });
    assert_eq!(read([black, empty]), missing);
    assert_eq!(read([empty, black]), missing);
    let same = read([black, black]).unwrap();
    assert_eq!(same.outcome, ReadingOutcome::Reached { plies: 0 });
    assert_eq!(same.best_move, Some(Move::Pass));
    let limits = ReadingLimits { nodes: 0, ..LIMITS };
    let (_, board, pair) = parse(["A2", "C2"], "X . X\n. . .");
    let none = reader
        .read(&board, pair, ReadingSide::Breaker, None, limits)
        .unwrap();
    assert_eq!(
        (none.outcome, none.best_move),
        (ReadingOutcome::Unknown, None)
    );
}
