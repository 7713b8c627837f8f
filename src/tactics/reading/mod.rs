//! Reading of local goals: can this chain be captured, can it be saved ([`CaptureReader`]); can these two be joined, can they be
//! cut ([`connection`]).
//!
//! **The question** is exact: does the side that wants it, the maker, reach the goal within so many plies, whatever the
//! breaker does? Either side may play anywhere or pass; nobody commits suicide; the basic ko rule holds, as [`ReadingOutcome`]
//! tells. The answer is no judgement but a proof, on a board of any size: `zone` tells how most of the board is left out
//! without leaving out a move that matters. Captures found by the way that take longer than asked are told too.
//!
//! **Repetition** needs no rule here. A maker who reaches a goal within some number of moves gets nearer with each and
//! never comes back to a position; where a ko is taken back and forth, the answer says so. Only what was played before,
//! which under superko may forbid a move, is not known to the reading.
//!
//! The search is iterative alpha-beta (`search`) with a transposition table (`memory`), killers and history
//! (`order`), and for captures a chase through ataris at its horizon; of what is reached it tells the principal
//! variation. What it has to know of a goal stands in `capture` and `join`.

mod capture;
mod connect;
mod deepening;
mod goal;
mod move_order;
mod outcome;
mod reader;
mod search;
mod table;
mod zone;

pub use outcome::{NoChainError, ReadingLimits, ReadingOutcome, ReadingResult};
pub use reader::{CaptureReader, ConnectionError, ConnectionReader, may_be_connected};
