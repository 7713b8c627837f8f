//! Whole matches: colours, openings, the sequential test, replaced programs, what the players are told, the record.

use std::sync::atomic::{AtomicUsize, Ordering};

use honinbo::game::color::Color;
use honinbo::game::point::BoardSize;
use honinbo::match_play::game_sgf;
use honinbo::match_play::gtp_engine::GtpEngine;
use honinbo::match_play::match_stats::{Side, WinDrawLoss};
use honinbo::match_play::opening;
use honinbo::match_play::report::MatchReport;
use honinbo::match_play::runner::{FinishedGame, MatchConfig, MatchError, Role};
use honinbo::match_play::sprt::{Sprt, SprtStatus};
use honinbo::match_play::time::MatchTime;
use honinbo::sgf;

use crate::contest::scripted::Step::{Die, Say};
use crate::contest::scripted::{Scripted, contest, passes, play};

#[test]
fn colours_alternate_and_openings_come_in_pairs() {
    let folder = tempfile::tempdir().unwrap();
    let list = folder.path().join("list.txt");
    std::fs::write(
        &list,
        "# two openings\nC3 B2\n\nD4, pass, A1 # three moves\n",
    )
    .unwrap();
    let mut contest = contest(6);
    contest.openings =
        opening::load(&list, contest.conditions.size, contest.conditions.rules).unwrap();
    contest.concurrency = 3;
    // Black wins every game by counting, so each pair is split.
    let (summary, games) = play(&contest, &passes(), &passes());
    let tally = &summary.stats;
    assert_eq!(
        tally.results(Color::Black),
        WinDrawLoss {
            won: 3,
            ..WinDrawLoss::default()
        }
    );
    assert_eq!(
        tally.results(Color::White),
        WinDrawLoss {
            lost: 3,
            ..WinDrawLoss::default()
        }
    );
    assert_eq!(tally.distinct_games(), 2);
    let counts: Vec<u32> = tally
        .pair_sample()
        .counts
        .iter()
        .map(|&(_, count)| count)
        .collect();
    assert_eq!(counts, [0, 0, 3, 0, 0]);
    for (game, played) in &games {
        let expected = if game / 2 % 2 == 0 { 2 } else { 3 };
        assert_eq!(played.opening_moves, expected, "game {game}");
        assert_eq!(played.record.moves().len(), expected + 2);
    }
}

#[test]
fn a_decided_test_ends_the_match() {
    let sprt = Sprt::new(0.0, 200.0, 0.05, 0.05).unwrap();
    for concurrency in [1, 4] {
        let contest = MatchConfig {
            sprt: Some(sprt),
            concurrency,
            ..contest(1_000)
        };
        let (summary, games) = play(&contest, &passes(), &Scripted::new(&[Say("resign")]));
        assert_eq!(
            contest.sprt_status(&summary.stats),
            Some(SprtStatus::AcceptElo1)
        );
        // Each win adds ln(0.759747 / 0.5) = 0.4184; the bound 2.944 is passed by the eighth.
        assert_eq!((summary.stats.total().won, games.len()), (8, 8));
    }
}

#[test]
fn only_the_culprit_is_replaced() {
    let started = [AtomicUsize::new(0), AtomicUsize::new(0)];
    let summon = |seat| {
        let (index, steps) = match seat {
            Role::Player(Side::A) => (0, vec![]),
            _ => (1, vec![Die]),
        };
        started[index].fetch_add(1, Ordering::Relaxed);
        Ok(Box::new(Scripted::new(&steps)) as Box<dyn GtpEngine>)
    };
    let summary = contest(3).run(&summon, &mut |_| Ok(())).unwrap();
    assert_eq!(summary.stats.faults(Side::B).crashes, 3);
    assert_eq!(started.map(AtomicUsize::into_inner), [1, 3]);
}

#[test]
fn a_program_found_dead_before_a_game_is_replaced_and_plays_it() {
    // Each of A's programs dies after two boards, of which the first one's first is none of a game.
    let mortal = Scripted {
        boards: 2,
        ..passes()
    };
    let (summary, games) = play(&contest(4), &mortal, &passes());
    for (game, played) in games {
        assert_eq!(played.outcome.result_text(), "B+2.5", "game {game}");
    }
    assert_eq!(summary.stats.faults(Side::A).crashes, 2);
    let incidents = summary.stats.incidents();
    let told: Vec<_> = incidents
        .iter()
        .map(|i| (i.game_index, i.culprit))
        .collect();
    assert_eq!(told, [(1, Some(Side::A)), (3, Some(Side::A))]);
    assert_eq!(
        incidents[0].text,
        "counted by both players; white's program was found dead and replaced before: expected an answer to `boardsize 5`, \
         found the program gone (out of paper)"
    );
}

#[test]
fn a_program_that_dies_again_at_once_forfeits() {
    let started = AtomicUsize::new(0);
    let summon = |seat| {
        let boards = match seat {
            Role::Player(Side::A) if started.fetch_add(1, Ordering::Relaxed) > 0 => 0,
            Role::Player(Side::A) => 2,
            _ => usize::MAX,
        };
        let script = Scripted { boards, ..passes() };
        Ok(Box::new(script) as Box<dyn GtpEngine>)
    };
    let summary = contest(3).run(&summon, &mut |_| Ok(())).unwrap();
    assert_eq!(summary.stats.faults(Side::A).crashes, 2);
    assert_eq!(summary.stats.total().lost, 2);
    // The first one, one in its place, and one for the last game.
    assert_eq!(started.into_inner(), 3);
}

#[test]
fn a_match_that_cannot_begin_is_an_error() {
    let refusing = Scripted {
        refuses: "boardsize",
        ..passes()
    };
    let summon = |seat| match seat {
        Role::Player(Side::A) => Ok(Box::new(passes()) as Box<dyn GtpEngine>),
        _ => Ok(Box::new(refusing.clone()) as Box<dyn GtpEngine>),
    };
    let error = contest(2).run(&summon, &mut |_| Ok(())).unwrap_err();
    assert!(
        matches!(error, MatchError::Player { letter: 'B', .. }),
        "{error}"
    );
    let full = |_: &FinishedGame<'_>| Err(std::io::Error::other("disk full"));
    let well = |_| Ok(Box::new(passes()) as Box<dyn GtpEngine>);
    let error = contest(2).run(&well, &mut { full }).unwrap_err();
    assert_eq!(error.to_string(), "game 1: disk full");
}

#[test]
fn rules_and_time_are_told_to_programs_that_want_them() {
    let mut contest = contest(1);
    contest.conditions.time = MatchTime::PerMove(1.5);
    contest.conditions.size = BoardSize::new(7, 5).unwrap();
    let a = Scripted {
        commands: "kata-set-rules\nrectangular_boardsize",
        ..passes()
    };
    let b = passes();
    play(&contest, &a, &b);
    let heard = |script: &Scripted| script.heard.lock().unwrap().join(", ");
    let axes = contest.conditions.rules.fields_json();
    assert!(
        axes.starts_with("{\"friendlyPassOk\":true,")
            && axes.ends_with("\"whiteHandicapBonus\":\"N\"}")
    );
    let told = format!(
        "kata-set-rules {axes}, rectangular_boardsize 7 5, clear_board, komi 7.5, time_settings 0 1 1"
    );
    assert!(heard(&a).contains(&told), "{}", heard(&a));
    let kata = Scripted {
        commands: "kata-time_settings",
        ..passes()
    };
    play(&contest, &kata, &b);
    assert!(heard(&kata).contains("kata-time_settings canadian 0 1.5 1"));
    assert!(
        heard(&b).contains("list_commands, boardsize 7 5, clear_board"),
        "{}",
        heard(&b)
    );
    contest.conditions.time = MatchTime::Unlimited;
    play(&contest, &a, &b);
    assert!(
        heard(&b).ends_with("time_settings 0 1 0, play black pass, genmove white, final_score"),
        "{}",
        heard(&b)
    );
}

#[test]
fn the_record_names_players_result_and_reason() {
    let contest = contest(2);
    let a = Scripted::new(&[Say("B5"), Say("resign")]);
    let mut texts = Vec::new();
    let summon = |seat| {
        let script = if seat == Role::Player(Side::A) {
            a.clone()
        } else {
            passes()
        };
        Ok(Box::new(script) as Box<dyn GtpEngine>)
    };
    let summary = contest
        .run(&summon, &mut |finished| {
            texts.push(game_sgf::to_sgf(finished, &contest.conditions));
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
    // Black passed, White played the second column of the top row, Black passed.
    assert_eq!(nodes.len(), 4);
    assert_eq!(value(1, "B").as_deref(), Some(""));
    assert_eq!(value(2, "W").as_deref(), Some("ba"));
    let report = MatchReport {
        config: &contest,
        summary: &summary,
    }
    .to_string();
    assert!(
        report.contains("together         0     2     0    0.0 %"),
        "{report}"
    );
}
