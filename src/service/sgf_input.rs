//! Game files as clients send them, read within limits.

use super::limits;
use crate::sgf::convert::GameError;
use crate::sgf::{GameTree, ParseError, PointError, parse_text};

/// Why a text is no game that can be used.
#[derive(Debug, thiserror::Error)]
pub enum SgfInputError {
    /// It is no game file.
    #[error(transparent)]
    Parse(#[from] ParseError),
    /// It has too many nodes.
    #[error("expected at most {most} nodes and variations, found about {found}", most = limits::MAX_SGF_NODES)]
    TooManyNodes {
        /// How many.
        found: usize,
    },
    /// It sets up too many stones.
    #[error("expected at most {most} points set up in all nodes together, found more", most = limits::MAX_SETUP_POINTS)]
    TooManySetupPoints,
    /// It holds several games.
    #[error("expected one game, found {0}")]
    MultipleGames(usize),
    /// It is too long.
    #[error("expected at most {most} moves, found {found}", most = limits::MAX_GAME_MOVES)]
    TooManyMoves {
        /// How many moves.
        found: usize,
    },
    /// A value is no point.
    #[error(transparent)]
    Point(#[from] PointError),
    /// Its moves cannot be made.
    #[error(transparent)]
    Game(#[from] GameError),
}

/// The first game of a file, and how many others there are.
///
/// # Errors
/// When it holds none, or more than the limits allow.
pub fn first_game(sgf: &str) -> Result<(GameTree, usize), SgfInputError> {
    // Looked at before anything is built; what stands within comments is of no account.
    let node_count = sgf.bytes().filter(|byte| matches!(byte, b';' | b'('));
    let node_count = node_count.count();
    if node_count > limits::MAX_SGF_NODES {
        return Err(SgfInputError::TooManyNodes { found: node_count });
    }
    let mut games = parse_text(sgf)?.collection.games;
    let other_games = games.len() - 1;
    // A file that was read has a game.
    Ok((games.swap_remove(0), other_games))
}
