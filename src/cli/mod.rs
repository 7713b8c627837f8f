//! The command line: one file a command.

mod analysis;
mod bench;
mod fraction;
mod gtp;
mod help;
mod inputs;
mod katago;
mod labels;
mod match_play;
mod net;
mod options;
mod outputs;
mod play;
mod precision;
mod review;
mod samples;
mod selfplay;
mod serve;
mod signals;
mod solve;
mod weights;

use std::io::{self, Write};

use anyhow::Context;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use honinbo::io::stderr;
use honinbo::learn::game::GameFileError;

#[derive(Parser)]
#[command(
    version,
    about,
    max_term_width = 100,
    args_conflicts_with_subcommands = true,
    disable_help_subcommand = true
)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    /// Without a command: those of `honinbo gtp`
    #[command(flatten)]
    options: options::Options,
}

#[derive(Subcommand)]
enum Command {
    /// Speak the Go Text Protocol on standard input and output
    Gtp(options::Options),
    /// Play a game in the terminal
    Play(Box<play::Args>),
    /// Analyse positions for programs: KataGo's JSON protocol on standard input and output
    Analysis(analysis::Args),
    /// Analyse a game move by move: an annotated game file, a table of mistakes, a picture
    Review(review::Args),
    /// Serve any number of clients: positions judged and games kept, as JSON over TCP, a board in the browser
    Serve(serve::Args),
    /// Play two programs against each other, or a tournament of more
    Match(match_play::Args),
    /// Describe, convert and judge networks
    #[command(subcommand)]
    Net(net::Command),
    /// Turn game files into encoded training batches on standard output
    Samples(samples::Args),
    /// Label positions with a strong network, to learn from
    Labels(Box<labels::Args>),
    /// Play games against itself, to learn from
    Selfplay(selfplay::Args),
    /// Solve small boards exactly, and problems of life and death
    Solve(solve::Args),
    /// Measure the search: its signature and speed with an evaluator made of hashes, or its speed with the network
    Bench(bench::Args),
    /// Explain a command, or everything (--all); the manual page and the completions of shells
    Help(help::Args),
}

/// Processors: as many threads work where the user does not say otherwise.
fn core_count() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Reads the command line and runs what it asks for.
pub fn run() -> anyhow::Result<()> {
    let args = katago::double_long_dashes(std::env::args_os());
    let mut matches = allow_negative_numbers(Cli::command()).get_matches_from(args);
    let cli = Cli::from_arg_matches_mut(&mut matches);
    let cli = cli.unwrap_or_else(|error| error.format(&mut Cli::command()).exit());
    match cli.command {
        None => gtp::run(cli.options),
        Some(Command::Gtp(options)) => gtp::run(options),
        Some(Command::Play(args)) => play::run(&args),
        Some(Command::Analysis(args)) => analysis::run(args),
        Some(Command::Review(args)) => review::run(args),
        Some(Command::Serve(args)) => serve::run(args),
        Some(Command::Match(args)) => match_play::run(&args),
        Some(Command::Net(command)) => net::run(&command),
        Some(Command::Samples(args)) => samples::run(&args),
        Some(Command::Labels(args)) => labels::run(&args),
        Some(Command::Selfplay(args)) => selfplay::run(&args),
        Some(Command::Solve(args)) => solve::run(&args),
        Some(Command::Bench(args)) => bench::run(&args),
        Some(Command::Help(args)) => help::run(&args),
    }
}

/// The command, whose options take what begins with a minus for a number: each says itself which numbers it expects.
fn allow_negative_numbers(command: clap::Command) -> clap::Command {
    let command = command.mut_args(|option| {
        let takes_value = !option.is_positional() && option.get_action().takes_values();
        option.allow_negative_numbers(takes_value)
    });
    command.mut_subcommands(allow_negative_numbers)
}

/// Prints what a command has to say; a reader that has gone away needs no more of it.
fn print(text: impl AsRef<[u8]>) -> anyhow::Result<()> {
    match io::stdout().write_all(text.as_ref()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(error).context("standard output")
        }
        _ => Ok(()),
    }
}

/// Says that a game of a file is left out.
fn report_damaged(error: &GameFileError) {
    stderr::eprint_line(format_args!("honinbo: left out: {error}"));
}

/// A line of one command alone, for the tests of its options.
#[cfg(test)]
#[derive(Parser)]
struct TestCli<A: clap::Args> {
    #[command(flatten)]
    args: A,
}
