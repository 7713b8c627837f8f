//! Smart Game Format (SGF), the file format of Go game records: reading, writing and conversion.
//!
//! A file is decompressed and decoded to text (`charset`), split into tokens (`scan`) and parsed into trees of nodes with
//! properties ([`parse`](mod@parse), [`tree`], [`value`]). Files in the formats of some servers (`other_formats`) become
//! the same trees. [`convert`] translates between the main line of a tree and a game record, with the help of [`points`]
//! and `game_info`; [`warning`] contains its warnings. [`write`](mod@write) produces the text of a tree.
//!
//! The parser reads `FF[1]` to `FF[4]` and is lenient: it recovers as much as possible from a damaged file and reports
//! every deviation from the standard as a warning with line and column. The writer produces `FF[4]` in UTF-8. No step
//! is recursive, so deep variations cannot overflow the stack. All steps run in linear time and space, so a malicious
//! file cannot take excessive time or memory.
//!
//! The standard: <https://www.red-bean.com/sgf/>.

mod charset;
pub mod convert;
mod game_info;
mod komi_text;
mod other_formats;
pub mod parse;
pub mod points;
mod repair;
mod rules_text;
mod scan;
pub mod tree;
pub mod value;
pub mod warning;
pub mod write;

pub use parse::{ParseError, ParseWarning, ParsedSgf, parse, parse_text};
pub use points::PointOrSizeError;
pub use scan::SyntaxError;
pub use tree::{Collection, GameTree, Node, NodeId, Property};
pub use value::Value;
pub use warning::GameWarning;
pub use write::write;
