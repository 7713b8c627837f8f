//! What a side of a match is named by: any program with its arguments, or this one.

use std::path::Path;

use anyhow::Context;

/// A program and its arguments.
pub struct CommandLine {
    /// Both, the program first.
    pub words: Vec<String>,
    /// Whether it is this program: this very file, or one whose name begins so.
    pub own: bool,
}

/// Reads what a side is named by.
pub fn command_line(text: &str) -> anyhow::Result<CommandLine> {
    // Elsewhere it takes the sign that follows as it is; on Windows it stands in paths.
    let plain = if cfg!(windows) {
        text.replace('\\', "\\\\")
    } else {
        text.to_owned()
    };
    let mut words = shlex::split(&plain)
        .with_context(|| format!("expected a command line with closed quotes, found {text:?}"))?;
    let first = words
        .first()
        .with_context(|| format!("expected a command line, found {text:?}"))?;
    let named = ["honinbo", "self"].contains(&first.as_str());
    if !named && !first.starts_with('-') {
        let own = Path::new(first)
            .file_stem()
            .is_some_and(|stem| stem.to_string_lossy().starts_with("honinbo"));
        return Ok(CommandLine { words, own });
    }
    if named {
        words.remove(0);
    }
    if words.first().is_some_and(|word| word == "gtp") {
        words.remove(0);
    }
    let this = std::env::current_exe().context("the path of this program")?;
    let mut full = vec![this.to_string_lossy().into_owned(), "gtp".to_owned()];
    full.append(&mut words);
    Ok(CommandLine {
        words: full,
        own: true,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sides_are_programs_or_this_one() {
        let words = |text| {
            command_line(text)
                .map(|line| (line.words, line.own))
                .unwrap()
        };
        let this = std::env::current_exe().unwrap();
        let this = this.to_str().unwrap();
        for text in [
            "--visits 9",
            "honinbo --visits 9",
            "honinbo gtp --visits 9",
            "self --visits 9",
        ] {
            let expected = [this, "gtp", "--visits", "9"].map(str::to_owned);
            assert_eq!(words(text), (expected.to_vec(), true), "{text}");
        }
        let (found, own) = words("gnugo --mode gtp -o 'a file'");
        assert_eq!((found.len(), found[4].as_str(), own), (5, "a file", false));
        assert!(words("/elsewhere/honinbo-old gtp").1);
        for bad in ["", "gnugo 'open"] {
            assert!(command_line(bad).is_err(), "{bad:?}");
        }
    }
}
