//! The promise of the zones: whatever stands outside, the result is the same.

use super::super::budget::{Budget, Limits};
use super::super::ko::Free;
use super::super::memory::Finding;
use super::super::search::Search;
use super::super::turn::{Side, Turn};
use crate::game::board::Board;
use crate::game::color::Color;
use crate::game::point::{BoardSize, Point};
use crate::game::pointset::PointSet;
use crate::rng::Rng;

/// The same contents within `keep`, anything elsewhere; none when a chain would have no liberty.
fn redrawn(board: &Board, keep: &PointSet, density: f64, rng: &mut Rng) -> Option<Board> {
    let mut stones = Color::BOTH.map(|color| *board.stones(color) & *keep);
    for point in *board.area() - *keep {
        if rng.chance(density) {
            stones[rng.below(2)].insert(point);
        }
    }
    Board::with_stones(board.size(), stones[0], stones[1]).ok()
}

/// A ko that the side to move may have to leave alone: the last liberty of a lone opposing stone.
fn some_ko(board: &Board, to_move: Color, rng: &mut Rng) -> Option<Point> {
    let kos: Vec<Point> = board
        .chains()
        .filter(|chain| chain.color != to_move && chain.stones.len() == 1)
        .filter_map(|chain| chain.liberties.only())
        .filter(|&point| board.captures(to_move, point).len() == 1)
        .collect();
    (!kos.is_empty()).then(|| kos[rng.below(kos.len())])
}

fn search(board: &Board, target: Point, free: Free, turn: Turn) -> Finding {
    let mut search = Search::new();
    let chain = board.chain_at(target).expect("a stone");
    let budget = Budget::new(&Limits {
        plies: 0,
        nodes: u64::MAX,
        time: None,
    });
    search.start(board, chain, budget);
    search.set_free(free);
    search.search(turn).expect("no limit")
}

#[test]
fn nothing_outside_a_zone_matters() {
    let mut rng = Rng::new(84);
    let (mut captured, mut safe) = (0, 0);
    while captured < 400 || safe < 400 {
        let size = BoardSize::new(3 + rng.below(3), 3 + rng.below(3)).expect("a small board");
        let density = 0.4 + 0.5 * rng.unit_f64();
        let nothing = Board::new(size);
        let Some(board) = redrawn(&nothing, &PointSet::EMPTY, density, &mut rng) else {
            continue;
        };
        let chains: Vec<_> = board.chains().collect();
        if chains.is_empty() {
            continue;
        }
        let chain = chains[rng.below(chains.len())];
        let target = chain.stones.first().expect("a stone");
        let side = [Side::Attacker, Side::Defender][rng.below(2)];
        let to_move = match side {
            Side::Attacker => chain.color.opposite(),
            Side::Defender => chain.color,
        };
        let turn = Turn {
            depth: 0,
            side,
            moves: 1 + rng.below(4),
            ko: some_ko(&board, to_move, &mut rng),
        };
        let free = [Free::Attacker, Free::Nobody, Free::Defender][rng.below(3)];
        let finding = search(&board, target, free, turn);
        let moves = usize::from(finding.moves);
        for _ in 0..4 {
            let Some(other) = redrawn(&board, &finding.zone, density, &mut rng) else {
                continue;
            };
            let found = search(&other, target, free, Turn { moves, ..turn });
            // By a chase the search may capture in more moves than it must.
            let is_captured =
                found.captured && (finding.captured || usize::from(found.moves) <= moves);
            assert_eq!(
                is_captured, finding.captured,
                "{turn:?} {free:?} {finding:?} {board:?} {other:?}"
            );
            captured += usize::from(finding.captured);
            safe += usize::from(!finding.captured);
        }
    }
}
