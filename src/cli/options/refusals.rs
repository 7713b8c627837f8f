//! Options that mean nothing to a command, or nothing beside another: whoever tells one is told so, instead of wondering
//! what it does.

use anyhow::bail;

use super::Options;

/// Shared options that a command has no use for, by their names on the command line, and why.
pub type Idle = (&'static [&'static str], &'static str);

/// What only players go by.
pub const OF_PLAYERS: Idle = (
    &["level", "ponder", "resign", "lag"],
    "nothing is played here",
);
/// What clients are told.
pub const OF_CLIENTS: Idle = (&["name", "version-string"], "no client is told it");
/// What is written down of clients.
pub const TRAFFIC: Idle = (&["log"], "there is no client's traffic here");
/// The board of a game from a file.
pub const BOARD: Idle = (&["size"], "the file has its own");

/// Leaves an option that a command refuses out of its help.
pub fn hiding(idle: &'static [Idle]) -> impl Fn(clap::Arg) -> clap::Arg {
    move |option| {
        let mut refused = idle.iter().flat_map(|(names, _)| *names);
        if refused.any(|&name| option.get_long() == Some(name)) {
            option.hide(true)
        } else {
            option
        }
    }
}

impl Options {
    /// For commands that have no use for some options. To be asked of those of the command line, before those of a file
    /// are joined to them: a file serves many commands.
    pub fn expect_none(&self, idle: &[Idle]) -> anyhow::Result<()> {
        let told = self.told();
        for (names, why) in idle {
            for &name in *names {
                let (_, found) = (told.iter())
                    .find(|(known, _)| known == name)
                    .unwrap_or_else(|| unreachable!("{name} is no shared option"));
                if let Some(found) = found {
                    bail!("--{name}: expected none, for {why}, found {found}");
                }
            }
        }
        Ok(())
    }

    /// For this evaluator, which asks no network.
    pub(super) fn expect_no_network(&self, evaluator: &str) -> anyhow::Result<()> {
        let told = [
            ("--weights", self.weights.is_some()),
            ("--profile", self.profile.is_some()),
            ("--precision", self.precision.is_some()),
        ];
        match told.into_iter().find(|&(_, is_told)| is_told) {
            None => Ok(()),
            Some((option, _)) => {
                bail!("{option}: expected --evaluator net with it, found {evaluator}")
            }
        }
    }
}
