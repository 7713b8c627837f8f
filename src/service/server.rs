//! Starts and stops the service: listeners, workers and store.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::runtime;

use super::call::{RequestDefaults, ServiceState};
use super::connections::ConnectionManager;
use super::dispatcher::Dispatcher;
use super::store::Store;
use super::worker::run_worker;
use super::{http, limits, operators, tcp};
use crate::engine::identity::Identity;
use crate::engine::settings::EngineSettings;
use crate::engine::{Engine, Evaluators};
use crate::game::point::BoardSize;
use crate::game::rules::Rules;
use crate::io::protocol_log::ProtocolLog;
use crate::parallel::job_queue::{JobQueue, RunningLimits};

/// Settings of a service.
pub struct ServerConfig {
    /// Evaluators shared by all workers.
    pub evaluators: Evaluators,
    pub identity: Identity,
    /// Engine settings of each worker; the tree memory is divided among the workers.
    pub settings: EngineSettings,
    /// Number of concurrent searches, at least 1.
    pub num_workers: usize,
    /// Number of threads that all searches together use. A single search uses all of them.
    pub threads: usize,
    pub store: Store,
    /// Address at which the protocol is served over TCP.
    pub tcp_address: SocketAddr,
    /// Address at which the web page and the WebSocket are served; `None` disables both.
    pub http_address: Option<SocketAddr>,
    pub defaults: RequestDefaults,
    /// Token that clients must send; `None` if no authentication is required.
    pub token: Option<String>,
    /// Log of the messages from and to authenticated clients.
    pub log: ProtocolLog,
    /// Time after which an idle client is disconnected.
    pub idle_timeout: Duration,
}

/// Error that prevents the service from running.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// An address cannot be used.
    #[error("cannot listen on {address}: {error}")]
    Listen {
        address: SocketAddr,
        error: io::Error,
    },
    /// A thread cannot be started.
    #[error("cannot start a thread: {0}")]
    Thread(io::Error),
}

/// Runs the service until the process receives an interrupt or termination signal. Calls `on_ready` with the actual TCP
/// and HTTP addresses once connections are accepted.
///
/// # Errors
/// Returns an error if an address is not available or a thread cannot be started.
pub fn run(
    config: ServerConfig,
    on_ready: impl FnOnce(SocketAddr, Option<SocketAddr>),
) -> Result<(), ServerError> {
    let runtime = runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(ServerError::Thread)?;
    let addresses = (config.tcp_address, config.http_address);
    let idle_timeout = config.idle_timeout;
    let (dispatcher, workers) = start_dispatcher(config)?;
    let connections = ConnectionManager::new(Arc::clone(&dispatcher), idle_timeout);
    let result = runtime.block_on(async {
        serve_until_shutdown(addresses, &connections, on_ready).await?;
        // The searches are stopped first, so that their results can still be sent over the connections.
        dispatcher.service.queue.abort();
        connections.shut_down().await;
        Ok(())
    });
    dispatcher.service.queue.abort();
    // Waits for writes to the store that are in progress.
    runtime.shutdown_timeout(limits::SHUTDOWN_TIMEOUT);
    for worker in workers {
        // If the worker panicked, the panic has already been reported.
        drop(worker.join());
    }
    result
}

/// Creates the dispatcher and starts its workers.
fn start_dispatcher(
    config: ServerConfig,
) -> Result<(Arc<Dispatcher>, Vec<JoinHandle<()>>), ServerError> {
    let service = ServiceState {
        identity: config.identity,
        operators: operators::all().collect(),
        queue: JobQueue::with_running_limits(
            limits::MAX_QUEUED_REQUESTS,
            running_limits(config.num_workers),
        ),
        store: config.store,
        defaults: config.defaults,
        threads: config.threads,
    };
    let dispatcher = Arc::new(Dispatcher::new(service, config.token, config.log));
    let workers = start_workers(
        &dispatcher,
        &config.evaluators,
        &config.settings,
        config.num_workers,
    )?;
    Ok((dispatcher, workers))
}

/// Accepts connections at the addresses for TCP and HTTP until the process receives an interrupt or termination signal.
async fn serve_until_shutdown(
    (tcp_address, http_address): (SocketAddr, Option<SocketAddr>),
    connections: &ConnectionManager,
    on_ready: impl FnOnce(SocketAddr, Option<SocketAddr>),
) -> Result<(), ServerError> {
    // The address of the page is bound first. If another service is already running, the error then refers to its page,
    // which the user probably wants to open.
    let http_listener = match http_address {
        Some(address) => Some(bind(address).await?),
        None => None,
    };
    let (tcp_listener, address) = bind(tcp_address).await?;
    on_ready(address, http_listener.as_ref().map(|(_, address)| *address));
    let http_server = async {
        match http_listener {
            Some((listener, address)) => {
                // The check of host names protects a service that requires no token and accepts connections only from
                // this computer against malicious web pages. In all other cases, any name is allowed, because the
                // service may be behind a proxy.
                let allow_any_host = connections.requires_token() || !address.ip().is_loopback();
                http::serve(listener, connections.clone(), allow_any_host).await;
            }
            None => std::future::pending().await,
        }
    };
    tokio::select! {
        () = tcp::serve(tcp_listener, connections.clone()) => {}
        () = http_server => {}
        () = shutdown_signal() => {}
    }
    Ok(())
}

/// Returns the limits on concurrent searches. A client uses at most a quarter of the workers for each length. Long
/// searches use at most half of the workers from one address, and three quarters in total.
fn running_limits(num_workers: usize) -> RunningLimits {
    let quarter = (num_workers / limits::CLIENT_WORKERS_DIVISOR).max(1);
    RunningLimits {
        per_client: quarter,
        long_per_address: num_workers / 2,
        long: num_workers - quarter,
    }
}

/// Binds a listener and returns it with its actual address. If the port is 0, the system chooses one.
async fn bind(address: SocketAddr) -> Result<(TcpListener, SocketAddr), ServerError> {
    let listen_error = |error| ServerError::Listen { address, error };
    let listener = TcpListener::bind(address).await.map_err(listen_error)?;
    let local_address = listener.local_addr().map_err(listen_error)?;
    Ok((listener, local_address))
}

/// Waits for an interrupt or a termination signal.
async fn shutdown_signal() {
    let interrupt = async {
        if tokio::signal::ctrl_c().await.is_err() {
            // If signals are not available, this future never completes. The process must then be ended by other means.
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
            .spawn(move || run_worker(&dispatcher.service, create_engine))
            .map_err(ServerError::Thread)
    };
    (0..num_workers).map(start_worker).collect()
}

/// Returns the engine settings of worker `index`. The tree memory is divided equally among the workers.
fn worker_settings(settings: &EngineSettings, index: usize, num_workers: usize) -> EngineSettings {
    EngineSettings {
        tree_mib: (settings.tree_mib / num_workers).max(1),
        // With the same seed, all workers would choose the same moves at lower levels.
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
