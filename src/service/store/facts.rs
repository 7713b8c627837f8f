//! What is known of a game without looking at its moves again.

use crate::game::rules::Rules;
use crate::service::limits;
use crate::service::text::{TextError, first_game};
use crate::sgf::record::read_game;
use crate::sgf::{GameTree, Value};

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

/// Reads a game file that holds one game, every move of it possible.
///
/// # Errors
/// When it holds none.
pub fn read(sgf: &str, usual: Rules) -> Result<(GameTree, Facts), TextError> {
    let (tree, others) = first_game(sgf)?;
    if others > 0 {
        return Err(TextError::Several(others + 1));
    }
    let root = tree.node(tree.root());
    let text = |name| {
        let text = root.value(name).map(Value::simple_text).unwrap_or_default();
        text.chars().take(LONGEST).collect::<String>()
    };
    let nodes = tree.main_line().map(|id| tree.node(id));
    let moves = nodes.map(|node| ["B", "W"].iter().filter(|name| node.has(name)).count());
    let moves = moves.sum();
    if moves > limits::GAME {
        return Err(TextError::Long { found: moves });
    }
    let record = read_game(&tree, usual)?;
    let facts = Facts {
        black: text("PB"),
        white: text("PW"),
        date: text("DT"),
        result: text("RE"),
        width: record.size().width(),
        height: record.size().height(),
        komi: record.rules().komi.points(),
        rules: text("RU"),
        moves,
    };
    Ok((tree, facts))
}
