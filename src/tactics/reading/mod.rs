//! Exact reading of local goals: capturing a chain ([`CaptureReader`]) and connecting two chains
//! ([`ConnectionReader`]).
//!
//! **The question.** Can the maker reach the goal within a given number of plies, whatever the breaker replies? Both
//! sides may play anywhere or pass. Suicide is illegal, and the basic ko rule applies (see [`ReadingOutcome`] for kos).
//! The answer is exact on boards of any size, because the search excludes only moves that provably cannot change it
//! (see `zone`). A capture that takes more plies is reported as well if the search happens to find it.
//!
//! **Repetitions** need no special rule. A maker that can reach the goal within a given number of moves gets closer to
//! the goal with every move and never needs to return to an earlier position. If a ko is captured back and forth, the
//! outcome reports the ko. The search does not consider the moves before the root, although they may forbid a move
//! under superko.
//!
//! The implementation is an alpha-beta search (`search`) with iterative deepening (`readers`), a transposition table
//! (`table`), and killer moves and history (`move_order`). For captures, the search continues at the horizon with a
//! sequence of ataris. The goals are defined in `capture` and `connection`.

mod capture;
mod connection;
mod goal;
mod move_order;
mod query;
mod readers;
mod search;
mod table;
mod zone;

pub use goal::ReadingSide;
pub use query::{ReadingError, ReadingLimits, ReadingOutcome, ReadingResult};
pub use readers::{CaptureReader, ConnectionReader, may_connect_within};
