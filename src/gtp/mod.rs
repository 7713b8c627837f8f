//! The Go Text Protocol, version 2, with the extensions that clients use.

mod args;
mod line;
mod reply;

pub use args::Args;
pub use line::{Line, LineReader, MAX_LINE};
pub use reply::{Failure, finish, header, write};
