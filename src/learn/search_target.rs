//! Search results stored in the nodes of an SGF file.
//!
//! The node of a move can have two private properties. `KT` lists the candidate moves and their visits, each as
//! `point:visits`, where an empty point denotes a pass: `KT[dd:120][pp:33][:4]`. `KV` contains the win rate and the
//! lead in points, both from the perspective of the side that made the move: `KV[0.5312:-1.25]`, or `KV[0.5312:]` if
//! the evaluator does not predict the lead.

use super::targets::PositionTargets;
use crate::game::point::{BoardSize, Move};
use crate::io::error_text::excerpt;
use crate::sgf::points::{self, PointOrSizeError};
use crate::sgf::tree::Node;
use crate::sgf::value::Value;

const VISITS_PROPERTY: &str = "KT";
const VALUES_PROPERTY: &str = "KV";

/// Result of the search that chose a move.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchTarget {
    /// Candidate moves, each with its number of visits. No move occurs twice.
    pub visits: Vec<(Move, u32)>,
    /// Win rate of the side to move, from 0 to 1.
    pub winrate: f32,
    /// Lead of the side to move in points; `None` if the evaluator does not predict the lead.
    pub lead: Option<f32>,
}

/// Error in a search result stored in a node.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SearchTargetError {
    /// A move is not on the board.
    #[error(transparent)]
    Point(#[from] PointOrSizeError),
    /// A property value has the wrong format.
    #[error("{property}: expected {expected}, found {found:?}")]
    Format {
        property: &'static str,
        expected: &'static str,
        found: String,
    },
}

impl SearchTarget {
    /// Stores the search result in `node`.
    pub fn write(&self, node: &mut Node) {
        let visits = self.visits.iter().map(|&(mv, visits)| {
            let vertex = points::write_move(mv);
            Value::composed(vertex.as_escaped(), &visits.to_string())
        });
        node.set_list(VISITS_PROPERTY, visits.collect());
        let lead = (self.lead).map_or(String::new(), |lead| format!("{lead:.2}"));
        node.set(
            VALUES_PROPERTY,
            Value::composed(&format!("{:.4}", self.winrate), &lead),
        );
    }

    /// Reads the search result stored in `node`. Returns `None` if the node has no property `KV`.
    ///
    /// # Errors
    /// Returns an error if a property is invalid or if no move has visits.
    pub fn read(node: &Node, size: BoardSize) -> Result<Option<Self>, SearchTargetError> {
        let Some(values) = node.value(VALUES_PROPERTY) else {
            return Ok(None);
        };
        let mut visits: Vec<(Move, u32)> = Vec::new();
        for value in node.values(VISITS_PROPERTY) {
            let (mv, count) = read_move_visits(value, size)?;
            if visits.iter().any(|&(other, _)| other == mv) {
                return Err(format_error(VISITS_PROPERTY, "each move once", value));
            }
            visits.push((mv, count));
        }
        if visits.iter().all(|&(_, count)| count == 0) {
            return Err(format_error(VISITS_PROPERTY, "visits", &Value::default()));
        }
        let pair = values.composed_parts().and_then(|(winrate, lead)| {
            let parse_number =
                |text: String| text.parse::<f32>().ok().filter(|value| value.is_finite());
            let (winrate, lead) = (parse_number(winrate.simple_text())?, lead.simple_text());
            let lead = match lead.is_empty() {
                true => None,
                false => Some(parse_number(lead)?),
            };
            (0.0..=1.0).contains(&winrate).then_some((winrate, lead))
        });
        let (winrate, lead) =
            pair.ok_or_else(|| format_error(VALUES_PROPERTY, "a win rate and a lead", values))?;
        Ok(Some(Self {
            visits,
            winrate,
            lead,
        }))
    }

    /// Replaces the policy target with the distribution of visits, and blends the search result into the targets for
    /// value and lead.
    ///
    /// `weight`, from 0 to 1, is the weight of the search result. The game result has the remaining weight. If only one
    /// of the two results has a lead, this lead is used without blending, unless it comes from the search and `weight`
    /// is 0.
    pub fn blend_into(&self, size: BoardSize, targets: &mut PositionTargets, weight: f32) {
        targets.policy = self.policy(size);
        let blend = |game: f32, search: f32| game + weight * (search - game);
        targets.value = blend(targets.value, 2.0 * self.winrate - 1.0);
        targets.lead = match (targets.lead, self.lead) {
            (Some(game), Some(search)) => Some(blend(game, search)),
            (game, None) => game,
            (None, search) => search.filter(|_| weight > 0.0),
        };
    }

    /// Returns the fraction of the visits that each move received: one value per point, then one for a pass, with a sum
    /// of 1.
    pub fn policy(&self, size: BoardSize) -> Vec<f32> {
        let total: f32 = self.visits.iter().map(|&(_, visits)| visits as f32).sum();
        let mut policy = vec![0.0; size.area() + 1];
        for &(mv, visits) in &self.visits {
            policy[size.move_index(mv)] = visits as f32 / total;
        }
        policy
    }
}

fn read_move_visits(value: &Value, size: BoardSize) -> Result<(Move, u32), SearchTargetError> {
    let invalid = || format_error(VISITS_PROPERTY, "a move and its visits", value);
    let (mv, count) = value.composed_parts().ok_or_else(invalid)?;
    let count = count.simple_text().parse().map_err(|_| invalid())?;
    let mv = points::read_move(&mv, size)?;
    Ok((mv, count))
}

fn format_error(
    property: &'static str,
    expected: &'static str,
    found: &Value,
) -> SearchTargetError {
    SearchTargetError::Format {
        property,
        expected,
        found: excerpt(found.as_escaped()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::point::Point;
    use crate::sgf::parse;

    fn read(properties: &str) -> Result<Option<SearchTarget>, SearchTargetError> {
        let parsed = parse(format!("(;SZ[5];B[aa]{properties})").as_bytes()).unwrap();
        let tree = parsed.first_game();
        let node = tree.node(tree.main_line().last().unwrap());
        SearchTarget::read(node, BoardSize::new(5, 5).unwrap())
    }

    #[test]
    fn written_targets_are_read_back() {
        let size = BoardSize::new(5, 5).unwrap();
        let target = SearchTarget {
            visits: vec![(Move::Play(Point::at(1, 3)), 6), (Move::Pass, 2)],
            winrate: 0.25,
            lead: Some(-3.5),
        };
        let mut node = Node::default();
        target.write(&mut node);
        assert_eq!(node.values("KT")[0].as_escaped(), "bd:6");
        assert_eq!(node.values("KT")[1].as_escaped(), ":2");
        assert_eq!(
            SearchTarget::read(&node, size).unwrap(),
            Some(target.clone())
        );
        assert_eq!(
            read("KT[bd:6][:2]KV[0.25:-3.5]").unwrap(),
            Some(target.clone())
        );
        let without_lead = read("KT[bd:6][:2]KV[0.25:]").unwrap().unwrap();
        assert_eq!((without_lead.winrate, without_lead.lead), (0.25, None));
        without_lead.write(&mut node);
        assert_eq!(SearchTarget::read(&node, size).unwrap(), Some(without_lead));
        let policy = target.policy(size);
        assert_eq!(
            (policy.len(), policy[3 * 5 + 1], policy[25]),
            (26, 0.75, 0.25)
        );
        assert_eq!(policy.iter().sum::<f32>(), 1.0);
        assert_eq!(read("").unwrap(), None);
    }

    #[test]
    fn search_values_are_blended() {
        let size = BoardSize::new(5, 5).unwrap();
        let target = SearchTarget {
            visits: vec![(Move::Pass, 2)],
            winrate: 0.25,
            lead: Some(-3.5),
        };
        let blended = |target: &SearchTarget, score, weight| {
            let mut targets = PositionTargets {
                policy: vec![1.0 / 26.0; 26],
                value: 1.0,
                lead: score,
                ownership: None,
            };
            target.blend_into(size, &mut targets, weight);
            assert_eq!(targets.policy, target.policy(size));
            (targets.value, targets.lead)
        };
        // 1 + 0.25 (-0.5 - 1) and 4 + 0.25 (-3.5 - 4).
        assert_eq!(blended(&target, Some(4.0), 0.25), (0.625, Some(2.125)));
        assert_eq!(blended(&target, None, 0.25), (0.625, Some(-3.5)));
        assert_eq!(blended(&target, Some(4.0), 0.0), (1.0, Some(4.0)));
        assert_eq!(blended(&target, None, 0.0), (1.0, None));
        let without_lead = SearchTarget {
            lead: None,
            ..target.clone()
        };
        assert_eq!(blended(&without_lead, Some(4.0), 0.25), (0.625, Some(4.0)));
        assert_eq!(blended(&without_lead, None, 0.25), (0.625, None));
    }

    #[test]
    fn invalid_values_are_rejected() {
        for properties in [
            "KT[bd:6]KV[0.5]",
            "KT[bd:6]KV[1.5:0]",
            "KT[bd:6]KV[0.5:inf]",
            "KT[bd:6]KV[nan:0]",
            "KT[bd]KV[0.5:0]",
            "KT[bd:-6]KV[0.5:0]",
            "KT[fa:6]KV[0.5:0]",
            "KT[bd:6][bd:1]KV[0.5:0]",
            "KT[bd:0]KV[0.5:0]",
            "KV[0.5:0]",
        ] {
            assert!(read(properties).is_err(), "{properties}");
        }
    }
}
