//! `honinbo serve`: a server with JSON over TCP, a web page and a game database.

mod browser;

use std::fs;
use std::io::ErrorKind;
use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, anyhow, bail};
use honinbo::engine::Evaluators;
use honinbo::io::{stderr, user_folders};
use honinbo::search::default_batch_size;
use honinbo::service::call::RequestDefaults;
use honinbo::service::limits;
use honinbo::service::server::{self, ServerConfig, ServerError};
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
    /// Address of the JSON server; port 0 picks a free port [default: 127.0.0.1:7171]
    #[arg(long, value_name = "ADDRESS:PORT", value_parser = parse_address)]
    listen: Option<SocketAddr>,
    /// Address of the web page [default: 127.0.0.1:7172, or no web page if only --listen is set]
    #[arg(long, value_name = "ADDRESS:PORT", value_parser = parse_address)]
    http: Option<SocketAddr>,
    /// Open the web page in the browser
    #[arg(long)]
    open: bool,
    /// Database of stored games [default: games.db in the user's data folder]
    #[arg(long, value_name = "FILE")]
    db: Option<PathBuf>,
    /// Access token required from clients [default: environment variable HONINBO_TOKEN]
    ///
    /// At least 16 characters. Required if the server can be reached from other computers. Prefer the environment
    /// variable: other users of this computer can read command lines.
    #[arg(long, value_name = "TEXT")]
    token: Option<String>,
    /// Maximum number of concurrent searches [default: 4 per thread]
    ///
    /// All searches share the threads set by --threads; a single search uses all of them. The limit per client is a
    /// quarter of this number, but not less than one. With more searches than threads, positions are evaluated in
    /// batches.
    #[arg(long, value_name = "N")]
    searches: Option<usize>,
    /// Seconds of inactivity before a client is disconnected
    #[arg(long, value_name = "SECONDS", default_value_t = limits::DEFAULT_IDLE_TIMEOUT.as_secs_f64())]
    silence: f64,
}

/// Default address of the JSON server.
const DEFAULT_LISTEN: SocketAddr = SocketAddr::V4(SocketAddrV4::new(Ipv4Addr::LOCALHOST, 7171));
/// Default address of the web page. The port is always the same, because browsers store the settings of a page by
/// address and port.
const DEFAULT_HTTP: SocketAddr = SocketAddr::V4(SocketAddrV4::new(Ipv4Addr::LOCALHOST, 7172));
/// Name of the default database.
const DATABASE_NAME: &str = "games.db";

/// Parses `ADDRESS:PORT`, where the address is an IP address or `localhost`.
fn parse_address(text: &str) -> Result<SocketAddr, String> {
    let local = (text.strip_prefix("localhost:")).map(|port| format!("127.0.0.1:{port}"));
    let address = local.as_deref().unwrap_or(text);
    address
        .parse()
        .map_err(|_| "must be an IP address and a port, such as 127.0.0.1:8080".to_owned())
}

impl Args {
    fn listen_address(&self) -> SocketAddr {
        self.listen.unwrap_or(DEFAULT_LISTEN)
    }

    /// Returns the address of the web page, or `None` if the page is not served.
    fn http_address(&self) -> Option<SocketAddr> {
        let has_page = self.listen.is_none() || self.open;
        self.http.or(has_page.then_some(DEFAULT_HTTP))
    }

    /// Returns the first address that other computers can reach, with its option.
    fn public_address(&self) -> Option<(&'static str, SocketAddr)> {
        let addresses = [
            ("--listen", Some(self.listen_address())),
            ("--http", self.http_address()),
        ];
        addresses.into_iter().find_map(|(option, address)| {
            Some((
                option,
                address.filter(|address| !address.ip().is_loopback())?,
            ))
        })
    }

    /// Returns the database file. Creates the folder of the default database.
    fn database(&self) -> anyhow::Result<PathBuf> {
        if let Some(file) = &self.db {
            return Ok(file.clone());
        }
        let Some(folder) = user_folders::data() else {
            return Ok(PathBuf::from(DATABASE_NAME));
        };
        fs::create_dir_all(&folder)
            .with_context(|| format!("cannot create the folder {}", folder.display()))?;
        Ok(folder.join(DATABASE_NAME))
    }
}

/// Returns the access token that clients must send.
fn access_token(args: &Args) -> anyhow::Result<Option<String>> {
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
    Ok(token)
}

/// Runs the server until it receives SIGINT or SIGTERM.
pub fn run(args: Args) -> anyhow::Result<()> {
    args.options.reject_unsupported(&UNSUPPORTED_OPTIONS)?;
    let token = access_token(&args)?;
    let public_address = args.public_address();
    if let Some((option, address)) = public_address
        && token.is_none()
    {
        bail!(
            "{option} {address} can be reached from other computers; set a --token, or listen on 127.0.0.1"
        );
    }
    let database = args.database()?;
    let setup = server_config(&args, token, &database)?;
    let is_read_only = setup.store.is_read_only();
    let result = server::run(setup, |json_address, http_address| {
        report_addresses(&args, json_address, http_address);
        report_database(&args, &database, is_read_only);
    });
    result.map_err(|error| server_error(error, &args))
}

/// Prints the addresses, and opens the page if `--open` is set.
fn report_addresses(args: &Args, json_address: SocketAddr, http_address: Option<SocketAddr>) {
    // Users of the page need only its address.
    if args.listen.is_some() || http_address.is_none() {
        stderr::eprint_line(format_args!("honinbo: listening on {json_address}"));
    }
    if let Some(http_address) = http_address {
        let url = format!("http://{http_address}/");
        stderr::eprint_line(format_args!("honinbo: web page at {url}"));
        if args.open {
            browser::open(url);
        }
    }
}

/// Prints where the games are stored if no database was specified. Warns if the database is read-only or can be
/// accessed through a public address.
fn report_database(args: &Args, database: &Path, is_read_only: bool) {
    let file = database.display();
    if args.db.is_none() {
        stderr::eprint_line(format_args!("honinbo: games are stored in {file}"));
        if database != Path::new(DATABASE_NAME) && Path::new(DATABASE_NAME).exists() {
            stderr::eprint_line(format_args!(
                "honinbo: {DATABASE_NAME} in the current folder is not used; --db {DATABASE_NAME} uses it"
            ));
        }
    }
    if is_read_only {
        stderr::eprint_line(format_args!(
            "honinbo: {file} cannot be written; its games can only be read"
        ));
    }
    if let Some((_, address)) = args.public_address() {
        stderr::eprint_line(format_args!(
            "honinbo: warning: any client that can reach {address} and has the token can run searches, and read and \
             delete the games in {file}; the connection is not encrypted"
        ));
    }
}

/// Adds advice to the error that a port is in use.
fn server_error(error: ServerError, args: &Args) -> anyhow::Error {
    match error {
        ServerError::Listen { address, error } if error.kind() == ErrorKind::AddrInUse => {
            let is_page = args.http_address() == Some(address);
            let option = if is_page { "--http" } else { "--listen" };
            let (ip, port) = (address.ip(), address.port());
            anyhow!(
                "port {port} is taken, perhaps by another `honinbo serve`; use that one, or choose another port with \
                 {option} {ip}:PORT"
            )
        }
        error => error.into(),
    }
}

fn server_config(
    args: &Args,
    token: Option<String>,
    database: &Path,
) -> anyhow::Result<ServerConfig> {
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
        threads,
        store: Store::open(database).with_context(|| format!("--db {}", database.display()))?,
        defaults: RequestDefaults {
            rules: options.game_rules()?,
            level: settings.level,
            visits: settings.visits,
            time: settings.time,
        },
        tcp_address: args.listen_address(),
        http_address: args.http_address(),
        token,
        log: options.open_log()?,
        idle_timeout: Duration::from_secs_f64(args.silence),
        settings,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::TestCli;
    use clap::Parser;

    #[test]
    fn page_is_served_unless_only_listen_is_set() {
        let addresses = |line: &str| {
            let args = TestCli::<Args>::try_parse_from(line.split(' '))
                .unwrap()
                .args;
            (
                args.listen_address().port(),
                args.http_address().map(|address| address.port()),
            )
        };
        for (line, expected) in [
            ("serve", (7171, Some(7172))),
            ("serve --http 127.0.0.1:8080", (7171, Some(8080))),
            ("serve --listen 127.0.0.1:9", (9, None)),
            ("serve --listen 127.0.0.1:9 --open", (9, Some(7172))),
            (
                "serve --listen 127.0.0.1:9 --http 127.0.0.1:8",
                (9, Some(8)),
            ),
        ] {
            assert_eq!(addresses(line), expected, "{line}");
        }
    }

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
