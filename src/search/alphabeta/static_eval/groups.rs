//! Weak groups: stones that may die because they have little room for eyes.
//!
//! A group is a maximal connected set of stones and points controlled by one colour. Points of a group that are not
//! adjacent to opposing stones are its eye space. A group with two separate eyes lives; otherwise, its strength depends
//! on the size of the eye space and on the other points, where it could expand.
//!
//! In a local search, the number of eyes decides instead (see `eyes`), and the groups that cannot make two depend on
//! their ways out. This finds more moves in problems, but did not play better on the whole board.

use super::super::value::UNITS_PER_POINT;
use super::eyes::{EyeCount, EyeCounter};
use crate::game::board::Board;
use crate::game::color::{ByColor, Color};
use crate::game::pointset::PointSet;
use crate::game::position::Position;
use crate::tactics::eye::is_eye_like;

/// Certainty that a group survives, in sixteenths, by its strength.
const SURVIVAL: [i32; 21] = [
    0, 0, 1, 1, 2, 2, 3, 4, 6, 8, 10, 12, 13, 13, 14, 14, 15, 15, 15, 15, 15,
];
/// Survival of a group that is certainly alive.
const CERTAIN_SURVIVAL: i32 = 16;
/// Minimum survival of a group that can make two eyes, in a local search.
const TWO_EYES_SURVIVAL: i32 = 14;
/// Maximum survival of a group that cannot make two eyes and has no way out, in a local search.
const ONE_EYE_SURVIVAL: i32 = 1;
/// Increase of this maximum for each way out.
const EXIT_SURVIVAL: i32 = 3;
/// Strength of a point of the eye space. The other points of a group have a strength of 1.
const EYE_POINT_STRENGTH: usize = 3;
/// Strength added for the side to move, which can defend one of its groups.
const TO_MOVE_STRENGTH: usize = 3;
/// Survival below which a group is weak, so that it may win or lose a capturing race.
const MAX_RACE_SURVIVAL: i32 = 12;
/// Survival below which moves at a group's points deserve attention.
const MAX_VITAL_SURVIVAL: i32 = 14;
/// Survival of the group that is ahead in a capturing race.
const RACE_LEADER_SURVIVAL: i32 = 13;
/// Maximum number of points of an enclosed space.
const MAX_ENCLOSED_POINTS: usize = 7;

/// The points and stones of each colour from which groups are formed.
pub struct Areas<'a> {
    /// Living stones.
    pub stones: &'a ByColor<PointSet>,
    /// Points nearest to the stones of each colour, including the stones.
    pub controlled: &'a ByColor<PointSet>,
    /// Areas that cannot be lost.
    pub settled: &'a ByColor<PointSet>,
    /// The part of the board that is evaluated.
    pub extent: &'a PointSet,
    /// Whether the search is local.
    pub is_local: bool,
}

/// A group that is not settled.
struct Group {
    color: Color,
    /// Stones of the group, and other points that it controls.
    points: PointSet,
    stones: PointSet,
    /// Small areas that the stones enclose. They may contain opposing stones.
    enclosed: PointSet,
    liberties: usize,
    survival: i32,
}

/// The groups that are not settled.
pub struct WeakGroups {
    groups: Vec<Group>,
    area: PointSet,
}

impl WeakGroups {
    /// Finds the groups that reach into the evaluated part of the board.
    pub fn new(position: &Position, areas: &Areas<'_>, eyes: &EyeCounter) -> Self {
        let area = *position.board().all_points();
        let mut groups = Vec::new();
        for color in Color::BOTH {
            let finder = GroupFinder::new(position, areas, eyes, color);
            for points in areas.controlled[color].components() {
                let is_evaluated = (points & areas.stones[color]).intersects(areas.extent);
                if is_evaluated && !points.intersects(&areas.settled[color]) {
                    groups.push(finder.group(points));
                }
            }
        }
        if areas.is_local {
            release_prisoners(&mut groups);
        }
        Self { groups, area }
    }

    /// Returns the expected loss of Black's groups minus that of White's groups, in evaluation units.
    pub fn risk(&self, to_move: Color) -> i32 {
        let losses = self.groups.iter().map(|group| {
            let survival = survival_in_race(group, &self.groups, &self.area, to_move);
            let swing = 2 * group.points.len() as i32 * UNITS_PER_POINT;
            let loss = swing * (CERTAIN_SURVIVAL - survival) / CERTAIN_SURVIVAL;
            group.color.to_perspective(loss)
        });
        losses.sum()
    }

    /// Returns the empty points on which the life of weak groups depends: the points that a weak group controls, and
    /// the neighbours of these points and of its stones.
    pub fn vital_points(&self, board: &Board) -> PointSet {
        let controlled = { self.groups.iter() }
            .filter(|group| group.survival < MAX_VITAL_SURVIVAL)
            .fold(PointSet::EMPTY, |all, group| all | group.points);
        (controlled | controlled.neighbours(&self.area)) - board.occupied_points()
    }
}

/// Finds the groups of a colour.
struct GroupFinder<'a> {
    position: &'a Position,
    areas: &'a Areas<'a>,
    eyes: &'a EyeCounter,
    color: Color,
    empty: PointSet,
    /// Small areas enclosed by stones of the colour.
    enclosed: Vec<PointSet>,
    /// Points next to opposing stones that are not enclosed.
    contact: PointSet,
}

impl<'a> GroupFinder<'a> {
    fn new(
        position: &'a Position,
        areas: &'a Areas<'a>,
        eyes: &'a EyeCounter,
        color: Color,
    ) -> Self {
        let area = *position.board().all_points();
        let stones = areas.stones;
        let empty = area - stones[Color::Black] - stones[Color::White];
        let opposing = stones[color.opposite()];
        let enclosed = match areas.is_local {
            true => enclosed_spaces(&area, &stones[color], &empty),
            false => Vec::new(),
        };
        let all_enclosed = enclosed
            .iter()
            .fold(PointSet::EMPTY, |all, space| all | *space);
        Self {
            position,
            areas,
            eyes,
            color,
            empty,
            contact: (opposing - all_enclosed).neighbours(&area),
            enclosed,
        }
    }

    /// Returns the group that controls `points`.
    fn group(&self, points: PointSet) -> Group {
        let area = self.position.board().all_points();
        let stones = points & self.areas.stones[self.color];
        let adjacent = stones.neighbours(area);
        let spaces = self
            .enclosed
            .iter()
            .filter(|space| space.intersects(&adjacent));
        let mut group = Group {
            color: self.color,
            points: points & *self.areas.extent,
            stones,
            enclosed: spaces.fold(PointSet::EMPTY, |all, space| all | *space),
            liberties: (adjacent & self.empty).len(),
            survival: 0,
        };
        group.survival = if self.areas.is_local {
            self.survival_by_eyes(points, &group)
        } else {
            self.survival_by_room(points, &group)
        };
        group
    }

    fn owner_moves_first(&self) -> bool {
        self.position.to_move() == self.color
    }

    /// Returns the survival of a group with the given number of points in its eye space and next to it, or `None` if
    /// the group has plenty of room.
    fn survival_in_room(&self, num_eye_points: usize, num_border_points: usize) -> Option<i32> {
        let mut strength = EYE_POINT_STRENGTH * num_eye_points + num_border_points;
        if self.owner_moves_first() {
            strength += TO_MOVE_STRENGTH;
        }
        SURVIVAL.get(strength).copied()
    }

    /// Estimates the survival of a group that controls `points` from its room. Does not consider capturing races.
    fn survival_by_room(&self, points: PointSet, group: &Group) -> i32 {
        let board = self.position.board();
        let opposing = self.areas.stones[self.color.opposite()];
        let open = points - group.stones;
        let eye_space = open - opposing.neighbours(board.all_points());
        match self.survival_in_room(eye_space.len(), open.len() - eye_space.len()) {
            Some(survival) if !has_two_eyes(board, self.color, eye_space) => survival,
            _ => CERTAIN_SURVIVAL,
        }
    }

    /// Estimates the survival of a group that controls `points` from the eyes that it can make. Does not consider
    /// capturing races.
    fn survival_by_eyes(&self, points: PointSet, group: &Group) -> i32 {
        let open = points - group.stones - group.enclosed;
        let eye_space = open - self.contact;
        let num_eye_points = (eye_space | group.enclosed).len();
        let room = self.survival_in_room(num_eye_points, (open & self.contact).len());
        if room.is_none() && !eye_space.is_empty() {
            return CERTAIN_SURVIVAL;
        }
        let room = room.unwrap_or(CERTAIN_SURVIVAL);
        if self.num_eyes(group, eye_space) >= 2 {
            return match eye_space.is_empty() {
                true => CERTAIN_SURVIVAL,
                false => room.max(TWO_EYES_SURVIVAL),
            };
        }
        let beyond = points.neighbours(self.position.board().all_points()) & (self.empty - points);
        let exits = (beyond - self.contact).len() as i32;
        room.min(ONE_EYE_SURVIVAL + EXIT_SURVIVAL * exits)
    }

    /// Returns the number of eyes that a group makes in its enclosed spaces and in the open `eye_space`.
    fn num_eyes(&self, group: &Group, eye_space: PointSet) -> usize {
        let board = self.position.board();
        let area = board.all_points();
        let owned = eye_space | group.stones | group.enclosed;
        let mut certain = EyeCount::default();
        for space in { self.enclosed.iter() }.filter(|space| space.is_subset(&group.enclosed)) {
            let attackers = *space & self.areas.stones[self.color.opposite()];
            certain += self
                .eyes
                .count_enclosed(board, self.color, space, &attackers, &owned);
        }
        // The opponent can play at points next to the eye space, and so reduce it.
        let frontier = eye_space & (*area - owned).neighbours(area);
        let count = |space: PointSet, owner_moves_first| {
            let mut count = certain;
            count += self.eyes.count_components(board, self.color, space, &owned);
            count.after_alternate_moves(owner_moves_first)
        };
        let owner_moves_first = self.owner_moves_first();
        let reduced = count(eye_space - frontier, owner_moves_first);
        if owner_moves_first && !frontier.is_empty() {
            return reduced.max(count(eye_space, false));
        }
        reduced
    }
}

/// Returns the small areas that `stones` enclose, which may contain other stones.
fn enclosed_spaces(area: &PointSet, stones: &PointSet, empty: &PointSet) -> Vec<PointSet> {
    let others = *area - *stones;
    let mut seeds = stones.neighbours(area) & *empty;
    let mut rejected = PointSet::EMPTY;
    let mut enclosed = Vec::new();
    while let Some(seed) = seeds.first() {
        let mut space = PointSet::single(seed);
        let is_enclosed = loop {
            let grown = space.grown(&others);
            if grown == space {
                break true;
            }
            space = grown;
            if space.len() > MAX_ENCLOSED_POINTS || space.intersects(&rejected) {
                break false;
            }
        };
        seeds -= space;
        if is_enclosed {
            enclosed.push(space);
        } else {
            rejected |= space;
        }
    }
    enclosed
}

/// Sets the survival of groups in areas that an opposing group encloses: they live if that group dies.
fn release_prisoners(groups: &mut [Group]) {
    for index in 0..groups.len() {
        let Group {
            color,
            enclosed,
            survival,
            ..
        } = groups[index];
        if enclosed.is_empty() {
            continue;
        }
        let prisoners = { groups.iter_mut() }
            .filter(|group| group.color != color && group.stones.is_subset(&enclosed));
        for prisoner in prisoners {
            prisoner.survival = CERTAIN_SURVIVAL - survival;
        }
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
fn survival_in_race(group: &Group, groups: &[Group], area: &PointSet, to_move: Color) -> i32 {
    if group.survival >= MAX_RACE_SURVIVAL {
        return group.survival;
    }
    let border = group.stones.neighbours(area);
    let wins_against = |rival: &&Group| {
        let needed = rival.liberties + usize::from(group.color != to_move);
        rival.color != group.color
            && rival.survival < MAX_RACE_SURVIVAL
            && rival.stones.intersects(&border)
            && 2 * rival.stones.len() >= group.stones.len()
            && group.liberties >= needed
    };
    match groups.iter().find(wins_against) {
        Some(_) => group.survival.max(RACE_LEADER_SURVIVAL),
        None => group.survival,
    }
}
