//! Exact reading of local goals: capturing a chain ([`CaptureReader`]) and connecting two chains
//! ([`ConnectionReader`]).
//!
//! **The question.** Can the maker reach the goal within a number of plies, whatever the breaker replies? Both sides
//! may play anywhere or pass. Suicide is illegal, and the basic ko rule applies (see [`ReadingOutcome`] for kos). The
//! result is a proof on boards of any size: zones (see `zone`) exclude most moves without missing a relevant one.
//! Longer captures that the search happens to find are reported as well.
//!
//! **Repetitions** need no rule. A maker that reaches the goal within a number of moves gets closer to it with every
//! move, and never returns to an earlier position. If a ko is captured back and forth, the outcome reports the ko. The
//! search does not consider the moves before the root, although they may forbid a move under superko.
//!
//! The implementation is an alpha-beta search (`search`) with iterative deepening (`readers`), a transposition table
//! (`table`), and killer moves and history (`move_order`). For captures, the search continues at the horizon with a
//! sequence of ataris. The goals are defined in `capture` and `connect`.

mod capture;
mod connect;
mod goal;
mod move_order;
mod readers;
mod result;
mod search;
mod table;
mod zone;

pub use goal::Side;
pub use readers::{CaptureReader, ConnectionReader, may_be_connected};
pub use result::{ReadingError, ReadingLimits, ReadingOutcome, ReadingResult};
