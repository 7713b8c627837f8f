//! Compression of game archives and label shards with `xz`.

use std::io::{self, BufReader, Read, Write};

use lzma_rust2::{XzOptions, XzReader, XzWriter};

/// Memory limit for decompression in KiB: four times the amount needed for files compressed with `xz -9`. Without a
/// limit, a damaged file could cause an arbitrarily large allocation.
pub(super) const MEMORY_LIMIT_KIB: u32 = 256 << 10;
const COMPRESSION_PRESET: u32 = 6;

/// Returns a reader that decompresses `xz` data. Reading fails if decompression needs more than [`MEMORY_LIMIT_KIB`].
pub(super) fn decompress<R: Read>(compressed: R) -> impl Read + use<R> {
    XzReader::new_mem_limit(BufReader::new(compressed), true, MEMORY_LIMIT_KIB)
}

/// Compresses `bytes`.
pub(super) fn compress(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut writer = XzWriter::new(Vec::new(), XzOptions::with_preset(COMPRESSION_PRESET))?;
    writer.write_all(bytes)?;
    writer.finish()
}
