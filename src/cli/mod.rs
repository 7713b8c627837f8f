//! Command-line interface, with one module per command.

mod analysis;
mod bench;
mod device;
mod evaluators;
mod external_command_line;
mod files;
mod gtp;
mod help;
mod katago;
mod labels;
mod match_play;
mod net;
mod options;
mod play;
mod process;
mod progress;
mod review;
mod samples;
mod search_help;
mod selfplay;
mod serve;
mod solve;
mod threads;
mod values;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

/// Examples at the end of the program's help.
const EXAMPLES_HELP: &str = "\
Examples:
  honinbo play --size 9 --level 3        play in the terminal
  honinbo serve --open                   play in the browser
  honinbo review GAME.sgf                find the mistakes of a game

`honinbo help COMMAND` explains a command. `honinbo help --all` explains everything.";

#[derive(Parser)]
#[command(
    version,
    about = "A strong Go engine for ordinary CPUs, with a built-in neural network",
    after_help = EXAMPLES_HELP,
    max_term_width = 100,
    args_conflicts_with_subcommands = true,
    disable_help_subcommand = true
)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    /// Options of `honinbo gtp`, the default command
    #[command(flatten)]
    options: options::Options,
}

#[derive(Subcommand)]
enum Command {
    /// Run the GTP engine on standard input and output (default)
    Gtp(options::Options),
    /// Play a game in the terminal
    Play(Box<play::Args>),
    /// Analyse positions for other programs, using KataGo's JSON protocol
    Analysis(analysis::Args),
    /// Analyse a game: annotated SGF, list of mistakes, chart
    Review(review::Args),
    /// Run a server: web page, JSON over TCP, stored games
    Serve(serve::Args),
    /// Run matches and tournaments between engines
    Match(match_play::Args),
    /// Inspect, convert and evaluate networks
    #[command(subcommand)]
    Net(net::Command),
    /// Write training batches from game files to standard output
    Samples(samples::Args),
    /// Label positions with a strong network, for training
    Labels(Box<labels::Args>),
    /// Play training games of the engine against itself
    Selfplay(selfplay::Args),
    /// Solve life-and-death problems and small boards exactly
    Solve(solve::Args),
    /// Measure the speed of the search and the network, and compute the search signature
    Bench(bench::Args),
    /// Show help for a command, a full reference, the man page or shell completions
    Help(help::Args),
}

/// Parses the command line and runs the command.
pub fn run() -> anyhow::Result<()> {
    let args = katago::expand_analysis_dashes(std::env::args_os());
    let mut matches = allow_negative_numbers(Cli::command()).get_matches_from(args);
    let cli = Cli::from_arg_matches_mut(&mut matches);
    let cli = cli.unwrap_or_else(|error| error.format(&mut Cli::command()).exit());
    match cli.command {
        None => gtp::run(cli.options, false),
        Some(Command::Gtp(options)) => gtp::run(options, true),
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
        Some(Command::Help(args)) => help::run(&args, Cli::command()),
    }
}

/// Makes all options accept negative numbers as values. A negative number that is out of range then results in an error
/// about the range, not about an unknown option.
fn allow_negative_numbers(command: clap::Command) -> clap::Command {
    let command = command.mut_args(|option| {
        let takes_value = !option.is_positional() && option.get_action().takes_values();
        option.allow_negative_numbers(takes_value)
    });
    command.mut_subcommands(allow_negative_numbers)
}

/// Parser for the options of a single command, for tests.
#[cfg(test)]
#[derive(Parser)]
struct TestCli<A: clap::Args> {
    #[command(flatten)]
    args: A,
}
