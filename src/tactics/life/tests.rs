//! Claims that contradict one another are never both proved, nor against the exact value of a small board.

use super::*;
use crate::game::point::BoardSize;
use crate::rng::Rng;
use crate::tactics::patch::Stones;
use crate::tactics::solver::{Means, Solver};
use std::collections::{HashMap, HashSet};

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
        narrow: false,
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

/// On pieces with open ground, where a long search looks at the narrow piece first.
#[test]
fn what_a_guided_search_proves_no_other_disproves() {
    let mut rng = Rng::new(0x9a1d);
    let size = BoardSize::new(12, 4).unwrap();
    let (mut lived, mut died) = (0, 0);
    for _ in 0..30 {
        let corner = BoardSize::new(4, 3).unwrap();
        let Some((stones, target)) = random(&mut rng, corner) else {
            continue;
        };
        let [black, white] = [Color::Black, Color::White].map(|color| *stones.stones(color));
        let board = Board::with_stones(size, black, white).unwrap();
        for defends in [false, true] {
            let problem = Problem {
                board: &board,
                region: &PointSet::rectangle(Point::at(0, 0), Point::at(9, 3)),
                target: Some(target),
                to_play: if defends { Color::Black } else { Color::White },
                ko: None,
            };
            let search = |nodes| {
                let limits = Limits {
                    nodes,
                    ..Limits::default()
                };
                Search::new(&problem, Color::Black, limits).unwrap()
            };
            let guided = search(LONG);
            if guided.narrow.is_none() {
                // The group is shut in.
                continue;
            }
            let (outcome, _, _) = guided.settle(defends);
            if outcome == Outcome::Success {
                let contrary = proved(&search(LONG - 1), !defends, true, true);
                assert!(!contrary, "{board:?} {target:?} {defends}");
                *(if defends { &mut lived } else { &mut died }) += 1;
            }
        }
    }
    assert!(lived > 5 && died > 5, "{lived} {died}");
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

/// A position, with whether the owner is to move and where a ko was taken last.
type Turn = (Stones<Set>, bool, Set);

/// All positions of a small corner whose outside is the attacker's for good.
struct Corner {
    locale: Locale,
    /// The points of the corner, by their numbers in the piece.
    points: Vec<u32>,
    /// Where every chain has a liberty.
    positions: Vec<Stones<Set>>,
}

impl Corner {
    fn new(columns: usize, rows: usize) -> Self {
        let size = BoardSize::new(columns + 3, rows + 3).unwrap();
        let all = PointSet::board(size);
        let within = |columns: usize, rows: usize| -> PointSet {
            let is_in = |point: &Point| point.column() < columns && point.row() < rows;
            all.iter().filter(is_in).collect()
        };
        let corner = within(columns, rows);
        let eyes = [1, 3].map(|left| Point::at(size.width() - left, size.height() - 1));
        let others = all - corner - eyes.into_iter().collect();
        let own = PointSet::single(Point::at(0, 0));
        let board = Board::with_stones(size, own, others).unwrap();
        let problem = Problem {
            board: &board,
            region: &within(columns + 1, rows + 1),
            target: None,
            to_play: Color::Black,
            ko: None,
        };
        let locale = Locale::new(&problem, Color::Black).unwrap();
        let points: Vec<u32> = corner
            .iter()
            .filter_map(|point| locale.number(point))
            .collect();
        let positions = positions(&locale, &points);
        Self {
            locale,
            points,
            positions,
        }
    }

    /// Where a turn may lead, for whom the ban on retaking holds or not.
    fn next(&self, (stones, owner, ko): Turn, bound: bool) -> Vec<Turn> {
        let Locale { patch, .. } = self.locale;
        let empty = patch.empty(&stones);
        let stone = |&number: &u32| {
            let point = Set::point(number);
            let allowed = point.meets(empty) && !(bound && point == ko);
            let placed = allowed.then(|| patch.play(&stones, owner, point));
            placed?.map(|placed| (placed.stones, !owner, placed.ko))
        };
        let pass = (stones, !owner, Set::EMPTY);
        self.points.iter().filter_map(stone).chain([pass]).collect()
    }

    /// The turns in which the attacker takes all stones of the owner, whatever that one does. Neither side may retake in
    /// a ko at once, unless the attacker wins them all.
    fn taken(&self, attacker_wins_kos: bool) -> HashSet<Turn> {
        let quiet = |&stones: &Stones<Set>| [true, false].map(|owner| (stones, owner, Set::EMPTY));
        let mut open: Vec<Turn> = self.positions.iter().flat_map(quiet).collect();
        let mut all = HashMap::new();
        while let Some(turn) = open.pop() {
            all.entry(turn).or_insert_with(|| {
                let next = self.next(turn, turn.1 || !attacker_wins_kos);
                open.extend(&next);
                next
            });
        }
        let mut taken = HashSet::new();
        loop {
            let before = taken.len();
            for (turn, next) in &all {
                let mut next = next.iter();
                let (stones, owner, _) = turn;
                let is_taken = stones.own.is_empty()
                    || if *owner {
                        next.all(|next| taken.contains(next))
                    } else {
                        next.any(|next| taken.contains(next))
                    };
                if is_taken {
                    taken.insert(*turn);
                }
            }
            if taken.len() == before {
                return taken;
            }
        }
    }
}

fn positions(locale: &Locale, points: &[u32]) -> Vec<Stones<Set>> {
    let wall = locale.stones.other;
    let mut found = vec![Stones {
        own: Set::EMPTY,
        other: wall,
    }];
    for point in points.iter().map(|&number| Set::point(number)) {
        let with = |stones: Stones<Set>| {
            let own = stones.own | point;
            let other = stones.other | point;
            [stones, Stones { own, ..stones }, Stones { other, ..stones }]
        };
        found = found.into_iter().flat_map(with).collect();
    }
    let patch = locale.patch;
    found.retain(|stones| {
        let empty = patch.empty(stones);
        let breathes = |chain: Set| patch.beside(chain).meets(empty) || chain.meets(wall);
        let mut chains = patch.parts(stones.own).chain(patch.parts(stones.other));
        chains.all(breathes)
    });
    found
}

/// What is seen without search, against all that can follow.
#[test]
fn what_is_seen_at_once_comes_true() {
    for (columns, rows) in [(3, 3), (4, 2)] {
        let corner = Corner::new(columns, rows);
        let [dies, dies_by_ko] = [false, true].map(|wins| corner.taken(wins));
        let (mut dead, mut more, mut alive) = (0, 0, 0);
        for &stones in corner
            .positions
            .iter()
            .filter(|stones| !stones.own.is_empty())
        {
            let locale = &corner.locale;
            if stones.own.within(locale.lost(&stones, true)) {
                let turn = (stones, true, Set::EMPTY);
                assert!(dies.contains(&turn), "{columns}x{rows} {stones:?}");
                let standing = locale.standing(&stones, true);
                let plain = locale.patch.secure(&stones.swapped(), standing);
                dead += 1;
                more += u32::from(!stones.own.within(plain));
            }
            if !locale.alive(&stones).is_empty() {
                let turn = (stones, false, Set::EMPTY);
                assert!(!dies_by_ko.contains(&turn), "{columns}x{rows} {stones:?}");
                alive += 1;
            }
        }
        let seen = format!("{columns}x{rows}: {dead}, of them {more}, {alive}");
        assert!(dead > 100 && more > 50 && alive > 0, "{seen}");
    }
}

#[test]
fn a_budget_that_runs_out_is_no_proof_of_a_ko() {
    let mut rng = Rng::new(0x5eed);
    let (mut sure, mut unsure) = (0, 0);
    for _ in 0..300 {
        let size = BoardSize::new(3 + rng.below(3), 3 + rng.below(2)).unwrap();
        let Some((board, target)) = random(&mut rng, size) else {
            continue;
        };
        for defends in [false, true] {
            let solve = |nodes: u64| {
                let mut search = search(&board, target, defends, 1)?;
                search.limits.nodes = nodes;
                Some(search.solve(defends).outcome)
            };
            let Some(whole) = solve(3_000) else {
                continue;
            };
            for nodes in [5, 10, 20, 40, 80, 160] {
                match solve(nodes) {
                    Some(Outcome::Ko { is_sure: false, .. }) => unsure += 1,
                    Some(Outcome::Ko { .. }) => {
                        assert!(matches!(whole, Outcome::Ko { .. }), "{whole:?}, {nodes}");
                        sure += 1;
                    }
                    _ => {}
                }
            }
        }
    }
    assert!(sure > 0 && unsure > 10, "{sure} {unsure}");
}
