//! The service: positions judged, games played and games kept for any number of clients at once.
//!
//! A client sends JSON objects, each a request that names an operator, and is answered with JSON objects; `PROTOCOL.md`
//! beside this file tells which. A transport ([`tcp`], or a WebSocket of [`http`]) takes messages in and brings answers
//! out and knows no operator. The [`dispatcher`] finds the operator of a message in the [`table`]; [`operators`] know no
//! transport. What takes no time they answer at once; what is to be searched waits in a queue that goes round among the
//! clients until one of the workers ([`work`]) takes it. Games are kept in the [`store`]. [`server`] holds all of it
//! together, [`limits`] keeps anyone from taking more than a share.
//!
//! There are more searches than threads, so that long ones of some clients keep nobody waiting, and all of them ask one
//! evaluator. It takes what is asked while the processors are busy into one batch ([`crate::eval::batcher`]); what it
//! answers does not depend on what else is in there. In the matrix unit of AMX the network inside judges positions of 9x9
//! an eighth to a fifth faster two or more at a time, so that a visit costs a twentieth to a tenth less as soon as some
//! clients ask at once. Boards of 19x19, and other vectors than AMX's, gain little: at most a twentieth.

pub mod client;
pub mod connections;
pub mod dispatcher;
pub mod error;
pub mod history;
pub mod http;
pub mod limits;
pub mod operators;
pub mod page;
pub mod position;
pub mod server;
pub mod sgf_input;
pub mod store;
pub mod table;
pub mod tcp;
pub mod timed_stream;
pub mod worker;
