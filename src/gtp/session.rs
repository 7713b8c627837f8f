//! GTP session: reads commands and sends responses until the client quits or disconnects.
//!
//! A separate thread reads the input, so that a new line can stop a running analysis. Every line, even an empty one,
//! stops pondering.

use std::io::{self, BufReader, Read, Write};
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;
use std::time::Duration;

use super::command::Context;
use super::command_table;
use super::connection::{Connection, IncomingLine, MAX_QUEUED_LINES};
use super::line::{MAX_LINE_BYTES, ParsedLine};
use super::response::{GtpError, Response};
use crate::engine::Engine;
use crate::engine::identity::Identity;
use crate::io::line_reader::LineReader;
use crate::io::protocol_log::ProtocolLog;

/// Error that ends a session.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// Reading the input or writing the output failed.
    #[error("lost the connection to the client: {0}")]
    Io(#[from] io::Error),
    /// The input thread could not be started.
    #[error("cannot start the thread that reads commands: {0}")]
    Thread(io::Error),
}

/// Runs a session until the client quits or its input ends.
///
/// # Errors
/// Returns an error if reading or writing fails. A closed output pipe ends the session without an error.
pub fn run(
    engine: &mut Engine,
    identity: &Identity,
    input: impl Read + Send + 'static,
    output: &mut dyn Write,
    log: ProtocolLog,
) -> Result<(), SessionError> {
    let inbox = start_input_thread(input).map_err(SessionError::Thread)?;
    let mut connection = Connection::new(inbox, output, log);
    let result = serve(engine, identity, &mut connection);
    engine.cancel_search();
    match result {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => Ok(result?),
    }
}

/// Starts the input thread and returns the receiver of its lines. The thread exits at the end of input, after a read
/// error, or when it reads a line after the session has ended.
fn start_input_thread(input: impl Read + Send + 'static) -> io::Result<Receiver<IncomingLine>> {
    let (sender, inbox) = sync_channel(MAX_QUEUED_LINES);
    thread::Builder::new()
        .name("gtp-input".to_owned())
        .spawn(move || {
            let mut reader = LineReader::new(BufReader::new(input), MAX_LINE_BYTES);
            while let Some(line) = reader.next_line().transpose() {
                let is_error = line.is_err();
                if sender.send(line).is_err() || is_error {
                    break;
                }
            }
        })?;
    Ok(inbox)
}

fn serve(
    engine: &mut Engine,
    identity: &Identity,
    connection: &mut Connection<'_>,
) -> io::Result<()> {
    while let Some(bytes) = connection.next_line()? {
        engine.cancel_search();
        if !handle_line(engine, identity, connection, &bytes) {
            break;
        }
        // Ponder only if no line is waiting.
        if !connection.wait_for_input(Some(Duration::ZERO)) {
            engine.ponder();
        }
    }
    Ok(())
}

/// Executes a line and sends the response. Returns false after `quit`.
fn handle_line(
    engine: &mut Engine,
    identity: &Identity,
    connection: &mut Connection<'_>,
    bytes: &[u8],
) -> bool {
    if bytes.len() > MAX_LINE_BYTES {
        let error = GtpError::Syntax(format!("the line is longer than {MAX_LINE_BYTES} bytes"));
        connection.respond(
            ParsedLine::id_of_overlong_line(bytes).as_deref(),
            &Err(error),
        );
        return true;
    }
    let Some(line) = ParsedLine::parse(bytes) else {
        return true;
    };
    let id = line.id.as_deref();
    let mut context = Context {
        engine: &mut *engine,
        identity,
        connection: &mut *connection,
        id,
    };
    let result = command_table::find(&line.name)
        .and_then(|command| command.execute(&mut context, &line.args));
    match result {
        Ok(Response::Text(text)) => connection.respond(id, &Ok(text)),
        Ok(Response::Streamed) => {}
        Ok(Response::Quit) => {
            connection.respond(id, &Ok(String::new()));
            return false;
        }
        Err(error) => connection.respond(id, &Err(error)),
    }
    true
}
