//! From a game tree's main line to the record of a game, and back.

use super::points::{self, Coordinate, PointError, Size};
use super::terms;
use super::tree::{GameTree, Node};
use super::value::Value;
use crate::game::board::{Board, NoLiberties};
use crate::game::color::{ByColor, Color};
use crate::game::handicap;
use crate::game::point::{BoardSize, MAX_SIDE, MIN_SIDE, Move, Point};
use crate::game::pointset::PointSet;
use crate::game::position::{Illegal, Position};
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
    Other(String),
    /// A value is no point or size.
    #[error(transparent)]
    Value(#[from] PointError),
    /// Stones are set up without liberties.
    #[error("{0}")]
    SetUp(#[from] NoLiberties),
    /// A move is no point of the board.
    #[error("move {number}: {fault}")]
    Vertex {
        /// The move's number, from 1.
        number: usize,
        /// What it is.
        fault: PointError,
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
        reason: Illegal,
    },
    /// What is set up after moves cannot stand there.
    #[error("after move {moves}: {fault}")]
    Later {
        /// The moves before it.
        moves: usize,
        /// What is wrong with it.
        fault: Box<Self>,
    },
}

impl GameError {
    /// Whether a game has begun before the fault, if only with a board: it is a move's, or stands behind moves.
    const fn is_in_a_game(&self) -> bool {
        matches!(
            self,
            Self::Vertex { .. } | Self::Illegal { .. } | Self::Later { .. }
        )
    }
}

/// A game as far as it can be played.
#[derive(Clone, Debug)]
pub struct Sound {
    /// The game. It begins where stones are set up after moves.
    pub record: Record,
    /// Moves of the main line that were made, those before the record begins among them.
    pub made: usize,
    /// What is wrong behind it.
    pub fault: Option<GameError>,
}

/// The game of the main line. Rules and komi that the file does not name are those of `rules`. Stones set up in the
/// middle of the game begin a new record from there, with the prisoners and the handicap of the game; after its last move
/// they are none of it, as where dead stones are taken off.
///
/// # Errors
/// When it is no game of Go, the board is too large or small, or a move or set-up is not possible.
pub fn read_game(tree: &GameTree, rules: Rules) -> Result<Record, GameError> {
    let sound = read_sound(tree, rules)?;
    sound.fault.map_or(Ok(sound.record), Err)
}

/// The game of the main line as far as it is sound, else as [`read_game`].
///
/// # Errors
/// When even its beginning is no game that can be played here.
pub fn read_sound(tree: &GameTree, rules: Rules) -> Result<Sound, GameError> {
    let mut nodes: Vec<&Node> = tree.main_line().map(|id| tree.node(id)).collect();
    if let Some(last) = nodes.iter().rposition(|node| first_mover(node).is_some()) {
        nodes.truncate(last + 1);
    }
    let mut reader = Reader::new(tree, None, rules)?;
    let fault = match reader.follow(&nodes) {
        Err(fault) if !fault.is_in_a_game() => return Err(fault),
        followed => followed.err(),
    };
    Ok(Sound {
        record: reader.record,
        made: reader.made,
        fault,
    })
}

/// The record that ends with the position of the main line after so many moves, or after all that it holds; else as
/// [`read_game`].
///
/// # Errors
/// As [`read_game`], of nothing behind that position.
pub fn read_position(
    tree: &GameTree,
    moves: Option<usize>,
    rules: Rules,
) -> Result<Record, GameError> {
    let nodes: Vec<&Node> = tree.main_line().map(|id| tree.node(id)).collect();
    let mut reader = Reader::new(tree, moves, rules)?;
    reader.follow(&nodes)?;
    Ok(reader.record)
}

/// Where the stones of a handicap stand that the file does not place. Some servers leave them out, Fox for one, where
/// they are on the fixed points: White moves first then, on a board on which nothing was set up.
#[must_use]
pub fn missing_handicap(tree: &GameTree, size: BoardSize) -> Option<Vec<Point>> {
    let points = handicap::fixed(size, terms::read_handicap(tree.node(tree.root()))?)?;
    let mut nodes = tree.main_line().map(|id| tree.node(id));
    let begins = nodes.find_map(|node| match first_mover(node) {
        _ if SET_UP.iter().any(|name| node.has(name)) => Some(Color::Black),
        first => first,
    });
    (begins == Some(Color::White)).then_some(points)
}

fn read_size(root: &Node) -> Result<BoardSize, GameError> {
    let Some(value) = root.value("SZ") else {
        return Ok(BoardSize::STANDARD);
    };
    let Size { columns, rows } = points::read_size(value)?;
    BoardSize::new(usize::from(columns), usize::from(rows)).ok_or(GameError::Size { columns, rows })
}

fn first_mover(node: &Node) -> Option<Color> {
    node.properties()
        .iter()
        .find_map(|property| mover(property.identifier()))
}

fn mover(identifier: &str) -> Option<Color> {
    match identifier {
        "B" => Some(Color::Black),
        "W" => Some(Color::White),
        _ => None,
    }
}

/// Characters told of what names another game; all that are known are numbers.
const LONGEST_KIND: usize = 20;
/// Properties that set stones up.
const SET_UP: [&str; 3] = ["AB", "AW", "AE"];

struct Reader {
    size: BoardSize,
    sides: Size,
    /// As the file tells it.
    handicap: Option<usize>,
    record: Record,
    /// Moves made.
    made: usize,
    /// Moves wanted.
    most: usize,
    /// Whether stones were set up after moves, so that the record begins there.
    is_rearranged: bool,
}

impl Reader {
    /// Stands before the first node.
    fn new(tree: &GameTree, moves: Option<usize>, rules: Rules) -> Result<Self, GameError> {
        let root = tree.node(tree.root());
        let kind = root.value("GM").map(Value::simple_text).unwrap_or_default();
        if !matches!(kind.trim(), "" | "1") {
            return Err(GameError::Other(kind.chars().take(LONGEST_KIND).collect()));
        }
        let size = read_size(root)?;
        let mut record = Record::new(size, terms::read_rules(root, rules));
        if let Some(points) = missing_handicap(tree, size) {
            // It cannot fail: the board is empty, and the points are made for it.
            let _ = record.place_handicap(&points);
        }
        Ok(Self {
            size,
            sides: size.into(),
            handicap: terms::read_handicap(root),
            record,
            made: 0,
            most: moves.unwrap_or(usize::MAX),
            is_rearranged: false,
        })
    }

    /// Sets up and makes what the nodes of a line tell, until the last move wanted or the first fault.
    fn follow(&mut self, nodes: &[&Node]) -> Result<(), GameError> {
        for (at, node) in nodes.iter().enumerate() {
            let follows = nodes.get(at + 1).and_then(|next| first_mover(next));
            let set_up = self.set_up(node, first_mover(node).or(follows));
            set_up.map_err(|fault| match self.made {
                0 => fault,
                moves => GameError::Later {
                    moves,
                    fault: Box::new(fault),
                },
            })?;
            if !self.play(node)? {
                break;
            }
        }
        if let Some(handicap) = self.handicap.filter(|_| !self.is_rearranged) {
            self.record.name_handicap(handicap);
        }
        Ok(())
    }

    /// Sets up the node's stones. Without a word on the turn it is that of whoever moves next.
    fn set_up(&mut self, node: &Node, next: Option<Color>) -> Result<(), GameError> {
        let position = self.record.position();
        let stones = self.stones(node, position.board())?;
        // Beside a move it says nothing that the move does not.
        let turn = (first_mover(node)
            .is_none()
            .then(|| node.value("PL"))
            .flatten())
        .and_then(|value| Color::parse(value.simple_text().trim()));
        let unchanged = Color::BOTH
            .iter()
            .all(|&color| stones[color] == *position.board().stones(color));
        if unchanged && turn.is_none_or(|turn| turn == position.to_move()) {
            return Ok(());
        }
        if self.made > 0 {
            let to_move = turn.or(next).unwrap_or(position.to_move());
            if unchanged {
                self.record.set_to_move(to_move);
            } else {
                self.record = Record::starting_from(position.rearranged(stones, to_move)?);
                self.is_rearranged = true;
            }
            return Ok(());
        }
        let handicap = self
            .handicap
            .unwrap_or_else(|| handicap::looks_like(&stones));
        let begins = if handicap > 0 {
            Color::White
        } else {
            position.to_move()
        };
        let to_move = turn.or(next).unwrap_or(begins);
        let mut initial = Position::set_up(self.size, stones, to_move, *self.record.rules())?;
        if self.handicap.is_some() || to_move == Color::White {
            initial.set_handicap(handicap.min(stones[Color::Black].len()));
        }
        self.record = Record::starting_from(initial);
        Ok(())
    }

    /// The stones after what the node sets up.
    fn stones(&self, node: &Node, board: &Board) -> Result<ByColor<PointSet>, PointError> {
        let mut sets = [PointSet::EMPTY; SET_UP.len()];
        for (set, name) in sets.iter_mut().zip(SET_UP) {
            let points = points::read_points(node.values(name), self.sides)?;
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
    fn play(&mut self, node: &Node) -> Result<bool, GameError> {
        for property in node.properties() {
            let Some(color) = mover(property.identifier()) else {
                continue;
            };
            if self.made == self.most {
                self.record.set_to_move(color);
                return Ok(false);
            }
            let number = self.made + 1;
            let played = points::read_move(&property.values()[0], self.sides)
                .map_err(|fault| GameError::Vertex { number, fault })?;
            let mv = played.map_or(Move::Pass, |at| Move::Play(at.into()));
            self.record
                .replay(color, mv)
                .map_err(|reason| GameError::Illegal {
                    number,
                    color,
                    vertex: self.size.move_text(mv),
                    reason,
                })?;
            self.made = number;
        }
        Ok(true)
    }
}

/// The game as a tree of one line: board, rules, komi, stones set up, moves, and the result if it was a resignation.
#[must_use]
pub fn write_game(record: &Record) -> GameTree {
    let mut tree = GameTree::new();
    let mut here = tree.root();
    write_root(tree.node_mut(here), record);
    for &(color, mv) in record.moves() {
        here = tree.add_child(here);
        let identifier = color.letter().to_string();
        let place = mv.point().map(Coordinate::from);
        tree.node_mut(here)
            .set(&identifier, points::write_move(place));
    }
    let turn = record.position().to_move();
    if (record.moves().last()).is_some_and(|&(last, _)| last == turn) {
        here = tree.add_child(here);
        let letter = turn.letter().to_string();
        tree.node_mut(here).set("PL", Value::from_text(&letter));
    }
    tree
}

/// Says in the root of a game that this program has written it.
pub fn sign(tree: &mut GameTree) {
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
    set("RU", &terms::rules_name(record.rules()));
    if let Some(loser) = record.resigned() {
        set("RE", &format!("{}+R", loser.opposite().letter()));
    }
    let board = initial.board();
    let stones = *board.stones_by_color();
    // Stones that only look like a handicap are to be read as none, whether they are placed or moves.
    let told = record.position().handicap();
    let moved = record.first_stones();
    if told > 0 || handicap::looks_like(&stones) > 0 || (board.occupied().is_empty() && moved > 1) {
        set("HA", &told.to_string());
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
