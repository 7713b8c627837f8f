//! The service behind `honinbo serve`: analyses positions, plays games, and stores games for many clients.
//!
//! Clients send requests as JSON objects, each naming an *operator*, and receive JSON objects as responses. The
//! protocol is documented in `PROTOCOL.md` in this folder.
//!
//! * Transports: [`tcp`] and [`http`], which serves the web [`page`] and WebSockets. They pass messages to
//!   [`connections`] and do not depend on the operators.
//! * Requests: the [`dispatcher`] looks up the operator of a message in the table of [`operators`] and executes it with
//!   a [`call`]. A request that needs no search is completed immediately. Other requests are queued for a [`worker`].
//!   The queue alternates between clients.
//! * State: the [`store`] contains the saved games. [`limits`] bounds the resources that clients can use. [`server`]
//!   starts and stops the service.
//!
//! By default, there are more workers than search threads, so that long searches of some clients do not delay other
//! clients. The running searches share the threads, and a single search uses all of them. All workers share one
//! evaluator, which combines their positions into batches while the processors are busy ([`crate::eval::batcher`]).
//! Evaluations do not depend on the batch. With AMX, the built-in network evaluates 9x9 positions 12 to 20% faster in
//! batches of two or more, which makes a visit 5 to 10% cheaper as soon as several clients search. On 19x19 boards, and
//! with other instruction sets, the gain is at most 5%.

pub mod call;
pub mod client;
mod client_slots;
pub mod connections;
pub mod dispatcher;
pub mod error;
pub mod http;
pub mod limits;
pub mod operators;
pub mod page;
pub mod position;
pub mod server;
pub mod sgf_input;
pub mod store;
pub mod tcp;
pub mod warning;
pub mod worker;
mod write_timeout_stream;
