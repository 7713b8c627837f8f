//! Weak groups: stones that may die because they have little room for eyes.
//!
//! A group is a maximal connected set of stones and points controlled by one colour. Its strength depends on the points
//! that are not adjacent to opposing stones, where it could make eyes, and on the points at its border.

use crate::game::color::{ByColor, Color};
use crate::game::pointset::PointSet;
use crate::game::position::Position;
use super::super::value::UNITS_PER_POINT;

/// Certainty that a group survives, in sixteenths, by its strength.
const SURVIVAL: [i32; 17] = [1, 1, 1, 2, 2, 3, 4, 5, 6, 8, 10, 12, 13, 14, 15, 15, 16];
/// Survival of a group that is alive.
const ALIVE: i32 = 16;
/// Strength of a point where an eye is possible.
const EYE_POINT_STRENGTH: usize = 2;
/// Strength added if there are at least two separate regions for eyes.
const SECOND_EYE_STRENGTH: usize = 6;
/// Strength added for the side to move, which can defend one of its groups.
const TO_MOVE_STRENGTH: usize = 3;
/// Survival below which a group is weak, so that it may win or lose a capturing race.
const WEAK: i32 = 12;
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

/// Returns the expected loss of Black's groups minus that of White's groups, in evaluation units. `stones` are the
/// living stones, `controlled` the points of each colour, and `settled` the areas that cannot be lost.
pub fn group_risk(
    position: &Position,
    stones: &ByColor<PointSet>,
    controlled: &ByColor<PointSet>,
    settled: &ByColor<PointSet>,
) -> i32 {
    let area = position.board().area();
    let empty = *area - stones[Color::Black] - stones[Color::White];
    let mut groups: Vec<WeakGroup> = Vec::new();
    for color in Color::BOTH {
        let contact = stones[color.opposite()].neighbours(area);
        for points in controlled[color].components() {
            let own_stones = points & stones[color];
            if points.intersects(&settled[color]) || own_stones.is_empty() {
                continue;
            }
            let survival = survival(points - own_stones, contact, color == position.to_move());
            if survival < ALIVE {
                groups.push(WeakGroup {
                    color,
                    points,
                    stones: own_stones,
                    liberties: (own_stones.neighbours(area) & empty).len(),
                    survival,
                });
            }
        }
    }
    let losses = groups.iter().map(|group| {
        let survival = survival_in_race(group, &groups, area, position.to_move());
        let swing = 2 * group.points.len() as i32 * UNITS_PER_POINT;
        group.color.to_perspective(swing * (ALIVE - survival) / ALIVE)
    });
    losses.sum()
}

/// Returns the survival of a group that controls the empty points `territory`. `contact` contains the points adjacent
/// to opposing stones.
fn survival(territory: PointSet, contact: PointSet, is_to_move: bool) -> i32 {
    let eye_space = territory - contact;
    let num_eye_points = eye_space.len();
    let border = territory.len() - num_eye_points;
    let mut strength = EYE_POINT_STRENGTH * num_eye_points + border;
    if is_to_move {
        strength += TO_MOVE_STRENGTH;
    }
    if strength < SURVIVAL.len() && eye_space.components().nth(1).is_some() {
        strength += SECOND_EYE_STRENGTH;
    }
    SURVIVAL.get(strength).copied().unwrap_or(ALIVE)
}

/// Returns the survival of `group`, taking into account that a weak group wins a capturing race against an adjacent weak
/// group with fewer liberties.
fn survival_in_race(group: &WeakGroup, groups: &[WeakGroup], area: &PointSet, to_move: Color) -> i32 {
    if group.survival >= WEAK {
        return group.survival;
    }
    let border = group.stones.neighbours(area);
    let wins_against = |rival: &&WeakGroup| {
        let needed = rival.liberties + usize::from(group.color != to_move);
        rival.color != group.color
            && rival.survival < WEAK
            && rival.stones.intersects(&border)
            && group.liberties >= needed
    };
    match groups.iter().find(wins_against) {
        Some(_) => group.survival.max(AHEAD),
        None => group.survival,
    }
}
