//! What KataGo's inputs show, worked out once for a position.

use super::area::{self, Claim};
use super::ladders::{LadderBook, captured};
use super::turns::{Turns, moves_in_turn};
use super::{KataInputs, KataOptions};
use crate::game::color::{ByColor, Color};
use crate::game::point::Point;
use crate::game::pointset::PointSet;
use crate::game::position::Position;
use crate::game::rules::{Rules, Scoring, Tax};

/// Boards on which ladders are read: the present one and those of one and two moves ago.
const LADDER_BOARDS: usize = 3;

/// The facts of one position for one version of the inputs.
pub struct Facts<'a> {
    position: &'a Position,
    inputs: KataInputs,
    /// The side to move.
    own: Color,
    turns: Turns,
    /// Stones of chains with exactly one, two and three liberties.
    by_liberties: [PointSet; 3],
    /// Stones in ladders now, one and two moves ago.
    laddered: [PointSet; LADDER_BOARDS],
    ladder_captures: PointSet,
    area: ByColor<PointSet>,
}

impl<'a> Facts<'a> {
    /// The facts that inputs of this version show of `position`.
    #[must_use]
    pub fn new(
        inputs: KataInputs,
        position: &'a Position,
        options: KataOptions,
        book: &mut LadderBook,
    ) -> Self {
        let mut facts = Self {
            position,
            inputs,
            own: position.to_move(),
            turns: Turns::new(inputs, position),
            by_liberties: [PointSet::EMPTY; 3],
            laddered: [PointSet::EMPTY; LADDER_BOARDS],
            ladder_captures: PointSet::EMPTY,
            area: ByColor::default(),
        };
        if inputs != KataInputs::V5 {
            facts.count_liberties();
            facts.read_ladders(book);
            let suicide = position.rules().suicide || options.suicide_areas;
            facts.area = shown_area(inputs, position, suicide);
        }
        facts
    }

    fn count_liberties(&mut self) {
        for chain in self.position.board().chains() {
            if let liberties @ 1..=3 = chain.liberties.len() {
                self.by_liberties[liberties - 1] |= chain.stones;
            }
        }
    }

    fn read_ladders(&mut self, book: &mut LadderBook) {
        let now = book.present(self.position.board(), self.ko());
        self.ladder_captures = now[self.own.opposite()].working_moves;
        let mut laddered = captured(&now);
        for back in 0..LADDER_BOARDS {
            // Before the moves shown KataGo repeats the earliest board.
            if (1..=self.turns.shown()).contains(&back) {
                laddered = book.captured_before(self.position, back);
            }
            self.laddered[back] = laddered;
        }
    }

    /// Where the side to move may not take straight back.
    fn ko(&self) -> Option<Point> {
        self.position.ko_for(self.own)
    }

    /// The version of the inputs.
    #[must_use]
    pub const fn inputs(&self) -> KataInputs {
        self.inputs
    }

    /// The rules in force.
    #[must_use]
    pub const fn rules(&self) -> &Rules {
        self.position.rules()
    }

    /// What is shown of the past.
    #[must_use]
    pub const fn turns(&self) -> &Turns {
        &self.turns
    }

    /// All points of the board.
    #[must_use]
    pub fn on_board(&self) -> PointSet {
        *self.position.board().area()
    }

    /// The mover's stones.
    #[must_use]
    pub fn own(&self) -> PointSet {
        *self.position.board().stones(self.own)
    }

    /// The opponent's stones.
    #[must_use]
    pub fn opponent(&self) -> PointSet {
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
        if moves_in_turn(self.position) == 0 {
            return PointSet::EMPTY;
        }
        let ko = self.ko().map_or(PointSet::EMPTY, PointSet::single);
        ko | self.position.ko_points()
    }

    /// The stone played `back` turns ago (0 is the last).
    #[must_use]
    pub fn moved(&self, back: usize) -> PointSet {
        self.turns
            .stone(back)
            .map_or(PointSet::EMPTY, PointSet::single)
    }

    /// The stones of both colours that a ladder captures on the board of `back` moves ago (up to 2): in atari, or with
    /// two liberties and the attacker to move.
    #[must_use]
    pub const fn laddered(&self, back: usize) -> PointSet {
        self.laddered[back]
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
        let mut white = self.position.white_half_points() as f32 / 2.0;
        if self.rules().scoring == Scoring::Territory {
            white += self.position.more_stones_of_black() as f32;
        }
        let margin = if self.inputs == KataInputs::V7 {
            20.0
        } else {
            1.0
        };
        let most = self.on_board().len() as f32 + margin;
        -self.own.from_black(white).clamp(-most, most)
    }
}

/// The areas that inputs of this version show under the rules in force.
fn shown_area(inputs: KataInputs, position: &Position, suicide: bool) -> ByColor<PointSet> {
    let (board, rules) = (position.board(), position.rules());
    match (inputs, rules.scoring, rules.tax) {
        (KataInputs::V5, ..) => ByColor::default(),
        (KataInputs::V3, Scoring::Area, _) => area::owned(board, Claim::All, suicide),
        (KataInputs::V3, Scoring::Territory, _) | (KataInputs::V4, ..) => {
            area::owned(board, Claim::Alive, suicide)
        }
        (KataInputs::V6 | KataInputs::V7, Scoring::Area, Tax::None) => {
            area::owned(board, Claim::All, suicide)
        }
        (KataInputs::V6 | KataInputs::V7, Scoring::Area, Tax::Seki | Tax::All) => {
            area::owned_outside_seki(board, suicide)
        }
        // Under territory scoring areas are shown in the last clean-up phase alone.
        (KataInputs::V6 | KataInputs::V7, Scoring::Territory, _) => ByColor::default(),
    }
}
