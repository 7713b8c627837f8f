//! The command line: one file a command.

mod contest;
mod net;
mod options;
mod samples;

use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(version, about)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    /// Look at networks
    #[command(subcommand)]
    Net(net::Command),
    /// Play two programs against each other
    Match(contest::Args),
    /// Turn game files into encoded training batches on standard output
    Samples(samples::Args),
}

/// Reads the command line and runs what it asks for.
pub fn run() -> anyhow::Result<()> {
    match Cli::parse().command {
        None => anyhow::bail!("expected a command"),
        Some(Command::Net(command)) => net::run(&command),
        Some(Command::Match(args)) => contest::run(&args),
        Some(Command::Samples(args)) => samples::run(&args),
    }
}
