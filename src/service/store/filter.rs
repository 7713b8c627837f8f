//! Which games a list is to tell, and the way to them in the tables.

use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};

/// What is asked of games; whatever is not told does not matter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GameFilter {
    /// How the name of either player begins, in any case.
    pub player: Option<String>,
    /// The first date, or how it begins.
    pub from: Option<String>,
    /// The last date, or how it begins.
    pub to: Option<String>,
    /// How the result begins, such as `B` or `W+R`.
    pub result: Option<String>,
    /// Columns and rows.
    pub size: Option<(usize, usize)>,
    /// Only games kept before that one.
    pub before_id: Option<i64>,
}

/// A condition for which there is an index. The words are this program's own; what users tell is in the values.
pub(super) struct SqlCondition {
    sql: &'static str,
    values: Vec<Value>,
}

/// A query and its values.
pub(super) type SqlQuery = (String, Vec<Value>);

/// Sorts behind the empty text, as the date of a game that tells none, and before all other texts.
const MIN_NONEMPTY: char = '\u{1}';
/// Sorts behind all that begins with the text before it.
const PREFIX_END: char = char::MAX;
/// So many games are sooner found by an index and put in order than by looking at one game after the other, the newest
/// first.
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
            self.size.map(|(width, height)| SqlCondition {
                sql: "width = ? AND height = ?",
                values: vec![(width as i64).into(), (height as i64).into()],
            }),
        ];
        conditions.into_iter().flatten().collect()
    }

    /// The least date that is let through, and the least that is not any more. A game without a date is at no time.
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

    /// The query for these columns of at most so many games, the newest first.
    ///
    /// By itself SQLite would take whichever index there is, and a filter that most games pass would take it ten times as
    /// long as having no index at all. So an index is used only for a condition that few games meet.
    ///
    /// # Errors
    /// When the games cannot be counted.
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
    /// Whether few games meet it. No more than these are counted.
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
