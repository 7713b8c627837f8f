//! SGF parser: bytes to trees, in one pass, without recursion and within fixed limits.
//!
//! The parser is lenient. A deviation from the standard becomes a [`ParseWarning`] if the rest of the file can still be
//! interpreted; only files without any game and files that exceed the limits are errors. If a file is truncated, the
//! parser returns the nodes before the cut and drops the value that the cut interrupts.

use std::borrow::Cow;
use std::io::Read;

use flate2::read::MultiGzDecoder;
use thiserror::Error;

use super::charset::{self, DecodedText};
use super::other_formats::{self, ServerGame};
use super::repair;
use super::scan::{MAX_WARNINGS, Scanner, SyntaxError};
use super::tree::{Collection, GameTree, Node, NodeId, is_identifier};
use super::value::Value;

/// Maximum size of a file in bytes.
pub const MAX_BYTES: usize = 64 << 20;
/// Maximum total number of nodes, values and variations in a file. Limits the tree to about 400 MB.
pub const MAX_ITEMS: usize = 2_000_000;
/// Maximum number of distinct properties per node. The standard defines about seventy.
pub const MAX_PROPERTIES_PER_NODE: usize = 128;

/// First bytes of a gzip file.
const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];

/// A parsed file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParsedSgf {
    /// The games, at least one.
    pub collection: Collection,
    /// Name of the character set used for decoding, as in the Encoding Standard.
    pub charset: &'static str,
    /// Deviations from the standard, roughly in file order. There are at most 100.
    pub warnings: Vec<ParseWarning>,
    /// True if the file ends inside its last game.
    pub is_truncated: bool,
}

impl ParsedSgf {
    pub fn first_game(&self) -> &GameTree {
        &self.collection.games[0]
    }

    /// Returns a one-line summary of the warnings: the first one and the number of others. Returns `None` if there are
    /// no warnings.
    pub fn warning_summary(&self) -> Option<String> {
        let (first, remaining) = self.warnings.split_first()?;
        Some(match remaining.len() {
            0 => first.to_string(),
            count => format!("{first} (and {count} more)"),
        })
    }
}

/// A deviation from the standard that the parser could work around.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ParseWarning {
    /// The declared character set does not match the bytes.
    #[error("{0}")]
    Charset(String),
    /// The parser repaired the structure of the file or skipped a part of it.
    #[error("{0}")]
    Syntax(SyntaxError),
    /// The points of a game were written as on a printed board.
    #[error("the points of the game are written as E5 instead of ee")]
    Vertices,
}

/// Error for a file that contains no game or exceeds a limit.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ParseError {
    /// The file contains no game.
    #[error("{0}")]
    NoGame(SyntaxError),
    /// The file is longer than [`MAX_BYTES`].
    #[error("the file has {found} bytes; the maximum is {MAX_BYTES}")]
    TooLong {
        /// Length of the file in bytes.
        found: usize,
    },
    /// The file is compressed, and its contents are too long.
    #[error("the decompressed file has more than {max_bytes} bytes")]
    DecompressedTooLong {
        /// Maximum length of the contents in bytes.
        max_bytes: usize,
    },
    /// The file is compressed and damaged.
    #[error("the gzip file is damaged: {0}")]
    Gzip(String),
    /// The file is in the format of a server and cannot be read.
    #[error("{0}")]
    OtherFormat(SyntaxError),
    /// The file exceeds [`MAX_ITEMS`] or [`MAX_PROPERTIES_PER_NODE`].
    #[error("{0}")]
    TooMany(SyntaxError),
}

/// Parses all games of a file. The file may be compressed with gzip, and in the formats of Tygem, WBaduk and Pandanet.
///
/// # Errors
/// Returns an error if the file contains no game, exceeds a limit or is damaged.
pub fn parse(bytes: &[u8]) -> Result<ParsedSgf, ParseError> {
    if bytes.len() > MAX_BYTES {
        return Err(ParseError::TooLong { found: bytes.len() });
    }
    let bytes = decompress(bytes, MAX_BYTES)?;
    let candidates = charset::decode(&bytes).into_iter();
    candidates
        .map(parse_decoded)
        .reduce(better_interpretation)
        .map_or_else(
            || parse_text(""),
            |result| result.map(|interpretation| interpretation.parsed),
        )
}

/// Parses all games of a text that has already been decoded. Ignores the character set that the text declares.
///
/// # Errors
/// See [`parse`].
pub fn parse_text(text: &str) -> Result<ParsedSgf, ParseError> {
    if text.len() > MAX_BYTES {
        return Err(ParseError::TooLong { found: text.len() });
    }
    let interpretation = parse_decoded(charset::from_text(text))?;
    Ok(interpretation.parsed)
}

/// Decompresses a gzip file of one or more parts. Returns other bytes unchanged.
///
/// # Errors
/// Returns an error if the file is damaged or its contents are longer than `max_bytes`.
pub fn decompress(bytes: &[u8], max_bytes: usize) -> Result<Cow<'_, [u8]>, ParseError> {
    if !bytes.starts_with(&GZIP_MAGIC) {
        return Ok(Cow::Borrowed(bytes));
    }
    let mut contents = Vec::new();
    let limit = max_bytes as u64 + 1;
    let result = MultiGzDecoder::new(bytes)
        .take(limit)
        .read_to_end(&mut contents);
    result.map_err(|error| ParseError::Gzip(error.to_string()))?;
    if contents.len() > max_bytes {
        return Err(ParseError::DecompressedTooLong { max_bytes });
    }
    Ok(Cow::Owned(contents))
}

/// A parsed file, with the number of its nodes, values and variations.
struct Interpretation {
    parsed: ParsedSgf,
    item_count: usize,
}

/// Returns the better interpretation of a file whose character set is uncertain: the one with fewer errors or, if there
/// are equally many, with more contents. A wrong character set may hide the end of a value, so that the value includes
/// the text after it. Prefers `first` if both are equally good.
fn better_interpretation(
    first: Result<Interpretation, ParseError>,
    second: Result<Interpretation, ParseError>,
) -> Result<Interpretation, ParseError> {
    match (first, second) {
        (Ok(first), Ok(second)) => {
            let key = |it: &Interpretation| (it.parsed.warnings.len(), usize::MAX - it.item_count);
            Ok(if key(&second) < key(&first) {
                second
            } else {
                first
            })
        }
        (Err(_), Ok(second)) => Ok(second),
        (first, _) => first,
    }
}

fn parse_decoded(decoded: DecodedText) -> Result<Interpretation, ParseError> {
    if let Some(game) = other_formats::read(&decoded.text) {
        let ServerGame { tree, warning } = game.map_err(ParseError::OtherFormat)?;
        let item_count = tree.node_count();
        let syntax = warning.map(ParseWarning::Syntax).into_iter();
        let parsed = ParsedSgf {
            collection: Collection { games: vec![tree] },
            charset: decoded.charset,
            warnings: decoded
                .warning
                .map(ParseWarning::Charset)
                .into_iter()
                .chain(syntax)
                .collect(),
            is_truncated: false,
        };
        return Ok(Interpretation { parsed, item_count });
    }
    let mut parser = Parser {
        scanner: Scanner::new(&decoded.text),
        item_count: 0,
        is_truncated: false,
    };
    let mut games = parser.parse_games().map_err(ParseError::TooMany)?;
    let (is_truncated, item_count) = (parser.is_truncated, parser.item_count);
    let mut scanner = parser.scanner;
    if games.is_empty() {
        scanner.offset = 0;
        scanner.skip_space();
        let error = scanner.error_at(scanner.offset, "'(;' at the start of a game");
        return Err(ParseError::NoGame(error));
    }
    let mut warnings: Vec<_> = decoded
        .warning
        .map(ParseWarning::Charset)
        .into_iter()
        .collect();
    warnings.extend(scanner.warnings.into_iter().map(ParseWarning::Syntax));
    for game in &mut games {
        warnings.extend(repair::convert_vertices(game).then_some(ParseWarning::Vertices));
    }
    warnings.truncate(MAX_WARNINGS);
    let parsed = ParsedSgf {
        collection: Collection { games },
        charset: decoded.charset,
        warnings,
        is_truncated,
    };
    Ok(Interpretation { parsed, item_count })
}

/// Kind of the previous token, which determines the valid next tokens.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LastToken {
    Start,
    Opening,
    Node,
    Closing,
}

/// A tree under construction and the current position in it.
struct TreeBuilder {
    tree: GameTree,
    /// The most recent node of the current variation, or the root if no node has been read yet.
    current: NodeId,
    /// For each open parenthesis, the node from which the variation continues.
    branch_points: Vec<NodeId>,
    last_token: LastToken,
    /// True once the root has been read.
    has_root: bool,
}

impl TreeBuilder {
    fn new() -> Self {
        let tree = GameTree::new();
        Self {
            current: tree.root(),
            tree,
            branch_points: Vec::new(),
            last_token: LastToken::Start,
            has_root: false,
        }
    }

    fn begin_node(&mut self) {
        if self.has_root {
            self.current = self.tree.add_child(self.current);
        }
        self.has_root = true;
        self.last_token = LastToken::Node;
    }

    fn node(&mut self) -> &mut Node {
        self.tree.node_mut(self.current)
    }
}

/// Returns true if a property with this name is a move.
fn is_move(identifier: &str) -> bool {
    matches!(identifier, "B" | "W")
}

/// Parser state. Its methods fail only if a limit is exceeded.
struct Parser<'a> {
    scanner: Scanner<'a>,
    item_count: usize,
    /// True if the text ended inside a game.
    is_truncated: bool,
}

impl Parser<'_> {
    fn parse_games(&mut self) -> Result<Vec<GameTree>, SyntaxError> {
        let mut games = Vec::new();
        while self.seek_game(!games.is_empty()) {
            games.extend(self.parse_game()?);
        }
        if games.is_empty() && self.seek_bare_node() {
            self.scanner.warn("'(' to begin a game");
            games.extend(self.parse_game()?);
        }
        let is_empty =
            |game: &GameTree| game.node_count() == 1 && *game.node(game.root()) == Node::default();
        if !games.iter().all(is_empty) {
            // The text before a game may contain `(;)`.
            games.retain(|game| !is_empty(game));
        }
        Ok(games)
    }

    /// Moves to the start of the next game and returns true, or moves to the end of the file and returns false.
    ///
    /// A game starts with `(` followed by `;`, or by a property, because some programs omit the first semicolon. If
    /// `only_space_before` is true, any text other than white space before the game or the end of the file causes a
    /// warning.
    fn seek_game(&mut self, only_space_before: bool) -> bool {
        self.scanner.skip_space();
        let start = self.scanner.offset;
        let is_found = self.seek_opening();
        let end = if is_found {
            self.scanner.offset
        } else {
            self.scanner.text.len()
        };
        if only_space_before && end > start {
            self.scanner.offset = start;
            self.scanner
                .warn("'(;' to begin another game, or the end of the file");
            self.scanner.offset = end;
        }
        is_found
    }

    /// Moves to the next `(` that starts a game and returns true, or moves to the end of the file and returns false.
    fn seek_opening(&mut self) -> bool {
        let bytes = self.scanner.text.as_bytes();
        while let Some(distance) = bytes[self.scanner.offset..]
            .iter()
            .position(|&byte| byte == b'(')
        {
            let opening = self.scanner.offset + distance;
            self.scanner.offset = opening + 1;
            self.scanner.skip_space();
            let is_game_start = match self.scanner.peek() {
                Some(b';') => self.is_at_first_node(),
                _ => self.is_at_property(),
            };
            self.scanner.offset = opening + usize::from(!is_game_start);
            if is_game_start {
                return true;
            }
        }
        self.scanner.offset = bytes.len();
        false
    }

    /// Returns true if the `;` at the current position begins the first node of a game, and not a smiley such as `(;-)`
    /// in the text before it.
    fn is_at_first_node(&mut self) -> bool {
        let semicolon = self.scanner.offset;
        self.scanner.offset += 1;
        self.scanner.skip_space();
        let is_node = match self.scanner.peek() {
            None | Some(b';' | b'(' | b')' | b'[') => true,
            Some(byte) if byte.is_ascii_alphabetic() => {
                self.scanner.take_while(|byte| byte.is_ascii_alphanumeric());
                self.scanner.skip_space();
                matches!(self.scanner.peek(), None | Some(b'['))
            }
            Some(_) => false,
        };
        self.scanner.offset = semicolon;
        is_node
    }

    /// Moves to the first `;` that is followed by a property. Returns false if no such `;` exists. Some programs copy a
    /// game without its parentheses.
    fn seek_bare_node(&mut self) -> bool {
        let mut search_start = 0;
        let text = self.scanner.text;
        while let Some(distance) = text[search_start..].find(';') {
            let semicolon = search_start + distance;
            self.scanner.offset = semicolon + 1;
            self.scanner.skip_space();
            if self.is_at_property() {
                self.scanner.offset = semicolon;
                return true;
            }
            search_start = semicolon + 1;
        }
        false
    }

    /// Returns true if a property starts at the current position. In any case, moves past the letters and digits and
    /// any white space after them. A property name must have one or two capital letters here: in the text before a
    /// game, such a word is rarely followed by a bracket.
    fn is_at_property(&mut self) -> bool {
        let start = self.scanner.offset;
        self.scanner.take_while(|byte| byte.is_ascii_alphanumeric());
        let name = &self.scanner.text.as_bytes()[start..self.scanner.offset];
        let capitals = name.iter().filter(|byte| byte.is_ascii_uppercase()).count();
        self.scanner.skip_space();
        (1..=2).contains(&capitals) && self.scanner.peek() == Some(b'[')
    }

    /// Parses one game, from `(` to the matching `)`. Returns `None` if the game has no nodes.
    fn parse_game(&mut self) -> Result<Option<GameTree>, SyntaxError> {
        let mut builder = TreeBuilder::new();
        loop {
            self.scanner.skip_space();
            match self.scanner.peek() {
                None => {
                    self.scanner.warn("')' to close the game");
                    self.is_truncated = true;
                    break;
                }
                Some(b'(') => self.parse_opening(&mut builder)?,
                Some(b')') => {
                    self.parse_closing(&mut builder);
                    if builder.branch_points.is_empty() {
                        break;
                    }
                }
                Some(b';') => {
                    if builder.last_token == LastToken::Closing {
                        self.scanner.warn("'(' to begin a variation, or ')'");
                    }
                    self.count_item()?;
                    self.scanner.offset += 1;
                    builder.begin_node();
                }
                Some(byte) if byte.is_ascii_alphabetic() => self.parse_property(&mut builder)?,
                Some(b'[') => {
                    self.scanner.warn("a property before its value");
                    self.scanner.parse_value();
                }
                Some(_) => {
                    self.scanner.warn("';', '(', ')' or a property");
                    self.scanner
                        .take_while(|byte| !b";()[".contains(&byte) && !byte.is_ascii_alphabetic());
                }
            }
        }
        Ok(builder.has_root.then_some(builder.tree))
    }

    fn parse_opening(&mut self, builder: &mut TreeBuilder) -> Result<(), SyntaxError> {
        if builder.last_token == LastToken::Opening {
            self.scanner.warn("';' to begin a node");
        }
        self.count_item()?;
        self.scanner.offset += 1;
        builder.branch_points.push(builder.current);
        builder.last_token = LastToken::Opening;
        Ok(())
    }

    fn parse_closing(&mut self, builder: &mut TreeBuilder) {
        if builder.last_token == LastToken::Opening {
            self.scanner.warn("';' to begin a node");
        }
        self.scanner.offset += 1;
        builder.current = builder.branch_points.pop().unwrap_or(builder.current);
        builder.last_token = LastToken::Closing;
    }

    /// Parses a property and adds it to the current node. A property outside a node starts a new node.
    fn parse_property(&mut self, builder: &mut TreeBuilder) -> Result<(), SyntaxError> {
        let start = self.scanner.offset;
        let name = self.scanner.take_while(|byte| byte.is_ascii_alphanumeric());
        self.scanner.skip_space();
        if self.scanner.peek() != Some(b'[') {
            self.scanner.warn("'[' to begin the value of a property");
            return Ok(());
        }
        // `FF[1]` to `FF[3]` allow long names in which lower-case letters are ignored: AddBlack means AB.
        let mut identifier: String = name
            .chars()
            .filter(|letter| !letter.is_ascii_lowercase())
            .collect();
        if !is_identifier(&identifier) {
            self.scanner
                .warn_at(start, "a property name in capital letters");
            identifier = name.to_ascii_uppercase();
        }
        let values = self.parse_values()?;
        if values.is_empty() {
            return Ok(());
        }
        if builder.last_token != LastToken::Node {
            self.scanner.warn_at(start, "';' to begin a node");
            self.count_item()?;
            builder.begin_node();
        }
        if is_move(&identifier) {
            return self.add_moves(builder, start, &identifier, values);
        }
        let node = builder.node();
        if node.has(&identifier) {
            // The Fox server names both its own program and another one.
            if identifier != "AP" {
                self.scanner
                    .warn_at(start, "a property that the node does not have yet");
            }
        } else if node.properties().len() == MAX_PROPERTIES_PER_NODE {
            return Err(self
                .scanner
                .error_at(start, "at most 128 properties in a node"));
        }
        node.extend(&identifier, values);
        Ok(())
    }

    /// Adds moves to the current node. Each move gets a separate node, so that no move and no comment is lost.
    fn add_moves(
        &mut self,
        builder: &mut TreeBuilder,
        start: usize,
        identifier: &str,
        values: Vec<Value>,
    ) -> Result<(), SyntaxError> {
        for value in values {
            let mut properties = builder.node().properties().iter();
            if properties.any(|property| is_move(property.identifier())) {
                self.scanner
                    .warn_at(start, "';' to begin the node of another move");
                self.count_item()?;
                builder.begin_node();
            }
            builder.node().set(identifier, value);
        }
        Ok(())
    }

    /// Parses consecutive values. If the file ends inside a value, that value is dropped.
    fn parse_values(&mut self) -> Result<Vec<Value>, SyntaxError> {
        let mut values = Vec::new();
        while self.scanner.peek() == Some(b'[') {
            self.count_item()?;
            values.extend(self.scanner.parse_value());
            self.scanner.skip_space();
        }
        values.shrink_to_fit();
        Ok(values)
    }

    fn count_item(&mut self) -> Result<(), SyntaxError> {
        self.item_count += 1;
        if self.item_count > MAX_ITEMS {
            let expected = "at most two million nodes, values and variations";
            return Err(self.scanner.error_at(self.scanner.offset, expected));
        }
        Ok(())
    }
}
