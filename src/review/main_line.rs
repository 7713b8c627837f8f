//! The moves of a game file's main line, with the nodes that hold them.

use crate::game::color::Color;
use crate::game::handicap;
use crate::game::point::{BoardSize, Move};
use crate::game::position::Position;
use crate::game::rules::Rules;
use crate::sgf::convert::{GameError, PlayablePart, read_playable};
use crate::sgf::{GameTree, NodeId};

/// A game and its place in the tree it was read from.
#[derive(Clone, Debug)]
pub struct MainLine {
    /// Where the moves begin. The positions after them are not kept: each remembers all that were before it.
    initial: Position,
    moves: Vec<(Color, Move)>,
    /// The node of each move.
    nodes: Vec<NodeId>,
    /// Whether the file names the handicap, which the moves do not tell then.
    has_explicit_handicap: bool,
    /// Moves of the file before the first of the record, which begins where stones are set up.
    skipped_moves: usize,
    error: Option<GameError>,
}

impl MainLine {
    /// Reads the main line up to its end or its first fault.
    ///
    /// # Errors
    /// When even its beginning is no game that can be played here.
    pub fn read(tree: &GameTree, rules: Rules) -> Result<Self, GameError> {
        let mut nodes: Vec<NodeId> = Vec::new();
        for id in tree.main_line() {
            let moves = ["B", "W"].map(|name| usize::from(tree.node(id).has(name)));
            nodes.extend(std::iter::repeat_n(id, moves.iter().sum()));
        }
        let PlayablePart {
            record,
            moves_played,
            error,
        } = read_playable(tree, rules)?;
        nodes.truncate(moves_played);
        let skipped_moves = nodes.len().saturating_sub(record.moves().len());
        Ok(Self {
            nodes: nodes.split_off(skipped_moves),
            initial: record.initial().clone(),
            moves: record.moves().to_vec(),
            has_explicit_handicap: record.is_handicap_explicit(),
            skipped_moves,
            error,
        })
    }

    /// How many moves there are.
    pub fn len(&self) -> usize {
        self.moves.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The node of each move.
    pub fn nodes(&self) -> &[NodeId] {
        &self.nodes
    }

    /// The number that the move after `index` others has in the file, from 1.
    pub const fn move_number(&self, index: usize) -> usize {
        self.skipped_moves + index + 1
    }

    /// The fault, an illegal move for one, at which the game was left.
    pub const fn error(&self) -> Option<&GameError> {
        self.error.as_ref()
    }

    /// The moves, each with who made it.
    pub fn moves(&self) -> &[(Color, Move)] {
        &self.moves
    }

    /// The board's size.
    pub const fn size(&self) -> BoardSize {
        self.initial.size()
    }

    /// The rules, komi included.
    pub const fn rules(&self) -> &Rules {
        self.initial.rules()
    }

    /// The position after that many moves, to be played on by whoever does so in the file.
    ///
    /// # Panics
    /// When there are not so many moves.
    pub fn position(&self, move_count: usize) -> Position {
        let played = &self.moves[..move_count];
        let mut position = handicap::position_after(&self.initial, played);
        if self.has_explicit_handicap {
            position.set_handicap(self.initial.handicap());
        }
        if let Some(&(color, _)) = self.moves().get(move_count)
            && color != position.to_move()
        {
            position.set_to_move(color);
        }
        position
    }
}
