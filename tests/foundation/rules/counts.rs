//! The numbers of legal positions, as John Tromp counted them (OEIS A094777 for the squares).

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

/// Counts the colourings whose chains all have liberties, by `legal(black, white)` over masks of points.
fn count(size: BoardSize, mut legal: impl FnMut(u32, u32) -> bool) -> u32 {
    let all = (1u32 << size.area()) - 1;
    let mut count = 0;
    for black in 0..=all {
        let room = all & !black;
        let mut white = room;
        loop {
            count += u32::from(legal(black, white));
            if white == 0 {
                break;
            }
            white = (white - 1) & room;
        }
    }
    count
}

#[test]
fn boards_that_can_be_set_up_are_the_legal_positions() {
    for (width, height, expected) in [(2, 2, 57), (3, 2, 489), (2, 4, 4_125), (3, 3, 12_675)] {
        let size = size(width, height);
        let counted = count(size, |black, white| {
            Board::with_stones(size, subset(size, black), subset(size, white)).is_ok()
        });
        assert_eq!(counted, expected, "{size}");
    }
}

/// 43 million colourings. The components of every set of points, and what surrounds them, are found once for each set;
/// what is left for each pair of sets is whether one covers the surroundings of a component of the other.
#[test]
fn four_by_four_has_its_24_million_legal_positions() {
    let size = size(4, 4);
    let board = PointSet::board(size);
    let sets: Vec<PointSet> = (0..1 << size.area())
        .map(|mask| subset(size, mask))
        .collect();
    let surroundings: Vec<Vec<PointSet>> = sets
        .iter()
        .map(|set| {
            set.components()
                .map(|chain| chain.neighbours(&board) - chain)
                .collect()
        })
        .collect();
    let breathes = |own: u32, other: u32| {
        surroundings[own as usize]
            .iter()
            .all(|around| !around.is_subset(&sets[other as usize]))
    };
    let counted = count(size, |black, white| {
        breathes(black, white) && breathes(white, black)
    });
    assert_eq!(counted, 24_318_165);
}
