//! Construction of game trees from files of servers.

use crate::game::color::Color;
use crate::game::point::{Move, Point};
use crate::io::error_text::excerpt;
use crate::sgf::points::write_move;
use crate::sgf::scan::SyntaxError;
use crate::sgf::tree::{GameTree, NodeId};

/// A game read from a file of a server.
#[derive(Debug)]
pub struct ServerGame {
    pub tree: GameTree,
    /// The line at which the moves end early, if there is one.
    pub warning: Option<SyntaxError>,
}

/// A game under construction.
pub(super) struct GameBuilder {
    tree: GameTree,
    last: NodeId,
    warning: Option<SyntaxError>,
}

impl GameBuilder {
    pub(super) fn new(size: usize) -> Self {
        let tree = GameTree::new();
        let mut builder = Self {
            last: tree.root(),
            tree,
            warning: None,
        };
        builder.set("SZ", &size.to_string());
        builder
    }

    /// Sets a property of the root, unless the text is empty.
    pub(super) fn set(&mut self, property: &str, text: &str) {
        let root = self.tree.root();
        if !text.trim().is_empty() {
            self.tree.node_mut(root).set(property, text.trim());
        }
    }

    pub(super) fn add_stone(&mut self, color: Color, point: Point) {
        let root = self.tree.root();
        let property = format!("A{}", color.letter());
        let value = write_move(Move::Play(point));
        self.tree.node_mut(root).extend(&property, vec![value]);
    }

    pub(super) fn add_move(&mut self, color: Color, mv: Move) {
        self.last = self.tree.add_child(self.last);
        let property = color.letter().to_string();
        self.tree.node_mut(self.last).set(&property, write_move(mv));
    }

    /// Records that the game cannot be read from this line on. `index` is counted from 0.
    pub(super) fn stop_at(&mut self, index: usize, line: &str, expected: &'static str) {
        self.warning = Some(line_error(index, line, expected));
    }

    pub(super) fn finish(self) -> ServerGame {
        ServerGame {
            tree: self.tree,
            warning: self.warning,
        }
    }
}

pub(super) fn line_error(index: usize, line: &str, expected: &'static str) -> SyntaxError {
    SyntaxError {
        line: index + 1,
        column: 1,
        expected,
        found: format!("{:?}", excerpt(line)),
    }
}

/// Returns the colour that the first letter of a text names.
pub(super) fn color_of(text: &str) -> Option<Color> {
    text.get(..1).and_then(Color::parse)
}

/// Splits `name (rank)` into its parts. The rank may be missing.
pub(super) fn name_and_rank(text: &str) -> (&str, &str) {
    let text = text.trim();
    match text
        .strip_suffix(')')
        .and_then(|text| text.rsplit_once('('))
    {
        Some((name, rank)) => (name.trim(), rank.trim()),
        None => (text, ""),
    }
}
