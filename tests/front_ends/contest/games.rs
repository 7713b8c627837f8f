//! Single games: how they end, and for whom.

use honinbo::game::color::Color;
use honinbo::game::point::BoardSize;
use honinbo::game::position::{MAX_MOVES, MoveError};
use honinbo::game::rules::Rules;
use honinbo::match_play::game::{Fault, GameOutcome, WinReason};
use honinbo::match_play::match_stats::{FaultCounts, Side, WinDrawLoss};
use honinbo::match_play::runner::MatchConfig;

use crate::contest::scripted::Step::{Die, Hang, Say};
use crate::contest::scripted::{Scripted, contest, outcome, passes, play, play_refereed};

#[test]
fn a_resignation_ends_the_game() {
    let a = Scripted::new(&[Say("C3"), Say("resign")]);
    let found = outcome(&a, &passes());
    let expected = GameOutcome::Won {
        winner: Color::White,
        reason: WinReason::Resignation,
    };
    assert_eq!(found, expected);
    assert_eq!(found.result_text(), "W+R");
}

#[test]
fn two_passes_end_the_game_and_the_players_count() {
    let b = Scripted::new(&[Say("D4")]);
    let (_, games) = play(&contest(1), &Scripted::new(&[Say("C3")]), &b);
    let played = &games[0].1;
    assert_eq!(played.record.moves().len(), 4);
    assert_eq!(played.outcome.result_text(), "B+2.5");
    assert_eq!(played.timing[Color::Black].moves, 2);
    let heard = b.heard.lock().unwrap().join(", ");
    let game = "boardsize 5, clear_board, komi 7.5, play black C3, genmove white, play black pass, genmove white";
    assert!(heard.contains(game), "{heard}");
}

#[test]
fn every_kind_of_failure_loses_for_its_culprit() {
    let illegal = Scripted::new(&[Say("C3")]);
    let cases = [
        (illegal.clone(), "B+F", [1, 0, 0, 0]),
        (Scripted::new(&[Die]), "B+F", [0, 1, 0, 0]),
        (Scripted::new(&[Hang]), "B+T", [0, 0, 1, 0]),
        (Scripted::new(&[Say("F9")]), "B+F", [0, 0, 0, 1]),
        (Scripted::new(&[Say("")]), "B+F", [0, 0, 0, 1]),
        (
            Scripted {
                refuses: "play",
                ..passes()
            },
            "B+F",
            [0, 0, 0, 1],
        ),
        (Scripted::counting(Some("soon")), "B+F", [0, 0, 0, 1]),
    ];
    for (b, result, [illegal, crashes, timeouts, protocol]) in cases {
        let (summary, games) = play(&contest(1), &Scripted::new(&[Say("C3")]), &b);
        assert_eq!(
            games[0].1.outcome.result_text(),
            result,
            "{}",
            games[0].1.outcome
        );
        let expected = FaultCounts {
            illegal,
            crashes,
            timeouts,
            protocol,
        };
        assert_eq!(summary.stats.faults(Side::B), expected);
        assert_eq!(summary.stats.faults(Side::A), FaultCounts::default());
        assert_eq!(summary.stats.total().won, 1);
        let incident = &summary.stats.incidents()[0];
        assert_eq!((incident.game_index, incident.culprit), (0, Some(Side::B)));
    }
    match outcome(&Scripted::new(&[Say("C3")]), &illegal) {
        GameOutcome::Won {
            reason: WinReason::Fault(fault),
            ..
        } => assert_eq!(
            fault,
            Fault::IllegalMove {
                vertex: "C3".to_owned(),
                reason: MoveError::Occupied
            }
        ),
        other => panic!("expected a fault, found {other:?}"),
    }
}

#[test]
fn a_repetition_is_illegal_where_superko_holds() {
    // On 2x2: Black's fourth move takes three stones and brings back the position after its first.
    let a = Scripted::new(&["A1", "A2", "A1", "A1"].map(Say));
    let b = Scripted::new(&["B2", "B1", "A2"].map(Say));
    for (rules, result) in [("chinese", "B+2.5"), ("tromp-taylor", "W+F")] {
        let mut contest = contest(1);
        contest.conditions.size = BoardSize::new(2, 2).unwrap();
        contest.conditions.rules = Rules::named(rules).unwrap();
        let (_, games) = play(&contest, &a, &b);
        assert_eq!(games[0].1.outcome.result_text(), result, "{rules}");
    }
}

#[test]
fn differing_counts_need_somebody_to_trust() {
    let says = |score| Scripted::counting(Some(score));
    assert_eq!(outcome(&says("B+2.5"), &says("B+3.5")).result_text(), "B+");
    let disputed = outcome(&says("B+2.5"), &says("W+3.5"));
    assert_eq!(disputed.result_text(), "?");
    assert!(disputed.to_string().contains("W+3.5"));
    assert_eq!(
        outcome(&says("B+2.5"), &Scripted::counting(None)).result_text(),
        "?"
    );
    assert_eq!(
        outcome(&says("0"), &says("0")),
        GameOutcome::Drawn("counted by both players".to_owned())
    );
    let trusting = MatchConfig {
        trusted_side: Some(Side::B),
        ..contest(2)
    };
    // B is White in the first game and Black in the second; its word holds in both.
    let (summary, _) = play(&trusting, &says("B+2.5"), &says("W+3.5"));
    assert_eq!(
        summary.stats.results(Color::Black),
        WinDrawLoss {
            lost: 1,
            ..WinDrawLoss::default()
        }
    );
    assert_eq!(
        summary.stats.results(Color::White),
        WinDrawLoss {
            won: 1,
            ..WinDrawLoss::default()
        }
    );
}

#[test]
fn the_referee_sees_the_game_and_decides() {
    let contest = MatchConfig {
        has_referee: true,
        ..contest(2)
    };
    let referee = Scripted::counting(Some("W+0.5"));
    let a = Scripted::new(&[Say("C3")]);
    let (summary, games) = play_refereed(&contest, &a, &passes(), Some(&referee));
    assert!(
        games
            .iter()
            .all(|(_, played)| played.outcome.result_text() == "W+0.5")
    );
    assert_eq!(
        summary.stats.total(),
        WinDrawLoss {
            won: 1,
            drawn: 0,
            lost: 1
        }
    );
    let heard = referee.heard.lock().unwrap().join(", ");
    assert!(
        heard.contains("play black C3, play white pass, play black pass, final_score"),
        "{heard}"
    );
    let silent = Scripted::counting(None);
    let (summary, _) = play_refereed(&contest, &a, &passes(), Some(&silent));
    assert_eq!((summary.stats.no_result(), summary.stats.games()), (2, 2));
}

#[test]
fn a_referee_that_fails_is_replaced_once_before_a_game_is_disputed() {
    let refereed = |games| MatchConfig {
        has_referee: true,
        ..contest(games)
    };
    let asked = |referee: &Scripted| {
        let heard = referee.heard.lock().unwrap();
        heard.iter().filter(|line| *line == "final_score").count()
    };
    // Each referee dies after two boards, of which the first one's first is none of a game.
    let mortal = Scripted {
        boards: 2,
        ..Scripted::counting(Some("W+0.5"))
    };
    let (summary, games) = play_refereed(&refereed(4), &passes(), &passes(), Some(&mortal));
    for (game, played) in games {
        assert_eq!(played.outcome.result_text(), "W+0.5", "game {game}");
    }
    assert_eq!(summary.stats.incidents(), []);
    assert_eq!(asked(&mortal), 4);
    for (score, times) in [(Some("soon"), 2), (None, 1)] {
        let useless = Scripted::counting(score);
        let (_, games) = play_refereed(&refereed(1), &passes(), &passes(), Some(&useless));
        assert_eq!(games[0].1.outcome.result_text(), "?");
        assert_eq!(asked(&useless), times, "{score:?}");
    }
}

/// Three kos, which the players take in turn: after each round of six moves the board is as it was.
#[test]
fn a_triple_ko_has_no_result() {
    let black = "pass B4 F4 K4 A3 E3 G3 J3 B2 F2 K2 C3 L3 G3 C3 L3 G3 C3 L3 G3";
    let white = "C4 G4 L4 B3 D3 H3 K3 M3 C2 G2 L2 F3 B3 K3 F3 B3 K3 F3 B3 K3";
    let [black, white] = [black, white].map(|moves| {
        let steps: Vec<_> = moves.split(' ').map(Say).collect();
        Scripted::new(&steps)
    });
    let mut contest = contest(1);
    contest.conditions.size = BoardSize::new(12, 4).unwrap();
    contest.conditions.max_moves = 100;
    let (summary, games) = play(&contest, &black, &white);
    assert_eq!(games[0].1.outcome, GameOutcome::Repeated);
    // The first time after the last of 22 stones, the third two rounds later.
    assert_eq!(games[0].1.record.moves().len(), 22 + 2 * 6);
    assert_eq!(summary.stats.total().games(), 0);
    contest.conditions.rules = Rules::named("aga").unwrap();
    let (_, games) = play(&contest, &black, &white);
    let repeating = Fault::IllegalMove {
        vertex: "K3".to_owned(),
        reason: MoveError::Superko,
    };
    assert_eq!(games[0].1.outcome.fault(), Some((Color::White, &repeating)));
}

#[test]
fn endless_games_have_no_result() {
    let moves = ["A1", "C1", "E1", "B2", "D2"].map(Say);
    let replies = ["A5", "C5", "E5", "B4", "D4"].map(Say);
    let mut contest = contest(1);
    contest.conditions.max_moves = 6;
    let (summary, games) = play(&contest, &Scripted::new(&moves), &Scripted::new(&replies));
    assert_eq!(games[0].1.outcome, GameOutcome::TooLong);
    assert_eq!(games[0].1.record.moves().len(), 6);
    assert_eq!(summary.stats.total().games(), 0);
    assert_eq!(summary.stats.incidents().len(), 1);
}

#[test]
fn a_full_record_is_nobodys_fault() {
    // On 2x2 the sides take each other's stones in turn; a pass in each quarter of the way round keeps situations from
    // coming again without one.
    let black = "A2 B2 pass B2 B2 B1 A1 pass A1 A1".split(' ').cycle();
    let white = "pass B1 B1 A1 A2 pass A2 A2 B2 B1".split(' ').cycle();
    let black = ["A1"].into_iter().chain(black);
    let black: Vec<_> = black.map(Say).take(MAX_MOVES / 2).collect();
    let white: Vec<_> = white.map(Say).take(MAX_MOVES / 2).collect();
    let mut contest = contest(1);
    contest.conditions.size = BoardSize::new(2, 2).unwrap();
    contest.conditions.max_moves = MAX_MOVES + 1;
    let (_, games) = play(&contest, &Scripted::new(&black), &Scripted::new(&white));
    assert_eq!(games[0].1.outcome, GameOutcome::TooLong);
    assert_eq!(games[0].1.record.moves().len(), MAX_MOVES);
}
