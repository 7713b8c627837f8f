//! Reading game files and choosing paths for output files.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use honinbo::io::file;
use honinbo::io::stderr;
use honinbo::learn::game::{GameFileError, TrainingGame};
use honinbo::learn::game_files;
use honinbo::sgf::parse::MAX_BYTES;
use honinbo::sgf::{ParsedSgf, parse};

/// Reads an SGF file. Reports deviations from the SGF standard on standard error.
pub fn read_game_file(path: &Path) -> anyhow::Result<ParsedSgf> {
    let context = || path.display().to_string();
    let bytes = file::read_bounded(path, MAX_BYTES).with_context(context)?;
    let parsed = parse(&bytes).with_context(context)?;
    if let Some(warning) = parsed.warning_summary() {
        stderr::eprint_line(format_args!("honinbo: {}: {warning}", context()));
    }
    Ok(parsed)
}

/// Error message for input files that contain no games to train on.
pub const NO_GAMES_MESSAGE: &str = "no games with moves and a result found";

/// Pairs each file with 0, the number of games to skip at its start.
pub fn with_zero_skip_counts(files: &[PathBuf]) -> Vec<(PathBuf, usize)> {
    files.iter().map(|file| (file.clone(), 0)).collect()
}

/// Returns the training games in `files`, in order. Each path is paired with the number of games to skip at the start
/// of the file. Reports damaged games on standard error and skips them.
pub fn training_games(
    files: Vec<(PathBuf, usize)>,
) -> impl Iterator<Item = Result<TrainingGame, GameFileError>> + Send {
    game_files::skip_damaged(game_files::games_from_files(files), |error| {
        stderr::eprint_line(format_args!("honinbo: skipped: {error}"));
    })
}

/// Returns the path of the output file. If `output` is a path but not a folder, returns it unchanged. Otherwise,
/// returns the path of a file in the folder `output` or, if `output` is `None`, next to `input`. The name of this file
/// is that of `input` with `suffix` instead of the extension.
pub fn output_path(output: Option<&Path>, input: &Path, suffix: &str) -> PathBuf {
    let mut name = input.file_stem().unwrap_or_default().to_os_string();
    name.push(suffix);
    match output {
        None => input.with_file_name(name),
        Some(path) if path.is_dir() || ends_in_separator(path) => path.join(name),
        Some(path) => path.to_owned(),
    }
}

/// Returns an error if `output` and `input` are the same file. Overwriting the input could lose data, because the
/// output may contain only part of the input, such as one of several games.
///
/// `option` is the command-line option or argument that named the output file.
pub fn ensure_not_input(option: &str, output: &Path, input: &Path) -> anyhow::Result<()> {
    let canonical = |path: &Path| path.canonicalize().ok();
    let is_same = canonical(output).is_some_and(|output| canonical(input) == Some(output));
    anyhow::ensure!(
        !is_same,
        "{option} would overwrite the input file {}",
        output.display()
    );
    Ok(())
}

/// Creates the parent folder of `file`. `option` is the command-line option that named the file.
pub fn create_parent_folder(option: &str, file: &Path) -> anyhow::Result<()> {
    match file.parent() {
        Some(folder) if folder != Path::new("") => create_folder(option, folder),
        _ => Ok(()),
    }
}

/// Creates `folder` and its parents. `option` is the command-line option that named the folder.
pub fn create_folder(option: &str, folder: &Path) -> anyhow::Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("{option} {}", folder.display()))
}

/// Returns true if the path ends in a separator and thus denotes a folder, which need not exist yet.
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
        let output = |path| output_path(path, Path::new("games/a.sgf"), ".b.sgf");
        assert_eq!(output(None), Path::new("games/a.b.sgf"));
        let file = output(Some(&path));
        assert_eq!(file, folder.path().join("new").join("a.b.sgf"));
        create_parent_folder("--output", &file).unwrap();
        fs::write(&file, "(;)").unwrap();
        assert_eq!(output(Some(&file)), file);
        let error = create_parent_folder("--output", &file.join("b.sgf")).unwrap_err();
        assert!(error.to_string().starts_with("--output "), "{error}");
        create_parent_folder("--output", Path::new("here.sgf")).unwrap();
    }
}
