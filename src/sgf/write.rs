//! SGF writer: formats trees as `FF[4]` text in UTF-8.
//!
//! The writer puts the properties FF, GM and CA first in each root. Apart from these properties, parsing the output
//! yields the same trees, provided that no node has more than one move; writing the parsed trees again yields the same
//! text. Values are already stored in escaped form, so the writer otherwise only chooses the line breaks.

use super::tree::{Collection, GameTree, Node, NodeId};
use super::value::Value;

/// Maximum line length in characters. Lines are broken between properties or values, never inside a value, so a long
/// value may exceed the maximum.
const LINE_WIDTH: usize = 80;

/// Returns the SGF text of all games, each starting on a new line.
///
/// The root of each game begins with `FF[4]`, the game's GM (`GM[1]` if missing) and `CA[UTF-8]`.
pub fn write(collection: &Collection) -> String {
    let mut writer = Writer::default();
    for game in &collection.games {
        writer.write_tree(game);
    }
    writer.text
}

/// Sets the AP property of the root to this program and its version.
pub fn set_application(tree: &mut GameTree) {
    let root = tree.root();
    tree.node_mut(root)
        .set("AP", concat!("Honinbo:", env!("CARGO_PKG_VERSION")));
}

/// Pending step of the writer. An explicit stack of steps replaces recursion.
enum WriteStep {
    Variation(NodeId),
    Close,
}

#[derive(Default)]
struct Writer {
    text: String,
    column: usize,
}

impl Writer {
    fn write_tree(&mut self, game: &GameTree) {
        let mut steps = vec![WriteStep::Variation(game.root())];
        while let Some(step) = steps.pop() {
            match step {
                WriteStep::Close => self.push(")"),
                WriteStep::Variation(first) => {
                    self.break_line();
                    self.push("(");
                    steps.push(WriteStep::Close);
                    let branch_point = self.write_sequence(game, first);
                    let start = steps.len();
                    steps.extend(game.children(branch_point).map(WriteStep::Variation));
                    steps[start..].reverse();
                }
            }
        }
        self.break_line();
    }

    /// Writes the nodes of a line from `first` up to and including the first node that does not have exactly one child.
    /// Returns that last node.
    fn write_sequence(&mut self, game: &GameTree, first: NodeId) -> NodeId {
        let mut id = first;
        loop {
            if id == game.root() {
                self.write_root(game.node(id));
            } else {
                self.write_node(game.node(id));
            }
            let mut children = game.children(id);
            match (children.next(), children.next()) {
                (Some(child), None) => id = child,
                _ => return id,
            }
        }
    }

    fn write_root(&mut self, root: &Node) {
        let game = root.value("GM").map_or("1", Value::as_escaped);
        self.push(&format!(";FF[4]GM[{game}]CA[UTF-8]"));
        for property in root.properties() {
            if !matches!(property.identifier(), "FF" | "GM" | "CA") {
                self.write_property("", property.identifier(), property.values());
            }
        }
    }

    fn write_node(&mut self, node: &Node) {
        let mut separator = ";";
        for property in node.properties() {
            self.write_property(separator, property.identifier(), property.values());
            separator = "";
        }
        if !separator.is_empty() {
            self.write_token(separator);
        }
    }

    fn write_property(&mut self, separator: &str, identifier: &str, values: &[Value]) {
        let mut token = format!("{separator}{identifier}[");
        for value in values {
            token.push_str(value.as_escaped());
            token.push(']');
            self.write_token(&token);
            token.clear();
            token.push('[');
        }
    }

    /// Writes a token that must not be split, on a new line if it does not fit on the current one.
    fn write_token(&mut self, token: &str) {
        let first_line_len = token.lines().next().unwrap_or_default().chars().count();
        if self.column + first_line_len > LINE_WIDTH {
            self.break_line();
        }
        self.push(token);
    }

    fn push(&mut self, token: &str) {
        self.text.push_str(token);
        self.column = match token.rfind('\n') {
            Some(end) => token[end + 1..].chars().count(),
            None => self.column + token.chars().count(),
        };
    }

    fn break_line(&mut self) {
        if self.column > 0 {
            self.text.push('\n');
            self.column = 0;
        }
    }
}
