//! Filters for listing games, and their translation to SQL.

use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};
use serde::Deserialize;

use crate::json_analysis::game::BoardSizeField;

/// Conditions that listed games must meet. A condition that is `None` matches all games.
///
/// All fields except `before_id` are deserialised from the request.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct GameFilter {
    /// Prefix of the name of either player, ignoring ASCII case.
    pub player: Option<String>,
    /// Earliest date. May be only the beginning of a date, such as a year.
    pub from: Option<String>,
    /// Latest date. May be only the beginning of a date; all dates that start with this text match.
    pub to: Option<String>,
    /// Prefix of the result, such as `B` or `W+R`, ignoring ASCII case.
    pub result: Option<String>,
    pub size: Option<BoardSizeField>,
    /// Exclusive upper bound of the id, for paging.
    #[serde(skip)]
    pub before_id: Option<i64>,
}

/// SQL condition supported by an index. User input occurs only in `values`, never in `sql`.
pub(super) struct SqlCondition {
    sql: &'static str,
    values: Vec<Value>,
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
                sql: "(black >= ? AND black < ? OR white >= ? AND white < ?)",
                values: [prefix_range(name), prefix_range(name)].concat(),
            }),
            self.date_range().map(|(first, last)| SqlCondition {
                sql: "date >= ? AND date < ?",
                values: vec![first.into(), last.into()],
            }),
            self.result.as_ref().map(|result| SqlCondition {
                sql: "result >= ? AND result < ?",
                values: prefix_range(result),
            }),
            self.size.map(|BoardSizeField(size)| SqlCondition {
                sql: "width = ? AND height = ?",
                values: vec![(size.width() as i64).into(), (size.height() as i64).into()],
            }),
        ];
        conditions.into_iter().flatten().collect()
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
        for condition in &conditions {
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
