//! Tests that results do not change if the contents of all points outside their zones are replaced at random.

use super::super::capture::CaptureGoal;
use super::super::connection::ConnectionGoal;
use super::super::goal::{ReadingGoal, ReadingSide};
use super::super::query::ReadingLimits;
use super::super::search::{KoImmunity, ReadingMemory, ReadingNode, ReadingSearch};
use super::super::table::NodeResult;
use crate::game::board::Board;
use crate::game::color::Color;
use crate::game::point::{BoardSize, Point};
use crate::game::pointset::PointSet;
use crate::random::Rng;

/// Returns a board with the same contents inside `fixed` and random contents elsewhere, where each point is occupied
/// with probability `density`. Returns `None` if a chain has no liberties.
fn randomize_outside(
    board: &Board,
    fixed: &PointSet,
    density: f64,
    rng: &mut Rng,
) -> Option<Board> {
    let mut stones = Color::BOTH.map(|color| *board.stones(color) & *fixed);
    for point in *board.all_points() - *fixed {
        if rng.chance(density) {
            stones[rng.below(2)].insert(point);
        }
    }
    Board::from_stones(board.size(), stones[0], stones[1]).ok()
}

/// Returns a random ko point: the last liberty of a single opposing stone, where the side to move may be forbidden
/// to play.
fn random_ko(board: &Board, to_move: Color, rng: &mut Rng) -> Option<Point> {
    let kos: Vec<Point> = board
        .chains()
        .filter(|chain| chain.color != to_move && chain.stones.len() == 1)
        .filter_map(|chain| chain.liberties.only())
        .filter(|&point| board.captured_by_move(to_move, point).len() == 1)
        .collect();
    (!kos.is_empty()).then(|| kos[rng.below(kos.len())])
}

fn search<G: ReadingGoal>(
    board: &Board,
    goal: G,
    maker: Color,
    ko_immunity: KoImmunity,
    node: ReadingNode,
) -> NodeResult {
    let limits = ReadingLimits {
        plies: 0,
        nodes: u64::MAX,
        time: None,
    };
    let mut memory = ReadingMemory::default();
    let mut search = ReadingSearch::new(&mut memory, board, goal, maker, &limits);
    search.set_ko_immunity(ko_immunity);
    search.search(node).expect("no limit")
}

fn random_stone(board: &Board, color: Option<Color>, rng: &mut Rng) -> Option<Point> {
    let stones = color.map_or(board.occupied_points(), |color| *board.stones(color));
    stones.iter().nth(rng.below(stones.len().max(1)))
}

/// Reads random goals on random boards, and checks that the results stay the same if the contents of the points outside
/// their zones are replaced at random. `random_goal` returns a goal, its maker and the stones in question.
fn check_zone_sufficiency<G: ReadingGoal>(
    seed: u64,
    count: usize,
    random_goal: impl Fn(&Board, &mut Rng) -> Option<(G, Color, PointSet)>,
) {
    let mut rng = Rng::new(seed);
    let (mut reached, mut prevented) = (0, 0);
    while reached < count || prevented < count {
        let size = BoardSize::new(3 + rng.below(3), 3 + rng.below(3)).expect("a small board");
        let density = 0.4 + 0.5 * rng.unit_f64();
        let empty_board = Board::new(size);
        let Some(board) = randomize_outside(&empty_board, &PointSet::EMPTY, density, &mut rng)
        else {
            continue;
        };
        let Some((goal, maker, stones)) = random_goal(&board, &mut rng) else {
            continue;
        };
        let side = [ReadingSide::Maker, ReadingSide::Breaker][rng.below(2)];
        let to_move = match side {
            ReadingSide::Maker => maker,
            ReadingSide::Breaker => maker.opposite(),
        };
        let node = ReadingNode {
            depth: 0,
            side,
            moves_left: 1 + rng.below(4),
            ko: random_ko(&board, to_move, &mut rng),
        };
        let ko_immunity =
            [KoImmunity::Maker, KoImmunity::Neither, KoImmunity::Breaker][rng.below(3)];
        let result = search(&board, goal, maker, ko_immunity, node);
        // If the goal is unreachable, `result.moves` can exceed the number of moves that were searched.
        let max_moves = if result.reached {
            usize::MAX
        } else {
            node.moves_left
        };
        let moves = usize::from(result.moves).min(max_moves);
        for _ in 0..4 {
            let fixed = result.zone | stones;
            let Some(altered) = randomize_outside(&board, &fixed, density, &mut rng) else {
                continue;
            };
            let altered_result = search(
                &altered,
                goal,
                maker,
                ko_immunity,
                ReadingNode {
                    moves_left: moves,
                    ..node
                },
            );
            // Forcing moves can reach the goal with more than `moves` moves. Such a success does not contradict a
            // failure.
            let is_reached = altered_result.reached
                && (result.reached || usize::from(altered_result.moves) <= moves);
            assert_eq!(
                is_reached, result.reached,
                "{node:?} {ko_immunity:?} {result:?} {board:?} {altered:?}"
            );
            reached += usize::from(result.reached);
            prevented += usize::from(!result.reached);
        }
    }
}

#[test]
fn capture_zone_is_sufficient() {
    check_zone_sufficiency(84, 400, |board, rng| {
        let target = random_stone(board, None, rng)?;
        let owner = board.color_at(target)?;
        let stones = PointSet::single(target);
        Some((CaptureGoal(target), owner.opposite(), stones))
    });
}

#[test]
fn connection_zone_is_sufficient() {
    check_zone_sufficiency(85, 400, |board, rng| {
        let first = random_stone(board, None, rng)?;
        let owner = board.color_at(first)?;
        let second = random_stone(board, Some(owner), rng)?;
        let goal = ConnectionGoal([first, second]);
        (!goal.is_reached(board)).then(|| (goal, owner, [first, second].into_iter().collect()))
    });
}
