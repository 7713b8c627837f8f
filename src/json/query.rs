//! Analysis queries: a game, the turns to analyse, and options.

use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Map, Value};

use super::fields::{Fields, RequestError, to_plain_text};
use super::game::{Game, PlayerColor, parse_move};
use super::settings::{QuerySettings, SettingError};
use crate::game::color::Color;
use crate::game::point::BoardSize;
use crate::search::restriction::{Constraint, ConstraintKind, Restriction};

/// Minimum interval between reports in seconds.
const MIN_INTERVAL: f64 = 0.001;
/// Maximum interval between reports in seconds; larger values are reduced to it.
const MAX_INTERVAL: f64 = 1e9;
/// Name of the field with the allowed moves. It has at most one entry per player.
const ALLOW_FIELD: &str = "allowMoves";

/// A validated query.
#[derive(Clone, Debug)]
pub struct Query {
    /// Identifier chosen by the client, echoed in all responses.
    pub id: String,
    pub game: Game,
    /// Turns to analyse and their priorities, without duplicate turns.
    pub turns: Vec<(usize, i64)>,
    pub options: AnalysisOptions,
}

/// One turn of a query: a job for the workers.
#[derive(Clone, Debug)]
pub struct QueryTurn {
    pub query: Arc<Query>,
    /// Number of moves played before the position to analyse.
    pub number: usize,
}

/// Options that apply to all turns of a query.
#[derive(Clone, Debug)]
pub struct AnalysisOptions {
    /// Limits, perspective and search parameters.
    pub settings: QuerySettings,
    pub include: IncludedFields,
    /// Time before the first report during the search. If `None`, the first report is sent after `report_interval`.
    pub first_report_after: Option<Duration>,
    /// Time between reports during the search. `None` disables them.
    pub report_interval: Option<Duration>,
    constraints: Vec<Constraint>,
}

/// Optional fields of a response.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IncludedFields {
    /// Expected ownership of each point.
    pub ownership: bool,
    /// Standard deviation of the ownership over all playouts.
    pub ownership_deviation: bool,
    /// Expected ownership after each candidate move.
    pub moves_ownership: bool,
    /// Standard deviation of the ownership after each candidate move.
    pub moves_ownership_deviation: bool,
    /// Probability that the game ends without a result, for each candidate move.
    pub no_result: bool,
    /// Raw policy of the evaluator.
    pub policy: bool,
    /// Visits of each move of the principal variations.
    pub pv_visits: bool,
}

/// An entry of `avoidMoves` or `allowMoves`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct RawConstraint {
    player: PlayerColor,
    moves: Vec<String>,
    until_depth: u32,
}

/// Warning about an ignored field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldWarning {
    pub field: String,
    pub message: String,
}

impl Query {
    /// Parses all fields of a query except `id`. `settings` are the defaults for settings that the query does not
    /// contain.
    ///
    /// # Errors
    /// Returns an error if a field is missing or invalid.
    pub fn from_fields(
        id: String,
        mut fields: Fields,
        settings: &QuerySettings,
    ) -> Result<(Self, Vec<FieldWarning>), RequestError> {
        let mut warnings = Vec::new();
        let game = Game::from_fields(&mut fields)?;
        let turns = parse_turns(&mut fields, game.move_count())?;
        let options =
            AnalysisOptions::from_fields(&mut fields, game.size(), settings, &mut warnings)?;
        warnings.extend(
            fields
                .into_unused_names()
                .into_iter()
                .map(|field| FieldWarning {
                    field,
                    message: "unknown field, ignored".to_owned(),
                }),
        );
        let query = Self {
            id,
            game,
            turns,
            options,
        };
        Ok((query, warnings))
    }
}

/// Parses the turns to analyse and their priorities, ignoring duplicate turns.
fn parse_turns(fields: &mut Fields, last_turn: usize) -> Result<Vec<(usize, i64)>, RequestError> {
    const PRIORITY: &str = "a whole number";
    let expected = format!("a turn from 0 to {last_turn}");
    let turns: Option<Vec<usize>> = fields.list("analyzeTurns", &expected)?;
    let priority: i64 = fields.optional("priority", PRIORITY)?.unwrap_or(0);
    let priorities: Option<Vec<i64>> = fields.list("priorities", PRIORITY)?;
    if let Some(turn) = turns.iter().flatten().find(|&&turn| turn > last_turn) {
        let message = format!("expected {expected}, found {turn}");
        return Err(RequestError::new("analyzeTurns", message));
    }
    let turn_count = turns.as_ref().map_or(0, Vec::len);
    if let Some(priority_count) = priorities.as_ref().map(Vec::len)
        && priority_count != turn_count
    {
        let message = format!(
            "expected {turn_count} priorities, one per turn in analyzeTurns, found {priority_count}"
        );
        return Err(RequestError::new("priorities", message));
    }
    let mut is_listed = vec![false; last_turn + 1];
    let requested = turns
        .unwrap_or_else(|| vec![last_turn])
        .into_iter()
        .enumerate();
    let distinct = requested.filter(|&(_, turn)| !std::mem::replace(&mut is_listed[turn], true));
    // Without `analyzeTurns`, there is one turn without a listed priority, so an empty `priorities` is valid.
    let listed_priority = |index: usize| {
        priorities
            .as_ref()
            .and_then(|list| list.get(index).copied())
    };
    let priority = |index: usize| listed_priority(index).unwrap_or(priority);
    Ok(distinct
        .map(|(index, turn)| (turn, priority(index)))
        .collect())
}

impl AnalysisOptions {
    fn from_fields(
        fields: &mut Fields,
        size: BoardSize,
        settings: &QuerySettings,
        warnings: &mut Vec<FieldWarning>,
    ) -> Result<Self, RequestError> {
        let mut settings = settings.clone();
        override_settings(fields, &mut settings, warnings)?;
        for field in [
            "maxVisits",
            "analysisPVLen",
            "rootFpuReductionMax",
            "rootPolicyTemperature",
        ] {
            if let Some(value) = fields.optional::<Value>(field, "a number")? {
                let result = settings.set(field, &to_plain_text(&value));
                result.map_err(|error| RequestError::new(field, error.to_string()))?;
            }
        }
        let include = IncludedFields {
            ownership: fields.flag("includeOwnership")?,
            ownership_deviation: fields.flag("includeOwnershipStdev")?,
            moves_ownership: fields.flag("includeMovesOwnership")?,
            moves_ownership_deviation: fields.flag("includeMovesOwnershipStdev")?,
            no_result: fields.flag("includeNoResultValue")?,
            policy: fields.flag("includePolicy")?,
            pv_visits: fields.flag("includePVVisits")?,
        };
        let mut constraints = parse_constraints(fields, "avoidMoves", ConstraintKind::Avoid, size)?;
        let allow = parse_constraints(fields, ALLOW_FIELD, ConstraintKind::Allow, size)?;
        let count_for = |color| {
            allow
                .iter()
                .filter(|constraint| constraint.color == color)
                .count()
        };
        if Color::BOTH.into_iter().any(|color| count_for(color) > 1) {
            let message = "only one entry per player is allowed";
            return Err(RequestError::new(ALLOW_FIELD, message));
        }
        constraints.extend(allow);
        Ok(Self {
            settings,
            include,
            first_report_after: parse_interval(fields, "firstReportDuringSearchAfter")?,
            report_interval: parse_interval(fields, "reportDuringSearchEvery")?,
            constraints,
        })
    }

    /// Returns the move restriction for a search with `to_move` to move at the root.
    pub fn restriction(&self, to_move: Color) -> Restriction {
        Restriction::from_constraints(&self.constraints, to_move)
    }
}

fn override_settings(
    fields: &mut Fields,
    settings: &mut QuerySettings,
    warnings: &mut Vec<FieldWarning>,
) -> Result<(), RequestError> {
    const FIELD: &str = "overrideSettings";
    let overrides: Option<Map<String, Value>> = fields.optional(FIELD, "an object of settings")?;
    for (name, value) in overrides.unwrap_or_default() {
        match settings.set(&name, &to_plain_text(&value)) {
            Ok(()) => {}
            Err(error @ SettingError::Unknown(_)) => warnings.push(FieldWarning {
                field: FIELD.to_owned(),
                message: error.to_string(),
            }),
            Err(error) => return Err(RequestError::new(FIELD, error.to_string())),
        }
    }
    Ok(())
}

fn parse_interval(
    fields: &mut Fields,
    field: &'static str,
) -> Result<Option<Duration>, RequestError> {
    let expected = format!("at least {MIN_INTERVAL} seconds");
    let Some(value) = fields.optional::<Value>(field, &expected)? else {
        return Ok(None);
    };
    let seconds = value.as_f64().filter(|&seconds| seconds >= MIN_INTERVAL);
    let seconds = seconds.ok_or_else(|| RequestError::unexpected(field, &expected, &value))?;
    Ok(Some(Duration::from_secs_f64(seconds.min(MAX_INTERVAL))))
}

fn parse_constraints(
    fields: &mut Fields,
    field: &'static str,
    kind: ConstraintKind,
    size: BoardSize,
) -> Result<Vec<Constraint>, RequestError> {
    const EXPECTED: &str = "an object with player, moves and untilDepth";
    let raw: Vec<RawConstraint> = fields.list(field, EXPECTED)?.unwrap_or_default();
    if raw.iter().any(|constraint| constraint.until_depth == 0) {
        return Err(RequestError::new(field, "untilDepth must be at least 1"));
    }
    let parse = |raw: RawConstraint| {
        let moves = raw.moves.iter().map(|text| {
            parse_move(size, text).ok_or_else(|| {
                let message = format!("{text:?} is not a point of the {size} board or pass");
                RequestError::new(field, message)
            })
        });
        Ok(Constraint {
            color: raw.player.0,
            kind,
            moves: moves.collect::<Result<_, _>>()?,
            depth: raw.until_depth,
        })
    };
    raw.into_iter().map(parse).collect()
}
