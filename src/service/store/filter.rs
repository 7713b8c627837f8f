//! Filters for listing games, and their translation to SQL.

use rusqlite::functions::FunctionFlags;
use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};
use serde::Deserialize;

use crate::io::error_text::excerpt;
use crate::json_analysis::fields::RequestError;
use crate::json_analysis::game::BoardSizeField;

/// Conditions that listed games must meet. A condition that is `None` matches all games.
///
/// All fields except `before_id` are deserialised from the request.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct GameFilter {
    /// Part of the name of either player, ignoring case in any script.
    pub player: Option<String>,
    /// Earliest date: `YYYY`, `YYYY-MM` or `YYYY-MM-DD`; empty for no limit.
    pub from: Option<String>,
    /// Latest date, in the same forms. All dates that start with this text match.
    pub to: Option<String>,
    /// Prefix of the result, such as `B` or `W+R`, ignoring ASCII case.
    pub result: Option<String>,
    pub size: Option<BoardSizeField>,
    /// Exclusive upper bound of the id, for paging.
    #[serde(skip)]
    pub before_id: Option<i64>,
}

/// SQL condition. User input occurs only in `values`, never in `sql`.
pub(super) struct SqlCondition {
    sql: &'static str,
    values: Vec<Value>,
    /// True if an index supports the condition.
    has_index: bool,
}

/// SQL text and the values of its parameters.
pub(super) type SqlQuery = (String, Vec<Value>);

/// Smallest non-empty text. As a lower bound, it excludes games without a date, for which the empty text is stored.
const MIN_NONEMPTY: char = '\u{1}';
/// Appended to a prefix to obtain an upper bound for all texts with this prefix.
const PREFIX_END: char = char::MAX;
/// Maximum number of matching games for which an index is used. Up to this number, looking the games up in an index and
/// sorting them is faster than scanning all games from the newest to the oldest.
const MAX_SELECTIVE_ROWS: usize = 2000;

impl GameFilter {
    fn conditions(&self) -> Vec<SqlCondition> {
        let prefix_range =
            |text: &String| vec![text.clone().into(), format!("{text}{PREFIX_END}").into()];
        let conditions = [
            self.player.as_ref().map(|name| SqlCondition {
                sql: "contains_folded(black, white, ?)",
                values: vec![fold_case(name).collect::<String>().into()],
                has_index: false,
            }),
            self.date_range().map(|(first, last)| SqlCondition {
                sql: "date >= ? AND date < ?",
                values: vec![first.into(), last.into()],
                has_index: true,
            }),
            self.result.as_ref().map(|result| SqlCondition {
                sql: "result >= ? AND result < ?",
                values: prefix_range(result),
                has_index: true,
            }),
            self.size
                .map(|BoardSizeField { columns, rows }| SqlCondition {
                    sql: "width = ? AND height = ?",
                    values: vec![(columns as i64).into(), (rows as i64).into()],
                    has_index: true,
                }),
        ];
        conditions.into_iter().flatten().collect()
    }

    /// Checks the dates.
    ///
    /// # Errors
    /// Returns an error if a date does not have one of the permitted forms.
    pub fn check_dates(&self) -> Result<(), RequestError> {
        for (field, date) in [("from", &self.from), ("to", &self.to)] {
            if let Some(date) = date.as_deref().filter(|date| !is_date_prefix(date)) {
                let found = excerpt(date);
                let message =
                    format!("expected a date such as 2026, 2026-11 or 2026-11-28, found {found:?}");
                return Err(RequestError::new(field, message));
            }
        }
        Ok(())
    }

    /// Returns the inclusive lower bound and the exclusive upper bound of the date, or `None` if dates are not
    /// restricted. Games without a date are always outside the bounds.
    fn date_range(&self) -> Option<(String, String)> {
        if self.from.is_none() && self.to.is_none() {
            return None;
        }
        let from = self.from.clone().filter(|from| !from.is_empty());
        let to = self.to.as_deref().unwrap_or_default();
        Some((
            from.unwrap_or_else(|| MIN_NONEMPTY.to_string()),
            format!("{to}{PREFIX_END}"),
        ))
    }

    /// Returns the SQL query for up to `limit` games, newest first.
    ///
    /// An index is used for at most one condition, and only if few games meet it. By itself, SQLite would use any
    /// available index, which takes ten times as long as a scan if most games match.
    ///
    /// # Errors
    /// Returns an error if the matching games cannot be counted.
    pub(super) fn query(
        &self,
        connection: &Connection,
        columns: &str,
        limit: u32,
    ) -> Result<SqlQuery, rusqlite::Error> {
        let conditions = self.conditions();
        let mut clauses = Vec::new();
        let mut values = Vec::new();
        for condition in conditions.iter().filter(|condition| condition.has_index) {
            if condition.is_selective(connection)? {
                clauses.push(format!(
                    "id IN (SELECT id FROM games WHERE {})",
                    condition.sql
                ));
                values.extend_from_slice(&condition.values);
                break;
            }
        }
        for condition in conditions {
            clauses.push(condition.sql.to_owned());
            values.extend(condition.values);
        }
        if let Some(before_id) = self.before_id {
            clauses.push("id < ?".to_owned());
            values.push(before_id.into());
        }
        if clauses.is_empty() {
            clauses.push("1".to_owned());
        }
        values.push(i64::from(limit).into());
        let condition = clauses.join(" AND ");
        let query = format!(
            "SELECT {columns} FROM games NOT INDEXED WHERE {condition} ORDER BY id DESC LIMIT ?"
        );
        Ok((query, values))
    }
}

/// Returns true for `YYYY`, `YYYY-MM`, `YYYY-MM-DD` and the empty text.
fn is_date_prefix(text: &str) -> bool {
    let number = |digits: &str, length: usize| {
        let is_number = digits.len() == length && digits.bytes().all(|byte| byte.is_ascii_digit());
        digits.parse::<u32>().ok().filter(|_| is_number)
    };
    let mut parts = text.split('-');
    let year = parts.next().and_then(|year| number(year, 4));
    let month = parts.next().map(|month| number(month, 2));
    let day = parts.next().map(|day| number(day, 2));
    let is_in = |part: Option<Option<u32>>, max| {
        part.is_none_or(|part| part.is_some_and(|number| (1..=max).contains(&number)))
    };
    let is_date = year.is_some() && is_in(month, 12) && is_in(day, 31) && parts.next().is_none();
    text.is_empty() || is_date
}

/// Folds the case of a text in any script: texts that differ only in case become equal.
fn fold_case(text: &str) -> impl Iterator<Item = char> + Clone {
    // Upper case first: "ß" becomes "ss", and both forms of the Greek sigma become the same. Letters are converted one
    // by one, because the standard library would restore the final form of the sigma.
    let upper = text.chars().flat_map(char::to_uppercase);
    upper.flat_map(char::to_lowercase)
}

/// Returns true if `text` contains `part`, ignoring case. The case of `part` must have been folded.
fn contains_folded(text: &str, part: &str) -> bool {
    let mut rest = fold_case(text);
    loop {
        let mut following = rest.clone();
        if part.chars().all(|letter| following.next() == Some(letter)) {
            return true;
        }
        if rest.next().is_none() {
            return false;
        }
    }
}

/// Adds the SQL function `contains_folded(black, white, part)` to a connection. It returns whether either name contains
/// `part` after case folding. The case of `part` must already be folded.
///
/// # Errors
/// Returns an error if SQLite rejects the function.
pub(super) fn add_sql_functions(connection: &Connection) -> Result<(), rusqlite::Error> {
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    connection.create_scalar_function("contains_folded", 3, flags, |context| {
        let part = context.get_raw(2).as_str()?;
        for index in 0..2 {
            if contains_folded(context.get_raw(index).as_str()?, part) {
                return Ok(true);
            }
        }
        Ok(false)
    })
}

impl SqlCondition {
    /// Returns true if at most [`MAX_SELECTIVE_ROWS`] games meet the condition. Stops counting when this number is
    /// exceeded.
    fn is_selective(&self, connection: &Connection) -> Result<bool, rusqlite::Error> {
        let query = format!(
            "SELECT count(*) FROM (SELECT 1 FROM games WHERE {} LIMIT {})",
            self.sql,
            MAX_SELECTIVE_ROWS + 1
        );
        let mut statement = connection.prepare_cached(&query)?;
        let count: usize = statement.query_row(params_from_iter(&self.values), |row| row.get(0))?;
        Ok(count <= MAX_SELECTIVE_ROWS)
    }
}
