//! The first playouts of small searches, computed by hand.
//!
//! The board is 2x2, the root empty. Its points A, B, C, D in row-by-row order have the priors P. A playout that
//! starts with one of them returns its value v for the side to move at the root; the root has the value 0. `N` is the
//! number of root visits before the playout, `mean` the mean of their values.

use honinbo::eval::{KataDetails, UncertaintyEstimates};
use honinbo::game::board::Board;
use honinbo::game::color::Color;
use honinbo::game::point::{BoardSize, Move};
use honinbo::game::position::Position;
use honinbo::search::params::{SearchParams, SelectionFormula};
use honinbo::search::report::ValueEstimates;
use honinbo::search::select::{
    ParentStats, exploration_factor, first_play_score, visited_child_score,
};

use crate::evaluator_fn::evaluator_fn;
use crate::search::{empty_board, flat, result_only_params, run, search, visits_of};

/// Runs playouts one by one and returns the point that each of them chose. Checks the root's values.
fn sequence(params: &SearchParams, priors: [f32; 4], values: [f32; 4], playouts: u64) -> String {
    let sides = Color::BOTH.map(|color| sequence_of(color, params, priors, values, playouts));
    assert_eq!(sides[0], sides[1], "the same for Black and White");
    sides[0].clone()
}

fn sequence_of(
    color: Color,
    params: &SearchParams,
    priors: [f32; 4],
    values: [f32; 4],
    playouts: u64,
) -> String {
    let size = BoardSize::new(2, 2).expect("a size");
    let rules = *empty_board(2, "chinese").rules();
    let root = Position::from_board(Board::new(size), color, rules);
    let evaluator = evaluator_fn(move |position| {
        let Some(depth) = position.move_number().checked_sub(1) else {
            let mut evaluation = flat(position, 0.0);
            evaluation.policy[..4].copy_from_slice(&priors);
            evaluation.policy[4] = 0.0;
            return Ok(evaluation);
        };
        let (_, first) = position.past_move(depth as usize).expect("few moves");
        let value = values[position.size().index(first.point().expect("no pass"))];
        let own = if position.to_move() == color {
            value
        } else {
            -value
        };
        // No passes, so that no game ends and every value comes from the evaluator.
        let mut evaluation = flat(position, own);
        evaluation.policy[4] = 0.0;
        Ok(evaluation)
    });
    let mut search = search(evaluator, &root, params.clone(), 1);
    let moves = [0, 1, 2, 3].map(|index| Move::Play(size.point_at(index)));
    let mut chosen = String::new();
    let mut sum = 0.0;
    run(&mut search, 1);
    for visits in 2..=playouts + 1 {
        let before = moves.map(|mv| visits_of(&search, mv));
        let report = run(&mut search, visits);
        let grown = (0..4).filter(|&i| visits_of(&search, moves[i]) > before[i]);
        for index in grown {
            chosen.push(['A', 'B', 'C', 'D'][index]);
            sum += f64::from(values[index]);
        }
        let mean = sum / visits as f64;
        assert!(
            (report.values.utility - mean).abs() < 1e-5,
            "after {chosen}"
        );
        assert!((report.values.winrate - (1.0 + mean) / 2.0).abs() < 1e-5);
    }
    chosen
}

/// Q + P sqrt(N) / (1 + n); an unvisited move has Q = mean - 0.5 sqrt(sum of visited P). P = 0.5, 0.25, 0.15, 0.1; v
/// = 0, 0.5, 0.25, -0.5.
///
/// ```text
/// N |  mean |       A                |       B                |       C                |       D                | best
/// 1 | 0.000 | 0.000 + 0.500 =  0.500 |  0.000 + 0.250 = 0.250 |  0.000 + 0.150 = 0.150 |  0.000 + 0.100 = 0.100 | A
/// 2 | 0.000 | 0.000 + 0.354 =  0.354 | -0.354 + 0.354 = 0.000 | -0.354 + 0.212 =-0.141 | -0.354 + 0.141 =-0.212 | A
/// 3 | 0.000 | 0.000 + 0.289 =  0.289 | -0.354 + 0.433 = 0.079 | -0.354 + 0.260 =-0.094 | -0.354 + 0.173 =-0.180 | A
/// 4 | 0.000 | 0.000 + 0.250 =  0.250 | -0.354 + 0.500 = 0.146 | -0.354 + 0.300 =-0.054 | -0.354 + 0.200 =-0.154 | A
/// 5 | 0.000 | 0.000 + 0.224 =  0.224 | -0.354 + 0.559 = 0.205 | -0.354 + 0.335 =-0.018 | -0.354 + 0.224 =-0.130 | A
/// 6 | 0.000 | 0.000 + 0.204 =  0.204 | -0.354 + 0.612 = 0.259 | -0.354 + 0.367 = 0.014 | -0.354 + 0.245 =-0.109 | B
/// 7 | 0.071 | 0.000 + 0.220 =  0.220 |  0.500 + 0.331 = 0.831 | -0.362 + 0.397 = 0.035 | -0.362 + 0.265 =-0.097 | B
/// 8 | 0.125 | 0.000 + 0.236 =  0.236 |  0.500 + 0.236 = 0.736 | -0.308 + 0.424 = 0.116 | -0.308 + 0.283 =-0.025 | B
/// ```
#[test]
fn puct_sequence_matches_hand_calculation() {
    let params = SearchParams {
        formula: SelectionFormula::Puct,
        cpuct: 1.0,
        cpuct_log: 0.0,
        root_fpu_reduction: 0.5,
        ..result_only_params()
    };
    let chosen = sequence(&params, [0.5, 0.25, 0.15, 0.1], [0.0, 0.5, 0.25, -0.5], 8);
    assert_eq!(chosen, "AAAAABBB");
}

/// Q + 0.5 sqrt(ln N / n), an unvisited move scoring mean + 0.6, ties going to the higher prior. P = 0.4, 0.3, 0.2,
/// 0.1; v = 0.125, 0.375, -0.25, 0.25.
///
/// ```text
/// N |  mean |       A               |       B               |        C               |       D               | best
/// 1 | 0.000 | 0.600                 | 0.600                 |  0.600                 | 0.600                 | A
/// 2 | 0.062 | 0.125 + 0.416 = 0.541 | 0.662                 |  0.662                 | 0.662                 | B
/// 3 | 0.167 | 0.125 + 0.524 = 0.649 | 0.375 + 0.524 = 0.899 |  0.767                 | 0.767                 | B
/// 4 | 0.219 | 0.125 + 0.589 = 0.714 | 0.375 + 0.416 = 0.791 |  0.819                 | 0.819                 | C
/// 5 | 0.125 | 0.125 + 0.634 = 0.759 | 0.375 + 0.449 = 0.824 | -0.250 + 0.634 = 0.384 | 0.725                 | B
/// 6 | 0.167 | 0.125 + 0.669 = 0.794 | 0.375 + 0.386 = 0.761 | -0.250 + 0.669 = 0.419 | 0.767                 | A
/// 7 | 0.161 | 0.125 + 0.493 = 0.618 | 0.375 + 0.403 = 0.778 | -0.250 + 0.697 = 0.447 | 0.761                 | B
/// 8 | 0.188 | 0.125 + 0.510 = 0.635 | 0.375 + 0.361 = 0.736 | -0.250 + 0.721 = 0.471 | 0.787                 | D
/// 9 | 0.194 | 0.125 + 0.524 = 0.649 | 0.375 + 0.371 = 0.746 | -0.250 + 0.741 = 0.491 | 0.250 + 0.741 = 0.991 | D
/// ```
#[test]
fn ucb1_sequence_matches_hand_calculation() {
    let params = SearchParams {
        formula: SelectionFormula::Ucb1,
        ucb_exploration: 0.5,
        ucb_first_play: 0.6,
        ..result_only_params()
    };
    let values = [0.125, 0.375, -0.25, 0.25];
    let chosen = sequence(&params, [0.4, 0.3, 0.2, 0.1], values, 9);
    assert_eq!(chosen, "ABBCBABDD");
}

#[test]
fn ucb1_ignores_moves_with_zero_prior() {
    let params = SearchParams {
        formula: SelectionFormula::Ucb1,
        ..result_only_params()
    };
    let values = [-1.0, -1.0, 1.0, 1.0];
    let chosen = sequence(&params, [0.6, 0.4, 0.0, 0.0], values, 40);
    assert!(!chosen.contains(['C', 'D']), "{chosen}");
}

#[test]
fn puct_exploration_grows_with_log_visits() {
    let params = SearchParams {
        cpuct: 1.5,
        cpuct_log: 0.5,
        cpuct_base: 100.0,
        ..SearchParams::default()
    };
    // With 100 (e - 1) visits the logarithm is 1: (1.5 + 0.5) sqrt(171.828) = 26.2166.
    let common = exploration_factor(&params, 100.0 * (std::f32::consts::E - 1.0));
    assert!((common - 26.2166).abs() < 1e-3);
    // 0.25 + 26.2166 * 0.1 / (1 + 4) = 0.774332.
    let child = visited_child_score(&params, common, 0.25, 4.0, 0.1);
    assert!((child - 0.774_332).abs() < 1e-4);
}

#[test]
fn first_play_score_depends_on_parent() {
    let params = SearchParams {
        fpu_reduction: 0.4,
        root_fpu_reduction: 0.1,
        ..SearchParams::default()
    };
    let mut parent = ParentStats {
        utility: 0.3,
        visited_prior: 0.25,
        is_root: false,
    };
    // 0.3 - 0.4 sqrt(0.25) + 2 * 0.05 = 0.2; at the root 0.3 - 0.1 sqrt(0.25) + 0.1 = 0.35.
    assert!((first_play_score(&params, &parent, 2.0, 0.05) - 0.2).abs() < 1e-6);
    parent.is_root = true;
    assert!((first_play_score(&params, &parent, 2.0, 0.05) - 0.35).abs() < 1e-6);
    // No utility is below a loss: -0.99 - 0.1 sqrt(1) counts as -1, and -1 + 0.1 = -0.9.
    parent.utility = -0.99;
    parent.visited_prior = 1.0;
    assert!((first_play_score(&params, &parent, 2.0, 0.05) + 0.9).abs() < 1e-6);
}

/// With half the utility from the score, a result of 0.6 and a lead of 9 points on 9x9 (with a scale of 1, tanh(1) =
/// 0.761594) give 0.5 * 0.6 + 0.5 * 0.761594 = 0.680797.
#[test]
fn utility_includes_weighted_score() {
    let params = SearchParams {
        score_weight: 0.5,
        score_scale: 1.0,
        lead_weight: 0.0,
        ..SearchParams::default()
    };
    let values = values_after_one_visit(params, 9.0);
    assert!((values.utility - 0.680_797).abs() < 1e-5);
    assert!((values.winrate - 0.8).abs() < 1e-6);
    assert!((values.score_lead - 9.0).abs() < 1e-3);
}

/// With half the utility from the lead around 3 points, a lead of 12 is 9 points off the centre: one side of the 9x9
/// board at a scale of 1, so half of the maximum: 0.5 * 0.6 + 0.5 * 0.5 = 0.55. At the centre the lead adds nothing.
#[test]
fn utility_includes_centred_lead() {
    let params = SearchParams {
        score_weight: 0.0,
        lead_weight: 0.5,
        lead_scale: 1.0,
        lead_center: 3.0,
        ..SearchParams::default()
    };
    assert!((values_after_one_visit(params.clone(), 12.0).utility - 0.55).abs() < 1e-5);
    assert!((values_after_one_visit(params, 3.0).utility - 0.3).abs() < 1e-5);
}

/// An error of 0.2 gives the weight 0.25 / (0.2 + 0.25 / 8) = 1.081081. With half the utility from the score, which
/// has the slope 0.5 at an even game, an error of 3 points at side 9 adds to it: 0.25 / (0.1 + 0.5 / 3 + 0.25 / 8) =
/// 0.839161. An error of 1000 gives the minimum weight, no error gives 8.
#[test]
fn certain_evaluations_weigh_more() {
    let params = |score_weight| SearchParams {
        score_weight,
        score_scale: 1.0,
        lead_weight: 0.0,
        uncertainty_coeff: 0.25,
        max_weight: 8.0,
        ..SearchParams::default()
    };
    let cases = [
        (0.0, 0.2, 3.0, 1.081_081),
        (0.5, 0.2, 3.0, 0.839_161),
        (0.0, 1_000.0, 0.0, 0.05),
        (0.0, 0.0, 0.0, 8.0),
    ];
    for (score_weight, value, score, expected) in cases {
        let weight = weight_of_one(params(score_weight), Some((value, score)));
        assert!((weight - expected).abs() < 1e-5, "{weight}, not {expected}");
    }
    assert_eq!(weight_of_one(params(0.5), None), 1.0, "no predicted errors");
    let off = SearchParams {
        uncertainty_coeff: 0.0,
        ..params(0.5)
    };
    assert_eq!(weight_of_one(off, Some((0.2, 3.0))), 1.0);
}

/// Returns the root's weight after one visit of the empty 9x9 board, an even game with these predicted errors of
/// value and score.
fn weight_of_one(params: SearchParams, errors: Option<(f32, f32)>) -> f64 {
    let evaluator = evaluator_fn(move |position| {
        let mut evaluation = flat(position, 0.0);
        evaluation.details = errors.map(|(value, score)| KataDetails {
            score_mean: 0.0,
            score_mean_square: 0.0,
            errors: Some(UncertaintyEstimates {
                variance_time: 0.0,
                value,
                score,
            }),
        });
        Ok(evaluation)
    });
    let mut search = search(evaluator, &empty_board(9, "chinese"), params, 1);
    run(&mut search, 1);
    search.tree().root().weight_sum()
}

/// Returns the values after one visit of the empty 9x9 board, evaluated with a result of 0.6 and this lead.
fn values_after_one_visit(params: SearchParams, lead: f32) -> ValueEstimates {
    let evaluator = evaluator_fn(move |position| {
        let mut evaluation = flat(position, 0.6);
        evaluation.score_lead = lead;
        Ok(evaluation)
    });
    let mut search = search(evaluator, &empty_board(9, "chinese"), params, 1);
    run(&mut search, 1).values
}
