//! HTTP server for the web page, which is embedded in the program, and for the protocol over a WebSocket.

use std::net::IpAddr;
use std::pin::Pin;
use std::sync::{Arc, Weak};
use std::time::Duration;

use axum::extract::ws::{Message, Utf8Bytes, WebSocket, WebSocketUpgrade};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get};
use axum::{Extension, Router};
use futures_util::stream::{Peekable, SplitSink, SplitStream};
use futures_util::{SinkExt, StreamExt};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{sleep, timeout};

use super::client::{Client, OutgoingMessages};
use super::client_slots::ClientSlots;
use super::connections::{ConnectionManager, EndOfInput, MessageReader, ReceivedInput};
use super::limits;
use super::page::{FILES, PageFile, WORKER_PATH, WORKER_TYPE, worker_text};
use super::write_timeout_stream::WriteTimeoutStream;

/// Maximum size of a WebSocket message. A longer message closes the connection. A message between
/// `limits::MAX_MESSAGE_BYTES` and this size is rejected with an error response.
const MAX_SOCKET_MESSAGE_BYTES: usize = 4 * limits::MAX_MESSAGE_BYTES;

/// Headers of every response. Among other things, they forbid content from other origins and embedding in other pages.
const SECURITY_HEADERS: [(header::HeaderName, &str); 4] = [
    (
        header::CONTENT_SECURITY_POLICY,
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
         manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::CACHE_CONTROL, "no-cache"),
];

/// Accepts and serves connections until the future is dropped. Requests for host names other than `localhost` and
/// loopback addresses are rejected unless `allow_any_host` is true.
pub async fn serve(listener: TcpListener, connections: ConnectionManager, allow_any_host: bool) {
    let connection_slots = ClientSlots::new(limits::MAX_CLIENTS, limits::MAX_CLIENTS_PER_ADDRESS);
    let timeouts = HttpTimeouts {
        request: connections.first_message_timeout(),
        write: connections.transfer_timeout(),
    };
    let router = router(connections, allow_any_host);
    loop {
        let Ok((stream, address)) = listener.accept().await else {
            sleep(limits::ACCEPT_RETRY_DELAY).await;
            continue;
        };
        // If there is no free slot, the connection is closed because the stream is dropped.
        if let Some(slot) = connection_slots.try_acquire(address.ip()) {
            let router = router.clone().layer(Extension(address.ip()));
            let serving = serve_connection(stream, timeouts, router);
            tokio::spawn(async move {
                serving.await;
                drop(slot);
            });
        }
    }
}

/// Time limits of an HTTP connection.
#[derive(Clone, Copy)]
struct HttpTimeouts {
    /// Until the headers of a request have been received.
    request: Duration,
    /// For sending a part of a response.
    write: Duration,
}

async fn serve_connection(stream: TcpStream, timeouts: HttpTimeouts, router: Router) {
    drop(stream.set_nodelay(true));
    let stream = TokioIo::new(WriteTimeoutStream::new(stream, timeouts.write));
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(timeouts.request)
        .serve_connection(stream, TowerToHyperService::new(router))
        .with_upgrades();
    // A connection closed by the client is not an error of the service.
    drop(connection.await);
}

fn router(connections: ConnectionManager, allow_any_host: bool) -> Router {
    let mut router = Router::new().route("/socket", any(upgrade));
    for file in FILES {
        router = router.route(file.path, get(move || async move { file_response(file) }));
    }
    let worker = worker_text();
    let worker = move || async move { ([(header::CONTENT_TYPE, WORKER_TYPE)], worker) };
    router = router.route(WORKER_PATH, get(worker));
    let check_host = move |request: Request, next: Next| async move {
        if allow_any_host || is_local_host(request.headers()) {
            next.run(request).await
        } else {
            let message = "Requests to this host name are rejected; open the page at localhost.";
            (StatusCode::FORBIDDEN, message).into_response()
        }
    };
    router
        .fallback(|| async { (StatusCode::NOT_FOUND, "Page not found.") })
        .layer(middleware::from_fn(check_host))
        .layer(middleware::map_response(add_security_headers))
        .with_state(connections)
}

fn file_response(file: &'static PageFile) -> Response {
    ([(header::CONTENT_TYPE, file.content_type)], file.content).into_response()
}

async fn add_security_headers(mut response: Response) -> Response {
    for (name, value) in SECURITY_HEADERS {
        let value = HeaderValue::from_static(value);
        response.headers_mut().insert(name, value);
    }
    response
}

/// Returns true if the `Host` header names this computer. This check prevents DNS rebinding, in which a malicious page
/// makes another name resolve to this computer.
fn is_local_host(headers: &HeaderMap) -> bool {
    let host = host_header(headers).unwrap_or_default();
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    };
    let address = name.trim_start_matches('[').trim_end_matches(']');
    name.eq_ignore_ascii_case("localhost")
        || address
            .parse::<IpAddr>()
            .is_ok_and(|address| address.is_loopback())
}

fn host_header(headers: &HeaderMap) -> Option<&str> {
    headers.get(header::HOST)?.to_str().ok()
}

/// Returns true if the request comes from a page of this service or from a program that is not a browser.
fn has_allowed_origin(headers: &HeaderMap) -> bool {
    let Some(origin) = headers.get(header::ORIGIN) else {
        return true;
    };
    let origin = origin.to_str().unwrap_or_default();
    let origin = origin
        .strip_prefix("http://")
        .or_else(|| origin.strip_prefix("https://"));
    origin.is_some() && origin == host_header(headers)
}

async fn upgrade(
    State(connections): State<ConnectionManager>,
    Extension(address): Extension<IpAddr>,
    headers: HeaderMap,
    upgrade: WebSocketUpgrade,
) -> Response {
    if !has_allowed_origin(&headers) {
        let message = "Only pages of this service may connect.";
        return (StatusCode::FORBIDDEN, message).into_response();
    }
    upgrade
        .max_message_size(MAX_SOCKET_MESSAGE_BYTES)
        .max_frame_size(MAX_SOCKET_MESSAGE_BYTES)
        .on_upgrade(move |socket| serve_socket(socket, address, connections))
}

/// Serves a WebSocket until it is closed.
async fn serve_socket(socket: WebSocket, address: IpAddr, connections: ConnectionManager) {
    let (mut output, input) = socket.split();
    match connections.register_client(address) {
        Ok((client, outgoing)) => {
            let weak_client = Arc::downgrade(&client);
            tokio::spawn(write_messages(
                output,
                outgoing,
                weak_client,
                connections.transfer_timeout(),
            ));
            connections.serve(client, input.peekable()).await;
        }
        Err(message) => {
            let send = output.send(Message::Text(message.into()));
            drop(timeout(limits::TRANSFER_TIMEOUT, send).await);
        }
    }
}

async fn write_messages(
    mut output: SplitSink<WebSocket, Message>,
    mut outgoing: OutgoingMessages,
    client: Weak<Client>,
    transfer_timeout: Duration,
) {
    while let Some(message) = outgoing.next().await {
        let send = output.send(Message::Text(Utf8Bytes::from(message.text)));
        if !matches!(timeout(transfer_timeout, send).await, Ok(Ok(()))) {
            if let Some(client) = client.upgrade() {
                client.disconnect();
            }
            return;
        }
    }
    drop(timeout(transfer_timeout, output.close()).await);
}

/// Reads messages from a WebSocket. The library reports only complete messages, so a client that does not complete a
/// message counts as idle.
impl MessageReader for Peekable<SplitStream<WebSocket>> {
    async fn wait_for_input(&mut self) -> Result<(), EndOfInput> {
        let next = Pin::new(self).peek().await;
        next.map(|_| ()).ok_or(EndOfInput::Closed)
    }

    async fn receive(&mut self) -> Result<ReceivedInput, EndOfInput> {
        match self.next().await {
            None | Some(Err(_) | Ok(Message::Close(_))) => Err(EndOfInput::Closed),
            Some(Ok(Message::Text(text))) => Ok(ReceivedInput::from_bytes(text.as_bytes())),
            Some(Ok(Message::Binary(bytes))) => Ok(ReceivedInput::from_bytes(&bytes)),
            // The library replies to pings.
            Some(Ok(Message::Ping(_) | Message::Pong(_))) => Ok(ReceivedInput::Nothing),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(host: &'static str, origin: Option<&'static str>) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(header::HOST, HeaderValue::from_static(host));
        if let Some(origin) = origin {
            headers.insert(header::ORIGIN, HeaderValue::from_static(origin));
        }
        headers
    }

    #[test]
    fn only_loopback_hosts_are_local() {
        for host in [
            "localhost",
            "LocalHost:8080",
            "127.0.0.1:1",
            "127.3.2.1",
            "[::1]:80",
            "[::1]",
        ] {
            assert!(is_local_host(&headers(host, None)), "{host}");
        }
        for host in [
            "example.org",
            "localhost.example.org:80",
            "127.0.0.1.nip.io",
            "10.0.0.1",
            "",
            "[::2]:80",
        ] {
            assert!(!is_local_host(&headers(host, None)), "{host}");
        }
    }

    #[test]
    fn only_same_origin_pages_may_connect() {
        for (origin, expected) in [
            (None, true),
            (Some("http://localhost:8080"), true),
            (Some("http://localhost:8081"), false),
            (Some("http://example.org"), false),
            (Some("null"), false),
            (Some("localhost:8080"), false),
        ] {
            assert_eq!(
                has_allowed_origin(&headers("localhost:8080", origin)),
                expected,
                "{origin:?}"
            );
        }
    }
}
