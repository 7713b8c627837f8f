//! From a game tree's main line to the record of a game, and back.

use super::points::{self, Coordinate, PointError, Size};
use super::terms;
use super::tree::{GameTree, Node};
use super::value::Value;
use crate::game::board::NoLiberties;
use crate::game::color::{ByColor, Color};
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
}

impl GameError {
    /// How many moves before the fault are sound, if it is a move's.
    #[must_use]
    pub const fn sound_moves(&self) -> Option<usize> {
        match self {
            Self::Vertex { number, .. } | Self::Illegal { number, .. } => Some(*number - 1),
            Self::Size { .. } | Self::Value(_) | Self::SetUp(_) => None,
        }
    }
}

/// The game of the main line, as far as `moves` moves. Rules and komi that the file does not name are those of
/// `rules`. Stones set up in the middle of the game begin a new record from there.
///
/// # Errors
/// When the board is too large or small, or a move or set-up is not possible.
pub fn read_game(tree: &GameTree, moves: Option<usize>, rules: Rules) -> Result<Record, GameError> {
    let root = tree.node(tree.root());
    let size = read_size(root)?;
    let mut reader = Reader {
        size,
        sides: size.into(),
        record: Record::new(size, terms::read_rules(root, rules)),
        made: 0,
        most: moves.unwrap_or(usize::MAX),
    };
    let mut nodes = tree.main_line().map(|id| tree.node(id)).peekable();
    while let Some(node) = nodes.next() {
        let follows = nodes.peek().and_then(|next| first_mover(next));
        reader.set_up(node, first_mover(node).or(follows))?;
        if !reader.play(node)? {
            break;
        }
    }
    Ok(reader.record)
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

struct Reader {
    size: BoardSize,
    sides: Size,
    record: Record,
    made: usize,
    most: usize,
}

impl Reader {
    /// Sets up the node's stones. Without a word on the turn it is that of whoever moves next.
    fn set_up(&mut self, node: &Node, next: Option<Color>) -> Result<(), GameError> {
        let set = |name| -> Result<PointSet, PointError> {
            let points = points::read_points(node.values(name), self.sides)?;
            Ok(points.into_iter().map(Point::from).collect())
        };
        let (black, white, empty) = (set("AB")?, set("AW")?, set("AE")?);
        // Beside a move it says nothing that the move does not.
        let turn = (first_mover(node)
            .is_none()
            .then(|| node.value("PL"))
            .flatten())
        .and_then(|value| Color::parse(value.simple_text().trim()));
        let changed = black | white | empty;
        if changed.is_empty() && turn.is_none() {
            return Ok(());
        }
        let position = self.record.position();
        let board = position.board();
        let begins = self.made == 0 && board.occupied().is_empty();
        let handicap = if begins && white.is_empty() && black.len() >= 2 {
            black.len()
        } else {
            0
        };
        let to_move = turn.or(next).unwrap_or(if handicap > 0 {
            Color::White
        } else {
            position.to_move()
        });
        if changed.is_empty() && to_move == position.to_move() {
            return Ok(());
        }
        let stones = ByColor::new(
            (*board.stones(Color::Black) - changed) | (black - white),
            (*board.stones(Color::White) - changed) | white,
        );
        let mut initial = Position::set_up(self.size, stones, to_move, *self.record.rules())?;
        if to_move == Color::White {
            initial.set_handicap(handicap);
        }
        self.record = Record::starting_from(initial);
        Ok(())
    }

    /// Makes the node's moves; false when the last one wanted has been made.
    fn play(&mut self, node: &Node) -> Result<bool, GameError> {
        for property in node.properties() {
            let Some(color) = mover(property.identifier()) else {
                continue;
            };
            if self.made == self.most {
                return Ok(false);
            }
            self.made += 1;
            let number = self.made;
            let played = points::read_move(&property.values()[0], self.sides)
                .map_err(|fault| GameError::Vertex { number, fault })?;
            let mv = played.map_or(Move::Pass, |at| Move::Play(at.into()));
            self.record
                .play(color, mv)
                .map_err(|reason| GameError::Illegal {
                    number,
                    color,
                    vertex: self.size.move_text(mv),
                    reason,
                })?;
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
    if let Some(name) = terms::rules_name(record.rules()) {
        set("RU", name);
    }
    if let Some(loser) = record.resigned() {
        set("RE", &format!("{}+R", loser.opposite().letter()));
    }
    let handicap = initial.handicap();
    if handicap > 0 {
        set("HA", &handicap.to_string());
    }
    if initial.to_move() != Color::Black || !initial.board().occupied().is_empty() {
        set("PL", &initial.to_move().letter().to_string());
    }
    root.set_list("SZ", vec![points::write_size(record.size().into())]);
    for (color, name) in [(Color::Black, "AB"), (Color::White, "AW")] {
        let stones: Vec<_> = initial
            .board()
            .stones(color)
            .iter()
            .map(Coordinate::from)
            .collect();
        root.set_list(name, points::write_points(&stones));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::rules::Komi;
    use crate::sgf::{Collection, parse, write};

    fn read(text: &str, moves: Option<usize>) -> Result<Record, GameError> {
        let parsed = parse(text.as_bytes()).unwrap();
        read_game(&parsed.collection.games[0], moves, Rules::default())
    }

    fn moves(record: &Record) -> Vec<String> {
        let text = |&(color, mv): &(Color, Move)| {
            format!("{}{}", color.letter(), record.size().move_text(mv))
        };
        record.moves().iter().map(text).collect()
    }

    #[test]
    fn the_main_line_is_played_as_far_as_asked() {
        let text = "(;SZ[9]KM[0.5]RU[AGA];B[cc];W[gg](;B[];W[aa])(;B[dd]))";
        let record = read(text, None).unwrap();
        assert_eq!(moves(&record), ["BC7", "WG3", "Bpass", "WA9"]);
        assert_eq!(record.rules().komi, Komi::from_half_points(1));
        assert_eq!(terms::rules_name(record.rules()), Some("AGA"));
        assert_eq!(moves(&read(text, Some(2)).unwrap()), ["BC7", "WG3"]);
        assert_eq!(read(text, Some(0)).unwrap().moves(), []);
        assert_eq!(read(text, Some(99)).unwrap().moves().len(), 4);
    }

    #[test]
    fn a_turn_beside_a_move_does_not_part_the_game() {
        let record = read("(;SZ[9];B[cc]PL[W];W[gg]PL[B];B[cg])", None).unwrap();
        assert_eq!(moves(&record), ["BC7", "WG3", "BC3"]);
    }

    #[test]
    fn handicap_stones_leave_the_turn_to_white() {
        let record = read("(;SZ[9]HA[2]AB[cg][gc];W[ee])", Some(0)).unwrap();
        assert_eq!(record.position().handicap(), 2);
        assert_eq!(record.position().to_move(), Color::White);
        let problem = read("(;SZ[9]AB[aa][ba]AW[ca]PL[W])", None).unwrap();
        assert_eq!(problem.position().to_move(), Color::White);
        assert_eq!(problem.position().handicap(), 0);
        let turn = read("(;SZ[9]AB[aa]AW[ca];W[cc])", Some(0)).unwrap();
        assert_eq!(turn.position().to_move(), Color::White);
    }

    #[test]
    fn stones_set_up_later_begin_again_from_there() {
        let record = read("(;SZ[9];B[cc];W[gg];AE[cc]AB[aa];B[bb])", None).unwrap();
        assert_eq!(moves(&record), ["BB8"]);
        assert_eq!(record.position().board().occupied().len(), 3);
    }

    #[test]
    fn what_cannot_be_played_is_named() {
        for (text, message) in [
            (
                "(;SZ[37])",
                "expected a board with sides from 2 to 19, found 37x37",
            ),
            (
                "(;SZ[9];B[cc];W[cc])",
                "move 2 (white C7): expected an empty point, found a stone",
            ),
            (
                "(;SZ[9];B[jj])",
                "move 1: expected a point on a board of 9 columns and 9 rows, found \"jj\"",
            ),
        ] {
            assert_eq!(read(text, None).unwrap_err().to_string(), message);
        }
        assert!(matches!(
            read("(;SZ[2]AB[aa][ab][ba][bb])", None),
            Err(GameError::SetUp(_))
        ));
    }

    #[test]
    fn a_record_survives_being_written() {
        for text in [
            "(;SZ[9:13]KM[-3.5]RU[Japanese];B[aa];W[];B[im])",
            "(;SZ[19]HA[3]AB[dd][pp][dp];W[qf];B[nc])",
            "(;SZ[5]AB[aa]AW[bb]PL[W];W[cc])",
        ] {
            let record = read(text, None).unwrap();
            let collection = Collection {
                games: vec![write_game(&record)],
            };
            let again = read(&write(&collection), None).unwrap();
            assert_eq!(again.moves(), record.moves(), "{text}");
            assert_eq!(again.rules(), record.rules(), "{text}");
            assert_eq!(
                again.position().situation_hash(),
                record.position().situation_hash(),
                "{text}"
            );
        }
        let mut record = read("(;SZ[9];B[aa])", None).unwrap();
        record.resign(Color::White);
        let tree = write_game(&record);
        let result = tree.node(tree.root()).value("RE").map(Value::simple_text);
        assert_eq!(result.as_deref(), Some("B+R"));
    }
}
