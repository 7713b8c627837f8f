//! Random games, compared with a naive computation and with their images under the symmetries.

use std::collections::HashSet;

use honinbo::encode::katago::KataInputVersion::{V3, V4, V6, V7};
use honinbo::encode::katago::history::VisibleHistory;
use honinbo::encode::katago::{KataEncoder, KataInputVersion, KataOptions};
use honinbo::game::color::Color;
use honinbo::game::point::{BoardSize, Point};
use honinbo::game::pointset::PointSet;
use honinbo::game::symmetry::Symmetry;
use honinbo::random::Rng;

use super::{encode, points, points_with, rules};
use crate::encode::{mapped_random_game, random_game};
use crate::naive::bridge::to_naive;
use crate::naive::{NaiveBoard, Place};

/// Area owners, computed literally from the definition.
struct Owners<'a> {
    board: &'a NaiveBoard,
    alive: [HashSet<Place>; 2],
}

impl<'a> Owners<'a> {
    fn new(board: &'a NaiveBoard, suicide: bool) -> Self {
        let alive = Color::BOTH.map(|color| board.benson(color, suicide).0);
        Self { board, alive }
    }

    /// Returns the connected places around `place` that have no stone of `color`.
    fn region(&self, place: Place, color: Color) -> Vec<Place> {
        self.board
            .flood(place, |next| self.board.at(next) != Some(color))
    }

    fn has_no_stones_of_opponent(&self, region: &[Place], color: Color) -> bool {
        region
            .iter()
            .all(|&place| self.board.at(place) != Some(color.opposite()))
    }

    /// Returns true if the place has a pass-alive stone of `color`, or is enclosed by such stones and has no room for
    /// the opponent.
    fn is_pass_alive_area(&self, place: Place, color: Color) -> bool {
        if self.board.at(place) == Some(color) {
            return self.alive[color as usize].contains(&place);
        }
        let region = self.region(place, color);
        let adjacent_own = |place: Place| {
            self.board
                .neighbours(place)
                .filter(|&next| self.board.at(next) == Some(color))
                .collect::<Vec<_>>()
        };
        let borders: Vec<Place> = region
            .iter()
            .flat_map(|&place| adjacent_own(place))
            .collect();
        let inner = region
            .iter()
            .filter(|&&p| adjacent_own(p).is_empty())
            .count();
        let alive = &self.alive[color as usize];
        !borders.is_empty()
            && borders.iter().all(|stone| alive.contains(stone))
            && (inner <= 1 || self.has_no_stones_of_opponent(&region, color))
    }

    fn pass_alive_owner(&self, place: Place) -> Option<Color> {
        Color::BOTH
            .into_iter()
            .find(|&color| self.is_pass_alive_area(place, color))
    }

    fn owner(&self, place: Place) -> Option<Color> {
        self.pass_alive_owner(place)
            .or_else(|| self.board.owner(place))
    }

    /// Owner of a place if eyes in seki do not count.
    fn taxed_owner(&self, place: Place) -> Option<Color> {
        let owner = self.owner(place)?;
        if self.board.at(place) == Some(owner) {
            return Some(owner);
        }
        let group = self
            .board
            .flood(place, |next| self.owner(next) == Some(owner));
        let seki = group.iter().any(|&member| {
            let in_atari = self.board.at(member) == Some(owner)
                && self.board.chain(member).liberties.len() == 1;
            in_atari
                || self
                    .board
                    .neighbours(member)
                    .any(|next| self.owner(next).is_none())
        });
        (!seki).then_some(owner)
    }

    fn points(&self, color: Color, owner: impl Fn(Place) -> Option<Color>) -> PointSet {
        self.board
            .places()
            .into_iter()
            .filter(|&place| owner(place) == Some(color))
            .map(|(column, row)| Point::at(column, row))
            .collect()
    }
}

#[test]
fn areas_match_definition() {
    let mut rng = Rng::new(31);
    let (mut num_owned, mut num_pass_alive, mut num_untaxed) = (0, 0, 0);
    for game in 0..60 {
        let size = BoardSize::new(3 + rng.below(5), 3 + rng.below(5)).unwrap();
        let name = ["chinese", "tromp-taylor", "stone-scoring"][game % 3];
        let options = KataOptions {
            suicide_areas: game % 2 == 0,
        };
        let suicide = options.suicide_areas || rules(name).suicide;
        random_game(size, rules(name), &mut rng, |position| {
            if position.move_number() % 3 != 0 {
                return;
            }
            let board = to_naive(position.board());
            let owners = Owners::new(&board, suicide);
            let own = position.to_move();
            for (plane, color) in [("own_area", own), ("opponent_area", own.opposite())] {
                let found = |inputs| points_with(options, inputs, position, plane);
                let all = owners.points(color, |place| owners.owner(place));
                let pass_alive = owners.points(color, |place| owners.pass_alive_owner(place));
                let untaxed_points = owners.points(color, |place| owners.taxed_owner(place));
                assert_eq!(found(V3), all, "{board:?}");
                assert_eq!(found(V4), pass_alive, "{board:?}");
                let expected = if name == "stone-scoring" {
                    untaxed_points
                } else {
                    all
                };
                assert_eq!(found(V7), expected, "{board:?}");
                assert_eq!(found(V6), expected);
                num_owned += all.len();
                num_pass_alive += pass_alive.len();
                num_untaxed += untaxed_points.len();
            }
        });
    }
    assert!(
        num_pass_alive > 200 && num_pass_alive < num_untaxed && num_untaxed < num_owned,
        "{num_pass_alive} {num_untaxed} {num_owned}"
    );
}

#[test]
fn ladder_history_matches_earlier_planes() {
    let mut rng = Rng::new(32);
    let mut kos = 0;
    for game in 0..60 {
        let size = BoardSize::new(4 + rng.below(4), 4 + rng.below(4)).unwrap();
        let name = ["tromp-taylor", "japanese", "aga"][game % 3];
        let mut encoder = KataEncoder::default();
        let mut earlier: Vec<PointSet> = Vec::new();
        random_game(size, rules(name), &mut rng, |position| {
            let fresh = points(V7, position, "laddered");
            earlier.insert(0, fresh);
            // An encoder that has seen the whole game must return the same planes as a new one.
            let area = size.area();
            let mut planes = vec![9.0; 22 * area];
            let (options, mut globals) = (KataOptions::default(), [9.0; 19]);
            let original = Symmetry::IDENTITY;
            encoder.encode(V7, position, original, options, &mut planes, &mut globals);
            assert_eq!(planes, encode(V7, position, original, options).0);
            let shown = VisibleHistory::new(V7, position).num_moves();
            for moves_ago in 1..=2.min(earlier.len() - 1) {
                let expected = earlier[moves_ago.min(shown)];
                let found = points(V7, position, &format!("laddered_{moves_ago}"));
                assert_eq!(found, expected, "{moves_ago} moves ago");
            }
            kos += usize::from(position.ko_ban().is_some());
        });
    }
    assert!(kos > 10, "{kos}");
}

#[test]
fn mapped_game_gives_mapped_planes() {
    let mut rng = Rng::new(33);
    for (round, symmetry) in Symmetry::ALL.into_iter().cycle().take(24).enumerate() {
        let size = BoardSize::new(5 + round % 4, 6).unwrap();
        let name = ["tromp-taylor", "chinese", "stone-scoring", "japanese"][round % 4];
        mapped_random_game(size, rules(name), symmetry, &mut rng, |original, mapped| {
            for inputs in KataInputVersion::ALL {
                let options = KataOptions::default();
                assert_eq!(
                    encode(inputs, original, symmetry, options),
                    encode(inputs, mapped, Symmetry::IDENTITY, options),
                    "{inputs:?} through {symmetry:?}"
                );
            }
        });
    }
}
