//! Forced playouts, and the visits without them, worked out by hand.

use honinbo::game::point::{Move, Point};
use honinbo::search::forced_playouts::{VisitedMove, prune_forced_visits};
use honinbo::search::limits::SearchLimits;
use honinbo::search::params::SearchParams;
use honinbo::search::restriction::Restriction;

use crate::search::{by, empty_board, flat, result_alone, search};

fn params(forced_playouts: f32) -> SearchParams {
    SearchParams {
        cpuct: 1.0,
        cpuct_log: 0.0,
        forced_playouts,
        ..result_alone()
    }
}

/// With `k = 2` and 100 visits of the root the due of a move is `sqrt(200 P)`, and it ranks `Q + 10 P / (1 + n)`; the
/// most visited one ranks 0.5 + 5 / 61 = 0.58197, which the others must stay below.
///
/// ```text
///    P |    Q |  n | due  | fewest | ranks with fewer visits                        | left
/// 0.5  |  0.5 | 60 |      |        |                                                | 60, the most visited
/// 0.1  |  0.0 | 20 | 4.47 |   16   | 1 / 17 = 0.059 with 16                         | 16
/// 0.02 | -0.5 |  2 | 2    |    0   | below 0                                        | 0
/// 0.02 | -0.5 |  3 | 2    |    1   | below 0                                        | 0, since 1 is as good as none
/// 0.3  | 0.55 | 14 | 7.75 |    7   | 0.55 + 3 / 14 = 0.764 with 13: too high        | 14
/// 0.06 |  0.4 |  5 | 3.46 |    2   | 0.52 with 4, 0.55 with 3, 0.6 with 2: too high | 3
/// 0.001| -1.0 |  1 | 0.45 |    1   |                                                | 1, which nobody has forced
/// ```
#[test]
fn forced_visits_are_taken_out_as_far_as_the_choice_allows() {
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
    let left = prune_forced_visits(&params(2.0), 100, &tried);
    assert_eq!(left, rows.map(|(.., left)| left));
    let unforced = prune_forced_visits(&params(0.0), 100, &tried);
    assert_eq!(unforced, rows.map(|(_, _, visits, _)| visits));
    assert!(prune_forced_visits(&params(2.0), 100, &[]).is_empty());
}

/// Ten moves of prior 0.1: the centre leads to an even game, the others lose. Forced, each of those has its due of
/// sqrt(2 * 0.1 * 400) = 8.9 visits, and none of them is left.
#[test]
fn a_search_looks_at_bad_moves_again_and_tells_its_visits_without_them() {
    let centre = Move::Play(Point::at(1, 1));
    let evaluator = by(move |position| {
        let first = (position.move_number() as usize).checked_sub(1);
        let lost = first
            .and_then(|back| position.last_move(back))
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
        let report = search.run(SearchLimits::visits(400), Restriction::none());
        let report = report.expect("no failure");
        (report.moves, search.unforced_visits())
    };
    let (free, unforced) = run(0.0);
    let visits = |of: &[(Move, u32)]| of.iter().map(|&(_, visits)| visits).sum::<u32>();
    assert_eq!(visits(&unforced), 399);
    let (forced, left) = run(2.0);
    let least = |moves: &[honinbo::search::report::MoveReport]| {
        moves.iter().map(|found| found.visits).min()
    };
    assert!(least(&free) < Some(8), "{free:?}");
    assert!(
        forced.len() == 10 && least(&forced) >= Some(8),
        "{forced:?}"
    );
    let most = forced.iter().map(|found| found.visits).max();
    assert_eq!(left, [(centre, most.expect("moves"))]);
}
