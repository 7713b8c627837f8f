//! Search parameters, defined in one table.

use super::alphabeta::options::AlphaBetaOptions;
use crate::io::error_text;

/// Formula for selecting children.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum SelectionFormula {
    /// Mean utility plus an exploration bonus proportional to the prior (PUCT). Intended for evaluators that provide a
    /// policy.
    #[default]
    Puct,
    /// Mean utility plus an exploration bonus that does not depend on the prior (UCB1, as in plain UCT). Intended for
    /// random playouts.
    Ucb1,
}

/// Search algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Algorithm {
    /// Tree search with an evaluator.
    #[default]
    Mcts,
    /// Alpha-beta search with a static evaluation. It does not use the evaluator.
    AlphaBeta(AlphaBetaOptions),
    /// Minimax search of all moves to a fixed depth, with the same static evaluation.
    Minimax {
        /// Number of plies, at least 1.
        depth: u32,
    },
}

impl Algorithm {
    /// Returns the maximum depth of a search without a tree, if it is limited.
    pub const fn max_depth(&self) -> Option<u32> {
        match self {
            Self::Mcts => None,
            Self::AlphaBeta(options) => options.depth,
            Self::Minimax { depth } => Some(*depth),
        }
    }
}

/// Description of a numeric search parameter.
#[derive(Clone, Copy, Debug)]
pub struct ParamInfo {
    pub name: &'static str,
    pub default: f32,
    /// Minimum allowed value.
    pub min: f32,
    /// Maximum allowed value.
    pub max: f32,
    /// One-line description.
    pub summary: &'static str,
}

/// Error returned when a parameter cannot be set.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ParamError {
    /// No parameter has this name.
    #[error("unknown search parameter {}", error_text::quote_with_suggestion(.0, SearchParams::TABLE.iter().map(|info| info.name)))]
    Unknown(String),
    /// The value is out of range or not a number.
    #[error("{name} must be between {min} and {max}, not {found}")]
    Range {
        name: &'static str,
        min: f32,
        max: f32,
        found: f32,
    },
}

macro_rules! parameters {
    ($($name:ident = $default:literal in $min:literal ..= $max:literal, $summary:literal;)*) => {
        /// Tunable parameters of the search. The numeric ones are documented in [`SearchParams::TABLE`].
        #[derive(Clone, Debug, PartialEq)]
        pub struct SearchParams {
            /// Search algorithm.
            pub algorithm: Algorithm,
            /// Formula for selecting children.
            pub formula: SelectionFormula,
            /// Whether to centre the lead utility on the lead that is expected at the root when a search starts (like
            /// KataGo's dynamic score utility). Has no effect if `lead_center` is set. Without centring, the lead
            /// utility is flat in decided games, so that the search hardly notices moves that lose points.
            pub centers_lead: bool,
            $(#[doc = $summary] pub $name: f32,)*
        }

        impl Default for SearchParams {
            fn default() -> Self {
                Self { algorithm: Algorithm::default(), formula: SelectionFormula::default(), centers_lead: false, $($name: $default,)* }
            }
        }

        impl SearchParams {
            pub const TABLE: &'static [ParamInfo] = &[$(ParamInfo {
                name: stringify!($name),
                default: $default,
                min: $min,
                max: $max,
                summary: $summary,
            },)*];

            /// Returns the value of the parameter `name`, which may be an alternative name, or `None` if the name is
            /// unknown.
            pub fn get(&self, name: &str) -> Option<f32> {
                match canonical_name(name) {
                    $(stringify!($name) => Some(self.$name),)*
                    _ => None,
                }
            }

            /// Sets the parameter `name`, which may be an alternative name, to `value`.
            ///
            /// # Errors
            /// Returns an error and changes nothing if the name is unknown or the value is out of range.
            pub fn set(&mut self, name: &str, value: f32) -> Result<(), ParamError> {
                match canonical_name(name) {
                    $(stringify!($name) => {
                        // NaN is outside every range.
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
    cpuct = 0.7 in 0.0..=10.0, "PUCT exploration constant at few visits.";
    cpuct_log = 0.32 in 0.0..=10.0, "Growth of PUCT exploration with the logarithm of the visits.";
    cpuct_base = 500.0 in 1.0..=1e6, "Number of visits at which the logarithmic growth of PUCT exploration starts.";
    fpu_reduction = 0.2 in 0.0..=2.0, "First-play urgency: an unvisited move has its parent's utility minus this value times the square root of the total prior of the visited moves.";
    root_fpu_reduction = 0.1 in 0.0..=2.0, "First-play urgency at the root, in place of `fpu_reduction`.";
    root_policy_temperature = 1.0 in 0.01..=100.0, "Policy temperature at the root: above 1 flattens the priors, below 1 sharpens them.";
    ucb_exploration = 0.35 in 0.0..=10.0, "UCB1 exploration constant.";
    ucb_first_play = 0.6 in -2.0..=10.0, "UCB1: utility of an unvisited move minus the utility of its parent.";
    score_weight = 0.1 in 0.0..=1.0, "Weight of the score in the utility; the result has the rest: 1 - score_weight - lead_weight.";
    score_scale = 1.0 in 0.05..=20.0, "Score at which the score utility saturates, in side lengths of the board.";
    lead_weight = 0.2 in 0.0..=1.0, "Weight of the lead relative to `lead_center` in the utility; makes the search play for points in decided games.";
    lead_scale = 0.6 in 0.05..=20.0, "Distance from `lead_center` at which the lead utility reaches half of its maximum, in side lengths of the board.";
    lead_center = 0.0 in -400.0..=400.0, "Black's lead around which the search is most sensitive to points; 0 lets the engine use the expected lead.";
    virtual_loss = 1.0 in 0.0..=10.0, "Lost visits counted for each unfinished playout.";
    lcb_deviations = 2.0 in 0.0..=20.0, "Number of standard errors below the mean at which moves are compared for the final choice; 0 chooses by visits.";
    lcb_min_visits = 0.12 in 0.0..=1.0, "Minimum visits of a move chosen by its lower confidence bound, as a fraction of the visits of the most visited move.";
    uncertainty_coeff = 0.25 in 0.0..=10.0, "Predicted utility error at which an evaluation has a weight of about 1; 0 disables the weighting.";
    max_weight = 8.0 in 1.0..=8.0, "Weight of an evaluation with a predicted error of 0.";
    root_noise = 0.0 in 0.0..=1.0, "Fraction of Dirichlet noise in the root's priors.";
    root_noise_total = 10.83 in 0.1..=1000.0, "Total concentration of the Dirichlet noise.";
    wide_root_noise = 0.0 in 0.0..=5.0, "Noise that makes an analysis explore more root moves, for example 0.04; use 0 for playing.";
    forced_playouts = 0.0 in 0.0..=100.0, "Factor k: every visited root move gets at least sqrt(k x prior x root visits) playouts; for self-play only, because it weakens play.";
    temperature = 0.0 in 0.0..=10.0, "Temperature of the final choice by visits; 0 plays the best move.";
}

/// Alternative names of parameters, each followed by the parameter's own name. They are the names in KataGo and in
/// earlier versions of this program.
const ALIASES: [(&str, &str); 9] = [
    ("certainty", "uncertainty_coeff"),
    ("certainty_most", "max_weight"),
    ("cpuctExploration", "cpuct"),
    ("cpuctExplorationLog", "cpuct_log"),
    ("cpuctExplorationBase", "cpuct_base"),
    ("fpuReductionMax", "fpu_reduction"),
    ("rootFpuReductionMax", "root_fpu_reduction"),
    ("rootPolicyTemperature", "root_policy_temperature"),
    ("wideRootNoise", "wide_root_noise"),
];

fn canonical_name(name: &str) -> &str {
    let alias = ALIASES.iter().find(|(alias, _)| *alias == name);
    alias.map_or(name, |(_, own)| own)
}

impl SearchParams {
    /// Returns the description of the parameter `name`, which may be an alternative name, or `None` if the name is
    /// unknown.
    pub fn find_info(name: &str) -> Option<&'static ParamInfo> {
        let name = canonical_name(name);
        Self::TABLE.iter().find(|info| info.name == name)
    }

    /// Centres the lead utility on `black_lead`, Black's expected lead in points. This lead is first reduced by a
    /// fifth, because leads tend to shrink.
    pub fn set_reduced_lead_center(&mut self, black_lead: f64) {
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
        let error = params.set("cpuct_lo", 1.0).unwrap_err().to_string();
        assert_eq!(
            error,
            "unknown search parameter \"cpuct_lo\"; did you mean cpuct_log?"
        );
        assert_eq!(params.set("certainty", 0.5), Ok(()));
        assert_eq!(params.get("uncertainty_coeff"), Some(0.5));
    }
}
