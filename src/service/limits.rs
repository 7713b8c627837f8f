//! How much anyone may ask for.

use std::time::Duration;

/// Bytes of a message; a longer one is refused as a whole.
pub const MAX_MESSAGE_BYTES: usize = 1 << 20;
/// Clients connected at the same time, and at most as many browsers that fetch the page.
pub const MAX_CLIENTS: usize = 256;
/// Requests of a client that may wait for a search or be searched.
pub const MAX_PENDING_PER_CLIENT: usize = 64;
/// Requests of all clients that may wait for a search.
pub const MAX_QUEUED_REQUESTS: usize = 4096;
/// A client is searched for by no more than this part of the searches at the same time, the whole divided by it: its
/// searches may be long, and others are to have their turn at once.
pub const CLIENT_SHARE_DIVISOR: usize = 4;
/// Answers that may wait for a client to read them; one that lets more pile up is cut off.
pub const MAX_UNREAD_MESSAGES: usize = 2 * MAX_PENDING_PER_CLIENT;
/// Bytes of these; the longest answer fits twice.
pub const MAX_UNREAD_BYTES: usize = 2 * MAX_EXPORT_BYTES;
/// A client that neither asks nor waits for anything for so long is cut off, unless the user sets another time.
pub const DEFAULT_IDLE_TIMEOUT: Duration = Duration::from_secs(600);
/// A message begun has to be there, and an answer read, within this time, or within that of silence if it is shorter.
/// Over a WebSocket this does not hold for messages: the library shows nothing of one before its end, so that whoever
/// begins it and does not end it is taken for somebody who says nothing, and is cut off after the time of [`DEFAULT_IDLE_TIMEOUT`].
pub const TRANSFER_TIMEOUT: Duration = Duration::from_secs(30);
/// Searching for one request.
pub const MAX_SEARCH_TIME: Duration = Duration::from_secs(600);
/// Searching for one review, each position of the game having an equal part of it.
pub const MAX_REVIEW_TIME: Duration = Duration::from_secs(3600);
/// Visits of one position.
pub const MAX_VISITS: u64 = 10_000_000;
/// Moves told of one position: as many as the largest board has, and the pass.
pub const MAX_REPORTED_MOVES: usize = 19 * 19 + 1;
/// Moves of a game: of every position before them something is remembered.
pub const MAX_GAME_MOVES: usize = 2000;
/// Nodes of a game file, and variations opened in it.
pub const MAX_SGF_NODES: usize = 50_000;
/// Points set up that are told of all nodes of a game file together: a few letters in each node name all of a board.
pub const MAX_SETUP_POINTS: usize = 500_000;
/// Requests carried out at the same time, and as many more that are about the games kept; others wait for their turn.
pub const MAX_CONCURRENT_REQUESTS: usize = 16;
/// Bytes of a message that is looked into before it has its turn, to find out where it is to wait. A longer one waits at
/// the dispatcher: reading it takes memory, and none that is to be answered at once need be so long.
pub const MAX_PEEKED_BYTES: usize = 4096;
/// Games told in one answer.
pub const MAX_PAGE_SIZE: u32 = 500;
/// Bytes of a collection of games in one answer.
pub const MAX_EXPORT_BYTES: usize = 32 << 20;
/// What is under way may take so long to finish when the service ends.
pub const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(5);
/// How long to wait where the system lets nobody in, as when too many files are open.
pub const ACCEPT_RETRY_DELAY: Duration = Duration::from_millis(50);
