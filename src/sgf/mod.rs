//! Smart Game Format, the file format of Go records: bytes to trees of properties and back.
//!
//! Reads FF[1] to FF[4], forgivingly: what can be understood of a damaged file is kept and every departure from the
//! standard is reported as a warning with its line and column. Writes FF[4] in UTF-8. No step recurses and none takes
//! more than linear time or space, so neither deep variations nor hostile files can exhaust the stack.
//!
//! The format: <https://www.red-bean.com/sgf/>.

pub mod charset;
pub mod convert;
mod game_info;
pub mod parse;
pub mod points;
mod scan;
pub mod tree;
pub mod value;
pub mod write;

pub use parse::{ParseError, ParseWarning, ParsedSgf, parse, parse_text};
pub use points::{Coordinate, PointError};
pub use scan::SyntaxError;
pub use tree::{Collection, GameTree, Node, NodeId, Property};
pub use value::Value;
pub use write::write;
