//! Network files of other engines, and all ways to evaluate their nets. Nets that a test writes are read back unchanged,
//! and a broken file is rejected with one error that locates the problem.

mod broken_katago;
mod broken_leela_zero;
mod candle;
mod damaged_katago;
mod detection;
pub mod drawn;
mod evaluate;
// Partly used by the tests of the CPU kernels only.
#[cfg_attr(not(feature = "cpu-kernels"), allow(dead_code))]
mod execution_cases;
mod forward;
mod katago;
#[cfg(feature = "cpu-kernels")]
mod kernels;
mod leela_zero;
#[cfg(feature = "cpu-kernels")]
mod pairs;
mod plain;
mod round_trips;
#[cfg(feature = "cpu-kernels")]
mod tiles;
mod wide;

use honinbo::net::error::NetError;
use honinbo::net::formats::stream::Stream;
use honinbo::net::spec::NetSpec;

/// Reads `bytes` as a KataGo file.
fn read_katago(bytes: &[u8]) -> Result<NetSpec, NetError> {
    honinbo::net::formats::katago::read(Stream::new(bytes).unwrap())
}

/// Reads `bytes` as a Leela Zero file.
fn read_leela_zero(bytes: &[u8]) -> Result<NetSpec, NetError> {
    honinbo::net::formats::leela_zero::read(Stream::new(bytes).unwrap())
}

/// Returns `bytes` compressed with gzip.
fn packed(bytes: &[u8]) -> Vec<u8> {
    use std::io::Write;
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// Returns `text` with the first occurrence of `from` replaced. Panics if `from` does not occur.
fn edited(text: &str, from: &str, to: &str) -> String {
    assert!(text.contains(from), "no {from:?} in the file");
    text.replacen(from, to, 1)
}

/// Returns the rows of a table, split into cells at ` | `.
fn rows(table: &str) -> impl Iterator<Item = [&str; 3]> {
    let row = |line| {
        let mut cells = str::split(line, " | ");
        [(); 3].map(|()| cells.next().expect("three cells"))
    };
    table.lines().filter(|line| !line.is_empty()).map(row)
}
