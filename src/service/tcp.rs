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

/// Number of bytes that are stored from each end of a line that is too long. They suffice to recognise an HTTP request.
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

/// Writes responses until the queue is closed or the client does not read a response in time.
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
        if let Err(reason) = wait_for_input(&mut input, &client, connections).await {
            return reason;
        }
        line.clear();
        let read = read_line(&mut input, &mut line);
        let is_too_long = match timeout(connections.transfer_timeout(), read).await {
            Err(_) => return Some("a line was not completed in time"),
            Ok(Err(_)) => return None,
            Ok(Ok(is_too_long)) => is_too_long,
        };
        let message = line.trim_ascii();
        if is_http_request(message) {
            // A malicious web page may send HTTP requests that contain protocol messages. These must not be executed.
            return Some("this port does not accept HTTP requests");
        }
        if is_too_long {
            ConnectionManager::reject_long_message(&client).await;
        } else if !message.is_empty() {
            connections.handle_message(&client, message.to_vec()).await;
        }
    }
}

/// Returns true for the first line of an HTTP request, such as `GET / HTTP/1.1`: the line ends with the HTTP version
/// and does not start like a protocol message.
fn is_http_request(line: &[u8]) -> bool {
    let version = line.len().saturating_sub(" HTTP/1.1".len());
    line[version..].starts_with(b" HTTP/") && !line.starts_with(b"{")
}

/// Waits for the first byte of a line. The idle timeout does not apply while the client has pending requests.
///
/// # Errors
/// Returns an error if the connection must end. The error contains the reason, or `None` if the client has closed the
/// connection.
async fn wait_for_input(
    input: &mut BufReader<OwnedReadHalf>,
    client: &Client,
    connections: &ConnectionManager,
) -> Result<(), Option<&'static str>> {
    loop {
        match timeout(connections.idle_timeout(), input.fill_buf()).await {
            Ok(Ok([])) => {
                // A client that has closed only its sending direction still expects the pending responses.
                client.wait_for_pending().await;
                return Err(None);
            }
            Ok(Err(_)) => return Err(None),
            Ok(Ok(_)) => return Ok(()),
            Err(_) if client.has_pending() => {}
            Err(_) => return Err(Some("the connection was idle for too long")),
        }
    }
}

/// Reads a line into `line`. If the line is longer than the maximum length of a message, stores only its start and its
/// end and returns true.
async fn read_line(
    input: &mut (impl AsyncBufRead + Unpin),
    line: &mut Vec<u8>,
) -> io::Result<bool> {
    let mut is_too_long = false;
    loop {
        let buffer = input.fill_buf().await?;
        if buffer.is_empty() {
            return Ok(is_too_long);
        }
        let end = buffer.iter().position(|&byte| byte == b'\n');
        let consumed = end.map_or(buffer.len(), |end| end + 1);
        is_too_long |= line.len() + consumed > limits::MAX_MESSAGE_BYTES + 1;
        line.extend_from_slice(&buffer[..consumed]);
        if is_too_long {
            let end = line.len().saturating_sub(LONG_LINE_EXCERPT_BYTES);
            let end = end.max(LONG_LINE_EXCERPT_BYTES);
            drop(line.drain(LONG_LINE_EXCERPT_BYTES..end));
        }
        input.consume(consumed);
        if end.is_some() {
            return Ok(is_too_long);
        }
    }
}
