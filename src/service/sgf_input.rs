//! Parsing of games from clients, with limits on their size.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde::Deserialize;

use super::error::ServiceError;
use super::limits;
use crate::json_analysis::fields::{BoundedInteger, RequestError};
use crate::sgf::convert::GameError;
use crate::sgf::parse::decompress;
use crate::sgf::{
    Collection, GameTree, ParseError, ParsedSgf, PointOrSizeError, parse, parse_text, write,
};

/// Fields of a request that contains a game: either `goban` or `bytes`.
#[derive(Deserialize)]
pub struct SgfFields {
    /// The game as SGF text.
    goban: Option<String>,
    /// A game file in base64. It may be compressed and in any character set.
    bytes: Option<String>,
    /// Number of the game in a file with several games, from 0.
    game: Option<BoundedInteger<0, { i64::MAX }, usize>>,
}

/// A game from a client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GameSource {
    /// SGF text that has already been decoded.
    Text(String),
    /// Contents of a file that is not compressed.
    Bytes(Vec<u8>),
}

/// The first game of a file.
#[derive(Debug)]
pub struct FirstGame {
    pub tree: GameTree,
    /// The other games in the file.
    pub others: Vec<GameTree>,
    /// Summary of the deviations from the SGF standard, if there are any.
    pub warning: Option<String>,
}

/// Error in a game from a client.
#[derive(Debug, thiserror::Error)]
pub enum SgfInputError {
    #[error(transparent)]
    Parse(#[from] ParseError),
    /// There are too many nodes.
    #[error("the game file is too large: about {found} nodes and variations (at most {max})", max = limits::MAX_SGF_NODES)]
    TooManyNodes { found: usize },
    /// There are too many set-up points.
    #[error("the game file is too large: more set-up stones than allowed (at most {max} set-up points)", max = limits::MAX_SGF_SETUP_POINTS)]
    TooManySetupPoints,
    /// The text contains several games, but only one is allowed.
    #[error("the file contains {0} games, but only one can be stored at a time")]
    MultipleGames(usize),
    /// The game is too long.
    #[error("this game is too long: {found} moves (at most {max})", max = limits::MAX_GAME_MOVES)]
    TooManyMoves { found: usize },
    /// A value is not a point.
    #[error(transparent)]
    Point(#[from] PointOrSizeError),
    /// A move cannot be played.
    #[error(transparent)]
    Game(#[from] GameError),
}

impl SgfFields {
    /// Returns the game of the request. Decompresses a file.
    ///
    /// # Errors
    /// Returns an error unless exactly one of `goban` and `bytes` is set, if the file is not in base64, is damaged or is
    /// too long, or if it does not contain the requested `game`.
    pub fn into_source(self) -> Result<GameSource, ServiceError> {
        let game = self.game;
        let file = self.into_file()?;
        match game {
            Some(BoundedInteger(index)) => file.into_game(index),
            None => Ok(file),
        }
    }

    fn into_file(self) -> Result<GameSource, RequestError> {
        let text = match (self.goban, self.bytes) {
            (Some(goban), None) => return Ok(GameSource::Text(goban)),
            (None, Some(bytes)) => bytes,
            (None, None) => return Err(RequestError::new("goban", "missing")),
            (Some(_), Some(_)) => {
                return Err(RequestError::new("bytes", "expected either goban or bytes"));
            }
        };
        let file = BASE64_STANDARD.decode(text.trim());
        let file = file.map_err(|_| RequestError::new("bytes", "expected a file in base64"))?;
        let contents = decompress(&file, limits::MAX_FILE_BYTES);
        let contents = contents.map_err(|error| RequestError::new("bytes", error.to_string()))?;
        Ok(GameSource::Bytes(contents.into_owned()))
    }
}

impl GameSource {
    fn as_bytes(&self) -> &[u8] {
        match self {
            Self::Text(text) => text.as_bytes(),
            Self::Bytes(bytes) => bytes,
        }
    }

    /// Returns only the game with an index.
    fn into_game(self, index: usize) -> Result<Self, ServiceError> {
        let mut games = self.parse()?.collection.games;
        let count = games.len();
        if index >= count {
            let message = format!("{index} is too large; the file contains {count} games");
            return Err(RequestError::new("game", message).into());
        }
        let games = vec![games.swap_remove(index)];
        Ok(Self::Text(write(&Collection { games })))
    }

    /// Parses all games.
    ///
    /// # Errors
    /// Returns an error if there is no game or there are too many nodes.
    pub fn parse(&self) -> Result<ParsedSgf, SgfInputError> {
        // The nodes are counted before the text is parsed, because parsing takes memory. The count is an upper bound,
        // because it includes semicolons and parentheses in comments.
        let node_count = self
            .as_bytes()
            .iter()
            .filter(|byte| matches!(byte, b';' | b'('));
        let node_count = node_count.count();
        if node_count > limits::MAX_SGF_NODES {
            return Err(SgfInputError::TooManyNodes { found: node_count });
        }
        Ok(match self {
            Self::Text(text) => parse_text(text)?,
            Self::Bytes(bytes) => parse(bytes)?,
        })
    }

    /// Parses the first game.
    ///
    /// # Errors
    /// See [`GameSource::parse`].
    pub fn parse_first_game(&self) -> Result<FirstGame, SgfInputError> {
        let parsed = self.parse()?;
        let warning = parsed.warning_summary();
        let mut games = parsed.collection.games;
        let others = games.split_off(1);
        Ok(FirstGame {
            // A parsed file has at least one game.
            tree: games.swap_remove(0),
            others,
            warning,
        })
    }
}
