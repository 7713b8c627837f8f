//! What the planes show, worked out once for a position.

use crate::game::benson::pass_alive;
use crate::game::color::{ByColor, Color};
use crate::game::pointset::PointSet;
use crate::game::position::Position;
use crate::tactics::ladder::{LadderReader, Ladders};

/// The facts of one position.
pub struct PositionFeatures<'a> {
    position: &'a Position,
    /// The side to move.
    own: Color,
    /// Stones of chains with exactly one, two and three liberties.
    by_liberties: ByColor<[PointSet; 3]>,
    ladders: ByColor<Ladders>,
    pass_alive: ByColor<PointSet>,
    /// Legal moves whose chain will have exactly one and two liberties.
    liberties_after: [PointSet; 2],
}

impl<'a> PositionFeatures<'a> {
    /// What the classic planes need; the rest is left empty.
    #[must_use]
    pub fn basic(position: &'a Position) -> Self {
        let mut by_liberties: ByColor<[PointSet; 3]> = ByColor::default();
        for chain in position.board().chains() {
            if let liberties @ 1..=3 = chain.liberties.len() {
                by_liberties[chain.color][liberties - 1] |= chain.stones;
            }
        }
        Self {
            position,
            own: position.to_move(),
            by_liberties,
            ladders: ByColor::default(),
            pass_alive: ByColor::default(),
            liberties_after: [PointSet::EMPTY; 2],
        }
    }

    /// Everything.
    #[must_use]
    pub fn full(position: &'a Position, reader: &mut LadderReader) -> Self {
        let mut features = Self::basic(position);
        let board = position.board();
        let own = features.own;
        // Only the side to move may be barred from retaking; the other side's ko has passed by its turn.
        let ko = position.ko_for(own);
        features.ladders[own] = reader.ladders(board, own, None);
        features.ladders[own.opposite()] = reader.ladders(board, own.opposite(), ko);
        for color in Color::BOTH {
            features.pass_alive[color] = pass_alive(board, color, position.rules().suicide).area();
        }
        for point in position.legal_points() {
            if let liberties @ 1..=2 = board.liberties_after(own, point).len() {
                features.liberties_after[liberties - 1].insert(point);
            }
        }
        features
    }

    /// +1 when Black is to move, -1 when White is.
    #[must_use]
    pub fn black_to_move(&self) -> f32 {
        self.own.to_perspective(1.0)
    }

    /// All points of the board.
    #[must_use]
    pub fn board_points(&self) -> PointSet {
        *self.position.board().area()
    }

    /// The mover's stones `moves_ago` moves ago.
    #[must_use]
    pub fn own_stones(&self, moves_ago: usize) -> PointSet {
        self.position.past_stones(moves_ago, self.own)
    }

    /// The opponent's stones `moves_ago` moves ago.
    #[must_use]
    pub fn opponent_stones(&self, moves_ago: usize) -> PointSet {
        self.position.past_stones(moves_ago, self.own.opposite())
    }

    /// The mover's stones in chains with exactly that many liberties (1 to 3).
    #[must_use]
    pub fn own_with_liberties(&self, liberties: usize) -> PointSet {
        self.by_liberties[self.own][liberties - 1]
    }

    /// The opponent's stones in chains with exactly that many liberties (1 to 3).
    #[must_use]
    pub fn opponent_with_liberties(&self, liberties: usize) -> PointSet {
        self.by_liberties[self.own.opposite()][liberties - 1]
    }

    /// Points where ko or superko alone keeps the mover away.
    #[must_use]
    pub fn ko_points(&self) -> PointSet {
        self.position.ko_points()
    }

    /// Ladders against the mover's chains.
    #[must_use]
    pub fn own_ladders(&self) -> &Ladders {
        &self.ladders[self.own]
    }

    /// Ladders against the opponent's chains.
    #[must_use]
    pub fn opponent_ladders(&self) -> &Ladders {
        &self.ladders[self.own.opposite()]
    }

    /// The mover's pass-alive stones and territory.
    #[must_use]
    pub fn own_pass_alive(&self) -> PointSet {
        self.pass_alive[self.own]
    }

    /// The opponent's pass-alive stones and territory.
    #[must_use]
    pub fn opponent_pass_alive(&self) -> PointSet {
        self.pass_alive[self.own.opposite()]
    }

    /// The mover's legal moves after which the new chain has exactly that many liberties (1 or 2).
    #[must_use]
    pub fn moves_with_liberties_after(&self, liberties: usize) -> PointSet {
        self.liberties_after[liberties - 1]
    }
}
