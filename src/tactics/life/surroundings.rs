//! The part of the board outside a region, and how it affects the boundary of the region.

use super::set::Set;
use crate::game::benson::pass_alive;
use crate::game::board::{Board, Chain};
use crate::game::color::Color;
use crate::game::point::Point;
use crate::game::pointset::PointSet;
use crate::tactics::bitboard::word::Word;

/// Minimum number of outside liberties of a chain that is safe outside the region.
const SECURE_LIBERTIES: usize = 3;
/// Minimum size, in points, of an empty area in which stones are secure. The area does not include points within
/// [`HOSTILE_STEPS`] of stones of the other side.
const SECURE_AREA: usize = 12;
/// See [`SECURE_AREA`].
const HOSTILE_STEPS: usize = 2;

/// Points at the boundary of a region, and stones connected to the outside.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Surroundings {
    /// Points with neighbours outside.
    pub boundary: Set,
    /// Points that touch an attacker stone outside.
    pub attacker_links: Set,
    /// The points in `attacker_links` that touch a secure attacker stone.
    pub secure_links: Set,
    /// Points that touch a defender stone outside.
    pub defender_links: Set,
    /// Points that touch an empty point outside.
    pub open_border: Set,
    /// The points in `open_border` that touch an empty area in which attacker stones are secure.
    pub roomy_border: Set,
    /// The points in `open_border` that touch an empty area in which defender stones are secure.
    pub refuge_border: Set,
    /// Stones of both sides that belong to chains with stones outside.
    pub connected: Set,
    /// Stones of both sides in secure chains: pass-alive ones on the whole board, and chains with enough liberties
    /// outside the region.
    pub secure: Set,
}

impl Surroundings {
    /// Examines the surroundings of a region. `index` returns the index of a point in the region, or `None` if the
    /// point is outside.
    pub fn new(board: &Board, defender: Color, index: impl Fn(Point) -> Option<u32>) -> Self {
        let is_outside = |point: &Point| index(*point).is_none();
        let outside: PointSet = board.all_points().iter().filter(is_outside).collect();
        let mut surroundings = Self::default();
        if outside.is_empty() {
            return surroundings;
        }
        let rooms = [defender.opposite(), defender].map(|color| room_for(color, board, &outside));
        let secure = secure_stones(
            board,
            &outside,
            [(defender.opposite(), rooms[0]), (defender, rooms[1])],
        );
        let empty = board.empty_points() & outside;
        let [attackers, defenders] =
            [defender.opposite(), defender].map(|color| *board.stones(color) & outside);
        for point in (*board.all_points() - outside).iter() {
            let Some(bit) = index(point).map(Set::single) else {
                continue;
            };
            let neighbours = PointSet::single(point).neighbours(board.all_points());
            let continues = |chain: &Chain| chain.stones.intersects(&outside);
            let mut add_if = |condition: bool, set: fn(&mut Self) -> &mut Set| {
                if condition {
                    *set(&mut surroundings) |= bit;
                }
            };
            add_if(neighbours.intersects(&outside), |all| &mut all.boundary);
            add_if(neighbours.intersects(&attackers), |all| {
                &mut all.attacker_links
            });
            add_if(neighbours.intersects(&(attackers & secure)), |all| {
                &mut all.secure_links
            });
            add_if(neighbours.intersects(&defenders), |all| {
                &mut all.defender_links
            });
            add_if(neighbours.intersects(&empty), |all| &mut all.open_border);
            add_if(neighbours.intersects(&rooms[0]), |all| {
                &mut all.roomy_border
            });
            add_if(neighbours.intersects(&rooms[1]), |all| {
                &mut all.refuge_border
            });
            add_if(board.chain_at(point).is_some_and(continues), |all| {
                &mut all.connected
            });
            add_if(secure.contains(point), |all| &mut all.secure);
        }
        surroundings
    }
}

/// Returns the empty areas outside the region that are part of a wide area where stones of `color` are secure, or
/// connected to one.
fn room_for(color: Color, board: &Board, outside: &PointSet) -> PointSet {
    let hostile = (0..HOSTILE_STEPS).fold(*board.stones(color.opposite()), |points, _| {
        points.grown(board.all_points())
    });
    let areas = (board.empty_points() - hostile).components();
    let wide = union(areas.filter(|area| area.len() >= SECURE_AREA));
    let components = (board.empty_points() & *outside).components();
    union(components.filter(|area| area.intersects(&wide)))
}

/// Returns the stones of both sides that are secure. `rooms` contains the result of [`room_for`] for each side.
fn secure_stones(board: &Board, outside: &PointSet, rooms: [(Color, PointSet); 2]) -> PointSet {
    let is_secure = |chain: &&Chain| {
        let has_room = |(color, room): &(Color, PointSet)| {
            *color == chain.color && chain.liberties.intersects(room)
        };
        (chain.liberties & *outside).len() >= SECURE_LIBERTIES && rooms.iter().any(has_room)
    };
    let pass_alive = Color::BOTH.map(|color| pass_alive(board, color, false).stones);
    let chains = board.chains().filter(is_secure).map(|chain| chain.stones);
    union(chains.chain(pass_alive))
}

fn union(sets: impl Iterator<Item = PointSet>) -> PointSet {
    sets.fold(PointSet::EMPTY, |all, set| all | set)
}
