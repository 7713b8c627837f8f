//! Value parsers and helpers shared by several commands.

use std::io::{self, Write};
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::Context;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use honinbo::io::stderr;
use honinbo::learn::game::GameFileError;
use honinbo::net::precision::Precision;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

/// Returns the number of processor cores, which is the default of `--threads`.
pub fn core_count() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Parses a fraction from 0 to 1.
pub fn parse_fraction<T: FromStr + PartialOrd + From<u8>>(text: &str) -> Result<T, String> {
    let fraction = text.parse().ok();
    let fraction = fraction.filter(|fraction| (T::from(0)..=T::from(1)).contains(fraction));
    fraction.ok_or_else(|| "must be between 0 and 1".to_owned())
}

/// Splits a command line into a program and its arguments. Returns `None` if a quote is not closed.
pub fn split_command_line(text: &str) -> Option<Vec<String>> {
    if cfg!(windows) {
        // shlex treats a backslash as an escape character, but on Windows it separates folders.
        shlex::split(&text.replace('\\', "\\\\"))
    } else {
        shlex::split(text)
    }
}

/// Returns the value parser of `--precision`, which includes a description of each value for the help.
pub fn precision_parser() -> impl TypedValueParser<Value = Precision> {
    let possible_value =
        |precision: Precision| PossibleValue::new(precision.name()).help(precision.meaning());
    PossibleValuesParser::new(Precision::ALL.map(possible_value))
        .try_map(|name| name.parse::<Precision>())
}

/// Returns a flag that is set by the first SIGINT or SIGTERM, so that a long run can stop early and report its results.
/// A second signal terminates the process immediately.
pub fn stop_on_signals() -> anyhow::Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        flag::register_conditional_shutdown(signal, 1, Arc::clone(&stop))
            .and_then(|_| flag::register(signal, Arc::clone(&stop)))
            .context("cannot install a signal handler")?;
    }
    Ok(stop)
}

/// Writes the output of a command to standard output. Ignores a closed pipe.
pub fn print(text: impl AsRef<[u8]>) -> anyhow::Result<()> {
    match io::stdout().write_all(text.as_ref()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(error).context("standard output")
        }
        _ => Ok(()),
    }
}

/// Reports on standard error that a game was skipped because it cannot be read.
pub fn report_damaged(error: &GameFileError) {
    stderr::eprint_line(format_args!("honinbo: skipped: {error}"));
}
