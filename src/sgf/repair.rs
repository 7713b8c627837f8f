//! Conversion of points that a file writes as on a printed board, such as `E5` instead of `ee`.

use super::points::{self, read_size};
use super::tree::{GameTree, NodeId};
use super::value::Value;
use crate::game::point::{BoardSize, Move};

/// Properties with moves or points as values.
const POINT_PROPERTIES: [&str; 12] = [
    "B", "W", "AB", "AW", "AE", "TR", "SQ", "CR", "MA", "SL", "TB", "TW",
];
/// Properties that decide whether a game uses this notation.
const STONE_PROPERTIES: [&str; 5] = ["B", "W", "AB", "AW", "AE"];

/// Converts the points of a game to SGF if all its moves and set-up stones are written as vertices. Returns true if the
/// game was converted.
pub(super) fn convert_vertices(tree: &mut GameTree) -> bool {
    let root = tree.node(tree.root());
    let size = root.value("SZ").map_or(Ok(BoardSize::STANDARD), read_size);
    let Some(size) = size.ok().filter(|&size| has_only_vertices(tree, size)) else {
        return false;
    };
    let ids: Vec<NodeId> = tree.preorder().collect();
    for id in ids {
        for name in POINT_PROPERTIES {
            let values = tree.node(id).values(name);
            if values.is_empty() {
                continue;
            }
            let converted = values.iter().map(|value| match vertex(value, size) {
                Some(mv) => points::write_move(mv),
                None => value.clone(),
            });
            let converted = converted.collect();
            tree.node_mut(id).set_list(name, converted);
        }
    }
    true
}

/// Returns true if there are moves or set-up stones, and all of them are vertices. Almost every other game is recognised
/// by its first move.
fn has_only_vertices(tree: &GameTree, size: BoardSize) -> bool {
    let nodes = tree.preorder().map(|id| tree.node(id));
    let values = nodes.flat_map(|node| STONE_PROPERTIES.map(|name| node.values(name)));
    let texts = values.flatten().map(Value::simple_text);
    let mut written = texts.filter(|text| !text.is_empty() && !text.eq_ignore_ascii_case("pass"));
    let is_vertex = |text: String| size.parse_vertex(&text).is_some();
    written.next().is_some_and(is_vertex) && written.all(is_vertex)
}

fn vertex(value: &Value, size: BoardSize) -> Option<Move> {
    size.parse_vertex(&value.simple_text()).map(Move::Play)
}

#[cfg(test)]
mod tests {
    use crate::sgf::{parse, write};

    #[test]
    fn whole_game_in_vertices_is_converted() {
        let parsed = parse(b"(;SZ[9]AB[A1]AW[J9];B[E5]TR[E5];W[];B[c3])").unwrap();
        assert_eq!(parsed.warnings.len(), 1, "{:?}", parsed.warnings);
        let text = write(&parsed.collection);
        assert_eq!(
            text,
            "(;FF[4]GM[1]CA[UTF-8]SZ[9]AB[ai]AW[ia];B[ee]TR[ee];W[];B[cg])\n"
        );
    }

    #[test]
    fn single_vertex_is_no_notation() {
        for text in [
            "(;SZ[9];B[E5];W[cc])",
            "(;SZ[9];B[cc];W[E5])",
            "(;SZ[9];B[Z9])",
            "(;SZ[9])",
        ] {
            assert_eq!(parse(text.as_bytes()).unwrap().warnings, [], "{text}");
        }
    }
}
