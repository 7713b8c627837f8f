//! Table of the global input features, which describe the position as a whole.

use crate::game::color::Color;
use crate::game::point::MAX_SIDE;
use crate::game::position::Position;
use crate::game::rules::{KoRule, Scoring, Tax};

/// Definition of an element of the global input vector.
pub struct GlobalFeature {
    /// Name in network files and in the streams of training batches.
    pub name: &'static str,
    /// Computes the value from the perspective of the side to move. Most values are between -1 and 1; the value of
    /// `komi` is between -3 and 3.
    pub value: fn(&Position) -> f32,
}

const fn global_feature(name: &'static str, value: fn(&Position) -> f32) -> GlobalFeature {
    GlobalFeature { name, value }
}

/// All global features, in input order.
pub const GLOBALS: [GlobalFeature; 13] = [
    global_feature("komi", |p| (own_effective_komi(p) / 20.0).clamp(-3.0, 3.0)),
    global_feature("ko_positional", |p| {
        bool_to_f32(p.rules().ko == KoRule::Positional)
    }),
    global_feature("ko_situational", |p| {
        bool_to_f32(p.rules().ko == KoRule::Situational)
    }),
    global_feature("suicide", |p| bool_to_f32(p.rules().suicide)),
    global_feature("territory", |p| {
        bool_to_f32(p.rules().scoring == Scoring::Territory)
    }),
    global_feature("tax_seki", |p| bool_to_f32(p.rules().tax == Tax::Seki)),
    global_feature("tax_all", |p| bool_to_f32(p.rules().tax == Tax::All)),
    global_feature("button", |p| bool_to_f32(p.button_is_free())),
    global_feature("pass_last", |p| bool_to_f32(p.was_pass(0))),
    global_feature("pass_before", |p| bool_to_f32(p.was_pass(1))),
    global_feature("width", |p| p.size().width() as f32 / MAX_SIDE as f32),
    global_feature("height", |p| p.size().height() as f32 / MAX_SIDE as f32),
    global_feature("komi_parity", komi_parity),
];

pub(super) fn bool_to_f32(value: bool) -> f32 {
    f32::from(u8::from(value))
}

/// Returns the effective komi (komi, handicap bonus and button) in points, positive if it favours the side to move.
///
/// Under territory scoring, the value also accounts for surplus stones. If one side has played more stones than the
/// other, for example because of a handicap or a pass, its lead in area overstates its lead in score by one point per
/// surplus stone. If the sides have alternated, there is no surplus: with White to move, Black's additional stone is
/// not counted.
fn own_effective_komi(position: &Position) -> f32 {
    let mut white_points = position.white_area_bonus_half_points() as f32 / 2.0;
    if position.rules().scoring == Scoring::Territory && position.to_move() == Color::White {
        white_points -= 1.0;
    }
    -position.to_move().to_perspective(white_points)
}

/// Returns the [`komi_wave`] of the effective komi, or zero under territory scoring.
fn komi_parity(position: &Position) -> f32 {
    match position.rules().scoring {
        Scoring::Area => komi_wave(own_effective_komi(position), position.size().area()),
        Scoring::Territory => 0.0,
    }
}

/// Computes a triangle wave over the komi with a period of two points, like KataGo's "komi parity" feature. `own_komi`
/// is the effective komi in points, positive if it favours the side to move.
///
/// Under area scoring, the score of a full board has the same parity as the area of the board. An additional half point
/// of komi therefore decides the game at some values of komi and makes no difference at others. The wave shows where
/// the komi lies in this cycle. It is 0 if the komi makes a draw possible, 0.5 (the maximum) if the komi is half a
/// point larger, and -0.5 (the minimum) if the komi is half a point smaller.
pub(super) fn komi_wave(own_komi: f32, area: usize) -> f32 {
    let drawable_offset = (area % 2) as f32;
    let phase = (own_komi - drawable_offset).rem_euclid(2.0);
    if phase < 0.5 {
        phase
    } else if phase < 1.5 {
        1.0 - phase
    } else {
        phase - 2.0
    }
}
