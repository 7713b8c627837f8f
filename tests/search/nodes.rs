//! Nodes and edges by themselves.

use honinbo::game::point::{Move, Point};
use honinbo::search::node::{Edge, Outcome};
use honinbo::search::tree::Tree;

#[test]
fn an_edge_packs_move_prior_and_child() {
    assert_eq!(size_of::<Edge>(), 8);
    let tree = Tree::new(1 << 20);
    tree.root().claim();
    tree.expand(
        0,
        &[(Move::Play(Point::at(18, 18)), 0.25), (Move::Pass, 1.0)],
    );
    let [edge, pass] = tree.edges(tree.root()) else {
        panic!("two moves");
    };
    assert_eq!(edge.mv(), Move::Play(Point::at(18, 18)));
    assert!((edge.prior() - 0.25).abs() < 1e-4);
    assert_eq!(edge.child(), None);
    assert_eq!(edge.set_child(7), 7);
    assert_eq!(edge.set_child(8), 7, "the first child stays");
    assert_eq!(
        (edge.child(), edge.mv()),
        (Some(7), Move::Play(Point::at(18, 18)))
    );
    assert_eq!((pass.mv(), pass.child()), (Move::Pass, None));
}

#[test]
fn means_come_from_the_sums() {
    let tree = Tree::new(1 << 20);
    let node = tree.root();
    for (utility, score) in [(0.5, 10.0), (-0.25, 4.0)] {
        node.enter();
        node.record(&Outcome {
            utility,
            value: utility,
            score,
        });
    }
    let mean = node.mean();
    assert_eq!((node.visits(), node.in_flight()), (2, 0));
    assert!((mean.utility - 0.125).abs() < 1e-6 && (mean.score - 7.0).abs() < 1e-6);
    assert!((mean.variance - 0.140_625).abs() < 1e-6 && (mean.score_deviation - 3.0).abs() < 1e-6);
}
