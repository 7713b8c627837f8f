//! Model checking of the search tree with `loom`: all interleavings of its threads and all permitted memory orders.
//! Compiles the tree's source files with the model checker's atomics.

#![allow(dead_code, reason = "not all of the tree is used here")]

use honinbo::game;

mod arena;
#[path = "../../src/search/node.rs"]
mod node;
mod sync;
#[path = "../../src/search/tree.rs"]
mod tree;

use game::point::{Move, Point};
use loom::sync::Arc;
use loom::thread;
use node::{ExpansionState, PlayoutOutcome};
use tree::Tree;

/// Runs `work` under all interleavings with at most three preemptions. Without this limit, a test would take minutes.
fn check(work: impl Fn() + Send + Sync + 'static) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(3);
    model.check(work);
}

const MOVES: [(Move, f32); 2] = [(Move::Play(Point::at(0, 0)), 0.75), (Move::Pass, 0.25)];

/// Performs the steps of a search thread at a leaf, here the root. Returns true if this thread expanded it.
fn visit(tree: &Tree, value: f32) -> bool {
    let node = tree.root();
    node.add_virtual_loss();
    let claimed = node.claim();
    if claimed {
        tree.expand(0, &MOVES, true);
    }
    if claimed || node.state() == ExpansionState::Expanded {
        let edges = tree.edges(node);
        let priors = edges.iter().map(|edge| (4.0 * edge.prior()).round());
        assert!(
            priors.eq([3.0, 1.0]),
            "a thread that sees the expansion sees the edges"
        );
        node.complete_playout(&PlayoutOutcome {
            utility: value,
            value,
            lead: 2.0 * value,
            weight: 1.0,
        });
    } else {
        node.remove_virtual_loss();
    }
    claimed
}

#[test]
fn node_is_expanded_once_and_visits_counted() {
    check(|| {
        let tree = Arc::new(Tree::new(1 << 20));
        let values = [0.5, -0.25];
        let threads = values.map(|value| {
            let tree = Arc::clone(&tree);
            thread::spawn(move || visit(&tree, value))
        });
        let claims = threads.map(|thread| thread.join().expect("no panic"));
        assert_eq!(claims.into_iter().filter(|claimed| *claimed).count(), 1);
        let node = tree.root();
        assert_eq!(node.state(), ExpansionState::Expanded);
        assert_eq!(node.in_flight(), 0);
        let mean = node.outcome_stats();
        match node.visits() {
            // The other thread met the first one and gave up.
            1 => assert!(values.contains(&(mean.utility as f32)), "{mean:?}"),
            2 => assert_eq!((mean.utility, mean.lead), (0.125, 0.25)),
            visits => panic!("{visits} visits"),
        }
    });
}

#[test]
fn released_claim_is_available_again() {
    check(|| {
        let tree = Arc::new(Tree::new(1 << 20));
        let other = Arc::clone(&tree);
        let failed = thread::spawn(move || {
            let failing = other.root();
            failing.add_virtual_loss();
            if failing.claim() {
                failing.release();
            }
            failing.remove_virtual_loss();
        });
        visit(&tree, 1.0);
        let node = tree.root();
        failed.join().expect("no panic");
        assert_ne!(node.state(), ExpansionState::Expanding);
        assert_eq!(node.in_flight(), 0);
        assert_eq!(node.state() == ExpansionState::Expanded, node.visits() == 1);
    });
}

#[test]
fn concurrent_child_creation_agrees() {
    check(|| {
        let tree = Arc::new(Tree::new(1 << 20));
        assert!(tree.root().claim());
        tree.expand(0, &MOVES, true);
        let meet = |tree: &Tree| {
            let child = tree.get_or_create_child(&tree.edges(tree.root())[0]);
            tree.node(child).add_virtual_loss();
            child
        };
        let other = Arc::clone(&tree);
        let theirs = thread::spawn(move || meet(&other));
        let mine = meet(&tree);
        assert_eq!(theirs.join().expect("no panic"), mine);
        assert_eq!(tree.edges(tree.root())[0].child(), Some(mine));
        assert_eq!(
            tree.node(mine).in_flight(),
            2,
            "both threads are at the same node"
        );
        assert!(tree.node_count() <= 3, "at most one new node is unused");
    });
}

/// The root uses its only edge; two threads need the other move.
#[test]
fn concurrent_full_expansion_keeps_children() {
    check(|| {
        let tree = Arc::new(Tree::new(1 << 20));
        assert!(tree.root().claim());
        tree.expand(0, &MOVES[..1], false);
        let first = tree.get_or_create_child(&tree.edges(tree.root())[0]);
        let work = |tree: &Tree| {
            tree.expand_fully(0, &MOVES);
            let edges = tree.edges(tree.root());
            assert_eq!(edges.len(), 2, "the expanding thread sees all edges");
            (edges[0].child(), tree.get_or_create_child(&edges[1]))
        };
        let other = Arc::clone(&tree);
        let theirs = thread::spawn(move || work(&other));
        let mine = work(&tree);
        assert_eq!(mine.0, Some(first), "the child stays");
        assert_eq!(theirs.join().expect("no panic"), mine);
        assert!(!tree.is_partially_expanded(tree.root()));
    });
}

/// Two threads gather both children of the root and evaluate them together. A thread that finds a child claimed keeps
/// its virtual loss until it has evaluated the children that it has claimed itself.
#[test]
fn gathered_children_are_expanded_once() {
    check(|| {
        let tree = Arc::new(Tree::new(1 << 20));
        assert!(tree.root().claim());
        tree.expand(0, &MOVES, true);
        let work = |tree: &Tree| {
            let (mut claimed, mut collided) = (Vec::new(), Vec::new());
            for edge in tree.edges(tree.root()) {
                let child = tree.get_or_create_child(edge);
                tree.node(child).add_virtual_loss();
                if tree.node(child).claim() {
                    claimed.push(child);
                } else {
                    collided.push(child);
                }
            }
            for &child in &claimed {
                tree.node(child).complete_playout(&PlayoutOutcome {
                    utility: 0.5,
                    value: 0.5,
                    lead: 1.0,
                    weight: 1.0,
                });
                tree.expand(child, &MOVES[..1], true);
            }
            for child in collided {
                tree.node(child).remove_virtual_loss();
            }
            claimed.len()
        };
        let other = Arc::clone(&tree);
        let theirs = thread::spawn(move || work(&other));
        let mine = work(&tree);
        assert_eq!(mine + theirs.join().expect("no panic"), 2);
        for edge in tree.edges(tree.root()) {
            let node = tree.node(edge.child().expect("it was created"));
            assert_eq!((node.visits(), node.in_flight()), (1, 0));
            assert_eq!(node.state(), ExpansionState::Expanded);
        }
    });
}
