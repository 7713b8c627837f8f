//! Limits on the resources that clients can use.

use std::time::Duration;

// Connections.

/// Maximum number of connected clients. The same limit applies separately to connections that fetch the web page.
pub const MAX_CLIENTS: usize = 256;
/// Default time after which a client without messages and pending requests is disconnected.
pub const DEFAULT_IDLE_TIMEOUT: Duration = Duration::from_secs(600);
/// Time limit for transferring a message after it has started. The idle timeout applies if it is shorter.
///
/// Messages received over a WebSocket are not limited: the library only reports complete messages, so a client that does
/// not complete a message counts as idle.
pub const TRANSFER_TIMEOUT: Duration = Duration::from_secs(30);
/// Maximum number of messages queued for a client. A client that exceeds it is disconnected.
pub const MAX_UNREAD_MESSAGES: usize = 2 * MAX_PENDING_PER_CLIENT;
/// Maximum size of the messages queued for a client: twice the longest response.
pub const MAX_UNREAD_BYTES: usize = 2 * MAX_EXPORT_BYTES;
/// Delay after a connection could not be accepted, for example because too many files are open.
pub const ACCEPT_RETRY_DELAY: Duration = Duration::from_millis(50);
/// Time for completing work in progress when the service stops.
pub const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(5);

// Requests.

/// Maximum size of a message. Longer messages are rejected.
pub const MAX_MESSAGE_BYTES: usize = 1 << 20;
/// Maximum size of a message that is parsed in order to select its queue. Longer messages use the compute queue, because
/// parsing them takes memory, and requests without a queue are short.
pub const MAX_PEEKED_BYTES: usize = 4096;
/// Maximum number of requests that are executed concurrently, for each of the two queues.
pub const MAX_CONCURRENT_REQUESTS: usize = 16;
/// Maximum number of searches that a client can request without waiting for their responses.
pub const MAX_PENDING_PER_CLIENT: usize = 64;
/// Maximum number of requests of all clients that are waiting for a search.
pub const MAX_QUEUED_REQUESTS: usize = 4096;
/// The concurrent searches are divided by this number to get the maximum for one client. Searches can be long, and other
/// clients should not have to wait for them.
pub const CLIENT_SHARE_DIVISOR: usize = 4;
/// Maximum time of a search.
pub const MAX_SEARCH_TIME: Duration = Duration::from_secs(600);
/// Maximum time of a review, divided equally among the positions of the game.
pub const MAX_REVIEW_TIME: Duration = Duration::from_secs(3600);
/// Maximum visits of a search.
pub const MAX_VISITS: u64 = 10_000_000;
/// Maximum number of moves reported for a position: all points of the largest board, and the pass.
pub const MAX_REPORTED_MOVES: usize = 19 * 19 + 1;

// Games.

/// Maximum number of moves in a game. The position before each move takes memory.
pub const MAX_GAME_MOVES: usize = 2000;
/// Maximum number of nodes and variations in an SGF file.
pub const MAX_SGF_NODES: usize = 50_000;
/// Maximum number of set-up points in all nodes of an SGF file. A few characters can set up a whole board.
pub const MAX_SETUP_POINTS: usize = 500_000;
/// Maximum number of games listed in one response.
pub const MAX_PAGE_SIZE: u32 = 500;
/// Maximum size of a collection of games in one response.
pub const MAX_EXPORT_BYTES: usize = 32 << 20;
