//! Clocks enforced by the match: commands sent to the engines, losses on time, and the output. The scripted engines
//! define the thinking times.

use std::time::Duration;

use honinbo::game::color::Color;
use honinbo::match_play::game::{Fault, FaultKind, GameOutcome, WinReason};
use honinbo::match_play::game_sgf;
use honinbo::match_play::gtp_engine::GtpEngineError;
use honinbo::match_play::match_config::{MatchConfig, MatchError, Role};
use honinbo::match_play::report::MatchReport;
use honinbo::match_play::side::Side;
use honinbo::sgf;

use crate::match_play::scripted::Step::{self, Hang, Respond, RespondAfter};
use crate::match_play::scripted::{
    KATA, KGS, STANDARD, Scripted, passes, play, play_refereed, received, run_match, set_openings,
    timed_config, timed_player,
};

#[test]
fn unlimited_time_sends_no_time_left() {
    for (commands, expected) in [
        (KATA, "kata-time_settings none"),
        (KGS, "kgs-time_settings none"),
        (STANDARD, "time_settings 0 1 0"),
    ] {
        let black = timed_player(commands, &[3000.0, 3000.0]);
        let (_, games) = play(&timed_config("none", 1), &black, &passes());
        assert_eq!(games[0].1.outcome.result_text(), "B+2.5");
        let commands = ["time_", "kgs-", "kata-"];
        assert_eq!(received(&black, &commands), [expected]);
    }
}

#[test]
fn late_response_loses_whatever_it_is() {
    for answer in ["resign", "pass", "A5"] {
        // The response in the second game is late too; Black has already played A5.
        let b = Scripted::new(&[RespondAfter(2.5, answer)]);
        let (summary, games) = play(
            &timed_config("absolute 2", 2),
            &Scripted::new(&[Respond("A5")]),
            &b,
        );
        let results: Vec<_> = games
            .iter()
            .map(|(_, played)| played.outcome.result_text())
            .collect();
        assert_eq!(results, ["B+T", "W+T"], "{answer}");
        let timeouts = summary.stats.faults(Side::B)[FaultKind::Timeout as usize];
        let faults = summary.stats.faults(Side::B).iter().sum::<u32>();
        assert_eq!((timeouts, faults), (2, 2));
        assert_eq!(
            summary
                .stats
                .thinking_time(Side::B)
                .max_move_time
                .as_secs_f64(),
            2.5
        );
        let incident = &summary.stats.incidents()[0];
        assert_eq!(incident.culprit, Some(Side::B));
        assert_eq!(
            incident.text,
            "white failed: the move took 2.5 s, but only 2.0 s were left on the clock"
        );
    }
}

#[test]
fn clocks_start_full_after_the_opening() {
    let mut config = timed_config("absolute 10", 2);
    set_openings(&mut config, "C3 B2 D4");
    let a = timed_player(KATA, &[9.0]);
    let b = Scripted {
        commands: KATA,
        ..Scripted::new(&[RespondAfter(9.5, "A1")])
    };
    let (summary, games) = play(&config, &a, &b);
    assert_eq!((games.len(), summary.stats.no_result_count()), (2, 0));
    assert_eq!(summary.stats.incidents(), []);
    // In the second game, B is Black, and A moves first after three opening moves.
    let shown = [
        "kata-time_settings absolute 10",
        "play black C3",
        "play white B2",
        "play black D4",
        "time_left black 10 0",
        "time_left white 10 0",
        "genmove white",
    ];
    let found = received(&a, &["time_left", "kata-", "play", "genmove"]);
    assert_eq!(found[..shown.len()], shown);
    let shown = ["black 10 0", "white 1 0", "black 0.5 0", "white 1 0"];
    let shown = shown.map(|left| format!("time_left {left}"));
    assert_eq!(received(&b, &["time_left"]), shown);
}

#[test]
fn engine_times_out_ten_seconds_after_flag() {
    let hung = |config: &MatchConfig| {
        let with_commands = |steps: &[Step]| Scripted {
            commands: KATA,
            ..Scripted::new(steps)
        };
        let b = with_commands(&[RespondAfter(3.0, "A1"), Hang]);
        let a = with_commands(&[Respond("A5")]);
        match play(config, &a, &b).1.remove(0).1.outcome {
            GameOutcome::Won {
                reason: WinReason::Fault(Fault::Program(GtpEngineError::TimedOut { limit, .. })),
                winner: Color::Black,
            } => limit.as_secs(),
            other => panic!("expected a timeout, found {other:?}"),
        }
    };
    let mut config = timed_config("byoyomi 10 5 3", 1);
    // Seven seconds of main time, three periods, and the grace period.
    assert_eq!(hung(&config), 7 + 15 + 10);
    config.conditions.hang_timeout = Duration::from_secs(20);
    assert_eq!(hung(&config), 20);
}

#[test]
fn unsupported_time_settings_are_an_error() {
    const NO_KATA: &str = "does not support `kata-time_settings`, ";
    for (clock, commands, lacking) in [
        (
            "byoyomi 10 5 3",
            STANDARD,
            "`kata-time_settings` or `kgs-time_settings`",
        ),
        ("fischer 10 1", KGS, NO_KATA),
        ("fischer-capped 10 1 20 5", STANDARD, NO_KATA),
    ] {
        let launch = |role| {
            let able = role == Role::Player(Side::A);
            timed_player(if able { KATA } else { commands }, &[]).launch()
        };
        let error = run_match(&timed_config(clock, 2), &launch, &mut |_| Ok(())).unwrap_err();
        assert!(
            matches!(error, MatchError::Player { letter: 'B', .. }),
            "{error}"
        );
        assert!(error.to_string().contains(lacking), "{error}");
    }
}

#[test]
fn referee_receives_no_time_commands() {
    let config = MatchConfig {
        has_referee: true,
        ..timed_config("fischer 10 1", 1)
    };
    let referee = Scripted::with_score(Some("W+0.5"));
    let player = timed_player(KATA, &[1.0]);
    let (_, games) = play_refereed(&config, &player, &timed_player(KATA, &[]), Some(&referee));
    assert_eq!(games[0].1.outcome.result_text(), "W+0.5");
    assert_eq!(received(&referee, &["time", "kata"]), [""; 0]);
}

#[test]
fn time_left_is_sent_only_if_supported() {
    let black = timed_player("kata-time_settings", &[1.0]);
    play(&timed_config("absolute 10", 1), &black, &passes());
    assert_eq!(received(&black, &["time_left"]), [""; 0]);
}

#[test]
fn sgf_and_report_contain_time_settings() {
    for (clock, main, overtime) in [
        ("none", None, None),
        ("absolute 60", Some("60"), None),
        ("byoyomi 10 5 3", Some("10"), Some("3x5 byo-yomi")),
        ("canadian 10.5 20 5", Some("10.5"), Some("5/20 Canadian")),
        ("fischer 10 1", Some("10"), Some("1 fischer")),
        (
            "fischer-capped 10 1 20 5",
            Some("10"),
            Some("fischer-capped 10 1 20 5"),
        ),
    ] {
        let config = timed_config(clock, 1);
        let mut text = String::new();
        let launch = |_| timed_player(KATA, &[]).launch();
        let summary = run_match(&config, &launch, &mut |finished| {
            text = game_sgf::to_sgf(finished);
            Ok(())
        })
        .unwrap();
        let parsed = sgf::parse(text.as_bytes()).unwrap();
        assert_eq!(parsed.warnings, []);
        let game = &parsed.collection.games[0];
        let root = game.node(game.root());
        let value = |name| root.value(name).map(sgf::Value::text);
        assert_eq!(value("TM").as_deref(), main, "{clock}");
        assert_eq!(value("OT").as_deref(), overtime, "{clock}");
        let report = MatchReport {
            config: &config,
            summary: &summary,
        };
        let report = report.to_string();
        let expected = format!(", clocks {clock}; 1 game (");
        assert!(report.contains(&expected), "{report}");
    }
}
