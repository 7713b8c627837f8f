//! `honinbo serve`: a server with JSON over TCP, a web page and a game database.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail};
use honinbo::engine::Evaluators;
use honinbo::io::stderr;
use honinbo::search::default_batch_size;
use honinbo::service::call::RequestDefaults;
use honinbo::service::limits;
use honinbo::service::server::{self, ServerConfig};
use honinbo::service::store::Store;

use super::options::Options;
use super::options::unsupported::{UnsupportedOptions, hide_unsupported};

/// Shared options that have no effect in this command.
pub(super) const UNSUPPORTED_OPTIONS: [UnsupportedOptions; 2] = [
    (&["size"], "each request sets its own"),
    (
        &["ponder", "lag"],
        "the server has no game clocks, and its threads are shared by all clients",
    ),
];

#[derive(clap::Args)]
#[command(mut_args(hide_unsupported(&UNSUPPORTED_OPTIONS)))]
pub struct Args {
    #[command(flatten)]
    options: Options,
    /// Address of the JSON server; port 0 picks a free port
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:7171", value_parser = parse_address)]
    listen: SocketAddr,
    /// Address on which to serve the web page, such as 127.0.0.1:8080 [default: no web page]
    #[arg(long, value_name = "ADDRESS:PORT", value_parser = parse_address)]
    http: Option<SocketAddr>,
    /// Database of stored games
    #[arg(long, value_name = "FILE", default_value = "games.db")]
    db: PathBuf,
    /// Access token required from clients [default: environment variable HONINBO_TOKEN]
    ///
    /// At least 16 characters. Required if the server can be reached from other computers. Prefer the environment
    /// variable: other users of this computer can read command lines.
    #[arg(long, value_name = "TEXT")]
    token: Option<String>,
    /// Maximum number of concurrent searches [default: 4 per thread]
    ///
    /// All searches share the threads set by --threads. The limit per client is a quarter of this number, but not less
    /// than one. With more searches than threads, positions are evaluated in batches.
    #[arg(long, value_name = "N")]
    searches: Option<usize>,
    /// Seconds of inactivity before a client is disconnected
    #[arg(long, value_name = "SECONDS", default_value_t = limits::DEFAULT_IDLE_TIMEOUT.as_secs_f64())]
    silence: f64,
}

/// Parses `ADDRESS:PORT`, where the address is an IP address or `localhost`.
fn parse_address(text: &str) -> Result<SocketAddr, String> {
    let local = (text.strip_prefix("localhost:")).map(|port| format!("127.0.0.1:{port}"));
    let address = local.as_deref().unwrap_or(text);
    address
        .parse()
        .map_err(|_| "must be an IP address and a port, such as 127.0.0.1:8080".to_owned())
}

/// Runs the server until it receives SIGINT or SIGTERM.
pub fn run(args: Args) -> anyhow::Result<()> {
    args.options.reject_unsupported(&UNSUPPORTED_OPTIONS)?;
    let token = args.token.clone();
    let token = match (token, std::env::var_os("HONINBO_TOKEN")) {
        (None, Some(value)) => match value.into_string() {
            Ok(value) => Some(value),
            Err(_) => bail!("HONINBO_TOKEN is not valid Unicode"),
        },
        (explicit, _) => explicit,
    };
    if let Some(token) = &token
        && token.chars().count() < limits::MIN_TOKEN_CHARS
    {
        bail!(
            "the --token must have at least {} characters; `openssl rand -hex 16` prints one",
            limits::MIN_TOKEN_CHARS
        );
    }
    let addresses = [("--listen", Some(args.listen)), ("--http", args.http)];
    let public_address = addresses.into_iter().find_map(|(option, address)| {
        Some((
            option,
            address.filter(|address| !address.ip().is_loopback())?,
        ))
    });
    if let Some((option, address)) = public_address
        && token.is_none()
    {
        bail!(
            "{option} {address} can be reached from other computers; set a --token, or listen on 127.0.0.1"
        );
    }
    let setup = server_config(&args, token)?;
    server::run(setup, |json_address, http_address| {
        stderr::eprint_line(format_args!("honinbo: listening on {json_address}"));
        if let Some(http_address) = http_address {
            stderr::eprint_line(format_args!("honinbo: web page at http://{http_address}/"));
        }
        if let Some((_, address)) = public_address {
            stderr::eprint_line(format_args!(
                "honinbo: warning: any client that can reach {address} and has the token can run searches, and read \
                 and delete the games in {}; the connection is not encrypted",
                args.db.display()
            ));
        }
    })?;
    Ok(())
}

fn server_config(args: &Args, token: Option<String>) -> anyhow::Result<ServerConfig> {
    let mut options = args.options.clone().with_config_file()?;
    let calibration_mode = options.calibration_mode()?;
    options.randomise_seed();
    let mut settings = options.settings()?;
    // Pondering would take threads from queued requests.
    settings.ponder = false;
    let threads = settings.threads;
    let searches = match args.searches {
        None => limits::CLIENT_WORKERS_DIVISOR * threads,
        Some(searches @ 1..) => searches,
        Some(0) => bail!("--searches must be at least 1"),
    };
    settings.threads = (threads / searches).max(1);
    if !(0.01..=1e6).contains(&args.silence) {
        bail!(
            "--silence must be between 0.01 and 1000000 seconds, not {}",
            args.silence
        );
    }
    let stack = options.evaluator_stack_for_searches(searches, calibration_mode)?;
    let default = || default_batch_size(&*stack.evaluator, searches * settings.threads);
    settings.batch_size = settings.batch_size.or_else(|| Some(default()));
    Ok(ServerConfig {
        evaluators: Evaluators::new(Arc::clone(&stack.evaluator), Arc::clone(&stack.base)),
        identity: options.identity(&stack),
        num_workers: searches,
        store: Store::open(&args.db).with_context(|| format!("--db {}", args.db.display()))?,
        defaults: RequestDefaults {
            rules: options.game_rules()?,
            level: settings.level,
            visits: settings.visits,
            time: settings.time,
        },
        tcp_address: args.listen,
        http_address: args.http,
        token,
        log: options.open_log()?,
        idle_timeout: Duration::from_secs_f64(args.silence),
        settings,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_numeric_or_localhost() {
        for (text, expected) in [
            ("127.0.0.1:8080", "127.0.0.1:8080"),
            ("localhost:7171", "127.0.0.1:7171"),
            ("[::1]:0", "[::1]:0"),
        ] {
            assert_eq!(parse_address(text).unwrap().to_string(), expected);
        }
        for text in [
            "8080",
            ":8080",
            "localhost",
            "localhost:x",
            "example.org:80",
        ] {
            let error = parse_address(text).unwrap_err();
            assert!(error.contains("127.0.0.1:8080"), "{text}: {error}");
        }
    }
}
