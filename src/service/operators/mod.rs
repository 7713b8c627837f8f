//! The operators, grouped by topic, and the pools of permits for their requests.

pub mod control;
pub mod play_game;
pub mod preview;
pub mod review;
pub mod search;
pub mod sgf_annotations;
pub mod sgf_to_json;
pub mod solve;
pub mod stored_games;

use super::call::Operator;
use super::error::{ErrorCode, ServiceError};
use crate::io::error_text::excerpt;

/// Pool of permits, one of which a request needs to be executed. Each pool has a separate limit on concurrent
/// requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PermitPool {
    /// No permit, for requests that take very little time.
    None,
    /// Pool for requests that mainly need processor time.
    Compute,
    /// Pool for requests that use stored games, which may have to wait for the disk or for another process.
    Store,
}

const GROUPS: &[(PermitPool, &[Operator])] = &[
    (PermitPool::None, control::OPERATORS),
    (PermitPool::Compute, search::OPERATORS),
    (PermitPool::Compute, play_game::OPERATORS),
    (PermitPool::Compute, solve::OPERATORS),
    (PermitPool::Store, stored_games::OPERATORS),
    (PermitPool::Store, preview::OPERATORS),
    (PermitPool::Store, review::OPERATORS),
    (PermitPool::Compute, sgf_to_json::OPERATORS),
];

/// Returns an iterator over all operators, in documentation order.
pub fn all() -> impl Iterator<Item = &'static Operator> {
    GROUPS.iter().flat_map(|(_, group)| *group)
}

/// Returns the operator with the given name, and the pool of permits for its requests.
///
/// # Errors
/// Returns an error if there is no such operator.
pub fn find(name: &str) -> Result<(PermitPool, &'static Operator), ServiceError> {
    let find_in = |(permit_pool, group): &(PermitPool, &'static [Operator])| {
        let operator = group.iter().find(|operator| operator.name == name)?;
        Some((*permit_pool, operator))
    };
    GROUPS.iter().find_map(find_in).ok_or_else(|| {
        let names: Vec<&str> = all().map(|operator| operator.name).collect();
        let short_name = excerpt(name);
        let message = format!(
            "unknown operator {short_name:?}; operators: {}",
            names.join(", ")
        );
        ServiceError::new(ErrorCode::Operator, message).with("operator", short_name)
    })
}
