//! Search results: ends of games, captures, ownership.

use honinbo::eval::rollout::RolloutEvaluator;
use honinbo::eval::{EvalError, Evaluation, Evaluator, Request};
use honinbo::game::color::Color;
use honinbo::game::diagram;
use honinbo::game::point::Move;
use honinbo::game::position::Position;
use honinbo::game::rules::{Komi, Rules};
use honinbo::random::Rng;
use honinbo::search::limits::SearchLimits;
use honinbo::search::params::{SearchParams, SelectionFormula};
use honinbo::search::restriction::Restriction;
use honinbo::search::root::{choose_move, ranked_candidates};
use std::sync::Arc;

use crate::evaluator_fn::evaluator_fn;
use crate::search::{
    arbitrary, arbitrary_search, check_tree, empty_board, flat, result_only_params, run,
    run_restricted, search, visits_of,
};

fn position_from_diagram(text: &str, to_move: Color, komi: f64) -> Position {
    let rules = Rules::parse("tromp-taylor").expect("named rules");
    let komi = Komi::from_points(komi).expect("a komi");
    Position::from_board(
        diagram::parse_board(text).expect("a board"),
        to_move,
        rules.with_komi(komi),
    )
}

/// Each side owns two columns, and only the passes remain.
const HALVES: &str = "
    . X O .
    X X O O
    . X O .
    X X O .";

#[test]
fn two_passes_end_area_scored_game() {
    // Both sides own 8 points. Black is behind with a komi of 0.5 and ahead with -0.5.
    for (komi, sign) in [(0.5, -1.0), (-0.5, 1.0), (0.0, 0.0)] {
        let mut position = position_from_diagram(HALVES, Color::Black, komi);
        position.play(Color::Black, Move::Pass).expect("a pass");
        let evaluator = evaluator_fn(|position| Ok(flat(position, 0.25)));
        let mut search = search(evaluator, &position, result_only_params(), 1);
        let restriction = Restriction::only(vec![Move::Pass]);
        let report = run_restricted(&mut search, 41, restriction);
        // One visit with the root's 0.25 for White, and forty with the game's result.
        let pass = &report.moves[0];
        assert_eq!((pass.mv, pass.visits), (Move::Pass, 40));
        assert!(
            (pass.values.utility + sign).abs() < 1e-6,
            "for White: {pass:?}"
        );
        assert!((pass.values.score_lead - komi).abs() < 1e-3, "{pass:?}");
        assert_eq!(pass.pv, [Move::Pass], "nothing follows the end");
        assert!((report.values.utility - (0.25 - 40.0 * sign) / 41.0).abs() < 1e-6);
    }
}

#[test]
fn evaluator_judges_end_with_dead_stone_removal() {
    for rules in ["japanese", "chinese"] {
        check_evaluator_judges_end(rules);
    }
}

fn check_evaluator_judges_end(rules: &str) {
    let mut position = empty_board(3, rules);
    position.play(Color::Black, Move::Pass).expect("a pass");
    let evaluator = evaluator_fn(|position| {
        let ended = position.passes() >= 2;
        Ok(flat(position, if ended { 0.75 } else { 0.0 }))
    });
    let mut search = search(evaluator, &position, result_only_params(), 2);
    let restriction = Restriction::only(vec![Move::Pass]);
    let report = run_restricted(&mut search, 21, restriction);
    // Black is to move in the final position.
    assert!((report.moves[0].values.utility + 0.75).abs() < 1e-6);
    assert_eq!(report.moves[0].pv, [Move::Pass]);
}

#[test]
fn ended_game_can_be_searched() {
    let mut position = position_from_diagram(HALVES, Color::Black, 0.5);
    for color in Color::BOTH {
        position.play(color, Move::Pass).expect("a pass");
    }
    assert!(position.ended());
    let mut search = arbitrary_search(&position, 2);
    let report = run(&mut search, 300);
    assert!(report.moves.len() > 1);
    check_tree(&search, &|position| arbitrary(position).value);
}

#[test]
fn winning_pass_is_found() {
    // Black is ahead by half a point, and every move fills an eye. After White's pass, a pass wins immediately.
    let mut position = position_from_diagram(HALVES, Color::White, -0.5);
    position.play(Color::White, Move::Pass).expect("a pass");
    let evaluator = evaluator_fn(|position| Ok(flat(position, 0.0)));
    let mut search = search(evaluator, &position, SearchParams::default(), 1);
    let report = run(&mut search, 200);
    assert_eq!(report.moves[0].mv, Move::Pass);
    assert!(report.moves[0].values.winrate > 0.99);
}

/// Black captures five stones at A1 and then has three columns of five. If White moves first, White captures at A1 or
/// D1.
const RACE: &str = "
    X O X O .
    X O X O .
    X O X O .
    X O X O .
    . O X . .";

#[test]
fn playouts_find_decisive_capture() {
    let params = SearchParams {
        formula: SelectionFormula::Ucb1,
        ..SearchParams::default()
    };
    for threads in [1, 3] {
        for (color, captures) in [(Color::Black, &["A1"][..]), (Color::White, &["A1", "D1"])] {
            let position = position_from_diagram(RACE, color, 0.5);
            let mut search = search(
                Arc::new(RolloutEvaluator::default()),
                &position,
                params.clone(),
                threads,
            );
            let report = run(&mut search, 1_500);
            let best = &report.moves[0];
            let text = position.size().format_move(best.mv);
            assert!(captures.contains(&text.as_str()), "{color} plays {text}");
            assert!(best.values.winrate > 0.8, "{color}: {best:?}");
        }
    }
}

#[test]
fn one_visit_plays_highest_prior() {
    let position = empty_board(3, "chinese");
    let favourite = Move::Play(position.size().point_at(5));
    let evaluator = evaluator_fn(|position| {
        let mut evaluation = flat(position, 0.5);
        evaluation.policy[5] = 0.5;
        Ok(evaluation)
    });
    let mut search = search(evaluator, &position, result_only_params(), 2);
    let report = run(&mut search, 1);
    assert_eq!(report.moves.len(), 1);
    let only = &report.moves[0];
    assert_eq!(
        (only.mv, only.visits, only.pv_visits.as_slice()),
        (favourite, 0, [0].as_slice())
    );
    assert!((only.values.winrate - 0.75).abs() < 1e-6);
    let report = run_restricted(&mut search, 1, Restriction::except(vec![favourite]));
    assert_ne!(report.moves[0].mv, favourite);
}

#[test]
fn ownership_is_averaged_for_side_to_move() {
    // The evaluator gives every point to the side to move with 0.25, so that Black's and White's turns cancel.
    let evaluator = evaluator_fn(|position| {
        Ok(Evaluation {
            ownership: vec![0.25; position.size().area()],
            ..flat(position, 0.0)
        })
    });
    let root = empty_board(3, "chinese");
    let mut search = search(evaluator, &root, result_only_params(), 1);
    let limits = SearchLimits {
        ownership: true,
        ..SearchLimits::with_visits(5)
    };
    let report = search.run(limits, Restriction::none()).expect("no failure");
    // Black is to move at the root, White after each of the four playouts that follow: (0.25 - 4 * 0.25) / 5 = -0.15.
    assert_eq!(report.stats.ownership.len(), 9);
    assert!(
        report
            .stats
            .ownership
            .iter()
            .all(|o| (o + 0.15).abs() < 1e-6),
        "{report:?}"
    );
}

#[test]
fn move_sampling_follows_visits_and_temperature() {
    let root = empty_board(3, "chinese");
    let mut params = result_only_params();
    let mut search = arbitrary_search(&root, 1);
    run(&mut search, 300);
    let found = ranked_candidates(&params, search.tree(), root.to_move(), &Restriction::none());
    let total: u32 = found.iter().map(|c| c.visits).sum();
    assert_eq!(total, 299);
    assert!(found.iter().all(|c| c.visits == visits_of(&search, c.mv)));
    let mut rng = Rng::new(5);
    assert_eq!(choose_move(&params, &found, &mut rng), Some(found[0]));
    // At temperature 1, each move is chosen in proportion to its visits.
    params.temperature = 1.0;
    let draws = 20_000;
    let mut counts = vec![0u32; found.len()];
    for _ in 0..draws {
        let drawn = choose_move(&params, &found, &mut rng).expect("there are moves");
        counts[found.iter().position(|c| *c == drawn).expect("one of them")] += 1;
    }
    for (candidate, count) in found.iter().zip(counts) {
        let expected = f64::from(candidate.visits) / f64::from(total);
        let seen = f64::from(count) / f64::from(draws);
        assert!((seen - expected).abs() < 0.015, "{candidate:?}: {seen}");
    }
}

#[test]
fn lead_utility_is_centred_on_expected_lead() {
    let root = empty_board(9, "chinese");
    let utility = |centers_lead: bool, lead_center: f32| {
        // Black is far ahead in every position.
        let evaluator = evaluator_fn(|position| {
            let score_lead = position.to_move().to_perspective(60.0);
            Ok(Evaluation {
                score_lead,
                ..flat(position, 0.0)
            })
        });
        let params = SearchParams {
            centers_lead,
            lead_center,
            ..SearchParams::default()
        };
        let mut search = search(evaluator, &root, params, 1);
        run(&mut search, 200).values.utility
    };
    // The first visit precedes the centring.
    assert!((utility(true, 0.0) - utility(false, 48.0)).abs() < 1e-3);
    assert!(utility(false, 0.0) - utility(true, 0.0) > 0.01);
    assert_eq!(
        utility(true, 20.0),
        utility(false, 20.0),
        "an explicit centre"
    );
}

/// Evaluator that does not predict the lead and returns 0.
struct Leadless;

impl Evaluator for Leadless {
    fn evaluate(
        &self,
        requests: &[Request<'_>],
        evaluations: &mut [Evaluation],
    ) -> Result<(), EvalError> {
        for (request, evaluation) in requests.iter().zip(evaluations) {
            *evaluation = Evaluation {
                score_lead: 0.0,
                ..arbitrary(request.position)
            };
        }
        Ok(())
    }

    fn predicts_lead(&self) -> bool {
        false
    }
}

#[test]
fn utility_ignores_score_without_lead_prediction() {
    let root = empty_board(5, "tromp-taylor");
    let root_values = |params: SearchParams| {
        let mut search = search(Arc::new(Leadless), &root, params, 1);
        run(&mut search, 300)
    };
    let found = root_values(SearchParams::default());
    let expected = root_values(result_only_params());
    assert_eq!(found.moves, expected.moves);
    assert_eq!(found.values.utility, expected.values.utility);
}

#[test]
fn ownership_is_reported_without_playouts() {
    let root = empty_board(5, "chinese");
    let mut search = search(
        Arc::new(RolloutEvaluator::default()),
        &root,
        SearchParams::default(),
        1,
    );
    run(&mut search, 40);
    let limits = SearchLimits {
        ownership: true,
        ..SearchLimits::with_visits(40)
    };
    let report = search.run(limits, Restriction::none()).expect("no failure");
    assert_eq!((report.visits, report.stats.ownership.len()), (40, 25));
}
