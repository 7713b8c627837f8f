//! The search's parameters: one table, one line each.

use crate::io::error_text;

/// How children are chosen on the way down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Formula {
    /// Value plus exploration in proportion to the prior; for evaluators that know good moves.
    #[default]
    Puct,
    /// Value plus the upper confidence bound of plain UCT; for random playouts.
    Ucb1,
}

/// What a search does with a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Algorithm {
    /// Grows a tree by what an evaluator says.
    #[default]
    Tree,
    /// Reads all moves by alpha-beta and asks no evaluator.
    AlphaBeta {
        /// Moves to look ahead at most; none for as many as the time allows.
        depth: Option<u32>,
    },
}

/// One entry of the table, for listings.
#[derive(Clone, Copy, Debug)]
pub struct ParamInfo {
    /// The parameter's name.
    pub name: &'static str,
    /// Its default.
    pub default: f32,
    /// The smallest value allowed.
    pub min: f32,
    /// The largest value allowed.
    pub max: f32,
    /// What it does.
    pub summary: &'static str,
}

/// Why a parameter was not set.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ParamError {
    /// There is none of that name.
    #[error("expected the name of a search parameter, {}", error_text::found_with_suggestion(.0, SearchParams::TABLE.iter().map(|info| info.name)))]
    Unknown(String),
    /// The value is out of range or not a number.
    #[error("{name}: expected a number from {min} to {max}, found {found}")]
    Range {
        /// The parameter.
        name: &'static str,
        /// The smallest value allowed.
        min: f32,
        /// The largest value allowed.
        max: f32,
        /// The value given.
        found: f32,
    },
}

macro_rules! parameters {
    ($($name:ident = $default:literal in $min:literal ..= $max:literal, $summary:literal;)*) => {
        /// Everything about the search that can be tuned; the fields' texts are those of [`SearchParams::TABLE`].
        #[derive(Clone, Debug, PartialEq)]
        pub struct SearchParams {
            /// What is done at all.
            pub algorithm: Algorithm,
            /// How children are chosen.
            pub formula: Formula,
            /// Whether the utility of the lead is centred on the lead that is expected at the root as a search starts (as
            /// KataGo's dynamic score utility is), unless `lead_center` names a centre. Without it moves that cost much
            /// are hard to tell from others in a game that is as good as decided, where the utility of the score is flat.
            pub centers_lead: bool,
            $(#[doc = $summary] pub $name: f32,)*
        }

        impl Default for SearchParams {
            fn default() -> Self {
                Self { algorithm: Algorithm::default(), formula: Formula::default(), centers_lead: false, $($name: $default,)* }
            }
        }

        impl SearchParams {
            /// All numeric parameters.
            pub const TABLE: &'static [ParamInfo] = &[$(ParamInfo {
                name: stringify!($name),
                default: $default,
                min: $min,
                max: $max,
                summary: $summary,
            },)*];

            /// The value of a parameter by name.
            pub fn get(&self, name: &str) -> Option<f32> {
                match name {
                    $(stringify!($name) => Some(self.$name),)*
                    _ => None,
                }
            }

            /// Sets a parameter by name.
            ///
            /// # Errors
            /// When there is none of that name or the value is out of its range; nothing has changed then.
            pub fn set(&mut self, name: &str, value: f32) -> Result<(), ParamError> {
                match name {
                    $(stringify!($name) => {
                        // NaN is in no range.
                        if !($min..=$max).contains(&value) {
                            return Err(ParamError::Range { name: stringify!($name), min: $min, max: $max, found: value });
                        }
                        self.$name = value;
                    })*
                    _ => return Err(ParamError::Unknown(name.to_owned())),
                }
                Ok(())
            }
        }
    };
}

parameters! {
    cpuct = 0.7 in 0.0..=10.0, "Exploration of PUCT at few visits.";
    cpuct_log = 0.32 in 0.0..=10.0, "Growth of PUCT's exploration with the logarithm of the visits.";
    cpuct_base = 500.0 in 1.0..=1e6, "Visits at which that growth sets in.";
    fpu_reduction = 0.2 in 0.0..=2.0, "How much worse than its parent an unvisited move is taken to be, times the root of the prior visited.";
    root_fpu_reduction = 0.1 in 0.0..=2.0, "The same at the root.";
    root_policy_temperature = 1.0 in 0.01..=100.0, "The root's priors are flattened by a temperature above 1, sharpened by one below.";
    ucb_exploration = 0.35 in 0.0..=10.0, "Exploration of UCB1.";
    ucb_first_play = 0.6 in -2.0..=10.0, "Utility that UCB1 takes an unvisited move to have above its parent's.";
    score_weight = 0.1 in 0.0..=1.0, "Share of the score in the utility; the rest is the result.";
    score_scale = 1.0 in 0.05..=20.0, "Score, in units of the board's side, at which its utility flattens.";
    lead_weight = 0.2 in 0.0..=1.0, "Share of the lead around `lead_center` in the utility: what keeps the search playing for points in decided games.";
    lead_scale = 0.6 in 0.05..=20.0, "Distance from that centre, in units of the board's side, at which its utility is half flat.";
    lead_center = 0.0 in -400.0..=400.0, "Black's lead around which points are felt most; 0 lets the engine take the lead expected.";
    virtual_loss = 1.0 in 0.0..=10.0, "Lost visits that each playout under way counts as.";
    lcb_deviations = 2.0 in 0.0..=20.0, "Standard errors below the mean at which moves are compared for the final choice; 0 chooses by visits.";
    lcb_min_visits = 0.12 in 0.0..=1.0, "Share of the most visits that a move must have to be chosen by its bound.";
    certainty = 0.25 in 0.0..=10.0, "Error of the utility, foretold by the network if it does such, around which evaluations count 1; 0: all do.";
    certainty_most = 8.0 in 1.0..=8.0, "What an evaluation without error counts.";
    root_noise = 0.0 in 0.0..=1.0, "Share of Dirichlet noise in the root's priors.";
    root_noise_total = 10.83 in 0.1..=1000.0, "Sum of the noise's concentration over all moves.";
    wide_root_noise = 0.0 in 0.0..=5.0, "Noise that makes an analysis look at more moves of the root; 0.04 shows, 0 is for play.";
    forced_playouts = 0.0 in 0.0..=100.0, "K where every visited move of the root gets at least the root of K x prior x visits playouts; for self-play, costs strength.";
    temperature = 0.0 in 0.0..=10.0, "Randomness of the final choice by visits: 0 plays the best move.";
}

/// Parameters that KataGo has under another name.
const ALIASES: [(&str, &str); 7] = [
    ("cpuctExploration", "cpuct"),
    ("cpuctExplorationLog", "cpuct_log"),
    ("cpuctExplorationBase", "cpuct_base"),
    ("fpuReductionMax", "fpu_reduction"),
    ("rootFpuReductionMax", "root_fpu_reduction"),
    ("rootPolicyTemperature", "root_policy_temperature"),
    ("wideRootNoise", "wide_root_noise"),
];

impl SearchParams {
    /// What is to be known of a parameter, by its own name or KataGo's.
    pub fn info(name: &str) -> Option<&'static ParamInfo> {
        let alias = ALIASES.iter().find(|(alias, _)| *alias == name);
        let own_name = alias.map_or(name, |(_, own)| own);
        Self::TABLE.iter().find(|info| info.name == own_name)
    }

    /// Has the search feel points most around the lead that Black is expected to have, and a fifth less than that, since
    /// leads tend to shrink.
    pub fn center_lead_on(&mut self, black_lead: f64) {
        self.lead_center = (0.8 * black_lead).round() as f32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_in_range_and_settable() {
        let mut params = SearchParams::default();
        for info in SearchParams::TABLE {
            assert_eq!(params.get(info.name), Some(info.default));
            assert_eq!(params.set(info.name, info.default), Ok(()));
            assert!(params.set(info.name, info.max + 1e9).is_err());
            assert!(params.set(info.name, f32::NAN).is_err());
        }
        assert_eq!(params, SearchParams::default());
        assert!(params.set("nonesuch", 1.0).is_err());
    }
}
