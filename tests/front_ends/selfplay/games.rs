//! Self-play games: reproducibility, legality, results and search targets.

use std::sync::atomic::{AtomicBool, Ordering};

use honinbo::eval::stack::BaseEvaluator;
use honinbo::game::benson::pass_alive;
use honinbo::game::color::Color;
use honinbo::game::point::Move;
use honinbo::game::rules::{Rules, Scoring};
use honinbo::learn::selfplay::SelfplaySettings;
use honinbo::learn::selfplay::conditions::GameConditions;
use honinbo::learn::selfplay::game::SelfplayOutcome;
use honinbo::learn::selfplay::run::{SelfplayLimits, SelfplayStats, run_selfplay};
use honinbo::learn::selfplay::settings::PlayoutCap;
use honinbo::learn::selfplay::sgf_line::{format_line, game_number};
use honinbo::learn::selfplay::weighted_choice::WeightedChoice;
use honinbo::random::Rng;
use honinbo::sgf::convert::read_game;
use honinbo::sgf::parse;

use crate::naive::bridge::to_naive;
use crate::selfplay::support::{game, lines, play, played_lines, searching, settings, stack};

#[test]
fn games_depend_on_seed_not_threads() {
    let settings = settings();
    let [single, parallel] = [1, 4].map(|parallel| played_lines(&settings, 12, parallel));
    assert_eq!(single, parallel);
    let other = SelfplaySettings {
        seed: 8,
        ..settings
    };
    assert_ne!(single, played_lines(&other, 12, 1));
}

#[test]
fn batching_does_not_change_games() {
    let settings = settings();
    let [single, batched] = [(1, 1), (6, 3)].map(|(parallel, batch)| {
        let folder = tempfile::tempdir().unwrap();
        let limits = SelfplayLimits {
            max_games: 12,
            parallel_games: parallel,
        };
        let (stop, stack) = (AtomicBool::new(false), stack(BaseEvaluator::Hashed, batch));
        run_selfplay(&settings, &stack, folder.path(), limits, &stop, &|_| {}).unwrap();
        lines(folder.path())
    });
    assert_eq!(single, batched);
}

#[test]
fn moves_are_legal_and_area_is_correct() {
    let settings = SelfplaySettings {
        rules: WeightedChoice::parse_rules("tromp-taylor,cgos").unwrap(),
        ..settings()
    };
    let mut counted = 0;
    for number in 1..=40 {
        let played = game(&settings, BaseEvaluator::Hashed, number);
        let text = format_line(&played, &settings.player_name);
        let parsed = parse(text.as_bytes()).unwrap();
        assert_eq!(parsed.warnings, []);
        // The reader rejects illegal moves.
        let record = read_game(&parsed.collection.games[0], Rules::default()).unwrap();
        assert_eq!(record.moves(), played.record.moves());
        assert_eq!(record.rules(), &played.conditions.rules);
        assert_eq!(
            record.initial().handicap(),
            played.conditions.handicap.len()
        );
        let SelfplayOutcome::Counted { count, .. } = played.outcome else {
            assert_eq!(played.outcome, SelfplayOutcome::Unfinished);
            continue;
        };
        counted += 1;
        assert!(record.ended());
        let komi = i32::from(record.rules().komi.half_points());
        let area = to_naive(record.position().board()).area_lead();
        assert_eq!(count.score.black_lead_half_points(), 2 * area - komi);
    }
    assert!(counted > 30, "{counted}");
}

#[test]
fn early_passes_and_settled_points_are_avoided() {
    let (mut passes, mut settled) = (0, 0);
    for number in 1..=20 {
        let played = game(&settings(), BaseEvaluator::Uniform, number);
        let mut position = played.record.initial().clone();
        let rules = *position.rules();
        for &(color, mv) in played.record.moves() {
            let Move::Play(point) = mv else {
                let stones = position.board().occupied_points().len();
                assert!(
                    position.last_move_was_pass() || stones >= 25 / 4,
                    "game {number}"
                );
                passes += 1;
                position.play(color, mv).unwrap();
                continue;
            };
            for owner in Color::BOTH {
                let alive = pass_alive(position.board(), owner, rules.suicide);
                settled += usize::from(!alive.territory.is_empty());
                // Without removal of dead stones, the opponent has to capture them.
                let captures = owner == color && !rules.removes_dead_stones();
                assert!(
                    captures || !alive.territory.contains(point),
                    "game {number}"
                );
            }
            position.play(color, mv).unwrap();
        }
    }
    assert!(passes > 20 && settled > 20, "{passes} {settled}");
}

#[test]
fn line_is_valid_sgf_with_number() {
    let played = game(&settings(), BaseEvaluator::Hashed, 31);
    let text = format_line(&played, "A;]b\nKN[9]");
    assert!(text.ends_with(")\n") && text.matches('\n').count() == 1);
    assert_eq!(game_number(text.as_bytes()), Some(31));
    assert_eq!(game_number(&text.as_bytes()[..text.len() - 1]), None);
    assert_eq!(game_number(b"(;FF[4];KN[3])\n"), None);
    let parsed = parse(text.as_bytes()).unwrap();
    let tree = &parsed.collection.games[0];
    let value = |name| tree.node(tree.root()).value(name).unwrap().simple_text();
    assert_eq!(
        (value("PB"), value("SZ")),
        ("A;]b KN[9]".into(), "5".into())
    );
    let SelfplayOutcome::Counted { count, .. } = &played.outcome else {
        panic!("the game is scored");
    };
    assert_eq!(value("RE"), count.score.to_string());
    let last = tree.node(tree.main_line().last().unwrap());
    let owned = |name| last.values(name).len();
    assert!(owned("TB") + owned("TW") > 0);
}

#[test]
fn conditions_follow_settings() {
    let settings = SelfplaySettings {
        sizes: WeightedChoice::parse_sizes("5:3,7").unwrap(),
        komi: None,
        komi_deviation: 0.0,
        handicap_fraction: 0.25,
        ..settings()
    };
    let (mut small, mut handicaps, mut openings) = (0, 0, 0);
    for number in 1..=200 {
        let mut rng = Rng::stream(settings.seed, number);
        let conditions = GameConditions::draw(&settings, &mut rng);
        small += u32::from(conditions.size.width() == 5);
        handicaps += u32::from(conditions.handicap.len() >= 2);
        openings += conditions.opening_moves;
        let territory = conditions.rules.scoring == Scoring::Territory;
        let fair = if conditions.size.width() == 5 {
            25.0
        } else {
            9.0
        };
        let expected = fair - f64::from(u8::from(territory));
        assert_eq!(conditions.rules.komi.points(), expected);
    }
    assert!((120..180).contains(&small), "{small}");
    assert!((30..70).contains(&handicaps), "{handicaps}");
    // The mean is 0.4 times the side length, rounded down.
    assert!((200..500).contains(&openings), "{openings}");
}

#[test]
fn stopped_run_has_complete_games() {
    let folder = tempfile::tempdir().unwrap();
    let stop = AtomicBool::new(false);
    let limits = SelfplayLimits {
        max_games: u64::MAX,
        parallel_games: 3,
    };
    let after_five = |stats: &SelfplayStats| stop.store(stats.games >= 5, Ordering::Relaxed);
    let stack = stack(BaseEvaluator::Hashed, 1);
    let path = folder.path();
    let stats = run_selfplay(&settings(), &stack, path, limits, &stop, &after_five).unwrap();
    let lines = lines(folder.path());
    assert!((5..8).contains(&stats.games), "{stats:?}");
    assert_eq!(lines.len() as u64, stats.games);
    let number = |line: &String| game_number(format!("{line}\n").as_bytes());
    assert!(lines.iter().all(|line| number(line).is_some()));
}

#[test]
fn resignations_are_verified_in_played_out_games() {
    // The win rates of the hashed evaluator are uniformly distributed. In most games, a side sees three win rates below
    // 60% in a row, and such a side wins as often as not.
    let resigning = SelfplaySettings {
        resign_percent: 60.0,
        ..settings()
    };
    let folder = tempfile::tempdir().unwrap();
    let stats = play(&resigning, folder.path(), 60, 2);
    assert!(
        stats.resignations > 30 && stats.suppressed_resignations == 0,
        "{stats:?}"
    );
    let resigned = lines(folder.path())
        .iter()
        .filter(|line| line.contains("+R]"))
        .count();
    assert_eq!(resigned as u64, stats.resignations);

    let played_out = SelfplaySettings {
        no_resign_fraction: 1.0,
        ..resigning
    };
    let folder = tempfile::tempdir().unwrap();
    let stats = play(&played_out, folder.path(), 60, 2);
    assert_eq!(stats.resignations, 0);
    let mut expected = (0, 0);
    for number in 1..=60 {
        let played = game(&played_out, BaseEvaluator::Hashed, number);
        let (Some(color), SelfplayOutcome::Counted { count, .. }) =
            (played.resigner, &played.outcome)
        else {
            continue;
        };
        expected.0 += 1;
        expected.1 += u64::from(color.to_perspective(count.score.black_lead_half_points()) >= 0);
    }
    assert_eq!(
        (stats.suppressed_resignations, stats.wrong_resignations),
        expected
    );
    assert!(
        stats.suppressed_resignations > 30 && stats.wrong_resignations > 5,
        "{stats:?}"
    );
}

#[test]
fn searched_games_do_not_depend_on_threads() {
    let [single, parallel] = [1, 3].map(|parallel| played_lines(&searching(), 6, parallel));
    assert_eq!(single, parallel);
}

#[test]
fn targets_exclude_forced_playouts() {
    let forcing = |forced| SelfplaySettings {
        playout_cap: PlayoutCap {
            full_visits: 120,
            forced_playouts: forced,
            ..searching().playout_cap
        },
        ..searching()
    };
    let targets = |forced| {
        let played =
            (1..=4).map(move |number| game(&forcing(forced), BaseEvaluator::Hashed, number));
        played.flat_map(|played| {
            let moves = played.record.moves().iter().map(|&(_, mv)| mv);
            let targets = played.targets.clone().into_iter().zip(moves);
            targets
                .filter_map(|(target, mv)| Some((target?.visits, mv)))
                .collect::<Vec<_>>()
        })
    };
    let sum = |visits: &[(Move, u32)]| visits.iter().map(|&(_, visits)| visits).sum::<u32>();
    assert!(targets(0.0).all(|(visits, _)| sum(&visits) == 119));
    let (mut all, mut less) = (0, 0);
    for (visits, chosen) in targets(2.0) {
        all += 1;
        less += usize::from(sum(&visits) < 119);
        assert!((1..=119).contains(&sum(&visits)));
        // The move is drawn from the visits in the target.
        assert!(visits.iter().any(|&(mv, _)| mv == chosen));
    }
    assert!(all > 20 && less > all / 2, "{less} of {all}");
}

#[test]
fn only_full_searches_give_targets() {
    let (mut moves, mut targets, mut noisy) = (0, 0_usize, 0);
    for number in 1..=8 {
        let played = game(&searching(), BaseEvaluator::Hashed, number);
        assert_eq!(played.targets.len(), played.record.moves().len());
        let (opening, searched) = played.targets.split_at(played.conditions.opening_moves);
        assert!(opening.iter().all(Option::is_none));
        moves += searched.len();
        for (at, target) in played.targets.iter().enumerate() {
            let Some(target) = target else { continue };
            targets += 1;
            // One visit is the evaluation of the root.
            let visits: u32 = target.visits.iter().map(|&(_, visits)| visits).sum();
            assert_eq!(visits, 23);
            let position = played.record.position_after(at).unwrap();
            let legal = |mv: Move| {
                mv.point()
                    .is_none_or(|point| position.check_legal(point).is_ok())
            };
            assert!(target.visits.iter().all(|&(mv, _)| legal(mv)));
            let (_, chosen) = played.record.moves()[at];
            assert!(target.visits.iter().any(|&(mv, _)| mv == chosen));
            noisy += usize::from(target.visits.len() > 1);
        }
    }
    let half = moves / 2;
    assert!(targets.abs_diff(half) < moves / 8, "{targets} of {moves}");
    assert!(noisy > targets / 2);
}
