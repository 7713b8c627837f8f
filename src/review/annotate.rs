//! A review written into the game's tree, so that any editor of game files shows it.
//!
//! Every move gets a comment and the values `V` (the score, Black's lead), `SBKV` and `SBKS` (Black's chance to win in
//! per cent and the lead, which Sabaki draws as a graph); moves that lose something are marked `DO` or `BM`, and beside
//! each of those stands the line that the search would have played, as a variation. Such a mark takes the place of the
//! file's own, and so do the values; what the file said otherwise stays, behind the comments.

use super::Review;
use super::judge::Assessment;
use super::verdict::{Grade, Turn};
use super::words::{capitalised, chance, lead, percent, points};
use crate::game::point::BoardSize;
use crate::sgf::points::write_move;
use crate::sgf::{Coordinate, GameTree, Node, NodeId, Value};

/// How much is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AnnotateSettings {
    /// Moves of a variation at most.
    pub variation: usize,
}

impl Default for AnnotateSettings {
    fn default() -> Self {
        Self { variation: 10 }
    }
}

/// Properties that set stones up.
const SET_UP: [&str; 3] = ["AB", "AE", "AW"];

/// Writes the review into the tree it was made from.
pub fn annotate(tree: &mut GameTree, review: &Review, settings: AnnotateSettings) {
    let size = review.line.size();
    let moves = review.line.nodes().iter().zip(&review.turns);
    let mut last = None;
    for ((&node, turn), around) in moves.zip(review.assessments.windows(2)) {
        // A node may hold a move of each: what stands beside it follows on neither.
        let shared = last.replace(node) == Some(node);
        let (before, after) = (&around[0], &around[1]);
        let text = comment(size, turn, before, after);
        let here = tree.node_mut(node);
        write_values(here, after.winrate, after.lead);
        add_comment(here, &text);
        if let Some((name, value)) = turn.grade.entry().property {
            for other in ["BM", "DO", "IT", "TE"] {
                here.remove(other);
            }
            here.set(name, Value::from_text(value));
        }
        if turn.grade > Grade::Good
            && turn.differs()
            && !shared
            && let Some(parent) = tree.parent(node)
        {
            add_variation(tree, parent, turn, before, size, settings.variation);
        }
    }
    // Stones set up beside the first move stand in no node without it: the one before it has another position, with its
    // own value maybe.
    if let (Some(first), Some(&node)) = (review.assessments.first(), review.line.nodes().first())
        && !SET_UP.iter().any(|name| tree.node(node).has(name))
        && let Some(start) = tree.parent(node)
    {
        write_values(tree.node_mut(start), first.winrate, first.lead);
    }
}

fn write_values(node: &mut Node, winrate: f64, lead: f64) {
    node.set("SBKV", Value::from_text(&percent(winrate)));
    node.set("SBKS", Value::from_text(&points(lead)));
    node.set("V", Value::from_text(&points(lead)));
}

fn add_comment(node: &mut Node, text: &str) {
    let old = node.value("C").map(Value::text);
    let all = match old {
        Some(old) if !old.trim().is_empty() => format!("{text}\n\n{old}"),
        _ => text.to_owned(),
    };
    node.set("C", Value::from_text(&all));
}

/// What a move's comment says.
fn comment(size: BoardSize, turn: &Turn, before: &Assessment, after: &Assessment) -> String {
    let mut text = format!(
        "{}, {} ({} visits)",
        chance(after.winrate),
        lead(after.lead),
        after.visits
    );
    if turn.grade > Grade::Good {
        text += &format!(
            "\n{}: loses {:.1} points, {} %",
            capitalised(turn.grade.entry().name),
            turn.points_lost,
            percent(turn.winrate_lost)
        );
    }
    if turn.differs()
        && let Some(best) = before.moves.first()
    {
        text += &format!(
            "\nEngine: {}, {}, {}",
            size.move_text(best.mv),
            chance(best.winrate),
            lead(best.lead)
        );
    }
    text
}

fn add_variation(
    tree: &mut GameTree,
    parent: NodeId,
    turn: &Turn,
    before: &Assessment,
    size: BoardSize,
    most: usize,
) {
    let mut here = parent;
    let mut color = turn.color;
    for (index, &mv) in turn.better.iter().take(most).enumerate() {
        here = tree.add_child(here);
        let node = tree.node_mut(here);
        node.set(
            &color.letter().to_string(),
            write_move(mv.point().map(Coordinate::from)),
        );
        if index == 0
            && let Some(best) = before.moves.first()
        {
            write_values(node, best.winrate, best.lead);
            let line: Vec<String> = turn
                .better
                .iter()
                .take(most)
                .map(|&mv| size.move_text(mv))
                .collect();
            let told = format!(
                "{}, {}: {}",
                chance(best.winrate),
                lead(best.lead),
                line.join(" ")
            );
            node.set("C", Value::from_text(&told));
        }
        color = color.opposite();
    }
}
