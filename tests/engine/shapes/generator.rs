//! Random positions with a seki or a small group of known status.
//!
//! The group is surrounded by a wall that lives, because it is connected and has much space outside. The status of the
//! stones inside the wall is found by [exhaustive search](super::local_game).

use std::collections::VecDeque;

use honinbo::game::color::Color;
use honinbo::random::Rng;

use super::local_game::{Fate, LocalGame};
use crate::naive::{NaiveBoard, Place};

const SIDES: [usize; 6] = [7, 8, 9, 11, 13, 19];
/// Minimum number of points outside the wall.
const MIN_OUTSIDE: usize = 12;
/// Number of rows of territory between the wall and the other side, which takes the rest of a large board.
const WALL_TERRITORY: usize = 3;

/// A position and the expected status of some of its stones.
pub struct Shape {
    pub board: NaiveBoard,
    pub to_move: Color,
    pub expected: Vec<(Place, Expected)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    Alive,
    Dead,
    Seki,
}

/// Contents of the area inside the wall.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// Two chains that share two liberties.
    SharedLiberties,
    /// A chain around an eye space of three to seven points.
    EyeSpace,
    /// Several chains, some of which may have an eye.
    Mixed,
}

/// Returns a random shape of this kind, or `None` if the attempt fails.
pub fn attempt(kind: Kind, rng: &mut Rng) -> Option<Shape> {
    let side = SIDES[rng.below(SIDES.len())];
    let mut board = NaiveBoard::new(side, side);
    let wall = Color::BOTH[rng.below(2)];
    let inner = match kind {
        Kind::SharedLiberties => shared_liberties(&mut board, wall, rng)?,
        Kind::EyeSpace => eye_space(&mut board, wall, rng)?,
        Kind::Mixed => mixed(&mut board, wall, rng)?,
    };
    build_outside(&mut board, &inner, wall)?;
    let to_move = Color::BOTH[rng.below(2)];
    let expected = expected(&board, &inner, wall, kind)?;
    Some(Shape {
        board,
        to_move,
        expected,
    })
}

/// Returns a connected set of `size` random places that contains a place near the corner, the edge or the centre.
fn polyomino(board: &NaiveBoard, size: usize, rng: &mut Rng) -> Vec<Place> {
    let side = board.width();
    let mut coordinate = || match rng.below(3) {
        0 => rng.below(2),
        1 => side - 1 - rng.below(2),
        _ => rng.below(side),
    };
    let mut places = vec![(coordinate(), coordinate())];
    while places.len() < size {
        let border = border(board, &places);
        places.push(border[rng.below(border.len())]);
    }
    places
}

/// Returns the places next to a set of places, in order.
fn border(board: &NaiveBoard, places: &[Place]) -> Vec<Place> {
    let mut border: Vec<Place> = places
        .iter()
        .flat_map(|&place| board.neighbours(place))
        .collect();
    border.retain(|place| !places.contains(place));
    border.sort_unstable();
    border.dedup();
    border
}

fn is_connected(board: &NaiveBoard, places: &[Place]) -> bool {
    let Some(&first) = places.first() else {
        return false;
    };
    board.flood(first, |place| places.contains(&place)).len() == places.len()
}

/// Adds places until the set is connected, without `avoided` places. Returns `None` if this takes too many.
fn connect(
    board: &NaiveBoard,
    mut places: Vec<Place>,
    avoided: &[Place],
    rng: &mut Rng,
) -> Option<Vec<Place>> {
    for _ in 0..8 {
        if is_connected(board, &places) {
            return Some(places);
        }
        let mut candidates = border(board, &places);
        candidates.retain(|place| !avoided.contains(place));
        // Prefers places that touch several of the parts.
        let contacts = |place: &Place| {
            board
                .neighbours(*place)
                .filter(|next| places.contains(next))
                .count()
        };
        let most = candidates.iter().map(contacts).max()?;
        candidates.retain(|place| contacts(place) == most);
        let next = candidates[rng.below(candidates.len())];
        places.push(next);
    }
    is_connected(board, &places).then_some(places)
}

fn place_all(board: &mut NaiveBoard, places: &[Place], color: Color) {
    for &place in places {
        board.set(place, Some(color));
    }
}

/// Places a chain of the wall's colour and a chain around it with which it shares two liberties. Returns their points
/// and liberties.
fn shared_liberties(board: &mut NaiveBoard, wall: Color, rng: &mut Rng) -> Option<Vec<Place>> {
    let inside = polyomino(board, 3 + rng.below(4), rng);
    let mut around = border(board, &inside);
    if around.len() < 4 {
        return None;
    }
    rng.shuffle(&mut around);
    let liberties = around.split_off(around.len() - 2);
    let avoided = [inside.clone(), liberties.clone()].concat();
    let around = connect(board, around, &avoided, rng)?;
    place_all(board, &inside, wall);
    place_all(board, &around, wall.opposite());
    Some([avoided, around].concat())
}

/// Places a chain around an eye space, with up to two stones of the wall's colour in it.
fn eye_space(board: &mut NaiveBoard, wall: Color, rng: &mut Rng) -> Option<Vec<Place>> {
    let space = polyomino(board, 3 + rng.below(5), rng);
    let around = connect(board, border(board, &space), &space, rng)?;
    place_all(board, &around, wall.opposite());
    for _ in 0..rng.below(3) {
        board.set(space[rng.below(space.len())], Some(wall));
    }
    Some([space, around].concat())
}

/// Fills a region with random stones, except a few points.
fn mixed(board: &mut NaiveBoard, wall: Color, rng: &mut Rng) -> Option<Vec<Place>> {
    let region = polyomino(board, 9 + rng.below(6), rng);
    let mut order = region.clone();
    rng.shuffle(&mut order);
    let open = order.split_off(order.len() - 2 - rng.below(3));
    // Stones of the same colour mostly lie together.
    let first = polyomino_within(
        board,
        &order,
        order.len() / 3 + rng.below(order.len() / 3),
        rng,
    );
    for place in order {
        let color = if first.contains(&place) {
            wall
        } else {
            wall.opposite()
        };
        board.set(place, Some(color));
    }
    (!open.is_empty()).then_some(region)
}

fn polyomino_within(
    board: &NaiveBoard,
    within: &[Place],
    size: usize,
    rng: &mut Rng,
) -> Vec<Place> {
    let mut places = vec![within[rng.below(within.len())]];
    while places.len() < size {
        let mut candidates = border(board, &places);
        candidates.retain(|place| within.contains(place));
        if candidates.is_empty() {
            break;
        }
        places.push(candidates[rng.below(candidates.len())]);
    }
    places
}

/// Surrounds the `inner` places with a connected wall. On large boards, the other side takes the rest. Returns `None` if
/// the wall would not live or a chain has no liberties.
fn build_outside(board: &mut NaiveBoard, inner: &[Place], wall: Color) -> Option<()> {
    let ring = border(board, inner);
    let corners: Vec<Place> = ring
        .iter()
        .flat_map(|&place| board.neighbours(place))
        .filter(|next| {
            !inner.contains(next) && ring.iter().filter(|near| touches(**near, *next)).count() >= 2
        })
        .collect();
    place_all(board, &ring, wall);
    place_all(board, &corners, wall);
    let stones = board.stones(wall);
    let mut wall_stones: Vec<Place> = stones
        .into_iter()
        .filter(|place| !inner.contains(place))
        .collect();
    wall_stones.sort_unstable();
    if !is_connected(board, &wall_stones) {
        return None;
    }
    let outside: Vec<Place> = (board.empty().into_iter())
        .filter(|place| !inner.contains(place))
        .collect();
    if outside.len() < MIN_OUTSIDE || !is_connected(board, &outside) {
        return None;
    }
    let distance = distances(board, &wall_stones);
    let distance_of = |place: Place| distance[place.1 * board.width() + place.0];
    let far = outside.iter().map(|&place| distance_of(place)).max()?;
    if far > WALL_TERRITORY + 4 {
        let at = |wanted: usize| -> Vec<Place> {
            let places = outside.iter().copied();
            places
                .filter(|&place| distance_of(place) == wanted)
                .collect()
        };
        let (own_border, other_border) = (at(WALL_TERRITORY), at(WALL_TERRITORY + 1));
        place_all(board, &own_border, wall);
        place_all(board, &other_border, wall.opposite());
    }
    let chains = board.chains();
    (chains.iter().all(|chain| !chain.liberties.is_empty())).then_some(())
}

fn touches(one: Place, other: Place) -> bool {
    one.0.abs_diff(other.0) + one.1.abs_diff(other.1) == 1
}

/// Returns the distance of every place from the wall through empty places.
fn distances(board: &NaiveBoard, wall: &[Place]) -> Vec<usize> {
    let mut distances = vec![0; board.width() * board.height()];
    let mut queue: VecDeque<(Place, usize)> = wall.iter().map(|&place| (place, 0)).collect();
    while let Some((place, distance)) = queue.pop_front() {
        for next in board.neighbours(place) {
            let slot = &mut distances[next.1 * board.width() + next.0];
            if board.at(next).is_none() && *slot == 0 {
                *slot = distance + 1;
                queue.push_back((next, distance + 1));
            }
        }
    }
    distances
}

/// Returns the status of the chains inside the wall. Returns `None` if it depends on the side to move, or if the search
/// is too large.
fn expected(
    board: &NaiveBoard,
    inner: &[Place],
    wall: Color,
    kind: Kind,
) -> Option<Vec<(Place, Expected)>> {
    let game = LocalGame::new(board, inner);
    let mut fates = Vec::new();
    for chain in board.chains() {
        let is_inside = chain.stones.iter().all(|stone| inner.contains(stone));
        if is_inside {
            fates.push((chain.color, chain.stones[0], game.fate(chain.stones[0])?));
        }
    }
    let defenders: Vec<Fate> = (fates.iter())
        .filter(|(color, _, _)| *color != wall)
        .map(|(_, _, fate)| *fate)
        .collect();
    let all = |wanted: Fate| !defenders.is_empty() && defenders.iter().all(|fate| *fate == wanted);
    let attackers_survive = fates
        .iter()
        .any(|(color, _, fate)| *color == wall && *fate == Fate::Survives);
    let attackers_die = fates
        .iter()
        .all(|(color, _, fate)| *color != wall || *fate == Fate::Dead);
    let status = if all(Fate::Dead) {
        Expected::Dead
    } else if all(Fate::Survives) && attackers_survive && !matches!(kind, Kind::EyeSpace) {
        Expected::Seki
    } else if all(Fate::Survives) && attackers_die {
        Expected::Alive
    } else {
        return None;
    };
    let of_attackers = match status {
        Expected::Seki => Expected::Seki,
        Expected::Alive | Expected::Dead => Expected::Dead,
    };
    // In a seki, other stones could be part of an eye, and in a dead group, the attackers' stones could be captured.
    let statuses = fates.into_iter().filter(|(color, _, fate)| match status {
        Expected::Seki => *fate == Fate::Survives,
        Expected::Dead => *color != wall,
        Expected::Alive => true,
    });
    Some(
        statuses
            .map(|(color, place, _)| (place, if color == wall { of_attackers } else { status }))
            .collect(),
    )
}
