//! The tree under every interleaving of its threads, and every order in which memory may show what they did: the very
//! files of the tree, with the atomics of a model checker (`loom`) in place of the machine's.

#![allow(dead_code, reason = "not all of the tree is used here")]

use honinbo::game;

#[path = "../../src/search/node.rs"]
mod node;
mod sync;
#[path = "../../src/search/tree.rs"]
mod tree;

use game::point::{Move, Point};
use loom::sync::Arc;
use loom::thread;
use node::{Edge, Node, Outcome, State};
use tree::Tree;

fn edges() -> Box<[Edge]> {
    let moves = [Move::Play(Point::at(0, 0)), Move::Pass];
    moves.map(|mv| Edge::new(mv, 0.5)).into()
}

/// What every thread of a search does at a leaf; says whether it was the one to expand it.
fn visit(node: &Node, value: f32) -> bool {
    node.enter();
    let claimed = node.claim();
    if claimed {
        node.expand(edges());
    }
    if claimed || node.state() == State::Expanded {
        assert_eq!(
            node.edges().len(),
            2,
            "whoever sees it expanded sees its edges"
        );
        node.record(&Outcome {
            utility: value,
            value,
            score: 2.0 * value,
        });
    } else {
        node.leave();
    }
    claimed
}

#[test]
fn a_node_is_expanded_once_and_every_visit_counted() {
    loom::model(|| {
        let node = Arc::new(Node::default());
        let values = [0.5, -0.25];
        let threads = values.map(|value| {
            let node = Arc::clone(&node);
            thread::spawn(move || visit(&node, value))
        });
        let claims = threads.map(|thread| thread.join().expect("no panic"));
        assert_eq!(claims.into_iter().filter(|claimed| *claimed).count(), 1);
        assert_eq!(node.state(), State::Expanded);
        assert_eq!(node.in_flight(), 0);
        let mean = node.mean();
        match node.visits() {
            // The other one met the first and gave up.
            1 => assert!(values.contains(&(mean.utility as f32)), "{mean:?}"),
            2 => assert_eq!((mean.utility, mean.score), (0.125, 0.25)),
            visits => panic!("{visits} visits"),
        }
    });
}

#[test]
fn a_claim_given_back_is_free_for_another_thread() {
    loom::model(|| {
        let node = Arc::new(Node::default());
        let failing = Arc::clone(&node);
        let failed = thread::spawn(move || {
            failing.enter();
            if failing.claim() {
                failing.release();
            }
            failing.leave();
        });
        visit(&node, 1.0);
        failed.join().expect("no panic");
        assert_ne!(node.state(), State::Expanding);
        assert_eq!(node.in_flight(), 0);
        assert_eq!(node.state() == State::Expanded, node.visits() == 1);
    });
}

#[test]
fn threads_that_make_a_child_agree_on_it() {
    let mut model = loom::model::Builder::new();
    // Each run makes the thousands of nodes of a chunk: few switches are enough for three steps.
    model.preemption_bound = Some(2);
    model.check(|| {
        let tree = Arc::new(Tree::new(1 << 20));
        assert!(tree.root().claim());
        tree.expand(0, edges());
        let meet = |tree: &Tree| {
            let child = tree.child_of(&tree.root().edges()[0]);
            tree.node(child).enter();
            child
        };
        let other = Arc::clone(&tree);
        let theirs = thread::spawn(move || meet(&other));
        let mine = meet(&tree);
        assert_eq!(theirs.join().expect("no panic"), mine);
        assert_eq!(tree.root().edges()[0].child(), Some(mine));
        assert_eq!(tree.node(mine).in_flight(), 2, "both are at the same node");
        assert!(
            tree.len() <= 3,
            "one of two new nodes at most is left unused"
        );
    });
}
