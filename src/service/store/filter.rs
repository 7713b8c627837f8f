//! Which games a list is to tell, and the way to them in the tables.

use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};

/// What is asked of games; whatever is not told does not matter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
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
    pub before: Option<i64>,
}

/// A condition for which there is an index. The words are this program's own; what users tell is in the values.
pub(super) struct Condition {
    words: &'static str,
    values: Vec<Value>,
}

/// A query and its values.
pub(super) type Query = (String, Vec<Value>);

/// Sorts behind the empty text, as the date of a game that tells none, and before all other texts.
const FIRST: char = '\u{1}';
/// Sorts behind all that begins with the text before it.
const LAST: char = char::MAX;
/// So many games are sooner found by an index and put in order than by looking at one game after the other, the newest
/// first.
const FEW: usize = 2000;

impl Filter {
    fn conditions(&self) -> Vec<Condition> {
        let prefix = |text: &String| vec![text.clone().into(), format!("{text}{LAST}").into()];
        let told = [
            self.player.as_ref().map(|name| Condition {
                words: "(black >= ? AND black < ? OR white >= ? AND white < ?)",
                values: [prefix(name), prefix(name)].concat(),
            }),
            self.dates().map(|(first, last)| Condition {
                words: "date >= ? AND date < ?",
                values: vec![first.into(), last.into()],
            }),
            self.result.as_ref().map(|result| Condition {
                words: "result >= ? AND result < ?",
                values: prefix(result),
            }),
            self.size.map(|(width, height)| Condition {
                words: "width = ? AND height = ?",
                values: vec![(width as i64).into(), (height as i64).into()],
            }),
        ];
        told.into_iter().flatten().collect()
    }

    /// The least date that is let through, and the least that is not any more. A game without a date is at no time.
    fn dates(&self) -> Option<(String, String)> {
        if self.from.is_none() && self.to.is_none() {
            return None;
        }
        let from = self.from.clone().filter(|from| !from.is_empty());
        let to = self.to.as_deref().unwrap_or_default();
        Some((
            from.unwrap_or_else(|| FIRST.to_string()),
            format!("{to}{LAST}"),
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
        most: u32,
    ) -> Result<Query, rusqlite::Error> {
        let conditions = self.conditions();
        let mut words = Vec::new();
        let mut values = Vec::new();
        for condition in &conditions {
            if condition.is_rare(connection)? {
                words.push(format!(
                    "id IN (SELECT id FROM games WHERE {})",
                    condition.words
                ));
                values.extend_from_slice(&condition.values);
                break;
            }
        }
        for condition in conditions {
            words.push(condition.words.to_owned());
            values.extend(condition.values);
        }
        if let Some(before) = self.before {
            words.push("id < ?".to_owned());
            values.push(before.into());
        }
        if words.is_empty() {
            words.push("1".to_owned());
        }
        values.push(i64::from(most).into());
        let condition = words.join(" AND ");
        let query = format!(
            "SELECT {columns} FROM games NOT INDEXED WHERE {condition} ORDER BY id DESC LIMIT ?"
        );
        Ok((query, values))
    }
}

impl Condition {
    /// Whether few games meet it. No more than these are counted.
    fn is_rare(&self, connection: &Connection) -> Result<bool, rusqlite::Error> {
        let query = format!(
            "SELECT count(*) FROM (SELECT 1 FROM games WHERE {} LIMIT {})",
            self.words,
            FEW + 1
        );
        let mut statement = connection.prepare_cached(&query)?;
        let found: usize = statement.query_row(params_from_iter(&self.values), |row| row.get(0))?;
        Ok(found <= FEW)
    }
}
