//! The command line: one file a command.

mod bench;
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
    /// Play two programs against each other
    Match(contest::Args),
    /// Look at networks
    #[command(subcommand)]
    Net(net::Command),
    /// Turn game files into encoded training batches on standard output
    Samples(samples::Args),
    /// Measure the search: its signature and speed with an evaluator made of hashes, or its speed with the network
    Bench(bench::Args),
}

/// Reads the command line and runs what it asks for.
pub fn run() -> anyhow::Result<()> {
    match Cli::parse().command {
        None => anyhow::bail!("expected a command"),
        Some(Command::Match(args)) => contest::run(&args),
        Some(Command::Net(command)) => net::run(&command),
        Some(Command::Samples(args)) => samples::run(&args),
        Some(Command::Bench(args)) => bench::run(&args),
    }
}
