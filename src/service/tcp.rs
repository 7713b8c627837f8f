//! The protocol over TCP: one message a line, one answer a line.

use std::io;
use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;

use super::client::{Answers, Client};
use super::gateway::Gateway;
use super::limits;

/// Bytes kept of the beginning and of the end of a line that is too long: enough to tell who speaks.
const KEPT: usize = 64;

/// Lets clients in for ever.
pub async fn serve(listener: TcpListener, gateway: Gateway) {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => drop(tokio::spawn(attend(stream, gateway.clone()))),
            Err(_) => tokio::time::sleep(limits::REST).await,
        }
    }
}

/// Serves a client from its first line to its last.
async fn attend(stream: TcpStream, gateway: Gateway) {
    // Answers are short and waited for; without this, the system would hold them back for more.
    drop(stream.set_nodelay(true));
    let (input, mut output) = stream.into_split();
    match gateway.enter() {
        Ok((client, answers)) => {
            let patience = gateway.transfer();
            let known = Arc::downgrade(&client);
            tokio::spawn(write_all(output, answers, known, patience));
            let reading = read_all(input, Arc::clone(&client), &gateway);
            gateway.serve(client, reading).await;
        }
        Err(told) => drop(write(&mut output, told, limits::TRANSFER).await),
    }
}

/// Writes answers until no more can come, or the client does not read.
async fn write_all(
    mut output: OwnedWriteHalf,
    mut answers: Answers,
    client: Weak<Client>,
    patience: Duration,
) {
    while let Some(answer) = answers.next().await {
        if write(&mut output, answer.text, patience).await.is_err() {
            if let Some(client) = client.upgrade() {
                client.leave();
            }
            return;
        }
    }
    drop(output.shutdown().await);
}

async fn write(
    output: &mut OwnedWriteHalf,
    mut line: String,
    patience: Duration,
) -> io::Result<()> {
    line.push('\n');
    timeout(patience, output.write_all(line.as_bytes())).await?
}

/// Takes lines in until there are no more; why the connection is to be closed, if the client has not done so itself.
async fn read_all(
    input: OwnedReadHalf,
    client: Arc<Client>,
    gateway: &Gateway,
) -> Option<&'static str> {
    let mut input = BufReader::new(input);
    let mut line = Vec::new();
    loop {
        match listen(&mut input, &client, gateway).await {
            Heard::Something => {}
            Heard::Nothing => return Some("nothing was asked for a long time"),
            Heard::Gone => return None,
            Heard::End => {
                // Whoever says that this was all still wants the answers.
                client.answered().await;
                return None;
            }
        }
        line.clear();
        let length = match timeout(gateway.transfer(), read_line(&mut input, &mut line)).await {
            Err(_) => return Some("a line was begun and not ended"),
            Ok(Err(_)) => return None,
            Ok(Ok(length)) => length,
        };
        let said = line.trim_ascii();
        if is_of_the_web(said) {
            // A page of the web may have been told to speak to this port, and is not obeyed.
            return Some("this is no web server");
        }
        match length {
            Length::Exceeds => Gateway::refuse_long(&client).await,
            Length::Fits if said.is_empty() => {}
            Length::Fits => gateway.take(&client, said.to_vec()).await,
        }
    }
}

/// Whether a line is how browsers begin to speak, as `GET / HTTP/1.1`. Its end tells, where it does not begin as a
/// message.
fn is_of_the_web(line: &[u8]) -> bool {
    let version = line.len().saturating_sub(" HTTP/1.1".len());
    line[version..].starts_with(b" HTTP/") && !line.starts_with(b"{")
}

/// What came of waiting for a line to begin.
enum Heard {
    Something,
    Nothing,
    End,
    Gone,
}

/// Waits for a line to begin. Only who waits for nothing is silent.
async fn listen(input: &mut BufReader<OwnedReadHalf>, client: &Client, gateway: &Gateway) -> Heard {
    loop {
        match timeout(gateway.silence(), input.fill_buf()).await {
            Ok(Ok([])) => return Heard::End,
            Ok(Err(_)) => return Heard::Gone,
            Ok(Ok(_)) => return Heard::Something,
            Err(_) if client.waits() => {}
            Err(_) => return Heard::Nothing,
        }
    }
}

/// Whether a line was within its bound.
enum Length {
    Fits,
    Exceeds,
}

/// Reads to the end of the line; of one that is too long only the beginning and the end are kept.
async fn read_line(
    input: &mut (impl AsyncBufRead + Unpin),
    line: &mut Vec<u8>,
) -> io::Result<Length> {
    let mut length = Length::Fits;
    loop {
        let found = input.fill_buf().await?;
        if found.is_empty() {
            return Ok(length);
        }
        let end = found.iter().position(|&byte| byte == b'\n');
        let used = end.map_or(found.len(), |end| end + 1);
        if line.len() + used > limits::MESSAGE + 1 {
            length = Length::Exceeds;
        }
        line.extend_from_slice(&found[..used]);
        if matches!(length, Length::Exceeds) {
            let end = line.len().saturating_sub(KEPT).max(KEPT);
            drop(line.drain(KEPT..end));
        }
        input.consume(used);
        if end.is_some() {
            return Ok(length);
        }
    }
}
