//! The database file: whether it is still in place, and a reserve of disk space for deleting games.

use std::fs;
use std::path::{Path, PathBuf};

/// Size of the reserve in bytes. Deleting a game takes less.
const RESERVE_BYTES: usize = 256 << 10;

/// The file of an open database.
#[derive(Debug)]
pub(super) struct OpenedFile {
    path: PathBuf,
    /// Device and number of the file; `None` on systems on which open files cannot be deleted.
    identity: Option<(u64, u64)>,
}

impl OpenedFile {
    /// Identifies the file and creates the reserve. If there is no space for it, there is no reserve.
    pub fn new(path: &Path) -> Self {
        let file = Self {
            path: path.to_owned(),
            identity: identity(path),
        };
        file.fill_reserve();
        file
    }

    /// Returns false if the file has been deleted, or replaced by another one.
    pub fn is_in_place(&self) -> bool {
        identity(&self.path) == self.identity
    }

    /// Frees the reserve. Returns false if it does not exist or cannot be deleted.
    pub fn release_reserve(&self) -> bool {
        fs::remove_file(self.reserve_path()).is_ok()
    }

    /// Creates the reserve, unless it exists or there is no space.
    pub fn fill_reserve(&self) {
        let path = self.reserve_path();
        let bytes = || fs::metadata(&path).map_or(0, |metadata| metadata.len());
        if bytes() != RESERVE_BYTES as u64 && fs::write(&path, vec![b'x'; RESERVE_BYTES]).is_err() {
            drop(fs::remove_file(&path));
        }
    }

    fn reserve_path(&self) -> PathBuf {
        let mut path = self.path.clone().into_os_string();
        path.push("-reserve");
        path.into()
    }
}

impl Drop for OpenedFile {
    fn drop(&mut self) {
        drop(fs::remove_file(self.reserve_path()));
    }
}

#[cfg(unix)]
fn identity(path: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    let metadata = fs::metadata(path).ok()?;
    Some((metadata.dev(), metadata.ino()))
}

#[cfg(not(unix))]
const fn identity(_: &Path) -> Option<(u64, u64)> {
    None
}
