//! What is known of a game without looking at its moves again.

use crate::game::rules::Rules;
use crate::sgf::record::{GameError, read_game};
use crate::sgf::{GameTree, ParseError, Value, parse};

/// Characters kept of a fact.
const LONGEST: usize = 200;

/// The facts of a game.
#[derive(Clone, Debug, PartialEq)]
pub struct Facts {
    /// Who played Black; empty when the file does not say, as all texts.
    pub black: String,
    /// Who played White.
    pub white: String,
    /// When, as the file has it; files that keep to the standard begin with `YYYY-MM-DD`.
    pub date: String,
    /// The result, such as `B+3.5`.
    pub result: String,
    /// Columns of the board.
    pub width: usize,
    /// Rows of the board.
    pub height: usize,
    /// Komi in points.
    pub komi: f64,
    /// The rules' name, as the file has it.
    pub rules: String,
    /// Moves of the main line.
    pub moves: usize,
}

/// Why a text is no game that can be kept.
#[derive(Debug, thiserror::Error)]
pub enum TextError {
    /// It is no game file.
    #[error(transparent)]
    File(#[from] ParseError),
    /// It holds several games.
    #[error("expected one game, found {0}")]
    Several(usize),
    /// It is of another game than Go.
    #[error("expected a game of Go, GM[1], found GM[{0}]")]
    Other(String),
    /// Its moves cannot be made.
    #[error(transparent)]
    Game(#[from] GameError),
}

/// Reads a game file that holds one game, every move of it legal.
///
/// # Errors
/// When it holds none.
pub fn read(sgf: &str) -> Result<(GameTree, Facts), TextError> {
    let mut games = parse(sgf.as_bytes())?.collection.games;
    let tree = match (games.pop(), games.len()) {
        (Some(tree), 0) => tree,
        (_, others) => return Err(TextError::Several(others + 1)),
    };
    let root = tree.node(tree.root());
    let text = |name| {
        let text = root.value(name).map(Value::simple_text).unwrap_or_default();
        text.chars().take(LONGEST).collect::<String>()
    };
    let kind = text("GM");
    if !matches!(kind.trim(), "" | "1") {
        return Err(TextError::Other(kind));
    }
    let record = read_game(&tree, None, Rules::default())?;
    let nodes = tree.main_line().map(|id| tree.node(id));
    let moves = nodes.map(|node| ["B", "W"].iter().filter(|name| node.has(name)).count());
    let facts = Facts {
        black: text("PB"),
        white: text("PW"),
        date: text("DT"),
        result: text("RE"),
        width: record.size().width(),
        height: record.size().height(),
        komi: record.rules().komi.points(),
        rules: text("RU"),
        moves: moves.sum(),
    };
    Ok((tree, facts))
}
