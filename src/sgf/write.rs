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
        writer.game(game);
    }
    writer.text
}

/// One thing still to be written.
enum Step {
    Variation(NodeId),
    Close,
}

#[derive(Default)]
struct Writer {
    text: String,
    column: usize,
}

impl Writer {
    fn game(&mut self, game: &GameTree) {
        let mut steps = vec![Step::Variation(game.root())];
        while let Some(step) = steps.pop() {
            match step {
                Step::Close => self.push(")"),
                Step::Variation(first) => {
                    self.break_line();
                    self.push("(");
                    steps.push(Step::Close);
                    let branching = self.sequence(game, first);
                    let from = steps.len();
                    steps.extend(game.children(branching).map(Step::Variation));
                    steps[from..].reverse();
                }
            }
        }
        self.break_line();
    }

    /// Writes nodes as long as each has one child; gives the last of them, which has none or several.
    fn sequence(&mut self, game: &GameTree, first: NodeId) -> NodeId {
        let mut id = first;
        loop {
            if id == game.root() {
                self.root(game.node(id));
            } else {
                self.node(game.node(id));
            }
            let mut children = game.children(id);
            match (children.next(), children.next()) {
                (Some(only), None) => id = only,
                _ => return id,
            }
        }
    }

    fn root(&mut self, root: &Node) {
        let game = root.value("GM").map_or("1", Value::escaped);
        self.push(&format!(";FF[4]GM[{game}]CA[UTF-8]"));
        for property in root.properties() {
            if !matches!(property.identifier(), "FF" | "GM" | "CA") {
                self.property("", property.identifier(), property.values());
            }
        }
    }

    fn node(&mut self, node: &Node) {
        let mut separator = ";";
        for property in node.properties() {
            self.property(separator, property.identifier(), property.values());
            separator = "";
        }
        if !separator.is_empty() {
            self.piece(separator);
        }
    }

    fn property(&mut self, separator: &str, identifier: &str, values: &[Value]) {
        let mut lead = format!("{separator}{identifier}[");
        for value in values {
            lead.push_str(value.escaped());
            lead.push(']');
            self.piece(&lead);
            lead.clear();
            lead.push('[');
        }
    }

    /// Writes a piece that must stay together, on a new line when it would not fit on this one.
    fn piece(&mut self, piece: &str) {
        let first_line = piece.lines().next().unwrap_or_default().chars().count();
        if self.column + first_line > LINE_WIDTH {
            self.break_line();
        }
        self.push(piece);
    }

    fn push(&mut self, piece: &str) {
        self.text.push_str(piece);
        self.column = match piece.rfind('\n') {
            Some(end) => piece[end + 1..].chars().count(),
            None => self.column + piece.chars().count(),
        };
    }

    fn break_line(&mut self) {
        if self.column > 0 {
            self.text.push('\n');
            self.column = 0;
        }
    }
}
