//! Game files of servers that do not use SGF: Tygem (`.gib`), WBaduk (`.ngf`) and Pandanet (`.ugf`, `.ugi`).
//!
//! A file is recognised by its contents. The readers are strict: at the first line of the moves that they do not
//! understand, the game ends with a warning.

mod gib;
mod ngf;
mod ugf;

use super::points::write_move;
use super::scan::SyntaxError;
use super::tree::{GameTree, NodeId};
use crate::game::color::Color;
use crate::game::point::{Move, Point};
use crate::io::error_text::excerpt;

/// A game read from a file of a server.
#[derive(Debug)]
pub(super) struct ServerGame {
    pub tree: GameTree,
    /// The line at which the moves end early, if there is one.
    pub warning: Option<SyntaxError>,
}

/// Reads a game in one of the formats. Returns `None` if the text has none of them.
pub(super) fn read(text: &str) -> Option<Result<ServerGame, SyntaxError>> {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    if gib::is_gib(&lines) {
        return Some(Ok(gib::read(&lines)));
    }
    if ugf::is_ugf(&lines) {
        return Some(ugf::read(&lines));
    }
    ngf::read(&lines).map(Ok)
}

/// A game under construction.
struct GameBuilder {
    tree: GameTree,
    last: NodeId,
    warning: Option<SyntaxError>,
}

impl GameBuilder {
    fn new(size: usize) -> Self {
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
    fn set(&mut self, property: &str, text: &str) {
        let root = self.tree.root();
        if !text.trim().is_empty() {
            self.tree.node_mut(root).set(property, text.trim());
        }
    }

    fn add_stone(&mut self, color: Color, point: Point) {
        let root = self.tree.root();
        let property = format!("A{}", color.letter());
        let value = write_move(Move::Play(point));
        self.tree.node_mut(root).extend(&property, vec![value]);
    }

    fn add_move(&mut self, color: Color, mv: Move) {
        self.last = self.tree.add_child(self.last);
        let property = color.letter().to_string();
        self.tree.node_mut(self.last).set(&property, write_move(mv));
    }

    /// Records that the game cannot be read from this line on. `index` is counted from 0.
    fn stop_at(&mut self, index: usize, line: &str, expected: &'static str) {
        self.warning = Some(line_error(index, line, expected));
    }

    fn finish(self) -> ServerGame {
        ServerGame {
            tree: self.tree,
            warning: self.warning,
        }
    }
}

fn line_error(index: usize, line: &str, expected: &'static str) -> SyntaxError {
    SyntaxError {
        line: index + 1,
        column: 1,
        expected,
        found: format!("{:?}", excerpt(line)),
    }
}

fn color_of(text: &str) -> Option<Color> {
    text.chars().next().and_then(|letter| match letter {
        'B' | 'b' => Some(Color::Black),
        'W' | 'w' => Some(Color::White),
        _ => None,
    })
}

/// Splits `name (rank)` into its parts. The rank may be missing.
fn name_and_rank(text: &str) -> (&str, &str) {
    let text = text.trim();
    match text
        .strip_suffix(')')
        .and_then(|text| text.rsplit_once('('))
    {
        Some((name, rank)) => (name.trim(), rank.trim()),
        None => (text, ""),
    }
}
