//! Analysis queries: a game, the turns to analyse, and options.

use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Map, Value};

use super::fields::{BoundedInteger, Fields, RequestError, convert_value, to_unquoted_text};
use super::game::{ColorField, Game, parse_move};
use super::settings::{QuerySettingError, QuerySettings};
use crate::game::color::Color;
use crate::game::point::BoardSize;
use crate::game::position::MAX_RECORD_MOVES;
use crate::search::restriction::{Constraint, ConstraintKind, Restriction};

/// Minimum interval between reports in seconds.
const MIN_INTERVAL: f64 = 0.001;
/// Maximum interval between reports in seconds; larger values are clamped.
const MAX_INTERVAL: f64 = 1e9;

/// A validated query.
#[derive(Clone, Debug)]
pub struct Query {
    /// Identifier chosen by the client, echoed in all responses.
    pub id: String,
    pub game: Game,
    /// Turns to analyse, each with its priority. Contains no turn twice.
    pub turns: Vec<(usize, i64)>,
    /// Limits, perspective and search parameters.
    pub settings: QuerySettings,
    pub include: IncludedFields,
    /// Time from the start of the search to the first intermediate report. If `None`, the first report is sent after
    /// `report_interval`.
    pub first_report_after: Option<Duration>,
    /// Time between intermediate reports. If `None`, the only intermediate report is the one requested by
    /// `first_report_after`, if any.
    pub report_interval: Option<Duration>,
    constraints: Vec<Constraint>,
}

/// One turn of a query: a job for the workers.
#[derive(Clone, Debug)]
pub struct QueryTurn {
    pub query: Arc<Query>,
    /// Number of moves played before the position to analyse.
    pub number: usize,
}

/// Optional response fields that a query requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct IncludedFields {
    /// Expected ownership of each point.
    #[serde(rename = "includeOwnership")]
    pub ownership: bool,
    /// Standard deviation of each point's ownership over all playouts.
    #[serde(rename = "includeOwnershipStdev")]
    pub ownership_stdev: bool,
    /// Expected ownership after each candidate move.
    #[serde(rename = "includeMovesOwnership")]
    pub moves_ownership: bool,
    /// Standard deviation of each point's ownership after each candidate move.
    #[serde(rename = "includeMovesOwnershipStdev")]
    pub moves_ownership_stdev: bool,
    /// Probability that the game ends without a result, for each candidate move.
    #[serde(rename = "includeNoResultValue")]
    pub no_result: bool,
    /// Raw policy of the evaluator.
    #[serde(rename = "includePolicy")]
    pub policy: bool,
    /// Visits of each move of the principal variations.
    #[serde(rename = "includePVVisits")]
    pub pv_visits: bool,
}

/// Fields of a query that select the turns to analyse.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TurnFields {
    analyze_turns: Option<Vec<Turn>>,
    priority: Option<Priority>,
    priorities: Option<Vec<Priority>>,
}

/// A turn in a request: the number of moves before the position to analyse.
pub type Turn = BoundedInteger<0, { MAX_RECORD_MOVES as i64 }, usize>;
type Priority = BoundedInteger<{ i64::MIN }, { i64::MAX }>;

/// Fields of a query that change settings, restrict moves or request reports.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct OptionFields {
    #[serde(default)]
    override_settings: Map<String, Value>,
    #[serde(default)]
    avoid_moves: Vec<RawConstraint>,
    #[serde(default)]
    allow_moves: Vec<RawConstraint>,
    first_report_during_search_after: Option<Interval>,
    report_during_search_every: Option<Interval>,
}

/// An entry of `avoidMoves` or `allowMoves`.
#[derive(Debug, Deserialize)]
#[serde(
    rename_all = "camelCase",
    deny_unknown_fields,
    expecting = "an object with player, moves and untilDepth"
)]
struct RawConstraint {
    player: ColorField,
    moves: Vec<String>,
    until_depth: BoundedInteger<1, { u32::MAX as i64 }, u32>,
}

/// Time before or between reports, at most [`MAX_INTERVAL`].
#[derive(Deserialize)]
#[serde(try_from = "Value")]
struct Interval(Duration);

impl TryFrom<Value> for Interval {
    type Error = String;

    fn try_from(value: Value) -> Result<Self, String> {
        let expected = format_args!("at least {MIN_INTERVAL} seconds");
        convert_value(&value, expected, |value| {
            let seconds = value.as_f64().filter(|&seconds| seconds >= MIN_INTERVAL);
            let seconds = seconds?.min(MAX_INTERVAL);
            Some(Self(Duration::from_secs_f64(seconds)))
        })
    }
}

/// Warning about an ignored field or setting, or about illegal moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldWarning {
    pub field: String,
    pub message: String,
}

impl Query {
    /// Parses all fields of a query except `id`, and returns the query with its warnings. `settings` contains the
    /// default settings, which the query can override.
    ///
    /// # Errors
    /// Returns an error if a field is missing or invalid.
    pub fn from_fields(
        id: String,
        mut fields: Fields,
        settings: &QuerySettings,
    ) -> Result<(Self, Vec<FieldWarning>), RequestError> {
        let (game, illegal_moves) = Game::from_fields(&mut fields)?;
        let mut warnings: Vec<FieldWarning> = (illegal_moves.into_iter())
            .map(|message| FieldWarning {
                field: "moves".to_owned(),
                message,
            })
            .collect();
        let turns = take_turns(&mut fields, game.move_count())?;
        let given: OptionFields = fields.take_struct()?;
        let mut settings = settings.clone();
        override_settings(given.override_settings, &mut settings, &mut warnings)?;
        for field in [
            "maxVisits",
            "analysisPVLen",
            "rootFpuReductionMax",
            "rootPolicyTemperature",
        ] {
            if let Some(value) = fields.optional::<Value>(field)? {
                let result = settings.set(field, &to_unquoted_text(&value));
                result.map_err(|error| RequestError::new(field, error.to_string()))?;
            }
        }
        let query = Self {
            id,
            turns,
            settings,
            include: fields.take_struct()?,
            first_report_after: given
                .first_report_during_search_after
                .map(|Interval(time)| time),
            report_interval: given.report_during_search_every.map(|Interval(time)| time),
            constraints: constraints(&given.avoid_moves, &given.allow_moves, game.size())?,
            game,
        };
        let unknown_fields = fields.into_unused_names().into_iter();
        warnings.extend(unknown_fields.map(|field| FieldWarning {
            field,
            message: "unknown field, ignored".to_owned(),
        }));
        Ok((query, warnings))
    }

    /// Returns the move restriction for a search with `to_move` to move at the root.
    pub fn restriction(&self, to_move: Color) -> Restriction {
        Restriction::from_constraints(&self.constraints, to_move)
    }
}

/// Deserialises the turns to analyse and their priorities, ignoring duplicate turns. `last_turn` is the number of moves
/// in the game.
fn take_turns(fields: &mut Fields, last_turn: usize) -> Result<Vec<(usize, i64)>, RequestError> {
    let given: TurnFields = fields.take_struct()?;
    let turn_count = given.analyze_turns.as_ref().map_or(0, Vec::len);
    if given.analyze_turns.is_some() && turn_count == 0 {
        let message = "expected at least one turn; without this field, the last turn is analysed";
        return Err(RequestError::new("analyzeTurns", message));
    }
    // Without `analyzeTurns`, only the last turn is analysed, and `priorities` must be empty if it is present.
    if let Some(count) = given.priorities.as_ref().map(Vec::len)
        && count != turn_count
    {
        let message = format!(
            "expected {turn_count} priorities, one per turn in analyzeTurns, found {count}"
        );
        return Err(RequestError::new("priorities", message));
    }
    let turns = given.analyze_turns;
    let turns = turns.unwrap_or_else(|| vec![BoundedInteger(last_turn)]);
    if let Some(BoundedInteger(turn)) = turns.iter().find(|turn| turn.0 > last_turn) {
        let message = format!("expected a turn from 0 to {last_turn}, found {turn}");
        return Err(RequestError::new("analyzeTurns", message));
    }
    let default_priority = given.priority.unwrap_or(BoundedInteger(0));
    let priorities = given.priorities.into_iter().flatten();
    let priorities = priorities.chain(std::iter::repeat(default_priority));
    let mut is_listed = vec![false; last_turn + 1];
    Ok(turns
        .into_iter()
        .zip(priorities)
        .map(|(turn, priority)| (turn.0, priority.0))
        .filter(|&(turn, _)| !std::mem::replace(&mut is_listed[turn], true))
        .collect())
}

fn override_settings(
    overrides: Map<String, Value>,
    settings: &mut QuerySettings,
    warnings: &mut Vec<FieldWarning>,
) -> Result<(), RequestError> {
    const FIELD: &str = "overrideSettings";
    for (name, value) in overrides {
        match settings.set(&name, &to_unquoted_text(&value)) {
            Ok(()) => {}
            Err(error @ QuerySettingError::Unknown(_)) => warnings.push(FieldWarning {
                field: FIELD.to_owned(),
                message: format!("ignored: {error}"),
            }),
            Err(error) => return Err(RequestError::new(FIELD, error.to_string())),
        }
    }
    Ok(())
}

/// Converts the entries of `avoidMoves` and `allowMoves` to constraints.
///
/// # Errors
/// Returns an error if a move is invalid or `allow` contains more than one entry for a player.
fn constraints(
    avoid: &[RawConstraint],
    allow: &[RawConstraint],
    size: BoardSize,
) -> Result<Vec<Constraint>, RequestError> {
    const ALLOW_FIELD: &str = "allowMoves";
    let count_for = |color| allow.iter().filter(|raw| raw.player == color).count();
    if Color::BOTH
        .into_iter()
        .any(|color| count_for(ColorField(color)) > 1)
    {
        let message = "only one entry per player is allowed";
        return Err(RequestError::new(ALLOW_FIELD, message));
    }
    let avoid = avoid
        .iter()
        .map(|raw| ("avoidMoves", ConstraintKind::Avoid, raw));
    let allow = allow
        .iter()
        .map(|raw| (ALLOW_FIELD, ConstraintKind::Allow, raw));
    let constraint = |(field, kind, raw): (&'static str, ConstraintKind, &RawConstraint)| {
        let moves = raw.moves.iter().map(|text| parse_move(field, size, text));
        Ok(Constraint {
            color: raw.player.0,
            kind,
            moves: moves.collect::<Result<_, _>>()?,
            depth: raw.until_depth.0,
        })
    };
    avoid.chain(allow).map(constraint).collect()
}
