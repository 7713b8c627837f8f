//! The `honinbo` program: reads the command line and hands over to the library.

mod cli;

use std::process::ExitCode;

use honinbo::notice;

fn main() -> ExitCode {
    match cli::run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            notice::say(format_args!("honinbo: {}", told(&error)));
            ExitCode::FAILURE
        }
    }
}

/// The error and its causes, but no cause twice: many texts hold that of their cause already.
fn told(error: &anyhow::Error) -> String {
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
    fn a_cause_that_the_text_holds_is_not_told_again() {
        let source = std::io::Error::other("no such file");
        let error = anyhow::Error::from(Unreadable { source });
        assert_eq!(told(&error), "net.gz: no such file");
        let error = error.context("--weights");
        assert_eq!(told(&error), "--weights: net.gz: no such file");
    }

    #[test]
    fn all_other_causes_are_told_in_their_order() {
        let error = anyhow::anyhow!("expected a number").context("line 2");
        let error = error.context("--config a.cfg");
        assert_eq!(told(&error), "--config a.cfg: line 2: expected a number");
    }
}
