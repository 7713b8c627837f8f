//! Generated moves, their analysis lines, and move restrictions.

use honinbo::engine::settings::EngineSettings;
use honinbo::search::alphabeta::options::AlphaBetaOptions;
use honinbo::search::params::{Algorithm, SearchParams};

use super::sessions::endless;
use super::{answers, converse_with, engine, run_session, settings};
use crate::pipes::Client;

/// Splits an analysis line into blocks of words: one per move, then the root and the ownership.
fn blocks(line: &str) -> Vec<Vec<&str>> {
    let mut blocks: Vec<Vec<&str>> = Vec::new();
    for word in line.split(' ') {
        if ["info", "rootInfo", "ownership"].contains(&word) {
            blocks.push(Vec::new());
        }
        blocks.last_mut().expect("a block name").push(word);
    }
    blocks
}

/// Returns the value after a key in a block.
fn value<'a>(block: &[&'a str], key: &str) -> &'a str {
    let place = block.iter().position(|word| *word == key);
    block[place.unwrap_or_else(|| panic!("no {key} in {block:?}")) + 1]
}

fn number(block: &[&str], key: &str) -> f64 {
    value(block, key).parse().expect("a number")
}

/// Returns the keys of a block, up to its principal variation.
fn keys<'a>(block: &[&'a str]) -> Vec<&'a str> {
    let line = block.iter().position(|word| *word == "pv");
    let pairs = &block[1..line.unwrap_or(block.len())];
    pairs.iter().step_by(2).copied().collect()
}

/// The evaluator of these tests does not predict `scoreStdev`.
const VALUES: [&str; 5] = [
    "utility",
    "winrate",
    "scoreMean",
    "scoreLead",
    "scoreSelfplay",
];

#[test]
fn kata_lines_have_only_requested_fields() {
    let all = "rootInfo true ownership true pvVisits true minmoves 3 movesOwnership false";
    let answers = answers(&format!(
        "boardsize 7\nkata-genmove_analyze b\n2 genmove_analyze w maxmoves 2 {all}\n"
    ));
    let lines: Vec<_> = answers[1].lines().collect();
    assert_eq!((lines[0], lines.len()), ("=", 3), "{lines:?}");
    let plain = blocks(lines[1]);
    let expected = [
        &["move", "visits", "edgeVisits"][..],
        &VALUES,
        &["prior", "lcb", "utilityLcb", "weight", "order"],
    ]
    .concat();
    for (order, block) in plain.iter().enumerate() {
        assert_eq!(keys(block), expected);
        assert_eq!(number(block, "order"), order as f64);
        assert_eq!(value(block, "pv"), value(block, "move"));
        assert!((0.0..=1.0).contains(&number(block, "winrate")));
        assert!(number(block, "lcb") <= number(block, "winrate"));
        assert!(!block.contains(&"pvVisits"));
    }
    let visits: f64 = plain.iter().map(|block| number(block, "visits")).sum();
    assert!((30.0..=33.0).contains(&visits), "{visits} of 32");
    let full: Vec<_> = answers[2].lines().collect();
    assert_eq!(full[0], "=2");
    let full = blocks(full[1]);
    let names: Vec<_> = full.iter().map(|block| block[0]).collect();
    assert_eq!(names, ["info", "info", "rootInfo", "ownership"]);
    for block in &full[..2] {
        let place = |key| block.iter().position(|word| *word == key).expect("a key");
        let (line, visits) = (place("pv"), place("pvVisits"));
        assert_eq!(visits - line, block.len() - visits, "{block:?}");
        assert_eq!(value(block, "pvVisits"), value(block, "visits"));
    }
    assert_eq!(
        keys(&full[2]),
        [&["visits"][..], &VALUES, &["weight"]].concat()
    );
    let ownership: Vec<f64> = full[3][1..]
        .iter()
        .map(|word| word.parse().unwrap())
        .collect();
    assert_eq!(ownership.len(), 49);
    assert!(ownership.iter().all(|value| (-1.0..=1.0).contains(value)));
}

#[test]
fn depth_search_reports_nodes() {
    let settings = EngineSettings {
        params: SearchParams {
            algorithm: Algorithm::AlphaBeta(AlphaBetaOptions::with_depth(Some(2))),
            ..SearchParams::default()
        },
        visits: None,
        ..settings()
    };
    let commands = "boardsize 5\n1 kata-genmove_analyze b rootInfo true\n2 gomill-explain_last_move\n\
                    3 lz-genmove_analyze w\n";
    let output = converse_with(&mut engine(settings.clone()), commands.as_bytes());
    let responses: Vec<_> = output.trim_end().split("\n\n").collect();
    let [_, kata, explanation, leela] = responses[..] else {
        panic!("{output}");
    };
    let line = kata
        .lines()
        .find(|line| line.starts_with("info "))
        .expect("an analysis line");
    let blocks = blocks(line);
    let (best, root) = (&blocks[0], blocks.last().expect("the root"));
    assert_eq!((root[0], value(root, "depth")), ("rootInfo", "2"));
    let nodes = value(root, "nodes");
    assert_eq!(value(root, "visits"), nodes);
    assert!(number(root, "nodes") >= 25.0);
    assert!(number(root, "nps") > 0.0);
    // Value and principal variation of the move that is played.
    assert_eq!(value(best, "scoreLead"), value(root, "scoreLead"));
    let played = value(best, "move");
    assert!(kata.ends_with(&format!("play {played}")), "{kata}");
    let pv = &best[best.iter().position(|word| *word == "pv").expect("a line") + 1..];
    assert_eq!((pv.len(), pv[0]), (2, played));
    let explained = format!("\nline: {}\ndepth 2, {nodes} nodes, ", pv.join(" "));
    assert!(explanation.contains(&explained), "{explanation}");
    assert!(explanation.ends_with(" nodes/s"), "{explanation}");
    // Leela Zero's format has no such fields.
    assert!(
        leela.contains("info move ") && !leela.contains("nodes"),
        "{leela}"
    );

    let mut client = Client::new(move |input, mut output| {
        run_session(&mut engine(settings), input, &mut output);
    });
    client.send("boardsize 5\nkata-analyze b 1 rootInfo true");
    assert_eq!(
        [client.line(), client.line(), client.line()],
        ["= ", "", "="]
    );
    // The last line follows the end of the search.
    while !client.line().contains(" depth 2 nodes ") {}
    client.leave();
}

#[test]
fn leela_lines_have_integers() {
    let answers = answers("boardsize 7\n8 lz-genmove_analyze w 100 rootInfo true ownership true\n");
    let lines: Vec<_> = answers[1].lines().collect();
    assert_eq!(lines[0], "=8");
    for block in blocks(lines[1]) {
        assert_eq!(
            keys(&block),
            ["move", "visits", "winrate", "prior", "lcb", "order"]
        );
        for key in ["winrate", "prior", "lcb"] {
            let whole: i32 = value(&block, key).parse().expect("a whole number");
            assert!((0..=10_000).contains(&whole));
        }
    }
}

#[test]
fn returned_move_is_the_move_played() {
    for command in [
        "genmove b",
        "kata-genmove_analyze b",
        "lz-genmove_analyze b",
    ] {
        let first = &answers(&format!("boardsize 7\n{command}\n"))[1];
        let (_, vertex) = first.rsplit_once(' ').expect("a vertex");
        let after = answers(&format!(
            "boardsize 7\n{command}\nplay w {vertex}\nundo\nplay w {vertex}\nundo\nundo\n"
        ));
        assert_eq!(&after[1], first);
        assert!(after[2].starts_with("? illegal move: "), "{}", after[2]);
        assert_eq!(after[3..6], ["=", "=", "="]);
        assert!(after[6].starts_with("? cannot undo: "), "{}", after[6]);
    }
}

#[test]
fn reg_genmove_is_reproducible_and_plays_nothing() {
    let answers = answers(
        "boardsize 7\nplay b D4\nshowboard\nreg_genmove w\nreg_genmove w\nshowboard\nreg_genmove b\nshowboard\n",
    );
    assert_eq!(answers[3], answers[4]);
    assert_eq!(answers[2], answers[5]);
    assert_eq!(answers[2], answers[7]);
}

#[test]
fn avoid_and_allow_restrict_the_move() {
    for restriction in [
        "b allow b A1,B1,pass 1",
        "allow b A1,B1 1 allow b pass 1 allow w C1 1",
        "B 100 avoid b A1 1 allow b A1,B1 1",
        "b allow b B1:A1,pass 1",
    ] {
        let answer = &answers(&format!(
            "boardsize 7\nkata-genmove_analyze {restriction}\n"
        ))[1];
        let mut lines = answer.lines().skip(1);
        for block in blocks(lines.next().expect("a line of analysis")) {
            assert!(["A1", "B1", "pass"].contains(&value(&block, "move")));
        }
        let played = lines.next().expect("the move");
        assert!(
            ["play A1", "play B1", "play pass"].contains(&played),
            "{played}"
        );
    }
    let avoid = "avoid w A1:A2 1 avoid w A3 5 avoid b B1 1 avoid w B2,B3,pass 1";
    let answer = &answers(&format!("boardsize 3\nkata-genmove_analyze w {avoid}\n"))[1];
    for block in blocks(answer.lines().nth(1).expect("a line of analysis")) {
        let shown = value(&block, "move");
        assert!(["B1", "C1", "C2", "C3"].contains(&shown), "{shown}");
    }
}

#[test]
fn moves_are_generated_after_game_end() {
    let answers = answers(
        "boardsize 7\nplay b pass\nplay w pass\ngenmove b\nkata-genmove_analyze w\nkgs-genmove_cleanup b\nundo\nundo\nundo\nundo\n",
    );
    let vertex = answers[3].strip_prefix("= ").expect("a move");
    assert_ne!(vertex, "");
    assert!(answers[4].contains("info move "), "{}", answers[4]);
    assert!(answers[5].starts_with("= "), "{}", answers[5]);
    assert_eq!(answers[6..], ["=", "=", "=", "="]);
}

#[test]
fn expired_clock_still_gives_move_and_line() {
    // Only the clock ends these searches.
    let mut engine = engine(endless());
    let text = converse_with(
        &mut engine,
        b"time_settings 10 0 0\ntime_left b 0 0\nkata-genmove_analyze b\ntime_left w -30 0\ngenmove w\n",
    );
    let answers: Vec<_> = text.trim_end().split("\n\n").collect();
    let lines: Vec<_> = answers[2].lines().collect();
    assert_eq!(lines.len(), 3, "{lines:?}");
    assert!(lines[1].starts_with("info move ") && lines[2].starts_with("play "));
    assert!(answers[4].starts_with("= "), "{}", answers[4]);
}

#[test]
fn every_time_control_ends_a_search() {
    // The other side has plenty of time.
    let plenty = 1_000_000;
    for (settings, left) in [
        (format!("time_settings {plenty} 0 0"), ("0 0", "1000000 0")),
        (format!("time_settings 0 {plenty} 1"), ("0 1", "1000000 1")),
        (
            format!("kgs-time_settings byoyomi 0 {plenty} 1"),
            ("0 1", "1000000 1"),
        ),
        (
            format!("kgs-time_settings canadian 0 {plenty} 25"),
            ("0 25", "1000000 25"),
        ),
        (
            format!("kata-time_settings absolute {plenty}"),
            ("0 0", "1000000 0"),
        ),
    ] {
        for (color, other) in [("b", "w"), ("w", "b")] {
            let mut engine = engine(endless());
            let (none, all) = left;
            let text = format!(
                "{settings}\ntime_left {color} {none}\ntime_left {other} {all}\ngenmove {color}\n"
            );
            let answers = converse_with(&mut engine, text.as_bytes());
            assert_eq!(answers.matches("= ").count(), 4, "{settings}: {answers}");
        }
    }
}

#[test]
fn game_ended_by_passes_is_printed_with_its_result() {
    let answers = answers("komi 6.5\nplay b D4\nplay w pass\nprintsgf\nplay b pass\nprintsgf\n");
    assert!(!answers[3].contains("RE["), "{}", answers[3]);
    assert!(answers[5].contains("RE[B+"), "{}", answers[5]);
}

#[test]
fn komi_in_stones_is_converted() {
    let answers =
        answers("komi 3.75\nget_komi\nkomi 2.75\nget_komi\nkomi 3.5\nget_komi\nkomi 3.75 0\n");
    assert_eq!(
        [&answers[1], &answers[3], &answers[5]],
        ["= 7.5", "= 5.5", "= 3.5"]
    );
    assert!(answers[6].starts_with('?'), "{}", answers[6]);
}

#[test]
fn processor_time_never_decreases() {
    let answers = answers("cputime\ngenmove b\ngomill-cpu_time now\n");
    let seconds = |answer: &str| answer.trim_start_matches("= ").parse::<f64>();
    let [before, after] = [0, 2].map(|index| seconds(&answers[index]).expect("seconds"));
    assert!(0.0 < before && before <= after, "{before} {after}");
}

#[test]
fn opponent_can_resign() {
    let answers = answers("play b D4\nplay w Resign\nprintsgf\nplay w resign D4\nundo\nprintsgf\n");
    assert_eq!(answers[1], "=");
    assert!(answers[2].contains("RE[B+R]"), "{}", answers[2]);
    assert_eq!(answers[3], "? syntax error: unexpected argument \"D4\"");
    assert!(!answers[5].contains("RE["), "{}", answers[5]);
}

#[test]
fn rejected_sequence_keeps_the_resignation() {
    let mut engine = engine(EngineSettings {
        resign_percent: Some(100.0),
        ..settings()
    });
    let mut send = |line: &str| converse_with(&mut engine, line.as_bytes());
    send("boardsize 5");
    let resigns = ["b", "w"]
        .into_iter()
        .cycle()
        .take(40)
        .any(|color| send(&format!("genmove {color}")).contains("resign"));
    assert!(resigns, "resigns with a threshold of 100%");
    let game = send("printsgf");
    assert!(game.contains("RE["), "{game}");
    let rejected = send("gogui-play_sequence w pass b pass w pass w A1 w A1");
    assert!(rejected.starts_with("? illegal move"), "{rejected}");
    assert_eq!(send("printsgf"), game);
}
