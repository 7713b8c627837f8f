//! Tests that contradictory goals are never both proved, and that no proof contradicts the exact solution of a small
//! board.

use super::life_search::{LONG_SEARCH_NODES, LifeSearch};
use super::problem::{LifeGoal, LifeLimits, LifeOutcome, LifeProblem};
use super::proof_goal::{Assumptions, KoImmunity, ProofGoal};
use super::region::{Favours, Region};
use super::set::Set;
use crate::game::board::Board;
use crate::game::color::Color;
use crate::game::diagram;
use crate::game::point::{BoardSize, Point};
use crate::game::pointset::PointSet;
use crate::random::Rng;
use crate::tactics::bitboard::Stones;
use crate::tactics::bitboard::word::Word;
use crate::tactics::solver::{Solver, SolverOptions};
use std::collections::{HashMap, HashSet};

/// Returns a board with random stones, and one of Black's stones. Returns `None` if Black has no stones, or if a chain
/// has no liberties.
fn random_board(rng: &mut Rng, size: BoardSize) -> Option<(Board, Point)> {
    let mut stones = [PointSet::EMPTY; 2];
    for point in size.points() {
        if let side @ 0..2 = rng.below(4) {
            stones[side].insert(point);
        }
    }
    let target = stones[0].first()?;
    Some((Board::from_stones(size, stones[0], stones[1]).ok()?, target))
}

fn search(
    board: &Board,
    target: Point,
    defender_to_move: bool,
    threads: usize,
) -> Option<LifeSearch> {
    let problem = LifeProblem {
        board,
        region: board.all_points(),
        target: Some(target),
        to_move: if defender_to_move {
            Color::Black
        } else {
            Color::White
        },
        ko: None,
    };
    let limits = LifeLimits {
        nodes_per_proof: 3_000 * threads as u64,
        table_mib: 1,
        threads,
        ..LifeLimits::default()
    };
    LifeSearch::new(&problem, Color::Black, limits).ok()
}

fn is_proved(search: &LifeSearch, lives: bool, wins_kos: bool, seki_lives: bool) -> bool {
    let goal = ProofGoal {
        lives,
        ko_immunity: if wins_kos {
            KoImmunity::Prover
        } else {
            KoImmunity::Opponent
        },
        seki_lives,
        allow_distant_moves: true,
        assumptions: Assumptions::Unfavourable,
    };
    search.run_proof_search(goal, 1.0).proved == Some(true)
}

#[test]
fn life_and_death_exclude_each_other() {
    let mut rng = Rng::new(0x11fe);
    let (mut lived, mut died, mut by_ko) = (0, 0, 0);
    for _ in 0..120 {
        let size = BoardSize::new(3 + rng.below(3), 3 + rng.below(2)).unwrap();
        let Some((board, target)) = random_board(&mut rng, size) else {
            continue;
        };
        for defender_to_move in [false, true] {
            let Some(search) = search(&board, target, defender_to_move, 1 + rng.below(3)) else {
                continue;
            };
            let lives = [false, true].map(|wins_kos| is_proved(&search, true, wins_kos, true));
            let dies = [false, true].map(|wins_kos| is_proved(&search, false, wins_kos, true));
            assert!(
                !(lives[0] && dies[1]),
                "{board:?} {target:?} {defender_to_move}"
            );
            assert!(
                !(lives[1] && dies[0]),
                "{board:?} {target:?} {defender_to_move}"
            );
            let by_eyes = is_proved(&search, true, false, false);
            assert!(
                !by_eyes || lives[0],
                "{board:?} {target:?} {defender_to_move}"
            );
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

/// Returns the goal of the side to move.
fn goal_of(defender_to_move: bool) -> LifeGoal {
    match defender_to_move {
        true => LifeGoal::Live,
        false => LifeGoal::Kill,
    }
}

/// Uses regions that are open to the outside, for which a long search starts with the narrow region.
#[test]
fn guided_proofs_are_never_contradicted() {
    let mut rng = Rng::new(0x9a1d);
    let size = BoardSize::new(12, 4).unwrap();
    let (mut lived, mut died) = (0, 0);
    for _ in 0..30 {
        let corner = BoardSize::new(4, 3).unwrap();
        let Some((stones, target)) = random_board(&mut rng, corner) else {
            continue;
        };
        let [black, white] = [Color::Black, Color::White].map(|color| *stones.stones(color));
        let board = Board::from_stones(size, black, white).unwrap();
        for defender_to_move in [false, true] {
            let problem = LifeProblem {
                board: &board,
                region: &PointSet::rectangle(Point::at(0, 0), Point::at(9, 3)),
                target: Some(target),
                to_move: if defender_to_move {
                    Color::Black
                } else {
                    Color::White
                },
                ko: None,
            };
            let search = |nodes| {
                let limits = LifeLimits {
                    nodes_per_proof: nodes,
                    ..LifeLimits::default()
                };
                LifeSearch::new(&problem, Color::Black, limits).unwrap()
            };
            let guided = search(LONG_SEARCH_NODES);
            if guided.narrow_region.is_none() {
                // The group is enclosed.
                continue;
            }
            let (outcome, _, _) = guided.determine_outcome(goal_of(defender_to_move));
            if outcome == LifeOutcome::Success {
                let opposite_proved = is_proved(
                    &search(LONG_SEARCH_NODES - 1),
                    !defender_to_move,
                    true,
                    true,
                );
                assert!(!opposite_proved, "{board:?} {target:?} {defender_to_move}");
                *(if defender_to_move {
                    &mut lived
                } else {
                    &mut died
                }) += 1;
            }
        }
    }
    assert!(lived > 5 && died > 5, "{lived} {died}");
}

/// If White can own the whole board, no black stone lives.
#[test]
fn life_agrees_with_board_solver() {
    let mut rng = Rng::new(0x50fe);
    let size = BoardSize::new(3, 3).unwrap();
    let solver = Solver::new(size, SolverOptions::default()).unwrap();
    let mut lost = 0;
    for _ in 0..80 {
        let Some((board, target)) = random_board(&mut rng, size) else {
            continue;
        };
        for (to_play, defender_to_move) in [(Color::Black, true), (Color::White, false)] {
            let value = solver.solve_position(&board, to_play, &mut |_| {});
            if value.upper == -9 {
                lost += 1;
                let search = search(&board, target, defender_to_move, 1).unwrap();
                assert!(
                    !is_proved(&search, true, false, true),
                    "{board:?} {to_play}"
                );
            }
        }
    }
    assert!(lost > 10, "{lost}");
}

/// Stones, whether the owner is to move, and the ko point.
type CornerNode = (Stones<Set>, bool, Set);

/// All positions of a small corner that the attacker surrounds with safe stones.
struct Corner {
    region: Region,
    /// Points of the corner, as indices in the region.
    points: Vec<u32>,
    /// Positions in which every chain has a liberty.
    positions: Vec<Stones<Set>>,
}

impl Corner {
    fn new(columns: usize, rows: usize) -> Self {
        let size = BoardSize::new(columns + 3, rows + 3).unwrap();
        let all = PointSet::board(size);
        let rectangle = |columns: usize, rows: usize| -> PointSet {
            let is_inside = |point: &Point| point.column() < columns && point.row() < rows;
            all.iter().filter(is_inside).collect()
        };
        let corner = rectangle(columns, rows);
        let eyes = [1, 3].map(|left| Point::at(size.width() - left, size.height() - 1));
        let attackers = all - corner - eyes.into_iter().collect();
        let own = PointSet::single(Point::at(0, 0));
        let board = Board::from_stones(size, own, attackers).unwrap();
        let problem = LifeProblem {
            board: &board,
            region: &rectangle(columns + 1, rows + 1),
            target: None,
            to_move: Color::Black,
            ko: None,
        };
        let region =
            Region::new(&problem, problem.region, Color::Black, Favours::Defender).unwrap();
        let points: Vec<u32> = corner
            .iter()
            .filter_map(|point| region.index(point))
            .collect();
        let positions = all_positions(&region, &points);
        Self {
            region,
            points,
            positions,
        }
    }

    /// Returns the successors of a node. `is_ko_bound` applies the ko rule to the side to move.
    fn successors(
        &self,
        (stones, owner_to_move, ko): CornerNode,
        is_ko_bound: bool,
    ) -> Vec<CornerNode> {
        let Region {
            geometry: patch, ..
        } = self.region;
        let empty = patch.empty_points(&stones);
        let after_move = |&index: &u32| {
            let point = Set::single(index);
            let is_allowed = point.intersects(empty) && !(is_ko_bound && point == ko);
            let effect = is_allowed.then(|| patch.play(&stones, owner_to_move, point));
            effect?.map(|effect| (effect.stones, !owner_to_move, effect.ko))
        };
        let pass = (stones, !owner_to_move, Set::EMPTY);
        self.points
            .iter()
            .filter_map(after_move)
            .chain([pass])
            .collect()
    }

    /// Returns the nodes in which the attacker captures all stones of the owner against any defence. The attacker may
    /// retake a ko immediately if `attacker_wins_kos` is true; otherwise neither side may.
    fn captured_nodes(&self, attacker_wins_kos: bool) -> HashSet<CornerNode> {
        let initial_nodes = |&stones: &Stones<Set>| {
            [true, false].map(|owner_to_move| (stones, owner_to_move, Set::EMPTY))
        };
        let mut pending: Vec<CornerNode> = self.positions.iter().flat_map(initial_nodes).collect();
        let mut successors = HashMap::new();
        while let Some(node) = pending.pop() {
            successors.entry(node).or_insert_with(|| {
                let next = self.successors(node, node.1 || !attacker_wins_kos);
                pending.extend(&next);
                next
            });
        }
        let mut captured = HashSet::new();
        loop {
            let previous_len = captured.len();
            for (node, next) in &successors {
                let mut next = next.iter();
                let (stones, owner_to_move, _) = node;
                let is_captured = stones.own.is_empty()
                    || if *owner_to_move {
                        next.all(|next| captured.contains(next))
                    } else {
                        next.any(|next| captured.contains(next))
                    };
                if is_captured {
                    captured.insert(*node);
                }
            }
            if captured.len() == previous_len {
                return captured;
            }
        }
    }
}

fn all_positions(region: &Region, points: &[u32]) -> Vec<Stones<Set>> {
    let attackers = region.stones.opponent;
    let mut positions = vec![Stones {
        own: Set::EMPTY,
        opponent: attackers,
    }];
    for point in points.iter().map(|&index| Set::single(index)) {
        let extensions = |stones: Stones<Set>| {
            let own = stones.own | point;
            let opponent = stones.opponent | point;
            [
                stones,
                Stones { own, ..stones },
                Stones { opponent, ..stones },
            ]
        };
        positions = positions.into_iter().flat_map(extensions).collect();
    }
    let geometry = region.geometry;
    positions.retain(|stones| {
        let empty = geometry.empty_points(stones);
        let has_liberty = |chain: Set| {
            geometry.neighbours(chain).intersects(empty) || chain.intersects(attackers)
        };
        let mut chains = geometry
            .components(stones.own)
            .chain(geometry.components(stones.opponent));
        chains.all(has_liberty)
    });
    positions
}

/// The static tests for life and death agree with exhaustive search.
#[test]
fn static_status_matches_exhaustive_search() {
    for (columns, rows) in [(3, 3), (4, 2)] {
        let corner = Corner::new(columns, rows);
        let [dies, dies_by_ko] =
            [false, true].map(|attacker_wins_kos| corner.captured_nodes(attacker_wins_kos));
        let (mut dead, mut dead_beyond_plain, mut alive) = (0, 0, 0);
        for &stones in corner
            .positions
            .iter()
            .filter(|stones| !stones.own.is_empty())
        {
            let region = &corner.region;
            if stones.own.is_subset(region.dead_area(&stones, true)) {
                let node = (stones, true, Set::EMPTY);
                assert!(dies.contains(&node), "{columns}x{rows} {stones:?}");
                let safe_attackers = region.safe_attackers(&stones, true);
                let plain_area = region
                    .geometry
                    .secure_area(&stones.swapped(), safe_attackers);
                dead += 1;
                dead_beyond_plain += u32::from(!stones.own.is_subset(plain_area));
            }
            if !region.alive_defenders(&stones, false).is_empty() {
                let node = (stones, false, Set::EMPTY);
                assert!(!dies_by_ko.contains(&node), "{columns}x{rows} {stones:?}");
                alive += 1;
            }
        }
        let summary = format!("{columns}x{rows}: {dead}, of them {dead_beyond_plain}, {alive}");
        assert!(
            dead > 100 && dead_beyond_plain > 50 && alive > 0,
            "{summary}"
        );
    }
}

#[test]
fn exhausted_budget_proves_no_ko() {
    let mut rng = Rng::new(0x5eed);
    let (mut confirmed, mut unconfirmed) = (0, 0);
    for _ in 0..300 {
        let size = BoardSize::new(3 + rng.below(3), 3 + rng.below(2)).unwrap();
        let Some((board, target)) = random_board(&mut rng, size) else {
            continue;
        };
        for defender_to_move in [false, true] {
            let solve = |nodes: u64| {
                let mut search = search(&board, target, defender_to_move, 1)?;
                search.limits.nodes_per_proof = nodes;
                Some(search.solve(goal_of(defender_to_move)).outcome)
            };
            let Some(full_outcome) = solve(3_000) else {
                continue;
            };
            for nodes in [5, 10, 20, 40, 80, 160] {
                match solve(nodes) {
                    Some(LifeOutcome::Ko {
                        is_confirmed: false,
                        ..
                    }) => unconfirmed += 1,
                    Some(LifeOutcome::Ko { .. }) => {
                        assert!(
                            matches!(full_outcome, LifeOutcome::Ko { .. }),
                            "{full_outcome:?}, {nodes}"
                        );
                        confirmed += 1;
                    }
                    _ => {}
                }
            }
        }
    }
    assert!(
        confirmed > 0 && unconfirmed > 10,
        "{confirmed} {unconfirmed}"
    );
}

/// White's two stones at B3 and B4 can connect at C3 or C4. A single stone could be cut off.
#[test]
fn two_connections_make_an_attacker_safe() {
    for (row, is_safe) in [(". O . O O O O", true), (". . . O O O O", false)] {
        let text = format!(
            "X . . O O O O
             . O . O O O .
             {row}
             . . . O O O .
             O O O O O O O"
        );
        let board = diagram::parse_board(&text).unwrap();
        let problem = LifeProblem {
            board: &board,
            region: &PointSet::rectangle(Point::at(0, 0), Point::at(4, 4)),
            target: None,
            to_move: Color::Black,
            ko: None,
        };
        let region =
            Region::new(&problem, problem.region, Color::Black, Favours::Defender).unwrap();
        let stone = Set::single(region.index(Point::at(1, 1)).unwrap());
        let safe = region.safe_attackers(&region.stones, true);
        assert_eq!(stone.is_subset(safe), is_safe, "{text}");
    }
}
