//! Inputs of Leela Zero networks.

use honinbo::encode::leela_zero::{NATIVE_ORIENTATION, NUM_PLANES, encode};
use honinbo::game::color::Color;
use honinbo::game::point::{BoardSize, Move};
use honinbo::game::position::Position;
use honinbo::game::rules::Rules;
use honinbo::game::symmetry::Symmetry;

fn planes(position: &Position, symmetry: Symmetry) -> Vec<Vec<f32>> {
    let area = position.size().area();
    let mut planes = vec![9.0; NUM_PLANES * area];
    encode(position, symmetry, &mut planes);
    planes.chunks(area).map(<[f32]>::to_vec).collect()
}

/// Returns a 19x19 plane that is 1 at these vertices.
fn ones(vertices: &str) -> Vec<f32> {
    let size = BoardSize::STANDARD;
    let mut plane = vec![0.0; size.area()];
    for vertex in vertices.split_whitespace() {
        plane[size.index(size.parse_vertex(vertex).unwrap())] = 1.0;
    }
    plane
}

fn played(moves: &str) -> Position {
    let mut position = Position::new(BoardSize::STANDARD, Rules::default());
    for vertex in moves.split_whitespace() {
        let mv = position.size().parse_move(vertex).unwrap();
        position.play(position.to_move(), mv).unwrap();
    }
    position
}

#[test]
fn history_boards_include_passes() {
    let found = planes(&played("D4 Q16 pass C3"), Symmetry::IDENTITY);
    let own = ["D4", "D4", "D4", "D4", ""];
    let opponent = ["Q16 C3", "Q16", "Q16", "", ""];
    for moves_ago in 0..8 {
        let expected = |boards: [&str; 5]| ones(boards.get(moves_ago).unwrap_or(&""));
        assert_eq!(
            found[moves_ago],
            expected(own),
            "own, {moves_ago} moves ago"
        );
        assert_eq!(
            found[8 + moves_ago],
            expected(opponent),
            "opponent, {moves_ago} moves ago"
        );
    }
    assert!(found[16].iter().all(|&value| value == 1.0));
    assert!(found[17].iter().all(|&value| value == 0.0));
}

#[test]
fn history_has_eight_boards() {
    // Black's second stone captures White's corner stone.
    let found = planes(&played("A18 A19 B19"), Symmetry::IDENTITY);
    assert_eq!(found[0], ones(""));
    assert_eq!(found[1], ones("A19"));
    assert_eq!(found[8], ones("A18 B19"));
    assert_eq!(found[9], ones("A18"));
    assert!(found[16].iter().all(|&value| value == 0.0));
    assert!(found[17].iter().all(|&value| value == 1.0));
    let found = planes(&played("A1 B1 C1 D1 E1 F1 G1 H1 J1 K1"), Symmetry::IDENTITY);
    assert_eq!(found[7], ones("A1 C1"));
    assert_eq!(found[15], ones("B1"));
}

#[test]
fn handicap_stones_have_no_history() {
    let board = played("D4 pass Q16").board().clone();
    let position = Position::from_board(board, Color::White, Rules::default());
    let found = planes(&position, Symmetry::IDENTITY);
    assert_eq!(found[8], ones("D4 Q16"));
    assert_eq!(found[9], ones(""));
}

#[test]
fn native_orientation_starts_at_bottom_row() {
    let mut position = played("");
    let corner = position.size().parse_vertex("A1").unwrap();
    position.play(Color::Black, Move::Play(corner)).unwrap();
    let found = planes(&position, NATIVE_ORIENTATION);
    assert_eq!(found[8].iter().position(|&value| value == 1.0), Some(0));
}
