//! From a game tree's main line to the record of a game, and back.

use super::game_info;
use super::points::{self, Coordinate, PointError, SgfBoardSize};
use super::tree::{GameTree, Node};
use super::value::Value;
use crate::game::board::{Board, NoLibertiesError};
use crate::game::color::{ByColor, Color};
use crate::game::handicap;
use crate::game::point::{BoardSize, MAX_SIDE, MIN_SIDE, Move, Point};
use crate::game::pointset::PointSet;
use crate::game::position::{MoveError, Position};
use crate::game::record::Record;
use crate::game::rules::Rules;

/// Why a tree is not a game that can be played here.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum GameError {
    /// The board cannot have that size.
    #[error("expected a board with sides from {MIN_SIDE} to {MAX_SIDE}, found {columns}x{rows}")]
    Size {
        /// Columns.
        columns: u8,
        /// Rows.
        rows: u8,
    },
    /// It is another game than Go.
    #[error("expected a game of Go, GM[1], found GM[{0}]")]
    OtherGame(String),
    /// A value is no point or size.
    #[error(transparent)]
    Value(#[from] PointError),
    /// Stones are set up without liberties.
    #[error("{0}")]
    SetUp(#[from] NoLibertiesError),
    /// A move is no point of the board.
    #[error("move {number}: {error}")]
    Vertex {
        /// The move's number, from 1.
        number: usize,
        /// What it is.
        error: PointError,
    },
    /// A move breaks the rules.
    #[error("move {number} ({color} {vertex}): {reason}")]
    Illegal {
        /// The move's number, from 1.
        number: usize,
        /// Whose move.
        color: Color,
        /// Where.
        vertex: String,
        /// Why not.
        reason: MoveError,
    },
    /// What is set up after moves cannot stand there.
    #[error("after move {moves}: {error}")]
    AfterMoves {
        /// The moves before it.
        moves: usize,
        /// What is wrong with it.
        error: Box<Self>,
    },
}

impl GameError {
    /// Whether a game has begun before the fault, if only with a board: it is a move's, or stands behind moves.
    const fn is_after_start(&self) -> bool {
        matches!(
            self,
            Self::Vertex { .. } | Self::Illegal { .. } | Self::AfterMoves { .. }
        )
    }
}

/// A game as far as it can be played.
#[derive(Clone, Debug)]
pub struct PlayablePart {
    /// The game. It begins where stones are set up after moves.
    pub record: Record,
    /// Moves of the main line that were made, those before the record begins among them.
    pub moves_played: usize,
    /// What is wrong behind it.
    pub error: Option<GameError>,
}

/// The game of the main line. Rules and komi that the file does not name are those of `rules`. Stones set up in the
/// middle of the game begin a new record from there, with the prisoners and the handicap of the game; after its last move
/// they are none of it, as where dead stones are taken off.
///
/// # Errors
/// When it is no game of Go, the board is too large or small, or a move or set-up is not possible.
pub fn read_game(tree: &GameTree, rules: Rules) -> Result<Record, GameError> {
    let part = read_playable(tree, rules)?;
    part.error.map_or(Ok(part.record), Err)
}

/// The game of the main line as far as it is sound, else as [`read_game`].
///
/// # Errors
/// When even its beginning is no game that can be played here.
pub fn read_playable(tree: &GameTree, rules: Rules) -> Result<PlayablePart, GameError> {
    let mut nodes: Vec<&Node> = tree.main_line().map(|id| tree.node(id)).collect();
    if let Some(last) = nodes
        .iter()
        .rposition(|node| first_move_color(node).is_some())
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

/// The record that ends with the position of the main line after so many moves, or after all that it holds; else as
/// [`read_game`].
///
/// # Errors
/// As [`read_game`], of nothing behind that position.
pub fn read_position(
    tree: &GameTree,
    max_moves: Option<usize>,
    rules: Rules,
) -> Result<Record, GameError> {
    let nodes: Vec<&Node> = tree.main_line().map(|id| tree.node(id)).collect();
    let mut builder = RecordBuilder::new(tree, max_moves, rules)?;
    builder.apply_nodes(&nodes)?;
    Ok(builder.record)
}

/// Where the stones of a handicap stand that the file does not place. Some servers leave them out, Fox for one, where
/// they are on the fixed points: White moves first then, on a board on which nothing was set up.
#[must_use]
pub fn missing_handicap(tree: &GameTree, size: BoardSize) -> Option<Vec<Point>> {
    let points =
        handicap::fixed_placement(size, game_info::read_handicap(tree.node(tree.root()))?)?;
    let mut nodes = tree.main_line().map(|id| tree.node(id));
    let first_color = nodes.find_map(|node| match first_move_color(node) {
        _ if SETUP_PROPERTIES.iter().any(|name| node.has(name)) => Some(Color::Black),
        color => color,
    });
    (first_color == Some(Color::White)).then_some(points)
}

fn read_size(root: &Node) -> Result<BoardSize, GameError> {
    let Some(value) = root.value("SZ") else {
        return Ok(BoardSize::STANDARD);
    };
    let SgfBoardSize { columns, rows } = points::read_size(value)?;
    BoardSize::new(usize::from(columns), usize::from(rows)).ok_or(GameError::Size { columns, rows })
}

fn first_move_color(node: &Node) -> Option<Color> {
    node.properties()
        .iter()
        .find_map(|property| move_color(property.identifier()))
}

fn move_color(identifier: &str) -> Option<Color> {
    match identifier {
        "B" => Some(Color::Black),
        "W" => Some(Color::White),
        _ => None,
    }
}

/// Characters told of what names another game; all that are known are numbers.
const MAX_GAME_TYPE_LEN: usize = 20;
/// Properties that set stones up.
const SETUP_PROPERTIES: [&str; 3] = ["AB", "AW", "AE"];

struct RecordBuilder {
    size: BoardSize,
    sgf_size: SgfBoardSize,
    /// As the file tells it.
    handicap: Option<usize>,
    record: Record,
    /// Moves made.
    moves_played: usize,
    /// Moves wanted.
    max_moves: usize,
    /// Whether stones were set up after moves, so that the record begins there.
    has_midgame_setup: bool,
}

impl RecordBuilder {
    /// Stands before the first node.
    fn new(tree: &GameTree, max_moves: Option<usize>, rules: Rules) -> Result<Self, GameError> {
        let root = tree.node(tree.root());
        let game_type = root.value("GM").map(Value::simple_text).unwrap_or_default();
        if !matches!(game_type.trim(), "" | "1") {
            return Err(GameError::OtherGame(
                game_type.chars().take(MAX_GAME_TYPE_LEN).collect(),
            ));
        }
        let size = read_size(root)?;
        let mut record = Record::new(size, game_info::read_rules(root, rules));
        if let Some(points) = missing_handicap(tree, size) {
            // It cannot fail: the board is empty, and the points are made for it.
            let _ = record.place_handicap(&points);
        }
        Ok(Self {
            size,
            sgf_size: size.into(),
            handicap: game_info::read_handicap(root),
            record,
            moves_played: 0,
            max_moves: max_moves.unwrap_or(usize::MAX),
            has_midgame_setup: false,
        })
    }

    /// Sets up and makes what the nodes of a line tell, until the last move wanted or the first fault.
    fn apply_nodes(&mut self, nodes: &[&Node]) -> Result<(), GameError> {
        for (index, node) in nodes.iter().enumerate() {
            let next_color = nodes.get(index + 1).and_then(|next| first_move_color(next));
            let result = self.apply_setup(node, first_move_color(node).or(next_color));
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

    /// Sets up the node's stones. Without a word on the turn it is that of whoever moves next.
    fn apply_setup(&mut self, node: &Node, next_color: Option<Color>) -> Result<(), GameError> {
        let position = self.record.position();
        let stones = self.stones_after_setup(node, position.board())?;
        // Beside a move it says nothing that the move does not.
        let explicit_turn = (first_move_color(node)
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
                self.record = Record::from_position(position.with_stones(stones, to_move)?);
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
        let mut initial = Position::set_up(self.size, stones, to_move, *self.record.rules())?;
        if self.handicap.is_some() || to_move == Color::White {
            initial.set_handicap(handicap.min(stones[Color::Black].len()));
        }
        self.record = Record::from_position(initial);
        Ok(())
    }

    /// The stones after what the node sets up.
    fn stones_after_setup(
        &self,
        node: &Node,
        board: &Board,
    ) -> Result<ByColor<PointSet>, PointError> {
        let mut sets = [PointSet::EMPTY; SETUP_PROPERTIES.len()];
        for (set, name) in sets.iter_mut().zip(SETUP_PROPERTIES) {
            let points = points::read_points(node.values(name), self.sgf_size)?;
            *set = points.into_iter().map(Point::from).collect();
        }
        let [black, white, empty] = sets;
        let changed = black | white | empty;
        Ok(ByColor::new(
            (*board.stones(Color::Black) - changed) | (black - white),
            (*board.stones(Color::White) - changed) | white,
        ))
    }

    /// Makes the node's moves; false when the last one wanted has been made.
    fn play_moves(&mut self, node: &Node) -> Result<bool, GameError> {
        for property in node.properties() {
            let Some(color) = move_color(property.identifier()) else {
                continue;
            };
            if self.moves_played == self.max_moves {
                self.record.set_to_move(color);
                return Ok(false);
            }
            let number = self.moves_played + 1;
            let coordinate = points::read_move(&property.values()[0], self.sgf_size)
                .map_err(|error| GameError::Vertex { number, error })?;
            let mv = coordinate.map_or(Move::Pass, |point| Move::Play(point.into()));
            self.record
                .play_lenient(color, mv)
                .map_err(|reason| GameError::Illegal {
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

/// The game as a tree of one line: board, rules, komi, stones set up, moves, and the result if it was a resignation.
#[must_use]
pub fn write_game(record: &Record) -> GameTree {
    let mut tree = GameTree::new();
    let mut node_id = tree.root();
    write_root(tree.node_mut(node_id), record);
    for &(color, mv) in record.moves() {
        node_id = tree.add_child(node_id);
        let identifier = color.letter().to_string();
        let coordinate = mv.point().map(Coordinate::from);
        tree.node_mut(node_id)
            .set(&identifier, points::write_move(coordinate));
    }
    let to_move = record.position().to_move();
    if (record.moves().last()).is_some_and(|&(last, _)| last == to_move) {
        node_id = tree.add_child(node_id);
        let letter = to_move.letter().to_string();
        tree.node_mut(node_id).set("PL", Value::from_text(&letter));
    }
    tree
}

/// Says in the root of a game that this program has written it.
pub fn set_application(tree: &mut GameTree) {
    let root = tree.root();
    tree.node_mut(root)
        .set("AP", concat!("Honinbo:", env!("CARGO_PKG_VERSION")));
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
    }
    let board = initial.board();
    let stones = *board.stones_by_color();
    // Stones that only look like a handicap are to be read as none, whether they are placed or moves.
    let handicap_stones = record.position().handicap();
    let leading_moves = record.leading_black_moves();
    if handicap_stones > 0
        || handicap::inferred_from_setup(&stones) > 0
        || (board.occupied().is_empty() && leading_moves > 1)
    {
        set("HA", &handicap_stones.to_string());
    }
    if initial.to_move() != Color::Black || !board.occupied().is_empty() {
        set("PL", &initial.to_move().letter().to_string());
    }
    root.set_list("SZ", vec![points::write_size(record.size().into())]);
    for (color, name) in [(Color::Black, "AB"), (Color::White, "AW")] {
        let stones: Vec<_> = stones[color].iter().map(Coordinate::from).collect();
        root.set_list(name, points::write_points(&stones));
    }
}

#[cfg(test)]
mod tests;
