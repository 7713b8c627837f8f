//! Features from which KataGo's input planes and global features are filled. They are computed once per position.

use super::area::{self, AreaExtent};
use super::history::{VisibleHistory, alternating_move_count};
use super::ladders::{LadderCache, captured_stones};
use super::version::{KataInputVersion, KataOptions};
use crate::game::color::{ByColor, Color};
use crate::game::point::Point;
use crate::game::pointset::PointSet;
use crate::game::position::Position;
use crate::game::rules::{Rules, Scoring, Tax};

/// Number of boards with ladder features: the current board and the boards one and two moves ago.
const NUM_LADDER_BOARDS: usize = 3;

/// Features of a position for one input version.
pub struct KataPositionFeatures<'a> {
    pub(super) position: &'a Position,
    pub(super) version: KataInputVersion,
    /// Side to move.
    pub(super) own: Color,
    pub(super) history: VisibleHistory,
    /// Stones of both colours in chains with one liberty (index 0), two liberties (index 1) and three liberties (index
    /// 2).
    pub(super) by_liberties: [PointSet; 3],
    /// Stones of both colours that are captured by ladders, on the boards 0, 1 and 2 moves ago. A chain in atari is
    /// included if it is lost even if its owner moves first. A chain with two liberties is included if it is lost when
    /// the opponent moves first.
    pub(super) laddered: [PointSet; NUM_LADDER_BOARDS],
    /// Moves with which the side to move starts a working ladder.
    pub(super) ladder_captures: PointSet,
    /// Area of each colour. Empty if this input version has no area planes under the current rules.
    pub(super) area: ByColor<PointSet>,
}

impl<'a> KataPositionFeatures<'a> {
    /// Computes the features for the given input version.
    pub fn new(
        version: KataInputVersion,
        position: &'a Position,
        options: KataOptions,
        ladder_cache: &mut LadderCache,
    ) -> Self {
        let mut features = Self {
            position,
            version,
            own: position.to_move(),
            history: VisibleHistory::new(version, position),
            by_liberties: [PointSet::EMPTY; 3],
            laddered: [PointSet::EMPTY; NUM_LADDER_BOARDS],
            ladder_captures: PointSet::EMPTY,
            area: ByColor::default(),
        };
        if version != KataInputVersion::V5 {
            features.count_liberties();
            features.read_ladders(ladder_cache);
            let suicide = position.rules().suicide || options.suicide_areas;
            features.area = visible_area(version, position, suicide);
        }
        features
    }

    fn count_liberties(&mut self) {
        for chain in self.position.board().chains() {
            if let liberties @ 1..=3 = chain.liberties.len() {
                self.by_liberties[liberties - 1] |= chain.stones;
            }
        }
    }

    fn read_ladders(&mut self, ladder_cache: &mut LadderCache) {
        let current = ladder_cache.read_current(self.position.board(), self.ko());
        self.ladder_captures = current[self.own.opposite()].working_moves;
        let mut laddered = captured_stones(&current);
        for moves_ago in 0..NUM_LADDER_BOARDS {
            // If a board is hidden, KataGo uses the earliest visible board instead.
            if (1..=self.history.num_moves()).contains(&moves_ago) {
                laddered = ladder_cache.captured_at(self.position, moves_ago);
            }
            self.laddered[moves_ago] = laddered;
        }
    }

    /// Returns the point of a basic ko that the side to move may not retake immediately, if any.
    fn ko(&self) -> Option<Point> {
        self.position.ko_for(self.own)
    }

    /// Returns the current rules.
    pub const fn rules(&self) -> &Rules {
        self.position.rules()
    }

    /// Returns all points of the board.
    pub fn board_points(&self) -> PointSet {
        *self.position.board().all_points()
    }

    /// Returns the stones of `color`.
    pub fn stones(&self, color: Color) -> PointSet {
        *self.position.board().stones(color)
    }

    /// Returns the points that are illegal for the side to move only because of ko or superko. The result is empty if
    /// the opponent did not play the last move.
    pub fn ko_forbidden(&self) -> PointSet {
        if alternating_move_count(self.position) == 0 {
            return PointSet::EMPTY;
        }
        let ko = self.ko().map_or(PointSet::EMPTY, PointSet::single);
        ko | self.position.ko_points()
    }

    /// Returns the point played `moves_ago` moves ago (0 is the last move), or the empty set if that move is hidden or
    /// a pass.
    pub fn played_point(&self, moves_ago: usize) -> PointSet {
        self.history
            .played_point(moves_ago)
            .map_or(PointSet::EMPTY, PointSet::single)
    }

    /// Returns the effective komi in points, from the perspective of the side to move. The absolute value is limited to
    /// the number of points on the board plus a small margin.
    ///
    /// KataGo's komi is relative to the area score. Under territory scoring, every stone that a side plays costs this
    /// side a point relative to the area score. The value therefore includes the difference between the numbers of
    /// stones that the two sides have played.
    pub fn own_effective_komi(&self) -> f32 {
        let white_points = self.position.white_area_bonus_half_points() as f32 / 2.0;
        let margin = if self.version == KataInputVersion::V7 {
            20.0
        } else {
            1.0
        };
        let max_komi = self.board_points().len() as f32 + margin;
        -self
            .own
            .to_perspective(white_points)
            .clamp(-max_komi, max_komi)
    }
}

/// Returns the areas that the inputs of this version contain under the current rules.
fn visible_area(
    version: KataInputVersion,
    position: &Position,
    suicide: bool,
) -> ByColor<PointSet> {
    let (board, rules) = (position.board(), position.rules());
    match (version, rules.scoring, rules.tax) {
        (KataInputVersion::V5, ..) => ByColor::default(),
        (KataInputVersion::V3, Scoring::Area, _) => {
            area::owned_areas(board, AreaExtent::All, suicide)
        }
        (KataInputVersion::V3, Scoring::Territory, _) | (KataInputVersion::V4, ..) => {
            area::owned_areas(board, AreaExtent::PassAlive, suicide)
        }
        (KataInputVersion::V6 | KataInputVersion::V7, Scoring::Area, Tax::None) => {
            area::owned_areas(board, AreaExtent::All, suicide)
        }
        (KataInputVersion::V6 | KataInputVersion::V7, Scoring::Area, Tax::Seki | Tax::All) => {
            area::areas_without_seki_eyes(board, suicide)
        }
        // Under territory scoring, KataGo's inputs contain areas only in the second clean-up phase.
        (KataInputVersion::V6 | KataInputVersion::V7, Scoring::Territory, _) => ByColor::default(),
    }
}
