//! Numbers of legal positions, as published by John Tromp (OEIS A094777 for square boards).

use honinbo::game::board::Board;
use honinbo::game::point::BoardSize;
use honinbo::game::pointset::PointSet;

fn size(width: usize, height: usize) -> BoardSize {
    BoardSize::new(width, height).unwrap()
}

fn subset(size: BoardSize, mask: u32) -> PointSet {
    size.points()
        .filter(|&point| mask >> size.index(point) & 1 != 0)
        .collect()
}

/// Counts the colourings for which `legal(black, white)` returns true. The arguments are masks of points.
fn count(size: BoardSize, mut legal: impl FnMut(u32, u32) -> bool) -> u32 {
    let all = (1u32 << size.area()) - 1;
    let mut count = 0;
    for black in 0..=all {
        let candidates = all & !black;
        let mut white = candidates;
        loop {
            count += u32::from(legal(black, white));
            if white == 0 {
                break;
            }
            white = (white - 1) & candidates;
        }
    }
    count
}

#[test]
fn small_boards_match_published_counts() {
    for (width, height, expected) in [(2, 2, 57), (3, 2, 489), (2, 4, 4_125), (3, 3, 12_675)] {
        let size = size(width, height);
        let counted = count(size, |black, white| {
            Board::from_stones(size, subset(size, black), subset(size, white)).is_ok()
        });
        assert_eq!(counted, expected, "{size}");
    }
}

/// There are 43 million colourings. Components and their neighbours are computed once per set of points; then a
/// position is legal unless one set covers all neighbours of a component of the other.
#[test]
fn four_by_four_matches_published_count() {
    let size = size(4, 4);
    let board = PointSet::board(size);
    let sets: Vec<PointSet> = (0..1 << size.area())
        .map(|mask| subset(size, mask))
        .collect();
    let borders: Vec<Vec<PointSet>> = sets
        .iter()
        .map(|set| {
            set.components()
                .map(|chain| chain.neighbours(&board) - chain)
                .collect()
        })
        .collect();
    let has_liberties = |own: u32, other: u32| {
        borders[own as usize]
            .iter()
            .all(|border| !border.is_subset(&sets[other as usize]))
    };
    let counted = count(size, |black, white| {
        has_liberties(black, white) && has_liberties(white, black)
    });
    assert_eq!(counted, 24_318_165);
}
