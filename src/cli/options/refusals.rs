//! Options that mean nothing to a command, or nothing beside another: whoever tells one is told so, instead of wondering
//! what it does.
//!
//! [`expect_no_size`](Options::expect_no_size) and [`expect_no_log`](Options::expect_no_log) are for the options of the
//! command line, before those of a file are joined to them: a file serves many commands.

use anyhow::bail;

use super::Options;

impl Options {
    /// For commands that judge moves instead of making them, whose answers no level weakens.
    pub fn expect_full_level(&self) -> anyhow::Result<()> {
        match self.told_level()? {
            level if level.is_full() => Ok(()),
            level => bail!(
                "--level: expected none, for nothing is played here (--visits and --time bound the search), found {}",
                level.number
            ),
        }
    }

    /// For games that come from a file.
    pub fn expect_no_size(&self) -> anyhow::Result<()> {
        match &self.size {
            None => Ok(()),
            Some(size) => bail!("--size: expected none, for the file has its own, found {size}"),
        }
    }

    /// For commands that no client talks to.
    pub fn expect_no_log(&self) -> anyhow::Result<()> {
        match &self.log {
            None => Ok(()),
            Some(log) => bail!(
                "--log: expected none, for there is no client's traffic here, found {}",
                log.display()
            ),
        }
    }

    /// For this evaluator, which asks no network.
    pub(super) fn expect_no_network(&self, evaluator: &str) -> anyhow::Result<()> {
        let told = [
            ("--weights", self.weights.is_some()),
            ("--profile", self.profile.is_some()),
        ];
        match told.into_iter().find(|&(_, is_told)| is_told) {
            None => Ok(()),
            Some((option, _)) => {
                bail!("{option}: expected --evaluator net with it, found {evaluator}")
            }
        }
    }
}
