//! Responses: analysis results and diagnostics.
//!
//! KataGo's fields that this engine does not compute are omitted. `scoreMean`, `scoreLead` and `scoreSelfplay` have the
//! same value, because the search does not distinguish between score and lead. Lower confidence bounds are computed for
//! the side to move; converted to the opponent's perspective, they are upper bounds.

use serde::Serialize;
use serde_json::{Map, Value};

use super::hash;
use super::query::AnalysisOptions;
use crate::eval::Evaluation;
use crate::game::point::BoardSize;
use crate::game::position::Position;
use crate::search::ownership_stats::OwnershipStats;
use crate::search::report::{MoveReport, Report, Values, rounded};

/// Number of decimals in the output, as in KataGo.
const DECIMALS: i32 = 6;

/// An error or a warning.
#[derive(Clone, Debug, Serialize)]
pub struct Diagnostic {
    /// Reason why the request was rejected.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Problem that did not prevent the execution of the request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warning: Option<String>,
    /// Name of the invalid field.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// Identifier of the query.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
}

/// Final response for a turn without results: it was stopped before the first visit, or no move was allowed.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NoResults<'a> {
    /// Identifier of the query.
    pub id: &'a str,
    /// Always false.
    pub is_during_search: bool,
    /// Always true.
    pub no_results: bool,
    pub turn_number: usize,
}

/// Analysis result for a turn.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Response<'a> {
    /// Identifier of the query.
    pub id: &'a str,
    /// True for a report during the search, false for the final result.
    pub is_during_search: bool,
    pub turn_number: usize,
    move_infos: Vec<MoveInfo>,
    root_info: RootInfo,
    #[serde(flatten)]
    ownership: OwnershipFields,
    #[serde(skip_serializing_if = "Option::is_none")]
    policy: Option<Vec<f32>>,
}

/// Optional ownership values, one per point, row by row from the top left.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct OwnershipFields {
    #[serde(skip_serializing_if = "Option::is_none")]
    ownership: Option<Vec<f32>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ownership_stdev: Option<Vec<f32>>,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct ValueFields {
    visits: u32,
    weight: u32,
    winrate: f64,
    score_mean: f64,
    score_stdev: f64,
    score_lead: f64,
    score_selfplay: f64,
    utility: f64,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct MoveInfo {
    r#move: String,
    #[serde(flatten)]
    values: ValueFields,
    edge_visits: u32,
    edge_weight: u32,
    prior: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    no_result_value: Option<f64>,
    lcb: f64,
    utility_lcb: f64,
    order: usize,
    play_selection_value: u32,
    pv: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pv_visits: Option<Vec<u32>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pv_edge_visits: Option<Vec<u32>>,
    #[serde(flatten)]
    ownership: OwnershipFields,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct RootInfo {
    #[serde(flatten)]
    values: ValueFields,
    current_player: char,
    this_hash: String,
    sym_hash: String,
    #[serde(flatten)]
    raw: Map<String, Value>,
}

/// Search result and options from which a [`Response`] is created.
pub struct AnalysisResult<'a> {
    pub position: &'a Position,
    pub options: &'a AnalysisOptions,
    pub report: &'a Report,
    /// Raw evaluation of the position from the perspective of the side to move.
    pub raw: &'a Evaluation,
}

/// Converts values from the perspective of the side to move to the requested one, and rounds them.
#[derive(Clone, Copy)]
struct PerspectiveFlip {
    is_flipped: bool,
}

impl PerspectiveFlip {
    fn signed(self, value: f64) -> f64 {
        rounded(if self.is_flipped { -value } else { value }, DECIMALS)
    }

    fn probability(self, probability: f64) -> f64 {
        rounded(
            if self.is_flipped {
                1.0 - probability
            } else {
                probability
            },
            DECIMALS,
        )
    }

    /// Returns the requested ownership fields. If the search has no statistics, uses the ownership `fallback` with
    /// deviation 0.
    fn ownership_fields(
        self,
        stats: &OwnershipStats,
        fallback: &[f32],
        requested: [bool; 2],
    ) -> OwnershipFields {
        let signed = |mean: &f32| self.signed(f64::from(*mean)) as f32;
        let unsigned = |deviation: &f32| rounded(f64::from(*deviation), DECIMALS) as f32;
        let has_stats = !stats.ownership.is_empty();
        let means = if has_stats {
            &stats.ownership
        } else {
            fallback
        };
        let zero_deviations = vec![0.0; fallback.len()];
        let deviations = if has_stats {
            &stats.ownership_deviation
        } else {
            &zero_deviations
        };
        let [has_ownership, has_deviation] =
            requested.map(|is_requested| is_requested && !means.is_empty());
        OwnershipFields {
            ownership: has_ownership.then(|| means.iter().map(signed).collect()),
            ownership_stdev: has_deviation.then(|| deviations.iter().map(unsigned).collect()),
        }
    }

    fn value_fields(self, visits: u32, values: &Values) -> ValueFields {
        let lead = self.signed(values.score_lead);
        ValueFields {
            visits,
            weight: visits,
            winrate: self.probability(values.winrate),
            score_mean: lead,
            score_stdev: rounded(values.score_deviation, DECIMALS),
            score_lead: lead,
            score_selfplay: lead,
            utility: self.signed(values.utility),
        }
    }
}

impl<'a> Response<'a> {
    /// Creates the response for a search result.
    pub fn new(
        id: &'a str,
        turn_number: usize,
        is_during_search: bool,
        result: AnalysisResult<'_>,
    ) -> Self {
        let is_flipped = result
            .options
            .settings
            .perspective
            .flips(result.report.to_move);
        let flip = PerspectiveFlip { is_flipped };
        let size = result.position.size();
        let include = &result.options.include;
        let moves = result.report.moves.iter().enumerate();
        let move_infos = moves.map(|ranked| move_info(flip, size, result.options, ranked));
        let requested = [include.ownership, include.ownership_deviation];
        // The search has no statistics if only the root has been evaluated.
        let ownership =
            flip.ownership_fields(&result.report.stats, &result.raw.ownership, requested);
        Self {
            id,
            is_during_search,
            turn_number,
            move_infos: move_infos.collect(),
            root_info: root_info(flip, &result),
            ownership,
            policy: include.policy.then(|| policy(&result)),
        }
    }
}

fn move_info(
    flip: PerspectiveFlip,
    size: BoardSize,
    options: &AnalysisOptions,
    (order, move_report): (usize, &MoveReport),
) -> MoveInfo {
    let include = &options.include;
    let max_moves = options.settings.pv_len.saturating_add(1);
    let pv_visits: Vec<u32> = move_report
        .pv_visits
        .iter()
        .take(max_moves)
        .copied()
        .collect();
    let pv_visits = include.pv_visits.then_some(pv_visits);
    let pv = move_report.pv.iter().take(max_moves);
    MoveInfo {
        r#move: size.format_move(move_report.mv),
        values: flip.value_fields(move_report.visits, &move_report.values),
        edge_visits: move_report.visits,
        edge_weight: move_report.visits,
        prior: rounded(f64::from(move_report.prior), DECIMALS),
        no_result_value: move_report
            .stats
            .no_result
            .filter(|_| include.no_result)
            .map(|value| rounded(value, DECIMALS)),
        lcb: flip.probability(move_report.lcb),
        utility_lcb: flip.signed(move_report.utility_lcb),
        order,
        // Moves are sampled in proportion to their visits.
        play_selection_value: move_report.visits,
        pv: pv.map(|&mv| size.format_move(mv)).collect(),
        pv_visits: pv_visits.clone(),
        pv_edge_visits: pv_visits,
        ownership: flip.ownership_fields(
            &move_report.stats,
            &[],
            [include.moves_ownership, include.moves_ownership_deviation],
        ),
    }
}

fn root_info(flip: PerspectiveFlip, result: &AnalysisResult<'_>) -> RootInfo {
    RootInfo {
        values: flip.value_fields(result.report.visits, &result.report.values),
        current_player: result.report.to_move.letter(),
        this_hash: hash::position_hash(result.position),
        sym_hash: hash::symmetric_hash(result.position),
        raw: raw_info(flip, result.raw),
    }
}

/// Returns the fields with raw evaluator output, omitting values that the evaluator does not provide.
fn raw_info(flip: PerspectiveFlip, raw: &Evaluation) -> Map<String, Value> {
    let errors = raw.details.and_then(|details| details.errors);
    let to_f64 = |number: f32| f64::from(number);
    let deviation = raw.details.map(|details| {
        let (mean, mean_square) = (
            to_f64(details.score_mean),
            to_f64(details.score_mean_square),
        );
        rounded((mean_square - mean * mean).max(0.0).sqrt(), DECIMALS)
    });
    let optional_fields = [
        (
            "rawWinrate",
            Some(flip.probability((1.0 + to_f64(raw.value)) / 2.0)),
        ),
        ("rawLead", Some(flip.signed(to_f64(raw.score_lead)))),
        (
            "rawNoResultProb",
            Some(rounded(to_f64(raw.no_result), DECIMALS)),
        ),
        (
            "rawScoreSelfplay",
            raw.details
                .map(|details| flip.signed(to_f64(details.score_mean))),
        ),
        ("rawScoreSelfplayStdev", deviation),
        // This is the error of the value, whose range (-1 to 1) is twice that of the win rate.
        (
            "rawStWrError",
            errors.map(|errors| rounded(to_f64(errors.value) / 2.0, DECIMALS)),
        ),
        (
            "rawStScoreError",
            errors.map(|errors| rounded(to_f64(errors.score), DECIMALS)),
        ),
        (
            "rawVarTimeLeft",
            errors.map(|errors| rounded(to_f64(errors.variance_time), DECIMALS)),
        ),
    ];
    let present = optional_fields
        .into_iter()
        .filter_map(|(name, number)| Some((name, number?)));
    present
        .map(|(name, number)| (name.to_owned(), number.into()))
        .collect()
}

/// Returns the raw policy, row by row from the top left, followed by the pass. Illegal moves are -1.
fn policy(result: &AnalysisResult<'_>) -> Vec<f32> {
    let legal = result.position.legal_points();
    let points = result.position.size().points().map(Some).chain([None]);
    let priors = points.zip(&result.raw.policy);
    priors
        .map(|(point, &prior)| match point {
            Some(point) if !legal.contains(point) => -1.0,
            _ => prior,
        })
        .collect()
}
