//! Output lines of `lz-analyze` and `kata-analyze`.
//!
//! Values are from the perspective of the side to move. Each candidate move has a block of fields that starts with
//! `info`. Many clients parse these lines with regular expressions, so optional fields are written only on request,
//! and the mandatory fields of each block end with the principal variation.

use super::args::{Args, invalid_argument};
use super::response::GtpError;
use crate::game::point::BoardSize;
use crate::search::report::{MoveReport, Report, ValueEstimates};

/// Maximum accepted value of `maxmoves` and `minmoves`.
const MAX_ACCEPTED_MOVE_COUNT: usize = 1_000_000;

/// Format of analysis lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnalysisFormat {
    /// Leela Zero's format: probabilities as integers, with 10000 for 100%.
    LeelaZero,
    /// KataGo's format: probabilities from 0 to 1, and scores in points.
    KataGo,
}

/// Options that select the format, moves and fields of analysis lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AnalysisOptions {
    pub format: AnalysisFormat,
    /// Maximum number of candidate moves per line; 0 counts as 1.
    pub max_moves: usize,
    /// Adds the number of visits of each move in the principal variation.
    pub pv_visits: bool,
    /// Adds the number of visits of each edge in the principal variation. This search has no transpositions, so edge
    /// and move visits are equal. Only in KataGo's format.
    pub pv_edge_visits: bool,
    /// Adds the values of the root. Like all options below, only in KataGo's format.
    pub root_info: bool,
    /// Adds the expected ownership of each point.
    pub ownership: bool,
    /// Adds the standard deviation of each point's ownership over the playouts.
    pub ownership_stdev: bool,
    /// Adds the expected ownership after each move.
    pub moves_ownership: bool,
    /// Adds the standard deviation of each point's ownership after each move.
    pub moves_ownership_stdev: bool,
    /// Adds, for each move, the probability that the game ends without a result.
    pub no_result_value: bool,
}

impl AnalysisOptions {
    /// Creates options that report all moves, without optional fields.
    #[must_use]
    pub const fn new(format: AnalysisFormat) -> Self {
        Self {
            format,
            max_moves: usize::MAX,
            pv_visits: false,
            pv_edge_visits: false,
            root_info: false,
            ownership: false,
            ownership_stdev: false,
            moves_ownership: false,
            moves_ownership_stdev: false,
            no_result_value: false,
        }
    }

    /// Sets the option named `word` to the value in the next argument.
    ///
    /// # Errors
    /// Returns an error if the option is unknown or its value is invalid.
    pub fn set_option(&mut self, word: &str, args: &mut Args<'_>) -> Result<(), GtpError> {
        match word.to_ascii_lowercase().as_str() {
            "maxmoves" => {
                self.max_moves = args.number("number of moves", 0..=MAX_ACCEPTED_MOVE_COUNT)?
            }
            "ownership" => self.ownership = args.boolean(word)?,
            "rootinfo" => self.root_info = args.boolean(word)?,
            "pvvisits" => self.pv_visits = args.boolean(word)?,
            "pvedgevisits" => self.pv_edge_visits = args.boolean(word)?,
            "ownershipstdev" => self.ownership_stdev = args.boolean(word)?,
            "movesownership" => self.moves_ownership = args.boolean(word)?,
            "movesownershipstdev" => self.moves_ownership_stdev = args.boolean(word)?,
            "noresultvalue" => self.no_result_value = args.boolean(word)?,
            // Ignored: the option would add moves without visits, and this engine never reports such moves.
            "minmoves" => drop(args.number("number of moves", 0..=MAX_ACCEPTED_MOVE_COUNT)?),
            _ => {
                return Err(invalid_argument(
                    "argument (use a colour, an interval, or one of interval, avoid, allow, minmoves, maxmoves, ownership, \
                     rootInfo, pvVisits, pvEdgeVisits, ownershipStdev, movesOwnership, movesOwnershipStdev, \
                     noResultValue)",
                    word,
                ));
            }
        }
        Ok(())
    }

    /// Returns true if the search has to collect ownership statistics.
    #[must_use]
    pub const fn needs_ownership(&self) -> bool {
        matches!(self.format, AnalysisFormat::KataGo)
            && (self.ownership
                || self.ownership_stdev
                || self.moves_ownership
                || self.moves_ownership_stdev)
    }

    /// Returns true if the search has to collect separate statistics for each candidate move.
    #[must_use]
    pub const fn needs_move_stats(&self) -> bool {
        self.moves_ownership || self.moves_ownership_stdev || self.no_result_value
    }
}

/// Formats a report as one analysis line. `predicted_deviation` is the standard deviation of the final score that the
/// evaluator predicts for the position, if it does. Returns `None` if no move has been visited.
#[must_use]
pub fn analysis_line(
    options: &AnalysisOptions,
    size: BoardSize,
    report: &Report,
    predicted_deviation: Option<f64>,
) -> Option<String> {
    if report.moves.is_empty() {
        return None;
    }
    let mut fields = Vec::new();
    let moves = report.moves.iter().take(options.max_moves.max(1));
    for (order, candidate) in moves.enumerate() {
        push_move(
            &mut fields,
            options,
            size,
            (order, candidate),
            predicted_deviation,
        );
    }
    if options.format == AnalysisFormat::KataGo {
        let (visits, stats) = (report.visits, &report.stats);
        if options.root_info {
            fields.push(format!("rootInfo visits {visits}"));
            push_winrate_and_score(&mut fields, &report.values, predicted_deviation);
            fields.push(format!("weight {visits}"));
            if let Some(stats) = &report.depth_stats {
                let (depth, nodes) = (stats.depth, stats.nodes);
                let nodes_per_second = stats.nodes_per_second();
                fields.push(format!(
                    "depth {depth} nodes {nodes} nps {nodes_per_second:.0}"
                ));
            }
        }
        push_point_values(
            &mut fields,
            "ownership",
            options.ownership,
            &stats.ownership,
        );
        let stdev = &stats.ownership_deviation;
        push_point_values(
            &mut fields,
            "ownershipStdev",
            options.ownership_stdev,
            stdev,
        );
    }
    Some(fields.join(" "))
}

/// Appends the field `name` and its values, one per point. Does nothing if the field is not requested or the search has
/// not collected values.
fn push_point_values(fields: &mut Vec<String>, name: &str, is_requested: bool, values: &[f32]) {
    if is_requested && !values.is_empty() {
        fields.push(name.to_owned());
        fields.extend(values.iter().map(|value| format!("{value:.3}")));
    }
}

fn push_move(
    fields: &mut Vec<String>,
    options: &AnalysisOptions,
    size: BoardSize,
    (order, candidate): (usize, &MoveReport),
    predicted_deviation: Option<f64>,
) {
    let (visits, lcb, stats) = (candidate.visits, candidate.lcb, &candidate.stats);
    let is_katago = options.format == AnalysisFormat::KataGo;
    let vertex = size.format_move(candidate.mv);
    fields.push(format!("info move {vertex} visits {visits}"));
    if is_katago {
        fields.push(format!("edgeVisits {visits}"));
        push_winrate_and_score(fields, &candidate.values, predicted_deviation);
        if let Some(no_result) = stats.no_result.filter(|_| options.no_result_value) {
            fields.push(format!("noResultValue {no_result:.6}"));
        }
        let (prior, utility_lcb) = (candidate.prior, candidate.utility_lcb);
        fields.push(format!("prior {prior:.6} lcb {lcb:.6}"));
        fields.push(format!("utilityLcb {utility_lcb:.6} weight {visits}"));
    } else {
        let scaled = |fraction: f64| (fraction * 10_000.0).round() as i32;
        let (winrate, lcb) = (scaled(candidate.values.winrate), scaled(lcb));
        let prior = scaled(f64::from(candidate.prior));
        fields.push(format!("winrate {winrate} prior {prior} lcb {lcb}"));
    }
    fields.push(format!("order {order} pv"));
    fields.push(size.format_moves(&candidate.pv));
    for (name, is_requested) in [
        ("pvVisits", options.pv_visits),
        ("pvEdgeVisits", options.pv_edge_visits && is_katago),
    ] {
        if is_requested {
            fields.push(name.to_owned());
            fields.extend(candidate.pv_visits.iter().map(u32::to_string));
        }
    }
    if is_katago {
        push_point_values(
            fields,
            "movesOwnership",
            options.moves_ownership,
            &stats.ownership,
        );
        let (is_requested, stdev) = (options.moves_ownership_stdev, &stats.ownership_deviation);
        push_point_values(fields, "movesOwnershipStdev", is_requested, stdev);
    }
}

fn push_winrate_and_score(
    fields: &mut Vec<String>,
    values: &ValueEstimates,
    predicted_deviation: Option<f64>,
) {
    let (utility, winrate, lead) = (values.utility, values.winrate, values.score_lead);
    fields.push(format!("utility {utility:.6} winrate {winrate:.6}"));
    // This search has a single score estimate, reported as `scoreMean`, `scoreLead` and `scoreSelfplay`.
    fields.push(format!("scoreMean {lead:.4}"));
    if let Some(predicted) = predicted_deviation {
        let stdev = values.final_score_deviation(predicted);
        fields.push(format!("scoreStdev {stdev:.4}"));
    }
    fields.push(format!("scoreLead {lead:.4} scoreSelfplay {lead:.4}"));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::color::Color;
    use crate::game::point::{Move, Point};
    use crate::search::ownership_stats::OwnershipStats;

    fn report() -> Report {
        let moves = [(Move::Play(Point::at(3, 15)), 30), (Move::Pass, 4)];
        let moves = moves.map(|(mv, visits)| MoveReport {
            mv,
            visits,
            values: values(),
            prior: 0.25,
            lcb: 0.5,
            utility_lcb: -0.125,
            pv: vec![mv, Move::Play(Point::at(0, 0))],
            pv_visits: vec![visits, 2],
            stats: OwnershipStats {
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
            stats: OwnershipStats {
                ownership: vec![0.5, -1.0],
                ownership_deviation: vec![0.25, 0.0],
                no_result: None,
            },
            collisions: 0,
            depth_stats: None,
        }
    }

    fn values() -> ValueEstimates {
        ValueEstimates {
            winrate: 0.51236,
            score_lead: -1.5,
            score_deviation: 8.0,
            utility: 0.0625,
        }
    }

    fn line(options: &AnalysisOptions) -> String {
        analysis_line(options, BoardSize::STANDARD, &report(), Some(6.0)).unwrap()
    }

    #[test]
    fn leela_zero_format_scales_by_ten_thousand() {
        assert_eq!(
            line(&AnalysisOptions::new(AnalysisFormat::LeelaZero)),
            "info move D4 visits 30 winrate 5124 prior 2500 lcb 5000 order 0 pv D4 A19 \
             info move pass visits 4 winrate 5124 prior 2500 lcb 5000 order 1 pv pass A19"
        );
    }

    #[test]
    fn katago_format_has_scores() {
        let values = "utility 0.062500 winrate 0.512360 scoreMean -1.5000 scoreStdev 10.0000 \
                      scoreLead -1.5000 scoreSelfplay -1.5000";
        let one_move = AnalysisOptions {
            max_moves: 1,
            ..AnalysisOptions::new(AnalysisFormat::KataGo)
        };
        let block = format!(
            "info move D4 visits 30 edgeVisits 30 {values} prior 0.250000 lcb 0.500000 utilityLcb -0.125000 weight 30 order 0 pv D4 A19"
        );
        assert_eq!(line(&one_move), block);
        let all_fields = AnalysisOptions {
            pv_visits: true,
            pv_edge_visits: true,
            root_info: true,
            ownership: true,
            ..one_move
        };
        assert_eq!(
            line(&all_fields),
            format!(
                "{block} pvVisits 30 2 pvEdgeVisits 30 2 rootInfo visits 35 {values} weight 35 ownership 0.500 -1.000"
            )
        );
    }

    #[test]
    fn optional_statistics_follow_katago_order() {
        let with_stats = AnalysisOptions {
            max_moves: 1,
            ownership_stdev: true,
            moves_ownership: true,
            moves_ownership_stdev: true,
            no_result_value: true,
            ..AnalysisOptions::new(AnalysisFormat::KataGo)
        };
        let line = line(&with_stats);
        assert!(
            line.contains(" scoreSelfplay -1.5000 noResultValue 0.062500 prior "),
            "{line}"
        );
        let suffix =
            " pv D4 A19 movesOwnership 0.250 movesOwnershipStdev 0.125 ownershipStdev 0.250 0.000";
        assert!(line.ends_with(suffix), "{line}");
    }

    #[test]
    fn no_line_before_first_visit() {
        let empty = Report {
            moves: Vec::new(),
            ..report()
        };
        assert_eq!(
            analysis_line(
                &AnalysisOptions::new(AnalysisFormat::KataGo),
                BoardSize::STANDARD,
                &empty,
                None
            ),
            None
        );
    }
}
