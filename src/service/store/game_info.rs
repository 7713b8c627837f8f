//! Metadata of a game, extracted when the game is saved.

use serde::Serialize;

use crate::game::rules::Rules;
use crate::service::limits;
use crate::service::sgf_input::{SgfInputError, parse_first_game};
use crate::sgf::convert::read_game;
use crate::sgf::{GameTree, Value};

/// Maximum length of each text in characters. Longer texts are truncated.
const MAX_TEXT_CHARS: usize = 200;

/// Metadata of a game. A text is empty if the file does not contain the property.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GameInfo {
    pub black: String,
    pub white: String,
    /// Date as in the file. According to the SGF standard, it starts with `YYYY-MM-DD`.
    pub date: String,
    /// Result, such as `B+3.5`.
    pub result: String,
    /// Number of columns, then number of rows.
    pub size: (usize, usize),
    /// Komi in points.
    pub komi: f64,
    /// Name of the rules, as in the file.
    pub rules: String,
    /// Number of moves in the main line.
    pub moves: usize,
}

/// Parses SGF text that contains exactly one game, and checks that its moves can be played.
///
/// # Errors
/// Returns an error if the text does not contain exactly one valid game, or if it exceeds a limit.
pub fn read_single_game(
    sgf: &str,
    default_rules: Rules,
) -> Result<(GameTree, GameInfo), SgfInputError> {
    let (tree, other_games) = parse_first_game(sgf)?;
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
        size: (record.size().width(), record.size().height()),
        komi: record.rules().komi.points(),
        rules: text("RU"),
        moves,
    };
    Ok((tree, info))
}
