//! The global vector, one entry each: what no single point shows.

use crate::game::color::Color;
use crate::game::point::{MAX_SIDE, Move};
use crate::game::position::Position;
use crate::game::rules::{KoRule, Scoring, Tax};

/// One number of the global vector.
pub struct GlobalFeature {
    /// Its name, as net files and sample streams know it.
    pub name: &'static str,
    /// Its value, about -1 to 1, from the side of the player to move.
    pub value: fn(&Position) -> f32,
}

const fn global(name: &'static str, value: fn(&Position) -> f32) -> GlobalFeature {
    GlobalFeature { name, value }
}

/// The whole vector, in the order of the input.
pub const GLOBALS: [GlobalFeature; 13] = [
    global("komi", |p| (own_komi(p) / 20.0).clamp(-3.0, 3.0)),
    global("ko_positional", |p| {
        bool_to_f32(p.rules().ko == KoRule::Positional)
    }),
    global("ko_situational", |p| {
        bool_to_f32(p.rules().ko == KoRule::Situational)
    }),
    global("suicide", |p| bool_to_f32(p.rules().suicide)),
    global("territory", |p| {
        bool_to_f32(p.rules().scoring == Scoring::Territory)
    }),
    global("tax_seki", |p| bool_to_f32(p.rules().tax == Tax::Seki)),
    global("tax_all", |p| bool_to_f32(p.rules().tax == Tax::All)),
    global("button", |p| bool_to_f32(p.button_is_free())),
    global("pass_last", |p| bool_to_f32(was_pass(p, 0))),
    global("pass_before", |p| bool_to_f32(was_pass(p, 1))),
    global("width", |p| p.size().width() as f32 / MAX_SIDE as f32),
    global("height", |p| p.size().height() as f32 / MAX_SIDE as f32),
    global("komi_parity", komi_parity),
];

pub(super) fn bool_to_f32(value: bool) -> f32 {
    f32::from(u8::from(value))
}

fn was_pass(position: &Position, moves_ago: usize) -> bool {
    matches!(position.last_move(moves_ago), Some((_, Move::Pass)))
}

/// Points the mover gets beside the board's, negative for Black under the usual komi.
///
/// Under territory scoring these are also the moves that its opponent has made more than it should have: a board on which
/// one side has more stones, by a handicap or a pass, or on which stones were taken, is worth less to it than it looks.
/// Where the sides have moved in turn there are none.
fn own_komi(position: &Position) -> f32 {
    let mut white_points = position.white_bonus_half_points() as f32 / 2.0;
    if position.rules().scoring == Scoring::Territory {
        let expected_surplus = u8::from(position.to_move() == Color::White);
        white_points += (position.black_stone_surplus() - i64::from(expected_surplus)) as f32;
    }
    -position.to_move().to_perspective(white_points)
}

/// The wave of the mover's komi; zero under territory scoring.
fn komi_parity(position: &Position) -> f32 {
    match position.rules().scoring {
        Scoring::Area => komi_wave(own_komi(position), position.size().area()),
        Scoring::Territory => 0.0,
    }
}

/// Under area scoring a full board's difference has the parity of its area, so half a point of komi is worth a whole
/// game at some komi and nothing at others. A triangle wave of period two says where in that cycle the mover's komi
/// lies: 0 where a draw is possible, highest half a point above. The wave is KataGo's (its input notes, feature
/// "komi parity").
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
