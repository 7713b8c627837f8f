//! Position features from which the input planes are filled. They are computed once per position.

use crate::game::benson::pass_alive;
use crate::game::color::{ByColor, Color};
use crate::game::pointset::PointSet;
use crate::game::position::Position;
use crate::tactics::ladder::{LadderReader, Ladders};

/// Features of a position that determine its input planes.
pub struct PositionFeatures<'a> {
    pub(super) position: &'a Position,
    /// Side to move.
    pub(super) own: Color,
    /// Opponent of `own`.
    pub(super) opponent: Color,
    /// Stones of chains with one liberty (index 0), two liberties (index 1) and three liberties (index 2).
    pub(super) by_liberties: ByColor<[PointSet; 3]>,
    /// Ladders against the chains of each colour.
    pub(super) ladders: ByColor<Ladders>,
    /// Pass-alive stones and territory of each colour.
    pub(super) pass_alive: ByColor<PointSet>,
    /// Legal moves after which the chain of the new stone has one liberty (index 0) or two liberties (index 1).
    pub(super) liberties_after: [PointSet; 2],
}

impl<'a> PositionFeatures<'a> {
    /// Computes the features for the classic planes and leaves the other features empty.
    pub fn classic(position: &'a Position) -> Self {
        let mut by_liberties: ByColor<[PointSet; 3]> = ByColor::default();
        for chain in position.board().chains() {
            if let liberties @ 1..=3 = chain.liberties.len() {
                by_liberties[chain.color][liberties - 1] |= chain.stones;
            }
        }
        Self {
            position,
            own: position.to_move(),
            opponent: position.to_move().opposite(),
            by_liberties,
            ladders: ByColor::default(),
            pass_alive: ByColor::default(),
            liberties_after: [PointSet::EMPTY; 2],
        }
    }

    /// Computes all features.
    pub fn full(position: &'a Position, reader: &mut LadderReader) -> Self {
        let mut features = Self::classic(position);
        let board = position.board();
        let own = features.own;
        // A basic ko can restrict only the side to move: a ko ban on the opponent has expired when the opponent moves.
        let ko = position.ko_for(own);
        features.ladders[own] = reader.ladders_against(board, own, None);
        features.ladders[own.opposite()] = reader.ladders_against(board, own.opposite(), ko);
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

    /// Returns the stones that `color` had on the board `moves_ago` moves ago (0 is the current board).
    pub(super) fn past_stones(&self, moves_ago: usize, color: Color) -> PointSet {
        self.position.past_stones(moves_ago, color)
    }
}
