//! The operators, grouped by topic, and the queues in which their requests wait.

pub mod about;
pub mod play_game;
pub mod read_game;
pub mod review;
pub mod search;
pub mod stored_games;

use super::call::Operator;
use super::error::{ErrorCode, ServiceError};
use crate::io::error_text::truncated;

/// Queue in which a request waits to be executed. Each queue has a separate limit on concurrent requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Queue {
    /// No queue, for requests that take very little time.
    None,
    /// Queue for requests that mainly need processor time.
    Compute,
    /// Queue for requests that use stored games, which may have to wait for the disk or for another process.
    Store,
}

const GROUPS: &[(Queue, &[Operator])] = &[
    (Queue::None, about::OPERATORS),
    (Queue::Compute, search::OPERATORS),
    (Queue::Compute, play_game::OPERATORS),
    (Queue::Store, stored_games::OPERATORS),
    (Queue::Store, review::OPERATORS),
    (Queue::Compute, read_game::OPERATORS),
];

/// Returns an iterator over all operators, in documentation order.
pub fn all() -> impl Iterator<Item = &'static Operator> {
    GROUPS.iter().flat_map(|(_, group)| *group)
}

/// Returns the operator with the given name, and the queue in which its requests wait.
///
/// # Errors
/// Returns an error if there is no such operator.
pub fn find(name: &str) -> Result<(Queue, &'static Operator), ServiceError> {
    let find_in = |(queue, group): &(Queue, &'static [Operator])| {
        let operator = group.iter().find(|operator| operator.name == name)?;
        Some((*queue, operator))
    };
    GROUPS.iter().find_map(find_in).ok_or_else(|| {
        let names: Vec<&str> = all().map(|operator| operator.name).collect();
        let short_name = truncated(name);
        let message = format!(
            "unknown operator {short_name:?}; operators: {}",
            names.join(", ")
        );
        ServiceError::new(ErrorCode::Operator, message)
    })
}
