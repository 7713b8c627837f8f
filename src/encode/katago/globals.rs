//! The global vector of KataGo's inputs, one entry each: what no single point shows.

use super::KataInputVersion::{self, V3, V4, V5, V6, V7};
use super::features::KataFeatures;
use crate::encode::globals::{bool_to_f32, komi_wave};
use crate::game::rules::{KoRule, Scoring, Tax};

/// One number of the vector.
pub struct KataGlobalFeature {
    /// Its name.
    pub name: &'static str,
    /// The versions that have it.
    pub versions: &'static [KataInputVersion],
    /// Its value, from the side of the player to move.
    pub value: fn(&KataFeatures) -> f32,
}

const fn global(
    name: &'static str,
    versions: &'static [KataInputVersion],
    value: fn(&KataFeatures) -> f32,
) -> KataGlobalFeature {
    KataGlobalFeature {
        name,
        versions,
        value,
    }
}

const ALL: &[KataInputVersion] = &[V3, V4, V5, V6, V7];
const ALL_BUT_V5: &[KataInputVersion] = &[V3, V4, V6, V7];
const FROM_V6: &[KataInputVersion] = &[V6, V7];
const FROM_V7: &[KataInputVersion] = &[V7];

/// For what there is in KataGo's clean-up phases alone, or between players of unequal playouts.
const fn always_zero(_: &KataFeatures) -> f32 {
    0.0
}

/// The whole vector, in the order of the input.
pub const GLOBALS: [KataGlobalFeature; 19] = [
    global("pass", ALL, |f| bool_to_f32(f.history().was_pass(0))),
    global("pass_1", ALL, |f| bool_to_f32(f.history().was_pass(1))),
    global("pass_2", ALL, |f| bool_to_f32(f.history().was_pass(2))),
    global("pass_3", ALL, |f| bool_to_f32(f.history().was_pass(3))),
    global("pass_4", ALL, |f| bool_to_f32(f.history().was_pass(4))),
    global("komi", ALL, |f| {
        let scale = if f.version() >= V6 { 20.0 } else { 15.0 };
        f.own_komi() / scale
    }),
    global("superko", ALL, |f| {
        bool_to_f32(f.rules().ko != KoRule::Simple)
    }),
    global("superko_kind", ALL, |f| match f.rules().ko {
        KoRule::Simple => 0.0,
        KoRule::Positional => 0.5,
        KoRule::Situational => -0.5,
    }),
    global("suicide", ALL, |f| bool_to_f32(f.rules().suicide)),
    global("territory", ALL, |f| {
        bool_to_f32(f.rules().scoring == Scoring::Territory)
    }),
    global("tax", FROM_V6, |f| bool_to_f32(f.rules().tax != Tax::None)),
    global("tax_all", FROM_V6, |f| {
        bool_to_f32(f.rules().tax == Tax::All)
    }),
    global("cleanup", ALL, always_zero),
    global("cleanup_second", ALL, always_zero),
    global("pass_ends", ALL_BUT_V5, |f| {
        bool_to_f32(f.history().pass_ends())
    }),
    global("unequal_playouts", FROM_V7, always_zero),
    global("playout_doublings", FROM_V7, always_zero),
    global("button", FROM_V7, |f| bool_to_f32(f.button_is_free())),
    global("komi_parity", ALL_BUT_V5, |f| match f.rules().scoring {
        Scoring::Area => komi_wave(f.own_komi(), f.board_points().len()),
        Scoring::Territory => 0.0,
    }),
];
