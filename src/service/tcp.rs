//! The protocol over TCP: one message per line.

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

/// Number of bytes stored from the start and from the end of a line that is too long. They suffice to recognise an HTTP
/// request.
const LONG_LINE_EXCERPT_BYTES: usize = 64;

/// Accepts clients until the future is dropped.
pub async fn serve(listener: TcpListener, connections: ConnectionManager) {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => drop(tokio::spawn(serve_connection(stream, connections.clone()))),
            Err(_) => tokio::time::sleep(limits::ACCEPT_RETRY_DELAY).await,
        }
    }
}

/// Serves a connection until it is closed.
async fn serve_connection(stream: TcpStream, connections: ConnectionManager) {
    // Disables Nagle's algorithm, which would delay short responses in order to combine them.
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

/// Writes responses until the queue ends or the client does not read a response in time.
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

/// Reads and executes requests until the end of input. If the service must close the connection, returns the reason.
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
            InputState::TimedOut => return Some("the connection was idle for too long"),
            InputState::Disconnected => return None,
            InputState::Eof => {
                // A client that has closed only its sending direction still expects the pending responses.
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
            Err(_) => return Some("a line was not completed in time"),
            Ok(Err(_)) => return None,
            Ok(Ok(length)) => length,
        };
        let message = line.trim_ascii();
        if is_http_request(message) {
            // A malicious web page may send HTTP requests that contain protocol messages. These must not be executed.
            return Some("this port does not accept HTTP requests");
        }
        match length {
            LineLength::Exceeds => ConnectionManager::reject_long_message(&client).await,
            LineLength::Fits if message.is_empty() => {}
            LineLength::Fits => connections.handle_message(&client, message.to_vec()).await,
        }
    }
}

/// Returns true for the first line of an HTTP request, such as `GET / HTTP/1.1`: it ends with the HTTP version and does
/// not start like a protocol message.
fn is_http_request(line: &[u8]) -> bool {
    let version = line.len().saturating_sub(" HTTP/1.1".len());
    line[version..].starts_with(b" HTTP/") && !line.starts_with(b"{")
}

/// Result of waiting for input.
enum InputState {
    Available,
    TimedOut,
    Eof,
    Disconnected,
}

/// Waits for the first byte of a line. The idle timeout does not apply while the client has pending requests.
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

/// Length of a line, compared with the size limit.
enum LineLength {
    Fits,
    Exceeds,
}

/// Reads a line into `line`. If it is too long, stores only its start and its end.
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
