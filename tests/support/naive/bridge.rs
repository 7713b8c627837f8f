//! Conversions between the naive board and the engine's types.

use honinbo::game::board::Board;
use honinbo::game::color::Color;
use honinbo::game::point::{BoardSize, Point};
use honinbo::game::pointset::PointSet;

use super::{NaiveBoard, Place};

pub fn point((column, row): Place) -> Point {
    Point::at(column, row)
}

pub fn points<'a>(places: impl IntoIterator<Item = &'a Place>) -> PointSet {
    places.into_iter().map(|&place| point(place)).collect()
}

/// Creates the engine's board with the same stones.
pub fn set_up(board: &NaiveBoard) -> Board {
    let size = BoardSize::new(board.width(), board.height()).unwrap();
    let (black, white) = (board.stones(Color::Black), board.stones(Color::White));
    Board::from_stones(size, points(&black), points(&white)).unwrap()
}

/// Creates a naive board with the same stones.
pub fn to_naive(board: &Board) -> NaiveBoard {
    let mut naive = NaiveBoard::new(board.size().width(), board.size().height());
    for place in naive.places() {
        naive.set(place, board.color_at(point(place)));
    }
    naive
}
