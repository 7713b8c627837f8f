//! Metadata of a game, extracted when the game is saved.

use serde::Serialize;

use crate::game::rules::Rules;
use crate::service::limits;
use crate::service::sgf_input::{FirstGame, GameSource, SgfInputError};
use crate::service::warning::Warning;
use crate::sgf::convert::read_playable;
use crate::sgf::{GameTree, Value, parse_text};

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
    /// Number of moves in the main line that can be played.
    pub moves: usize,
    #[serde(flatten)]
    pub event: EventInfo,
}

/// Texts about the event at which a game was played. They are empty if the file does not contain them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct EventInfo {
    /// The event or, if there is none, the name of the game.
    pub event: String,
    pub place: String,
    /// The comment on the game or, if there is none, the comment on its first position.
    pub comment: String,
}

impl EventInfo {
    /// Returns the texts of a game record. If it cannot be read, they are empty.
    pub fn of_sgf(sgf: &str) -> Self {
        parse_text(sgf).map_or_else(|_| Self::default(), |parsed| Self::of(parsed.first_game()))
    }

    fn of(tree: &GameTree) -> Self {
        let first = |names: [&str; 2]| {
            let texts = names.map(|name| root_text(tree, name));
            texts.into_iter().find(|text| !text.is_empty())
        };
        Self {
            event: first(["EV", "GN"]).unwrap_or_default(),
            place: root_text(tree, "PC"),
            comment: first(["GC", "C"]).unwrap_or_default(),
        }
    }
}

/// Returns the text of a property of the root, truncated to the maximum length.
fn root_text(tree: &GameTree, name: &str) -> String {
    let value = tree.node(tree.root()).value(name);
    let text = value.map(Value::simple_text).unwrap_or_default();
    text.chars().take(MAX_TEXT_CHARS).collect()
}

/// A game read from a client or the store.
#[derive(Debug)]
pub struct SingleGame {
    pub tree: GameTree,
    pub info: GameInfo,
    /// Warnings about the game. It may end before a move that cannot be played.
    pub warnings: Vec<Warning>,
}

/// Parses a source that contains exactly one game, and plays its moves up to the first impossible one.
///
/// # Errors
/// Returns an error if the source does not contain exactly one valid game, or if it exceeds a limit.
pub fn read_single_game(
    source: &GameSource,
    default_rules: Rules,
) -> Result<SingleGame, SgfInputError> {
    let FirstGame {
        tree,
        others,
        warning,
    } = source.parse_first_game()?;
    if !others.is_empty() {
        return Err(SgfInputError::MultipleGames(others.len() + 1));
    }
    read_game(tree, warning, default_rules)
}

/// Plays the moves of a game up to the first impossible one. `warning` is a warning about its file.
///
/// # Errors
/// Returns an error if the game is invalid or exceeds a limit.
pub fn read_game(
    tree: GameTree,
    warning: Option<String>,
    default_rules: Rules,
) -> Result<SingleGame, SgfInputError> {
    let text = |name| root_text(&tree, name);
    let nodes = tree.main_line().map(|id| tree.node(id));
    let moves = nodes.map(|node| ["B", "W"].iter().filter(|name| node.has(name)).count());
    let moves = moves.sum();
    if moves > limits::MAX_GAME_MOVES {
        return Err(SgfInputError::TooManyMoves { found: moves });
    }
    let part = read_playable(&tree, default_rules)?;
    let record = &part.record;
    let info = GameInfo {
        black: text("PB"),
        white: text("PW"),
        date: text("DT"),
        result: text("RE"),
        size: (record.size().width(), record.size().height()),
        komi: record.rules().komi.points(),
        rules: text("RU"),
        moves: part.moves_played,
        event: EventInfo::of(&tree),
    };
    let warnings = Warning::for_game(warning, &part);
    Ok(SingleGame {
        tree,
        info,
        warnings,
    })
}
