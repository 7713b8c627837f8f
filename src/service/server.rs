//! The service as a whole: it listens, its workers work, and it ends in good order.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::runtime;

use super::connections::ConnectionManager;
use super::dispatcher::{Dispatcher, RequestDefaults, ServiceIdentity};
use super::store::Store;
use super::worker::run_worker;
use super::{http, limits, tcp};
use crate::engine::settings::EngineSettings;
use crate::engine::{Engine, Evaluators};
use crate::game::point::BoardSize;
use crate::game::rules::Rules;
use crate::io::protocol_log::ProtocolLog;

/// How a service is set up.
pub struct ServerConfig {
    /// What judges positions, for all clients together.
    pub evaluators: Evaluators,
    /// Who answers.
    pub identity: ServiceIdentity,
    /// How each search goes about: its threads, its memory, its parameters.
    pub settings: EngineSettings,
    /// Searches at the same time, at least one.
    pub num_workers: usize,
    /// The games kept.
    pub store: Store,
    /// Where to listen for lines.
    pub tcp_address: SocketAddr,
    /// Where to serve the page, if anywhere.
    pub http_address: Option<SocketAddr>,
    /// What requests leave unsaid.
    pub defaults: RequestDefaults,
    /// What clients have to show.
    pub token: Option<String>,
    /// Where all traffic is noted.
    pub log: ProtocolLog,
    /// After how long a silent client is cut off.
    pub idle_timeout: Duration,
}

/// Why a service ended before its time.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// An address cannot be listened at.
    #[error("cannot listen at {address}: {error}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// Why not.
        error: io::Error,
    },
    /// The system gives no threads.
    #[error("cannot start a thread: {0}")]
    Thread(io::Error),
}

/// Serves until the user or the system asks for the end. `on_ready` is told the addresses that lines are taken at and the
/// page is served at.
///
/// # Errors
/// When the address cannot be had, or threads.
pub fn run(
    config: ServerConfig,
    on_ready: impl FnOnce(SocketAddr, Option<SocketAddr>),
) -> Result<(), ServerError> {
    let runtime = runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(ServerError::Thread)?;
    let requires_token = config.token.as_ref().is_some_and(|token| !token.is_empty());
    let dispatcher = Arc::new(Dispatcher::new(
        config.identity,
        config.store,
        config.defaults,
        config.token,
        config.log,
        config.num_workers,
    ));
    let workers = start_workers(
        &dispatcher,
        &config.evaluators,
        &config.settings,
        config.num_workers,
    )?;
    let gateway = ConnectionManager::new(Arc::clone(&dispatcher), config.idle_timeout);
    let result = runtime.block_on(async {
        let (tcp_listener, address) = bind(config.tcp_address).await?;
        let http_listener = match config.http_address {
            Some(address) => Some(bind(address).await?),
            None => None,
        };
        on_ready(address, http_listener.as_ref().map(|(_, address)| *address));
        let http_server = async {
            match http_listener {
                Some((listener, address)) => {
                    // A page that leads a name of its own here knows no token, so that a proxy's name may be asked for.
                    let allow_any_host = requires_token || !address.ip().is_loopback();
                    http::serve(listener, gateway.clone(), allow_any_host).await;
                }
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = tcp::serve(tcp_listener, gateway.clone()) => {}
            () = http_server => {}
            () = shutdown_signal() => {}
        }
        // Searches end first, so that what they have found is still told.
        dispatcher.queue.abort();
        gateway.shut_down().await;
        Ok(())
    });
    dispatcher.queue.abort();
    // What is being written to the disk is written to its end.
    runtime.shutdown_timeout(limits::SHUTDOWN_TIMEOUT);
    for worker in workers {
        // One that has panicked has said so.
        drop(worker.join());
    }
    result
}

/// Listens at an address; with port 0 at one of the system's choice, which is told.
async fn bind(address: SocketAddr) -> Result<(TcpListener, SocketAddr), ServerError> {
    let listen_error = |error| ServerError::Listen { address, error };
    let listener = TcpListener::bind(address).await.map_err(listen_error)?;
    let local_address = listener.local_addr().map_err(listen_error)?;
    Ok((listener, local_address))
}

/// Waits until the user interrupts or the system terminates.
async fn shutdown_signal() {
    let interrupt = async {
        if tokio::signal::ctrl_c().await.is_err() {
            // Where this cannot be heard, something else has to end the program.
            std::future::pending::<()>().await;
        }
    };
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut sigterm) = signal(SignalKind::terminate()) {
            tokio::select! {
                () = interrupt => {}
                _ = sigterm.recv() => {}
            }
            return;
        }
    }
    interrupt.await;
}

/// Starts the workers.
fn start_workers(
    dispatcher: &Arc<Dispatcher>,
    evaluators: &Evaluators,
    settings: &EngineSettings,
    num_workers: usize,
) -> Result<Vec<JoinHandle<()>>, ServerError> {
    let num_workers = num_workers.max(1);
    let start_worker = |index: usize| {
        let settings = worker_settings(settings, index, num_workers);
        let (dispatcher, evaluators) = (Arc::clone(dispatcher), evaluators.clone());
        let create_engine = move || {
            let (size, rules) = (BoardSize::STANDARD, Rules::default());
            Engine::new(settings.clone(), evaluators.clone(), size, rules).ok()
        };
        Builder::new()
            .name(format!("serve-{index}"))
            .spawn(move || run_worker(&dispatcher, create_engine))
            .map_err(ServerError::Thread)
    };
    (0..num_workers).map(start_worker).collect()
}

/// The settings of one of so many workers, which share memory and evaluator.
fn worker_settings(settings: &EngineSettings, index: usize, num_workers: usize) -> EngineSettings {
    EngineSettings {
        tree_mib: (settings.tree_mib / num_workers).max(1),
        // Else all would draw the same moves at the lower levels.
        seed: settings.seed.wrapping_add(index as u64),
        shares_evaluator: num_workers > 1,
        ..settings.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::level::Level;

    #[test]
    fn workers_share_evaluator_and_memory() {
        let settings = EngineSettings {
            level: Level::by_number(5).expect("a level"),
            tree_mib: 8,
            ..EngineSettings::default()
        };
        let [single, second] = [(0, 1), (1, 4)]
            .map(|(index, num_workers)| worker_settings(&settings, index, num_workers));
        assert!(single.is_reproducible() && !second.is_reproducible());
        assert_eq!([single.tree_mib, second.tree_mib], [8, 2]);
        assert_ne!(single.seed, second.seed);
    }
}
