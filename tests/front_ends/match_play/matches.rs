//! Whole matches: colours, openings, SPRT, restarted engines, commands sent to the engines, and the SGF file.

use std::sync::atomic::{AtomicUsize, Ordering};

use honinbo::game::color::Color;
use honinbo::game::point::BoardSize;
use honinbo::match_play::finished_game::FinishedGame;
use honinbo::match_play::game::FaultKind;
use honinbo::match_play::game_sgf;
use honinbo::match_play::match_config::{MatchConfig, MatchError, Role};
use honinbo::match_play::report::MatchReport;
use honinbo::match_play::side::Side;
use honinbo::match_play::sprt::{Sprt, SprtStatus};
use honinbo::match_play::time_settings::MatchTime;
use honinbo::sgf;

use crate::match_play::scripted::Step::{Exit, Respond};
use crate::match_play::scripted::{
    Scripted, match_config, passes, play, run_match, set_openings, wins_draws_losses,
};

#[test]
fn colours_alternate_and_openings_are_paired() {
    let mut config = match_config(6);
    let lines = "# two openings\nC3 B2\n\nD4, pass, A1 # three moves\n";
    set_openings(&mut config, lines);
    config.concurrency = 3;
    // Black wins every game, so each pair is tied.
    let (summary, games) = play(&config, &passes(), &passes());
    let stats = &summary.stats;
    assert_eq!(stats.results_as(Color::Black), wins_draws_losses(3, 0, 0));
    assert_eq!(stats.results_as(Color::White), wins_draws_losses(0, 0, 3));
    // The third pair repeats the first.
    assert_eq!(stats.distinct_game_count(), 4);
    let pairs = (stats.pair_sample().counts.into_iter()).map(|(_, count)| count);
    assert_eq!(pairs.collect::<Vec<_>>(), [0, 0, 2, 0, 0]);
    for (game, played) in &games {
        let expected = if game / 2 % 2 == 0 { 2 } else { 3 };
        assert_eq!(played.opening_moves, expected, "game {game}");
        assert_eq!(played.record.moves().len(), expected + 2);
    }
}

#[test]
fn decided_sprt_ends_the_match() {
    let sprt = Sprt::new(0.0, 200.0, 0.05, 0.05).unwrap();
    // Distinct games, although the engines always play the same moves.
    let points =
        (1..=5).flat_map(|row| ["A", "B", "C", "D", "E"].map(|column| format!("{column}{row}")));
    let lines = points.collect::<Vec<_>>().join("\n");
    for concurrency in [1, 4] {
        let mut config = MatchConfig {
            sprt: Some(sprt),
            concurrency,
            ..match_config(1_000)
        };
        set_openings(&mut config, &lines);
        let (summary, games) = play(&config, &passes(), &Scripted::new(&[Respond("resign")]));
        assert_eq!(
            config.sprt_status(&summary.stats),
            Some(SprtStatus::AcceptElo1)
        );
        assert_eq!(summary.stats.total_results().lost, 0);
        assert!(games.len() < 20, "{}", games.len());
    }
}

#[test]
fn duplicate_games_decide_nothing() {
    let config = MatchConfig {
        sprt: Some(Sprt::new(0.0, 200.0, 0.05, 0.05).unwrap()),
        ..match_config(30)
    };
    let (summary, games) = play(&config, &passes(), &Scripted::new(&[Respond("resign")]));
    assert_eq!(games.len(), 30);
    assert_eq!(summary.stats.total_results().won, 30);
    // One game with each colour.
    assert_eq!(summary.stats.game_sample().size(), 2);
    let report = MatchReport {
        config: &config,
        summary: &summary,
    }
    .to_string();
    assert!(
        report.contains("not counted below: 28 duplicate games"),
        "{report}"
    );
}

#[test]
fn only_the_faulty_engine_is_restarted() {
    let started = [AtomicUsize::new(0), AtomicUsize::new(0)];
    let launch = |role| {
        let (index, steps) = match role {
            Role::Player(Side::A) => (0, vec![]),
            _ => (1, vec![Exit]),
        };
        started[index].fetch_add(1, Ordering::Relaxed);
        Scripted::new(&steps).launch()
    };
    let summary = run_match(&match_config(3), &launch, &mut |_| Ok(())).unwrap();
    assert_eq!(summary.stats.faults(Side::B)[FaultKind::Crash as usize], 3);
    assert_eq!(started.map(AtomicUsize::into_inner), [1, 3]);
}

#[test]
fn engine_exited_between_games_is_restarted() {
    // Each of A's engines exits after two boards. The first board of the first engine is set up before the match.
    let exiting = Scripted {
        games_before_exit: 2,
        ..passes()
    };
    let (summary, games) = play(&match_config(4), &exiting, &passes());
    for (game, played) in games {
        assert_eq!(played.outcome.result_text(), "B+2.5", "game {game}");
    }
    assert_eq!(summary.stats.faults(Side::A)[FaultKind::Crash as usize], 2);
    let incidents = summary.stats.incidents();
    let culprits = incidents.iter().map(|i| (i.game_index, i.culprit));
    let expected = [(1, Some(Side::A)), (3, Some(Side::A))];
    assert_eq!(culprits.collect::<Vec<_>>(), expected);
    assert_eq!(
        incidents[0].text,
        "counted by both players; white's program had exited and was restarted before the game: the program exited \
         without responding to `boardsize 5` (out of paper)"
    );
}

#[test]
fn engine_exiting_after_restart_forfeits() {
    let started = AtomicUsize::new(0);
    let launch = |role| {
        let games_before_exit = match role {
            Role::Player(Side::A) if started.fetch_add(1, Ordering::Relaxed) > 0 => 0,
            Role::Player(Side::A) => 2,
            _ => usize::MAX,
        };
        let script = Scripted {
            games_before_exit,
            ..passes()
        };
        script.launch()
    };
    let summary = run_match(&match_config(3), &launch, &mut |_| Ok(())).unwrap();
    assert_eq!(summary.stats.faults(Side::A)[FaultKind::Crash as usize], 2);
    assert_eq!(summary.stats.total_results().lost, 2);
    // The first engine, its replacement, and one for the last game.
    assert_eq!(started.into_inner(), 3);
}

#[test]
fn failing_start_is_an_error() {
    let refusing = Scripted {
        failing_command: "boardsize",
        ..passes()
    };
    let launch = |role| match role {
        Role::Player(Side::A) => passes().launch(),
        _ => refusing.launch(),
    };
    let error = run_match(&match_config(2), &launch, &mut |_| Ok(())).unwrap_err();
    assert!(
        matches!(error, MatchError::Player { letter: 'B', .. }),
        "{error}"
    );
    let full = |_: &FinishedGame<'_>| Err(std::io::Error::other("disk full"));
    let working = |_| passes().launch();
    let error = run_match(&match_config(2), &working, &mut { full }).unwrap_err();
    assert_eq!(error.to_string(), "game 1: disk full");
}

#[test]
fn rules_and_time_use_supported_commands() {
    let mut config = match_config(1);
    config.conditions.time = MatchTime::PerMove(1.5);
    config.conditions.size = BoardSize::new(7, 5).unwrap();
    let a = Scripted {
        commands: "kata-set-rules\nrectangular_boardsize",
        ..passes()
    };
    let b = passes();
    play(&config, &a, &b);
    let received = |script: &Scripted| script.received.lock().unwrap().join(", ");
    let fields = config.conditions.rules.fields_json();
    assert!(
        fields.starts_with("{\"friendlyPassOk\":true,")
            && fields.ends_with("\"whiteHandicapBonus\":\"N\"}")
    );
    let expected = format!(
        "kata-set-rules {fields}, rectangular_boardsize 7 5, clear_board, komi 7.5, time_settings 0 1 1"
    );
    assert!(received(&a).contains(&expected), "{}", received(&a));
    let kata = Scripted {
        commands: "kata-time_settings",
        ..passes()
    };
    play(&config, &kata, &b);
    assert!(received(&kata).contains("kata-time_settings canadian 0 1.5 1"));
    let found = received(&b);
    assert!(
        found.contains("list_commands, boardsize 7 5, clear_board"),
        "{found}"
    );
    config.conditions.time = MatchTime::Unlimited;
    play(&config, &a, &b);
    let found = received(&b);
    let end = "time_settings 0 1 0, play black pass, genmove white, final_score";
    assert!(found.ends_with(end), "{found}");
}

#[test]
fn sgf_names_players_result_and_reason() {
    let config = match_config(2);
    let a = Scripted::new(&[Respond("B5"), Respond("resign")]);
    let mut texts = Vec::new();
    let launch = |role| match role {
        Role::Player(Side::A) => a.launch(),
        _ => passes().launch(),
    };
    let summary = run_match(&config, &launch, &mut |finished| {
        texts.push(game_sgf::to_sgf(finished));
        Ok(())
    })
    .unwrap();
    let parsed = sgf::parse(texts[1].as_bytes()).unwrap();
    assert_eq!(parsed.warnings, []);
    let game = parsed.first_game();
    let nodes: Vec<_> = game.main_line().map(|id| game.node(id)).collect();
    let value = |index: usize, name| nodes[index].value(name).map(sgf::Value::text);
    for (name, expected) in [
        ("RE", "B+R"),
        ("PW", "Scripted 7 (A)"),
        ("KM", "7.5"),
        ("SZ", "5"),
    ] {
        assert_eq!(value(0, name).as_deref(), Some(expected), "{name}");
    }
    let comment = value(0, "C").unwrap();
    assert!(
        comment.contains("White: A, first") && comment.contains("white resigned"),
        "{comment}"
    );
    // Black passed, White played the second point of the top row, Black passed.
    assert_eq!(nodes.len(), 4);
    assert_eq!(value(1, "B").as_deref(), Some(""));
    assert_eq!(value(2, "W").as_deref(), Some("ba"));
    let report = MatchReport {
        config: &config,
        summary: &summary,
    }
    .to_string();
    assert!(
        report.contains("total            0     2     0     0.0%"),
        "{report}"
    );
}
