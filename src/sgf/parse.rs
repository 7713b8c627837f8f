//! From the bytes of an SGF file to its trees, in one pass, without recursion and within fixed limits.
//!
//! The structure is read forgivingly: a departure from the standard becomes a [`Warning`] wherever the rest of the file
//! still makes sense, and only a file without any game, or past the limits, is an error. A file that was cut off
//! gives the nodes before the cut; of the value the cut fell into nothing is kept.

use thiserror::Error;

use super::charset::{self, Decoded};
use super::scan::{Fault, MAX_FAULTS, Scanner};
use super::tree::{Collection, GameTree, Node, NodeId, is_identifier};
use super::value::Value;

/// Largest file accepted, in bytes.
pub const MAX_BYTES: usize = 64 << 20;
/// Largest number of nodes, values and opened variations accepted in one file; it bounds the tree to some 400 MB.
pub const MAX_ITEMS: usize = 2_000_000;
/// Largest number of different properties accepted in one node (the standard knows about seventy).
pub const MAX_PROPERTIES: usize = 128;

/// A file as it was understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parsed {
    /// The games, at least one.
    pub collection: Collection,
    /// The character set the bytes were read in, by its name in the Encoding Standard.
    pub charset: &'static str,
    /// What was not as the standard demands, in the order of the file, a hundred at most.
    pub warnings: Vec<Warning>,
    /// Whether the file ends before its last game does.
    pub is_cut_short: bool,
}

impl Parsed {
    /// The first game.
    #[must_use]
    pub fn first(&self) -> &GameTree {
        &self.collection.games[0]
    }

    /// What was not as the standard demands, in a line for people: the first of the warnings, and how many follow it.
    #[must_use]
    pub fn warning_summary(&self) -> Option<String> {
        let (first, others) = self.warnings.split_first()?;
        Some(match others.len() {
            0 => first.to_string(),
            more => format!("{first} (and {more} more)"),
        })
    }
}

/// A departure from the standard that did not prevent reading.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Warning {
    /// The character set named and the bytes do not agree.
    #[error("{0}")]
    Charset(String),
    /// The structure was mended or something was skipped.
    #[error("{0}")]
    Syntax(Fault),
}

/// Why a file gives no games.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ParseError {
    /// Nowhere in the file does a game begin.
    #[error("{0}")]
    NoGame(Fault),
    /// The file is longer than [`MAX_BYTES`].
    #[error("expected a file of at most {MAX_BYTES} bytes, found {found}")]
    TooLong {
        /// Its length in bytes.
        found: usize,
    },
    /// The file holds more than [`MAX_ITEMS`] or [`MAX_PROPERTIES`] allow.
    #[error("{0}")]
    TooMany(Fault),
}

/// Reads all games of a file.
///
/// # Errors
/// [`ParseError`]: no game in it, or too large.
pub fn parse(bytes: &[u8]) -> Result<Parsed, ParseError> {
    if bytes.len() > MAX_BYTES {
        return Err(ParseError::TooLong { found: bytes.len() });
    }
    parse_decoded(charset::decode(bytes))
}

/// The same for a text that reached us as such; what character set its bytes once were in, as it may still name, does
/// not matter.
///
/// # Errors
/// As [`parse`].
pub fn parse_text(text: &str) -> Result<Parsed, ParseError> {
    if text.len() > MAX_BYTES {
        return Err(ParseError::TooLong { found: text.len() });
    }
    parse_decoded(charset::of_text(text))
}

fn parse_decoded(decoded: Decoded) -> Result<Parsed, ParseError> {
    let mut reader = Reader {
        scan: Scanner::new(&decoded.text),
        items: 0,
        is_cut_short: false,
    };
    let games = reader.games().map_err(ParseError::TooMany)?;
    let is_cut_short = reader.is_cut_short;
    let mut scan = reader.scan;
    if games.is_empty() {
        scan.at = 0;
        scan.skip_space();
        let fault = scan.fault_at(scan.at, "'(;' somewhere in the file to begin a game");
        return Err(ParseError::NoGame(fault));
    }
    let mut warnings: Vec<_> = decoded.doubt.map(Warning::Charset).into_iter().collect();
    warnings.extend(scan.faults.into_iter().map(Warning::Syntax));
    warnings.truncate(MAX_FAULTS);
    Ok(Parsed {
        collection: Collection { games },
        charset: decoded.charset,
        warnings,
        is_cut_short,
    })
}

/// What stands before the next token; it decides which tokens are in order.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    Start,
    Opening,
    Node,
    Closing,
}

/// The tree under construction and the place in it.
struct Place {
    tree: GameTree,
    /// The node read last in this variation; the root before it is read.
    current: NodeId,
    /// For each open parenthesis, the node the variation continues from.
    open: Vec<NodeId>,
    before: Before,
    /// Whether the root has been read.
    rooted: bool,
}

impl Place {
    fn new() -> Self {
        let tree = GameTree::new();
        Self {
            current: tree.root(),
            tree,
            open: Vec::new(),
            before: Before::Start,
            rooted: false,
        }
    }

    fn begin_node(&mut self) {
        if self.rooted {
            self.current = self.tree.add_child(self.current);
        }
        self.rooted = true;
        self.before = Before::Node;
    }

    fn node(&mut self) -> &mut Node {
        self.tree.node_mut(self.current)
    }
}

/// Reads games; the only error is a fault that passes the limits.
struct Reader<'a> {
    scan: Scanner<'a>,
    items: usize,
    /// The text has ended within a game.
    is_cut_short: bool,
}

impl Reader<'_> {
    fn games(&mut self) -> Result<Vec<GameTree>, Fault> {
        let mut games = Vec::new();
        while self.seek_game(!games.is_empty()) {
            games.extend(self.game()?);
        }
        Ok(games)
    }

    /// Moves to the next `(` that a `;` follows, or a property: some programs leave out the first semicolon. Anything may
    /// precede the first game, but only space the others.
    fn seek_game(&mut self, only_space_before: bool) -> bool {
        self.scan.skip_space();
        let start = self.scan.at;
        let found = self.seek_opening();
        let end = if found {
            self.scan.at
        } else {
            self.scan.text.len()
        };
        if only_space_before && end > start {
            self.scan.at = start;
            self.scan
                .note("'(;' to begin another game, or the end of the file");
            self.scan.at = end;
        }
        found
    }

    /// Moves to the next `(` that begins a game.
    fn seek_opening(&mut self) -> bool {
        let bytes = self.scan.text.as_bytes();
        while let Some(distance) = bytes[self.scan.at..].iter().position(|&byte| byte == b'(') {
            let opening = self.scan.at + distance;
            self.scan.at = opening + 1;
            self.scan.skip_space();
            let begins = self.scan.peek() == Some(b';') || self.at_property();
            self.scan.at = opening + usize::from(!begins);
            if begins {
                return true;
            }
        }
        self.scan.at = bytes.len();
        false
    }

    /// Whether a property comes next. Of its name capital letters count, one or two, which prose before a game hardly has
    /// before a bracket.
    fn at_property(&mut self) -> bool {
        let start = self.scan.at;
        self.scan.take_while(|byte| byte.is_ascii_alphanumeric());
        let name = &self.scan.text.as_bytes()[start..self.scan.at];
        let capitals = name.iter().filter(|byte| byte.is_ascii_uppercase()).count();
        self.scan.skip_space();
        (1..=2).contains(&capitals) && self.scan.peek() == Some(b'[')
    }

    /// Reads one game, from its `(` to the matching `)`; `None` when it has no node.
    fn game(&mut self) -> Result<Option<GameTree>, Fault> {
        let mut place = Place::new();
        loop {
            self.scan.skip_space();
            match self.scan.peek() {
                None => {
                    self.scan.note("')' to close the game");
                    self.is_cut_short = true;
                    break;
                }
                Some(b'(') => self.opening(&mut place)?,
                Some(b')') => {
                    self.closing(&mut place);
                    if place.open.is_empty() {
                        break;
                    }
                }
                Some(b';') => {
                    if place.before == Before::Closing {
                        self.scan.note("'(' to begin a variation, or ')'");
                    }
                    self.count()?;
                    self.scan.at += 1;
                    place.begin_node();
                }
                Some(byte) if byte.is_ascii_alphabetic() => self.property(&mut place)?,
                Some(b'[') => {
                    self.scan.note("a property before its value");
                    self.scan.value();
                }
                Some(_) => {
                    self.scan.note("';', '(', ')' or a property");
                    self.scan
                        .take_while(|byte| !b";()[".contains(&byte) && !byte.is_ascii_alphabetic());
                }
            }
        }
        Ok(place.rooted.then_some(place.tree))
    }

    fn opening(&mut self, place: &mut Place) -> Result<(), Fault> {
        if place.before == Before::Opening {
            self.scan.note("';' to begin a node");
        }
        self.count()?;
        self.scan.at += 1;
        place.open.push(place.current);
        place.before = Before::Opening;
        Ok(())
    }

    fn closing(&mut self, place: &mut Place) {
        if place.before == Before::Opening {
            self.scan.note("';' to begin a node");
        }
        self.scan.at += 1;
        place.current = place.open.pop().unwrap_or(place.current);
        place.before = Before::Closing;
    }

    /// Reads a property with its values into the current node; one out of place begins a node of its own.
    fn property(&mut self, place: &mut Place) -> Result<(), Fault> {
        let start = self.scan.at;
        let written = self.scan.take_while(|byte| byte.is_ascii_alphanumeric());
        self.scan.skip_space();
        if self.scan.peek() != Some(b'[') {
            self.scan.note("'[' to begin the value of a property");
            return Ok(());
        }
        // FF[1] to FF[3] allow long names whose lower-case letters do not count: AddBlack is AB.
        let mut identifier: String = written
            .chars()
            .filter(|letter| !letter.is_ascii_lowercase())
            .collect();
        if !is_identifier(&identifier) {
            self.scan
                .note_at(start, "a property name in capital letters");
            identifier = written.to_ascii_uppercase();
        }
        let values = self.values()?;
        if values.is_empty() {
            return Ok(());
        }
        if place.before != Before::Node {
            self.scan.note_at(start, "';' to begin a node");
            self.count()?;
            place.begin_node();
        }
        let node = place.node();
        if node.has(&identifier) {
            self.scan.note_at(start, "each property once in a node");
        } else if node.properties().len() == MAX_PROPERTIES {
            return Err(self
                .scan
                .fault_at(start, "128 properties in a node at most"));
        }
        node.extend(&identifier, values);
        Ok(())
    }

    /// Reads values one after another; the last is left out when the file ends within it.
    fn values(&mut self) -> Result<Vec<Value>, Fault> {
        let mut values = Vec::new();
        while self.scan.peek() == Some(b'[') {
            self.count()?;
            values.extend(self.scan.value());
            self.scan.skip_space();
        }
        values.shrink_to_fit();
        Ok(values)
    }

    fn count(&mut self) -> Result<(), Fault> {
        self.items += 1;
        if self.items > MAX_ITEMS {
            let expected = "two million nodes, values and variations at most";
            return Err(self.scan.fault_at(self.scan.at, expected));
        }
        Ok(())
    }
}
