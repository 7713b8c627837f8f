//! All operators: the groups joined.

use super::dispatcher::{Call, CallResult};
use super::error::{ErrorCode, ServiceError};
use super::operators::{about, games, play, read_game, review, run};
use crate::io::error_text::truncated;

/// An operator: all that is known of it.
pub struct Operator {
    /// Its name.
    pub name: &'static str,
    /// Its fields; optional ones in brackets.
    pub fields: &'static str,
    /// What it does, in one sentence.
    pub summary: &'static str,
    /// Answers it.
    pub run: fn(&mut Call<'_>) -> CallResult,
}

impl Operator {
    /// An operator of that name.
    pub const fn new(
        name: &'static str,
        fields: &'static str,
        summary: &'static str,
        run: fn(&mut Call<'_>) -> CallResult,
    ) -> Self {
        Self {
            name,
            fields,
            summary,
            run,
        }
    }
}

/// Where a request waits for its turn. Whoever waits in one of these keeps nobody in another waiting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Queue {
    /// Nowhere: it takes no time.
    None,
    /// For what takes the processor.
    Compute,
    /// For the games kept, which the disk may hold up, or another process.
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

/// All operators in the order they are listed.
pub fn operators() -> impl Iterator<Item = &'static Operator> {
    GROUPS.iter().flat_map(|(_, group)| *group)
}

/// Where requests of the operator of that name wait, if there is one.
pub fn queue_for(name: &str) -> Option<Queue> {
    let has_operator = |group: &[Operator]| group.iter().any(|operator| operator.name == name);
    let group = GROUPS.iter().find(|(_, group)| has_operator(group));
    group.map(|(queue, _)| *queue)
}

/// The operator of that name.
///
/// # Errors
/// When there is none.
pub fn find(name: &str) -> Result<&'static Operator, ServiceError> {
    operators()
        .find(|operator| operator.name == name)
        .ok_or_else(|| {
            let names: Vec<&str> = operators().map(|operator| operator.name).collect();
            let short_name = truncated(name);
            let message = format!("expected one of {}, found {short_name:?}", names.join(", "));
            ServiceError::new(ErrorCode::Operator, message)
        })
}
