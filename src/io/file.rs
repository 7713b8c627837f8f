//! Atomic file replacement, file locks, and reading with a size limit.

use std::fs::{File, Permissions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::ops::{Deref, DerefMut};
use std::path::{Path, PathBuf};
use std::{fs, io};

use tempfile::Builder;

/// Replaces the content of a file atomically.
///
/// Writes a temporary file in the same folder, flushes it to disk and renames it, so that neither a full disk nor a
/// crash destroys the previous version. Permissions of the previous version are preserved. Symbolic links are followed.
/// Pipes, devices, and missing targets of symbolic links are written directly.
///
/// # Errors
/// Returns an error if the file cannot be written. The previous version is then unchanged, unless the file is written
/// directly.
pub fn write_atomic(path: &Path, bytes: impl AsRef<[u8]>) -> io::Result<()> {
    let Ok(path) = fs::canonicalize(path) else {
        // Either the file does not exist yet, or `path` is a link to a missing file.
        return match fs::symlink_metadata(path) {
            Ok(_) => fs::write(path, bytes),
            Err(_) => write_and_rename(path, None, bytes.as_ref()),
        };
    };
    let metadata = fs::metadata(&path)?;
    if metadata.is_file() {
        write_and_rename(&path, Some(metadata.permissions()), bytes.as_ref())
    } else {
        fs::write(path, bytes)
    }
}

fn write_and_rename(path: &Path, permissions: Option<Permissions>, bytes: &[u8]) -> io::Result<()> {
    let parent = path.parent().filter(|folder| *folder != Path::new(""));
    let create = |temp_path: &Path| File::options().write(true).create_new(true).open(temp_path);
    let mut file =
        (Builder::new().suffix(".part")).make_in(parent.unwrap_or(Path::new(".")), create)?;
    if let Some(permissions) = permissions {
        file.as_file().set_permissions(permissions)?;
    }
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    // On Windows, `fs::rename` can replace a file that another process is reading; `persist` cannot.
    let temp_path = file.into_temp_path();
    fs::rename(&temp_path, path)?;
    // On Windows, `keep` returns an error, because the temporary name no longer exists.
    let _ = temp_path.keep();
    Ok(())
}

/// Creates an empty file next to `path` and adds the first free number to its name: `game-1.sgf` for `game.sgf`.
/// Returns the file and its path.
///
/// # Errors
/// Returns an error if the file cannot be created.
pub fn create_numbered(path: &Path) -> io::Result<(File, PathBuf)> {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let extension = path.extension().unwrap_or_default().to_string_lossy();
    let dot = if extension.is_empty() { "" } else { "." };
    let mut number = 1;
    loop {
        let numbered = path.with_file_name(format!("{stem}-{number}{dot}{extension}"));
        match File::create_new(&numbered) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
            result => return result.map(|file| (file, numbered)),
        }
    }
}

/// Writes a [numbered](create_numbered) file. Returns its path.
///
/// # Errors
/// Returns an error if the file cannot be written.
pub fn write_numbered(path: &Path, bytes: impl AsRef<[u8]>) -> io::Result<PathBuf> {
    let (mut file, numbered) = create_numbered(path)?;
    file.write_all(bytes.as_ref())?;
    file.sync_all()?;
    Ok(numbered)
}

/// Opens a file for reading and appending, creating it if necessary. [`truncate`] can shorten it.
///
/// On Windows, the file is not in append mode, and writes start at the current position. Call [`truncate`] or read to
/// the end of the file before the first write.
///
/// # Errors
/// Returns an error if the file cannot be opened.
pub fn open_append(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.read(true).create(true);
    if cfg!(windows) {
        // Windows does not truncate files that are open for appending.
        options.write(true).truncate(false);
    } else {
        options.append(true);
    }
    options.open(path)
}

/// Shortens a file opened with [`open_append`] to `len` bytes. The next write appends to the remaining bytes.
///
/// # Errors
/// Returns an error if the file cannot be modified.
pub fn truncate(file: &mut File, len: u64) -> io::Result<()> {
    file.set_len(len)?;
    file.seek(SeekFrom::End(0))?;
    Ok(())
}

/// An open file that is locked for exclusive use by this process. Dropping the value releases the lock.
///
/// The destructor unlocks the file explicitly. Closing the file without unlocking it might release the lock late: a
/// child process that another thread is starting briefly holds a copy of every open file.
#[derive(Debug)]
pub struct LockedFile(File);

impl LockedFile {
    /// Opens the lock file at `path`, creating it if necessary, and locks it. Returns `None` if another process holds
    /// the lock.
    ///
    /// # Errors
    /// Returns an error if the file cannot be opened.
    pub fn open_and_lock(path: &Path) -> io::Result<Option<Self>> {
        let mut options = File::options();
        let file = options
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)?;
        Ok(Self::try_lock(file))
    }

    /// Locks a file, or returns `None` if another process holds the lock.
    ///
    /// Also succeeds on file systems that do not support locks, where concurrent use is not detected. On Windows, other
    /// processes cannot even read a locked file.
    pub fn try_lock(file: File) -> Option<Self> {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => None,
            _ => Some(Self(file)),
        }
    }
}

impl Deref for LockedFile {
    type Target = File;

    fn deref(&self) -> &File {
        &self.0
    }
}

impl DerefMut for LockedFile {
    fn deref_mut(&mut self) -> &mut File {
        &mut self.0
    }
}

impl Drop for LockedFile {
    fn drop(&mut self) {
        // If this fails, closing the file releases the lock.
        let _ = self.0.unlock();
    }
}

/// Reads a file like [`read_bounded`], but only if it is a regular file. Reading a pipe or a device might block or
/// never end.
///
/// # Errors
/// Returns an error if the path is not a regular file or cannot be read.
pub fn read_regular_file(path: &Path, max_len: usize) -> io::Result<Vec<u8>> {
    if !fs::metadata(path)?.is_file() {
        return Err(not_a_file_error());
    }
    read_bounded(path, max_len)
}

/// Reads at most the first `max_len + 1` bytes of a file. A result longer than `max_len` means that the file is too
/// long.
///
/// # Errors
/// Returns an error if the file cannot be read.
pub fn read_bounded(path: &Path, max_len: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let limit = (max_len as u64).saturating_add(1);
    File::open(path)?.take(limit).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Returns the error for a path that is not a regular file, for example a folder or a device.
pub fn not_a_file_error() -> io::Error {
    io::Error::other("this is not a regular file")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn write_atomic_replaces_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("game.sgf");
        for text in ["(;)", "(;B[])"] {
            write_atomic(&path, text).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
        // Even if the file name is long, the temporary name must not exceed the system's length limit.
        write_atomic(&folder.path().join("x".repeat(250)), "(;)").unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    }

    #[test]
    fn truncated_file_is_appended_to() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.sgf");
        for (text, expected) in [("(;)\n(;", "(;)\n(;"), ("(;B[])\n", "(;)\n(;B[])\n")] {
            let mut file = open_append(&path).unwrap();
            io::read_to_string(&file).unwrap();
            truncate(&mut file, 4.min(fs::metadata(&path).unwrap().len())).unwrap();
            file.write_all(text.as_bytes()).unwrap();
            drop(file);
            assert_eq!(fs::read_to_string(&path).unwrap(), expected);
        }
    }

    #[test]
    fn failed_write_keeps_old_file() {
        let folder = tempfile::tempdir().unwrap();
        assert!(write_atomic(&folder.path().join("none/game.sgf"), "(;)").is_err());
        assert!(write_atomic(folder.path(), "(;)").is_err(), "a folder");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn read_bounded_stops_after_limit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("game.sgf");
        fs::write(&path, "12345").unwrap();
        for (max_len, expected) in [(9, "12345"), (5, "12345"), (4, "12345"), (3, "1234")] {
            assert_eq!(read_bounded(&path, max_len).unwrap(), expected.as_bytes());
        }
        assert!(read_bounded(&folder.path().join("none"), 9).is_err());
    }

    #[test]
    fn read_rejects_folders_and_devices() {
        let folder = tempfile::tempdir().unwrap();
        let device = cfg!(unix).then(|| Path::new("/dev/zero"));
        for path in [folder.path()].into_iter().chain(device) {
            let error = read_regular_file(path, 9).unwrap_err().to_string();
            assert_eq!(error, not_a_file_error().to_string(), "{}", path.display());
        }
    }

    #[cfg(unix)]
    #[test]
    fn write_atomic_keeps_permissions() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("private");
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
        write_atomic(&path, "new").unwrap();
        let mode = fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    #[cfg(unix)]
    #[test]
    fn write_atomic_follows_links() {
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("a"), folder.path().join("b"));
        fs::write(&file, "old").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        write_atomic(&link, "new").unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), "new");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        // A link to a missing file works as well.
        fs::remove_file(&file).unwrap();
        write_atomic(&link, "first").unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), "first");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    }
}
