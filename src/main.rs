//! The `honinbo` program: parses the command line and runs a command.

mod cli;

use std::process::ExitCode;

use honinbo::io::stderr;

fn main() -> ExitCode {
    match cli::run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            stderr::eprint_line(format_args!("honinbo: {}", format_error_chain(&error)));
            ExitCode::FAILURE
        }
    }
}

/// Formats an error followed by its causes. Skips a cause if the text already contains it, because many messages
/// quote their source.
fn format_error_chain(error: &anyhow::Error) -> String {
    let mut text = error.to_string();
    for cause in error.chain().skip(1) {
        let cause = cause.to_string();
        if !text.contains(&cause) {
            text += &format!(": {cause}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("net.gz: {source}")]
    struct Unreadable {
        source: std::io::Error,
    }

    #[test]
    fn skips_causes_already_in_text() {
        let source = std::io::Error::other("no such file");
        let error = anyhow::Error::from(Unreadable { source });
        assert_eq!(format_error_chain(&error), "net.gz: no such file");
        let error = error.context("--weights");
        assert_eq!(
            format_error_chain(&error),
            "--weights: net.gz: no such file"
        );
    }

    #[test]
    fn lists_causes_in_order() {
        let error = anyhow::anyhow!("expected a number").context("line 2");
        let error = error.context("--config a.cfg");
        assert_eq!(
            format_error_chain(&error),
            "--config a.cfg: line 2: expected a number"
        );
    }
}
