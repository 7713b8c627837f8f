//! Command lines of other programs, given as options or arguments.

use std::path::Path;

use anyhow::Context;

/// Splits a command line into a program and its arguments. Returns `None` if a quote is not closed.
pub fn split_command_line(text: &str) -> Option<Vec<String>> {
    if cfg!(windows) {
        // shlex treats a backslash as an escape character, but on Windows it separates folders.
        shlex::split(&text.replace('\\', "\\\\"))
    } else {
        shlex::split(text)
    }
}

/// Command line of an engine: a program and its arguments.
pub struct EngineCommandLine {
    /// The program, followed by its arguments.
    pub args: Vec<String>,
    /// True if the engine is this program, or if the file name of the program starts with `honinbo`.
    pub is_honinbo: bool,
}

/// Parses the command line of an engine. If the first word is `self`, `honinbo` or an option, the engine is this
/// program. Returns an error if the command line is empty or contains an unclosed quote.
pub fn parse_engine_command_line(text: &str) -> anyhow::Result<EngineCommandLine> {
    let mut args = split_command_line(text)
        .with_context(|| format!("unclosed quote in the command line {text:?}"))?;
    let program = args
        .first()
        .context("the command line of an engine is empty")?;
    let is_alias = ["honinbo", "self"].contains(&program.as_str());
    if !is_alias && !program.starts_with('-') {
        let is_honinbo = Path::new(program)
            .file_stem()
            .is_some_and(|stem| stem.to_string_lossy().starts_with("honinbo"));
        return Ok(EngineCommandLine { args, is_honinbo });
    }
    if is_alias {
        args.remove(0);
    }
    if args.first().is_some_and(|argument| argument == "gtp") {
        args.remove(0);
    }
    let exe = std::env::current_exe().context("cannot find the path of this program")?;
    let mut full_args = vec![exe.to_string_lossy().into_owned(), "gtp".to_owned()];
    full_args.append(&mut args);
    Ok(EngineCommandLine {
        args: full_args,
        is_honinbo: true,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn command_lines_are_parsed() {
        let parse = |text| {
            parse_engine_command_line(text)
                .map(|line| (line.args, line.is_honinbo))
                .unwrap()
        };
        let exe = std::env::current_exe().unwrap();
        let this = exe.to_str().unwrap();
        for text in [
            "--visits 9",
            "honinbo --visits 9",
            "honinbo gtp --visits 9",
            "self --visits 9",
        ] {
            let expected = [this, "gtp", "--visits", "9"].map(str::to_owned);
            assert_eq!(parse(text), (expected.to_vec(), true), "{text}");
        }
        let (args, is_honinbo) = parse("gnugo --mode gtp -o 'a file'");
        assert_eq!(
            (args.len(), args[4].as_str(), is_honinbo),
            (5, "a file", false)
        );
        assert!(parse("/elsewhere/honinbo-old gtp").1);
        for text in ["", "gnugo 'open"] {
            assert!(parse_engine_command_line(text).is_err(), "{text:?}");
        }
    }
}
