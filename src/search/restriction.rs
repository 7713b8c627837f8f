//! Which moves a search may follow: at the root, and in the first moves of every line of play.

use std::sync::Arc;

use crate::game::color::Color;
use crate::game::point::Move;
use crate::game::pointset::PointSet;

/// The moves of a root.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
enum RootMoves {
    #[default]
    All,
    Only(Vec<Move>),
    Except(Vec<Move>),
}

/// Which moves a search may follow.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Restriction {
    at_root: RootMoves,
    below: Arc<[Constraint]>,
}

impl Restriction {
    /// All moves everywhere.
    #[must_use]
    pub fn none() -> Self {
        Self::default()
    }

    /// Only these moves at the root.
    #[must_use]
    pub fn only(moves: Vec<Move>) -> Self {
        Self::at_root(RootMoves::Only(moves))
    }

    /// All moves but these at the root.
    #[must_use]
    pub fn except(moves: Vec<Move>) -> Self {
        Self::at_root(RootMoves::Except(moves))
    }

    fn at_root(at_root: RootMoves) -> Self {
        Self {
            at_root,
            ..Self::default()
        }
    }

    /// What the constraints come to for a search of a position where `to_move` is to move.
    #[must_use]
    pub fn of(constraints: &[Constraint], to_move: Color) -> Self {
        let own = |kind: Kind| {
            let own = constraints.iter();
            own.filter(move |one| one.color == to_move && one.kind == kind)
        };
        let moves = |kind| -> MoveSet { own(kind).flat_map(|one| one.moves.iter()).collect() };
        let avoided = moves(Kind::Avoid);
        let at_root = if own(Kind::Allow).next().is_some() {
            let allowed = moves(Kind::Allow).iter();
            RootMoves::Only(allowed.filter(|&mv| !avoided.contains(mv)).collect())
        } else if avoided == MoveSet::default() {
            RootMoves::All
        } else {
            RootMoves::Except(avoided.iter().collect())
        };
        let reaches_below = constraints.iter().any(|one| one.depth > 1);
        let below = if reaches_below { constraints } else { &[] };
        Self {
            at_root,
            below: Arc::from(below),
        }
    }

    /// Whether all moves may be followed everywhere.
    #[must_use]
    pub fn is_none(&self) -> bool {
        self.allows_all() && self.below.is_empty()
    }

    /// Whether every move of the root may be followed.
    #[must_use]
    pub fn allows_all(&self) -> bool {
        self.at_root == RootMoves::All
    }

    /// Whether the move may be followed at the root.
    #[must_use]
    pub fn allows(&self, mv: Move) -> bool {
        match &self.at_root {
            RootMoves::All => true,
            RootMoves::Only(moves) => moves.contains(&mv),
            RootMoves::Except(moves) => !moves.contains(&mv),
        }
    }

    /// What holds below the root.
    #[must_use]
    pub fn below(&self) -> &[Constraint] {
        &self.below
    }
}

/// What a constraint says of its moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// They may not be made.
    Avoid,
    /// No others may; several such constraints allow what any of them does.
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

/// Moves that a colour may not make, or that it may make alone, for a while.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constraint {
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
pub fn allow(constraints: &[Constraint], color: Color, mv: Move, depth: u32) -> bool {
    let mut allowed = None;
    for one in constraints
        .iter()
        .filter(|one| one.color == color && depth < one.depth)
    {
        let named = one.moves.contains(mv);
        match one.kind {
            Kind::Avoid if named => return false,
            Kind::Avoid => {}
            Kind::Allow => allowed = Some(named || allowed == Some(true)),
        }
    }
    allowed.unwrap_or(true)
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

    fn constraint(color: Color, kind: Kind, moves: &[Move], depth: u32) -> Constraint {
        Constraint {
            color,
            kind,
            moves: moves.iter().copied().collect(),
            depth,
        }
    }

    #[test]
    fn constraints_hold_for_their_colour_and_depth() {
        let constraints = [
            constraint(Black, Avoid, &[at(0)], 1),
            constraint(Black, Avoid, &[at(1)], 3),
            constraint(White, Allow, &[at(2)], 2),
            constraint(White, Allow, &[at(3), Move::Pass], 4),
        ];
        let open = |color, depth| -> Vec<usize> {
            (0..5)
                .filter(|&x| allow(&constraints, color, at(x), depth))
                .collect()
        };
        assert_eq!(open(Black, 0), [2, 3, 4]);
        assert_eq!(open(Black, 2), [0, 2, 3, 4]);
        assert_eq!(open(Black, 4), [0, 1, 2, 3, 4]);
        assert_eq!(open(White, 1), [2, 3]);
        assert_eq!(open(White, 3), [3]);
        assert!(allow(&constraints, White, Move::Pass, 0));
    }

    #[test]
    fn constraints_of_the_first_move_hold_at_the_root_alone() {
        let constraints = [
            constraint(Black, Avoid, &[at(0)], 1),
            constraint(White, Allow, &[at(0), at(1)], 1),
            constraint(White, Avoid, &[at(1)], 1),
        ];
        assert_eq!(
            Restriction::of(&constraints, Black),
            Restriction::except(vec![at(0)])
        );
        assert_eq!(
            Restriction::of(&constraints, White),
            Restriction::only(vec![at(0)])
        );
        assert_eq!(
            Restriction::of(&constraints[..1], White),
            Restriction::none()
        );
        let deep = Restriction::of(&[constraint(White, Avoid, &[at(0)], 2)], Black);
        assert!(deep.allows(at(0)) && deep.below().len() == 1);
    }
}
