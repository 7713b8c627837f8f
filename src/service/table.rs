//! All operators: the groups joined.

use super::desk::{Call, Outcome};
use super::failure::{Code, Failure};
use super::operators::{about, file, games, play, review, run};

/// An operator: all that is known of it.
pub struct Operator {
    /// Its name.
    pub name: &'static str,
    /// Its fields; optional ones in brackets.
    pub fields: &'static str,
    /// What it does, in one sentence.
    pub summary: &'static str,
    /// Answers it.
    pub run: fn(&mut Call<'_>) -> Outcome,
}

impl Operator {
    /// An operator of that name.
    #[must_use]
    pub const fn new(
        name: &'static str,
        fields: &'static str,
        summary: &'static str,
        run: fn(&mut Call<'_>) -> Outcome,
    ) -> Self {
        Self {
            name,
            fields,
            summary,
            run,
        }
    }
}

const GROUPS: &[&[Operator]] = &[
    about::OPERATORS,
    run::OPERATORS,
    play::OPERATORS,
    games::OPERATORS,
    review::OPERATORS,
    file::OPERATORS,
];

/// All operators in the order they are listed.
pub fn operators() -> impl Iterator<Item = &'static Operator> {
    GROUPS.iter().copied().flatten()
}

/// The operator of that name.
///
/// # Errors
/// When there is none.
pub fn find(name: &str) -> Result<&'static Operator, Failure> {
    operators()
        .find(|operator| operator.name == name)
        .ok_or_else(|| {
            let names: Vec<&str> = operators().map(|operator| operator.name).collect();
            let shown: String = name.chars().take(60).collect();
            let told = format!("expected one of {}, found {shown:?}", names.join(", "));
            Failure::new(Code::Operator, told)
        })
}
