//! Where files go: never over what was read, and into folders that are there before the work begins.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;

/// The path that `path` means for a file usually called `name`: in a folder that, else `path` itself.
pub fn resolve_output(path: &Path, name: impl AsRef<OsStr>) -> PathBuf {
    if path.is_dir() || ends_in_separator(path) {
        path.join(name.as_ref())
    } else {
        path.to_owned()
    }
}

/// Refuses to write over what was read: the other games of a file would be lost. `option` is what named the output.
pub fn ensure_not_input(option: &str, output: &Path, input: &Path) -> anyhow::Result<()> {
    let canonical = |path: &Path| path.canonicalize().ok();
    let is_same = canonical(output).is_some_and(|output| canonical(input) == Some(output));
    anyhow::ensure!(
        !is_same,
        "{option}: expected another file than the one that was read, found {}",
        output.display()
    );
    Ok(())
}

/// Makes the folder of a file that `option` named.
pub fn create_parent_folder(option: &str, file: &Path) -> anyhow::Result<()> {
    match file.parent() {
        Some(folder) if folder != Path::new("") => create_folder(option, folder),
        _ => Ok(()),
    }
}

/// Makes a folder that `option` named.
pub fn create_folder(option: &str, folder: &Path) -> anyhow::Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("{option} {}", folder.display()))
}

/// Whether a path names a folder even if none is there yet, by the separator at its end.
pub fn ends_in_separator(path: &Path) -> bool {
    let last = path.as_os_str().as_encoded_bytes().last();
    last.is_some_and(|&byte| std::path::is_separator(char::from(byte)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trailing_separator_means_folder() {
        for (path, is_folder) in [("a/", true), ("a/b", false), ("", false), ("ä", false)] {
            assert_eq!(ends_in_separator(Path::new(path)), is_folder, "{path:?}");
        }
    }

    #[test]
    fn input_is_not_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let input = folder.path().join("games.sgf");
        fs::write(&input, "(;)").unwrap();
        let alias = folder.path().join(".").join("games.sgf");
        let error = ensure_not_input("--output", &alias, &input).unwrap_err();
        assert!(error.to_string().contains("games.sgf"), "{error}");
        ensure_not_input("TO", &folder.path().join("games.review.sgf"), &input).unwrap();
    }

    #[test]
    fn folders_are_created() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new/");
        let file = resolve_output(&path, "a.sgf");
        assert_eq!(file, folder.path().join("new").join("a.sgf"));
        create_parent_folder("--output", &file).unwrap();
        fs::write(&file, "(;)").unwrap();
        assert_eq!(resolve_output(&file, "a.sgf"), file);
        let error = create_parent_folder("--output", &file.join("b.sgf")).unwrap_err();
        assert!(error.to_string().starts_with("--output "), "{error}");
        create_parent_folder("--output", Path::new("here.sgf")).unwrap();
    }
}
