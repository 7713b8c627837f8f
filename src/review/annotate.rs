//! Annotation of a game tree with a review, for display in any SGF editor.
//!
//! Every move gets a comment and three properties: `V` (Black's lead), `SBKV` (Black's winning chance in percent) and
//! `SBKS` (Black's lead again); Sabaki displays the last two as graphs. Existing values of the three properties are
//! replaced. An existing comment is preserved after the new comment.
//!
//! Moves with a grade worse than `Good` are marked `DO` or `BM`, and the variation that the search prefers is added as
//! an alternative. If a marked move already has move marks (`BM`, `DO`, `IT` or `TE`), these marks are replaced. If the
//! file already has the first moves of the variation, only the following moves are added.
//!
//! Annotations of an earlier review are replaced (see `markers`), unless they have been edited.

use super::analysis::PositionAnalysis;
use super::formatting::{capitalised, one_decimal_text, percent_text, winrate_and_lead_text};
use super::game_review::Review;
use super::grading::{Grade, ReviewedMove};
use super::markers;
use crate::game::point::BoardSize;
use crate::io::plural::counted;
use crate::sgf::points::{SETUP_PROPERTIES, write_move};
use crate::sgf::{GameTree, Node, NodeId, Value};

/// Adds a review to `tree`, the game tree of the reviewed game. Variations have up to `max_variation_len` moves.
pub fn annotate(tree: &mut GameTree, review: &Review, max_variation_len: usize) {
    markers::remove_annotations(tree);
    let size = review.main_line.size();
    let moves = review.main_line.nodes().iter().zip(&review.reviewed_moves);
    let mut previous_node = None;
    for ((&node, reviewed_move), pair) in moves.zip(review.analyses.windows(2)) {
        // A node may contain a move of each player. A variation cannot start between these two moves, so the second
        // move gets no variation.
        let is_shared_node = previous_node.replace(node) == Some(node);
        // The analysis after a set-up does not evaluate the move before it.
        if review
            .main_line
            .is_followed_by_setup(reviewed_move.number - 1)
        {
            continue;
        }
        let (before, after) = (&pair[0], &pair[1]);
        let text = comment_text(size, reviewed_move, before, after);
        let move_node = tree.node_mut(node);
        write_winrate_and_lead(move_node, after.winrate, after.lead);
        markers::prepend_comment(move_node, &text);
        if let Some((name, value)) = reviewed_move.grade.entry().property {
            for mark in ["BM", "DO", "IT", "TE"] {
                move_node.remove(mark);
            }
            markers::set_mark(move_node, name, value);
        }
        if reviewed_move.grade > Grade::Good
            && reviewed_move.differs_from_engine()
            && !is_shared_node
            && let Some(parent) = tree.parent(node)
        {
            add_variation(tree, parent, reviewed_move, before, size, max_variation_len);
        }
    }
    // The parent of the first move's node gets the values of the initial position. If the node of the first move also
    // sets up stones, the parent has a different position and must not be annotated.
    if let (Some(first), Some(&node)) = (review.analyses.first(), review.main_line.nodes().first())
        && !SETUP_PROPERTIES
            .iter()
            .any(|name| tree.node(node).has(name))
        && let Some(start) = tree.parent(node)
    {
        write_winrate_and_lead(tree.node_mut(start), first.winrate, first.lead);
    }
}

fn write_winrate_and_lead(node: &mut Node, winrate: f64, lead: f64) {
    node.set("SBKV", Value::from_text(&percent_text(winrate)));
    node.set("SBKS", Value::from_text(&one_decimal_text(lead)));
    node.set("V", Value::from_text(&one_decimal_text(lead)));
}

fn comment_text(
    size: BoardSize,
    reviewed_move: &ReviewedMove,
    before: &PositionAnalysis,
    after: &PositionAnalysis,
) -> String {
    let mut text = format!(
        "{} ({})",
        winrate_and_lead_text(after.winrate, after.lead),
        counted(after.visits, "visit")
    );
    if reviewed_move.grade > Grade::Good {
        text += &format!(
            "\n{}: loses {:.1} points and {}% winning chance",
            capitalised(reviewed_move.grade.entry().name),
            reviewed_move.points_lost,
            percent_text(reviewed_move.winrate_lost)
        );
    }
    if reviewed_move.differs_from_engine()
        && let Some(best) = before.moves.first()
    {
        text += &format!(
            "\nEngine: {}, {} ({})",
            size.format_move(best.mv),
            winrate_and_lead_text(best.winrate, best.lead),
            counted(best.visits, "visit")
        );
        let most_visited = before.moves.iter().max_by_key(|candidate| candidate.visits);
        if let Some(other) = most_visited.filter(|other| other.visits > best.visits) {
            text += &format!(
                "\n{} has more visits ({}), but even a cautious estimate prefers {}.",
                size.format_move(other.mv),
                other.visits,
                size.format_move(best.mv)
            );
        }
    }
    text
}

/// Adds the variation that the search prefers to the move at `parent`.
fn add_variation(
    tree: &mut GameTree,
    parent: NodeId,
    reviewed_move: &ReviewedMove,
    before: &PositionAnalysis,
    size: BoardSize,
    max_moves: usize,
) {
    let moves = &reviewed_move.best_pv[..reviewed_move.best_pv.len().min(max_moves)];
    let colors = [reviewed_move.color, reviewed_move.color.opposite()];
    let (mut node_id, mut first_added) = (parent, None);
    for (&mv, color) in moves.iter().zip(colors.into_iter().cycle()) {
        let (name, value) = (color.letter().to_string(), write_move(mv));
        let known = tree
            .children(node_id)
            .find(|&child| tree.node(child).value(&name) == Some(&value));
        node_id = known.unwrap_or_else(|| {
            let added = tree.add_child(node_id);
            first_added.get_or_insert(added);
            tree.node_mut(added).set(&name, value);
            added
        });
    }
    let Some(start) = first_added else {
        return;
    };
    if let Some(best) = before.moves.first() {
        let node = tree.node_mut(start);
        let values = winrate_and_lead_text(best.winrate, best.lead);
        let visits = counted(best.visits, "visit");
        let comment = format!("{values} ({visits}): {}", size.format_moves(moves));
        node.set("C", Value::from_text(&comment));
        if tree.parent(start) == Some(parent) {
            write_winrate_and_lead(tree.node_mut(start), best.winrate, best.lead);
        }
    }
    markers::mark_variation(tree, start);
}
