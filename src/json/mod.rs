//! JSON analysis engine: KataGo's line-based protocol for programs that analyse many positions in parallel.
//!
//! Each input line is a query or an action ([`session`]). A query contains a game and a list of turns to analyse
//! ([`query`], [`game`]). Each turn is a separate job in a [priority queue](crate::parallel::job_queue). Workers take
//! jobs from it, run the searches ([`worker`]) and send one line per result ([`response`], [`outbox`]), so the order
//! of results is not fixed.

pub mod fields;
pub mod game;
pub mod hash;
pub mod outbox;
pub mod query;
pub mod response;
pub mod session;
pub mod settings;
pub mod worker;
