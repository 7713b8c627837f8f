//! From trees to the text of an FF[4] file in UTF-8.
//!
//! Reading what was written gives the same trees, and writing those gives the same text: values are kept escaped, so
//! only the heading of the root (FF, GM, CA) and the white space between values are the writer's own.

use super::tree::{Collection, GameTree, Node, NodeId};
use super::value::Value;

/// Lines are broken before a property or value that would pass this column, never inside a value.
const LINE_WIDTH: usize = 80;

/// Writes all games, each on lines of its own.
///
/// The root of each game begins with `FF[4]`, its GM or `GM[1]` when it names no game, and `CA[UTF-8]`.
pub fn write(collection: &Collection) -> String {
    let mut writer = Writer::default();
    for game in &collection.games {
        writer.write_tree(game);
    }
    writer.text
}

/// One thing still to be written.
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

    /// Writes nodes as long as each has one child; gives the last of them, which has none or several.
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
        let game = root.value("GM").map_or("1", Value::escaped);
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
            token.push_str(value.escaped());
            token.push(']');
            self.write_token(&token);
            token.clear();
            token.push('[');
        }
    }

    /// Writes a piece that must stay together, on a new line when it would not fit on this one.
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
