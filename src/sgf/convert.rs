//! Conversion between game trees and game records.
//!
//! Only the main line of a tree is converted. A record has one initial position, so stones set up in the middle of a
//! game start a new record at that point.

use super::game_info;
pub use super::game_info::read_side_to_move;
use super::points::{self, PointOrSizeError, SETUP_PROPERTIES};
use super::scan::MAX_WARNINGS;
use super::tree::{GameTree, Node};
use super::value::Value;
use super::warning::GameWarning;
use crate::game::board::NoLibertiesError;
use crate::game::color::{ByColor, Color};
use crate::game::handicap;
use crate::game::point::{BoardSize, Point};
use crate::game::pointset::PointSet;
use crate::game::position::{MAX_RECORD_MOVES, MoveError, Position};
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
    /// The parts of the game before stones were set up after moves. Each ends where the next one begins with other
    /// stones. Parts without moves are omitted.
    pub earlier: Vec<Record>,
    /// The game up to the first error. If the file sets up stones after moves, the record starts from the last such
    /// set-up.
    pub record: Record,
    /// Number of moves played on the main line, including those before `record` starts.
    pub moves_played: usize,
    /// Error that ended the playable part, or `None` if the whole game is playable.
    pub error: Option<GameError>,
    /// Parts of the file that were not understood or had to be corrected.
    pub warnings: Vec<GameWarning>,
}

impl PlayablePart {
    /// Iterates over the moves that the rules forbid. Their numbers are those in the file.
    pub fn illegal_moves(&self) -> impl Iterator<Item = IllegalMove> {
        let records = self.earlier.iter().chain([&self.record]);
        let first_numbers = records.clone().scan(0, |moves_before, record| {
            let first = *moves_before;
            *moves_before += record.moves().len();
            Some(first)
        });
        records
            .zip(first_numbers)
            .flat_map(|(record, moves_before)| {
                record.illegal_moves().map(move |mv| IllegalMove {
                    number: moves_before + mv.number,
                    ..mv
                })
            })
    }

    /// Returns the remarks for the user, each as one line of text: the warnings, the moves that the rules forbid, and
    /// the error that ended the playable part.
    pub fn remarks(&self) -> Vec<String> {
        let illegal = IllegalMove::summarise_all(self.illegal_moves());
        let illegal = illegal.map(|moves| format!("illegal under these rules: {moves}"));
        let error = self.error.as_ref();
        let error =
            error.map(|error| format!("only the moves before the first error were read: {error}"));
        let warnings = self.warnings.iter().map(ToString::to_string);
        warnings.chain(illegal).chain(error).collect()
    }
}

/// Converts the main line to a record.
///
/// Rules that are missing in the file are taken from `rules`. A missing komi is also taken from `rules` if the file
/// does not specify other rules; otherwise, it is the default of the rule set. Stones set up in the middle of the game
/// start a new record at that position, with the game's prisoners and handicap. Set-up stones after the last move are
/// ignored, because they usually mark the removal of dead stones.
///
/// # Errors
/// Returns an error if the tree is not a game of Go, the board size is not supported, or a move or set-up is not
/// possible. Values that are not understood count as missing.
pub fn read_game(tree: &GameTree, rules: Rules) -> Result<Record, GameError> {
    let part = read_main_line(tree, rules, Tolerance::Strict)?;
    part.error.map_or(Ok(part.record), Err)
}

/// Converts the main line up to its first error. Otherwise like [`read_game`], but tolerates set-up stones that are off
/// the board or have no liberties, and suicide of single stones.
///
/// # Errors
/// Returns an error if the game type or the board size is invalid. Later errors only end the playable part.
pub fn read_playable(tree: &GameTree, rules: Rules) -> Result<PlayablePart, GameError> {
    read_main_line(tree, rules, Tolerance::Lenient)
}

fn read_main_line(
    tree: &GameTree,
    rules: Rules,
    tolerance: Tolerance,
) -> Result<PlayablePart, GameError> {
    let mut nodes: Vec<&Node> = tree.main_line().map(|id| tree.node(id)).collect();
    if let Some(last) = nodes
        .iter()
        .rposition(|node| node_move_color(node).is_some())
    {
        nodes.truncate(last + 1);
    }
    let builder = RecordBuilder::new(tree, None, rules, tolerance)?;
    builder.into_playable_part(&nodes)
}

/// Converts the main line up to the position after `max_moves` moves, or the whole main line if `max_moves` is `None`.
/// Unlike [`read_playable`], this includes stones that are set up after the last move.
///
/// # Errors
/// Returns the same errors as [`read_playable`].
pub fn read_until_move(
    tree: &GameTree,
    max_moves: Option<usize>,
    rules: Rules,
) -> Result<PlayablePart, GameError> {
    let nodes: Vec<&Node> = tree.main_line().map(|id| tree.node(id)).collect();
    let builder = RecordBuilder::new(tree, max_moves, rules, Tolerance::Lenient)?;
    builder.into_playable_part(&nodes)
}

/// Returns the handicap that the file declares, or `None` if it declares none or if fewer black stones are set up or
/// played before White's first move.
pub fn declared_handicap(tree: &GameTree, size: BoardSize) -> Option<usize> {
    let declared = game_info::read_handicap(tree.node(tree.root()))?;
    let nodes = || tree.main_line().map(|id| tree.node(id));
    let before_white = nodes().take_while(|node| node_move_color(node) != Some(Color::White));
    let stones: usize = before_white
        .map(|node| read_stones(node, "AB", size).len() + usize::from(node.has("B")))
        .sum();
    (declared <= stones).then_some(declared)
}

/// Returns the points of the handicap stones that the file declares but does not place, or `None` if there are none.
///
/// Some servers, such as Fox, omit stones on the fixed handicap points. The stones are considered missing if the file
/// declares a handicap, Black does not move first, there is no set-up before the first move, and no move is on one of
/// the points.
pub fn missing_handicap_points(tree: &GameTree, size: BoardSize) -> Option<Vec<Point>> {
    let points = declared_handicap_points(tree, size)?;
    (!has_move_on_stones(tree, size, &points)).then_some(points)
}

/// Returns the points of the handicap stones that the file declares but does not place, even if a move is on one of
/// them.
fn declared_handicap_points(tree: &GameTree, size: BoardSize) -> Option<Vec<Point>> {
    let root = tree.node(tree.root());
    let points = handicap::fixed_placement(size, game_info::read_handicap(root)?)?;
    let mut nodes = tree.main_line().map(|id| tree.node(id));
    let first_color = nodes.find_map(|node| match node_move_color(node) {
        _ if SETUP_PROPERTIES
            .iter()
            .any(|name| !read_stones(node, name, size).is_empty()) =>
        {
            Some(Color::Black)
        }
        color => color,
    });
    let first_color = first_color.or_else(|| read_side_to_move(root));
    (first_color != Some(Color::Black)).then_some(points)
}

fn read_stones(node: &Node, name: &str, size: BoardSize) -> PointSet {
    points::read_valid_points(node.values(name), size).0
}

/// Returns true if a move of the main line is on one of the given points while the black stone there has not been
/// captured.
fn has_move_on_stones(tree: &GameTree, size: BoardSize, points: &[Point]) -> bool {
    let mut record = Record::new(size, Rules::default());
    // This cannot fail, because the board is empty and the points are on it.
    let _ = record.place_handicap(points);
    let nodes = tree.main_line().map(|id| tree.node(id));
    let moves = nodes.flat_map(Node::properties).filter_map(|property| {
        let color = move_property_color(property.identifier())?;
        let mv = points::read_move(&property.values()[0], size).ok()?;
        Some((color, mv))
    });
    let mut position = record.initial().clone();
    for (color, mv) in moves.take(MAX_RECORD_MOVES) {
        match position.play_lenient(color, mv) {
            Err(MoveError::Occupied) => {
                return mv.point().is_some_and(|point| points.contains(&point));
            }
            Err(_) => return false,
            Ok(()) => {}
        }
    }
    false
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

/// How to treat set-up stones and moves that cannot be on a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tolerance {
    /// They are errors.
    Strict,
    /// Set-up stones that cannot be on the board are left out with a warning, and a single stone may commit suicide.
    Lenient,
}

struct RecordBuilder {
    size: BoardSize,
    tolerance: Tolerance,
    /// Handicap that the file declares, if any.
    handicap: Option<usize>,
    /// Records that ended with a set-up after moves.
    earlier: Vec<Record>,
    record: Record,
    moves_played: usize,
    max_moves: usize,
    /// True if `record` starts from a position that was set up after moves.
    has_midgame_setup: bool,
    warnings: Vec<GameWarning>,
}

impl RecordBuilder {
    /// Creates a builder. Its record has no moves, and the board is empty except for [missing handicap
    /// stones](missing_handicap_points).
    fn new(
        tree: &GameTree,
        max_moves: Option<usize>,
        rules: Rules,
        tolerance: Tolerance,
    ) -> Result<Self, GameError> {
        let root = tree.node(tree.root());
        let game_type = root.value("GM").map(Value::simple_text).unwrap_or_default();
        if !game_info::is_go(&game_type) {
            return Err(GameError::OtherGame(
                game_type.chars().take(GAME_TYPE_EXCERPT_LEN).collect(),
            ));
        }
        let size = read_size(root)?;
        let mut warnings = Vec::new();
        let rules = game_info::read_rules_and_komi(root, rules, &mut warnings);
        warnings.extend(game_info::handicap_warning(root));
        let mut record = Record::new(size, rules);
        if let Some(points) = declared_handicap_points(tree, size) {
            if has_move_on_stones(tree, size, &points) {
                let stones = points.len();
                warnings.push(GameWarning::UnplacedHandicap { stones });
            } else {
                // This cannot fail, because the board is empty and the points are on it.
                let _ = record.place_handicap(&points);
            }
        }
        Ok(Self {
            size,
            tolerance,
            handicap: game_info::read_handicap(root),
            earlier: Vec::new(),
            record,
            moves_played: 0,
            max_moves: max_moves.unwrap_or(usize::MAX),
            has_midgame_setup: false,
            warnings,
        })
    }

    /// Applies the nodes up to the first error.
    fn into_playable_part(mut self, nodes: &[&Node]) -> Result<PlayablePart, GameError> {
        let error = match self.apply_nodes(nodes) {
            Err(error) if !error.is_after_start() => return Err(error),
            result => result.err(),
        };
        self.set_declared_handicap();
        Ok(PlayablePart {
            earlier: self.earlier,
            record: self.record,
            moves_played: self.moves_played,
            error,
            warnings: self.warnings,
        })
    }

    /// Applies the set-up stones and moves of the nodes until `max_moves` moves have been played, a player resigns or an
    /// error occurs.
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
        Ok(())
    }

    fn set_declared_handicap(&mut self) {
        if let Some(handicap) = self.handicap.filter(|_| !self.has_midgame_setup) {
            self.record.set_handicap(handicap);
        }
    }

    /// Applies the node's set-up stones and side to move. `next_color` is the colour of the next move, which determines
    /// the side to move if the node has no PL property.
    fn apply_setup(&mut self, node: &Node, next_color: Option<Color>) -> Result<(), GameError> {
        let mut stones = self.stones_after_setup(node)?;
        let position = self.record.position();
        // If the node has a move, PL is redundant.
        let has_move = node_move_color(node).is_some();
        let explicit_turn = read_side_to_move(node).filter(|_| !has_move);
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
                return Ok(());
            }
            self.remove_stones_without_liberties(&mut stones, to_move);
            let position = self.record.position();
            let restarted = position.restarted_with_stones(stones, to_move)?;
            self.set_declared_handicap();
            let ended = std::mem::replace(&mut self.record, Record::from_position(restarted));
            self.earlier
                .extend(Some(ended).filter(|record| !record.moves().is_empty()));
            self.has_midgame_setup = true;
            return Ok(());
        }
        self.set_up_start(stones, explicit_turn.or(next_color))
    }

    /// Starts the record from the given stones. If `to_move` is `None`, Black moves first, or White after a handicap.
    fn set_up_start(
        &mut self,
        mut stones: ByColor<PointSet>,
        to_move: Option<Color>,
    ) -> Result<(), GameError> {
        let handicap = self
            .handicap
            .unwrap_or_else(|| handicap::inferred_from_setup(&stones));
        let default_color = if handicap > 0 {
            Color::White
        } else {
            self.record.position().to_move()
        };
        let to_move = to_move.unwrap_or(default_color);
        self.remove_stones_without_liberties(&mut stones, to_move);
        let mut initial = Position::from_stones(self.size, stones, to_move, *self.record.rules())?;
        if self.handicap.is_some() || to_move == Color::White {
            initial.set_handicap(handicap.min(stones[Color::Black].len()));
        }
        self.record = Record::from_position(initial);
        Ok(())
    }

    /// Returns the stones on the board after the node's set-up. Before the first move, points off the board are
    /// skipped if the builder is lenient.
    fn stones_after_setup(&mut self, node: &Node) -> Result<ByColor<PointSet>, PointOrSizeError> {
        let mut sets = [PointSet::EMPTY; SETUP_PROPERTIES.len()];
        for (set, name) in sets.iter_mut().zip(SETUP_PROPERTIES) {
            let (points, errors) = points::read_valid_points(node.values(name), self.size);
            let mut errors = errors.into_iter();
            if self.tolerance == Tolerance::Strict || self.moves_played > 0 {
                errors.next().map_or(Ok(()), Err)?;
            }
            let warnings = errors.map(GameWarning::IgnoredStone);
            self.warnings
                .extend(warnings.take(MAX_WARNINGS.saturating_sub(self.warnings.len())));
            *set = points;
        }
        let board = self.record.position().board();
        let [black, white, empty] = sets;
        let changed = black | white | empty;
        Ok(ByColor::new(
            (*board.stones(Color::Black) - changed) | (black - white - empty),
            (*board.stones(Color::White) - changed) | (white - empty),
        ))
    }

    /// If the builder is lenient, removes the chains without liberties. The chains of the side to move are removed
    /// first, as if the opponent had just captured them.
    fn remove_stones_without_liberties(&mut self, stones: &mut ByColor<PointSet>, to_move: Color) {
        if self.tolerance == Tolerance::Strict {
            return;
        }
        let board = PointSet::board(self.size);
        let mut count = 0;
        for color in [to_move, to_move.opposite()] {
            let occupied = stones[color] | stones[color.opposite()];
            for chain in stones[color].components() {
                if (chain.neighbours(&board) - occupied).is_empty() {
                    count += chain.len();
                    stones[color] -= chain;
                }
            }
        }
        if count > 0 {
            self.warnings.push(GameWarning::RemovedStones { count });
        }
    }

    /// Plays the node's moves. Returns false if the main line ends here: a player resigns, or a move would exceed
    /// `max_moves`. In the latter case, makes the colour of this move the side to move.
    fn play_moves(&mut self, node: &Node) -> Result<bool, GameError> {
        for property in node.properties() {
            let Some(color) = move_property_color(property.identifier()) else {
                continue;
            };
            if self.moves_played == self.max_moves {
                self.record.set_to_move(color);
                return Ok(false);
            }
            let value = &property.values()[0];
            if points::is_resignation(value) {
                self.record.resign(color);
                return Ok(false);
            }
            let number = self.moves_played + 1;
            let mv = points::read_move(value, self.size)
                .map_err(|error| GameError::Vertex { number, error })?;
            let result = match self.tolerance {
                Tolerance::Strict => self.record.play_lenient(color, mv),
                Tolerance::Lenient => self.record.play_on_empty_point(color, mv),
            };
            result.map_err(|reason| IllegalMove {
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
    let rules = || game_info::read_rules_and_komi(root, Rules::default(), &mut Vec::new());
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
    let leading_moves = record.leading_black_moves();
    // Moves that placed the stones of a free handicap may have been undone.
    let placed_stones = stones[Color::Black].len() + leading_moves;
    let handicap_stones = record.position().handicap().min(placed_stones);
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
