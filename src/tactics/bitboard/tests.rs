//! Comparison with the board of the `game` module, and tests of neighbours, secure areas and scores.

use super::word::Word;
use super::{BoardGeometry, MoveEffect, Stones};
use crate::game::benson::pass_alive;
use crate::game::board::Board;
use crate::game::color::Color;
use crate::game::point::{BoardSize, Point};
use crate::game::pointset::PointSet;
use crate::random::Rng;

fn to_point_set<W: Word>(geometry: &BoardGeometry<W>, set: W) -> PointSet {
    set.indices()
        .map(|index| {
            let (column, row) = geometry.coordinates(index);
            Point::at(column as usize, row as usize)
        })
        .collect()
}

/// Plays random moves on both kinds of board and compares stones, legality, captures and alive chains.
fn check_against_board<W: Word>(width: u32, height: u32, moves: usize) {
    let geometry = BoardGeometry::<W>::new(width, height).unwrap();
    let size = BoardSize::new(width as usize, height as usize).unwrap();
    let mut rng = Rng::new(u64::from(width * 100 + height));
    let mut board = Board::new(size);
    let mut stones = Stones::default();
    for move_number in 0..moves {
        let color = [Color::Black, Color::White][move_number % 2];
        let index = geometry.index(
            rng.below(width as usize) as u32,
            rng.below(height as usize) as u32,
        );
        let (column, row) = geometry.coordinates(index);
        let point = Point::at(column as usize, row as usize);
        if board.is_empty_at(point) {
            let effect = geometry.play(&stones, true, W::single(index));
            assert_eq!(effect.is_none(), board.is_suicide(color, point));
            let is_capture = W::single(index).is_subset(geometry.capturing_moves(&stones, true));
            assert_eq!(
                is_capture,
                effect.is_some_and(|effect| !effect.captured.is_empty())
            );
            assert_eq!(
                is_capture,
                W::single(index).is_subset(geometry.capturing_moves(&stones.swapped(), false))
            );
            if !is_capture && !board.adjacent_empty_points(point).is_empty() {
                let quiet = MoveEffect::without_captures(&stones, true, W::single(index));
                assert_eq!(Some(quiet), effect);
                let swapped =
                    MoveEffect::without_captures(&stones.swapped(), false, W::single(index));
                assert_eq!(swapped.stones.swapped(), quiet.stones);
            }
            if let Some(effect) = effect {
                let expected = board.place(color, point);
                assert_eq!(to_point_set(&geometry, effect.captured), expected.captured);
                assert_eq!(to_point_set(&geometry, effect.ko).first(), expected.ko);
                stones = effect.stones;
            }
        }
        assert_eq!(to_point_set(&geometry, stones.own), *board.stones(color));
        let expected_alive = pass_alive(&board, color, false);
        assert_eq!(
            to_point_set(&geometry, geometry.pass_alive_stones(&stones, W::EMPTY)),
            expected_alive.stones
        );
        stones = stones.swapped();
    }
}

#[test]
fn random_games_match_board() {
    check_against_board::<u64>(4, 4, 3000);
    check_against_board::<u64>(7, 7, 3000);
    check_against_board::<u128>(7, 7, 1000);
    check_against_board::<u128>(10, 11, 3000);
    check_against_board::<u128>(12, 10, 3000);
    check_against_board::<u128>(2, 19, 3000);
}

/// Returns the points at the given offsets from a point, omitting those that are off the board.
fn points_at_offsets(
    size: BoardSize,
    (column, row): (u32, u32),
    offsets: [(i32, i32); 4],
) -> PointSet {
    let on_board =
        |coordinate: i32, length: usize| usize::try_from(coordinate).ok().filter(|at| *at < length);
    let points = offsets.into_iter().filter_map(|(right, down)| {
        let column = on_board(column as i32 + right, size.width())?;
        let row = on_board(row as i32 + down, size.height())?;
        Some(Point::at(column, row))
    });
    points.collect()
}

/// Checks the neighbours of all points on all boards that fit the word. Returns the number of these boards.
fn check_neighbours_on_fitting_sizes<W: Word>() -> usize {
    let sizes = (2..=19).flat_map(|width| (2..=19).map(move |height| (width, height)));
    let geometries = sizes.filter_map(|(width, height)| BoardGeometry::<W>::new(width, height));
    let checked = geometries.map(|geometry| {
        let (width, height) = (geometry.width() as usize, geometry.height() as usize);
        let size = BoardSize::new(width, height).unwrap();
        assert_eq!(geometry.all_points().count() as usize, width * height);
        for index in geometry.all_points().indices() {
            let (coordinates, point) = (geometry.coordinates(index), W::single(index));
            assert_eq!(geometry.index(coordinates.0, coordinates.1), index);
            let neighbours =
                points_at_offsets(size, coordinates, [(1, 0), (-1, 0), (0, 1), (0, -1)]);
            assert_eq!(
                to_point_set(&geometry, geometry.neighbours(point)),
                neighbours
            );
            let diagonals =
                points_at_offsets(size, coordinates, [(1, 1), (-1, 1), (1, -1), (-1, -1)]);
            assert_eq!(
                to_point_set(&geometry, geometry.diagonal_neighbours(point)),
                diagonals
            );
        }
    });
    checked.count()
}

#[test]
fn neighbours_match_board_geometry() {
    // A board fits if one of its two orientations does.
    let num_fitting = |bits: usize, halves: usize| {
        let fits = |w: usize, h: usize| (w + 1) * h.div_ceil(halves) - 1 <= bits;
        let sizes = (2..=19).flat_map(|w| (2..=19).map(move |h| (w, h)));
        sizes.filter(|&(w, h)| fits(w, h) || fits(h, w)).count()
    };
    assert_eq!(check_neighbours_on_fitting_sizes::<u8>(), num_fitting(8, 1));
    assert_eq!(
        check_neighbours_on_fitting_sizes::<u64>(),
        num_fitting(64, 1)
    );
    assert_eq!(
        check_neighbours_on_fitting_sizes::<u128>(),
        num_fitting(64, 2)
    );
}

#[test]
fn oversized_boards_are_rejected() {
    assert!(BoardGeometry::<u64>::new(7, 8).is_some() && BoardGeometry::<u64>::new(8, 8).is_none());
    for (width, height) in [(19, 6), (16, 7), (15, 8), (12, 10)] {
        assert!(BoardGeometry::<u128>::new(width, height).is_some());
        assert!(BoardGeometry::<u128>::new(height, width).is_some());
    }
    for (width, height) in [(19, 7), (17, 7), (16, 8), (13, 9), (11, 11)] {
        assert!(BoardGeometry::<u128>::new(width, height).is_none());
        assert!(BoardGeometry::<u128>::new(height, width).is_none());
    }
    assert!(BoardGeometry::<u64>::new(0, 3).is_none() && BoardGeometry::<u64>::new(3, 0).is_none());
    assert!(BoardGeometry::<u64>::new(u32::MAX, u32::MAX).is_none());
}

/// Parses rows from the top: `o` own, `x` opponent, `.` empty.
fn parse_rows(rows: &[&str]) -> (BoardGeometry<u64>, Stones<u64>) {
    let geometry = BoardGeometry::new(rows[0].len() as u32, rows.len() as u32).unwrap();
    let mut stones = Stones::default();
    for (row, text) in rows.iter().enumerate() {
        for (column, symbol) in text.chars().enumerate() {
            let point = 1 << geometry.index(column as u32, row as u32);
            match symbol {
                'o' => stones.own |= point,
                'x' => stones.opponent |= point,
                _ => {}
            }
        }
    }
    (geometry, stones)
}

#[test]
fn uninhabitable_regions_are_secure() {
    // The area contains the stones and both of their eyes. The region below has room for two eyes.
    let (geometry, stones) = parse_rows(&[".o.o.", "ooooo", ".....", "..x.."]);
    let secure = geometry.secure_area(&stones, 0);
    assert_eq!(
        secure.count(),
        10,
        "the bottom two rows have room for two eyes"
    );
    let (geometry, stones) = parse_rows(&[".o.o.", "ooooo", ".x..."]);
    assert_eq!(geometry.secure_area(&stones, 0), geometry.all_points());
    let (geometry, stones) = parse_rows(&[".o.o.", "ooooo", "o.x.o", "oo.oo"]);
    assert_eq!(geometry.secure_area(&stones, 0), geometry.all_points());
    let (geometry, stones) = parse_rows(&["..o..", "ooooo"]);
    assert_eq!(
        geometry.secure_area(&stones, 0),
        geometry.all_points(),
        "two eyes of two points"
    );
    let (geometry, stones) = parse_rows(&["..o", "ooo"]);
    assert_eq!(geometry.secure_area(&stones, 0), 0, "one eye");
}

#[test]
fn area_score_counts_stones_and_territory() {
    let (geometry, stones) = parse_rows(&[".o.x.", "oo.xx", ".o.x."]);
    assert_eq!(geometry.area_score(&stones), 0);
    let (geometry, stones) = parse_rows(&[".o.", "..."]);
    assert_eq!(geometry.area_score(&stones), 6);
    let (geometry, stones) = parse_rows(&["...", "..."]);
    assert_eq!(geometry.area_score(&stones), 0);
    let (geometry, stones) = parse_rows(&["o.x", "o.."]);
    assert_eq!(geometry.area_score(&stones.swapped()), -1);
}
