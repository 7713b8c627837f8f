//! Markers of the annotations that a review adds to a game tree, so that another review can replace them.
//!
//! Every annotated node has the property `HONINBO` with a value for each annotation: `comment LENGTH HASH` for the first
//! `LENGTH` characters of the comment, `mark NAME` for a move mark, and `variation HASH` for a variation that starts at
//! the node. An annotation that does not match its hash has been edited and is not removed.

use std::hash::Hasher;

use crate::random::stable_hash::StableHasher;
use crate::sgf::{GameTree, Node, NodeId, Value};

/// Property that holds the markers of a node.
const PROPERTY: &str = "HONINBO";
/// Separates the comment of a review from the comment of the file.
const SEPARATOR: &str = "\n\n";

/// Writes `text` before the node's comment.
pub fn prepend_comment(node: &mut Node, text: &str) {
    let old = node.value("C").map(Value::text);
    let combined = match old {
        Some(old) if !old.trim().is_empty() => format!("{text}{SEPARATOR}{old}"),
        _ => text.to_owned(),
    };
    node.set("C", Value::from_text(&combined));
    let (length, hash) = (text.chars().count(), text_hash(text));
    add_marker(node, &format!("comment {length} {hash}"));
}

/// Sets a move mark such as `BM`.
pub fn set_mark(node: &mut Node, name: &str, value: &str) {
    node.set(name, Value::from_text(value));
    add_marker(node, &format!("mark {name}"));
}

/// Marks the variation that starts at `start`, which must be complete.
pub fn mark_variation(tree: &mut GameTree, start: NodeId) {
    let hash = variation_hash(tree, start);
    add_marker(tree.node_mut(start), &format!("variation {hash}"));
}

/// Removes the annotations of earlier reviews, unless they have been edited.
pub fn remove_annotations(tree: &mut GameTree) {
    let marked: Vec<NodeId> = (tree.preorder().filter(|&id| tree.node(id).has(PROPERTY))).collect();
    for id in marked {
        let markers: Vec<String> = (tree.node(id).values(PROPERTY).iter())
            .map(Value::simple_text)
            .collect();
        for marker in markers {
            match marker.split(' ').collect::<Vec<_>>()[..] {
                ["comment", length, hash] => remove_comment(tree.node_mut(id), length, hash),
                ["mark", name] => {
                    tree.node_mut(id).remove(name);
                }
                ["variation", hash] if variation_hash(tree, id) == hash => tree.detach(id),
                _ => {}
            }
        }
        tree.node_mut(id).remove(PROPERTY);
    }
}

fn remove_comment(node: &mut Node, length: &str, hash: &str) {
    let comment = node.value("C").map(Value::text).unwrap_or_default();
    let length = length.parse().unwrap_or(usize::MAX);
    let end = comment.char_indices().map(|(index, _)| index).nth(length);
    let (own, others) = comment.split_at(end.unwrap_or(comment.len()));
    if text_hash(own) != hash {
        return;
    }
    match others.strip_prefix(SEPARATOR).unwrap_or(others) {
        "" => {
            node.remove("C");
        }
        others => node.set("C", Value::from_text(others)),
    }
}

fn add_marker(node: &mut Node, marker: &str) {
    node.extend(PROPERTY, vec![Value::from_text(marker)]);
}

fn text_hash(text: &str) -> String {
    let mut hasher = StableHasher::default();
    hasher.write(text.as_bytes());
    format!("{:016x}", hasher.finish())
}

/// Returns a hash of a subtree without its markers.
fn variation_hash(tree: &GameTree, start: NodeId) -> String {
    let mut hasher = StableHasher::default();
    let mut pending = vec![(start, 0_u64)];
    while let Some((id, depth)) = pending.pop() {
        hasher.write_u64(depth);
        let properties = tree.node(id).properties().iter();
        for property in properties.filter(|property| property.identifier() != PROPERTY) {
            hasher.write(property.identifier().as_bytes());
            for value in property.values() {
                hasher.write(value.text().as_bytes());
                hasher.write_u8(0xff);
            }
        }
        pending.extend(tree.children(id).map(|child| (child, depth + 1)));
    }
    format!("{:016x}", hasher.finish())
}
