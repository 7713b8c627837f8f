//! A query: a game, the turns of it to analyse, and what is wanted of each.

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

/// The shortest time between two reports, in seconds; no client reads faster.
const MIN_INTERVAL: f64 = 0.001;
/// The longest; more would be never.
const MAX_INTERVAL: f64 = 1e9;
/// The field that may name each player once.
const ALLOW_FIELD: &str = "allowMoves";

/// A query that has been checked.
#[derive(Clone, Debug)]
pub struct Query {
    /// The name that answers bear.
    pub id: String,
    /// The game.
    pub game: Game,
    /// The turns to analyse, each once, with their priorities.
    pub turns: Vec<(usize, i64)>,
    /// What is wanted of each.
    pub options: AnalysisOptions,
}

/// A turn of a query, to be analysed.
#[derive(Clone, Debug)]
pub struct QueryTurn {
    /// The query.
    pub query: Arc<Query>,
    /// The turn.
    pub number: usize,
}

/// What is wanted of a position.
#[derive(Clone, Debug)]
pub struct AnalysisOptions {
    /// Limits, perspective and parameters.
    pub settings: QuerySettings,
    /// The parts of an answer that come only when asked for.
    pub include: IncludedFields,
    /// Time before the first report of an unfinished search, if another than that between two.
    pub first_report_after: Option<Duration>,
    /// Time between reports of an unfinished search.
    pub report_interval: Option<Duration>,
    constraints: Vec<Constraint>,
}

/// The parts of an answer that come only when asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IncludedFields {
    /// The owners of the points.
    pub ownership: bool,
    /// The standard deviations of these over the playouts.
    pub ownership_deviation: bool,
    /// The owners after each move.
    pub moves_ownership: bool,
    /// The standard deviations of these.
    pub moves_ownership_deviation: bool,
    /// The chance of a game without result, for each move.
    pub no_result: bool,
    /// The evaluator's priors.
    pub policy: bool,
    /// The visits along each line of play.
    pub pv_visits: bool,
}

/// A constraint as queries write it.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct RawConstraint {
    player: PlayerColor,
    moves: Vec<String>,
    until_depth: u32,
}

/// A warning about a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldWarning {
    /// The field.
    pub field: String,
    /// What to know of it.
    pub message: String,
}

impl Query {
    /// Takes the fields of a query whose `id` has been taken. What is not told is as in `settings`.
    ///
    /// # Errors
    /// What is wrong with the first faulty field.
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
                    message: "expected a field of a query, found one that is not known".to_owned(),
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

/// Turns and priorities; a turn that is named twice is analysed once.
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
        let message =
            format!("expected one for each of {turn_count} analyzeTurns, found {priority_count}");
        return Err(RequestError::new("priorities", message));
    }
    let mut is_listed = vec![false; last_turn + 1];
    let requested = turns
        .unwrap_or_else(|| vec![last_turn])
        .into_iter()
        .enumerate();
    let distinct = requested.filter(|&(_, turn)| !std::mem::replace(&mut is_listed[turn], true));
    // Without turns named there is one, and an empty list is one for each of none.
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
            let message = "expected one entry for each player at most, found more";
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

    /// The moves that a search may follow when it begins with that colour's turn.
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
    let expected = format!("seconds from {MIN_INTERVAL}");
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
    const EXPECTED: &str = "an object of player, moves and untilDepth";
    let raw: Vec<RawConstraint> = fields.list(field, EXPECTED)?.unwrap_or_default();
    if raw.iter().any(|constraint| constraint.until_depth == 0) {
        return Err(RequestError::new(
            field,
            "expected an untilDepth from 1, found 0",
        ));
    }
    let parse = |raw: RawConstraint| {
        let moves = raw.moves.iter().map(|text| {
            parse_move(size, text).ok_or_else(|| {
                let expected = format!("expected a point of the {size} board or pass");
                RequestError::new(field, format!("{expected}, found {text:?}"))
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
