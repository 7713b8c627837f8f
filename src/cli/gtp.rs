//! `honinbo gtp`: the GTP engine on standard input and output.

use std::io::{self, IsTerminal};
use std::sync::Arc;

use honinbo::engine::Engine;
use honinbo::gtp::session;
use honinbo::io::stderr;

use super::options::Options;

/// Introduction for users who start the program in a terminal without a command.
const GREETING: &str = concat!(
    "Honinbo ",
    env!("CARGO_PKG_VERSION"),
    " is waiting for GTP commands, such as: genmove black, showboard, quit\n",
    "  play in the terminal     honinbo play\n",
    "  play in the browser      honinbo serve --open\n",
    "  use in a Go program      enter the engine command `honinbo gtp`; for help: honinbo help"
);

/// Returns true if the program was started without a command and is probably used by a person in a terminal. Clients
/// communicate through pipes.
const fn should_greet(
    has_command: bool,
    stdin_is_terminal: bool,
    stderr_is_terminal: bool,
) -> bool {
    !has_command && stdin_is_terminal && stderr_is_terminal
}

/// Runs the engine until the client quits. `has_command` is false if the program was started without a command.
pub fn run(options: Options, has_command: bool) -> anyhow::Result<()> {
    let mut options = options.with_config_file()?;
    // A random seed does not make the engine reproducible, so the mode is chosen before.
    let calibration_mode = options.calibration_mode()?;
    options.randomise_seed();
    let settings = options.settings()?;
    let stack = options.evaluator_stack(calibration_mode)?;
    let evaluators = honinbo::engine::Evaluators {
        search: Arc::clone(&stack.evaluator),
        raw: options.raw_output_evaluator(&stack)?,
        base: Arc::clone(&stack.base),
    };
    let mut engine = Engine::new(
        settings,
        evaluators,
        options.playable_board_size(&stack)?,
        options.game_rules()?,
    )?;
    if should_greet(
        has_command,
        io::stdin().is_terminal(),
        io::stderr().is_terminal(),
    ) {
        stderr::eprint_line(GREETING);
    }
    session::run(
        &mut engine,
        &options.identity(&stack),
        io::stdin(),
        &mut io::stdout().lock(),
        options.open_log()?,
    )?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_bare_terminal_start_is_greeted() {
        assert!(should_greet(false, true, true));
        for (has_command, stdin_is_terminal, stderr_is_terminal) in [
            (true, true, true),
            (false, false, true),
            (false, true, false),
            (false, false, false),
        ] {
            assert!(!should_greet(
                has_command,
                stdin_is_terminal,
                stderr_is_terminal
            ));
        }
    }

    #[test]
    fn greeting_is_short_and_names_commands() {
        let lines: Vec<&str> = GREETING.lines().collect();
        assert_eq!(lines.len(), 4);
        assert!(lines.iter().all(|line| line.len() <= 100), "{lines:?}");
        for command in ["play", "serve --open", "gtp", "help"] {
            assert!(
                GREETING.contains(&format!("honinbo {command}")),
                "{command}"
            );
        }
    }
}
