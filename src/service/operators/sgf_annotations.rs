//! Game information and markup of SGF nodes as JSON, for [`readGoban`](super::sgf_to_json).

use serde_json::{Map, Value as Json, json};

use crate::game::point::BoardSize;
use crate::sgf::points::read_points;
use crate::sgf::{Node, Value};

/// Properties with game information in the root node, and the names of their fields in `info`.
const INFO_FIELDS: [(&str, &str); 16] = [
    ("GN", "name"),
    ("BR", "blackRank"),
    ("WR", "whiteRank"),
    ("BT", "blackTeam"),
    ("WT", "whiteTeam"),
    ("EV", "event"),
    ("RO", "round"),
    ("PC", "place"),
    ("TM", "time"),
    ("OT", "overtime"),
    ("ON", "opening"),
    ("SO", "source"),
    ("US", "user"),
    ("AN", "annotator"),
    ("CP", "copyright"),
    ("GC", "comment"),
];

/// Markup properties with lists of points, and the names of their fields.
const POINT_FIELDS: [(&str, &str); 9] = [
    ("TR", "triangle"),
    ("SQ", "square"),
    ("CR", "circle"),
    ("MA", "cross"),
    ("SL", "selected"),
    ("DD", "dim"),
    ("VW", "view"),
    ("TB", "blackTerritory"),
    ("TW", "whiteTerritory"),
];
/// Properties with a meaningful empty value, which ends an earlier restriction.
const RESTRICTIONS: [&str; 2] = ["DD", "VW"];
/// Markup properties with pairs of points, and the names of their fields.
const PAIR_FIELDS: [(&str, &str); 2] = [("AR", "arrow"), ("LN", "line")];
/// Property of labels: a point and a text.
const LABEL_PROPERTY: &str = "LB";

/// Returns true if [`info_json`] returns this property of the root.
pub fn is_info(property: &str) -> bool {
    INFO_FIELDS.iter().any(|(name, _)| *name == property)
}

/// Returns the game information of the root node.
pub fn info_json(root: &Node) -> Json {
    let fields = INFO_FIELDS.iter().filter_map(|(property, name)| {
        let value = root.value(property)?;
        // Only the comment on the game has several lines.
        let text = match *property {
            "GC" => value.text(),
            _ => value.simple_text(),
        };
        Some(((*name).to_owned(), text.into()))
    });
    fields.collect::<Map<_, _>>().into()
}

/// Returns the markup of a node, by the name of its field. Properties with invalid values are left out.
pub fn marks_json(node: &Node, size: BoardSize) -> Map<String, Json> {
    let marks = mark_fields()
        .filter_map(|(property, name)| Some((name.to_owned(), mark_json(node, property, size)?)));
    marks.collect()
}

/// Returns the name of the field of a markup property, or `None` for other properties.
pub fn mark_field(property: &str) -> Option<&'static str> {
    mark_fields().find_map(|(name, field)| (name == property).then_some(field))
}

/// Returns all markup properties, each with the name of its field.
fn mark_fields() -> impl Iterator<Item = (&'static str, &'static str)> {
    (POINT_FIELDS.into_iter().chain(PAIR_FIELDS)).chain([(LABEL_PROPERTY, "label")])
}

/// Returns the values of a markup property, or `None` if it is missing, invalid or no such property.
fn mark_json(node: &Node, property: &str, size: BoardSize) -> Option<Json> {
    let values = node.values(property);
    let has_name = |(name, _): &(&str, &str)| *name == property;
    if values.is_empty() {
        None
    } else if POINT_FIELDS.iter().any(has_name) {
        let points = read_points(values, size).ok()?;
        let is_valid = !points.is_empty() || RESTRICTIONS.contains(&property);
        is_valid.then(|| points.into_iter().map(|point| size.vertex(point)).collect())
    } else if PAIR_FIELDS.iter().any(has_name) {
        values.iter().map(|value| pair_json(value, size)).collect()
    } else if property == LABEL_PROPERTY {
        values.iter().map(|value| label_json(value, size)).collect()
    } else {
        None
    }
}

/// Returns two points as a list of vertices.
fn pair_json(value: &Value, size: BoardSize) -> Option<Json> {
    let (from, to) = value.composed_parts()?;
    Some(json!([vertex(&from, size)?, vertex(&to, size)?]))
}

/// Returns the vertex and the text of a label.
fn label_json(value: &Value, size: BoardSize) -> Option<Json> {
    let (point, text) = value.composed_parts()?;
    Some(json!([vertex(&point, size)?, text.simple_text()]))
}

fn vertex(value: &Value, size: BoardSize) -> Option<String> {
    let points = read_points(std::slice::from_ref(value), size).ok()?;
    points.first().map(|point| size.vertex(point))
}
