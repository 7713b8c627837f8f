//! Rejection of shared options that have no effect in a command or in combination with another option.

use anyhow::bail;

use super::Options;

/// Long names of options that have no effect in a command, and the reason why they have none.
pub type UnsupportedOptions = (&'static [&'static str], &'static str);

/// Options used only by commands that play games.
pub const PLAYER_OPTIONS: UnsupportedOptions = (
    &["level", "ponder", "resign", "lag"],
    "this command does not play",
);
/// Options for the identity reported to clients.
pub const IDENTITY_OPTIONS: UnsupportedOptions =
    (&["name", "version-string"], "this command has no clients");
pub const LOG_OPTIONS: UnsupportedOptions = (&["log"], "this command has no clients");
/// Option for the board size, which has no effect in commands that read the game from a file.
pub const BOARD_SIZE_OPTIONS: UnsupportedOptions = (&["size"], "the game file sets the board size");

/// Returns a function that hides unsupported options from the help of a command.
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
    /// Returns an error if an unsupported option is set.
    ///
    /// Must be called before a configuration file is merged, because the file may contain options for other commands.
    pub fn reject_unsupported(&self, unsupported: &[UnsupportedOptions]) -> anyhow::Result<()> {
        let options = self.set_options();
        for (names, reason) in unsupported {
            for &name in *names {
                let (_, is_set) = (options.iter())
                    .find(|(option, _)| option == name)
                    .unwrap_or_else(|| unreachable!("{name} is not a shared option"));
                if *is_set {
                    bail!("--{name} cannot be used here: {reason}");
                }
            }
        }
        Ok(())
    }

    /// Returns an error if an option that needs a network is set. `evaluator` is the name of the selected evaluator.
    pub(in crate::cli) fn reject_network_options(&self, evaluator: &str) -> anyhow::Result<()> {
        let explicit = [
            ("--weights", self.weights.is_some()),
            ("--profile", self.profile.is_some()),
            ("--precision", self.precision.is_some()),
            ("--device", self.device.is_some()),
        ];
        match explicit.into_iter().find(|&(_, is_explicit)| is_explicit) {
            None => Ok(()),
            Some((option, _)) => {
                bail!("{option} needs --evaluator net, not {evaluator}")
            }
        }
    }
}
