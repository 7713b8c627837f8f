//! Options that mean nothing to a command, or nothing beside another: whoever tells one is told so, instead of wondering
//! what it does.

use anyhow::bail;

use super::Options;

/// Shared options that a command has no use for, by their names on the command line, and why.
pub type UnsupportedOptions = (&'static [&'static str], &'static str);

/// What only players go by.
pub const PLAYER_OPTIONS: UnsupportedOptions = (
    &["level", "ponder", "resign", "lag"],
    "nothing is played here",
);
/// What clients are told.
pub const CLIENT_OPTIONS: UnsupportedOptions =
    (&["name", "version-string"], "no client is told it");
/// What is written down of clients.
pub const LOG_OPTIONS: UnsupportedOptions = (&["log"], "there is no client's traffic here");
/// The board of a game from a file.
pub const BOARD_OPTIONS: UnsupportedOptions = (&["size"], "the file has its own");

/// Leaves an option that a command refuses out of its help.
pub fn hide_unsupported(
    unsupported: &'static [UnsupportedOptions],
) -> impl Fn(clap::Arg) -> clap::Arg {
    move |option| {
        let mut hidden = unsupported.iter().flat_map(|(names, _)| *names);
        if hidden.any(|&name| option.get_long() == Some(name)) {
            option.hide(true)
        } else {
            option
        }
    }
}

impl Options {
    /// For commands that have no use for some options. To be asked of those of the command line, before those of a file
    /// are joined to them: a file serves many commands.
    pub fn reject_unsupported(&self, unsupported: &[UnsupportedOptions]) -> anyhow::Result<()> {
        let explicit = self.explicit_values();
        for (names, reason) in unsupported {
            for &name in *names {
                let (_, value) = (explicit.iter())
                    .find(|(option, _)| option == name)
                    .unwrap_or_else(|| unreachable!("{name} is no shared option"));
                if let Some(value) = value {
                    bail!("--{name}: expected none, for {reason}, found {value}");
                }
            }
        }
        Ok(())
    }

    /// For this evaluator, which asks no network.
    pub(super) fn reject_network_options(&self, evaluator: &str) -> anyhow::Result<()> {
        let explicit = [
            ("--weights", self.weights.is_some()),
            ("--profile", self.profile.is_some()),
            ("--precision", self.precision.is_some()),
        ];
        match explicit.into_iter().find(|&(_, is_explicit)| is_explicit) {
            None => Ok(()),
            Some((option, _)) => {
                bail!("{option}: expected --evaluator net with it, found {evaluator}")
            }
        }
    }
}
