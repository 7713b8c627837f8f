//! The file of options.

use super::Options;
use anyhow::{Context, bail};
use clap::Args;
use honinbo::names;
use std::path::Path;

impl Options {
    /// The options that a file sets: those of the command line, by their long names.
    pub(super) fn read(path: &Path) -> anyhow::Result<Self> {
        let place = || format!("--config {}", path.display());
        let text = std::fs::read_to_string(path).with_context(place)?;
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
