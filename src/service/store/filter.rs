//! Which games a list is to tell.

use rusqlite::types::Value;

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

/// Sorts behind all that begins with the text before it.
const LAST: char = char::MAX;

impl Filter {
    /// The condition and its values, by number. The words are this program's own; what users tell is in the values.
    pub(super) fn sql(&self) -> (String, Vec<Value>) {
        let mut words: Vec<&str> = Vec::new();
        let mut values: Vec<Value> = Vec::new();
        let mut add = |condition: &'static str, told: Vec<Value>| {
            words.push(condition);
            values.extend(told);
        };
        let prefix = |text: &String| vec![text.clone().into(), format!("{text}{LAST}").into()];
        if let Some(player) = &self.player {
            let ends = [prefix(player), prefix(player)].concat();
            add(
                "(black >= ? AND black < ? OR white >= ? AND white < ?)",
                ends,
            );
        }
        if let Some(from) = &self.from {
            add("date >= ?", vec![from.clone().into()]);
        }
        if let Some(to) = &self.to {
            // A game without a date is not before anything.
            add("date > '' AND date < ?", vec![format!("{to}{LAST}").into()]);
        }
        if let Some(result) = &self.result {
            add("result >= ? AND result < ?", prefix(result));
        }
        if let Some((width, height)) = self.size {
            let sides = [width, height].map(|side| Value::Integer(side as i64));
            add("width = ? AND height = ?", sides.to_vec());
        }
        if let Some(before) = self.before {
            add("id < ?", vec![before.into()]);
        }
        if words.is_empty() {
            words.push("1");
        }
        (words.join(" AND "), values)
    }
}
