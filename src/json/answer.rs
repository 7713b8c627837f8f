//! Answers: what a search has found, and what is wrong with a query, as the objects that clients read.
//!
//! Only what this engine knows is told. One mean serves as `scoreMean`, `scoreLead` and `scoreSelfplay`, since this
//! search does not tell a score from a lead. Bounds of values are turned round with them: seen from the other side the
//! lower bound is an upper one.

use serde::Serialize;
use serde_json::{Map, Value};

use super::hash;
use super::query::Wish;
use crate::eval::Evaluation;
use crate::game::point::BoardSize;
use crate::game::position::Position;
use crate::search::census::Census;
use crate::search::report::{MoveReport, Report, Values, rounded};

/// Digits after the point that are told, as many as KataGo tells.
const DIGITS: i32 = 6;

/// What is wrong.
#[derive(Clone, Debug, Serialize)]
pub struct Complaint {
    /// What was expected and what was found, where a query cannot be followed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// What to know, where it can.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warning: Option<String>,
    /// The field in question.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// The query's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
}

/// The last answer to a turn that ended before anything was found.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NoResults<'a> {
    /// The query's name.
    pub id: &'a str,
    /// Always false.
    pub is_during_search: bool,
    /// Always true.
    pub no_results: bool,
    /// The turn.
    pub turn_number: usize,
}

/// An answer to a turn.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Answer<'a> {
    /// The query's name.
    pub id: &'a str,
    /// Whether the search goes on.
    pub is_during_search: bool,
    /// The turn.
    pub turn_number: usize,
    move_infos: Vec<MoveInfo>,
    root_info: RootInfo,
    #[serde(flatten)]
    owners: Owners,
    #[serde(skip_serializing_if = "Option::is_none")]
    policy: Option<Vec<f32>>,
}

/// The owners of the points, as far as they are wanted and known.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Owners {
    #[serde(skip_serializing_if = "Option::is_none")]
    ownership: Option<Vec<f32>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ownership_stdev: Option<Vec<f32>>,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Numbers {
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
    numbers: Numbers,
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
    owners: Owners,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct RootInfo {
    #[serde(flatten)]
    numbers: Numbers,
    current_player: char,
    this_hash: String,
    sym_hash: String,
    #[serde(flatten)]
    raw: Map<String, Value>,
}

/// All that an answer is made of.
pub struct Found<'a> {
    /// The position.
    pub position: &'a Position,
    /// What was wanted.
    pub wish: &'a Wish,
    /// What the search has found.
    pub report: &'a Report,
    /// What the evaluator says of the position, from the side to move.
    pub raw: &'a Evaluation,
}

/// Turns values of the side to move as the perspective wants them, and keeps six decimals.
#[derive(Clone, Copy)]
struct Side {
    turned: bool,
}

impl Side {
    fn signed(self, value: f64) -> f64 {
        rounded(if self.turned { -value } else { value }, DIGITS)
    }

    fn chance(self, chance: f64) -> f64 {
        rounded(if self.turned { 1.0 - chance } else { chance }, DIGITS)
    }

    /// What was counted, or where that is nothing `otherwise`, of which nothing is known to vary.
    fn owners(self, census: &Census, otherwise: &[f32], wanted: [bool; 2]) -> Owners {
        let signed = |owner: &f32| self.signed(f64::from(*owner)) as f32;
        let unsigned = |deviation: &f32| rounded(f64::from(*deviation), DIGITS) as f32;
        let counted = !census.ownership.is_empty();
        let owners = if counted {
            &census.ownership
        } else {
            otherwise
        };
        let still = vec![0.0; otherwise.len()];
        let deviations = if counted {
            &census.ownership_deviation
        } else {
            &still
        };
        let [ownership, deviation] = wanted.map(|wanted| wanted && !owners.is_empty());
        Owners {
            ownership: ownership.then(|| owners.iter().map(signed).collect()),
            ownership_stdev: deviation.then(|| deviations.iter().map(unsigned).collect()),
        }
    }

    fn numbers(self, visits: u32, values: &Values) -> Numbers {
        let lead = self.signed(values.score_lead);
        Numbers {
            visits,
            weight: visits,
            winrate: self.chance(values.winrate),
            score_mean: lead,
            score_stdev: rounded(values.score_deviation, DIGITS),
            score_lead: lead,
            score_selfplay: lead,
            utility: self.signed(values.utility),
        }
    }
}

impl<'a> Answer<'a> {
    /// The answer that tells what was found.
    #[must_use]
    pub fn new(id: &'a str, turn_number: usize, is_during_search: bool, found: Found<'_>) -> Self {
        let turned = found.wish.settings.perspective.turns(found.report.to_move);
        let side = Side { turned };
        let size = found.position.size();
        let parts = &found.wish.parts;
        let moves = found.report.moves.iter().enumerate();
        let move_infos = moves.map(|ranked| move_info(side, size, found.wish, ranked));
        let wanted = [parts.ownership, parts.ownership_deviation];
        // Where the search has evaluated the root alone, that stands for it.
        let owners = side.owners(&found.report.census, &found.raw.ownership, wanted);
        Self {
            id,
            is_during_search,
            turn_number,
            move_infos: move_infos.collect(),
            root_info: root_info(side, &found),
            owners,
            policy: parts.policy.then(|| policy(&found)),
        }
    }
}

fn move_info(
    side: Side,
    size: BoardSize,
    wish: &Wish,
    (order, told): (usize, &MoveReport),
) -> MoveInfo {
    let parts = &wish.parts;
    let most = wish.settings.line_length.saturating_add(1);
    let visits: Vec<u32> = told.line_visits.iter().take(most).copied().collect();
    let visits = parts.line_visits.then_some(visits);
    let line = told.line.iter().take(most);
    MoveInfo {
        r#move: size.move_text(told.mv),
        numbers: side.numbers(told.visits, &told.values),
        edge_visits: told.visits,
        edge_weight: told.visits,
        prior: rounded(f64::from(told.prior), DIGITS),
        no_result_value: told
            .census
            .no_result
            .filter(|_| parts.no_result)
            .map(|value| rounded(value, DIGITS)),
        lcb: side.chance(told.lcb),
        utility_lcb: side.signed(told.utility_lcb),
        order,
        // A move is drawn in proportion to its visits where it is drawn at all.
        play_selection_value: told.visits,
        pv: line.map(|&mv| size.move_text(mv)).collect(),
        pv_visits: visits.clone(),
        pv_edge_visits: visits,
        owners: side.owners(
            &told.census,
            &[],
            [parts.moves_ownership, parts.moves_ownership_deviation],
        ),
    }
}

fn root_info(side: Side, found: &Found<'_>) -> RootInfo {
    RootInfo {
        numbers: side.numbers(found.report.visits, &found.report.values),
        current_player: found.report.to_move.letter(),
        this_hash: hash::here(found.position),
        sym_hash: hash::turned(found.position),
        raw: raw_info(side, found.raw),
    }
}

/// What the evaluator says, as far as it tells.
fn raw_info(side: Side, raw: &Evaluation) -> Map<String, Value> {
    let errors = raw.details.and_then(|details| details.errors);
    let wide = |number: f32| f64::from(number);
    let deviation = raw.details.map(|told| {
        let (mean, square) = (wide(told.score_mean), wide(told.score_mean_square));
        rounded((square - mean * mean).max(0.0).sqrt(), DIGITS)
    });
    let numbers = [
        (
            "rawWinrate",
            Some(side.chance((1.0 + wide(raw.value)) / 2.0)),
        ),
        ("rawLead", Some(side.signed(wide(raw.score_lead)))),
        (
            "rawNoResultProb",
            Some(rounded(wide(raw.no_result), DIGITS)),
        ),
        (
            "rawScoreSelfplay",
            raw.details.map(|told| side.signed(wide(told.score_mean))),
        ),
        ("rawScoreSelfplayStdev", deviation),
        // That of win less loss is twice as large.
        (
            "rawStWrError",
            errors.map(|told| rounded(wide(told.value) / 2.0, DIGITS)),
        ),
        (
            "rawStScoreError",
            errors.map(|told| rounded(wide(told.score), DIGITS)),
        ),
        (
            "rawVarTimeLeft",
            errors.map(|told| rounded(wide(told.variance_time), DIGITS)),
        ),
    ];
    let told = numbers
        .into_iter()
        .filter_map(|(name, number)| Some((name, number?)));
    told.map(|(name, number)| (name.to_owned(), number.into()))
        .collect()
}

/// The priors, -1 where a move is illegal, the pass last.
fn policy(found: &Found<'_>) -> Vec<f32> {
    let legal = found.position.legal_points();
    let points = found.position.size().points().map(Some).chain([None]);
    let told = points.zip(&found.raw.policy);
    told.map(|(point, &prior)| match point {
        Some(point) if !legal.contains(point) => -1.0,
        _ => prior,
    })
    .collect()
}
