//! Storage of calibration results in the user's cache folder.
//!
//! I/O errors and invalid files are not reported. In these cases, the ranges count as missing, and the network is
//! calibrated again.

use std::fs;
use std::path::{Path, PathBuf};

use crate::io::{file, user_folders};
use crate::net::formats::honinbo::ranges::{VERSION, from_text, to_text};
use crate::net::spec::NetSpec;

/// Maximum size of a cache file in bytes: about ten times the size for the largest networks.
const MAX_BYTES: usize = 1 << 24;

/// Cache file with the calibration ranges of a network.
#[derive(Debug)]
pub struct RangesFile {
    file: PathBuf,
    /// Fingerprint of the network, in the first line of the file.
    key: String,
}

/// Returns the folder for cache files with ranges, or `None` if the user has no cache folder.
pub fn folder() -> Option<PathBuf> {
    Some(user_folders::cache()?.join("ranges"))
}

impl RangesFile {
    /// Returns the cache file in `folder` for the network described by `spec`.
    pub fn for_network(spec: &mut NetSpec, folder: &Path) -> Self {
        let key = format!("{:016x}", spec.fingerprint());
        Self {
            file: folder.join(format!("{key}-v{VERSION}.txt")),
            key,
        }
    }

    /// Reads the stored ranges. Returns `None` if the file is missing or invalid.
    pub fn read(&self) -> Option<Vec<f32>> {
        let text = String::from_utf8(file::read_regular_file(&self.file, MAX_BYTES).ok()?).ok()?;
        from_text(
            text.strip_prefix(&self.key)?
                .strip_prefix('\n')?
                .strip_suffix('\n')?,
        )
    }

    /// Stores the ranges `numbers`, creating the folder if necessary. Ignores I/O errors.
    pub fn write(&self, numbers: &[f32]) {
        let Some(folder) = self.file.parent() else {
            return;
        };
        let text = format!("{}\n{}\n", self.key, to_text(numbers));
        // On failure the network is calibrated again next time.
        let _ = fs::create_dir_all(folder).and_then(|()| file::write_atomic(&self.file, text));
    }
}
