//! The protocol over TCP: one message per line.

use std::io;
use std::net::IpAddr;
use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;

use super::client::{Client, OutgoingMessages};
use super::connections::{ConnectionManager, EndOfInput, MessageReader, ReceivedInput};
use super::error::CloseReason;
use super::limits;

/// Number of bytes stored from each end of an overlong line. They suffice to recognise an HTTP request.
const LONG_LINE_KEPT_BYTES_PER_END: usize = 64;

/// Accepts and serves connections until the future is dropped.
pub async fn serve(listener: TcpListener, connections: ConnectionManager) {
    loop {
        match listener.accept().await {
            Ok((stream, address)) => drop(tokio::spawn(serve_connection(
                stream,
                address.ip(),
                connections.clone(),
            ))),
            Err(_) => tokio::time::sleep(limits::ACCEPT_RETRY_DELAY).await,
        }
    }
}

/// Serves a connection until it is closed.
async fn serve_connection(stream: TcpStream, address: IpAddr, connections: ConnectionManager) {
    // Disables Nagle's algorithm, which would delay short responses in order to combine them.
    drop(stream.set_nodelay(true));
    let (input, mut output) = stream.into_split();
    match connections.register_client(address) {
        Ok((client, outgoing)) => {
            let transfer_timeout = connections.transfer_timeout();
            let weak_client = Arc::downgrade(&client);
            tokio::spawn(write_messages(
                output,
                outgoing,
                weak_client,
                transfer_timeout,
            ));
            let reader = TcpMessageReader {
                input: BufReader::new(input),
                transfer_timeout,
                is_first: true,
            };
            connections.serve(client, reader).await;
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

/// Reader for the messages on a connection, one per line.
struct TcpMessageReader {
    input: BufReader<OwnedReadHalf>,
    /// Time limit for a line, measured from its first byte.
    transfer_timeout: Duration,
    /// True until the first message.
    is_first: bool,
}

impl MessageReader for TcpMessageReader {
    async fn wait_for_input(&mut self) -> Result<(), EndOfInput> {
        match self.input.fill_buf().await {
            Ok([]) => Err(EndOfInput::HalfClosed),
            Ok(_) => Ok(()),
            Err(_) => Err(EndOfInput::Closed),
        }
    }

    async fn receive(&mut self) -> Result<ReceivedInput, EndOfInput> {
        let mut line = Vec::new();
        let read = read_line(&mut self.input, &mut line);
        let is_too_long = match timeout(self.transfer_timeout, read).await {
            Err(_) => return Err(EndOfInput::Rejected(CloseReason::Slow)),
            Ok(Err(_)) => return Err(EndOfInput::Closed),
            Ok(Ok(is_too_long)) => is_too_long,
        };
        let message = line.trim_ascii();
        if is_http_request(message) {
            // A malicious web page may send HTTP requests that contain protocol messages. These must not be executed.
            return Err(EndOfInput::Rejected(CloseReason::Http));
        }
        if self.is_first && !message.is_empty() && !message.starts_with(b"{") {
            // For example the start of a TLS connection, which might contain protocol messages as well.
            return Err(EndOfInput::Rejected(CloseReason::NotJson));
        }
        self.is_first &= message.is_empty();
        Ok(match message {
            _ if is_too_long => ReceivedInput::TooLong,
            [] => ReceivedInput::Nothing,
            _ => ReceivedInput::from_bytes(message),
        })
    }
}

/// Returns true for the first line of an HTTP request, such as `GET / HTTP/1.1`: the line ends with the HTTP version
/// and does not start like a protocol message.
fn is_http_request(line: &[u8]) -> bool {
    let version = line.len().saturating_sub(" HTTP/1.1".len());
    line[version..].starts_with(b" HTTP/") && !line.starts_with(b"{")
}

/// Reads a line into `line`. If the line is longer than the maximum length of a message, stores only its start and its
/// end, and returns true.
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
            let end = line.len().saturating_sub(LONG_LINE_KEPT_BYTES_PER_END);
            let end = end.max(LONG_LINE_KEPT_BYTES_PER_END);
            drop(line.drain(LONG_LINE_KEPT_BYTES_PER_END..end));
        }
        input.consume(consumed);
        if end.is_some() {
            return Ok(is_too_long);
        }
    }
}
