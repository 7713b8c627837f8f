//! Moves that a colour may not make, or that it may make alone, in the first moves of every line of play.

use std::sync::Arc;

use super::root::Restriction;
use crate::game::color::Color;
use crate::game::point::Move;
use crate::game::pointset::PointSet;

/// What a ban says of its moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// They may not be made.
    Avoid,
    /// No others may; several such bans allow what any of them does.
    Allow,
}

/// A set of moves.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MoveSet {
    points: PointSet,
    pass: bool,
}

impl MoveSet {
    /// Whether it is one of them.
    #[must_use]
    pub fn contains(&self, mv: Move) -> bool {
        mv.point()
            .map_or(self.pass, |point| self.points.contains(point))
    }

    /// Adds a move.
    pub fn insert(&mut self, mv: Move) {
        match mv.point() {
            Some(point) => self.points.insert(point),
            None => self.pass = true,
        }
    }

    /// Adds moves to these points.
    pub fn insert_points(&mut self, points: &PointSet) {
        self.points |= *points;
    }

    /// Each of them once: the points in reading order, then the pass.
    pub fn iter(&self) -> impl Iterator<Item = Move> + use<> {
        let pass = self.pass.then_some(Move::Pass);
        self.points.iter().map(Move::Play).chain(pass)
    }
}

impl FromIterator<Move> for MoveSet {
    fn from_iter<I: IntoIterator<Item = Move>>(moves: I) -> Self {
        let mut set = Self::default();
        moves.into_iter().for_each(|mv| set.insert(mv));
        set
    }
}

/// A ban.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ban {
    /// Whose moves.
    pub color: Color,
    /// What is said of them.
    pub kind: Kind,
    /// The moves.
    pub moves: MoveSet,
    /// For how many moves of a line, those of both colours counted: 1 is the first move alone.
    pub depth: u32,
}

/// Whether `color` may make the move after so many others of a line.
#[must_use]
pub fn allow(bans: &[Ban], color: Color, mv: Move, depth: u32) -> bool {
    let mut allowed = None;
    for ban in bans
        .iter()
        .filter(|ban| ban.color == color && depth < ban.depth)
    {
        let named = ban.moves.contains(mv);
        match ban.kind {
            Kind::Avoid if named => return false,
            Kind::Avoid => {}
            Kind::Allow => allowed = Some(named || allowed == Some(true)),
        }
    }
    allowed.unwrap_or(true)
}

/// What the bans come to for a search of a position where `to_move` is to move.
#[must_use]
pub fn restriction(bans: &[Ban], to_move: Color) -> Restriction {
    let of = |kind: Kind| {
        let here = bans
            .iter()
            .filter(move |ban| ban.color == to_move && ban.kind == kind);
        here.flat_map(|ban| ban.moves.iter()).collect::<MoveSet>()
    };
    let avoided = of(Kind::Avoid);
    let at_root = if bans
        .iter()
        .any(|ban| ban.color == to_move && ban.kind == Kind::Allow)
    {
        let allowed = of(Kind::Allow).iter();
        Restriction::Allow(allowed.filter(|&mv| !avoided.contains(mv)).collect())
    } else if avoided == MoveSet::default() {
        Restriction::None
    } else {
        Restriction::Avoid(avoided.iter().collect())
    };
    if bans.iter().all(|ban| ban.depth <= 1) {
        return at_root;
    }
    Restriction::Deep {
        at_root: Box::new(at_root),
        bans: Arc::from(bans),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::point::Point;
    use Color::{Black, White};
    use Kind::{Allow, Avoid};

    fn at(x: usize) -> Move {
        Move::Play(Point::at(x, 0))
    }

    fn ban(color: Color, kind: Kind, moves: &[Move], depth: u32) -> Ban {
        Ban {
            color,
            kind,
            moves: moves.iter().copied().collect(),
            depth,
        }
    }

    #[test]
    fn bans_hold_for_their_colour_and_depth() {
        let bans = [
            ban(Black, Avoid, &[at(0)], 1),
            ban(Black, Avoid, &[at(1)], 3),
            ban(White, Allow, &[at(2)], 2),
            ban(White, Allow, &[at(3), Move::Pass], 4),
        ];
        let open = |color, depth| -> Vec<usize> {
            (0..5)
                .filter(|&x| allow(&bans, color, at(x), depth))
                .collect()
        };
        assert_eq!(open(Black, 0), [2, 3, 4]);
        assert_eq!(open(Black, 2), [0, 2, 3, 4]);
        assert_eq!(open(Black, 4), [0, 1, 2, 3, 4]);
        assert_eq!(open(White, 1), [2, 3]);
        assert_eq!(open(White, 3), [3]);
        assert!(allow(&bans, White, Move::Pass, 0));
    }

    #[test]
    fn bans_of_the_first_move_are_plain_restrictions() {
        let bans = [
            ban(Black, Avoid, &[at(0)], 1),
            ban(White, Allow, &[at(0), at(1)], 1),
            ban(White, Avoid, &[at(1)], 1),
        ];
        assert_eq!(restriction(&bans, Black), Restriction::Avoid(vec![at(0)]));
        assert_eq!(restriction(&bans, White), Restriction::Allow(vec![at(0)]));
        assert_eq!(restriction(&bans[..1], White), Restriction::None);
        let deep = restriction(&[ban(White, Avoid, &[at(0)], 2)], Black);
        assert!(deep.allows(at(0)) && deep.below().len() == 1);
    }
}
