//! Weak groups: stones that may die because they have little room for eyes.
//!
//! A group is a maximal connected set of stones and points controlled by one colour. Points of a group that are not
//! adjacent to opposing stones are its eye space. A group with two separate eyes lives; otherwise, its strength depends
//! on the size of the eye space and on the other points, where it could expand.

use super::super::value::UNITS_PER_POINT;
use crate::game::board::Board;
use crate::game::color::{ByColor, Color};
use crate::game::pointset::PointSet;
use crate::game::position::Position;
use crate::tactics::eye::is_eye_like;

/// Certainty that a group survives, in sixteenths, by its strength.
const SURVIVAL: [i32; 21] = [
    0, 0, 1, 1, 2, 2, 3, 4, 6, 8, 10, 12, 13, 13, 14, 14, 15, 15, 15, 15, 15,
];
/// Survival of a group that is alive.
const ALIVE: i32 = 16;
/// Strength of a point of the eye space. The other points of a group have a strength of 1.
const EYE_POINT_STRENGTH: usize = 3;
/// Strength added for the side to move, which can defend one of its groups.
const TO_MOVE_STRENGTH: usize = 3;
/// Survival below which a group is weak, so that it may win or lose a capturing race.
const WEAK: i32 = 12;
/// Survival below which moves at a group's points deserve attention.
const VITAL: i32 = 14;
/// Survival of the group that is ahead in a capturing race.
const AHEAD: i32 = 13;

/// A group with an uncertain future.
struct WeakGroup {
    color: Color,
    points: PointSet,
    stones: PointSet,
    liberties: usize,
    survival: i32,
}

/// The groups with an uncertain future.
pub struct WeakGroups {
    groups: Vec<WeakGroup>,
    area: PointSet,
}

impl WeakGroups {
    /// Finds the weak groups. `stones` are the living stones, `controlled` the points of each colour, and `settled` the
    /// areas that cannot be lost.
    pub fn new(
        position: &Position,
        stones: &ByColor<PointSet>,
        controlled: &ByColor<PointSet>,
        settled: &ByColor<PointSet>,
    ) -> Self {
        let area = *position.board().all_points();
        let empty = area - stones[Color::Black] - stones[Color::White];
        let mut groups = Vec::new();
        for color in Color::BOTH {
            let contact = stones[color.opposite()].neighbours(&area);
            for points in controlled[color].components() {
                let own_stones = points & stones[color];
                if points.intersects(&settled[color]) || own_stones.is_empty() {
                    continue;
                }
                let eye_space = points - own_stones - contact;
                let border = points.len() - own_stones.len() - eye_space.len();
                let mut strength = EYE_POINT_STRENGTH * eye_space.len() + border;
                if color == position.to_move() {
                    strength += TO_MOVE_STRENGTH;
                }
                let survival = match SURVIVAL.get(strength) {
                    Some(_) if has_two_eyes(position.board(), color, eye_space) => ALIVE,
                    Some(&survival) => survival,
                    None => ALIVE,
                };
                if survival < ALIVE {
                    groups.push(WeakGroup {
                        color,
                        points,
                        stones: own_stones,
                        liberties: (own_stones.neighbours(&area) & empty).len(),
                        survival,
                    });
                }
            }
        }
        Self { groups, area }
    }

    /// Returns the expected loss of Black's groups minus that of White's groups, in evaluation units.
    pub fn risk(&self, to_move: Color) -> i32 {
        let losses = self.groups.iter().map(|group| {
            let survival = survival_in_race(group, &self.groups, &self.area, to_move);
            let swing = 2 * group.points.len() as i32 * UNITS_PER_POINT;
            group
                .color
                .to_perspective(swing * (ALIVE - survival) / ALIVE)
        });
        losses.sum()
    }

    /// Returns the empty points on which the life of the groups depends: those that a group controls, and those next to
    /// them and to its stones.
    pub fn vital_points(&self, board: &Board) -> PointSet {
        let controlled = { self.groups.iter() }
            .filter(|group| group.survival < VITAL)
            .fold(PointSet::EMPTY, |all, group| all | group.points);
        (controlled | controlled.neighbours(&self.area)) - board.occupied_points()
    }
}

/// Returns true if `eye_space` consists of at least two separate regions that are eyes. A single point is an eye unless
/// opposing stones at its diagonals make it false.
fn has_two_eyes(board: &Board, color: Color, eye_space: PointSet) -> bool {
    let is_real = |region: &PointSet| {
        let only = region.only();
        only.is_none_or(|point| is_eye_like(board, color, point))
    };
    eye_space.components().filter(is_real).nth(1).is_some()
}

/// Returns the survival of `group`, taking into account that a weak group wins a capturing race against an adjacent weak
/// group with fewer liberties. Capturing a few stones inside its eye space would not save it.
fn survival_in_race(
    group: &WeakGroup,
    groups: &[WeakGroup],
    area: &PointSet,
    to_move: Color,
) -> i32 {
    if group.survival >= WEAK {
        return group.survival;
    }
    let border = group.stones.neighbours(area);
    let wins_against = |rival: &&WeakGroup| {
        let needed = rival.liberties + usize::from(group.color != to_move);
        rival.color != group.color
            && rival.survival < WEAK
            && rival.stones.intersects(&border)
            && 2 * rival.stones.len() >= group.stones.len()
            && group.liberties >= needed
    };
    match groups.iter().find(wins_against) {
        Some(_) => group.survival.max(AHEAD),
        None => group.survival,
    }
}
