//! What is known of a game without looking at its moves again.

use crate::game::rules::Rules;
use crate::service::limits;
use crate::service::sgf_input::{SgfInputError, first_game};
use crate::sgf::convert::read_game;
use crate::sgf::{GameTree, Value};

/// Characters kept of a fact.
const MAX_TEXT_CHARS: usize = 200;

/// The facts of a game.
#[derive(Clone, Debug, PartialEq)]
pub struct GameInfo {
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
pub fn read_single_game(
    sgf: &str,
    default_rules: Rules,
) -> Result<(GameTree, GameInfo), SgfInputError> {
    let (tree, other_games) = first_game(sgf)?;
    if other_games > 0 {
        return Err(SgfInputError::MultipleGames(other_games + 1));
    }
    let root = tree.node(tree.root());
    let text = |name| {
        let text = root.value(name).map(Value::simple_text).unwrap_or_default();
        text.chars().take(MAX_TEXT_CHARS).collect::<String>()
    };
    let nodes = tree.main_line().map(|id| tree.node(id));
    let moves = nodes.map(|node| ["B", "W"].iter().filter(|name| node.has(name)).count());
    let moves = moves.sum();
    if moves > limits::MAX_GAME_MOVES {
        return Err(SgfInputError::TooManyMoves { found: moves });
    }
    let record = read_game(&tree, default_rules)?;
    let info = GameInfo {
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
    Ok((tree, info))
}
