//! Where files go: never over what was read, and into folders that are there before the work begins.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;

/// The path that `told` means for a file usually called `name`: in a folder that, else `told` itself.
pub fn in_folder_or_as_told(told: &Path, name: impl AsRef<OsStr>) -> PathBuf {
    if told.is_dir() || ends_in_separator(told) {
        told.join(name.as_ref())
    } else {
        told.to_owned()
    }
}

/// Refuses to write over what was read: the other games of a file would be lost. `option` is what named the output.
pub fn not_what_was_read(option: &str, output: &Path, input: &Path) -> anyhow::Result<()> {
    let same = |one: &Path| one.canonicalize().ok();
    let is_same = same(output).is_some_and(|output| same(input) == Some(output));
    anyhow::ensure!(
        !is_same,
        "{option}: expected another file than the one that was read, found {}",
        output.display()
    );
    Ok(())
}

/// Makes the folder of a file that `option` named.
pub fn make_folder_of(option: &str, file: &Path) -> anyhow::Result<()> {
    match file.parent() {
        Some(folder) if folder != Path::new("") => make_folder(option, folder),
        _ => Ok(()),
    }
}

/// Makes a folder that `option` named.
pub fn make_folder(option: &str, folder: &Path) -> anyhow::Result<()> {
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
    fn a_separator_at_the_end_makes_a_folder() {
        for (path, is_folder) in [("a/", true), ("a/b", false), ("", false), ("ä", false)] {
            assert_eq!(ends_in_separator(Path::new(path)), is_folder, "{path:?}");
        }
    }

    #[test]
    fn what_was_read_is_not_written_over() {
        let folder = tempfile::tempdir().unwrap();
        let input = folder.path().join("games.sgf");
        fs::write(&input, "(;)").unwrap();
        let around = folder.path().join(".").join("games.sgf");
        let error = not_what_was_read("--output", &around, &input).unwrap_err();
        assert!(error.to_string().contains("games.sgf"), "{error}");
        not_what_was_read("TO", &folder.path().join("games.review.sgf"), &input).unwrap();
    }

    #[test]
    fn folders_are_made_and_what_is_none_is_said() {
        let folder = tempfile::tempdir().unwrap();
        let told = folder.path().join("new/");
        let file = in_folder_or_as_told(&told, "a.sgf");
        assert_eq!(file, folder.path().join("new").join("a.sgf"));
        make_folder_of("--output", &file).unwrap();
        fs::write(&file, "(;)").unwrap();
        assert_eq!(in_folder_or_as_told(&file, "a.sgf"), file);
        let error = make_folder_of("--output", &file.join("b.sgf")).unwrap_err();
        assert!(error.to_string().starts_with("--output "), "{error}");
        make_folder_of("--output", Path::new("here.sgf")).unwrap();
    }
}
