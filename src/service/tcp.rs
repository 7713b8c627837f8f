//! The protocol over TCP: one message a line, one answer a line.

use std::io;
use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;

use super::client::{Client, OutgoingMessages};
use super::connections::ConnectionManager;
use super::limits;

/// Bytes kept of the beginning and of the end of a line that is too long: enough to tell who speaks.
const LONG_LINE_EXCERPT_BYTES: usize = 64;

/// Lets clients in for ever.
pub async fn serve(listener: TcpListener, connections: ConnectionManager) {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => drop(tokio::spawn(serve_connection(stream, connections.clone()))),
            Err(_) => tokio::time::sleep(limits::ACCEPT_RETRY_DELAY).await,
        }
    }
}

/// Serves a client from its first line to its last.
async fn serve_connection(stream: TcpStream, connections: ConnectionManager) {
    // Answers are short and waited for; without this, the system would hold them back for more.
    drop(stream.set_nodelay(true));
    let (input, mut output) = stream.into_split();
    match connections.register_client() {
        Ok((client, outgoing)) => {
            let transfer_timeout = connections.transfer_timeout();
            let weak_client = Arc::downgrade(&client);
            tokio::spawn(write_messages(
                output,
                outgoing,
                weak_client,
                transfer_timeout,
            ));
            let read_loop = read_messages(input, Arc::clone(&client), &connections);
            connections.serve(client, read_loop).await;
        }
        Err(message) => drop(write_line(&mut output, message, limits::TRANSFER_TIMEOUT).await),
    }
}

/// Writes answers until no more can come, or the client does not read.
async fn write_messages(
    mut output: OwnedWriteHalf,
    mut outgoing: OutgoingMessages,
    client: Weak<Client>,
    transfer_timeout: Duration,
) {
    while let Some(message) = outgoing.next().await {
        if write_line(&mut output, message.text, transfer_timeout)
            .await
            .is_err()
        {
            if let Some(client) = client.upgrade() {
                client.disconnect();
            }
            return;
        }
    }
    drop(output.shutdown().await);
}

async fn write_line(
    output: &mut OwnedWriteHalf,
    mut line: String,
    transfer_timeout: Duration,
) -> io::Result<()> {
    line.push('\n');
    timeout(transfer_timeout, output.write_all(line.as_bytes())).await?
}

/// Takes lines in until there are no more; why the connection is to be closed, if the client has not done so itself.
async fn read_messages(
    input: OwnedReadHalf,
    client: Arc<Client>,
    connections: &ConnectionManager,
) -> Option<&'static str> {
    let mut input = BufReader::new(input);
    let mut line = Vec::new();
    loop {
        match wait_for_input(&mut input, &client, connections).await {
            InputState::Available => {}
            InputState::TimedOut => return Some("nothing was asked for a long time"),
            InputState::Disconnected => return None,
            InputState::Eof => {
                // Whoever says that this was all still wants the answers.
                client.wait_for_pending().await;
                return None;
            }
        }
        line.clear();
        let length = match timeout(
            connections.transfer_timeout(),
            read_line(&mut input, &mut line),
        )
        .await
        {
            Err(_) => return Some("a line was begun and not ended"),
            Ok(Err(_)) => return None,
            Ok(Ok(length)) => length,
        };
        let message = line.trim_ascii();
        if is_http_request(message) {
            // A page of the web may have been told to speak to this port, and is not obeyed.
            return Some("this is no web server");
        }
        match length {
            LineLength::Exceeds => ConnectionManager::reject_long_message(&client).await,
            LineLength::Fits if message.is_empty() => {}
            LineLength::Fits => connections.handle_message(&client, message.to_vec()).await,
        }
    }
}

/// Whether a line is how browsers begin to speak, as `GET / HTTP/1.1`. Its end tells, where it does not begin as a
/// message.
fn is_http_request(line: &[u8]) -> bool {
    let version = line.len().saturating_sub(" HTTP/1.1".len());
    line[version..].starts_with(b" HTTP/") && !line.starts_with(b"{")
}

/// What came of waiting for a line to begin.
enum InputState {
    Available,
    TimedOut,
    Eof,
    Disconnected,
}

/// Waits for a line to begin. Only who waits for nothing is silent.
async fn wait_for_input(
    input: &mut BufReader<OwnedReadHalf>,
    client: &Client,
    connections: &ConnectionManager,
) -> InputState {
    loop {
        match timeout(connections.idle_timeout(), input.fill_buf()).await {
            Ok(Ok([])) => return InputState::Eof,
            Ok(Err(_)) => return InputState::Disconnected,
            Ok(Ok(_)) => return InputState::Available,
            Err(_) if client.has_pending() => {}
            Err(_) => return InputState::TimedOut,
        }
    }
}

/// Whether a line was within its bound.
enum LineLength {
    Fits,
    Exceeds,
}

/// Reads to the end of the line; of one that is too long only the beginning and the end are kept.
async fn read_line(
    input: &mut (impl AsyncBufRead + Unpin),
    line: &mut Vec<u8>,
) -> io::Result<LineLength> {
    let mut length = LineLength::Fits;
    loop {
        let buffer = input.fill_buf().await?;
        if buffer.is_empty() {
            return Ok(length);
        }
        let end = buffer.iter().position(|&byte| byte == b'\n');
        let consumed = end.map_or(buffer.len(), |end| end + 1);
        if line.len() + consumed > limits::MAX_MESSAGE_BYTES + 1 {
            length = LineLength::Exceeds;
        }
        line.extend_from_slice(&buffer[..consumed]);
        if matches!(length, LineLength::Exceeds) {
            let end = line
                .len()
                .saturating_sub(LONG_LINE_EXCERPT_BYTES)
                .max(LONG_LINE_EXCERPT_BYTES);
            drop(line.drain(LONG_LINE_EXCERPT_BYTES..end));
        }
        input.consume(consumed);
        if end.is_some() {
            return Ok(length);
        }
    }
}
