//! Annotation of a game tree with a review, for display in any SGF editor.
//!
//! Every move gets a comment and three properties: `V` (Black's lead), `SBKV` (Black's winning chance in percent) and
//! `SBKS` (Black's lead again); Sabaki displays the last two as graphs. Existing values of the three properties are
//! replaced. An existing comment is kept and follows the new comment.
//!
//! Moves with a grade worse than `Good` are marked `DO` or `BM`, and the variation that the search prefers is added as
//! an alternative. If a marked move already has move marks (`BM`, `DO`, `IT` or `TE`), these marks are replaced.

use super::analysis::PositionAnalysis;
use super::formatting::{
    capitalised, lead_text, leader_winrate_text, one_decimal_text, percent_text,
};
use super::game_review::Review;
use super::grading::{Grade, ReviewedMove};
use crate::game::point::BoardSize;
use crate::io::plural::counted;
use crate::sgf::points::{SETUP_PROPERTIES, write_move};
use crate::sgf::{GameTree, Node, NodeId, Value};

/// Adds a review to `tree`, the game tree of the reviewed game. Variations have up to `max_variation_len` moves.
pub fn annotate(tree: &mut GameTree, review: &Review, max_variation_len: usize) {
    let size = review.main_line.size();
    let moves = review.main_line.nodes().iter().zip(&review.reviewed_moves);
    let mut previous_node = None;
    for ((&node, reviewed_move), pair) in moves.zip(review.analyses.windows(2)) {
        // A node may contain a move of each player. A variation cannot start between these two moves, so the second
        // move gets no variation.
        let is_shared_node = previous_node.replace(node) == Some(node);
        // The analysis after a set-up says nothing about the move before it.
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
        prepend_comment(move_node, &text);
        if let Some((name, value)) = reviewed_move.grade.entry().property {
            for mark in ["BM", "DO", "IT", "TE"] {
                move_node.remove(mark);
            }
            move_node.set(name, Value::from_text(value));
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

fn prepend_comment(node: &mut Node, text: &str) {
    let old = node.value("C").map(Value::text);
    let combined = match old {
        Some(old) if !old.trim().is_empty() => format!("{text}\n\n{old}"),
        _ => text.to_owned(),
    };
    node.set("C", Value::from_text(&combined));
}

fn comment_text(
    size: BoardSize,
    reviewed_move: &ReviewedMove,
    before: &PositionAnalysis,
    after: &PositionAnalysis,
) -> String {
    let mut text = format!(
        "{}, {} ({})",
        leader_winrate_text(after.winrate),
        lead_text(after.lead),
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
            "\nEngine: {}, {}, {}",
            size.format_move(best.mv),
            leader_winrate_text(best.winrate),
            lead_text(best.lead)
        );
    }
    text
}

fn add_variation(
    tree: &mut GameTree,
    parent: NodeId,
    reviewed_move: &ReviewedMove,
    before: &PositionAnalysis,
    size: BoardSize,
    max_moves: usize,
) {
    let mut node_id = parent;
    let mut color = reviewed_move.color;
    for (index, &mv) in reviewed_move.best_pv.iter().take(max_moves).enumerate() {
        node_id = tree.add_child(node_id);
        let node = tree.node_mut(node_id);
        node.set(&color.letter().to_string(), write_move(mv));
        if index == 0
            && let Some(best) = before.moves.first()
        {
            write_winrate_and_lead(node, best.winrate, best.lead);
            let pv: Vec<String> = reviewed_move
                .best_pv
                .iter()
                .take(max_moves)
                .map(|&mv| size.format_move(mv))
                .collect();
            let comment = format!(
                "{}, {}: {}",
                leader_winrate_text(best.winrate),
                lead_text(best.lead),
                pv.join(" ")
            );
            node.set("C", Value::from_text(&comment));
        }
        color = color.opposite();
    }
}
