//! The boards of single words against the board of the rules, and what is secure on drawn ones.

use super::word::Word;
use super::{Patch, Placed, Stones};
use crate::game::alive::pass_alive;
use crate::game::board::Board;
use crate::game::color::Color;
use crate::game::point::{BoardSize, Point};
use crate::game::pointset::PointSet;
use crate::rng::Rng;

fn own_set<W: Word>(patch: &Patch<W>, set: W) -> PointSet {
    set.points()
        .map(|number| {
            let (column, row) = patch.place_of(number);
            Point::at(column as usize, row as usize)
        })
        .collect()
}

/// Plays random moves on both kinds of board and compares all that they know.
fn agrees_with_the_board<W: Word>(width: u32, height: u32, moves: usize) {
    let patch = Patch::<W>::new(width, height).unwrap();
    let size = BoardSize::new(width as usize, height as usize).unwrap();
    let mut rng = Rng::new(u64::from(width * 100 + height));
    let mut board = Board::new(size);
    let mut stones = Stones::default();
    for turn in 0..moves {
        let color = [Color::Black, Color::White][turn % 2];
        let number = patch.number(
            rng.below(width as usize) as u32,
            rng.below(height as usize) as u32,
        );
        let (column, row) = patch.place_of(number);
        let point = Point::at(column as usize, row as usize);
        if board.is_empty_at(point) {
            let placed = patch.place(&stones, W::point(number));
            assert_eq!(placed.is_none(), board.is_suicide(color, point));
            let takes = W::point(number).within(patch.takes(&stones, true));
            assert_eq!(
                takes,
                placed.is_some_and(|placed| !placed.captured.is_empty())
            );
            assert_eq!(
                takes,
                W::point(number).within(patch.takes(&stones.swapped(), false))
            );
            if !takes && !board.empty_beside(point).is_empty() {
                let quiet = Placed::quiet(&stones, true, W::point(number));
                assert_eq!(Some(quiet), placed);
                let swapped = Placed::quiet(&stones.swapped(), false, W::point(number));
                assert_eq!(swapped.stones.swapped(), quiet.stones);
            }
            if let Some(placed) = placed {
                let known = board.place(color, point);
                assert_eq!(own_set(&patch, placed.captured), known.captured);
                assert_eq!(own_set(&patch, placed.ko).first(), known.ko);
                stones = placed.stones;
            }
        }
        assert_eq!(own_set(&patch, stones.own), *board.stones(color));
        let alive = pass_alive(&board, color, false);
        assert_eq!(
            own_set(&patch, patch.pass_alive(&stones, W::EMPTY)),
            alive.stones
        );
        stones = stones.swapped();
    }
}

#[test]
fn random_games_go_as_on_the_board() {
    agrees_with_the_board::<u64>(4, 4, 3000);
    agrees_with_the_board::<u64>(7, 7, 3000);
    agrees_with_the_board::<u128>(7, 7, 1000);
    agrees_with_the_board::<u128>(10, 11, 3000);
    agrees_with_the_board::<u128>(12, 10, 3000);
    agrees_with_the_board::<u128>(2, 19, 3000);
}

/// What lies at these distances from a place, as far as it is on the board.
fn at(size: BoardSize, (column, row): (u32, u32), steps: [(i32, i32); 4]) -> PointSet {
    let on_board = |at: i32, length: usize| usize::try_from(at).ok().filter(|at| *at < length);
    let places = steps.into_iter().filter_map(|(right, down)| {
        let column = on_board(column as i32 + right, size.width())?;
        let row = on_board(row as i32 + down, size.height())?;
        Some(Point::at(column, row))
    });
    places.collect()
}

/// Asks for what is beside and across the corners of each point of all boards that fit, and tells how many do.
fn boards_whose_points_lie_as_drawn<W: Word>() -> usize {
    let sizes = (2..=19).flat_map(|width| (2..=19).map(move |height| (width, height)));
    let fitting = sizes.filter_map(|(width, height)| Patch::<W>::new(width, height));
    let looked_at = fitting.map(|patch| {
        let (width, height) = (patch.width() as usize, patch.height() as usize);
        let size = BoardSize::new(width, height).unwrap();
        assert_eq!(patch.area().count() as usize, width * height);
        for number in patch.area().points() {
            let (place, point) = (patch.place_of(number), W::point(number));
            assert_eq!(patch.number(place.0, place.1), number);
            let beside = at(size, place, [(1, 0), (-1, 0), (0, 1), (0, -1)]);
            assert_eq!(own_set(&patch, patch.beside(point)), beside);
            let corners = at(size, place, [(1, 1), (-1, 1), (1, -1), (-1, -1)]);
            assert_eq!(own_set(&patch, patch.corners(point)), corners);
        }
    });
    looked_at.count()
}

#[test]
fn neighbours_lie_as_on_the_board_whichever_way_it_lies_in_the_word() {
    // A board fits if one of w x h and h x w does.
    let fits = |bits: usize, halves: usize| {
        let fits = |w: usize, h: usize| (w + 1) * h.div_ceil(halves) - 1 <= bits;
        let sizes = (2..=19).flat_map(|w| (2..=19).map(move |h| (w, h)));
        sizes.filter(|&(w, h)| fits(w, h) || fits(h, w)).count()
    };
    assert_eq!(boards_whose_points_lie_as_drawn::<u8>(), fits(8, 1));
    assert_eq!(boards_whose_points_lie_as_drawn::<u64>(), fits(64, 1));
    assert_eq!(boards_whose_points_lie_as_drawn::<u128>(), fits(64, 2));
}

#[test]
fn what_does_not_fit_is_refused() {
    assert!(Patch::<u64>::new(7, 8).is_some() && Patch::<u64>::new(8, 8).is_none());
    for (width, height) in [(19, 6), (16, 7), (15, 8), (12, 10)] {
        assert!(Patch::<u128>::new(width, height).is_some());
        assert!(Patch::<u128>::new(height, width).is_some());
    }
    for (width, height) in [(19, 7), (17, 7), (16, 8), (13, 9), (11, 11)] {
        assert!(Patch::<u128>::new(width, height).is_none());
        assert!(Patch::<u128>::new(height, width).is_none());
    }
    assert!(Patch::<u64>::new(0, 3).is_none() && Patch::<u64>::new(3, 0).is_none());
    assert!(Patch::<u64>::new(u32::MAX, u32::MAX).is_none());
}

/// Rows from the top: `o` own, `x` other, `.` empty.
fn drawn(rows: &[&str]) -> (Patch<u64>, Stones<u64>) {
    let patch = Patch::new(rows[0].len() as u32, rows.len() as u32).unwrap();
    let mut stones = Stones::default();
    for (row, text) in rows.iter().enumerate() {
        for (column, mark) in text.chars().enumerate() {
            let point = 1 << patch.number(column as u32, row as u32);
            match mark {
                'o' => stones.own |= point,
                'x' => stones.other |= point,
                _ => {}
            }
        }
    }
    (patch, stones)
}

#[test]
fn ground_where_nobody_can_live_is_secure() {
    // Both eyes and the stones, but also the bottom: no two points of it are out of touch.
    let (patch, stones) = drawn(&[".o.o.", "ooooo", ".....", "..x.."]);
    let bottom_is_open = patch.secure(&stones, 0);
    assert_eq!(
        bottom_is_open.count(),
        10,
        "two rows: the last has room for two eyes"
    );
    let (patch, stones) = drawn(&[".o.o.", "ooooo", ".x..."]);
    assert_eq!(patch.secure(&stones, 0), patch.area());
    let (patch, stones) = drawn(&[".o.o.", "ooooo", "o.x.o", "oo.oo"]);
    assert_eq!(patch.secure(&stones, 0), patch.area());
    let (patch, stones) = drawn(&["..o..", "ooooo"]);
    assert_eq!(
        patch.secure(&stones, 0),
        patch.area(),
        "two eyes of two points"
    );
    let (patch, stones) = drawn(&["..o", "ooo"]);
    assert_eq!(patch.secure(&stones, 0), 0, "one eye");
}

#[test]
fn the_lead_counts_stones_and_their_own_ground() {
    let (patch, stones) = drawn(&[".o.x.", "oo.xx", ".o.x."]);
    assert_eq!(patch.lead(&stones), 0);
    let (patch, stones) = drawn(&[".o.", "..."]);
    assert_eq!(patch.lead(&stones), 6);
    let (patch, stones) = drawn(&["...", "..."]);
    assert_eq!(patch.lead(&stones), 0);
    let (patch, stones) = drawn(&["o.x", "o.."]);
    assert_eq!(patch.lead(&stones.swapped()), -1);
}
