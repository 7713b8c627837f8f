//! `readGoban`: converts an SGF file to JSON for clients that cannot read SGF.

use std::collections::HashMap;
use std::iter;
use std::ops::RangeInclusive;

use serde_json::{Map, Value, json};

use super::sgf_annotations::{info_json, is_info, mark_field, marks_json};
use crate::game::color::Color;
use crate::game::point::BoardSize;
use crate::game::rules::Rules;
use crate::service::call::{Call, CallReply, CallResult, Operator};
use crate::service::limits;
use crate::service::sgf_input::{FirstGame, GameSource, SgfFields, SgfInputError};
use crate::service::warning::Warning;
use crate::sgf::convert::{
    GameError, declared_handicap, missing_handicap_points, read_side_to_move, read_until_move,
};
use crate::sgf::points::{is_resignation, read_move, read_valid_points};
use crate::sgf::{GameTree, GameWarning, Node, NodeId, PointOrSizeError};

/// The operators of this group.
pub const OPERATORS: &[Operator] = &[Operator::new(
    "readGoban",
    "[goban] [bytes] [game]",
    "Converts a game file to JSON: size, rules, players, and all nodes with their moves, stones and comments.",
    read,
)];

/// Root properties that are returned as text, each with the name of the JSON field that contains it.
const ROOT_TEXTS: [(&str, &str); 5] = [
    ("PB", "black"),
    ("PW", "white"),
    ("DT", "date"),
    ("RE", "result"),
    ("RU", "named"),
];
/// Properties that, like those in [`ROOT_TEXTS`], are handled only in the root. In all other nodes, the properties of
/// both lists are part of the node's `rest` field.
const ROOT_NUMBER_PROPERTIES: [&str; 2] = ["HA", "KM"];
/// Properties that are handled in every node or apply to the complete file.
const ALWAYS_HANDLED_PROPERTIES: [&str; 9] = ["AP", "B", "C", "CA", "FF", "GM", "PL", "SZ", "W"];
/// Set-up properties, each with the name of its field.
const SETUP_FIELDS: [(&str, &str); 3] = [("AB", "black"), ("AW", "white"), ("AE", "empty")];
/// Properties with evaluations from Black's perspective, as written by Sabaki and by this program's reviews.
const ANALYSIS_PROPERTIES: [AnalysisProperty; 2] = [
    AnalysisProperty {
        property: "SBKV",
        name: "winrate",
        scale: 0.01,
        range: 0.0..=1.0,
    },
    AnalysisProperty {
        property: "SBKS",
        name: "scoreLead",
        scale: 1.0,
        range: f64::MIN..=f64::MAX,
    },
];

/// Root properties by which users distinguish the games of a file, each with the name of its field.
const TITLE_TEXTS: [(&str, &str); 6] = [
    ("GN", "name"),
    ("EV", "event"),
    ("PB", "black"),
    ("PW", "white"),
    ("DT", "date"),
    ("RE", "result"),
];
/// Maximum number of games of a file that are listed.
const MAX_LISTED_GAMES: usize = 1000;
/// Maximum number of warnings about a file.
const MAX_WARNINGS: usize = 100;

/// Numeric SGF property that is returned as a field.
struct AnalysisProperty {
    property: &'static str,
    name: &'static str,
    /// Factor by which the property's value is multiplied to obtain the field's value.
    scale: f64,
    /// Valid values of the field.
    range: RangeInclusive<f64>,
}

impl AnalysisProperty {
    /// Returns the scaled value in `node`, or `None` if it is missing, not a number or out of range.
    fn read(&self, node: &Node) -> Option<f64> {
        let text = node.value(self.property)?.simple_text();
        let number = text.trim().parse::<f64>().ok()? * self.scale;
        self.range.contains(&number).then_some(number)
    }
}

fn read(call: &mut Call<'_>) -> CallResult {
    let fields: SgfFields = call.take_remaining_fields()?;
    let source = fields.into_source()?;
    let (game, warnings) = game_json(&source, call.service.defaults.rules)?;
    call.warnings = warnings;
    Ok(CallReply::Completed(game))
}

fn game_json(
    source: &GameSource,
    default_rules: Rules,
) -> Result<(Value, Vec<Warning>), SgfInputError> {
    let FirstGame {
        tree,
        others,
        warning,
    } = source.parse_first_game()?;
    // Only the root position is needed. The moves are not played, so that files with invalid moves can be read.
    let part = read_until_move(&tree, Some(0), default_rules)?;
    let mut warnings = Warning::for_game(warning, &part);
    let game = part.record;
    let (size, rules) = (game.size(), game.rules());
    let root = tree.node(tree.root());
    // Black may place the stones of a free handicap as moves.
    let placed = game.position().handicap();
    let handicap = declared_handicap(&tree, size).unwrap_or(placed).max(placed);
    let mut description = json!({
        "size": [size.width(), size.height()],
        "komi": rules.komi.points(),
        "rules": rules.name_or_katago_string(),
        "handicap": handicap,
        "color": game.position().to_move().to_string(),
        "others": others.len(),
        "info": info_json(root),
    });
    for (property, name) in ROOT_TEXTS {
        let text = root.value(property).map(|value| value.simple_text());
        description[name] = text.unwrap_or_default().into();
    }
    if !others.is_empty() {
        let games = iter::once(&tree).chain(&others).take(MAX_LISTED_GAMES);
        description["games"] = games.map(title_json).collect();
    }
    let mut nodes = all_nodes_json(&tree, size, &mut warnings)?;
    if let (Some(points), Some(root)) = (missing_handicap_points(&tree, size), nodes.first_mut()) {
        let vertices = points.into_iter().map(|point| size.vertex(point));
        root["black"] = vertices.collect();
    }
    let is_removal = |warning: &GameWarning| matches!(warning, GameWarning::RemovedStones { .. });
    if let (true, Some(root)) = (part.warnings.iter().any(is_removal), nodes.first_mut()) {
        for color in Color::BOTH {
            let stones = game.initial().board().stones(color).iter();
            root[color.to_string()] = stones.map(|point| size.vertex(point)).collect();
        }
    }
    description["nodes"] = nodes.into();
    Ok((description, warnings))
}

/// Returns the non-empty texts that distinguish a game from the others in a file.
fn title_json(tree: &GameTree) -> Value {
    let root = tree.node(tree.root());
    let texts = TITLE_TEXTS.iter().filter_map(|(property, name)| {
        let text = root.value(property)?.simple_text();
        (!text.is_empty()).then(|| ((*name).to_owned(), text.into()))
    });
    texts.collect::<Map<_, _>>().into()
}

/// Returns all nodes in preorder. An SGF node with several [parts](node_parts) becomes several nodes. The other
/// properties of the SGF node are returned with the last part or, if the SGF node is the root, with the first part.
///
/// A node with an invalid move is omitted with all its descendants, and reported in `warnings`.
fn all_nodes_json(
    tree: &GameTree,
    size: BoardSize,
    warnings: &mut Vec<Warning>,
) -> Result<Vec<Value>, SgfInputError> {
    // For each node, the index of its last part, and the number of moves up to it.
    let mut described_nodes: HashMap<NodeId, (usize, usize)> = HashMap::new();
    let mut described: Vec<Value> = Vec::new();
    let mut setup_budget = limits::MAX_SGF_SETUP_POINTS;
    for id in tree.preorder() {
        let node = tree.node(id);
        let known_parent = tree.parent(id).map(|parent| described_nodes.get(&parent));
        let (mut parent, moves_before) = match known_parent {
            None => (None, 0),
            // An ancestor is invalid.
            Some(None) => continue,
            Some(Some(&(parent, moves))) => (Some(parent), moves),
        };
        let is_start = moves_before == 0;
        let mut parts = match node_parts(node, size, is_start, &mut setup_budget) {
            Err(SgfInputError::Point(error)) if parent.is_some() => {
                warnings.extend(invalid_move_warning(warnings, moves_before + 1, &error));
                continue;
            }
            result => result?,
        };
        let moves = moves_before
            + parts
                .iter()
                .filter(|part| part.get("move").is_some())
                .count();
        let main_part = match parent {
            None => parts.first_mut(),
            Some(_) => parts.last_mut(),
        };
        if let Some(part) = main_part {
            add_remaining_fields(part, node, size, parent.is_none());
        }
        for mut part in parts {
            part["parent"] = parent.into();
            parent = Some(described.len());
            described.push(part);
        }
        described_nodes.extend(parent.map(|last| (id, (last, moves))));
    }
    Ok(described)
}

/// Returns a warning about a move that is not on the board, unless there are many warnings already.
fn invalid_move_warning(
    warnings: &[Warning],
    number: usize,
    error: &PointOrSizeError,
) -> Option<Warning> {
    (warnings.len() < MAX_WARNINGS).then(|| Warning {
        number: Some(number),
        content: GameError::Vertex {
            number,
            error: error.clone(),
        }
        .into(),
    })
}

/// Splits a node into parts, each with one effect on the board: set-up stones, Black's move or White's move. A node
/// without such effects has one empty part.
fn node_parts(
    node: &Node,
    size: BoardSize,
    is_start: bool,
    setup_budget: &mut usize,
) -> Result<Vec<Value>, SgfInputError> {
    let setup = setup_stones(node, size, is_start, setup_budget)?;
    let mut parts = Vec::new();
    for property in node.properties() {
        let letter = property.identifier();
        let value = &property.values()[0];
        if matches!(letter, "B" | "W") && !is_resignation(value) {
            let vertex = size.format_move(read_move(value, size)?);
            parts.push(json!({"move": [letter, vertex]}));
        }
    }
    if parts.is_empty() || !setup.is_empty() {
        parts.insert(0, setup.into());
    }
    Ok(parts)
}

/// Adds the properties of a node, except for moves and set-up stones, to `part`.
fn add_remaining_fields(part: &mut Value, node: &Node, size: BoardSize, is_root: bool) {
    if let Some(color) = read_side_to_move(node) {
        part["turn"] = color.to_string().into();
    }
    for value in &ANALYSIS_PROPERTIES {
        if let Some(number) = value.read(node) {
            part[value.name] = number.into();
        }
    }
    if let Some(comment) = node.value("C") {
        part["comment"] = comment.text().into();
    }
    let marks = marks_json(node, size);
    let other = unhandled_properties_text(node, &marks, is_root);
    if !marks.is_empty() {
        part["marks"] = marks.into();
    }
    if !other.is_empty() {
        part["rest"] = other.into();
    }
}

/// Returns the set-up stones of a node. Before the first move (`is_start`), points off the board are skipped. Subtracts
/// the number of points from `setup_budget`, the number of set-up points that the file may still contain.
fn setup_stones(
    node: &Node,
    size: BoardSize,
    is_start: bool,
    setup_budget: &mut usize,
) -> Result<Map<String, Value>, SgfInputError> {
    let mut stones = Map::new();
    for (property, name) in SETUP_FIELDS {
        let (points, errors) = read_valid_points(node.values(property), size);
        let error = errors.into_iter().next().filter(|_| !is_start);
        error.map_or(Ok(()), Err)?;
        *setup_budget = setup_budget
            .checked_sub(points.len())
            .ok_or(SgfInputError::TooManySetupPoints)?;
        if !points.is_empty() {
            let vertices = points.into_iter().map(|point| size.vertex(point));
            stones.insert(name.to_owned(), vertices.collect());
        }
    }
    Ok(stones)
}

/// Returns the text of the field `rest`: all properties that no other field contains, in SGF syntax. `marks` is the
/// markup of the node.
fn unhandled_properties_text(node: &Node, marks: &Map<String, Value>, is_root: bool) -> String {
    let is_handled = |name: &str| {
        let texts = ROOT_TEXTS.iter().map(|(property, _)| *property);
        let root_only = texts.chain(ROOT_NUMBER_PROPERTIES).filter(|_| is_root);
        let stones = SETUP_FIELDS.iter().map(|(property, _)| *property);
        let values = ANALYSIS_PROPERTIES
            .iter()
            .filter(|value| value.read(node).is_some());
        let values = values.map(|value| value.property);
        let mut handled = root_only
            .chain(stones)
            .chain(values)
            .chain(ALWAYS_HANDLED_PROPERTIES);
        handled.any(|property| property == name)
            || mark_field(name).is_some_and(|field| marks.contains_key(field))
            || (is_root && is_info(name))
    };
    let unhandled =
        (node.properties().iter()).filter(|property| !is_handled(property.identifier()));
    unhandled.fold(String::new(), |mut text, property| {
        text.push_str(property.identifier());
        for value in property.values() {
            text.extend(["[", value.as_escaped(), "]"]);
        }
        text
    })
}
