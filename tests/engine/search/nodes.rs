//! Single nodes and edges.

use honinbo::game::point::{Move, Point};
use honinbo::search::node::{Edge, OutcomeStats, PlayoutOutcome};
use honinbo::search::tree::Tree;

#[test]
fn edge_packs_move_prior_and_child() {
    assert_eq!(size_of::<Edge>(), 8);
    let tree = Tree::new(1 << 20);
    tree.root().claim();
    tree.expand(
        0,
        &[(Move::Play(Point::at(18, 18)), 0.25), (Move::Pass, 1.0)],
        true,
    );
    let [edge, pass] = tree.edges(tree.root()) else {
        panic!("two moves");
    };
    assert_eq!(edge.mv(), Move::Play(Point::at(18, 18)));
    assert!((edge.prior() - 0.25).abs() < 1e-4);
    assert_eq!(edge.child(), None);
    assert_eq!(edge.get_or_set_child(7), 7);
    assert_eq!(edge.get_or_set_child(8), 7, "the first child stays");
    assert_eq!(
        (edge.child(), edge.mv()),
        (Some(7), Move::Play(Point::at(18, 18)))
    );
    assert_eq!((pass.mv(), pass.child()), (Move::Pass, None));
}

/// Three outcomes with value 0.5 and lead 10, and one with -0.25 and 4: the means are 1.25 / 4 and 34 / 4.
#[test]
fn node_means_follow_from_sums() {
    let tree = Tree::new(1 << 20);
    let node = tree.root();
    assert_eq!(node.outcome_stats(), OutcomeStats::default());
    let record = |utility, lead, weight| {
        node.add_virtual_loss();
        node.complete_playout(&PlayoutOutcome {
            utility,
            value: utility,
            lead,
            weight,
        });
    };
    record(0.5, 10.0, 1.0);
    record(-0.25, 4.0, 1.0);
    let mean = node.outcome_stats();
    assert_eq!((node.visits(), node.in_flight()), (2, 0));
    assert!((mean.utility - 0.125).abs() < 1e-6 && (mean.lead - 7.0).abs() < 1e-6);
    assert!((mean.variance - 0.140_625).abs() < 1e-6 && (mean.score_deviation - 3.0).abs() < 1e-6);
    record(0.5, 10.0, 2.0);
    let mean = node.outcome_stats();
    assert_eq!((node.visits(), node.weight_sum()), (3, 4.0));
    assert!((mean.utility - 0.3125).abs() < 1e-6 && (mean.lead - 8.5).abs() < 1e-6);
}
