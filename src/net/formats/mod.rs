//! Network files of this engine ([`honinbo`]), KataGo ([`katago`]) and Leela Zero ([`leela_zero`]).
//!
//! Each format has a function that reads a [`Stream`] and returns a checked [`NetSpec`]. [`read`] opens a file and
//! detects its format ([`detection`]).

pub mod detection;
pub mod honinbo;
pub mod katago;
pub mod leela_zero;
pub mod stream;

use std::fs::File;
use std::path::Path;

use self::honinbo as own;
use super::error::NetError;
use super::spec::NetSpec;
use detection::Format;
use stream::Stream;

/// Reads a network file of any supported format.
///
/// # Errors
/// Returns [`NetError::File`] if the file cannot be opened or its first bytes cannot be read, and [`NetError::Content`]
/// if the rest cannot be read or the file does not contain a usable network. Both errors contain the path.
pub fn read(path: &Path) -> Result<NetSpec, NetError> {
    let unreadable = |source| NetError::File {
        path: path.to_owned(),
        source,
    };
    let file = File::open(path).map_err(unreadable)?;
    let mut stream = Stream::new(file).map_err(unreadable)?;
    let net = match Format::detect(&mut stream) {
        Ok(Format::Honinbo) => own::read(stream),
        Ok(Format::KataGo) => katago::read(stream),
        Ok(Format::LeelaZero) => leela_zero::read(stream),
        Err(error) => Err(error),
    };
    net.map_err(|source| NetError::Content {
        path: path.to_owned(),
        source: Box::new(source),
    })
}
