//! Responses: analysis results and diagnostics.
//!
//! KataGo's fields that this engine does not compute are omitted. `scoreStdev` requires an evaluator that predicts the
//! spread of the final score. `scoreMean`, `scoreLead` and `scoreSelfplay` have the
//! same value, because the search does not distinguish between score and lead. Lower confidence bounds are computed for
//! the side to move; converted to the opponent's perspective, they are upper bounds.

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::hash;
use super::query::QueryTurn;
use crate::eval::Evaluation;
use crate::game::point::BoardSize;
use crate::game::position::Position;
use crate::search::ownership_stats::OwnershipStats;
use crate::search::report::{MoveReport, Report, ValueEstimates, round_to_decimals};

/// Number of decimal places in the output, as in KataGo.
const DECIMALS: i32 = 6;

/// An error or a warning.
#[derive(Clone, Debug, Serialize)]
pub struct Diagnostic<'a> {
    #[serde(flatten)]
    pub kind: DiagnosticKind,
    /// Name of the invalid or ignored field, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field: Option<&'a str>,
    /// Identifier of the query, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<&'a str>,
}

/// Severity and message of a diagnostic.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum DiagnosticKind {
    /// The request was rejected.
    Error(String),
    /// The request is executed nevertheless.
    Warning(String),
}

/// Returns the final response for a turn without results: the turn was stopped before its first visit, or no move was
/// allowed.
pub fn no_results(turn: &QueryTurn) -> Value {
    json!({"id": turn.query.id, "isDuringSearch": false, "noResults": true, "turnNumber": turn.number})
}

/// Analysis result for a turn.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Response<'a> {
    id: &'a str,
    is_during_search: bool,
    turn_number: usize,
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
    #[serde(skip_serializing_if = "Option::is_none")]
    score_stdev: Option<f64>,
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
    score_mean: f64,
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
    #[serde(flatten)]
    depth_stats: Option<DepthStatsFields>,
}

/// Statistics of a search without a tree. Not part of KataGo's protocol.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct DepthStatsFields {
    depth: u32,
    nodes: u64,
    nodes_per_second: u64,
}

/// Search result from which a [`Response`] is created.
pub struct TurnAnalysis<'a> {
    pub turn: &'a QueryTurn,
    pub position: &'a Position,
    pub report: &'a Report,
    /// Raw evaluation of the position from the perspective of the side to move.
    pub raw: &'a Evaluation,
    /// True for a report during the search, false for the final result.
    pub is_during_search: bool,
}

/// Conversion of values from the perspective of the side to move to the requested perspective. Also rounds the values.
#[derive(Clone, Copy)]
struct PerspectiveFlip {
    is_flipped: bool,
}

impl PerspectiveFlip {
    fn signed(self, value: f64) -> f64 {
        round_to_decimals(if self.is_flipped { -value } else { value }, DECIMALS)
    }

    fn probability(self, probability: f64) -> f64 {
        round_to_decimals(
            if self.is_flipped {
                1.0 - probability
            } else {
                probability
            },
            DECIMALS,
        )
    }

    /// Returns the ownership fields. `requested` states whether the ownership and its standard deviation are requested.
    ///
    /// If the search has no statistics, returns `fallback` as the ownership, with standard deviations of 0. If
    /// `fallback` is empty as well, returns no fields.
    fn ownership_fields(
        self,
        stats: &OwnershipStats,
        fallback: &[f32],
        requested: [bool; 2],
    ) -> OwnershipFields {
        let signed = |mean: &f32| self.signed(f64::from(*mean)) as f32;
        let unsigned = |deviation: &f32| round_to_decimals(f64::from(*deviation), DECIMALS) as f32;
        let has_stats = !stats.ownership.is_empty();
        let means = if has_stats {
            &stats.ownership
        } else {
            fallback
        };
        let [has_ownership, has_deviation] =
            requested.map(|is_requested| is_requested && !means.is_empty());
        OwnershipFields {
            ownership: has_ownership.then(|| means.iter().map(signed).collect()),
            ownership_stdev: has_deviation.then(|| match has_stats {
                true => stats.ownership_deviation.iter().map(unsigned).collect(),
                false => vec![0.0; means.len()],
            }),
        }
    }

    /// Returns the fields with values. `raw` is the evaluation of the root.
    fn value_fields(self, visits: u32, values: &ValueEstimates, raw: &Evaluation) -> ValueFields {
        let deviation = raw.details.map(|details| {
            let predicted = f64::from(details.score_deviation());
            round_to_decimals(values.final_score_deviation(predicted), DECIMALS)
        });
        let lead = self.signed(values.score_lead);
        ValueFields {
            visits,
            weight: visits,
            winrate: self.probability(values.winrate),
            score_stdev: deviation,
            score_lead: lead,
            score_selfplay: lead,
            utility: self.signed(values.utility),
        }
    }
}

impl<'a> Response<'a> {
    /// Creates the response for a search result.
    pub fn new(result: &TurnAnalysis<'a>) -> Self {
        let query = &*result.turn.query;
        let is_flipped = query.settings.perspective.flips(result.report.to_move);
        let flip = PerspectiveFlip { is_flipped };
        let size = result.position.size();
        let include = &query.include;
        // A search with a single visit reports a move that it has not visited. KataGo does not list such moves.
        let moves = (result.report.moves.iter()).filter(|move_report| move_report.visits > 0);
        let move_infos = moves
            .enumerate()
            .map(|ranked| move_info(flip, size, result, ranked));
        let requested = [include.ownership, include.ownership_stdev];
        // The search has no statistics if only the root has been evaluated.
        let ownership =
            flip.ownership_fields(&result.report.stats, &result.raw.ownership, requested);
        Self {
            id: &query.id,
            is_during_search: result.is_during_search,
            turn_number: result.turn.number,
            move_infos: move_infos.collect(),
            root_info: root_info(flip, result),
            ownership,
            policy: include.policy.then(|| policy(result)),
        }
    }
}

fn move_info(
    flip: PerspectiveFlip,
    size: BoardSize,
    result: &TurnAnalysis<'_>,
    (order, move_report): (usize, &MoveReport),
) -> MoveInfo {
    let query = &*result.turn.query;
    let include = &query.include;
    let max_moves = query.settings.pv_len.saturating_add(1);
    let pv_visits = move_report.pv_visits.iter().take(max_moves);
    let pv_visits: Option<Vec<u32>> = include.pv_visits.then(|| pv_visits.copied().collect());
    let pv = move_report.pv.iter().take(max_moves);
    MoveInfo {
        r#move: size.format_move(move_report.mv),
        values: flip.value_fields(move_report.visits, &move_report.values, result.raw),
        score_mean: flip.signed(move_report.values.score_lead),
        edge_visits: move_report.visits,
        edge_weight: move_report.visits,
        prior: round_to_decimals(f64::from(move_report.prior), DECIMALS),
        no_result_value: move_report
            .stats
            .no_result
            .filter(|_| include.no_result)
            .map(|value| round_to_decimals(value, DECIMALS)),
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
            [include.moves_ownership, include.moves_ownership_stdev],
        ),
    }
}

fn root_info(flip: PerspectiveFlip, result: &TurnAnalysis<'_>) -> RootInfo {
    RootInfo {
        values: flip.value_fields(result.report.visits, &result.report.values, result.raw),
        current_player: result.report.to_move.letter(),
        this_hash: hash::position_hash(result.position),
        sym_hash: hash::symmetric_hash(result.position),
        raw: raw_info(flip, result.raw),
        depth_stats: result.report.depth_stats.map(|stats| DepthStatsFields {
            depth: stats.depth,
            nodes: stats.nodes,
            nodes_per_second: stats.nodes_per_second().round() as u64,
        }),
    }
}

/// Returns the fields with raw evaluator output, omitting values that the evaluator does not provide.
fn raw_info(flip: PerspectiveFlip, raw: &Evaluation) -> Map<String, Value> {
    let unsigned = |number: f64| round_to_decimals(number, DECIMALS);
    let (value, details) = (f64::from(raw.value), raw.details);
    let errors = details.and_then(|details| details.errors);
    let deviation = details.map(|details| unsigned(f64::from(details.score_deviation())));
    let mut fields = Map::new();
    let mut add = |name: &str, value: Option<f64>| {
        fields.extend(value.map(|value| (name.to_owned(), value.into())));
    };
    add("rawWinrate", Some(flip.probability((1.0 + value) / 2.0)));
    add("rawLead", Some(flip.signed(raw.score_lead.into())));
    add("rawNoResultProb", Some(unsigned(raw.no_result.into())));
    let score_mean = details.map(|details| flip.signed(details.score_mean.into()));
    add("rawScoreSelfplay", score_mean);
    add("rawScoreSelfplayStdev", deviation);
    if let Some(errors) = errors {
        // `errors.value` is the error of the value. The value ranges from -1 to 1, twice the range of the win rate.
        let winrate_error = f64::from(errors.value) / 2.0;
        add("rawStWrError", Some(unsigned(winrate_error)));
        add("rawStScoreError", Some(unsigned(errors.score.into())));
        add(
            "rawVarTimeLeft",
            Some(unsigned(errors.variance_time.into())),
        );
    }
    fields
}

/// Returns the raw priors of all points, row by row from the top left, then that of a pass. Illegal moves have -1.
fn policy(result: &TurnAnalysis<'_>) -> Vec<f32> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::KataDetails;

    #[test]
    fn score_deviation_combines_prediction_and_search() {
        let values = ValueEstimates {
            score_deviation: 3.0,
            ..ValueEstimates::default()
        };
        let flip = PerspectiveFlip { is_flipped: true };
        let predicted = Evaluation {
            details: Some(KataDetails {
                score_mean: 2.0,
                score_mean_square: 20.0,
                errors: None,
            }),
            ..Evaluation::default()
        };
        let deviation = |raw| flip.value_fields(10, &values, raw).score_stdev;
        // The variances are 16 and 9.
        assert_eq!(deviation(&predicted), Some(5.0));
        assert_eq!(raw_info(flip, &predicted)["rawScoreSelfplayStdev"], 4.0);
        assert_eq!(deviation(&Evaluation::default()), None);
    }
}
