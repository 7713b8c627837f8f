//! Restrictions on the moves that a search considers, at the root and in the first moves of every line.

use std::sync::Arc;

use crate::game::color::Color;
use crate::game::point::Move;
use crate::game::pointset::PointSet;

/// Moves allowed at the root.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
enum RootMoves {
    #[default]
    All,
    Only(Vec<Move>),
    Except(Vec<Move>),
}

/// Restriction on the moves that a search considers: the moves allowed at the root, and constraints for the moves below
/// it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Restriction {
    at_root: RootMoves,
    constraints: Arc<[Constraint]>,
}

impl Restriction {
    /// Creates a restriction that allows all moves.
    pub fn none() -> Self {
        Self::default()
    }

    /// Creates a restriction that allows only `moves` at the root.
    pub fn only(moves: Vec<Move>) -> Self {
        Self::at_root(RootMoves::Only(moves))
    }

    /// Creates a restriction that forbids `moves` at the root and allows all others.
    pub fn except(moves: Vec<Move>) -> Self {
        Self::at_root(RootMoves::Except(moves))
    }

    fn at_root(at_root: RootMoves) -> Self {
        Self {
            at_root,
            ..Self::default()
        }
    }

    /// Creates the restriction that applies all `constraints` to a search with `to_move` to move at the root.
    pub fn from_constraints(constraints: &[Constraint], to_move: Color) -> Self {
        let own_constraints = |kind: ConstraintKind| {
            let constraints = constraints.iter();
            constraints
                .filter(move |constraint| constraint.color == to_move && constraint.kind == kind)
        };
        let moves = |kind| -> MoveSet {
            own_constraints(kind)
                .flat_map(|constraint| constraint.moves.iter())
                .collect()
        };
        let avoided = moves(ConstraintKind::Avoid);
        let at_root = if own_constraints(ConstraintKind::Allow).next().is_some() {
            let allowed = moves(ConstraintKind::Allow).iter();
            RootMoves::Only(allowed.filter(|&mv| !avoided.contains(mv)).collect())
        } else if avoided == MoveSet::default() {
            RootMoves::All
        } else {
            RootMoves::Except(avoided.iter().collect())
        };
        let applies_below_root = constraints.iter().any(|constraint| constraint.depth > 1);
        let below_root = if applies_below_root { constraints } else { &[] };
        Self {
            at_root,
            constraints: Arc::from(below_root),
        }
    }

    /// Returns true if all moves are allowed at the root and below it.
    pub fn is_unrestricted(&self) -> bool {
        self.allows_all_root_moves() && self.constraints.is_empty()
    }

    /// Returns true if all moves are allowed at the root.
    pub fn allows_all_root_moves(&self) -> bool {
        self.at_root == RootMoves::All
    }

    /// Returns the moves to which the root is restricted, or `None` if it is not restricted to a list of moves.
    pub fn only_root_moves(&self) -> Option<&[Move]> {
        match &self.at_root {
            RootMoves::Only(moves) => Some(moves),
            RootMoves::All | RootMoves::Except(_) => None,
        }
    }

    /// Returns true if `mv` is allowed at the root.
    pub fn allows_at_root(&self, mv: Move) -> bool {
        match &self.at_root {
            RootMoves::All => true,
            RootMoves::Only(moves) => moves.contains(&mv),
            RootMoves::Except(moves) => !moves.contains(&mv),
        }
    }

    /// Returns the constraints to check below the root, or an empty slice if none applies there.
    pub fn constraints_below_root(&self) -> &[Constraint] {
        &self.constraints
    }
}

/// Effect of a constraint on the moves that it lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConstraintKind {
    /// The moves are forbidden.
    Avoid,
    /// All other moves are forbidden. If several such constraints apply, a move is allowed if any of them lists it.
    Allow,
}

/// A set of points, which may also contain a pass.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MoveSet {
    points: PointSet,
    pass: bool,
}

impl MoveSet {
    pub fn contains(&self, mv: Move) -> bool {
        mv.point()
            .map_or(self.pass, |point| self.points.contains(point))
    }

    pub fn insert(&mut self, mv: Move) {
        match mv.point() {
            Some(point) => self.points.insert(point),
            None => self.pass = true,
        }
    }

    /// Adds a move at each of `points` to the set.
    pub fn insert_points(&mut self, points: &PointSet) {
        self.points |= *points;
    }

    /// Iterates over the moves: points in row-major order, then a pass.
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

/// Constraint on the moves of a colour near the root. It forbids either the moves in a set or all moves outside the
/// set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constraint {
    pub color: Color,
    pub kind: ConstraintKind,
    pub moves: MoveSet,
    /// Number of moves from the root, counting both colours, after which the constraint no longer applies. A constraint
    /// with depth 1 restricts only the first move.
    pub depth: u32,
}

/// Returns true if `color` may play `mv` in a position that is `depth` moves below the root.
pub fn is_allowed(constraints: &[Constraint], color: Color, mv: Move, depth: u32) -> bool {
    let mut allowed = None;
    for constraint in constraints
        .iter()
        .filter(|constraint| constraint.color == color && depth < constraint.depth)
    {
        let is_listed = constraint.moves.contains(mv);
        match constraint.kind {
            ConstraintKind::Avoid if is_listed => return false,
            ConstraintKind::Avoid => {}
            ConstraintKind::Allow => allowed = Some(is_listed || allowed == Some(true)),
        }
    }
    allowed.unwrap_or(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::point::Point;
    use Color::{Black, White};
    use ConstraintKind::{Allow, Avoid};

    fn at(x: usize) -> Move {
        Move::Play(Point::at(x, 0))
    }

    fn constraint(color: Color, kind: ConstraintKind, moves: &[Move], depth: u32) -> Constraint {
        Constraint {
            color,
            kind,
            moves: moves.iter().copied().collect(),
            depth,
        }
    }

    #[test]
    fn constraints_apply_by_color_and_depth() {
        let constraints = [
            constraint(Black, Avoid, &[at(0)], 1),
            constraint(Black, Avoid, &[at(1)], 3),
            constraint(White, Allow, &[at(2)], 2),
            constraint(White, Allow, &[at(3), Move::Pass], 4),
        ];
        let allowed = |color, depth| -> Vec<usize> {
            (0..5)
                .filter(|&x| is_allowed(&constraints, color, at(x), depth))
                .collect()
        };
        assert_eq!(allowed(Black, 0), [2, 3, 4]);
        assert_eq!(allowed(Black, 2), [0, 2, 3, 4]);
        assert_eq!(allowed(Black, 4), [0, 1, 2, 3, 4]);
        assert_eq!(allowed(White, 1), [2, 3]);
        assert_eq!(allowed(White, 3), [3]);
        assert!(is_allowed(&constraints, White, Move::Pass, 0));
    }

    #[test]
    fn depth_one_constraints_apply_to_root_only() {
        let constraints = [
            constraint(Black, Avoid, &[at(0)], 1),
            constraint(White, Allow, &[at(0), at(1)], 1),
            constraint(White, Avoid, &[at(1)], 1),
        ];
        assert_eq!(
            Restriction::from_constraints(&constraints, Black),
            Restriction::except(vec![at(0)])
        );
        assert_eq!(
            Restriction::from_constraints(&constraints, White),
            Restriction::only(vec![at(0)])
        );
        assert_eq!(
            Restriction::from_constraints(&constraints[..1], White),
            Restriction::none()
        );
        let deep = Restriction::from_constraints(&[constraint(White, Avoid, &[at(0)], 2)], Black);
        assert!(deep.allows_at_root(at(0)) && deep.constraints_below_root().len() == 1);
    }
}
