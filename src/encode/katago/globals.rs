//! The global vector of KataGo's inputs, one entry each: what no single point shows.

use super::KataInputs::{self, V3, V4, V5, V6, V7};
use super::facts::Facts;
use crate::encode::globals::{flag, komi_wave};
use crate::game::rules::{KoRule, Scoring, Tax};

/// One number of the vector.
pub struct Global {
    /// Its name.
    pub name: &'static str,
    /// The versions that have it.
    pub versions: &'static [KataInputs],
    /// Its value, from the side of the player to move.
    pub value: fn(&Facts) -> f32,
}

const fn global(
    name: &'static str,
    versions: &'static [KataInputs],
    value: fn(&Facts) -> f32,
) -> Global {
    Global {
        name,
        versions,
        value,
    }
}

const ALL: &[KataInputs] = &[V3, V4, V5, V6, V7];
const NOT_V5: &[KataInputs] = &[V3, V4, V6, V7];
const FROM_V6: &[KataInputs] = &[V6, V7];
const FROM_V7: &[KataInputs] = &[V7];

/// For what there is in KataGo's clean-up phases alone, or between players of unequal playouts.
const fn never(_: &Facts) -> f32 {
    0.0
}

/// The whole vector, in the order of the input.
pub const GLOBALS: [Global; 19] = [
    global("pass", ALL, |f| flag(f.turns().passed(0))),
    global("pass_1", ALL, |f| flag(f.turns().passed(1))),
    global("pass_2", ALL, |f| flag(f.turns().passed(2))),
    global("pass_3", ALL, |f| flag(f.turns().passed(3))),
    global("pass_4", ALL, |f| flag(f.turns().passed(4))),
    global("komi", ALL, |f| {
        let unit = if f.inputs() >= V6 { 20.0 } else { 15.0 };
        f.own_komi() / unit
    }),
    global("superko", ALL, |f| flag(f.rules().ko != KoRule::Simple)),
    global("superko_kind", ALL, |f| match f.rules().ko {
        KoRule::Simple => 0.0,
        KoRule::Positional => 0.5,
        KoRule::Situational => -0.5,
    }),
    global("suicide", ALL, |f| flag(f.rules().suicide)),
    global("territory", ALL, |f| {
        flag(f.rules().scoring == Scoring::Territory)
    }),
    global("tax", FROM_V6, |f| flag(f.rules().tax != Tax::None)),
    global("tax_all", FROM_V6, |f| flag(f.rules().tax == Tax::All)),
    global("cleanup", ALL, never),
    global("cleanup_second", ALL, never),
    global("pass_ends", NOT_V5, |f| flag(f.turns().pass_ends())),
    global("unequal_playouts", FROM_V7, never),
    global("playout_doublings", FROM_V7, never),
    global("button", FROM_V7, |f| flag(f.button_is_free())),
    global("komi_parity", NOT_V5, |f| match f.rules().scoring {
        Scoring::Area => komi_wave(f.own_komi(), f.on_board().len()),
        Scoring::Territory => 0.0,
    }),
];
