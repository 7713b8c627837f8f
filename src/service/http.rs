//! The page and the live connection behind it: files that are inside the program, and the protocol over a WebSocket.

use std::sync::{Arc, Weak};
use std::time::Duration;

use axum::Router;
use axum::extract::ws::{Message, Utf8Bytes, WebSocket, WebSocketUpgrade};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get};
use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt, StreamExt};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::{sleep, timeout};

use super::client::{Answers, Client};
use super::gateway::Gateway;
use super::limits;
use super::page::{FILES, File};
use super::timed_stream::TimedStream;

/// A message of more bytes ends the connection; one that is too long but not so long is answered with an error.
const ENDURED: usize = 4 * limits::MESSAGE;

/// What every answer bears: nothing is taken from elsewhere, and nothing shown within another page.
const HEADERS: [(header::HeaderName, &str); 4] = [
    (
        header::CONTENT_SECURITY_POLICY,
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
         base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::CACHE_CONTROL, "no-cache"),
];

/// Serves the page for ever. `any_name` tells that it may be asked for by other names than this computer's own.
pub async fn serve(listener: TcpListener, gateway: Gateway, any_name: bool) {
    let seats = Arc::new(Semaphore::new(limits::CLIENTS));
    let patience = gateway.transfer();
    let router = router(gateway, any_name);
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            sleep(limits::REST).await;
            continue;
        };
        // Where there is no seat left the connection is closed without a word.
        if let Ok(seat) = Arc::clone(&seats).try_acquire_owned() {
            let attending = attend(stream, patience, router.clone());
            tokio::spawn(async move {
                attending.await;
                drop(seat);
            });
        }
    }
}

async fn attend(stream: TcpStream, patience: Duration, router: Router) {
    drop(stream.set_nodelay(true));
    let stream = TokioIo::new(TimedStream::new(stream, patience));
    let serving = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(patience)
        .serve_connection(stream, TowerToHyperService::new(router))
        .with_upgrades();
    // A client that breaks off is no failure of the service.
    drop(serving.await);
}

fn router(gateway: Gateway, any_name: bool) -> Router {
    let mut router = Router::new().route("/socket", any(upgrade));
    for file in FILES {
        router = router.route(file.path, get(move || async move { of(file) }));
    }
    let guard = move |request: Request, next: Next| async move {
        if any_name || is_local(request.headers()) {
            next.run(request).await
        } else {
            let told = "This service is asked for by another name than that of this computer.";
            (StatusCode::FORBIDDEN, told).into_response()
        }
    };
    router
        .fallback(|| async { (StatusCode::NOT_FOUND, "There is no such page.") })
        .layer(middleware::from_fn(guard))
        .layer(middleware::map_response(protected))
        .with_state(gateway)
}

fn of(file: &'static File) -> Response {
    ([(header::CONTENT_TYPE, file.kind)], file.text).into_response()
}

async fn protected(mut response: Response) -> Response {
    for (name, value) in HEADERS {
        let value = HeaderValue::from_static(value);
        response.headers_mut().insert(name, value);
    }
    response
}

/// Whether the name asked for is this computer's own: a name of somebody else's may have been made to lead here.
fn is_local(headers: &HeaderMap) -> bool {
    let host = host(headers).unwrap_or_default();
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    };
    let address = name.trim_start_matches('[').trim_end_matches(']');
    name.eq_ignore_ascii_case("localhost")
        || address
            .parse::<std::net::IpAddr>()
            .is_ok_and(|address| address.is_loopback())
}

fn host(headers: &HeaderMap) -> Option<&str> {
    headers.get(header::HOST)?.to_str().ok()
}

/// Whether a page of this very service asks, or a program that is no browser.
fn is_own(headers: &HeaderMap) -> bool {
    let Some(origin) = headers.get(header::ORIGIN) else {
        return true;
    };
    let origin = origin.to_str().unwrap_or_default();
    let origin = origin
        .strip_prefix("http://")
        .or_else(|| origin.strip_prefix("https://"));
    origin.is_some() && origin == host(headers)
}

async fn upgrade(
    State(gateway): State<Gateway>,
    headers: HeaderMap,
    upgrade: WebSocketUpgrade,
) -> Response {
    if !is_own(&headers) {
        let told = "Only this service's own page is connected.";
        return (StatusCode::FORBIDDEN, told).into_response();
    }
    upgrade
        .max_message_size(ENDURED)
        .max_frame_size(ENDURED)
        .on_upgrade(move |socket| converse(socket, gateway))
}

/// Serves a client from its first message to its last.
async fn converse(socket: WebSocket, gateway: Gateway) {
    let (mut output, input) = socket.split();
    match gateway.enter() {
        Ok((client, answers)) => {
            let known = Arc::downgrade(&client);
            tokio::spawn(write_all(output, answers, known, gateway.transfer()));
            let reading = read_all(input, Arc::clone(&client), &gateway);
            gateway.serve(client, reading).await;
        }
        Err(told) => {
            let sending = output.send(Message::Text(told.into()));
            drop(timeout(limits::TRANSFER, sending).await);
        }
    }
}

async fn write_all(
    mut output: SplitSink<WebSocket, Message>,
    mut answers: Answers,
    client: Weak<Client>,
    patience: Duration,
) {
    while let Some(answer) = answers.next().await {
        let sending = output.send(Message::Text(Utf8Bytes::from(answer.text)));
        if !matches!(timeout(patience, sending).await, Ok(Ok(()))) {
            if let Some(client) = client.upgrade() {
                client.leave();
            }
            return;
        }
    }
    drop(timeout(patience, output.close()).await);
}

/// Takes messages in until there are no more; why the connection is to be closed, if the client has not done so itself.
async fn read_all(
    mut input: SplitStream<WebSocket>,
    client: Arc<Client>,
    gateway: &Gateway,
) -> Option<&'static str> {
    loop {
        // Messages come whole or not at all: one that is begun and not ended is silence too.
        let message = match timeout(gateway.silence(), input.next()).await {
            Err(_) if client.waits() => continue,
            Err(_) => return Some("nothing was asked for a long time"),
            Ok(None | Some(Err(_)) | Some(Ok(Message::Close(_)))) => return None,
            Ok(Some(Ok(message))) => message,
        };
        match message {
            Message::Text(text) => gateway.take(&client, text.as_bytes().to_vec()).await,
            Message::Binary(bytes) => gateway.take(&client, bytes.to_vec()).await,
            // The library answers pings itself.
            _ => {}
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
    fn only_names_of_this_computer_are_local() {
        for host in [
            "localhost",
            "LocalHost:8080",
            "127.0.0.1:1",
            "127.3.2.1",
            "[::1]:80",
            "[::1]",
        ] {
            assert!(is_local(&headers(host, None)), "{host}");
        }
        for host in [
            "example.org",
            "localhost.example.org:80",
            "127.0.0.1.nip.io",
            "10.0.0.1",
            "",
            "[::2]:80",
        ] {
            assert!(!is_local(&headers(host, None)), "{host}");
        }
    }

    #[test]
    fn only_the_own_page_or_no_page_at_all_is_connected() {
        for (origin, own) in [
            (None, true),
            (Some("http://localhost:8080"), true),
            (Some("http://localhost:8081"), false),
            (Some("http://example.org"), false),
            (Some("null"), false),
            (Some("localhost:8080"), false),
        ] {
            assert_eq!(
                is_own(&headers("localhost:8080", origin)),
                own,
                "{origin:?}"
            );
        }
    }
}
