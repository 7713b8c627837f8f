//! Counting compared with a naive count, written from the definitions in the documentation of `game::score`.

use std::collections::HashSet;
use std::env;

use honinbo::game::color::Color;
use honinbo::game::position::Position;
use honinbo::game::rules::{Komi, Rules, Scoring, Tax};
use honinbo::game::score::count;
use honinbo::random::Rng;

use crate::naive::bridge::{points, set_up};
use crate::naive::{NaiveBoard, Place};

/// Number of boards. The environment variable `SCORE_BOARDS` sets another number.
const BOARDS: usize = 300;

type Set = HashSet<Place>;

/// The living stones of a board.
struct Living {
    board: NaiveBoard,
}

impl Living {
    fn components(&self, set: &Set) -> Vec<Set> {
        let mut left = set.clone();
        let mut components = Vec::new();
        while let Some(&start) = left.iter().next() {
            let component: Set = (self.board.flood(start, |place| set.contains(&place)))
                .into_iter()
                .collect();
            left.retain(|place| !component.contains(place));
            components.push(component);
        }
        components
    }

    fn border(&self, set: &Set) -> Set {
        let near = set.iter().flat_map(|&place| self.board.neighbours(place));
        near.filter(|place| !set.contains(place)).collect()
    }

    fn stones(&self, color: Color) -> Set {
        self.board.stones(color).into_iter().collect()
    }

    fn regions(&self, color: Color) -> Set {
        let empty = self.board.empty().into_iter();
        empty
            .filter(|&place| self.board.owner(place) == Some(color))
            .collect()
    }

    fn neutral(&self) -> Set {
        let empty = self.board.empty().into_iter();
        empty
            .filter(|&place| self.board.owner(place).is_none())
            .collect()
    }

    fn groups(&self, color: Color) -> Vec<Set> {
        let mut members = self.stones(color);
        members.extend(self.regions(color));
        self.components(&members)
    }

    fn filled(&self, preferred: Color) -> Self {
        let mut board = self.board.clone();
        let mut open = self.neutral();
        if board
            .chains()
            .iter()
            .any(|chain| chain.liberties.is_empty())
        {
            return Self { board };
        }
        loop {
            let fill = board.places().into_iter().find_map(|place| {
                let fits = |color: &Color| {
                    let after = board.after(*color, place);
                    after.captured.is_empty() && after.board.chain(place).liberties.len() > 1
                };
                let colors = [preferred, preferred.opposite()];
                let color = open
                    .contains(&place)
                    .then(|| colors.into_iter().find(fits))?;
                Some((place, color?))
            });
            let Some((place, color)) = fill else {
                return Self { board };
            };
            board.set(place, Some(color));
            open.remove(&place);
        }
    }

    fn is_alive(&self, group: &Set, color: Color) -> bool {
        let part = |set: Set| self.components(&set.intersection(group).copied().collect());
        let (mut chains, mut regions) = (part(self.stones(color)), part(self.regions(color)));
        loop {
            let eyes = |chain: &Set| -> usize {
                let near = self.border(chain);
                let of_region = |region: &Set| match region {
                    _ if divisible(region) && !region.is_disjoint(&near) => 2,
                    _ => usize::from(region.is_subset(&near)),
                };
                regions.iter().map(of_region).sum()
            };
            let (alive, dead): (Vec<Set>, Vec<Set>) =
                chains.into_iter().partition(|chain| eyes(chain) >= 2);
            if alive.is_empty() || dead.is_empty() {
                return !alive.is_empty();
            }
            regions.retain(|region| {
                let border = self.border(region);
                dead.iter().all(|chain| chain.is_disjoint(&border))
            });
            chains = alive;
        }
    }

    fn groups_in_seki(&self, color: Color) -> Vec<Set> {
        let filled = self.filled(color);
        let filled_groups = filled.groups(color);
        let is_seki = |group: &Set| {
            let mut grown: Set = group.clone();
            let joined = filled_groups
                .iter()
                .filter(|other| !other.is_disjoint(group));
            grown.extend(joined.flatten());
            let touches = !filled.border(&grown).is_disjoint(&filled.neutral());
            touches && !filled.is_alive(&grown, color)
        };
        self.groups(color).into_iter().filter(is_seki).collect()
    }

    /// Returns the points of a colour's regions that it must fill to connect its chains.
    fn connections(&self, color: Color) -> Set {
        let mut board = self.filled(color).board;
        let regions = self.regions(color);
        let mut connections = Set::new();
        loop {
            let chains = board.chains();
            let own = chains.iter().filter(|chain| chain.color == color);
            let in_atari = own.filter(|chain| chain.liberties.len() == 1);
            let next = in_atari.map(|chain| chain.liberties[0]).find(|place| {
                let after = board.after(color, *place);
                let is_safe = !after.suicide && after.board.chain(*place).liberties.len() > 1;
                regions.contains(place) && is_safe
            });
            let Some(place) = next else {
                return connections;
            };
            connections.insert(place);
            board = board.after(color, place).board;
        }
    }
}

/// Returns the points that a colour must fill to connect its chains once neutral points are filled.
pub fn naive_connections(living: &NaiveBoard, color: Color) -> HashSet<Place> {
    let living = Living {
        board: living.clone(),
    };
    living.connections(color)
}

fn divisible(region: &Set) -> bool {
    let columns: Set = region.iter().map(|place| (place.0, 0)).collect();
    let rows: Set = region.iter().map(|place| (0, place.1)).collect();
    let is_square = region.len() == 4 && columns.len() == 2 && rows.len() == 2;
    region.len() >= 3 && !is_square
}

/// Returns the points of Black and White.
fn naive_count(board: &NaiveBoard, dead: &Set, rules: &Rules) -> [i32; 2] {
    let mut living = board.clone();
    for &place in dead {
        living.set(place, None);
    }
    let living = Living { board: living };
    Color::BOTH.map(|color| {
        let regions = living.regions(color);
        let mut territory = regions.clone();
        if rules.scoring == Scoring::Territory {
            let connections = living.connections(color);
            territory.retain(|place| !connections.contains(place));
        }
        let mut tax = 0;
        if rules.tax != Tax::None {
            let seki: Set = living.groups_in_seki(color).into_iter().flatten().collect();
            territory.retain(|place| !seki.contains(place));
            if rules.tax == Tax::All {
                for group in living.groups(color) {
                    if group.is_disjoint(&seki) {
                        tax += group.intersection(&regions).count().min(2);
                    }
                }
            }
        }
        let base = match rules.scoring {
            Scoring::Area => living.stones(color).len(),
            Scoring::Territory => {
                let lost = dead
                    .iter()
                    .filter(|&&at| board.at(at) == Some(color.opposite()));
                lost.count()
            }
        };
        (base + territory.len()) as i32 - tax as i32
    })
}

/// Plays random moves that fill no eyes.
fn play_out(board: &mut NaiveBoard, moves: usize, rng: &mut Rng) {
    let mut color = Color::Black;
    for _ in 0..moves {
        let mut candidates = board.empty();
        candidates.retain(|&place| {
            let is_eye = board
                .neighbours(place)
                .all(|next| board.at(next) == Some(color));
            !is_eye && !board.after(color, place).suicide
        });
        if !candidates.is_empty() {
            let place = candidates[rng.below(candidates.len())];
            *board = board.after(color, place).board;
        }
        color = color.opposite();
    }
}

#[test]
fn counts_match_naive_count() {
    let boards = env::var("SCORE_BOARDS").map_or(BOARDS, |text| text.parse().expect("a number"));
    let mut rng = Rng::new(11);
    let mut sekis = 0;
    for number in 0..boards {
        let (width, height) = (2 + rng.below(8), 2 + rng.below(8));
        let board = if number % 2 == 0 {
            let density = 0.4 + 0.5 * rng.unit_f64();
            NaiveBoard::random(width, height, density, &mut rng)
        } else {
            let mut board = NaiveBoard::new(width, height);
            let moves = width * height + rng.below(width * height);
            play_out(&mut board, moves, &mut rng);
            board
        };
        let mut dead = Set::new();
        for chain in board.chains() {
            if rng.chance(0.2) {
                dead.extend(chain.stones);
            }
        }
        let combinations = [Scoring::Area, Scoring::Territory].into_iter();
        let combinations = combinations
            .flat_map(|scoring| [Tax::None, Tax::Seki, Tax::All].map(|tax| (scoring, tax)));
        for (scoring, tax) in combinations {
            let rules = Rules {
                scoring,
                tax,
                komi: Komi::from_half_points(0),
                ..Rules::default()
            };
            let position = Position::from_board(set_up(&board), Color::Black, rules);
            let counted = count(&position, &points(&dead)).points;
            let counted = Color::BOTH.map(|color| counted[color]);
            let expected = naive_count(&board, &dead, &rules);
            assert_eq!(
                counted, expected,
                "board {number}, {scoring:?}, {tax:?}\n{board:?}"
            );
            sekis += usize::from(
                tax == Tax::Seki
                    && expected
                        != naive_count(
                            &board,
                            &dead,
                            &Rules {
                                tax: Tax::None,
                                ..rules
                            },
                        ),
            );
        }
    }
    assert!(sekis * 20 > boards, "only {sekis} sekis");
}
