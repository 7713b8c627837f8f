//! `readGoban`: a game file told node by node, for whoever shows games and reads no SGF.

use std::collections::HashMap;
use std::ops::RangeInclusive;

use serde_json::{Map, Value, json};

use crate::game::color::Color;
use crate::game::point::{BoardSize, Point};
use crate::game::rules::Rules;
use crate::json::fields::object;
use crate::service::dispatcher::{Call, Outcome, Reply, Taken};
use crate::service::limits;
use crate::service::table::Operator;
use crate::service::text::{TextError, first_game};
use crate::sgf::points::{Size, read_move, read_points};
use crate::sgf::record::{missing_handicap, read_position};
use crate::sgf::{Coordinate, GameTree, Node, NodeId};

/// The group.
pub const OPERATORS: &[Operator] = &[Operator::new(
    "readGoban",
    "goban",
    "Tells what is in a game file: its size, rules and players, and its nodes with their moves, stones and comments.",
    read,
)];

/// Texts of the root that are told, by their properties.
const TEXTS: [(&str, &str); 5] = [
    ("PB", "black"),
    ("PW", "white"),
    ("DT", "date"),
    ("RE", "result"),
    ("RU", "named"),
];
/// What else is told of the root alone; elsewhere these and the texts stand as anything does.
const OF_ROOT: [&str; 2] = ["HA", "KM"];
/// What is told of any node or of the whole file by names of its own, beside stones and values.
const TOLD: [&str; 9] = ["AP", "B", "C", "CA", "FF", "GM", "PL", "SZ", "W"];
/// Lists of points that set stones up, by their properties.
const STONES: [(&str, &str); 3] = [("AB", "black"), ("AW", "white"), ("AE", "empty")];
/// What analyses found, Black's, as Sabaki and the reviews of this program write it; what it is multiplied with, and what
/// it can be.
const VALUES: [Told; 2] = [
    Told {
        property: "SBKV",
        name: "winrate",
        scale: 0.01,
        range: 0.0..=1.0,
    },
    Told {
        property: "SBKS",
        name: "scoreLead",
        scale: 1.0,
        range: f64::MIN..=f64::MAX,
    },
];

/// A number that a node tells.
struct Told {
    property: &'static str,
    name: &'static str,
    scale: f64,
    range: RangeInclusive<f64>,
}

impl Told {
    /// As that node has it; none where it is no number that it can be.
    fn read(&self, node: &Node) -> Option<f64> {
        let text = node.value(self.property)?.simple_text();
        let number = text.trim().parse::<f64>().ok()? * self.scale;
        self.range.contains(&number).then_some(number)
    }
}

fn read(call: &mut Call<'_>) -> Outcome {
    let sgf: String = call.fields.required("goban", "a game as SGF, a text")?;
    call.end()?;
    Ok(Taken::Answered(told(&sgf, call.dispatcher.defaults.rules)?))
}

fn told(sgf: &str, usual: Rules) -> Result<Reply, TextError> {
    let (tree, others) = first_game(sgf)?;
    // Before its first move even a damaged game has a board.
    let game = read_position(&tree, Some(0), usual)?;
    let size = game.size();
    let rules = game.rules();
    let rules_name = rules.name_or_short();
    let root = tree.node(tree.root());
    let mut told = object([
        ("size", json!([size.width(), size.height()])),
        ("komi", rules.komi.points().into()),
        ("rules", rules_name.into()),
        ("handicap", game.position().handicap().into()),
        ("color", game.position().to_move().to_string().into()),
        ("others", others.into()),
    ]);
    for (property, name) in TEXTS {
        let text = root.value(property).map(|value| value.simple_text());
        told.insert(name.to_owned(), text.unwrap_or_default().into());
    }
    let mut nodes = nodes(&tree, size)?;
    if let (Some(points), Some(root)) = (missing_handicap(&tree, size), nodes.first_mut()) {
        let vertices = points.into_iter().map(|point| size.vertex(point));
        root["black"] = vertices.collect::<Vec<_>>().into();
    }
    told.insert("nodes".to_owned(), nodes.into());
    Ok(told)
}

/// All nodes, parents first, the first child of each before the others. One with several parts is told as several, of
/// which the last has all else; of the root it is the first.
fn nodes(tree: &GameTree, size: BoardSize) -> Result<Vec<Value>, TextError> {
    let mut places: HashMap<NodeId, usize> = HashMap::new();
    let mut told = Vec::new();
    let mut room = limits::SET_UP;
    for id in tree.preorder() {
        let node = tree.node(id);
        let mut parent = tree.parent(id).map(|parent| places[&parent]);
        let mut parts = parts(node, size, &mut room)?;
        let told_by = match parent {
            None => parts.first_mut(),
            Some(_) => parts.last_mut(),
        };
        if let Some(part) = told_by {
            part.extend(facts(node, parent.is_none()));
        }
        for mut part in parts {
            part.insert("parent".to_owned(), parent.into());
            parent = Some(told.len());
            told.push(Value::Object(part));
        }
        places.extend(parent.map(|last| (id, last)));
    }
    Ok(told)
}

/// What a node does to the board, one thing at a time: stones set up, Black's move, White's move. One part at least.
fn parts(
    node: &Node,
    size: BoardSize,
    room: &mut usize,
) -> Result<Vec<Map<String, Value>>, TextError> {
    let mut parts = vec![Map::new()];
    set_up(&mut parts[0], node, size, room)?;
    for color in Color::BOTH {
        let letter = color.letter().to_string();
        if let Some(value) = node.value(&letter) {
            let place = read_move(value, Size::from(size))?;
            let played = place.map_or("pass".to_owned(), |at| vertex(size, at));
            parts.push(object([("move", json!([letter, played]))]));
        }
    }
    if parts.len() > 1 && parts[0].is_empty() {
        parts.remove(0);
    }
    Ok(parts)
}

/// What a node has but for moves and stones that it sets up.
fn facts(node: &Node, is_root: bool) -> Map<String, Value> {
    let mut told = Map::new();
    let turn = node.value("PL");
    if let Some(color) = turn.and_then(|value| Color::parse(value.simple_text().trim())) {
        told.insert("turn".to_owned(), color.to_string().into());
    }
    for value in &VALUES {
        if let Some(number) = value.read(node) {
            told.insert(value.name.to_owned(), number.into());
        }
    }
    if let Some(comment) = node.value("C") {
        told.insert("comment".to_owned(), comment.text().into());
    }
    let rest = rest(node, is_root);
    if !rest.is_empty() {
        told.insert("rest".to_owned(), rest.into());
    }
    told
}

/// Tells the stones that a node sets up, and takes them from the `room` that all nodes have for theirs.
fn set_up(
    told: &mut Map<String, Value>,
    node: &Node,
    size: BoardSize,
    room: &mut usize,
) -> Result<(), TextError> {
    for (property, name) in STONES {
        let points = read_points(node.values(property), Size::from(size))?;
        *room = room.checked_sub(points.len()).ok_or(TextError::SetUp)?;
        if !points.is_empty() {
            let vertices = points.into_iter().map(|at| vertex(size, at));
            told.insert(name.to_owned(), vertices.collect::<Vec<_>>().into());
        }
    }
    Ok(())
}

fn vertex(size: BoardSize, at: Coordinate) -> String {
    size.vertex(Point::from(at))
}

/// The properties that are told in no other way, as they stand in the file.
fn rest(node: &Node, is_root: bool) -> String {
    let is_told = |name: &str| {
        let texts = TEXTS.iter().map(|(property, _)| *property);
        let of_root = texts.chain(OF_ROOT).filter(|_| is_root);
        let stones = STONES.iter().map(|(property, _)| *property);
        let values = VALUES.iter().filter(|value| value.read(node).is_some());
        let values = values.map(|value| value.property);
        let mut all = of_root.chain(stones).chain(values).chain(TOLD);
        all.any(|told| told == name)
    };
    let rest = (node.properties().iter()).filter(|property| !is_told(property.identifier()));
    rest.fold(String::new(), |mut text, property| {
        text.push_str(property.identifier());
        for value in property.values() {
            text.extend(["[", value.escaped(), "]"]);
        }
        text
    })
}
