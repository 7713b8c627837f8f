//! Claims that contradict one another are never both proved, nor against the exact value of a small board.

use super::prove::Kos;
use super::*;
use crate::game::point::BoardSize;
use crate::rng::Rng;
use crate::tactics::solver::{Means, Solver};

/// A board of that size with stones at random, and Black's group at one of them.
fn random(rng: &mut Rng, size: BoardSize) -> Option<(Board, Point)> {
    let mut stones = [PointSet::EMPTY; 2];
    for point in size.points() {
        if let side @ 0..2 = rng.below(4) {
            stones[side].insert(point);
        }
    }
    let target = stones[0].first()?;
    Some((Board::with_stones(size, stones[0], stones[1]).ok()?, target))
}

fn search(board: &Board, target: Point, defends: bool, threads: usize) -> Option<Search> {
    let problem = Problem {
        board,
        region: board.area(),
        target: Some(target),
        to_play: if defends { Color::Black } else { Color::White },
        ko: None,
    };
    let limits = Limits {
        nodes: 3_000 * threads as u64,
        table_mib: 1,
        threads,
        ..Limits::default()
    };
    Search::new(&problem, Color::Black, limits).ok()
}

fn proved(search: &Search, lives: bool, wins_kos: bool, seki_lives: bool) -> bool {
    let claim = Claim {
        lives,
        kos: if wins_kos { Kos::Won } else { Kos::Lost },
        seki_lives,
        far: true,
    };
    search.attempt(claim, 1.0).proved == Some(true)
}

#[test]
fn nobody_both_lives_and_dies() {
    let mut rng = Rng::new(0x11fe);
    let (mut lived, mut died, mut by_ko) = (0, 0, 0);
    for _ in 0..120 {
        let size = BoardSize::new(3 + rng.below(3), 3 + rng.below(2)).unwrap();
        let Some((board, target)) = random(&mut rng, size) else {
            continue;
        };
        for defends in [false, true] {
            let Some(search) = search(&board, target, defends, 1 + rng.below(3)) else {
                continue;
            };
            let lives = [false, true].map(|kos| proved(&search, true, kos, true));
            let dies = [false, true].map(|kos| proved(&search, false, kos, true));
            assert!(!(lives[0] && dies[1]), "{board:?} {target:?} {defends}");
            assert!(!(lives[1] && dies[0]), "{board:?} {target:?} {defends}");
            let by_eyes = proved(&search, true, false, false);
            assert!(!by_eyes || lives[0], "{board:?} {target:?} {defends}");
            lived += u32::from(lives[0]);
            died += u32::from(dies[0]);
            by_ko += u32::from(lives[1] && dies[1]);
        }
    }
    assert!(
        lived > 20 && died > 20 && by_ko > 0,
        "{lived} {died} {by_ko}"
    );
}

/// Where White can have the whole board, no stone of Black's lives.
#[test]
fn who_loses_the_whole_board_does_not_live() {
    let mut rng = Rng::new(0x50fe);
    let size = BoardSize::new(3, 3).unwrap();
    let solver = Solver::new(size, Means::default()).unwrap();
    let mut lost = 0;
    for _ in 0..80 {
        let Some((board, target)) = random(&mut rng, size) else {
            continue;
        };
        for (to_play, defends) in [(Color::Black, true), (Color::White, false)] {
            let value = solver.solve_position(&board, to_play, &mut |_| {});
            if value.most == -9 {
                lost += 1;
                let search = search(&board, target, defends, 1).unwrap();
                assert!(!proved(&search, true, false, true), "{board:?} {to_play}");
            }
        }
    }
    assert!(lost > 10, "{lost}");
}
