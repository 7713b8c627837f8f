//! Reading the nets of other engines: what a writer of our own writes comes back number for number, and whatever is
//! broken ends in one error that says where.

mod broken_katago;
mod broken_leela_zero;
mod damaged_katago;
mod drawn;
mod evaluate;
mod every;
mod forward;
mod katago;
mod leela_zero;
mod pairs;
mod plain;
mod plan;
mod recognise;
mod round_trips;
mod tiles;
mod wide;

use honinbo::net::desc::NetDesc;
use honinbo::net::error::NetError;
use honinbo::net::stream::Stream;

/// What KataGo's reader makes of `bytes`.
fn read_katago(bytes: &[u8]) -> Result<NetDesc, NetError> {
    honinbo::net::katago::read(Stream::new(bytes).unwrap())
}

/// What Leela Zero's reader makes of `bytes`.
fn read_leela_zero(bytes: &[u8]) -> Result<NetDesc, NetError> {
    honinbo::net::leela_zero::read(Stream::new(bytes).unwrap())
}

/// `bytes` packed with gzip.
fn packed(bytes: &[u8]) -> Vec<u8> {
    use std::io::Write;
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// `text` with the first `from` replaced, which must be there.
fn edited(text: &str, from: &str, to: &str) -> String {
    assert!(text.contains(from), "no {from:?} in the file");
    text.replacen(from, to, 1)
}
