//! Main line of a game file: its moves and the nodes that contain them.

use crate::game::color::Color;
use crate::game::handicap;
use crate::game::point::{BoardSize, Move};
use crate::game::position::Position;
use crate::game::record::IllegalMove;
use crate::game::rules::Rules;
use crate::sgf::convert::{GameError, PlayablePart, read_playable};
use crate::sgf::{GameTree, NodeId};

/// The moves of a game, linked to the game tree from which they were read.
#[derive(Clone, Debug)]
pub struct MainLine {
    /// Position before the first move. Later positions are recomputed on request: storing them would take a lot of
    /// memory, because each position contains its complete history.
    initial: Position,
    moves: Vec<(Color, Move)>,
    /// For each move, the node that contains it.
    nodes: Vec<NodeId>,
    /// True if the file declares the handicap. Otherwise, the handicap is inferred from the moves.
    has_explicit_handicap: bool,
    /// Number of moves in the file that precede `initial`. The main line starts at the last set-up position, so earlier
    /// moves are skipped.
    skipped_moves: usize,
    /// Error that ended the main line early.
    error: Option<GameError>,
    /// Moves that the rules forbid.
    illegal_moves: Vec<IllegalMove>,
}

impl MainLine {
    /// Reads the main line up to its end or to the first error. [`error`](Self::error()) returns this error.
    ///
    /// # Errors
    /// Returns an error if the game cannot be read up to its first move.
    pub fn read(tree: &GameTree, rules: Rules) -> Result<Self, GameError> {
        let mut nodes: Vec<NodeId> = Vec::new();
        for id in tree.main_line() {
            let moves = ["B", "W"].map(|name| usize::from(tree.node(id).has(name)));
            nodes.extend(std::iter::repeat_n(id, moves.iter().sum()));
        }
        let part = read_playable(tree, rules)?;
        let illegal_moves = part.illegal_moves().collect();
        let PlayablePart {
            record,
            moves_played,
            error,
        } = part;
        nodes.truncate(moves_played);
        let skipped_moves = nodes.len().saturating_sub(record.moves().len());
        Ok(Self {
            nodes: nodes.split_off(skipped_moves),
            initial: record.initial().clone(),
            moves: record.moves().to_vec(),
            has_explicit_handicap: record.is_handicap_explicit(),
            skipped_moves,
            error,
            illegal_moves,
        })
    }

    /// Returns the number of moves.
    pub fn len(&self) -> usize {
        self.moves.len()
    }

    /// Returns true if there are no moves.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns, for each move, the node that contains it.
    pub fn nodes(&self) -> &[NodeId] {
        &self.nodes
    }

    /// Returns the move number of the move at `index`. Move numbers start at 1 and include the moves that precede the
    /// last set-up position in the file.
    pub const fn move_number(&self, index: usize) -> usize {
        self.skipped_moves + index + 1
    }

    /// Returns the error that ended the main line early, such as an illegal move, or `None` if the line is complete.
    pub const fn error(&self) -> Option<&GameError> {
        self.error.as_ref()
    }

    /// Returns the moves that the rules forbid. Their numbers are those in the file.
    pub fn illegal_moves(&self) -> &[IllegalMove] {
        &self.illegal_moves
    }

    pub fn moves(&self) -> &[(Color, Move)] {
        &self.moves
    }

    pub const fn size(&self) -> BoardSize {
        self.initial.size()
    }

    /// Returns the rules of the game, including komi.
    pub const fn rules(&self) -> &Rules {
        self.initial.rules()
    }

    /// Returns the position after `move_count` moves. The side to move is the colour of the next move in the file.
    ///
    /// # Panics
    /// Panics if the game has fewer moves.
    pub fn position_after(&self, move_count: usize) -> Position {
        let played = &self.moves[..move_count];
        let mut position = handicap::replay_and_infer(&self.initial, played);
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
