//! JSON analysis engine: KataGo's line-based protocol for programs that analyse many positions in parallel.
//!
//! Each input line is a query or an action ([`session`]). A query (`query`) contains a game ([`game`]), a list of turns
//! to analyse and options ([`settings`]). Each turn is a separate job in a
//! [priority queue](crate::parallel::job_queue). Workers (`worker`) run the searches and send each result
//! as a line (`response`, `response_writer`) as soon as it is available, in any order.

pub mod fields;
pub mod game;
mod hash;
mod query;
mod response;
mod response_writer;
pub mod session;
pub mod settings;
mod worker;
