//! The operators, grouped by topic, and the queues in which their requests wait.

pub mod about;
pub mod games;
pub mod play;
pub mod read_game;
pub mod review;
pub mod run;

use super::call::Operator;
use super::error::{ErrorCode, ServiceError};
use crate::io::error_text::truncated;

/// Queue in which a request waits for its execution. Each queue has a separate limit on concurrent requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Queue {
    /// No queue, for requests that take very little time.
    None,
    /// Queue for requests that mainly need processor time.
    Compute,
    /// Queue for requests on stored games, which may have to wait for the disk or for another process.
    Store,
}

const GROUPS: &[(Queue, &[Operator])] = &[
    (Queue::None, about::OPERATORS),
    (Queue::Compute, run::OPERATORS),
    (Queue::Compute, play::OPERATORS),
    (Queue::Store, games::OPERATORS),
    (Queue::Store, review::OPERATORS),
    (Queue::Compute, read_game::OPERATORS),
];

/// Iterates over all operators, in documentation order.
pub fn all() -> impl Iterator<Item = &'static Operator> {
    GROUPS.iter().flat_map(|(_, group)| *group)
}

/// Returns the queue of the operator `name`, or `None` if there is no such operator.
pub fn queue_for(name: &str) -> Option<Queue> {
    let has_operator = |group: &[Operator]| group.iter().any(|operator| operator.name == name);
    let group = GROUPS.iter().find(|(_, group)| has_operator(group));
    group.map(|(queue, _)| *queue)
}

/// Finds an operator by name.
///
/// # Errors
/// Returns an error if there is no such operator.
pub fn find(name: &str) -> Result<&'static Operator, ServiceError> {
    all().find(|operator| operator.name == name).ok_or_else(|| {
        let names: Vec<&str> = all().map(|operator| operator.name).collect();
        let short_name = truncated(name);
        let message = format!(
            "unknown operator {short_name:?}; operators: {}",
            names.join(", ")
        );
        ServiceError::new(ErrorCode::Operator, message)
    })
}
