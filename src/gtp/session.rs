//! A session: lines in, answers out, until the client quits or goes away.
//!
//! A thread of its own reads the input, so that a line can end an analysis. The loop has one rule: any line, even an
//! empty one, first ends what the engine does unasked: thinking in the opponent's time.

use std::io::{self, BufReader, Read, Write};
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;
use std::time::Duration;

use super::args::Args;
use super::context::{Answer, Context, Identity};
use super::line::{Line, MAX_LINE};
use super::reply::Failure;
use super::table;
use super::wire::{Incoming, READ_AHEAD, Wire};
use crate::engine::Engine;
use crate::lines::LineReader;
use crate::traffic::Log;

/// Why a session ended before its time.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// The input could not be read, or the output not written.
    #[error("the connection to the client failed: {0}")]
    Io(#[from] io::Error),
    /// The thread that reads could not be started.
    #[error("cannot start the thread that reads commands: {0}")]
    Thread(io::Error),
}

/// Serves a client until it quits or its input ends.
///
/// # Errors
/// When reading or writing fails. A client that stops listening is no failure.
pub fn run(
    engine: &mut Engine,
    identity: &Identity,
    input: impl Read + Send + 'static,
    output: &mut dyn Write,
    log: Log,
) -> Result<(), SessionError> {
    let inbox = read_lines(input).map_err(SessionError::Thread)?;
    let mut wire = Wire::new(inbox, output, log);
    let served = serve(engine, identity, &mut wire);
    engine.halt();
    match served {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        served => Ok(served?),
    }
}

/// Starts to read lines. The thread ends with the input, or at the next line after the session is over.
fn read_lines(input: impl Read + Send + 'static) -> io::Result<Receiver<Incoming>> {
    let (sender, inbox) = sync_channel(READ_AHEAD);
    thread::Builder::new()
        .name("gtp-input".to_owned())
        .spawn(move || {
            let mut reader = LineReader::new(BufReader::new(input), MAX_LINE);
            while let Some(line) = reader.next_line().transpose() {
                let failed = line.is_err();
                if sender.send(line).is_err() || failed {
                    break;
                }
            }
        })?;
    Ok(inbox)
}

fn serve(engine: &mut Engine, identity: &Identity, wire: &mut Wire<'_>) -> io::Result<()> {
    while let Some(bytes) = wire.next_line()? {
        engine.halt();
        if !answer(engine, identity, wire, &bytes) {
            break;
        }
        // What waits already is answered first.
        if !wire.wait(Some(Duration::ZERO)) {
            engine.ponder();
        }
    }
    Ok(())
}

/// Does what a line asks for; false when that is to end the session.
fn answer(engine: &mut Engine, identity: &Identity, wire: &mut Wire<'_>, bytes: &[u8]) -> bool {
    if bytes.len() > MAX_LINE {
        let failure = Failure::Syntax(format!(
            "expected a line of at most {MAX_LINE} bytes, found a longer one"
        ));
        wire.answer(Line::id_of_long(bytes).as_deref(), &Err(failure));
        return true;
    }
    let Some(line) = Line::parse(bytes) else {
        return true;
    };
    let id = line.id.as_deref();
    let mut context = Context {
        engine: &mut *engine,
        identity,
        wire: &mut *wire,
        id,
    };
    let outcome = table::find(&line.name)
        .and_then(|command| (command.run)(&mut context, &mut Args::new(&line.rest)));
    match outcome {
        Ok(Answer::Text(text)) => wire.answer(id, &Ok(text)),
        Ok(Answer::Sent) => {}
        Ok(Answer::Quit) => {
            wire.answer(id, &Ok(String::new()));
            return false;
        }
        Err(failure) => wire.answer(id, &Err(failure)),
    }
    true
}
