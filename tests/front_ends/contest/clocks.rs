//! Clocks kept by the match: who is told of them, who loses by them, and what is written of it. The times are the
//! scripts' own.

use std::time::Duration;

use honinbo::game::color::Color;
use honinbo::match_play::game::{Fault, GameOutcome, WinReason};
use honinbo::match_play::game_sgf;
use honinbo::match_play::gtp_engine::{GtpEngine, GtpEngineError};
use honinbo::match_play::match_stats::{FaultCounts, Side};
use honinbo::match_play::opening;
use honinbo::match_play::report::MatchReport;
use honinbo::match_play::runner::{MatchConfig, MatchError, Role};
use honinbo::sgf;

use crate::contest::scripted::Step::{self, Hang, Ponder, Say};
use crate::contest::scripted::{
    KATA, KGS, STANDARD, Scripted, heard, passes, play, play_refereed, timed, walker,
};

#[test]
fn no_limit_is_told_and_nothing_shown() {
    for (commands, told) in [
        (KATA, "kata-time_settings none"),
        (KGS, "kgs-time_settings none"),
        (STANDARD, "time_settings 0 1 0"),
    ] {
        let black = walker(commands, &[3000.0, 3000.0]);
        let (_, games) = play(&timed("none", 1), &black, &passes());
        assert_eq!(games[0].1.outcome.result_text(), "B+2.5");
        let commands = ["time_", "kgs-", "kata-"];
        assert_eq!(heard(&black, &commands), [told]);
    }
}

#[test]
fn overstepping_is_counted_before_anything_else_the_answer_means() {
    for answer in ["resign", "pass", "A5"] {
        // The first answer of the second game is late; by it Black has A5 already.
        let b = Scripted::new(&[Ponder(2.5, answer)]);
        let (summary, games) = play(&timed("absolute 2", 2), &Scripted::new(&[Say("A5")]), &b);
        let results: Vec<_> = games
            .iter()
            .map(|(_, played)| played.outcome.result_text())
            .collect();
        assert_eq!(results, ["B+T", "W+T"], "{answer}");
        let expected = FaultCounts {
            timeouts: 2,
            ..FaultCounts::default()
        };
        assert_eq!(summary.stats.faults(Side::B), expected);
        assert_eq!(
            summary.stats.timing(Side::B).max_move_time.as_secs_f64(),
            2.5
        );
        let incident = &summary.stats.incidents()[0];
        assert_eq!(incident.culprit, Some(Side::B));
        assert_eq!(
            incident.text,
            "white failed: expected a move within 2 s on its clock, found one after 2.5 s"
        );
    }
}

#[test]
fn every_game_starts_with_full_clocks_and_openings_take_no_time() {
    let folder = tempfile::tempdir().unwrap();
    let list = folder.path().join("list.txt");
    std::fs::write(&list, "C3 B2 D4").unwrap();
    let mut contest = timed("absolute 10", 2);
    contest.openings =
        opening::load(&list, contest.conditions.size, contest.conditions.rules).unwrap();
    let a = walker(KATA, &[9.0]);
    let b = Scripted {
        commands: KATA,
        ..Scripted::new(&[Ponder(9.5, "A1")])
    };
    let (summary, games) = play(&contest, &a, &b);
    assert_eq!((games.len(), summary.stats.no_result()), (2, 0));
    assert_eq!(summary.stats.incidents(), []);
    // In the second game B has Black, and A moves first after three given moves.
    let shown = [
        "kata-time_settings absolute 10",
        "play black C3",
        "play white B2",
        "play black D4",
        "time_left black 10 0",
        "time_left white 10 0",
        "genmove white",
    ];
    let found = heard(&a, &["time_left", "kata-", "play", "genmove"]);
    assert_eq!(found[..shown.len()], shown);
    let shown = ["black 10 0", "white 1 0", "black 0.5 0", "white 1 0"];
    assert_eq!(
        heard(&b, &["time_left"]),
        shown.map(|left| format!("time_left {left}"))
    );
}

#[test]
fn a_program_is_hung_ten_seconds_after_its_flag() {
    let hung = |contest: &MatchConfig| {
        let with_commands = |steps: &[Step]| Scripted {
            commands: KATA,
            ..Scripted::new(steps)
        };
        let b = with_commands(&[Ponder(3.0, "A1"), Hang]);
        let a = with_commands(&[Say("A5")]);
        match play(contest, &a, &b).1.remove(0).1.outcome {
            GameOutcome::Won {
                reason: WinReason::Fault(Fault::Program(GtpEngineError::TimedOut { limit, .. })),
                winner: Color::Black,
            } => limit.as_secs(),
            other => panic!("expected a timeout, found {other:?}"),
        }
    };
    let mut contest = timed("byoyomi 10 5 3", 1);
    // Seven seconds of main time and three periods.
    assert_eq!(hung(&contest), 7 + 15 + 10);
    contest.conditions.move_limit = Duration::from_secs(20);
    assert_eq!(hung(&contest), 20);
}

#[test]
fn who_cannot_be_told_the_time_cannot_begin() {
    for (clock, commands, lacking) in [
        (
            "byoyomi 10 5 3",
            STANDARD,
            "`kata-time_settings` or `kgs-time_settings`",
        ),
        ("fischer 10 1", KGS, "expected `kata-time_settings` among"),
        (
            "fischer-capped 10 1 20 5",
            STANDARD,
            "expected `kata-time_settings` among",
        ),
    ] {
        let summon = |seat| {
            let able = seat == Role::Player(Side::A);
            let commands = if able { KATA } else { commands };
            Ok(Box::new(walker(commands, &[])) as Box<dyn GtpEngine>)
        };
        let error = timed(clock, 2).run(&summon, &mut |_| Ok(())).unwrap_err();
        assert!(
            matches!(error, MatchError::Player { letter: 'B', .. }),
            "{error}"
        );
        assert!(error.to_string().contains(lacking), "{error}");
    }
}

#[test]
fn the_referee_needs_no_clock() {
    let contest = MatchConfig {
        has_referee: true,
        ..timed("fischer 10 1", 1)
    };
    let referee = Scripted::counting(Some("W+0.5"));
    let player = walker(KATA, &[1.0]);
    let (_, games) = play_refereed(&contest, &player, &walker(KATA, &[]), Some(&referee));
    assert_eq!(games[0].1.outcome.result_text(), "W+0.5");
    assert_eq!(heard(&referee, &["time", "kata"]), [""; 0]);
}

#[test]
fn a_program_without_time_left_is_not_shown_the_clocks() {
    let black = walker("kata-time_settings", &[1.0]);
    play(&timed("absolute 10", 1), &black, &passes());
    assert_eq!(heard(&black, &["time_left"]), [""; 0]);
}

#[test]
fn the_record_and_the_table_say_how_the_game_was_timed() {
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
        let contest = timed(clock, 1);
        let mut text = String::new();
        let summon = |_| Ok(Box::new(walker(KATA, &[])) as Box<dyn GtpEngine>);
        let summary = contest
            .run(&summon, &mut |finished| {
                text = game_sgf::to_sgf(finished, &contest.conditions);
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
            config: &contest,
            summary: &summary,
        };
        assert!(
            report
                .to_string()
                .contains(&format!(", clocks {clock}; 1 games")),
            "{report}"
        );
    }
}
