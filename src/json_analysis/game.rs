//! Game of a query: board size, rules, set-up stones and moves. The complete game is validated before any search
//! starts.

use serde::Deserialize;
use serde_json::{Map, Value};

use super::fields::{BoundedInteger, Fields, RequestError, convert_value, to_unquoted_text};
use crate::game::color::{ByColor, Color};
use crate::game::handicap;
use crate::game::point::{BoardSize, MAX_SIDE, MIN_SIDE, Move, Point};
use crate::game::pointset::PointSet;
use crate::game::position::{MAX_RECORD_MOVES, Position};
use crate::game::rules::{Komi, Rules};

/// A colour in a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "Value")]
pub struct ColorField(pub Color);

impl TryFrom<Value> for ColorField {
    type Error = String;

    fn try_from(value: Value) -> Result<Self, String> {
        let parse = |value: &Value| Color::parse(value.as_str()?).map(Self);
        convert_value(&value, "\"B\" or \"W\"", parse)
    }
}

/// A stone or move such as `["B","Q4"]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(expecting = "a colour and a vertex such as [\"B\",\"Q4\"]")]
pub struct ColoredVertex(ColorField, String);

impl ColoredVertex {
    /// Returns the colour and the move at the vertex. Errors refer to the request field `field`.
    ///
    /// # Errors
    /// Returns an error if the vertex is neither a point nor a pass.
    pub fn to_move(
        &self,
        field: &'static str,
        size: BoardSize,
    ) -> Result<(Color, Move), RequestError> {
        let Self(ColorField(color), text) = self;
        Ok((*color, parse_move(field, size, text)?))
    }
}

/// A board size in a request: a side length such as `19`, or a list of columns and rows such as `[9,7]`. It need not be
/// supported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "Value")]
pub struct BoardSizeField {
    pub columns: usize,
    pub rows: usize,
}

impl TryFrom<Value> for BoardSizeField {
    type Error = String;

    fn try_from(value: Value) -> Result<Self, String> {
        let expected = format_args!("a side from {MIN_SIDE} to {MAX_SIDE}, or [columns, rows]");
        let side = |value: &Value| usize::try_from(value.as_u64()?).ok();
        convert_value(&value, expected, |value| {
            let (columns, rows) = match value.as_array().map(Vec::as_slice) {
                Some([columns, rows]) => (side(columns)?, side(rows)?),
                Some(_) => return None,
                None => (side(value)?, side(value)?),
            };
            Some(Self { columns, rows })
        })
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct GameFields {
    board_x_size: SideLength,
    board_y_size: SideLength,
    #[serde(default)]
    initial_stones: Vec<ColoredVertex>,
    initial_player: Option<ColorField>,
    moves: Vec<ColoredVertex>,
}

type SideLength = BoundedInteger<{ MIN_SIDE as i64 }, { MAX_SIDE as i64 }, usize>;

/// Fields of a request that describe the rules.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RulesAndKomiFields {
    rules: Option<RulesField>,
    white_handicap_bonus: Option<Value>,
    komi: Option<KomiField>,
}

#[derive(Deserialize)]
#[serde(try_from = "Value")]
struct RulesField(Rules);

impl TryFrom<Value> for RulesField {
    type Error = String;

    fn try_from(value: Value) -> Result<Self, String> {
        let text = value.as_str().unwrap_or_default();
        if let Some(fields) = value.as_object() {
            rules_from_object(fields).map(Self)
        } else if let Ok(fields) = serde_json::from_str(text) {
            rules_from_object(&fields).map(Self)
        } else {
            let expected = format!("a JSON object of rules or one of {}", Rules::name_list());
            convert_value(&value, expected, |_| Rules::parse(text).map(Self))
        }
    }
}

#[derive(Deserialize)]
#[serde(try_from = "Value")]
struct KomiField(Komi);

impl TryFrom<Value> for KomiField {
    type Error = String;

    fn try_from(value: Value) -> Result<Self, String> {
        let parse = |value: &Value| Komi::from_points(value.as_f64()?).map(Self);
        convert_value(&value, Komi::VALID_VALUES, parse)
    }
}

/// A validated game. Its moves may violate the ko and suicide rules, because the query may specify other rules than the
/// game was played under.
#[derive(Clone, Debug)]
pub struct Game {
    initial: Position,
    moves: Vec<(Color, Move)>,
}

impl Game {
    /// Parses and validates the fields that describe the game. Also returns a warning if a move violates the ko or
    /// suicide rule.
    ///
    /// # Errors
    /// Returns an error if a field is missing or invalid.
    pub fn from_fields(fields: &mut Fields) -> Result<(Self, Option<String>), RequestError> {
        let given: GameFields = fields.take_struct()?;
        let (BoundedInteger(width), BoundedInteger(height)) =
            (given.board_x_size, given.board_y_size);
        let size = BoardSize::new(width, height).expect("the sides have been checked");
        let rules = take_rules(fields, None)?;
        let stones = parse_initial_stones(&given.initial_stones, size)?;
        if given.moves.len() > MAX_RECORD_MOVES {
            let found = given.moves.len();
            let message = format!("expected at most {MAX_RECORD_MOVES} moves, found {found}");
            return Err(RequestError::new("moves", message));
        }
        let moves = given.moves.iter().map(|mv| mv.to_move("moves", size));
        let moves: Vec<(Color, Move)> = moves.collect::<Result<_, _>>()?;
        let handicap = handicap::inferred_from_setup(&stones);
        let to_move = match (given.initial_player, moves.first()) {
            (Some(ColorField(color)), _) | (None, Some(&(color, _))) => color,
            // White moves first after handicap stones.
            (None, None) if handicap > 0 => Color::White,
            (None, None) => Color::Black,
        };
        let mut initial = Position::from_stones(size, stones, to_move, rules)
            .map_err(|error| RequestError::new("initialStones", error.to_string()))?;
        initial.set_handicap(handicap);
        let game = Self { initial, moves };
        let warning = game.check_moves()?;
        Ok((game, warning))
    }

    pub const fn move_count(&self) -> usize {
        self.moves.len()
    }

    pub const fn size(&self) -> BoardSize {
        self.initial.size()
    }

    /// Returns the position after `turn` moves, or after all moves if there are fewer.
    pub fn position_after(&self, turn: usize) -> Position {
        let moves = &self.moves[..turn.min(self.moves.len())];
        handicap::replay_and_infer(&self.initial, moves)
    }

    /// Plays all moves. Returns a warning if any of them violates the ko or suicide rule.
    fn check_moves(&self) -> Result<Option<String>, RequestError> {
        let mut position = self.initial.clone();
        let mut warnings = Vec::new();
        for (turn, &(color, mv)) in self.moves.iter().enumerate() {
            let Err(reason) = position.play(color, mv) else {
                continue;
            };
            let (letter, vertex) = (color.letter(), self.size().format_move(mv));
            let message = format!("Illegal move {letter} {vertex} at turn {turn}: {reason}");
            (position.play_lenient(color, mv))
                .map_err(|_| RequestError::new("moves", message.clone()))?;
            warnings.push(message);
        }
        let Some((first, others)) = warnings.split_first() else {
            return Ok(None);
        };
        Ok(Some(match others.len() {
            0 => format!("{first}. The move was played nevertheless"),
            1 => format!("{first}. This move and another illegal move were played nevertheless"),
            count => format!(
                "{first}. This move and {count} other illegal moves were played nevertheless"
            ),
        }))
    }
}

/// Deserialises the fields `rules`, `whiteHandicapBonus` and `komi`, and returns the resulting rules.
///
/// If `rules` is missing, uses `default_rules`. If `komi` is missing, it is the one of these rules.
///
/// # Errors
/// Returns an error if a field is invalid, or `rules` is missing and there are no default rules.
pub fn take_rules(
    fields: &mut Fields,
    default_rules: Option<Rules>,
) -> Result<Rules, RequestError> {
    let given: RulesAndKomiFields = fields.take_struct()?;
    let given_rules = given.rules.map(|RulesField(rules)| rules);
    let mut rules =
        (given_rules.or(default_rules)).ok_or_else(|| RequestError::missing("rules"))?;
    if let Some(bonus) = given.white_handicap_bonus {
        rules
            .set_field("whiteHandicapBonus", &to_unquoted_text(&bonus))
            .map_err(|error| RequestError::new("whiteHandicapBonus", error.to_string()))?;
    }
    if let Some(KomiField(komi)) = given.komi {
        rules.komi = komi;
    }
    Ok(rules)
}

/// Parses an object with [individual rules](Rules::from_fields) and an optional `komi`.
fn rules_from_object(fields: &Map<String, Value>) -> Result<Rules, String> {
    let field_values = fields.iter().filter(|(name, _)| *name != "komi");
    let field_values: Vec<_> = field_values
        .map(|(name, value)| (name.as_str(), to_unquoted_text(value)))
        .collect();
    let mut rules = Rules::from_fields(&field_values).map_err(|error| error.to_string())?;
    if let Some(komi) = fields.get("komi") {
        rules.komi = KomiField::try_from(komi.clone())?.0;
    }
    Ok(rules)
}

fn parse_initial_stones(
    list: &[ColoredVertex],
    size: BoardSize,
) -> Result<ByColor<PointSet>, RequestError> {
    const FIELD: &str = "initialStones";
    let mut stones: ByColor<PointSet> = ByColor::default();
    for stone in list {
        let (color, mv) = stone.to_move(FIELD, size)?;
        let error = |problem| RequestError::new(FIELD, format!("{:?} {problem}", stone.1));
        let point = mv.point().ok_or_else(|| error("is not a point"))?;
        if Color::BOTH.iter().any(|&any| stones[any].contains(point)) {
            return Err(error("is listed twice"));
        }
        stones[color].insert(point);
    }
    Ok(stones)
}

/// Parses `pass`, a vertex such as `Q16`, or coordinates such as `(15,3)`: column and row, counted from 0 at the top
/// left. Errors refer to the request field `field`.
///
/// # Errors
/// Returns an error if the text is neither a point nor a pass.
pub fn parse_move(field: &'static str, size: BoardSize, text: &str) -> Result<Move, RequestError> {
    let coordinates = text
        .strip_prefix('(')
        .and_then(|text| text.strip_suffix(')')?.split_once(','));
    let mv = match coordinates {
        Some((column, row)) => parse_coordinates(size, column, row).map(Move::Play),
        None => size.parse_move(text),
    };
    mv.ok_or_else(|| {
        let message = format!("{text:?} is neither a point on the {size} board nor a pass");
        RequestError::new(field, message)
    })
}

fn parse_coordinates(size: BoardSize, column: &str, row: &str) -> Option<Point> {
    size.point(column.trim().parse().ok()?, row.trim().parse().ok()?)
}
