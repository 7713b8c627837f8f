//! The service as a whole: it listens, its workers work, and it ends in good order.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::runtime;

use super::dispatcher::{Defaults, Dispatcher, Identity};
use super::gateway::Gateway;
use super::store::Store;
use super::work::work;
use super::{http, limits, tcp};
use crate::engine::settings::Settings;
use crate::engine::{Engine, Evaluators};
use crate::game::point::BoardSize;
use crate::game::rules::Rules;
use crate::traffic::Log;

/// How a service is set up.
pub struct Setup {
    /// What judges positions, for all clients together.
    pub evaluators: Evaluators,
    /// Who answers.
    pub identity: Identity,
    /// How each search goes about: its threads, its memory, its parameters.
    pub settings: Settings,
    /// Searches at the same time, at least one.
    pub searches: usize,
    /// The games kept.
    pub store: Store,
    /// Where to listen for lines.
    pub listen: SocketAddr,
    /// Where to serve the page, if anywhere.
    pub http: Option<SocketAddr>,
    /// What requests leave unsaid.
    pub defaults: Defaults,
    /// What clients have to show.
    pub token: Option<String>,
    /// Where all traffic is noted.
    pub log: Log,
    /// After how long a silent client is cut off.
    pub silence: Duration,
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

/// Serves until the user or the system asks for the end. `ready` is told the addresses that lines are taken at and the
/// page is served at.
///
/// # Errors
/// When the address cannot be had, or threads.
pub fn run(
    setup: Setup,
    ready: impl FnOnce(SocketAddr, Option<SocketAddr>),
) -> Result<(), ServerError> {
    let runtime = runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(ServerError::Thread)?;
    let is_guarded = setup.token.as_ref().is_some_and(|token| !token.is_empty());
    let dispatcher = Arc::new(Dispatcher::new(
        setup.identity,
        setup.store,
        setup.defaults,
        setup.token,
        setup.log,
        setup.searches,
    ));
    let workers = start_workers(
        &dispatcher,
        &setup.evaluators,
        &setup.settings,
        setup.searches,
    )?;
    let gateway = Gateway::new(Arc::clone(&dispatcher), setup.silence);
    let served = runtime.block_on(async {
        let (lines, address) = listen(setup.listen).await?;
        let page = match setup.http {
            Some(address) => Some(listen(address).await?),
            None => None,
        };
        ready(address, page.as_ref().map(|(_, address)| *address));
        let page = async {
            match page {
                Some((listener, address)) => {
                    // A page that leads a name of its own here knows no token, so that a proxy's name may be asked for.
                    let any_name = is_guarded || !address.ip().is_loopback();
                    http::serve(listener, gateway.clone(), any_name).await;
                }
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = tcp::serve(lines, gateway.clone()) => {}
            () = page => {}
            () = asked_to_end() => {}
        }
        // Searches end first, so that what they have found is still told.
        dispatcher.queue.abort();
        gateway.close().await;
        Ok(())
    });
    dispatcher.queue.abort();
    // What is being written to the disk is written to its end.
    runtime.shutdown_timeout(limits::FAREWELL);
    for worker in workers {
        // One that has panicked has said so.
        drop(worker.join());
    }
    served
}

/// Listens at an address; with port 0 at one of the system's choice, which is told.
async fn listen(address: SocketAddr) -> Result<(TcpListener, SocketAddr), ServerError> {
    let failed = |error| ServerError::Listen { address, error };
    let listener = TcpListener::bind(address).await.map_err(failed)?;
    let found = listener.local_addr().map_err(failed)?;
    Ok((listener, found))
}

/// Waits until the user interrupts or the system terminates.
async fn asked_to_end() {
    let interrupted = async {
        if tokio::signal::ctrl_c().await.is_err() {
            // Where this cannot be heard, something else has to end the program.
            std::future::pending::<()>().await;
        }
    };
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminated) = signal(SignalKind::terminate()) {
            tokio::select! {
                () = interrupted => {}
                _ = terminated.recv() => {}
            }
            return;
        }
    }
    interrupted.await;
}

/// Starts the workers.
fn start_workers(
    dispatcher: &Arc<Dispatcher>,
    evaluators: &Evaluators,
    settings: &Settings,
    searches: usize,
) -> Result<Vec<JoinHandle<()>>, ServerError> {
    let searches = searches.max(1);
    let start = |number: usize| {
        let settings = of_worker(settings, number, searches);
        let (dispatcher, evaluators) = (Arc::clone(dispatcher), evaluators.clone());
        let player = move || {
            let (size, rules) = (BoardSize::STANDARD, Rules::default());
            Engine::new(settings.clone(), evaluators.clone(), size, rules).ok()
        };
        Builder::new()
            .name(format!("serve-{number}"))
            .spawn(move || work(&dispatcher, player))
            .map_err(ServerError::Thread)
    };
    (0..searches).map(start).collect()
}

/// The settings of one of so many workers, which share memory and evaluator.
fn of_worker(settings: &Settings, number: usize, workers: usize) -> Settings {
    Settings {
        tree_mib: (settings.tree_mib / workers).max(1),
        // Else all would draw the same moves at the lower levels.
        seed: settings.seed.wrapping_add(number as u64),
        shares_evaluator: workers > 1,
        ..settings.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::level::Level;

    #[test]
    fn a_worker_leaves_the_others_what_the_evaluator_remembers() {
        let settings = Settings {
            level: Level::numbered(5).expect("a level"),
            tree_mib: 8,
            ..Settings::default()
        };
        let [alone, second] = [(0, 1), (1, 4)].map(|(at, of)| of_worker(&settings, at, of));
        assert!(alone.is_repeatable() && !second.is_repeatable());
        assert_eq!([alone.tree_mib, second.tree_mib], [8, 2]);
        assert_ne!(alone.seed, second.seed);
    }
}
