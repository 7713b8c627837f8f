//! Conversion between game trees and game records.
//!
//! Only the main line of a tree is converted. A record has one initial position, so stones set up in the middle of a
//! game start a new record at that point.

use super::game_info;
use super::points::{self, PointOrSizeError, SETUP_PROPERTIES};
use super::tree::{GameTree, Node};
use super::value::Value;
use crate::game::board::{Board, NoLibertiesError};
use crate::game::color::{ByColor, Color};
use crate::game::handicap;
use crate::game::point::{BoardSize, Point};
use crate::game::pointset::PointSet;
use crate::game::position::Position;
use crate::game::record::{IllegalMove, Record};
use crate::game::rules::{Komi, Rules};

/// Error for a tree that is not a playable game of Go.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum GameError {
    /// The tree is a game other than Go.
    #[error("the file is not a game of Go: expected GM[1], found GM[{0}]")]
    OtherGame(String),
    /// A value is not a valid point or board size.
    #[error(transparent)]
    Value(#[from] PointOrSizeError),
    /// A chain of set-up stones has no liberties.
    #[error("{0}")]
    SetUp(#[from] NoLibertiesError),
    /// The value of a move is neither a point on the board nor a pass.
    #[error("move {number}: {error}")]
    Vertex {
        /// Number of the move, starting at 1.
        number: usize,
        error: PointOrSizeError,
    },
    /// A move is impossible, or the game has too many moves.
    #[error(transparent)]
    Illegal(#[from] IllegalMove),
    /// The set-up stones after a move are invalid.
    #[error("after move {moves}: {error}")]
    AfterMoves {
        /// Number of moves before the set-up.
        moves: usize,
        error: Box<Self>,
    },
}

impl GameError {
    /// Returns true if the part before the error is playable. This is the case for errors in moves and in stones that
    /// are set up after moves.
    const fn is_after_start(&self) -> bool {
        matches!(
            self,
            Self::Vertex { .. } | Self::Illegal(_) | Self::AfterMoves { .. }
        )
    }
}

/// The part of a game that can be played.
#[derive(Clone, Debug)]
pub struct PlayablePart {
    /// The game up to the first error. If the file sets up stones after moves, the record starts from the last such
    /// set-up.
    pub record: Record,
    /// Number of moves played on the main line, including those before `record` starts.
    pub moves_played: usize,
    /// Error that ended the playable part, or `None` if the whole game is playable.
    pub error: Option<GameError>,
}

impl PlayablePart {
    /// Iterates over the moves of `record` that the rules forbid. Their numbers are those in the file.
    pub fn illegal_moves(&self) -> impl Iterator<Item = IllegalMove> {
        let skipped_moves = self.moves_played - self.record.moves().len();
        self.record.illegal_moves().map(move |mv| IllegalMove {
            number: skipped_moves + mv.number,
            ..mv
        })
    }
}

/// Converts the main line to a record.
///
/// Rules that are missing in the file are taken from `rules`. A missing komi is also taken from `rules` if the file
/// does not specify other rules; otherwise, it is the default of the rule set. Stones set up in the middle of the game
/// start a new record at that position, which keeps the game's prisoners and handicap. Set-up stones after the last
/// move are ignored, because they usually mark the removal of dead stones.
///
/// # Errors
/// Returns an error if the tree is not a game of Go, the board size is not supported, or a move or set-up is not
/// possible.
pub fn read_game(tree: &GameTree, rules: Rules) -> Result<Record, GameError> {
    let part = read_playable(tree, rules)?;
    part.error.map_or(Ok(part.record), Err)
}

/// Converts the main line up to its first error. Otherwise like [`read_game`].
///
/// # Errors
/// Returns an error if the game type, the board size or the initial set-up is invalid. Later errors only end the
/// playable part.
pub fn read_playable(tree: &GameTree, rules: Rules) -> Result<PlayablePart, GameError> {
    let mut nodes: Vec<&Node> = tree.main_line().map(|id| tree.node(id)).collect();
    if let Some(last) = nodes
        .iter()
        .rposition(|node| node_move_color(node).is_some())
    {
        nodes.truncate(last + 1);
    }
    let mut builder = RecordBuilder::new(tree, None, rules)?;
    let error = match builder.apply_nodes(&nodes) {
        Err(error) if !error.is_after_start() => return Err(error),
        result => result.err(),
    };
    Ok(PlayablePart {
        record: builder.record,
        moves_played: builder.moves_played,
        error,
    })
}

/// Converts the main line up to the position after `max_moves` moves, or the whole main line if `max_moves` is `None`.
/// Unlike [`read_game`], this includes stones that are set up after the last move.
///
/// # Errors
/// Returns the same errors as [`read_game`], but only for the part of the game up to that position.
pub fn read_game_until_move(
    tree: &GameTree,
    max_moves: Option<usize>,
    rules: Rules,
) -> Result<Record, GameError> {
    let nodes: Vec<&Node> = tree.main_line().map(|id| tree.node(id)).collect();
    let mut builder = RecordBuilder::new(tree, max_moves, rules)?;
    builder.apply_nodes(&nodes)?;
    Ok(builder.record)
}

/// Returns the points of the handicap stones that the file declares but does not place, or `None` if there are none.
///
/// Some servers, such as Fox, omit stones on the fixed handicap points. The stones are considered missing if the file
/// declares a handicap, White moves first, and nothing is set up before this move.
pub fn missing_handicap_points(tree: &GameTree, size: BoardSize) -> Option<Vec<Point>> {
    let points =
        handicap::fixed_placement(size, game_info::read_handicap(tree.node(tree.root()))?)?;
    let mut nodes = tree.main_line().map(|id| tree.node(id));
    let first_color = nodes.find_map(|node| match node_move_color(node) {
        _ if SETUP_PROPERTIES.iter().any(|name| node.has(name)) => Some(Color::Black),
        color => color,
    });
    (first_color == Some(Color::White)).then_some(points)
}

fn read_size(root: &Node) -> Result<BoardSize, GameError> {
    let size = root.value("SZ").map(points::read_size).transpose()?;
    Ok(size.unwrap_or(BoardSize::STANDARD))
}

fn node_move_color(node: &Node) -> Option<Color> {
    node.properties()
        .iter()
        .find_map(|property| move_property_color(property.identifier()))
}

fn move_property_color(identifier: &str) -> Option<Color> {
    match identifier {
        "B" => Some(Color::Black),
        "W" => Some(Color::White),
        _ => None,
    }
}

/// Maximum number of characters of an unsupported game type that an error message shows. All types in the standard are
/// numbers.
const GAME_TYPE_EXCERPT_LEN: usize = 20;

struct RecordBuilder {
    size: BoardSize,
    /// Handicap that the file declares, if any.
    handicap: Option<usize>,
    record: Record,
    moves_played: usize,
    max_moves: usize,
    /// True if `record` starts from a position that was set up after moves.
    has_midgame_setup: bool,
}

impl RecordBuilder {
    /// Creates a builder whose record has no moves. The board is empty except for [missing handicap
    /// stones](missing_handicap_points).
    fn new(tree: &GameTree, max_moves: Option<usize>, rules: Rules) -> Result<Self, GameError> {
        let root = tree.node(tree.root());
        let game_type = root.value("GM").map(Value::simple_text).unwrap_or_default();
        if !matches!(game_type.trim(), "" | "1") {
            return Err(GameError::OtherGame(
                game_type.chars().take(GAME_TYPE_EXCERPT_LEN).collect(),
            ));
        }
        let size = read_size(root)?;
        let mut record = Record::new(size, game_info::read_rules_and_komi(root, rules));
        if let Some(points) = missing_handicap_points(tree, size) {
            // This cannot fail, because the board is empty and the points are on it.
            let _ = record.place_handicap(&points);
        }
        Ok(Self {
            size,
            handicap: game_info::read_handicap(root),
            record,
            moves_played: 0,
            max_moves: max_moves.unwrap_or(usize::MAX),
            has_midgame_setup: false,
        })
    }

    /// Applies the set-up stones and moves of the nodes until `max_moves` moves have been played or an error occurs.
    fn apply_nodes(&mut self, nodes: &[&Node]) -> Result<(), GameError> {
        for (index, node) in nodes.iter().enumerate() {
            let next_color = nodes.get(index + 1).and_then(|next| node_move_color(next));
            let result = self.apply_setup(node, node_move_color(node).or(next_color));
            result.map_err(|error| match self.moves_played {
                0 => error,
                moves => GameError::AfterMoves {
                    moves,
                    error: Box::new(error),
                },
            })?;
            if !self.play_moves(node)? {
                break;
            }
        }
        if let Some(handicap) = self.handicap.filter(|_| !self.has_midgame_setup) {
            self.record.set_handicap(handicap);
        }
        Ok(())
    }

    /// Applies the node's set-up stones and side to move. `next_color` is the colour of the next move, which determines
    /// the side to move if the node has no PL property.
    fn apply_setup(&mut self, node: &Node, next_color: Option<Color>) -> Result<(), GameError> {
        let position = self.record.position();
        let stones = self.stones_after_setup(node, position.board())?;
        // If the node has a move, PL is redundant.
        let explicit_turn = (node_move_color(node)
            .is_none()
            .then(|| node.value("PL"))
            .flatten())
        .and_then(|value| Color::parse(value.simple_text().trim()));
        let unchanged = Color::BOTH
            .iter()
            .all(|&color| stones[color] == *position.board().stones(color));
        if unchanged && explicit_turn.is_none_or(|turn| turn == position.to_move()) {
            return Ok(());
        }
        if self.moves_played > 0 {
            let to_move = explicit_turn.or(next_color).unwrap_or(position.to_move());
            if unchanged {
                self.record.set_to_move(to_move);
            } else {
                self.record =
                    Record::from_position(position.restarted_with_stones(stones, to_move)?);
                self.has_midgame_setup = true;
            }
            return Ok(());
        }
        let handicap = self
            .handicap
            .unwrap_or_else(|| handicap::inferred_from_setup(&stones));
        let default_color = if handicap > 0 {
            Color::White
        } else {
            position.to_move()
        };
        let to_move = explicit_turn.or(next_color).unwrap_or(default_color);
        let mut initial = Position::from_stones(self.size, stones, to_move, *self.record.rules())?;
        if self.handicap.is_some() || to_move == Color::White {
            initial.set_handicap(handicap.min(stones[Color::Black].len()));
        }
        self.record = Record::from_position(initial);
        Ok(())
    }

    /// Returns the stones on the board after the node's set-up.
    fn stones_after_setup(
        &self,
        node: &Node,
        board: &Board,
    ) -> Result<ByColor<PointSet>, PointOrSizeError> {
        let mut sets = [PointSet::EMPTY; SETUP_PROPERTIES.len()];
        for (set, name) in sets.iter_mut().zip(SETUP_PROPERTIES) {
            *set = points::read_points(node.values(name), self.size)?;
        }
        let [black, white, empty] = sets;
        let changed = black | white | empty;
        Ok(ByColor::new(
            (*board.stones(Color::Black) - changed) | (black - white),
            (*board.stones(Color::White) - changed) | white,
        ))
    }

    /// Plays the node's moves. If a move would exceed `max_moves`, stops before this move, makes its colour the side to
    /// move and returns false.
    fn play_moves(&mut self, node: &Node) -> Result<bool, GameError> {
        for property in node.properties() {
            let Some(color) = move_property_color(property.identifier()) else {
                continue;
            };
            if self.moves_played == self.max_moves {
                self.record.set_to_move(color);
                return Ok(false);
            }
            let number = self.moves_played + 1;
            let mv = points::read_move(&property.values()[0], self.size)
                .map_err(|error| GameError::Vertex { number, error })?;
            self.record
                .play_lenient(color, mv)
                .map_err(|reason| IllegalMove {
                    number,
                    color,
                    vertex: self.size.format_move(mv),
                    reason,
                })?;
            self.moves_played = number;
        }
        Ok(true)
    }
}

/// Returns the komi of a game, or `None` if the file does not contain any.
pub fn read_komi(tree: &GameTree) -> Option<Komi> {
    let root = tree.node(tree.root());
    let rules = || game_info::read_rules_and_komi(root, Rules::default());
    root.has("KM").then(|| rules().komi)
}

/// Converts a record to a tree with a single line. It contains board size, rules, komi, handicap, set-up stones, side
/// to move, moves, and the result if a player resigned or the game has no
/// result.
pub fn write_game(record: &Record) -> GameTree {
    let mut tree = GameTree::new();
    let mut node_id = tree.root();
    write_root(tree.node_mut(node_id), record);
    for &(color, mv) in record.moves() {
        node_id = tree.add_child(node_id);
        let identifier = color.letter().to_string();
        tree.node_mut(node_id)
            .set(&identifier, points::write_move(mv));
    }
    let to_move = record.position().to_move();
    if (record.moves().last()).is_some_and(|&(last, _)| last == to_move) {
        node_id = tree.add_child(node_id);
        let letter = to_move.letter().to_string();
        tree.node_mut(node_id).set("PL", Value::from_text(&letter));
    }
    tree
}

fn write_root(root: &mut Node, record: &Record) {
    let initial = record.initial();
    let mut set = |name: &str, text: &str| root.set(name, Value::from_text(text));
    set("GM", "1");
    set("FF", "4");
    set("CA", "UTF-8");
    set("KM", &record.rules().komi.to_string());
    set("RU", &game_info::rules_name(record.rules()));
    if let Some(loser) = record.resigned() {
        set("RE", &format!("{}+R", loser.opposite().letter()));
    } else if record.position().has_no_result() {
        set("RE", "Void");
    }
    let board = initial.board();
    let stones = *board.stones_by_color();
    // Write `HA[0]` for stones that only look like a handicap, so that a reader does not infer a handicap from them.
    let handicap_stones = record.position().handicap();
    let leading_moves = record.leading_black_moves();
    if handicap_stones > 0
        || handicap::inferred_from_setup(&stones) > 0
        || (board.occupied_points().is_empty() && leading_moves > 1)
    {
        set("HA", &handicap_stones.to_string());
    }
    if initial.to_move() != Color::Black || !board.occupied_points().is_empty() {
        set("PL", &initial.to_move().letter().to_string());
    }
    root.set_list("SZ", vec![points::write_size(record.size())]);
    for (color, name) in [(Color::Black, "AB"), (Color::White, "AW")] {
        root.set_list(name, points::write_points(stones[color]));
    }
}

#[cfg(test)]
mod tests;
