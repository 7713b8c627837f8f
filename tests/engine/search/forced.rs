//! Forced playouts and their removal, computed by hand.

use honinbo::game::point::{Move, Point};
use honinbo::search::forced_playouts::{VisitedMove, prune_forced_visits};
use honinbo::search::params::SearchParams;

use crate::evaluator_fn::evaluator_fn;
use crate::search::{empty_board, flat, result_only_params, run, search};

fn params(forced_playouts: f32) -> SearchParams {
    SearchParams {
        cpuct: 1.0,
        cpuct_log: 0.0,
        forced_playouts,
        ..result_only_params()
    }
}

/// With `k = 2` and 100 visits of the root, a move has `sqrt(200 P)` forced visits and the score `Q + 10 P / (1 +
/// n)`. The score of the most visited move is 0.5 + 5 / 61 = 0.58197; the others must remain below it.
///
/// ```text
///    P |    Q |  n | forced | minimum | score with fewer visits                        | result
/// 0.5  |  0.5 | 60 |        |         |                                                | 60, the most visited
/// 0.1  |  0.0 | 20 |  4.47  |   16    | 1 / 17 = 0.059 with 16                         | 16
/// 0.02 | -0.5 |  2 |  2     |    0    | below 0                                        | 0
/// 0.02 | -0.5 |  3 |  2     |    1    | below 0                                        | 0, because 1 is dropped
/// 0.3  | 0.55 | 14 |  7.75  |    7    | 0.55 + 3 / 14 = 0.764 with 13: too high        | 14
/// 0.06 |  0.4 |  5 |  3.46  |    2    | 0.52 with 4, 0.55 with 3, 0.6 with 2: too high | 3
/// 0.001| -1.0 |  1 |  0.45  |    1    |                                                | 1, not forced
/// ```
#[test]
fn forced_visits_are_pruned_up_to_selection_score() {
    let rows = [
        (0.5, 0.5, 60, 60),
        (0.1, 0.0, 20, 16),
        (0.02, -0.5, 2, 0),
        (0.02, -0.5, 3, 0),
        (0.3, 0.55, 14, 14),
        (0.06, 0.4, 5, 3),
        (0.001, -1.0, 1, 1),
    ];
    let tried = rows.map(|(prior, utility, visits, _)| VisitedMove {
        prior,
        visits,
        utility,
    });
    let pruned = prune_forced_visits(&params(2.0), 100, &tried);
    assert_eq!(pruned, rows.map(|(.., expected)| expected));
    let unforced = prune_forced_visits(&params(0.0), 100, &tried);
    assert_eq!(unforced, rows.map(|(_, _, visits, _)| visits));
    assert!(prune_forced_visits(&params(2.0), 100, &[]).is_empty());
}

/// Ten moves with prior 0.1: the centre leads to an even game, the others lose. Each losing move gets sqrt(2 * 0.1 *
/// 400) = 8.9 forced visits, all of which are removed.
#[test]
fn forced_playouts_are_excluded_from_reported_visits() {
    let centre = Move::Play(Point::at(1, 1));
    let evaluator = evaluator_fn(move |position| {
        let first = (position.move_number() as usize).checked_sub(1);
        let lost = first
            .and_then(|back| position.past_move(back))
            .is_some_and(|(_, mv)| mv != centre);
        let black = if lost { -1.0 } else { 0.0 };
        Ok(flat(position, position.to_move().to_perspective(black)))
    });
    let run = |forced| {
        let root = empty_board(3, "chinese");
        let params = SearchParams {
            cpuct: 0.5,
            ..params(forced)
        };
        let mut search = search(evaluator.clone(), &root, params, 1);
        let report = run(&mut search, 400);
        (report.moves, search.unforced_visits())
    };
    let (free, unforced) = run(0.0);
    let visits = |of: &[(Move, u32)]| of.iter().map(|&(_, visits)| visits).sum::<u32>();
    assert_eq!(visits(&unforced), 399);
    let (forced, pruned) = run(2.0);
    let least = |moves: &[honinbo::search::report::MoveReport]| {
        moves.iter().map(|found| found.visits).min()
    };
    assert!(least(&free) < Some(8), "{free:?}");
    assert!(
        forced.len() == 10 && least(&forced) >= Some(8),
        "{forced:?}"
    );
    let most = forced.iter().map(|found| found.visits).max();
    assert_eq!(pruned, [(centre, most.expect("moves"))]);
}
