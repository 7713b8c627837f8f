//! What KataGo's inputs show, worked out once for a position.

use super::area::{self, AreaKind};
use super::history::{VisibleHistory, alternating_moves};
use super::ladders::{LadderCache, captured_stones};
use super::{KataInputVersion, KataOptions};
use crate::game::color::{ByColor, Color};
use crate::game::point::Point;
use crate::game::pointset::PointSet;
use crate::game::position::Position;
use crate::game::rules::{Rules, Scoring, Tax};

/// Boards on which ladders are read: the present one and those of one and two moves ago.
const LADDER_BOARDS: usize = 3;

/// The facts of one position for one version of the inputs.
pub struct KataFeatures<'a> {
    position: &'a Position,
    version: KataInputVersion,
    /// The side to move.
    own: Color,
    history: VisibleHistory,
    /// Stones of chains with exactly one, two and three liberties.
    by_liberties: [PointSet; 3],
    /// Stones in ladders now, one and two moves ago.
    laddered: [PointSet; LADDER_BOARDS],
    ladder_captures: PointSet,
    area: ByColor<PointSet>,
}

impl<'a> KataFeatures<'a> {
    /// The facts that inputs of this version show of `position`.
    #[must_use]
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
            laddered: [PointSet::EMPTY; LADDER_BOARDS],
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
        for moves_ago in 0..LADDER_BOARDS {
            // Before the moves shown KataGo repeats the earliest board.
            if (1..=self.history.num_moves()).contains(&moves_ago) {
                laddered = ladder_cache.captured_at(self.position, moves_ago);
            }
            self.laddered[moves_ago] = laddered;
        }
    }

    /// Where the side to move may not take straight back.
    fn ko(&self) -> Option<Point> {
        self.position.ko_for(self.own)
    }

    /// The version of the inputs.
    #[must_use]
    pub const fn version(&self) -> KataInputVersion {
        self.version
    }

    /// The rules in force.
    #[must_use]
    pub const fn rules(&self) -> &Rules {
        self.position.rules()
    }

    /// What is shown of the past.
    #[must_use]
    pub const fn history(&self) -> &VisibleHistory {
        &self.history
    }

    /// All points of the board.
    #[must_use]
    pub fn board_points(&self) -> PointSet {
        *self.position.board().area()
    }

    /// The mover's stones.
    #[must_use]
    pub fn own_stones(&self) -> PointSet {
        *self.position.board().stones(self.own)
    }

    /// The opponent's stones.
    #[must_use]
    pub fn opponent_stones(&self) -> PointSet {
        *self.position.board().stones(self.own.opposite())
    }

    /// The stones of both colours in chains with exactly that many liberties (1 to 3).
    #[must_use]
    pub const fn with_liberties(&self, liberties: usize) -> PointSet {
        self.by_liberties[liberties - 1]
    }

    /// Points where ko or superko alone keeps the mover away.
    #[must_use]
    pub fn ko_forbidden(&self) -> PointSet {
        if alternating_moves(self.position) == 0 {
            return PointSet::EMPTY;
        }
        let ko = self.ko().map_or(PointSet::EMPTY, PointSet::single);
        ko | self.position.ko_points()
    }

    /// The stone played `moves_ago` turns ago (0 is the last).
    #[must_use]
    pub fn played_point(&self, moves_ago: usize) -> PointSet {
        self.history
            .played_point(moves_ago)
            .map_or(PointSet::EMPTY, PointSet::single)
    }

    /// The stones of both colours that a ladder captures on the board of `moves_ago` moves ago (up to 2): in atari, or with
    /// two liberties and the attacker to move.
    #[must_use]
    pub const fn laddered(&self, moves_ago: usize) -> PointSet {
        self.laddered[moves_ago]
    }

    /// The mover's moves that start a working ladder.
    #[must_use]
    pub const fn ladder_captures(&self) -> PointSet {
        self.ladder_captures
    }

    /// The mover's area, where it is shown.
    #[must_use]
    pub fn own_area(&self) -> PointSet {
        self.area[self.own]
    }

    /// The opponent's area, where it is shown.
    #[must_use]
    pub fn opponent_area(&self) -> PointSet {
        self.area[self.own.opposite()]
    }

    /// Whether a pass would still earn the button.
    #[must_use]
    pub const fn button_is_free(&self) -> bool {
        self.position.button_is_free()
    }

    /// The mover's points beside the board's. KataGo counts areas under territory scoring too, where a player's every
    /// stone so far then costs it a point. Kept near the board's size.
    #[must_use]
    pub fn own_komi(&self) -> f32 {
        let mut white_points = self.position.white_bonus_half_points() as f32 / 2.0;
        if self.rules().scoring == Scoring::Territory {
            white_points += self.position.black_stone_surplus() as f32;
        }
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

/// The areas that inputs of this version show under the rules in force.
fn visible_area(
    version: KataInputVersion,
    position: &Position,
    suicide: bool,
) -> ByColor<PointSet> {
    let (board, rules) = (position.board(), position.rules());
    match (version, rules.scoring, rules.tax) {
        (KataInputVersion::V5, ..) => ByColor::default(),
        (KataInputVersion::V3, Scoring::Area, _) => area::owned(board, AreaKind::All, suicide),
        (KataInputVersion::V3, Scoring::Territory, _) | (KataInputVersion::V4, ..) => {
            area::owned(board, AreaKind::PassAlive, suicide)
        }
        (KataInputVersion::V6 | KataInputVersion::V7, Scoring::Area, Tax::None) => {
            area::owned(board, AreaKind::All, suicide)
        }
        (KataInputVersion::V6 | KataInputVersion::V7, Scoring::Area, Tax::Seki | Tax::All) => {
            area::owned_outside_seki(board, suicide)
        }
        // Under territory scoring areas are shown in the last clean-up phase alone.
        (KataInputVersion::V6 | KataInputVersion::V7, Scoring::Territory, _) => ByColor::default(),
    }
}
