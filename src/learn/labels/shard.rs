//! Shards: files of label entries. Each entry is stored in a frame with a length and a checksum.
//!
//! An open shard is an uncompressed file to which frames are appended. A sealed shard has the same content, compressed
//! with `xz`. Sealed shards can be concatenated, because readers accept the magic before any frame.
//!
//! A shard contains the magic `HNLABEL1` and then the frames. A frame contains the length (`u32`) and the CRC-32
//! (`u32`) of the [binary form](LabelStoreEntry::encode) of an entry, followed by this binary form. All numbers are
//! stored in little-endian order.

use std::io::{self, Read};

use flate2::Crc;

use super::labelled_game::LabelStoreEntry;

/// First bytes of every shard.
pub(super) const MAGIC: &[u8; 8] = b"HNLABEL1";
/// Maximum length of an encoded entry in bytes. It is sufficient for the labels of all positions of a long game.
const MAX_ENTRY_BYTES: usize = 4 << 20;

/// Error while reading a shard.
#[derive(Debug, thiserror::Error)]
pub enum ShardError {
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The file does not start with the magic.
    #[error("the file is not a label file; it does not start with HNLABEL1")]
    NotAShard,
    /// A frame is incomplete or has a wrong checksum. Contains the byte offset of the frame in the uncompressed file.
    #[error("truncated or damaged at byte {0}")]
    Frame(u64),
    /// A frame is complete, but its entry is invalid. Contains the byte offset of the frame in the uncompressed file.
    #[error(
        "invalid entry at byte {0}; it may have been written by a later version of the program"
    )]
    Entry(u64),
}

/// Encodes an entry as a frame.
pub(super) fn encode_frame(entry: &LabelStoreEntry) -> Vec<u8> {
    let payload = entry.encode();
    let mut bytes = Vec::with_capacity(payload.len() + 8);
    bytes.extend((payload.len() as u32).to_le_bytes());
    bytes.extend(checksum(&payload).to_le_bytes());
    bytes.extend(payload);
    bytes
}

fn checksum(bytes: &[u8]) -> u32 {
    let mut crc = Crc::new();
    crc.update(bytes);
    crc.sum()
}

/// Iterator over the entries of a shard. Ends after the first error.
pub struct ShardReader<R> {
    reader: R,
    offset: u64,
    is_done: bool,
}

impl<R: Read> ShardReader<R> {
    /// Creates a reader for the uncompressed content of a shard.
    ///
    /// # Errors
    /// Returns an error if `reader` fails or does not start with the magic.
    pub fn new(mut reader: R) -> Result<Self, ShardError> {
        let mut magic = [0; MAGIC.len()];
        match reader.read_exact(&mut magic) {
            Ok(()) if magic == *MAGIC => {}
            Ok(()) => return Err(ShardError::NotAShard),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                return Err(ShardError::Frame(0));
            }
            Err(error) => return Err(error.into()),
        }
        Ok(Self {
            reader,
            offset: magic.len() as u64,
            is_done: false,
        })
    }

    /// Returns the length in bytes of the uncompressed content up to the end of the last valid frame read so far.
    pub const fn valid_len(&self) -> u64 {
        self.offset
    }

    /// Reads the next entry, skipping any magic before the frame. Returns `None` at the end of the shard.
    fn read_entry(&mut self) -> Result<Option<LabelStoreEntry>, ShardError> {
        let frame_error = ShardError::Frame(self.offset);
        let header = loop {
            let mut header = Vec::new();
            self.reader.by_ref().take(8).read_to_end(&mut header)?;
            if header.is_empty() {
                return Ok(None);
            }
            if header != MAGIC {
                break header;
            }
            self.offset += header.len() as u64;
        };
        let Ok([a, b, c, d, crc @ ..]) = <[u8; 8]>::try_from(header) else {
            return Err(frame_error);
        };
        let length = u32::from_le_bytes([a, b, c, d]) as usize;
        let mut payload = Vec::new();
        if length <= MAX_ENTRY_BYTES {
            self.reader
                .by_ref()
                .take(length as u64)
                .read_to_end(&mut payload)?;
        }
        if payload.len() != length || checksum(&payload) != u32::from_le_bytes(crc) {
            return Err(frame_error);
        }
        let entry = LabelStoreEntry::decode(&payload).ok_or(ShardError::Entry(self.offset))?;
        self.offset += 8 + length as u64;
        Ok(Some(entry))
    }
}

impl<R: Read> Iterator for ShardReader<R> {
    type Item = Result<LabelStoreEntry, ShardError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_done {
            return None;
        }
        let entry = self.read_entry().transpose();
        self.is_done = !matches!(entry, Some(Ok(_)));
        entry
    }
}
