//! Invalid queries and exhausted budgets.

use honinbo::game::board::Board;
use honinbo::game::color::Color;
use honinbo::game::point::{BoardSize, Point};
use honinbo::tactics::reading::{
    CaptureReader, ReadingError, ReadingLimits, ReadingOutcome, ReadingSide,
};

fn single_stone() -> (Board, Point) {
    let size = BoardSize::new(9, 9).unwrap();
    let stone = size.parse_vertex("E5").unwrap();
    let mut board = Board::new(size);
    board.place(Color::White, stone);
    (board, stone)
}

#[test]
fn points_without_stone_are_rejected() {
    let (board, _) = single_stone();
    let mut reader = CaptureReader::default();
    for point in [
        Point::at(0, 0),
        Point::at(12, 3),
        Point::at(9, 3),
        Point::at(0, 18),
    ] {
        let expected = Err(ReadingError::NoStone { point });
        assert_eq!(
            reader.read(
                &board,
                point,
                ReadingSide::Maker,
                None,
                ReadingLimits::default()
            ),
            expected
        );
        assert_eq!(
            reader.read(
                &board,
                point,
                ReadingSide::Breaker,
                None,
                ReadingLimits::default()
            ),
            expected
        );
    }
}

#[test]
fn exhausted_budget_gives_unknown() {
    let (board, stone) = single_stone();
    let mut reader = CaptureReader::default();
    for (nodes, time) in [
        (0, None),
        (3, None),
        (u64::MAX, Some(std::time::Duration::ZERO)),
    ] {
        let limits = ReadingLimits {
            nodes,
            time,
            plies: 11,
        };
        let reading = reader
            .read(&board, stone, ReadingSide::Maker, None, limits)
            .unwrap();
        assert_eq!(reading.outcome, ReadingOutcome::Unknown, "{limits:?}");
        assert!(reading.best_move.is_none() && reading.pv.is_empty() && reading.nodes <= nodes);
    }
}

#[test]
fn zero_plies_prevent_capture() {
    let (board, stone) = single_stone();
    let limits = ReadingLimits {
        plies: 0,
        ..ReadingLimits::default()
    };
    let reading = CaptureReader::default()
        .read(&board, stone, ReadingSide::Maker, None, limits)
        .unwrap();
    assert_eq!(reading.outcome, ReadingOutcome::Prevented { plies: 0 });
}
