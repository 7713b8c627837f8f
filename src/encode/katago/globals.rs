//! Table of the global features in KataGo's inputs.

use super::features::KataFeatures;
use super::version::KataInputVersion::{self, V6, V7};
use crate::encode::globals::{bool_to_f32, komi_wave};
use crate::game::rules::{KoRule, Scoring, Tax};

/// Definition of an element of the global input vector.
pub struct KataGlobalFeature {
    pub name: &'static str,
    /// Versions that include the feature.
    pub versions: &'static [KataInputVersion],
    /// Computes the value, from the perspective of the side to move.
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

const FROM_V6: &[KataInputVersion] = &[V6, V7];
const FROM_V7: &[KataInputVersion] = &[V7];

/// Value of the features for KataGo's clean-up phases and for games with unequal playouts, which do not occur in this
/// engine.
const fn always_zero(_: &KataFeatures) -> f32 {
    0.0
}

/// All global features, in input order.
pub const GLOBALS: [KataGlobalFeature; 19] = [
    global("pass", &KataInputVersion::ALL, |f| {
        bool_to_f32(f.history.was_pass(0))
    }),
    global("pass_1", &KataInputVersion::ALL, |f| {
        bool_to_f32(f.history.was_pass(1))
    }),
    global("pass_2", &KataInputVersion::ALL, |f| {
        bool_to_f32(f.history.was_pass(2))
    }),
    global("pass_3", &KataInputVersion::ALL, |f| {
        bool_to_f32(f.history.was_pass(3))
    }),
    global("pass_4", &KataInputVersion::ALL, |f| {
        bool_to_f32(f.history.was_pass(4))
    }),
    global("komi", &KataInputVersion::ALL, |f| {
        let scale = if f.version >= V6 { 20.0 } else { 15.0 };
        f.own_komi() / scale
    }),
    global("superko", &KataInputVersion::ALL, |f| {
        bool_to_f32(f.rules().ko != KoRule::Simple)
    }),
    global("superko_kind", &KataInputVersion::ALL, |f| {
        match f.rules().ko {
            KoRule::Simple => 0.0,
            KoRule::Positional => 0.5,
            KoRule::Situational => -0.5,
        }
    }),
    global("suicide", &KataInputVersion::ALL, |f| {
        bool_to_f32(f.rules().suicide)
    }),
    global("territory", &KataInputVersion::ALL, |f| {
        bool_to_f32(f.rules().scoring == Scoring::Territory)
    }),
    global("tax", FROM_V6, |f| bool_to_f32(f.rules().tax != Tax::None)),
    global("tax_all", FROM_V6, |f| {
        bool_to_f32(f.rules().tax == Tax::All)
    }),
    global("cleanup", &KataInputVersion::ALL, always_zero),
    global("cleanup_second", &KataInputVersion::ALL, always_zero),
    global("pass_ends", KataInputVersion::ALL_BUT_V5, |f| {
        bool_to_f32(f.history.pass_ends())
    }),
    global("unequal_playouts", FROM_V7, always_zero),
    global("playout_doublings", FROM_V7, always_zero),
    global("button", FROM_V7, |f| {
        bool_to_f32(f.position.button_is_free())
    }),
    global("komi_parity", KataInputVersion::ALL_BUT_V5, |f| {
        match f.rules().scoring {
            Scoring::Area => komi_wave(f.own_komi(), f.board_points().len()),
            Scoring::Territory => 0.0,
        }
    }),
];
