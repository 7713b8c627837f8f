//! A query: a game, the turns of it to analyse, and what is wanted of each.

use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Map, Value};

use super::fields::{Fault, Fields};
use super::game::{Game, Player, plain, read_move};
use super::settings::{SettingError, Settings};
use crate::game::color::Color;
use crate::game::point::BoardSize;
use crate::search::restriction::{Constraint, Kind, Restriction};

/// The shortest time between two reports, in seconds; no client reads faster.
const SHORTEST_INTERVAL: f64 = 0.001;
/// The longest; more would be never.
const LONGEST_INTERVAL: f64 = 1e9;
/// The field that may name each player once.
const ALLOW: &str = "allowMoves";

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
    pub wish: Wish,
}

/// A turn of a query, to be analysed.
#[derive(Clone, Debug)]
pub struct Turn {
    /// The query.
    pub query: Arc<Query>,
    /// The turn.
    pub number: usize,
}

/// What is wanted of a position.
#[derive(Clone, Debug)]
pub struct Wish {
    /// Limits, perspective and parameters.
    pub settings: Settings,
    /// The parts of an answer that come only when asked for.
    pub parts: Parts,
    /// Time before the first report of an unfinished search, if another than that between two.
    pub report_after: Option<Duration>,
    /// Time between reports of an unfinished search.
    pub report_every: Option<Duration>,
    constraints: Vec<Constraint>,
}

/// The parts of an answer that come only when asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Parts {
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
    pub line_visits: bool,
}

/// A constraint as queries write it.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct RawConstraint {
    player: Player,
    moves: Vec<String>,
    until_depth: u32,
}

/// A warning about a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
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
    pub fn take(
        id: String,
        mut fields: Fields,
        settings: &Settings,
    ) -> Result<(Self, Vec<Warning>), Fault> {
        let mut warnings = Vec::new();
        let game = Game::take(&mut fields)?;
        let turns = take_turns(&mut fields, game.length())?;
        let wish = Wish::take(&mut fields, game.size(), settings, &mut warnings)?;
        warnings.extend(fields.left().into_iter().map(|field| Warning {
            field,
            message: "expected a field of a query, found one that is not known".to_owned(),
        }));
        let query = Self {
            id,
            game,
            turns,
            wish,
        };
        Ok((query, warnings))
    }
}

/// Turns and priorities; a turn that is named twice is analysed once.
fn take_turns(fields: &mut Fields, last: usize) -> Result<Vec<(usize, i64)>, Fault> {
    const PRIORITY: &str = "a whole number";
    let expected = format!("a turn from 0 to {last}");
    let turns: Option<Vec<usize>> = fields.list("analyzeTurns", &expected)?;
    let priority: i64 = fields.optional("priority", PRIORITY)?.unwrap_or(0);
    let priorities: Option<Vec<i64>> = fields.list("priorities", PRIORITY)?;
    if let Some(turn) = turns.iter().flatten().find(|&&turn| turn > last) {
        let message = format!("expected {expected}, found {turn}");
        return Err(Fault::new("analyzeTurns", message));
    }
    let named = turns.as_ref().map_or(0, Vec::len);
    if let Some(given) = priorities.as_ref().map(Vec::len)
        && given != named
    {
        let message = format!("expected one for each of {named} analyzeTurns, found {given}");
        return Err(Fault::new("priorities", message));
    }
    let mut seen = vec![false; last + 1];
    let wanted = turns.unwrap_or_else(|| vec![last]).into_iter().enumerate();
    let each = wanted.filter(|&(_, turn)| !std::mem::replace(&mut seen[turn], true));
    // Without turns named there is one, and an empty list is one for each of none.
    let own = |place: usize| {
        priorities
            .as_ref()
            .and_then(|list| list.get(place).copied())
    };
    let priority = |place: usize| own(place).unwrap_or(priority);
    Ok(each.map(|(place, turn)| (turn, priority(place))).collect())
}

impl Wish {
    fn take(
        fields: &mut Fields,
        size: BoardSize,
        settings: &Settings,
        warnings: &mut Vec<Warning>,
    ) -> Result<Self, Fault> {
        let mut settings = settings.clone();
        override_settings(fields, &mut settings, warnings)?;
        for field in [
            "maxVisits",
            "analysisPVLen",
            "rootFpuReductionMax",
            "rootPolicyTemperature",
        ] {
            if let Some(value) = fields.optional::<Value>(field, "a number")? {
                let made = settings.set(field, &plain(&value));
                made.map_err(|error| Fault::new(field, error.to_string()))?;
            }
        }
        let parts = Parts {
            ownership: fields.flag("includeOwnership")?,
            ownership_deviation: fields.flag("includeOwnershipStdev")?,
            moves_ownership: fields.flag("includeMovesOwnership")?,
            moves_ownership_deviation: fields.flag("includeMovesOwnershipStdev")?,
            no_result: fields.flag("includeNoResultValue")?,
            policy: fields.flag("includePolicy")?,
            line_visits: fields.flag("includePVVisits")?,
        };
        let mut constraints = take_constraints(fields, "avoidMoves", Kind::Avoid, size)?;
        let allow = take_constraints(fields, ALLOW, Kind::Allow, size)?;
        let of = |color| allow.iter().filter(|one| one.color == color).count();
        if Color::BOTH.into_iter().any(|color| of(color) > 1) {
            let message = "expected one entry for each player at most, found more";
            return Err(Fault::new(ALLOW, message));
        }
        constraints.extend(allow);
        Ok(Self {
            settings,
            parts,
            report_after: take_interval(fields, "firstReportDuringSearchAfter")?,
            report_every: take_interval(fields, "reportDuringSearchEvery")?,
            constraints,
        })
    }

    /// The moves that a search may follow when it begins with that colour's turn.
    #[must_use]
    pub fn restriction(&self, to_move: Color) -> Restriction {
        Restriction::of(&self.constraints, to_move)
    }
}

fn override_settings(
    fields: &mut Fields,
    settings: &mut Settings,
    warnings: &mut Vec<Warning>,
) -> Result<(), Fault> {
    const FIELD: &str = "overrideSettings";
    let given: Option<Map<String, Value>> = fields.optional(FIELD, "an object of settings")?;
    for (name, value) in given.unwrap_or_default() {
        match settings.set(&name, &plain(&value)) {
            Ok(()) => {}
            Err(error @ SettingError::Unknown(_)) => warnings.push(Warning {
                field: FIELD.to_owned(),
                message: error.to_string(),
            }),
            Err(error) => return Err(Fault::new(FIELD, error.to_string())),
        }
    }
    Ok(())
}

fn take_interval(fields: &mut Fields, field: &'static str) -> Result<Option<Duration>, Fault> {
    let expected = format!("seconds from {SHORTEST_INTERVAL}");
    let Some(value) = fields.optional::<Value>(field, &expected)? else {
        return Ok(None);
    };
    let seconds = value
        .as_f64()
        .filter(|&seconds| seconds >= SHORTEST_INTERVAL);
    let seconds = seconds.ok_or_else(|| Fault::unexpected(field, &expected, &value))?;
    Ok(Some(Duration::from_secs_f64(seconds.min(LONGEST_INTERVAL))))
}

fn take_constraints(
    fields: &mut Fields,
    field: &'static str,
    kind: Kind,
    size: BoardSize,
) -> Result<Vec<Constraint>, Fault> {
    const EXPECTED: &str = "an object of player, moves and untilDepth";
    let raw: Vec<RawConstraint> = fields.list(field, EXPECTED)?.unwrap_or_default();
    if raw.iter().any(|one| one.until_depth == 0) {
        return Err(Fault::new(field, "expected an untilDepth from 1, found 0"));
    }
    let read = |raw: RawConstraint| {
        let moves = raw.moves.iter().map(|text| {
            read_move(size, text).ok_or_else(|| {
                let expected = format!("expected a point of the {size} board or pass");
                Fault::new(field, format!("{expected}, found {text:?}"))
            })
        });
        Ok(Constraint {
            color: raw.player.0,
            kind,
            moves: moves.collect::<Result<_, _>>()?,
            depth: raw.until_depth,
        })
    };
    raw.into_iter().map(read).collect()
}
