//! Main line of a game file: its moves and the nodes that contain them.

use crate::game::color::Color;
use crate::game::handicap;
use crate::game::point::{BoardSize, Move};
use crate::game::position::Position;
use crate::game::record::IllegalMove;
use crate::game::rules::Rules;
use crate::sgf::convert::{GameError, read_playable};
use crate::sgf::{GameTree, GameWarning, NodeId};

/// The moves of a game, linked to the game tree from which they were read.
#[derive(Clone, Debug)]
pub struct MainLine {
    /// The parts between which stones are set up. There is at least one.
    parts: Vec<LinePart>,
    moves: Vec<(Color, Move)>,
    /// For each move, the node that contains it.
    nodes: Vec<NodeId>,
    /// Error that ended the main line early.
    error: Option<GameError>,
    /// Moves that the rules forbid.
    illegal_moves: Vec<IllegalMove>,
    /// Parts of the game that were not understood or had to be corrected.
    warnings: Vec<GameWarning>,
}

/// A part of the main line that starts at the beginning or after stones have been set up.
#[derive(Clone, Debug)]
struct LinePart {
    /// Number of moves before this part.
    moves_before: usize,
    /// Position before the first move of this part. Later positions are recomputed on request: storing them would take
    /// a lot of memory, because each position contains its complete history.
    initial: Position,
    /// True if the file declares the handicap. Otherwise, the handicap is inferred from the moves.
    has_explicit_handicap: bool,
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
        nodes.truncate(part.moves_played);
        let (mut parts, mut moves) = (Vec::new(), Vec::new());
        for record in part.earlier.iter().chain([&part.record]) {
            parts.push(LinePart {
                moves_before: moves.len(),
                initial: record.initial().clone(),
                has_explicit_handicap: record.is_handicap_explicit(),
            });
            moves.extend_from_slice(record.moves());
        }
        Ok(Self {
            parts,
            moves,
            nodes,
            error: part.error,
            illegal_moves,
            warnings: part.warnings,
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

    /// Returns true if stones are set up between the move at `index` and the next one. The position after the move is
    /// then not that before the next move.
    pub fn is_followed_by_setup(&self, index: usize) -> bool {
        self.parts[1..]
            .iter()
            .any(|part| part.moves_before == index + 1)
    }

    /// Returns the error that ended the main line early, such as an illegal move, or `None` if the line is complete.
    pub const fn error(&self) -> Option<&GameError> {
        self.error.as_ref()
    }

    /// Returns the moves that the rules forbid. Their numbers are those in the file.
    pub fn illegal_moves(&self) -> &[IllegalMove] {
        &self.illegal_moves
    }

    /// Returns the warnings about parts of the game that were not understood or had to be corrected.
    pub fn warnings(&self) -> &[GameWarning] {
        &self.warnings
    }

    pub fn moves(&self) -> &[(Color, Move)] {
        &self.moves
    }

    pub fn size(&self) -> BoardSize {
        self.parts[0].initial.size()
    }

    /// Returns the rules of the game, including komi.
    pub fn rules(&self) -> &Rules {
        self.parts[0].initial.rules()
    }

    /// Returns the position after `move_count` moves, and after the set-up that follows them, if there is one. The side
    /// to move is the colour of the next move in the file.
    ///
    /// # Panics
    /// Panics if the game has fewer moves.
    pub fn position_after(&self, move_count: usize) -> Position {
        let mut parts = self.parts.iter().rev();
        let part = parts.find(|part| part.moves_before <= move_count);
        let part = part.expect("the first part starts before the first move");
        let played = &self.moves[part.moves_before..move_count];
        let mut position = handicap::replay_and_infer(&part.initial, played);
        if part.has_explicit_handicap {
            position.set_handicap(part.initial.handicap());
        }
        if let Some(&(color, _)) = self.moves().get(move_count)
            && color != position.to_move()
        {
            position.set_to_move(color);
        }
        position
    }
}
