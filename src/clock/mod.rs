//! Time: the systems a client may set, what is left of it, and how much of that one move should take.
//!
//! Nothing here looks at a watch. Whoever thinks measures, and charges the [`Clock`] afterwards; a client that
//! sends what is left overrules the measurement. All times are seconds.

mod budget;
mod settings;
mod state;

pub use budget::{Budget, Stage, budget};
pub use settings::{MAX_SECONDS, SYSTEMS, TimeError, TimeSettings};
pub use state::{Clock, Left};
