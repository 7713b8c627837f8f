//! Lines of the results file. Each line describes one game.

use std::time::Duration;

use super::game::{FaultKind, ThinkingTimeStats};
use super::game_summary::{GameSummary, MatchGameResult};
use super::side::Side;
use crate::game::color::Color;
use crate::io::error_text::excerpt;

/// Names of the columns: the columns of gogui-twogtp, followed by four additional ones.
pub const COLUMNS: [&str; 17] = [
    "GAME", "RES_B", "RES_W", "RES_R", "ALT", "DUP", "LEN", "TIME_B", "TIME_W", "CPU_B", "CPU_W",
    "ERR", "ERR_MSG", "MOVES_B", "MOVES_W", "LONG_B", "LONG_W",
];

/// Line of the results file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResultsRow {
    pub summary: GameSummary,
    /// Index of an earlier game with the same moves and colours, if there is one.
    pub duplicate_of: Option<usize>,
}

impl ResultsRow {
    /// Formats the row without a line break. `letters` are the letters of A and B, one of which denotes the side at
    /// fault.
    pub fn to_line(&self, has_referee: bool, letters: [char; 2]) -> String {
        let summary = &self.summary;
        let result = summary.result.to_string();
        let referee = if has_referee { result.as_str() } else { "?" };
        let flag = |flag: bool| u8::from(flag).to_string();
        let seconds = |duration: Duration| format!("{:.3}", duration.as_secs_f64());
        let [a, b] = &summary.thinking_time;
        let message = match summary.fault {
            Some((side, kind)) => {
                let letter = letters[side as usize];
                format!("{letter} {}: {}", kind.name(), summary.reason)
            }
            None if summary.is_incident() => summary.reason.clone(),
            None => String::new(),
        };
        let cells: [String; COLUMNS.len()] = [
            summary.game_index.to_string(),
            result.clone(),
            result.clone(),
            referee.to_owned(),
            flag(summary.a_color == Color::White),
            self.duplicate_of
                .map_or("-".to_owned(), |game| game.to_string()),
            summary.moves.len().to_string(),
            seconds(a.total),
            seconds(b.total),
            "0".to_owned(),
            "0".to_owned(),
            flag(summary.is_incident()),
            one_line(&message),
            a.moves.to_string(),
            b.moves.to_string(),
            seconds(a.max_move_time),
            seconds(b.max_move_time),
        ];
        cells.join("\t")
    }

    /// Parses a row written by [`to_line`](Self::to_line). The returned list of moves is empty, because rows do not
    /// contain moves.
    ///
    /// # Errors
    /// Returns a message if the number of columns is wrong or a column is invalid. The message describes the expected
    /// and the actual content.
    pub fn parse(line: &str, letters: [char; 2]) -> Result<Self, String> {
        let cells: Vec<&str> = line.split('\t').collect();
        let cells: &[&str; COLUMNS.len()] = cells
            .as_slice()
            .try_into()
            .map_err(|_| format!("expected {} columns, found {}", COLUMNS.len(), cells.len()))?;
        let cells = CellsByColumn(cells);
        let duplicate = cells.text("DUP");
        let message = cells.text("ERR_MSG");
        let fault = parse_fault(message, letters);
        let summary = GameSummary {
            game_index: cells.parse("GAME", "a number", |text| text.parse().ok())?,
            a_color: cells.parse("ALT", "0 or 1", |text| match text {
                "0" => Some(Color::Black),
                "1" => Some(Color::White),
                _ => None,
            })?,
            result: cells.parse("RES_B", "a result such as B+3.5", MatchGameResult::parse)?,
            fault: fault.map(|(side, kind, _)| (side, kind)),
            reason: fault.map_or(message, |(_, _, reason)| reason).to_owned(),
            moves: Vec::new(),
            thinking_time: [cells.thinking_time("B")?, cells.thinking_time("W")?],
        };
        let duplicate_of = match duplicate {
            "-" => None,
            _ => Some(cells.parse("DUP", "- or a number", |text| text.parse().ok())?),
        };
        Ok(Self {
            summary,
            duplicate_of,
        })
    }
}

/// Replaces each sequence of white space in a text with a single space, and removes white space at both ends.
pub fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Parses the description of a fault. Returns the side at fault, the kind of fault and the reason, or `None` if the
/// message does not describe a fault.
fn parse_fault(message: &str, letters: [char; 2]) -> Option<(Side, FaultKind, &str)> {
    let (head, reason) = message.split_once(": ")?;
    let (side, kind) = head.split_once(' ')?;
    let has_letter = |candidate: &Side| side.chars().eq([letters[*candidate as usize]]);
    let side = Side::BOTH.into_iter().find(has_letter)?;
    let kind = FaultKind::ALL
        .into_iter()
        .find(|candidate| candidate.name() == kind)?;
    Some((side, kind, reason))
}

/// Cells of a row, accessed by column name.
struct CellsByColumn<'a>(&'a [&'a str; COLUMNS.len()]);

impl<'a> CellsByColumn<'a> {
    fn text(&self, column: &str) -> &'a str {
        let index = COLUMNS.iter().position(|name| *name == column);
        index.map_or("", |index| self.0[index])
    }

    fn parse<T>(
        &self,
        column: &str,
        expected: &str,
        parse: impl FnOnce(&'a str) -> Option<T>,
    ) -> Result<T, String> {
        let text = self.text(column);
        parse(text).ok_or_else(|| {
            let excerpt = excerpt(text);
            format!("{column}: expected {expected}, found {excerpt:?}")
        })
    }

    fn thinking_time(&self, suffix: &str) -> Result<ThinkingTimeStats, String> {
        let seconds = |column: &str| {
            self.parse(&format!("{column}_{suffix}"), "seconds", |text| {
                Duration::try_from_secs_f64(text.parse().ok()?).ok()
            })
        };
        Ok(ThinkingTimeStats {
            moves: self.parse(&format!("MOVES_{suffix}"), "a number", |text| {
                text.parse().ok()
            })?,
            total: seconds("TIME")?,
            max_move_time: seconds("LONG")?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_round_trip() {
        let thinking_time = |moves, total, longest| ThinkingTimeStats {
            moves,
            total: Duration::from_millis(total),
            max_move_time: Duration::from_millis(longest),
        };
        let row = ResultsRow {
            summary: GameSummary {
                game_index: 7,
                a_color: Color::White,
                result: MatchGameResult::Won(Side::B, "F".to_owned()),
                fault: Some((Side::B, FaultKind::Crash)),
                reason: "white failed: it died: out of\tpaper".to_owned(),
                moves: Vec::new(),
                thinking_time: [thinking_time(3, 1_500, 750), thinking_time(4, 0, 0)],
            },
            duplicate_of: Some(5),
        };
        let text = row.to_line(false, ['A', 'C']);
        assert_eq!(
            text,
            "7\tW+F\tW+F\t?\t1\t5\t0\t1.500\t0.000\t0\t0\t1\tC crash: white failed: it died: out of paper\t3\t4\t0.750\t0.000"
        );
        let parsed = ResultsRow::parse(&text, ['A', 'C']).unwrap();
        assert_eq!(parsed.summary.reason, "white failed: it died: out of paper");
        assert_eq!(
            (parsed.duplicate_of, parsed.summary.fault),
            (row.duplicate_of, row.summary.fault)
        );
        assert_eq!(parsed.summary.thinking_time, row.summary.thinking_time);
        assert_eq!(parsed.to_line(false, ['A', 'C']), text);
    }

    #[test]
    fn invalid_rows_name_the_column() {
        let good = "0\tB+R\tB+R\t?\t0\t-\t9\t1.000\t1.000\t0\t0\t0\t\t5\t4\t0.300\t0.300";
        assert!(ResultsRow::parse(good, ['A', 'B']).is_ok());
        for (from, to, expected) in [
            ("0\tB+R", "x\tB+R", "GAME: expected a number, found \"x\""),
            (
                "B+R",
                "B-R",
                "RES_B: expected a result such as B+3.5, found \"B-R\"",
            ),
            ("\t0\t-", "\t2\t-", "ALT: expected 0 or 1, found \"2\""),
            ("-", "so", "DUP: expected - or a number, found \"so\""),
            ("0.300", "-1", "LONG_B: expected seconds, found \"-1\""),
            ("\t9", "", "expected 17 columns, found 16"),
        ] {
            let error = ResultsRow::parse(&good.replacen(from, to, 1), ['A', 'B']).unwrap_err();
            assert_eq!(error, expected);
        }
    }
}
