//! Game of a query: board size, rules, set-up stones and moves. The complete game is validated before any search
//! starts.

use serde::Deserialize;
use serde_json::{Map, Value};

use super::fields::{Fields, RequestError, to_plain_text};
use crate::game::color::{ByColor, Color};
use crate::game::handicap;
use crate::game::point::{BoardSize, MAX_SIDE, MIN_SIDE, Move, Point};
use crate::game::pointset::PointSet;
use crate::game::position::{MAX_MOVES, Position};
use crate::game::rules::{Komi, Rules};

/// A colour in a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct PlayerColor(pub Color);

impl PlayerColor {
    /// Description of valid colours, for error messages.
    pub const EXPECTED: &'static str = "\"B\" or \"W\"";
}

impl TryFrom<String> for PlayerColor {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Color::parse(&text).map(Self).ok_or("not a colour")
    }
}

/// A stone or move such as `["B","Q4"]`.
#[derive(Clone, Debug, Deserialize)]
struct ColoredVertex(PlayerColor, String);

const COLORED_VERTEX: &str = "a colour and a vertex such as [\"B\",\"Q4\"]";

/// A validated game. As in game records, moves that violate the ko or suicide rules are accepted.
#[derive(Clone, Debug)]
pub struct Game {
    initial: Position,
    moves: Vec<(Color, Move)>,
}

impl Game {
    /// Parses and validates the fields that describe the game.
    ///
    /// # Errors
    /// Returns an error if a field is missing or invalid.
    pub fn from_fields(fields: &mut Fields) -> Result<Self, RequestError> {
        let size = parse_size(fields)?;
        let rules = parse_rules(fields, None)?;
        let stones = parse_stones(fields, size)?;
        let initial_player =
            fields.optional::<PlayerColor>("initialPlayer", PlayerColor::EXPECTED)?;
        let moves = parse_moves(fields, size)?
            .ok_or_else(|| RequestError::new("moves", "missing; expected a list of moves"))?;
        let handicap = handicap::inferred_from_setup(&stones);
        let to_move = match (initial_player, moves.first()) {
            (Some(PlayerColor(color)), _) | (None, Some(&(color, _))) => color,
            // White moves first after handicap stones.
            (None, None) if handicap > 0 => Color::White,
            (None, None) => Color::Black,
        };
        let mut initial = Position::set_up(size, stones, to_move, rules)
            .map_err(|error| RequestError::new("initialStones", error.to_string()))?;
        initial.set_handicap(handicap);
        let game = Self { initial, moves };
        game.check_moves()?;
        Ok(game)
    }

    pub const fn move_count(&self) -> usize {
        self.moves.len()
    }

    pub const fn size(&self) -> BoardSize {
        self.initial.size()
    }

    /// Returns the position after `turn` moves, or after all moves if there are fewer.
    pub fn position(&self, turn: usize) -> Position {
        let moves = &self.moves[..turn.min(self.moves.len())];
        handicap::position_after(&self.initial, moves)
    }

    fn check_moves(&self) -> Result<(), RequestError> {
        let mut position = self.initial.clone();
        for (turn, &(color, mv)) in self.moves.iter().enumerate() {
            position.play_lenient(color, mv).map_err(|reason| {
                let (letter, vertex) = (color.letter(), self.size().format_move(mv));
                RequestError::new(
                    "moves",
                    format!("Illegal move {letter} {vertex} at turn {turn}: {reason}"),
                )
            })?;
        }
        Ok(())
    }
}

fn parse_size(fields: &mut Fields) -> Result<BoardSize, RequestError> {
    let expected = format!("a side from {MIN_SIDE} to {MAX_SIDE}");
    let mut side = |name: &'static str| {
        let side: Value = fields.required(name, &expected)?;
        let number = side
            .as_u64()
            .and_then(|number| usize::try_from(number).ok());
        number
            .filter(|number| (MIN_SIDE..=MAX_SIDE).contains(number))
            .ok_or_else(|| RequestError::unexpected(name, &expected, &side))
    };
    let (width, height) = (side("boardXSize")?, side("boardYSize")?);
    BoardSize::new(width, height).ok_or_else(|| {
        RequestError::new("boardXSize", format!("expected {expected}, found {width}"))
    })
}

/// Parses the fields `rules`, `whiteHandicapBonus` and `komi`.
///
/// If `rules` is missing, uses `default_rules`. Rules given by name use the default komi of the rule set only if there
/// are no default rules.
///
/// # Errors
/// Returns an error if a field is invalid, or `rules` is missing and there are no default rules.
pub fn parse_rules(
    fields: &mut Fields,
    default_rules: Option<Rules>,
) -> Result<Rules, RequestError> {
    let expected = || format!("a JSON object of rules or one of {}", Rules::name_list());
    let value: Option<Value> = fields.optional("rules", &expected())?;
    let mut rules = match (&value, default_rules) {
        (None, Some(rules)) => rules,
        (None, None) => {
            return Err(RequestError::new(
                "rules",
                format!("missing; expected {}", expected()),
            ));
        }
        (Some(Value::Object(axes)), _) => rules_from_axes(axes)?,
        (Some(found @ Value::String(name)), default_rules) => match serde_json::from_str(name) {
            Ok(axes) => rules_from_axes(&axes)?,
            Err(_) => {
                let named_rules = Rules::named(name);
                let named_rules = named_rules
                    .ok_or_else(|| RequestError::unexpected("rules", &expected(), found))?;
                // KataGo's clients rely on the default komi of the rule set.
                match default_rules {
                    None => named_rules.with_komi(named_rules.default_komi()),
                    Some(_) => named_rules,
                }
            }
        },
        (Some(found), _) => return Err(RequestError::unexpected("rules", &expected(), found)),
    };
    if let Some(bonus) = fields.optional::<Value>("whiteHandicapBonus", "0, N or N-1")? {
        rules
            .set_field("whiteHandicapBonus", &to_plain_text(&bonus))
            .map_err(|error| RequestError::new("whiteHandicapBonus", error.to_string()))?;
    }
    if let Some(komi) = fields.optional::<Value>("komi", Komi::EXPECTED)? {
        let points = komi.as_f64().and_then(Komi::from_points);
        rules.komi =
            points.ok_or_else(|| RequestError::unexpected("komi", Komi::EXPECTED, &komi))?;
    }
    Ok(rules)
}

/// Parses an object with [individual rules](Rules::from_fields) and an optional `komi`.
fn rules_from_axes(axes: &Map<String, Value>) -> Result<Rules, RequestError> {
    let axis_values = axes.iter().filter(|(name, _)| *name != "komi");
    let axis_values: Vec<_> = axis_values
        .map(|(name, value)| (name.as_str(), to_plain_text(value)))
        .collect();
    let mut rules = Rules::from_fields(&axis_values)
        .map_err(|error| RequestError::new("rules", error.to_string()))?;
    if let Some(komi) = axes.get("komi") {
        rules.komi = (komi.as_f64().and_then(Komi::from_points)).ok_or_else(|| {
            RequestError::unexpected("rules", &format!("a komi ({})", Komi::EXPECTED), komi)
        })?;
    }
    Ok(rules)
}

fn parse_stones(fields: &mut Fields, size: BoardSize) -> Result<ByColor<PointSet>, RequestError> {
    let mut stones: ByColor<PointSet> = ByColor::default();
    let list: Vec<ColoredVertex> = fields
        .list("initialStones", COLORED_VERTEX)?
        .unwrap_or_default();
    for ColoredVertex(PlayerColor(color), text) in list {
        let error = |message: String| RequestError::new("initialStones", message);
        let point = parse_move(size, &text).and_then(Move::point);
        let point =
            point.ok_or_else(|| error(format!("{text:?} is not a point of the {size} board")))?;
        if Color::BOTH.iter().any(|&any| stones[any].contains(point)) {
            return Err(error(format!("{text:?} is listed twice")));
        }
        stones[color].insert(point);
    }
    Ok(stones)
}

/// Parses the field `moves`, a list of colours and vertices. Returns `None` if it is missing.
///
/// # Errors
/// Returns an error if the list is too long or an entry is invalid.
pub fn parse_moves(
    fields: &mut Fields,
    size: BoardSize,
) -> Result<Option<Vec<(Color, Move)>>, RequestError> {
    let Some(list) = fields.list::<ColoredVertex>("moves", COLORED_VERTEX)? else {
        return Ok(None);
    };
    if list.len() > MAX_MOVES {
        let message = format!("too many moves: {}, the maximum is {MAX_MOVES}", list.len());
        return Err(RequestError::new("moves", message));
    }
    let parse = |ColoredVertex(PlayerColor(color), text): ColoredVertex| {
        let mv = parse_move(size, &text).ok_or_else(|| {
            let message = format!("{text:?} is not a point of the {size} board or pass");
            RequestError::new("moves", message)
        })?;
        Ok((color, mv))
    };
    let moves: Result<_, RequestError> = list.into_iter().map(parse).collect();
    moves.map(Some)
}

/// Parses `pass`, a vertex such as `Q16`, or coordinates such as `(15,3)`: column and row, counted from 0 at the top
/// left.
pub fn parse_move(size: BoardSize, text: &str) -> Option<Move> {
    let Some(inner) = text.strip_prefix('(').and_then(|t| t.strip_suffix(')')) else {
        return size.parse_move(text);
    };
    let (column, row) = inner.split_once(',')?;
    let point: Point = size.point(column.trim().parse().ok()?, row.trim().parse().ok()?)?;
    Some(Move::Play(point))
}
