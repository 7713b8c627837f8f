//! Table of the global features in KataGo's inputs.

use super::planes::{ALL_BUT_V5, ALL_VERSIONS, InputFeature, feature};
use super::position_features::KataPositionFeatures;
use super::version::KataInputVersion::{self, V6, V7};
use crate::encode::globals::{bool_to_f32, komi_wave};
use crate::game::rules::{KoRule, Scoring, Tax};

const FROM_V6: &[KataInputVersion] = &[V6, V7];
const FROM_V7: &[KataInputVersion] = &[V7];

/// Returns 0. Used for features that do not occur in this engine: KataGo's clean-up phases and games with unequal
/// playouts.
const fn always_zero(_: &KataPositionFeatures) -> f32 {
    0.0
}

/// All global features, in input order. Their values are from the perspective of the side to move.
pub const GLOBALS: [InputFeature<f32>; 19] = [
    feature("pass", ALL_VERSIONS, |f| bool_to_f32(f.history.was_pass(0))),
    feature("pass_1", ALL_VERSIONS, |f| {
        bool_to_f32(f.history.was_pass(1))
    }),
    feature("pass_2", ALL_VERSIONS, |f| {
        bool_to_f32(f.history.was_pass(2))
    }),
    feature("pass_3", ALL_VERSIONS, |f| {
        bool_to_f32(f.history.was_pass(3))
    }),
    feature("pass_4", ALL_VERSIONS, |f| {
        bool_to_f32(f.history.was_pass(4))
    }),
    feature("komi", ALL_VERSIONS, |f| {
        let scale = if f.version >= V6 { 20.0 } else { 15.0 };
        f.own_effective_komi() / scale
    }),
    feature("superko", ALL_VERSIONS, |f| {
        bool_to_f32(f.rules().ko != KoRule::Simple)
    }),
    feature("superko_kind", ALL_VERSIONS, |f| match f.rules().ko {
        KoRule::Simple => 0.0,
        KoRule::Positional => 0.5,
        KoRule::Situational => -0.5,
    }),
    feature("suicide", ALL_VERSIONS, |f| bool_to_f32(f.rules().suicide)),
    feature("territory", ALL_VERSIONS, |f| {
        bool_to_f32(f.rules().scoring == Scoring::Territory)
    }),
    feature("tax", FROM_V6, |f| bool_to_f32(f.rules().tax != Tax::None)),
    feature("tax_all", FROM_V6, |f| {
        bool_to_f32(f.rules().tax == Tax::All)
    }),
    feature("cleanup", ALL_VERSIONS, always_zero),
    feature("cleanup_second", ALL_VERSIONS, always_zero),
    feature("pass_ends", ALL_BUT_V5, |f| {
        bool_to_f32(f.history.pass_would_end_game())
    }),
    feature("unequal_playouts", FROM_V7, always_zero),
    feature("playout_doublings", FROM_V7, always_zero),
    feature("button", FROM_V7, |f| {
        bool_to_f32(f.position.button_is_free())
    }),
    feature("komi_parity", ALL_BUT_V5, |f| match f.rules().scoring {
        Scoring::Area => komi_wave(f.own_effective_komi(), f.board_points().len()),
        Scoring::Territory => 0.0,
    }),
];
