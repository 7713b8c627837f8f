//! Single games: outcomes, faults, referees and repetition.

use honinbo::game::color::Color;
use honinbo::game::point::BoardSize;
use honinbo::game::position::{MAX_RECORD_MOVES, MoveError};
use honinbo::game::rules::Rules;
use honinbo::match_play::game::{Fault, GameOutcome, WinReason};
use honinbo::match_play::match_config::MatchConfig;
use honinbo::match_play::side::Side;

use crate::match_play::scripted::Step::{Exit, Hang, Respond};
use crate::match_play::scripted::{
    Scripted, match_config, outcome, passes, play, play_refereed, wins_draws_losses,
};

#[test]
fn resignation_ends_the_game() {
    let a = Scripted::new(&[Respond("C3"), Respond("resign")]);
    let found = outcome(&a, &passes());
    let expected = GameOutcome::Won {
        winner: Color::White,
        reason: WinReason::Resignation,
    };
    assert_eq!(found, expected);
    assert_eq!(found.result_text(), "W+R");
}

#[test]
fn players_score_after_two_passes() {
    let b = Scripted::new(&[Respond("D4")]);
    let (_, games) = play(&match_config(1), &Scripted::new(&[Respond("C3")]), &b);
    let played = &games[0].1;
    assert_eq!(played.record.moves().len(), 4);
    assert_eq!(played.outcome.result_text(), "B+2.5");
    assert_eq!(played.thinking_time[Color::Black].moves, 2);
    let received = b.received.lock().unwrap().join(", ");
    let game = "boardsize 5, clear_board, komi 7.5, play black C3, genmove white, play black pass, genmove white";
    assert!(received.contains(game), "{received}");
}

#[test]
fn every_fault_kind_loses_the_game() {
    let illegal = Scripted::new(&[Respond("C3")]);
    let cases = [
        (illegal.clone(), "B+F", [1, 0, 0, 0]),
        (Scripted::new(&[Exit]), "B+F", [0, 1, 0, 0]),
        (Scripted::new(&[Hang]), "B+T", [0, 0, 1, 0]),
        (Scripted::new(&[Respond("F9")]), "B+F", [0, 0, 0, 1]),
        (Scripted::new(&[Respond("")]), "B+F", [0, 0, 0, 1]),
        (
            Scripted {
                failing_command: "play",
                ..passes()
            },
            "B+F",
            [0, 0, 0, 1],
        ),
        (Scripted::with_score(Some("soon")), "B+F", [0, 0, 0, 1]),
    ];
    for (b, result, [illegal, crashes, timeouts, protocol]) in cases {
        let (summary, games) = play(&match_config(1), &Scripted::new(&[Respond("C3")]), &b);
        assert_eq!(
            games[0].1.outcome.result_text(),
            result,
            "{}",
            games[0].1.outcome
        );
        let expected = [illegal, crashes, timeouts, protocol];
        assert_eq!(summary.stats.faults(Side::B), expected);
        assert_eq!(summary.stats.faults(Side::A), [0; 4]);
        assert_eq!(summary.stats.total_results().won, 1);
        let incident = &summary.stats.incidents()[0];
        assert_eq!((incident.game_index, incident.culprit), (0, Some(Side::B)));
    }
    let occupied = Fault::IllegalMove {
        vertex: "C3".to_owned(),
        reason: MoveError::Occupied,
    };
    let found = outcome(&Scripted::new(&[Respond("C3")]), &illegal);
    assert_eq!(found.fault(), Some((Color::White, &occupied)));
}

#[test]
fn repetition_is_illegal_under_superko() {
    // On 2x2, Black's fourth move captures three stones and repeats the position after its first move.
    let a = Scripted::new(&["A1", "A2", "A1", "A1"].map(Respond));
    let b = Scripted::new(&["B2", "B1", "A2"].map(Respond));
    for (rules, result) in [("chinese", "B+2.5"), ("tromp-taylor", "W+F")] {
        let mut config = match_config(1);
        config.conditions.size = BoardSize::new(2, 2).unwrap();
        config.conditions.rules = Rules::parse(rules).unwrap();
        let (_, games) = play(&config, &a, &b);
        assert_eq!(games[0].1.outcome.result_text(), result, "{rules}");
    }
}

#[test]
fn trusted_side_decides_differing_scores() {
    let scoring = |score| Scripted::with_score(Some(score));
    let agreed = outcome(&scoring("B+2.5"), &scoring("B+3.5"));
    assert_eq!(agreed.result_text(), "B+");
    let disputed = outcome(&scoring("B+2.5"), &scoring("W+3.5"));
    assert_eq!(disputed.result_text(), "?");
    assert!(disputed.to_string().contains("W+3.5"));
    let silent = Scripted::with_score(None);
    let single = outcome(&scoring("B+2.5"), &silent);
    assert_eq!(single.result_text(), "B+2.5");
    assert!(single.to_string().contains("White's score: none"));
    assert_eq!(outcome(&silent, &silent).result_text(), "?");
    assert_eq!(
        outcome(&scoring("0"), &scoring("0")),
        GameOutcome::Drawn("counted by both players".to_owned())
    );
    let trusting = MatchConfig {
        trusted_side: Some(Side::B),
        ..match_config(2)
    };
    // B is White in the first game and Black in the second; its score decides both games.
    let (summary, _) = play(&trusting, &scoring("B+2.5"), &scoring("W+3.5"));
    let results = |color| summary.stats.results_as(color);
    assert_eq!(results(Color::Black), wins_draws_losses(0, 0, 1));
    assert_eq!(results(Color::White), wins_draws_losses(1, 0, 0));
}

#[test]
fn referee_receives_game_and_decides() {
    let config = MatchConfig {
        has_referee: true,
        ..match_config(2)
    };
    let referee = Scripted::with_score(Some("W+0.5"));
    let a = Scripted::new(&[Respond("C3")]);
    let (summary, games) = play_refereed(&config, &a, &passes(), Some(&referee));
    for (_, played) in games {
        assert_eq!(played.outcome.result_text(), "W+0.5");
    }
    assert_eq!(summary.stats.total_results(), wins_draws_losses(1, 0, 1));
    let received = referee.received.lock().unwrap().join(", ");
    assert!(
        received.contains("play black C3, play white pass, play black pass, final_score"),
        "{received}"
    );
    let silent = Scripted::with_score(None);
    let (summary, _) = play_refereed(&config, &a, &passes(), Some(&silent));
    assert_eq!(
        (summary.stats.no_result_count(), summary.stats.game_count()),
        (2, 2)
    );
}

#[test]
fn failing_referee_is_restarted_once() {
    let refereed = |games| MatchConfig {
        has_referee: true,
        ..match_config(games)
    };
    let score_requests = |referee: &Scripted| {
        let received = referee.received.lock().unwrap();
        let requests = received.iter().filter(|line| *line == "final_score");
        requests.count()
    };
    // Each referee exits after two boards. The first board of the first referee is set up before the match.
    let exiting = Scripted {
        games_before_exit: 2,
        ..Scripted::with_score(Some("W+0.5"))
    };
    let (summary, games) = play_refereed(&refereed(4), &passes(), &passes(), Some(&exiting));
    for (game, played) in games {
        assert_eq!(played.outcome.result_text(), "W+0.5", "game {game}");
    }
    assert_eq!(summary.stats.incidents(), []);
    assert_eq!(score_requests(&exiting), 4);
    for (score, times) in [(Some("soon"), 2), (None, 1)] {
        let useless = Scripted::with_score(score);
        let (_, games) = play_refereed(&refereed(1), &passes(), &passes(), Some(&useless));
        assert_eq!(games[0].1.outcome.result_text(), "?");
        assert_eq!(score_requests(&useless), times, "{score:?}");
    }
}

/// The players take three kos in turn, so that the board repeats every six moves.
#[test]
fn triple_ko_has_no_result() {
    let black = "pass B4 F4 K4 A3 E3 G3 J3 B2 F2 K2 C3 L3 G3 C3 L3 G3 C3 L3 G3";
    let white = "C4 G4 L4 B3 D3 H3 K3 M3 C2 G2 L2 F3 B3 K3 F3 B3 K3 F3 B3 K3";
    let [black, white] = [black, white].map(|moves| {
        let steps: Vec<_> = moves.split(' ').map(Respond).collect();
        Scripted::new(&steps)
    });
    let mut config = match_config(1);
    config.conditions.size = BoardSize::new(12, 4).unwrap();
    config.conditions.max_moves = 100;
    config.conditions.rules = Rules::parse("chinese").unwrap();
    let (summary, games) = play(&config, &black, &white);
    assert_eq!(games[0].1.outcome, GameOutcome::Repeated);
    // The position occurs first after 22 moves and for the third time two rounds later.
    assert_eq!(games[0].1.record.moves().len(), 22 + 2 * 6);
    assert_eq!(summary.stats.total_results().game_count(), 0);
    config.conditions.rules = Rules::parse("aga").unwrap();
    let (_, games) = play(&config, &black, &white);
    let repeating = Fault::IllegalMove {
        vertex: "K3".to_owned(),
        reason: MoveError::Superko,
    };
    assert_eq!(games[0].1.outcome.fault(), Some((Color::White, &repeating)));
}

#[test]
fn endless_games_have_no_result() {
    let moves = ["A1", "C1", "E1", "B2", "D2"].map(Respond);
    let replies = ["A5", "C5", "E5", "B4", "D4"].map(Respond);
    let mut config = match_config(1);
    config.conditions.max_moves = 6;
    let (summary, games) = play(&config, &Scripted::new(&moves), &Scripted::new(&replies));
    assert_eq!(games[0].1.outcome, GameOutcome::TooLong);
    assert_eq!(games[0].1.record.moves().len(), 6);
    assert_eq!(summary.stats.total_results().game_count(), 0);
    assert_eq!(summary.stats.incidents().len(), 1);
}

#[test]
fn full_record_is_no_fault() {
    // On 2x2, the sides capture each other's stones in turn. A pass in each quarter of the cycle avoids repetition
    // without a pass, which would have no result.
    let black = "A2 B2 pass B2 B2 B1 A1 pass A1 A1".split(' ').cycle();
    let white = "pass B1 B1 A1 A2 pass A2 A2 B2 B1".split(' ').cycle();
    let black = ["A1"].into_iter().chain(black);
    let black: Vec<_> = black.map(Respond).take(MAX_RECORD_MOVES / 2).collect();
    let white: Vec<_> = white.map(Respond).take(MAX_RECORD_MOVES / 2).collect();
    let mut config = match_config(1);
    config.conditions.size = BoardSize::new(2, 2).unwrap();
    config.conditions.rules = Rules::parse("chinese").unwrap();
    config.conditions.max_moves = MAX_RECORD_MOVES + 1;
    let (_, games) = play(&config, &Scripted::new(&black), &Scripted::new(&white));
    assert_eq!(games[0].1.outcome, GameOutcome::TooLong);
    assert_eq!(games[0].1.record.moves().len(), MAX_RECORD_MOVES);
}
