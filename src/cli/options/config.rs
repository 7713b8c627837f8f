//! The file of options.

use super::{EvaluatorKind, Options, SearchKind};
use anyhow::{Context, bail, ensure};
use clap::Args;
use honinbo::file::read_at_most;
use honinbo::names;
use std::path::Path;

/// The longest file of options that is read; KataGo's have some 20 KiB.
const MAX_BYTES: usize = 1 << 20;

/// Where errors in a file of options are.
pub fn place(path: &Path) -> String {
    format!("--config {}", path.display())
}

/// What stands in a file of options, which may be a pipe.
pub fn config_bytes(path: &Path) -> anyhow::Result<Vec<u8>> {
    let place = || place(path);
    let bytes = read_at_most(path, MAX_BYTES).with_context(place)?;
    ensure!(
        bytes.len() <= MAX_BYTES,
        "{}: expected at most {MAX_BYTES} bytes, found more",
        place()
    );
    Ok(bytes)
}

impl Options {
    /// Those of a file, without what the command line makes idle: a file serves many commands.
    pub(super) fn beside(mut self, told: &Self) -> Self {
        if told
            .evaluator
            .is_some_and(|judge| judge != EvaluatorKind::Net)
        {
            (self.weights, self.profile, self.precision) = (None, None, None);
        }
        match told.search {
            Some(SearchKind::Alphabeta) => self.level = None,
            Some(_) => self.depth = None,
            None => {}
        }
        self
    }

    /// The options that a file sets: those of the command line, by their long names.
    pub(super) fn read(path: &Path) -> anyhow::Result<Self> {
        let place = || place(path);
        let text = String::from_utf8(config_bytes(path)?).with_context(place)?;
        let table: toml::Table = text.parse().with_context(place)?;
        let command = Self::augment_args(clap::Command::new("options"));
        let known: Vec<&str> = (command.get_arguments())
            .filter_map(clap::Arg::get_long)
            .filter(|&name| name != "config")
            .collect();
        if let Some(key) = table.keys().find(|key| !known.contains(&key.as_str())) {
            let found = names::found(key, known.iter().copied());
            bail!("{}: expected one of {}, {found}", place(), known.join(", "));
        }
        toml::from_str(&text).with_context(place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(unix)]
    fn a_file_without_end_is_read_to_its_bound() {
        let error = config_bytes(Path::new("/dev/zero")).unwrap_err();
        let expected = "--config /dev/zero: expected at most 1048576 bytes, found more";
        assert_eq!(error.to_string(), expected);
    }
}
