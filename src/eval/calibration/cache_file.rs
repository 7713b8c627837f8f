//! Ranges kept in a folder, so that a network is calibrated once.
//!
//! Promise: whatever is wrong with the folder or a file in it, nothing fails; there are just no ranges.

use std::fs;
use std::path::{Path, PathBuf};

use crate::io::file;
use crate::net::desc::NetDesc;
use crate::net::own::ranges::{VERSION, from_text, to_text};

/// The longest file; the ranges of the largest networks take a tenth of it.
const MAX_BYTES: usize = 1 << 24;

/// A network's place in a folder.
#[derive(Debug)]
pub struct RangesFile {
    file: PathBuf,
    /// What the file begins with.
    key: String,
}

/// The folder in the user's cache, if there is one.
#[must_use]
pub fn folder() -> Option<PathBuf> {
    Some(dirs::cache_dir()?.join("honinbo").join("ranges"))
}

impl RangesFile {
    /// The place of this network.
    #[must_use]
    pub fn for_network(desc: &mut NetDesc, folder: &Path) -> Self {
        let key = format!("{:016x}", desc.fingerprint());
        Self {
            file: folder.join(format!("{key}-v{VERSION}.txt")),
            key,
        }
    }

    /// What is kept there.
    #[must_use]
    pub fn read(&self) -> Option<Vec<f32>> {
        let text = String::from_utf8(file::read_regular_file(&self.file, MAX_BYTES).ok()?).ok()?;
        from_text(
            text.strip_prefix(&self.key)?
                .strip_prefix('\n')?
                .strip_suffix('\n')?,
        )
    }

    /// Keeps these numbers, if the folder can be written to.
    pub fn write(&self, numbers: &[f32]) {
        let Some(folder) = self.file.parent() else {
            return;
        };
        let text = format!("{}\n{}\n", self.key, to_text(numbers));
        // Without it they are found anew the next time.
        let _ = fs::create_dir_all(folder).and_then(|()| file::write_atomic(&self.file, text));
    }
}
