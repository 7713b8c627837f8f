//! What a search has found, as the lines of `lz-analyze` and `kata-analyze`.
//!
//! Values are those of the side to move. The line of play comes last in each block and nothing is added unasked,
//! because clients read the blocks by pattern.

use crate::game::point::{BoardSize, Move};
use crate::search::report::{MoveReport, Report, Values};

/// Which engine's form the lines take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Leela Zero's: whole numbers, 10000 for certainty.
    Leela,
    /// KataGo's: fractions, with scores.
    Kata,
}

/// What the lines hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Form {
    /// The form of the numbers.
    pub style: Style,
    /// Moves shown at most.
    pub max_moves: usize,
    /// Whether each move of a line of play is followed by its visits.
    pub line_visits: bool,
    /// The same by KataGo's name for visits that came through this line alone; in this tree all do. KataGo's form alone.
    pub line_edge_visits: bool,
    /// Whether the root itself is shown; KataGo's form alone.
    pub root_info: bool,
    /// Whether the owners of the points are shown; this and all that follows in KataGo's form alone.
    pub ownership: bool,
    /// Whether their standard deviations over the playouts are.
    pub ownership_deviation: bool,
    /// Whether the owners after each move are.
    pub moves_ownership: bool,
    /// Whether the standard deviations of these are.
    pub moves_ownership_deviation: bool,
    /// Whether the chance of a game without result is, for each move.
    pub no_result: bool,
}

impl Form {
    /// All moves, and nothing that is not asked for.
    #[must_use]
    pub const fn new(style: Style) -> Self {
        Self {
            style,
            max_moves: usize::MAX,
            line_visits: false,
            line_edge_visits: false,
            root_info: false,
            ownership: false,
            ownership_deviation: false,
            moves_ownership: false,
            moves_ownership_deviation: false,
            no_result: false,
        }
    }

    /// Whether owners have to be counted for it.
    #[must_use]
    pub const fn counts_owners(&self) -> bool {
        matches!(self.style, Style::Kata)
            && (self.ownership
                || self.ownership_deviation
                || self.moves_ownership
                || self.moves_ownership_deviation)
    }

    /// Whether anything has to be counted for each move.
    #[must_use]
    pub const fn counts_by_move(&self) -> bool {
        self.moves_ownership || self.moves_ownership_deviation || self.no_result
    }
}

/// One line of analysis; `None` as long as no move has been visited.
#[must_use]
pub fn analysis_line(form: &Form, size: BoardSize, report: &Report) -> Option<String> {
    if report.moves.is_empty() {
        return None;
    }
    let mut text = String::new();
    for (order, found) in report.moves.iter().take(form.max_moves.max(1)).enumerate() {
        push_move(&mut text, form, size, order, found);
    }
    if form.style == Style::Kata {
        if form.root_info {
            push(&mut text, &format!("rootInfo visits {}", report.visits));
            push_values(&mut text, &report.values);
            push(&mut text, &format!("weight {}", report.visits));
        }
        let census = &report.census;
        push_points(&mut text, "ownership", form.ownership, &census.ownership);
        let deviation = &census.ownership_deviation;
        push_points(
            &mut text,
            "ownershipStdev",
            form.ownership_deviation,
            deviation,
        );
    }
    Some(text)
}

/// Adds numbers for all points, if they are wanted and known.
fn push_points(text: &mut String, name: &str, wanted: bool, numbers: &[f32]) {
    if wanted && !numbers.is_empty() {
        push(text, name);
        for number in numbers {
            push(text, &format!("{number:.3}"));
        }
    }
}

/// Adds words with a space before them.
fn push(text: &mut String, words: &str) {
    if !text.is_empty() {
        text.push(' ');
    }
    text.push_str(words);
}

fn push_move(text: &mut String, form: &Form, size: BoardSize, order: usize, found: &MoveReport) {
    let vertex = size.move_text(found.mv);
    push(text, &format!("info move {vertex} visits {}", found.visits));
    match form.style {
        Style::Leela => {
            let whole = |fraction: f64| (fraction * 10_000.0).round() as i32;
            let (winrate, lcb) = (whole(found.values.winrate), whole(found.lcb));
            let prior = whole(f64::from(found.prior));
            push(text, &format!("winrate {winrate} prior {prior} lcb {lcb}"));
        }
        Style::Kata => {
            push(text, &format!("edgeVisits {}", found.visits));
            push_values(text, &found.values);
            if let Some(chance) = found.census.no_result.filter(|_| form.no_result) {
                push(text, &format!("noResultValue {chance:.6}"));
            }
            let (prior, lcb, utility_lcb) = (found.prior, found.lcb, found.utility_lcb);
            push(text, &format!("prior {prior:.6} lcb {lcb:.6}"));
            push(text, &format!("utilityLcb {utility_lcb:.6}"));
            push(text, &format!("weight {}", found.visits));
        }
    }
    push(text, &format!("order {order} pv"));
    push_line(text, size, &found.line);
    let edges = form.line_edge_visits && form.style == Style::Kata;
    for (name, is_asked) in [("pvVisits", form.line_visits), ("pvEdgeVisits", edges)] {
        if is_asked {
            push(text, name);
            for visits in &found.line_visits {
                push(text, &visits.to_string());
            }
        }
    }
    if form.style == Style::Kata {
        let census = &found.census;
        let (owners, deviation) = (&census.ownership, &census.ownership_deviation);
        push_points(text, "movesOwnership", form.moves_ownership, owners);
        push_points(
            text,
            "movesOwnershipStdev",
            form.moves_ownership_deviation,
            deviation,
        );
    }
}

fn push_values(text: &mut String, values: &Values) {
    let (utility, winrate) = (values.utility, values.winrate);
    let (lead, deviation) = (values.score_lead, values.score_deviation);
    push(text, &format!("utility {utility:.6} winrate {winrate:.6}"));
    // One mean serves all three: this search does not tell a score from a lead.
    push(
        text,
        &format!("scoreMean {lead:.4} scoreStdev {deviation:.4}"),
    );
    push(
        text,
        &format!("scoreLead {lead:.4} scoreSelfplay {lead:.4}"),
    );
}

fn push_line(text: &mut String, size: BoardSize, line: &[Move]) {
    for &mv in line {
        push(text, &size.move_text(mv));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::color::Color;
    use crate::game::point::Point;
    use crate::search::census::Census;

    fn report() -> Report {
        let moves = [(Move::Play(Point::at(3, 15)), 30), (Move::Pass, 4)];
        let moves = moves.map(|(mv, visits)| MoveReport {
            mv,
            visits,
            values: values(),
            prior: 0.25,
            lcb: 0.5,
            utility_lcb: -0.125,
            line: vec![mv, Move::Play(Point::at(0, 0))],
            line_visits: vec![visits, 2],
            census: Census {
                ownership: vec![0.25],
                ownership_deviation: vec![0.125],
                no_result: Some(0.0625),
            },
        });
        Report {
            to_move: Color::Black,
            visits: 35,
            values: values(),
            moves: moves.into(),
            census: Census {
                ownership: vec![0.5, -1.0],
                ownership_deviation: vec![0.25, 0.0],
                no_result: None,
            },
            collisions: 0,
        }
    }

    fn values() -> Values {
        Values {
            winrate: 0.51236,
            score_lead: -1.5,
            score_deviation: 10.25,
            utility: 0.0625,
        }
    }

    fn line(form: &Form) -> String {
        analysis_line(form, BoardSize::STANDARD, &report()).unwrap()
    }

    #[test]
    fn leela_lines_count_in_ten_thousandths() {
        assert_eq!(
            line(&Form::new(Style::Leela)),
            "info move D4 visits 30 winrate 5124 prior 2500 lcb 5000 order 0 pv D4 A19 \
             info move pass visits 4 winrate 5124 prior 2500 lcb 5000 order 1 pv pass A19"
        );
    }

    #[test]
    fn kata_lines_have_scores() {
        let values = "utility 0.062500 winrate 0.512360 scoreMean -1.5000 scoreStdev 10.2500 \
                      scoreLead -1.5000 scoreSelfplay -1.5000";
        let first = Form {
            max_moves: 1,
            ..Form::new(Style::Kata)
        };
        let block = format!(
            "info move D4 visits 30 edgeVisits 30 {values} prior 0.250000 lcb 0.500000 utilityLcb -0.125000 weight 30 order 0 pv D4 A19"
        );
        assert_eq!(line(&first), block);
        let all = Form {
            line_visits: true,
            line_edge_visits: true,
            root_info: true,
            ownership: true,
            ..first
        };
        assert_eq!(
            line(&all),
            format!(
                "{block} pvVisits 30 2 pvEdgeVisits 30 2 rootInfo visits 35 {values} weight 35 ownership 0.500 -1.000"
            )
        );
    }

    #[test]
    fn what_is_counted_is_shown_where_kata_go_has_it() {
        let counted = Form {
            max_moves: 1,
            ownership_deviation: true,
            moves_ownership: true,
            moves_ownership_deviation: true,
            no_result: true,
            ..Form::new(Style::Kata)
        };
        let line = line(&counted);
        assert!(
            line.contains(" scoreSelfplay -1.5000 noResultValue 0.062500 prior "),
            "{line}"
        );
        let end =
            " pv D4 A19 movesOwnership 0.250 movesOwnershipStdev 0.125 ownershipStdev 0.250 0.000";
        assert!(line.ends_with(end), "{line}");
    }

    #[test]
    fn nothing_is_said_before_the_first_visit() {
        let empty = Report {
            moves: Vec::new(),
            ..report()
        };
        assert_eq!(
            analysis_line(&Form::new(Style::Kata), BoardSize::STANDARD, &empty),
            None
        );
    }
}
