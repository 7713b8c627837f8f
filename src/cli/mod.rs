//! The command line: one file a command.

mod analysis;
mod bench;
mod contest;
mod gtp;
mod help;
mod katago;
mod net;
mod options;
mod play;
mod precision;
mod review;
mod samples;
mod selfplay;
mod serve;
mod share;
mod signals;
mod solve;
mod weights;

use std::io::{self, Write};
use std::path::Path;

use anyhow::Context;
use clap::{Parser, Subcommand};
use honinbo::learn::archive::ArchiveError;
use honinbo::notice;

#[derive(Parser)]
#[command(
    version,
    about,
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
    /// Play two programs against each other
    Match(contest::Args),
    /// Look at networks
    #[command(subcommand)]
    Net(net::Command),
    /// Turn game files into encoded training batches on standard output
    Samples(samples::Args),
    /// Play games against itself, to learn from
    Selfplay(selfplay::Args),
    /// Solve small boards exactly, and problems of life and death
    Solve(solve::Args),
    /// Measure the search: its signature and speed with an evaluator made of hashes, or its speed with the network
    Bench(bench::Args),
    /// Explain a command, or everything (--all); the manual page and the completions of shells
    Help(help::Args),
}

/// Reads the command line and runs what it asks for.
pub fn run() -> anyhow::Result<()> {
    let cli = Cli::parse_from(katago::in_long_form(std::env::args_os()));
    match cli.command {
        None => gtp::run(cli.options),
        Some(Command::Gtp(options)) => gtp::run(options),
        Some(Command::Play(args)) => play::run(&args),
        Some(Command::Analysis(args)) => analysis::run(args),
        Some(Command::Review(args)) => review::run(args),
        Some(Command::Serve(args)) => serve::run(args),
        Some(Command::Match(args)) => contest::run(&args),
        Some(Command::Net(command)) => net::run(&command),
        Some(Command::Samples(args)) => samples::run(&args),
        Some(Command::Selfplay(args)) => selfplay::run(&args),
        Some(Command::Solve(args)) => solve::run(&args),
        Some(Command::Bench(args)) => bench::run(&args),
        Some(Command::Help(args)) => help::run(&args),
    }
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
fn tell_damage(damaged: &ArchiveError) {
    notice::say(format_args!("honinbo: left out: {damaged}"));
}

/// Refuses to write over what was read: the other games of a file would be lost.
fn not_what_was_read(output: &Path, input: &Path) -> anyhow::Result<()> {
    let same = |one: &Path| one.canonicalize().ok();
    let is_same = same(output).is_some_and(|output| same(input) == Some(output));
    anyhow::ensure!(
        !is_same,
        "--output: expected another file than the one that was read, found {}",
        output.display()
    );
    Ok(())
}

/// Whether a path names a folder even if none is there yet, by the separator at its end.
fn ends_in_separator(path: &Path) -> bool {
    let last = path.as_os_str().as_encoded_bytes().last();
    last.is_some_and(|&byte| std::path::is_separator(char::from(byte)))
}

/// A line of one command alone, for the tests of its options.
#[cfg(test)]
#[derive(Parser)]
struct Line<A: clap::Args> {
    #[command(flatten)]
    args: A,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_separator_at_the_end_makes_a_folder() {
        for (path, is_folder) in [("a/", true), ("a/b", false), ("", false), ("ä", false)] {
            assert_eq!(ends_in_separator(Path::new(path)), is_folder, "{path:?}");
        }
    }

    #[test]
    fn what_was_read_is_not_written_over() {
        let folder = tempfile::tempdir().unwrap();
        let input = folder.path().join("games.sgf");
        std::fs::write(&input, "(;)").unwrap();
        let around = folder.path().join(".").join("games.sgf");
        let error = not_what_was_read(&around, &input).unwrap_err();
        assert!(error.to_string().contains("games.sgf"), "{error}");
        not_what_was_read(&folder.path().join("games.review.sgf"), &input).unwrap();
    }
}
