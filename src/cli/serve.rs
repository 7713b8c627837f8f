//! `honinbo serve`: positions judged and games kept for any number of clients.

use std::hash::{BuildHasher, RandomState};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail};
use honinbo::engine::Evaluators;
use honinbo::io::stderr;
use honinbo::service::call::{RequestDefaults, ServiceIdentity};
use honinbo::service::limits;
use honinbo::service::server::{self, ServerConfig};
use honinbo::service::store::Store;

use super::options::Options;
use super::options::unsupported::{UnsupportedOptions, hide_unsupported};

/// What the command has no use for.
pub(super) const UNSUPPORTED: [UnsupportedOptions; 2] = [
    (&["size"], "each question tells its own"),
    (
        &["ponder", "lag"],
        "no client's clock is kept here, and whoever asks comes first",
    ),
];

/// The options of the command.
#[derive(clap::Args)]
#[command(mut_args(hide_unsupported(&UNSUPPORTED)))]
pub struct Args {
    #[command(flatten)]
    options: Options,
    /// Where to listen for lines of JSON; port 0 for any that is free
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:7171", value_parser = parse_address)]
    listen: SocketAddr,
    /// Where to serve a board for browsers, such as 127.0.0.1:8080 [default: nowhere]
    #[arg(long, value_name = "ADDRESS:PORT", value_parser = parse_address)]
    http: Option<SocketAddr>,
    /// Where games are kept
    #[arg(long, value_name = "FILE", default_value = "games.db")]
    db: PathBuf,
    /// What clients have to show; needed wherever others than this computer can reach the service [default: the
    /// environment's HONINBO_TOKEN]
    #[arg(long, value_name = "TEXT")]
    token: Option<String>,
    /// Positions searched at the same time, which share --threads; one client has at most a quarter of them, or one.
    /// Where there are more of them than threads they are evaluated several at a time [default: four for each thread]
    #[arg(long, value_name = "N")]
    searches: Option<usize>,
    /// Seconds after which a client that asks nothing is cut off
    #[arg(long, value_name = "SECONDS", default_value_t = limits::DEFAULT_IDLE_TIMEOUT.as_secs_f64())]
    silence: f64,
}

/// The address of a network's card, or this computer's by name, and a port.
fn parse_address(text: &str) -> Result<SocketAddr, String> {
    let local = (text.strip_prefix("localhost:")).map(|port| format!("127.0.0.1:{port}"));
    let address = local.as_deref().unwrap_or(text);
    address.parse().map_err(|_| {
        format!("expected an address in numbers and a port, such as 127.0.0.1:8080, found {text:?}")
    })
}

/// Serves until it is interrupted or terminated.
pub fn run(args: Args) -> anyhow::Result<()> {
    args.options.reject_unsupported(&UNSUPPORTED)?;
    // What stands on a command line can be read by everybody on the computer.
    let token = args.token.clone();
    let token = match (token, std::env::var_os("HONINBO_TOKEN")) {
        (None, Some(value)) => match value.into_string() {
            Ok(value) => Some(value),
            Err(_) => bail!("HONINBO_TOKEN: expected Unicode, found something else"),
        },
        (explicit, _) => explicit,
    };
    let addresses = [("--listen", Some(args.listen)), ("--http", args.http)];
    let public_address = addresses.into_iter().find_map(|(option, address)| {
        Some((
            option,
            address.filter(|address| !address.ip().is_loopback())?,
        ))
    });
    if let Some((option, address)) = public_address
        && token.as_deref().is_none_or(str::is_empty)
    {
        bail!(
            "{option} {address}: expected a --token, since others than this computer can reach that address"
        );
    }
    let setup = setup(&args, token)?;
    server::run(setup, |json_address, http_address| {
        stderr::eprint_line(format_args!("honinbo: listening at {json_address}"));
        if let Some(http_address) = http_address {
            stderr::eprint_line(format_args!(
                "honinbo: a board for browsers at http://{http_address}/"
            ));
        }
        if let Some((_, address)) = public_address {
            stderr::eprint_line(format_args!(
                "honinbo: whoever reaches {address} and has the token may search with this computer, \
                 and read and delete the games of {}; nothing is encrypted on the way",
                args.db.display()
            ));
        }
    })?;
    Ok(())
}

fn setup(args: &Args, token: Option<String>) -> anyhow::Result<ServerConfig> {
    let mut options = args.options.clone().with_config_file()?;
    let seed = RandomState::new().hash_one(std::process::id());
    options.seed.get_or_insert(seed);
    let mut settings = options.settings()?;
    // Whoever waits in the queue comes before thoughts that nobody asked for.
    settings.ponder = false;
    let threads = settings.threads;
    let searches = match args.searches {
        None => limits::CLIENT_SHARE_DIVISOR * threads,
        Some(searches @ 1..) => searches,
        Some(0) => bail!("--searches: expected at least 1, found 0"),
    };
    settings.threads = (threads / searches).max(1);
    if !(0.01..=1e6).contains(&args.silence) {
        bail!(
            "--silence: expected seconds from 0.01 to 1000000, found {}",
            args.silence
        );
    }
    let stack = options.evaluators_for(searches)?;
    let identity = options.identity(&stack);
    Ok(ServerConfig {
        evaluators: Evaluators {
            search: Arc::clone(&stack.evaluator),
            base: Arc::clone(&stack.base),
            raw: Arc::clone(&stack.base),
        },
        identity: ServiceIdentity {
            name: identity.name,
            version: identity.version,
            model: options.model_name(),
        },
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
            assert!(error.ends_with(&format!("found {text:?}")), "{error}");
        }
    }
}
