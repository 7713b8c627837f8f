//! Analysis for programs: KataGo's protocol of JSON lines, many positions at once over one evaluator.
//!
//! A line in is a query or an action ([`session`]). A query names a game and some of its turns ([`query`], [`game`]);
//! each turn is a job of its own that the [queue](crate::parallel::job_queue) gives to the next free worker, the highest priority
//! first. A worker searches ([`work`]) and answers with one line ([`answer`]), so that answers come in no fixed order.

pub mod fields;
pub mod game;
pub mod hash;
pub mod outbox;
pub mod query;
pub mod response;
pub mod session;
pub mod settings;
pub mod worker;
