//! Parsing of SGF text from clients, with limits on its size.

use super::limits;
use crate::sgf::convert::GameError;
use crate::sgf::{GameTree, ParseError, PointOrSizeError, parse_text};

/// Error in SGF text from a client.
#[derive(Debug, thiserror::Error)]
pub enum SgfInputError {
    #[error(transparent)]
    Parse(#[from] ParseError),
    /// There are too many nodes.
    #[error("expected at most {max} nodes and variations, found about {found}", max = limits::MAX_SGF_NODES)]
    TooManyNodes { found: usize },
    /// There are too many set-up points.
    #[error("expected at most {max} set-up points in all nodes, found more", max = limits::MAX_SGF_SETUP_POINTS)]
    TooManySetupPoints,
    /// The text contains several games, but only one is allowed.
    #[error("expected one game, found {0}")]
    MultipleGames(usize),
    /// The game is too long.
    #[error("expected at most {max} moves, found {found}", max = limits::MAX_GAME_MOVES)]
    TooManyMoves { found: usize },
    /// A value is not a point.
    #[error(transparent)]
    Point(#[from] PointOrSizeError),
    /// A move cannot be played.
    #[error(transparent)]
    Game(#[from] GameError),
}

/// Parses SGF text. Returns the first game and the number of other games.
///
/// # Errors
/// Returns an error if the text contains no game or too many nodes.
pub fn parse_first_game(sgf: &str) -> Result<(GameTree, usize), SgfInputError> {
    // The nodes are counted before the text is parsed, because parsing takes memory. The count is an upper bound,
    // because it includes semicolons and parentheses in comments.
    let node_count = sgf.bytes().filter(|byte| matches!(byte, b';' | b'('));
    let node_count = node_count.count();
    if node_count > limits::MAX_SGF_NODES {
        return Err(SgfInputError::TooManyNodes { found: node_count });
    }
    let mut games = parse_text(sgf)?.collection.games;
    let other_games = games.len() - 1;
    // A parsed file has at least one game.
    Ok((games.swap_remove(0), other_games))
}
