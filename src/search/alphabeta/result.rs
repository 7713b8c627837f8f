//! Results of a search to a fixed depth, and the report of them.

use super::value::UNITS_PER_POINT;
use crate::game::point::Move;
use crate::game::position::Position;
use crate::search::ownership_stats::OwnershipStats;
use crate::search::report::{DepthStats, MoveReport, Report, ValueEstimates};
use crate::search::restriction::Restriction;
use crate::search::root::Candidate;

/// Result of the search of a root move.
#[derive(Clone, Debug)]
pub struct MoveResult {
    /// Value for the side to move, in units of 1/[`UNITS_PER_POINT`] point.
    pub value: i32,
    /// Number of nodes searched below the move.
    pub nodes: u64,
    /// Principal variation, starting with the move.
    pub pv: Vec<Move>,
}

impl MoveResult {
    /// Returns the root move.
    pub fn mv(&self) -> Move {
        self.pv.first().copied().unwrap_or(Move::Pass)
    }

    fn report(&self, root: &Position) -> MoveReport {
        let values = values(root, self.value);
        let visits = saturate_visits(self.nodes);
        MoveReport {
            mv: self.mv(),
            visits,
            values,
            prior: 0.0,
            lcb: values.winrate,
            utility_lcb: values.utility,
            pv_visits: vec![visits; self.pv.len()],
            pv: self.pv.clone(),
            stats: OwnershipStats::default(),
        }
    }
}

/// Results of a search to a fixed depth.
#[derive(Clone, Debug, Default)]
pub struct DepthResult {
    pub stats: DepthStats,
    /// Root moves, best first. The first one is the move to play.
    pub moves: Vec<MoveResult>,
}

impl DepthResult {
    /// Creates the report of a search of `root`. Its first move is the one to play.
    pub fn report(&self, root: &Position) -> Report {
        let moves: Vec<MoveReport> = self
            .moves
            .iter()
            .map(|result| result.report(root))
            .collect();
        Report {
            to_move: root.to_move(),
            visits: saturate_visits(self.stats.nodes),
            values: moves
                .first()
                .map_or_else(ValueEstimates::default, |mv| mv.values),
            moves,
            stats: OwnershipStats::default(),
            collisions: 0,
            depth_stats: Some(self.stats),
        }
    }

    /// Returns the root moves that `restriction` allows, best first.
    pub fn candidates(&self, root: &Position, restriction: &Restriction) -> Vec<Candidate> {
        let moves = self.report(root).moves.into_iter().enumerate();
        moves
            .filter(|(_, report)| restriction.allows_at_root(report.mv))
            .map(|(index, report)| Candidate {
                mv: report.mv,
                index,
                visits: report.visits,
                utility: report.values.utility,
                utility_lcb: report.utility_lcb,
            })
            .collect()
    }
}

/// Converts a search value to the values of a report. The win rate is only a rough guess: a lead of twice the board's
/// side length counts as practically won.
fn values(root: &Position, value: i32) -> ValueEstimates {
    let lead = f64::from(value) / f64::from(UNITS_PER_POINT);
    let utility = (lead / (2.0 * root.size().geometric_mean_side())).tanh();
    ValueEstimates {
        winrate: f64::midpoint(1.0, utility),
        score_lead: lead,
        score_deviation: 0.0,
        utility,
    }
}

fn saturate_visits(nodes: u64) -> u32 {
    u32::try_from(nodes).unwrap_or(u32::MAX)
}
