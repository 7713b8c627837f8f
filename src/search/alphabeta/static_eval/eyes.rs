//! Eye spaces: the number of eyes that a group can make in the points it surrounds.

use std::ops::AddAssign;

use super::cache::EvalCache;
use crate::game::board::Board;
use crate::game::color::Color;
use crate::game::point::Point;
use crate::game::pointset::PointSet;
use crate::random::splitmix64;
use crate::tactics::life::{SmallSpaceStatus, small_space_status};

/// Number of points from which an open space always makes two eyes.
const MAX_SMALL_SPACE: usize = 7;

/// Number of eyes in one or more spaces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EyeCount {
    /// Eyes that the opponent cannot prevent.
    certain: usize,
    /// Further eyes, each of which the side that moves there first makes or prevents.
    contested: usize,
}

impl EyeCount {
    const NONE: Self = Self::new(0, 0);
    const ONE: Self = Self::new(1, 0);
    const CONTESTED: Self = Self::new(0, 1);
    const ONE_OR_TWO: Self = Self::new(1, 1);
    const TWO: Self = Self::new(2, 0);

    const fn new(certain: usize, contested: usize) -> Self {
        Self { certain, contested }
    }

    /// Returns the number of eyes if both sides play them alternately.
    pub const fn after_alternate_moves(self, owner_moves_first: bool) -> usize {
        self.certain + (self.contested + owner_moves_first as usize) / 2
    }
}

impl AddAssign for EyeCount {
    fn add_assign(&mut self, other: Self) {
        self.certain += other.certain;
        self.contested += other.contested;
    }
}

/// Counts the eyes in spaces, and caches the results for spaces that contain stones.
#[derive(Default)]
pub struct EyeCounter {
    statuses: EvalCache,
}

impl EyeCounter {
    /// Counts the eyes in a connected space that is surrounded by stones of `color` and contains the opposing stones
    /// `attackers`.
    pub fn count_enclosed(
        &self,
        board: &Board,
        color: Color,
        space: &PointSet,
        attackers: &PointSet,
        owned: &PointSet,
    ) -> EyeCount {
        if let Some(point) = space.only() {
            return single_point(board, color, point, owned);
        }
        if attackers.is_empty() {
            return count_open(space, board.all_points());
        }
        let hash = |set: &PointSet, seed: u64| {
            set.iter()
                .fold(seed, |hash, point| splitmix64(hash ^ point.number() as u64))
        };
        let key = hash(attackers, hash(space, 1));
        let status = self.statuses.get_or_insert_with(key, || {
            small_space_status(space, attackers).map_or(1, |status| status as i32)
        });
        const DEAD: i32 = SmallSpaceStatus::Dead as i32;
        const ALIVE: i32 = SmallSpaceStatus::Alive as i32;
        match status {
            DEAD => EyeCount::ONE,
            ALIVE => EyeCount::TWO,
            _ => EyeCount::ONE_OR_TWO,
        }
    }

    /// Counts the eyes in all components of `spaces`, which contain no stones but may be open towards points of
    /// neither side. Single points are eyes only if they look like eyes.
    pub fn count_components(
        &self,
        board: &Board,
        color: Color,
        spaces: PointSet,
        owned: &PointSet,
    ) -> EyeCount {
        let mut count = EyeCount::default();
        for space in spaces.components() {
            count += match space.only() {
                Some(point) => single_point(board, color, point, owned),
                None => count_open(&space, board.all_points()),
            };
        }
        count
    }
}

/// Counts the eyes in a space of at least two empty points.
fn count_open(space: &PointSet, area: &PointSet) -> EyeCount {
    let len = space.len();
    match len {
        0..=2 => EyeCount::ONE,
        3 => EyeCount::ONE_OR_TWO,
        4..MAX_SMALL_SPACE => match space.iter().find_map(|point| nakade(space, area, point)) {
            // A square is too small even for its owner.
            Some(2) => EyeCount::ONE,
            Some(_) => EyeCount::ONE_OR_TWO,
            None => EyeCount::TWO,
        },
        _ => EyeCount::TWO,
    }
}

/// Returns the number of neighbours of `point` in `space` if an opposing stone there leaves a single eye: all other
/// points are neighbours, except for at most one point, which completes a square with two of them.
fn nakade(space: &PointSet, area: &PointSet, point: Point) -> Option<usize> {
    let stone = PointSet::single(point);
    let adjacent = stone.neighbours(area) & *space;
    let rest = *space - stone - adjacent;
    let is_compact = match rest.only() {
        Some(corner) => (PointSet::single(corner).neighbours(area) & adjacent).len() == 2,
        None => rest.is_empty(),
    };
    is_compact.then(|| adjacent.len())
}

/// Counts the eye at an empty point. It depends on the diagonal points, of which the points in `owned` are the owner's.
fn single_point(board: &Board, color: Color, point: Point, owned: &PointSet) -> EyeCount {
    let adjacent = PointSet::single(point).neighbours(board.all_points());
    let diagonals = diagonals(board, point);
    let opposing = (diagonals & *board.stones(color.opposite())).len();
    let undecided = (diagonals & (board.empty_points() - *owned)).len();
    let tolerated = usize::from(diagonals.len() == 4);
    // Points that the opponent must still occupy, or has occupied, to prevent the eye.
    let num_open = (adjacent - *board.stones(color)).len();
    if opposing > tolerated || num_open > 1 || (opposing == tolerated && undecided > 1) {
        EyeCount::NONE
    } else if num_open == 1 || (opposing == tolerated && undecided == 1) {
        EyeCount::CONTESTED
    } else {
        EyeCount::ONE
    }
}

/// Returns the points diagonally adjacent to `point`.
fn diagonals(board: &Board, point: Point) -> PointSet {
    let adjacent = PointSet::single(point).neighbours(board.all_points());
    let near = |distance: usize| distance == 1;
    adjacent
        .neighbours(board.all_points())
        .iter()
        .filter(|other| {
            near(other.column().abs_diff(point.column())) && near(other.row().abs_diff(point.row()))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::diagram;

    /// Counts the eyes of a space that Black surrounds.
    fn count(text: &str) -> EyeCount {
        let board = diagram::parse_board(text).unwrap();
        let attackers = *board.stones(Color::White);
        let space = board.empty_points() | attackers;
        let owned = *board.all_points() - attackers;
        EyeCounter::default().count_enclosed(&board, Color::Black, &space, &attackers, &owned)
    }

    #[test]
    fn shapes_have_known_numbers_of_eyes() {
        for (text, certain, contested) in [
            (". . X X X X\nX X X X X X", 1, 0),
            (". . . X X X\nX X X X X X", 1, 1),
            (". . X X X X\n. X X X X X", 1, 1),
            (". O . X X X\nX X X X X X", 1, 0),
            (". . . . X X\nX X X X X X", 2, 0),
            (". O . . X X\nX X X X X X", 1, 1),
            (". . X X X X\n. . X X X X", 1, 0),
            (". . . X X X\nX . X X X X", 1, 1),
            (". . . X X X\n. X X X X X", 2, 0),
            (". . . X X X\n. . X X X X", 1, 1),
            ("X . X X X X\n. . . X X X\nX . X X X X", 1, 1),
            (". . X X X X\n. . . X X X\nX . X X X X", 1, 1),
            (". . . X X X\n. . . X X X", 2, 0),
            (". . . . . X\nX X . X X X", 2, 0),
        ] {
            assert_eq!(count(text), EyeCount::new(certain, contested), "{text}");
        }
    }

    #[test]
    fn shapes_agree_with_exact_status() {
        // All connected shapes of two to six points in a rectangle.
        let size = crate::game::point::BoardSize::new(4, 3).unwrap();
        let area = PointSet::board(size);
        let mut num_shapes = 0;
        for bits in 1_u32..1 << 12 {
            let chosen = size
                .points()
                .enumerate()
                .filter(|(index, _)| bits >> index & 1 == 1);
            let space: PointSet = chosen.map(|(_, point)| point).collect();
            if !(2..=6).contains(&space.len()) || space.components().count() > 1 {
                continue;
            }
            let exact = match small_space_status(&space, &PointSet::EMPTY).unwrap() {
                SmallSpaceStatus::Dead => EyeCount::ONE,
                SmallSpaceStatus::Unsettled => EyeCount::ONE_OR_TWO,
                SmallSpaceStatus::Alive => EyeCount::TWO,
            };
            assert_eq!(count_open(&space, &area), exact, "{space:?}");
            num_shapes += 1;
        }
        assert!(num_shapes > 400, "{num_shapes}");
    }

    #[test]
    fn opposing_diagonals_make_eyes_false() {
        // The space is the single empty point inside the black stones.
        let eye = |text: &str, vertex: &str| {
            let board = diagram::parse_board(text).unwrap();
            let point = board.size().parse_vertex(vertex).unwrap();
            single_point(&board, Color::Black, point, board.stones(Color::Black))
        };
        let centre = |top: &str| {
            let rest = ". X . X .\n. X X X .\n. . . . .";
            eye(&format!(". . . . .\n{top}\n{rest}"), "C3")
        };
        assert_eq!(centre(". X X X ."), EyeCount::ONE);
        assert_eq!(centre(". O X X ."), EyeCount::ONE);
        assert_eq!(centre(". O X . ."), EyeCount::CONTESTED);
        assert_eq!(centre(". O X O ."), EyeCount::NONE);
        assert_eq!(eye("X . X .\nX X . .", "B2"), EyeCount::CONTESTED);
        assert_eq!(eye("X . X .\nX X O .", "B2"), EyeCount::NONE);
        assert_eq!(eye("X . . .\nX X X .", "B2"), EyeCount::CONTESTED);
        assert_eq!(eye(". . . .\nX X X .", "B2"), EyeCount::NONE);
    }

    #[test]
    fn sides_alternate_in_contested_spaces() {
        let eyes = |certain, contested| {
            let count = EyeCount::new(certain, contested);
            [false, true].map(|owner_moves_first| count.after_alternate_moves(owner_moves_first))
        };
        assert_eq!(eyes(1, 1), [1, 2]);
        assert_eq!(eyes(1, 2), [2, 2]);
        assert_eq!(eyes(0, 3), [1, 2]);
    }
}
