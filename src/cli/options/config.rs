//! Configuration file named by `--config`.

use super::{EvaluatorKind, Options};
use anyhow::{Context, bail, ensure};
use clap::Args;
use honinbo::io::error_text;
use honinbo::io::file::read_bounded;
use std::path::Path;

/// Maximum size of a configuration file in bytes. KataGo's example files have about 20 KiB.
const MAX_CONFIG_BYTES: usize = 1 << 20;

/// Returns the prefix of error messages about a configuration file.
pub fn config_context(path: &Path) -> String {
    format!("--config {}", path.display())
}

/// Reads a configuration file, which may be a pipe. Returns an error if it is larger than `MAX_CONFIG_BYTES`.
pub fn config_bytes(path: &Path) -> anyhow::Result<Vec<u8>> {
    let context = || config_context(path);
    let bytes = read_bounded(path, MAX_CONFIG_BYTES).with_context(context)?;
    ensure!(
        bytes.len() <= MAX_CONFIG_BYTES,
        "{} is larger than {MAX_CONFIG_BYTES} bytes",
        context()
    );
    Ok(bytes)
}

impl Options {
    /// Removes the options that conflict with the command line, which takes precedence. `self` contains the options of
    /// a configuration file.
    pub(super) fn without_conflicts(mut self, command_line: &Self) -> Self {
        if command_line
            .evaluator
            .is_some_and(|evaluator| evaluator != EvaluatorKind::Net)
        {
            (self.weights, self.profile) = (None, None);
            (self.precision, self.device) = (None, None);
        }
        match command_line.search {
            Some(search) if search.has_depth() => self.level = None,
            Some(_) => self.depth = None,
            None => {}
        }
        self
    }

    /// Reads options from a TOML file. The keys are the long names of the options.
    pub(super) fn read_config_file(path: &Path) -> anyhow::Result<Self> {
        let context = || config_context(path);
        let text = String::from_utf8(config_bytes(path)?).with_context(context)?;
        let table: toml::Table = text.parse().with_context(context)?;
        let command = Self::augment_args(clap::Command::new("options"));
        let known_names: Vec<&str> = (command.get_arguments())
            .filter_map(clap::Arg::get_long)
            .filter(|&name| name != "config")
            .collect();
        if let Some(key) = table
            .keys()
            .find(|key| !known_names.contains(&key.as_str()))
        {
            let unknown = error_text::quote_with_suggestion(key, known_names.iter().copied());
            bail!(
                "{}: unknown option {unknown} (known: {})",
                context(),
                known_names.join(", ")
            );
        }
        toml::from_str(&text).with_context(context)
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn endless_config_is_rejected() {
        let error = config_bytes(Path::new("/dev/zero")).unwrap_err();
        let expected = "--config /dev/zero is larger than 1048576 bytes";
        assert_eq!(error.to_string(), expected);
    }
}
