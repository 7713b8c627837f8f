//! The promise of the zones: whatever stands outside, the result is the same.

use super::super::budget::{Budget, Limits};
use super::super::capture::Capture;
use super::super::goal::Goal;
use super::super::join::Join;
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

fn search<G: Goal>(board: &Board, goal: G, maker: Color, free: Free, turn: Turn) -> Finding {
    let mut search = Search::new();
    let budget = Budget::new(&Limits {
        plies: 0,
        nodes: u64::MAX,
        time: None,
    });
    search.start(board, goal, maker, budget);
    search.set_free(free);
    search.search(turn).expect("no limit")
}

fn some_stone(board: &Board, color: Option<Color>, rng: &mut Rng) -> Option<Point> {
    let stones = color.map_or(board.occupied(), |color| *board.stones(color));
    stones.iter().nth(rng.below(stones.len().max(1)))
}

/// Reads goals of random boards, drawn with their makers and their stones, and redraws the boards outside the zones.
fn nothing_outside_matters<G: Goal>(
    seed: u64,
    count: usize,
    draw: impl Fn(&Board, &mut Rng) -> Option<(G, Color, PointSet)>,
) {
    let mut rng = Rng::new(seed);
    let (mut reached, mut prevented) = (0, 0);
    while reached < count || prevented < count {
        let size = BoardSize::new(3 + rng.below(3), 3 + rng.below(3)).expect("a small board");
        let density = 0.4 + 0.5 * rng.unit_f64();
        let nothing = Board::new(size);
        let Some(board) = redrawn(&nothing, &PointSet::EMPTY, density, &mut rng) else {
            continue;
        };
        let Some((goal, maker, stones)) = draw(&board, &mut rng) else {
            continue;
        };
        let side = [Side::Maker, Side::Breaker][rng.below(2)];
        let to_move = match side {
            Side::Maker => maker,
            Side::Breaker => maker.opposite(),
        };
        let turn = Turn {
            depth: 0,
            side,
            moves: 1 + rng.below(4),
            ko: some_ko(&board, to_move, &mut rng),
        };
        let free = [Free::Maker, Free::Nobody, Free::Breaker][rng.below(3)];
        let finding = search(&board, goal, maker, free, turn);
        // Of a goal that is lost for ever not all moves need be tried.
        let most = if finding.reached {
            usize::MAX
        } else {
            turn.moves
        };
        let moves = usize::from(finding.moves).min(most);
        for _ in 0..4 {
            let keep = finding.zone | stones;
            let Some(other) = redrawn(&board, &keep, density, &mut rng) else {
                continue;
            };
            let found = search(&other, goal, maker, free, Turn { moves, ..turn });
            // By a chase the search may reach a goal in more moves than it must.
            let is_reached =
                found.reached && (finding.reached || usize::from(found.moves) <= moves);
            assert_eq!(
                is_reached, finding.reached,
                "{turn:?} {free:?} {finding:?} {board:?} {other:?}"
            );
            reached += usize::from(finding.reached);
            prevented += usize::from(!finding.reached);
        }
    }
}

#[test]
fn nothing_outside_the_zone_of_a_capture_matters() {
    nothing_outside_matters(84, 400, |board, rng| {
        let target = some_stone(board, None, rng)?;
        let owner = board.color_at(target)?;
        let stones = PointSet::single(target);
        Some((Capture(target), owner.opposite(), stones))
    });
}

#[test]
fn nothing_outside_the_zone_of_a_connection_matters() {
    nothing_outside_matters(85, 400, |board, rng| {
        let one = some_stone(board, None, rng)?;
        let owner = board.color_at(one)?;
        let other = some_stone(board, Some(owner), rng)?;
        let goal = Join([one, other]);
        (!goal.is_reached(board)).then(|| (goal, owner, [one, other].into_iter().collect()))
    });
}
