//! Game time: time controls, clocks and the time budget for a move.
//!
//! [`time_control`] defines the time systems that a client can set, [`game_clock`] tracks the time left for both
//! players, and [`budget`](mod@budget) computes the time to spend on the next move. This module never reads the system
//! clock: the engine measures its thinking time and charges it to the [`GameClock`](game_clock::GameClock). If the client
//! reports the time left, the report replaces the computed value. All times are in seconds.

pub mod budget;
mod delay;
pub mod game_clock;
pub mod time_control;
