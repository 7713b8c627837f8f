//! The service: positions judged, games played and games kept for any number of clients at once.
//!
//! A client sends JSON objects, each a request that names an operator, and is answered with JSON objects; `PROTOCOL.md`
//! beside this file tells which. A transport ([`tcp`], or a WebSocket of [`http`]) takes messages in and brings answers
//! out and knows no operator. The [`desk`] finds the operator of a message in the [`table`]; [`operators`] know no
//! transport. What takes no time they answer at once; what is to be searched waits in a queue that goes round among the
//! clients until one of the workers ([`work`]) takes it. Games are kept in the [`store`]. [`server`] holds all of it
//! together, [`limits`] keeps anyone from taking more than a share.

pub mod client;
pub mod desk;
pub mod failure;
pub mod hall;
pub mod http;
pub mod limits;
pub mod operators;
pub mod page;
pub mod patient;
pub mod position;
pub mod server;
pub mod store;
pub mod table;
pub mod tcp;
pub mod text;
pub mod work;
