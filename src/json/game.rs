//! The game of a query: board, rules, stones set up, moves; all checked before anything is searched.

use serde::Deserialize;
use serde_json::{Map, Value};

use super::fields::{Fault, Fields};
use crate::game::color::{ByColor, Color};
use crate::game::handicap;
use crate::game::point::{BoardSize, MAX_SIDE, MIN_SIDE, Move, Point};
use crate::game::pointset::PointSet;
use crate::game::position::{MOST_MOVES, Position};
use crate::game::rules::{Komi, Rules};

/// A colour as queries write it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct Player(pub Color);

impl Player {
    /// What is expected where a colour stands.
    pub const EXPECTED: &'static str = "\"B\" or \"W\"";
}

impl TryFrom<String> for Player {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Color::parse(&text).map(Self).ok_or("no colour")
    }
}

/// A stone or move: `["B","Q4"]`.
#[derive(Clone, Debug, Deserialize)]
struct Placed(Player, String);

const PLACED: &str = "a pair of a colour and a vertex, such as [\"B\",\"Q4\"]";

/// A game that has been checked: every move is possible, as records have them.
#[derive(Clone, Debug)]
pub struct Game {
    initial: Position,
    moves: Vec<(Color, Move)>,
}

impl Game {
    /// Takes the fields of the game.
    ///
    /// # Errors
    /// What is wrong with the first faulty one.
    pub fn take(fields: &mut Fields) -> Result<Self, Fault> {
        let size = take_size(fields)?;
        let rules = take_rules(fields, None)?;
        let stones = take_stones(fields, size)?;
        let first = fields.optional::<Player>("initialPlayer", Player::EXPECTED)?;
        let moves = take_moves(fields, size)?
            .ok_or_else(|| Fault::new("moves", "expected a list of moves, found nothing"))?;
        let handicap = handicap::looks_like(&stones);
        let to_move = match (first, moves.first()) {
            (Some(Player(color)), _) | (None, Some(&(color, _))) => color,
            // As after handicap stones in any game.
            (None, None) if handicap > 0 => Color::White,
            (None, None) => Color::Black,
        };
        let mut initial = Position::set_up(size, stones, to_move, rules)
            .map_err(|error| Fault::new("initialStones", error.to_string()))?;
        initial.set_handicap(handicap);
        let game = Self { initial, moves };
        game.check()?;
        Ok(game)
    }

    /// Moves made.
    #[must_use]
    pub const fn length(&self) -> usize {
        self.moves.len()
    }

    /// The board's size.
    #[must_use]
    pub const fn size(&self) -> BoardSize {
        self.initial.size()
    }

    /// The position after that many moves, or after all of them if there are fewer.
    #[must_use]
    pub fn position(&self, turn: usize) -> Position {
        let made = &self.moves[..turn.min(self.moves.len())];
        handicap::position_after(&self.initial, made)
    }

    fn check(&self) -> Result<(), Fault> {
        let mut position = self.initial.clone();
        for (turn, &(color, mv)) in self.moves.iter().enumerate() {
            position.replay(color, mv).map_err(|reason| {
                let (letter, vertex) = (color.letter(), self.size().move_text(mv));
                Fault::new(
                    "moves",
                    format!("Illegal move {letter} {vertex} at turn {turn}: {reason}"),
                )
            })?;
        }
        Ok(())
    }
}

fn take_size(fields: &mut Fields) -> Result<BoardSize, Fault> {
    let expected = format!("a side from {MIN_SIDE} to {MAX_SIDE}");
    let mut side = |name: &'static str| {
        let side: Value = fields.required(name, &expected)?;
        let number = side
            .as_u64()
            .and_then(|number| usize::try_from(number).ok());
        number
            .filter(|number| (MIN_SIDE..=MAX_SIDE).contains(number))
            .ok_or_else(|| Fault::unexpected(name, &expected, &side))
    };
    let (width, height) = (side("boardXSize")?, side("boardYSize")?);
    BoardSize::new(width, height)
        .ok_or_else(|| Fault::new("boardXSize", format!("expected {expected}, found {width}")))
}

/// Takes `rules`, `whiteHandicapBonus` and `komi`; without `rules` they are `usual`, or are missed if there are no usual
/// ones.
///
/// # Errors
/// What is wrong with the first faulty one.
pub fn take_rules(fields: &mut Fields, usual: Option<Rules>) -> Result<Rules, Fault> {
    let expected = || format!("a JSON object of rules or one of {}", Rules::list());
    let value: Option<Value> = fields.optional("rules", &expected())?;
    let mut rules = match (&value, usual) {
        (None, Some(rules)) => rules,
        (None, None) => {
            return Err(Fault::new(
                "rules",
                format!("expected {}, found nothing", expected()),
            ));
        }
        (Some(Value::Object(axes)), _) => rules_of(axes)?,
        (Some(found @ Value::String(name)), usual) => match serde_json::from_str(name) {
            Ok(axes) => rules_of(&axes)?,
            Err(_) => {
                let named = Rules::named(name);
                let named = named.ok_or_else(|| Fault::unexpected("rules", &expected(), found))?;
                // KataGo's clients count on the komi of the scoring.
                match usual {
                    None => named.with_komi(named.usual_komi()),
                    Some(_) => named,
                }
            }
        },
        (Some(found), _) => return Err(Fault::unexpected("rules", &expected(), found)),
    };
    if let Some(bonus) = fields.optional::<Value>("whiteHandicapBonus", "0, N or N-1")? {
        rules
            .set_axis("whiteHandicapBonus", &plain(&bonus))
            .map_err(|error| Fault::new("whiteHandicapBonus", error.to_string()))?;
    }
    if let Some(komi) = fields.optional::<Value>("komi", Komi::EXPECTED)? {
        let points = komi.as_f64().and_then(Komi::from_points);
        rules.komi = points.ok_or_else(|| Fault::unexpected("komi", Komi::EXPECTED, &komi))?;
    }
    Ok(rules)
}

/// Rules [axis by axis](Rules::from_axes), and komi.
fn rules_of(axes: &Map<String, Value>) -> Result<Rules, Fault> {
    let named = axes.iter().filter(|(name, _)| *name != "komi");
    let named: Vec<_> = named
        .map(|(name, value)| (name.as_str(), plain(value)))
        .collect();
    let mut rules =
        Rules::from_axes(&named).map_err(|error| Fault::new("rules", error.to_string()))?;
    if let Some(komi) = axes.get("komi") {
        rules.komi = (komi.as_f64().and_then(Komi::from_points)).ok_or_else(|| {
            Fault::unexpected("rules", &format!("a komi, {}", Komi::EXPECTED), komi)
        })?;
    }
    Ok(rules)
}

/// A value as text: without the quotes if it is text already.
#[must_use]
pub fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn take_stones(fields: &mut Fields, size: BoardSize) -> Result<ByColor<PointSet>, Fault> {
    let mut stones: ByColor<PointSet> = ByColor::default();
    let list: Vec<Placed> = fields.list("initialStones", PLACED)?.unwrap_or_default();
    for Placed(Player(color), text) in list {
        let fault = |found: String| {
            let expected = format!("expected distinct points of the {size} board");
            Fault::new("initialStones", format!("{expected}, found {found}"))
        };
        let point = read_move(size, &text).and_then(Move::point);
        let point = point.ok_or_else(|| fault(format!("{text:?}")))?;
        if Color::BOTH.iter().any(|&any| stones[any].contains(point)) {
            return Err(fault(format!("{text:?} twice")));
        }
        stones[color].insert(point);
    }
    Ok(stones)
}

/// Takes `moves`, a list of colours and vertices; `None` when it is missing.
///
/// # Errors
/// What is wrong with the first faulty one.
pub fn take_moves(
    fields: &mut Fields,
    size: BoardSize,
) -> Result<Option<Vec<(Color, Move)>>, Fault> {
    let Some(list) = fields.list::<Placed>("moves", PLACED)? else {
        return Ok(None);
    };
    if list.len() > MOST_MOVES {
        let told = format!("expected at most {MOST_MOVES} moves, found {}", list.len());
        return Err(Fault::new("moves", told));
    }
    let read = |Placed(Player(color), text): Placed| {
        let mv = read_move(size, &text).ok_or_else(|| {
            let expected = format!("expected a point of the {size} board or pass");
            Fault::new("moves", format!("{expected}, found {text:?}"))
        })?;
        Ok((color, mv))
    };
    let moves: Result<_, Fault> = list.into_iter().map(read).collect();
    moves.map(Some)
}

/// Reads `Q16`, `pass`, or column and row from the top left as `(15,3)`.
#[must_use]
pub fn read_move(size: BoardSize, text: &str) -> Option<Move> {
    let Some(inner) = text.strip_prefix('(').and_then(|t| t.strip_suffix(')')) else {
        return size.parse_move(text);
    };
    let (column, row) = inner.split_once(',')?;
    let point: Point = size.point(column.trim().parse().ok()?, row.trim().parse().ok()?)?;
    Some(Move::Play(point))
}
