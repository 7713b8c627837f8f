//! Time: the systems a client may set, what is left of it, and how much of that one move should take.
//!
//! Nothing here looks at a watch. Whoever thinks measures, and charges the [`state::Clock`] afterwards; a client that
//! sends what is left overrules the measurement. All times are seconds.

pub mod budget;
mod delay;
pub mod game_clock;
pub mod time_control;
