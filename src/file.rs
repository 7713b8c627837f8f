//! Files that are there whole or not at all.

use std::fs::File;
use std::io::Write;
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
