//! Files that are there whole or not at all, and reading that comes to an end.

use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;
use std::{fs, io, process};

/// Writes beside the file and puts that in its place when it is whole and on the disk: neither a full disk nor a crash, of
/// the machine included, costs an older file. Who may read that may read the new one. A link stays one, what it leads to
/// is written; so is what is no file, a pipe say.
///
/// # Errors
/// When it cannot be written; the older file is still there then.
pub fn put(path: &Path, bytes: impl AsRef<[u8]>) -> io::Result<()> {
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let older = fs::metadata(&path);
    if older.as_ref().is_ok_and(|found| !found.is_file()) {
        return fs::write(&path, bytes);
    }
    let mut partial = path.as_os_str().to_owned();
    partial.push(format!(".{}.part", process::id()));
    let write = || {
        let mut file = File::create(&partial)?;
        if let Ok(older) = older {
            file.set_permissions(older.permissions())?;
        }
        file.write_all(bytes.as_ref())?;
        file.sync_all()?;
        fs::rename(&partial, &path)
    };
    let written = write();
    if written.is_err() {
        // It may never have come to be.
        let _ = fs::remove_file(&partial);
    }
    written
}

/// The bytes of a file, as [`read_at_most`], but of no pipe or device: it may have nothing to say for ever.
///
/// # Errors
/// When it cannot be read or is no file.
pub fn read_file(path: &Path, most: usize) -> io::Result<Vec<u8>> {
    if !fs::metadata(path)?.is_file() {
        return Err(not_a_file());
    }
    read_at_most(path, most)
}

/// The bytes of a file; of one that is longer than `most`, one more than these, by which it is known.
///
/// # Errors
/// When it cannot be read.
pub fn read_at_most(path: &Path, most: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let most = (most as u64).saturating_add(1);
    File::open(path)?.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// What is wrong with a folder or a device where a file is wanted.
#[must_use]
pub fn not_a_file() -> io::Error {
    io::Error::other("expected a file, found a folder or device")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_and_nothing_left_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("game.sgf");
        for text in ["(;)", "(;B[])"] {
            put(&path, text).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn what_cannot_be_written_leaves_the_older_file() {
        let folder = tempfile::tempdir().unwrap();
        assert!(put(&folder.path().join("none/game.sgf"), "(;)").is_err());
        assert!(put(folder.path(), "(;)").is_err(), "a folder");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn no_more_is_read_than_tells_that_a_file_is_too_long() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("game.sgf");
        fs::write(&path, "12345").unwrap();
        for (most, found) in [(9, "12345"), (5, "12345"), (4, "12345"), (3, "1234")] {
            assert_eq!(read_at_most(&path, most).unwrap(), found.as_bytes());
        }
        assert!(read_at_most(&folder.path().join("none"), 9).is_err());
    }

    #[test]
    fn what_is_no_file_is_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let device = cfg!(unix).then(|| Path::new("/dev/zero"));
        for path in [folder.path()].into_iter().chain(device) {
            let error = read_file(path, 9).unwrap_err().to_string();
            assert_eq!(error, not_a_file().to_string(), "{}", path.display());
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_private_file_stays_private() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("private");
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        put(&path, "new").unwrap();
        let mode = fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stays_one() {
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("a"), folder.path().join("b"));
        fs::write(&file, "old").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        put(&link, "new").unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), "new");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    }
}
