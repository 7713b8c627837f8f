//! Limits on the resources that clients can use.

use std::time::Duration;

use crate::game::position::MAX_RECORD_MOVES;

// Connections.

/// Maximum number of connected clients. The same limit applies separately to HTTP connections.
pub const MAX_CLIENTS: u32 = 256;
/// Maximum number of connections from one address, counted separately for the JSON server and for HTTP, so that one
/// computer cannot keep others out.
pub const MAX_CLIENTS_PER_ADDRESS: usize = (MAX_CLIENTS / 4) as usize;
/// Time after which a connection is closed if it has not sent a complete message, or a complete HTTP request. If the
/// idle timeout is shorter, the idle timeout applies instead.
pub const FIRST_MESSAGE_TIMEOUT: Duration = Duration::from_secs(10);
/// Minimum length of the access token, in characters.
pub const MIN_TOKEN_CHARS: usize = 16;
/// Number of wrong tokens after which a connection is closed.
pub const MAX_WRONG_TOKENS: u32 = 10;
/// Delay of the response to a wrong token.
pub const WRONG_TOKEN_DELAY: Duration = Duration::from_millis(500);
/// Default time after which a client is disconnected if it has no pending requests and sends no messages.
pub const DEFAULT_IDLE_TIMEOUT: Duration = Duration::from_secs(600);
/// Time limit for transferring a message, measured from its first byte. If the idle timeout is shorter, the idle
/// timeout applies instead.
///
/// The limit does not apply to messages received over a WebSocket. The library reports only complete messages, so a
/// client that does not complete a message is treated as idle.
pub const TRANSFER_TIMEOUT: Duration = Duration::from_secs(30);
/// Maximum number of outgoing messages in a client's queue.
pub const MAX_UNREAD_MESSAGES: usize = 2 * MAX_PENDING_PER_CLIENT;
/// Maximum total size in bytes of the outgoing messages in a client's queue: twice the maximum size of a response.
pub const MAX_UNREAD_BYTES: usize = 2 * MAX_EXPORT_BYTES;
/// Delay after failing to accept a connection, for example because too many files are open.
pub const ACCEPT_RETRY_DELAY: Duration = Duration::from_millis(50);
/// Time after which the requests of a client that has closed its sending direction are cancelled. The service cannot
/// know whether such a client still waits for the responses.
pub const HALF_CLOSED_TIMEOUT: Duration = Duration::from_secs(10);
/// Maximum time for completing pending work when the service stops.
pub const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(5);

// Requests.

/// Maximum size of a message in bytes. Longer messages are rejected.
pub const MAX_MESSAGE_BYTES: usize = 1 << 20;
/// Maximum size in bytes of a message that is parsed before it waits for a permit. Longer messages wait for a
/// permit of the compute pool, because parsing them takes memory. Requests that need no permit are always shorter.
pub const MAX_EARLY_PARSED_BYTES: usize = 4096;
/// Maximum number of requests that are executed concurrently with permits of each of the pools
/// [`Compute`](super::operators::PermitPool::Compute) and [`Store`](super::operators::PermitPool::Store).
pub const MAX_REQUESTS_PER_POOL: usize = 16;
/// Maximum number of pending requests per client. A request is pending while its search is waiting or running.
pub const MAX_PENDING_PER_CLIENT: usize = 64;
/// Maximum number of requests, over all clients, that wait for a search.
pub const MAX_QUEUED_REQUESTS: usize = 4096;
/// Divisor that determines how many workers one client can use at the same time: the number of workers divided by this
/// value, but at least one. The limit prevents long searches of one client from blocking other clients.
pub const CLIENT_WORKERS_DIVISOR: usize = 4;
/// Maximum duration of a short search. Short searches take precedence over long ones, which never use all workers.
pub const MAX_SHORT_TIME: Duration = Duration::from_secs(5);
/// Number of visits up to which a search is short.
pub const MAX_SHORT_VISITS: u64 = 1000;
/// Time after which a search with intermediate results ends if a short search waits for its worker.
pub const MIN_STREAM_TIME: Duration = Duration::from_secs(1);
/// Maximum duration of a search.
pub const MAX_SEARCH_TIME: Duration = Duration::from_secs(600);
/// Maximum duration of a review. It is divided equally among the positions of the game.
pub const MAX_REVIEW_TIME: Duration = Duration::from_secs(3600);
/// Maximum number of visits per search.
pub const MAX_VISITS: u64 = 10_000_000;
/// Maximum number of moves reported for a position: all points of the largest board, and a pass.
pub const MAX_REPORTED_MOVES: usize = 19 * 19 + 1;

/// Maximum number of positions per proof of a life-and-death problem.
pub const MAX_SOLVE_NODES: u64 = 1_000_000_000;
/// Memory for solving a life-and-death problem, in MiB.
pub const SOLVE_TABLE_MIB: usize = 32;

// Games.

/// Maximum number of moves in a game.
pub const MAX_GAME_MOVES: usize = MAX_RECORD_MOVES;
/// Maximum total number of nodes and variations in an SGF file.
pub const MAX_SGF_NODES: usize = 100_000;
/// Maximum size of a game file in bytes, after decompression.
pub const MAX_FILE_BYTES: usize = 16 << 20;
/// Maximum total number of set-up points in an SGF file. A separate limit is needed because a few characters can set up
/// a complete board.
pub const MAX_SGF_SETUP_POINTS: usize = 500_000;
/// Maximum number of games listed in one response.
pub const MAX_PAGE_SIZE: u32 = 500;
/// Maximum number of final positions in one response.
pub const MAX_PREVIEWS: usize = 100;
/// Maximum size of an exported collection of games, in bytes.
pub const MAX_EXPORT_BYTES: usize = 32 << 20;
