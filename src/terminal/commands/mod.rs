//! The commands, group by group.

mod edit;
mod games;
mod help;
mod play;

use super::command::Command;

/// All groups, in the order of the help.
pub const GROUPS: &[&[Command]] = &[
    play::COMMANDS,
    games::COMMANDS,
    edit::COMMANDS,
    help::COMMANDS,
];
