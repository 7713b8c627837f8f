//! Searches that play nothing, what is told of moves, and settings that change what is searched.

use honinbo::engine::settings::EngineSettings;
use honinbo::search::params::SearchParams;

use super::sessions::{Client, endless};
use super::{answers, settings};

#[test]
fn a_search_answers_what_genmove_would_and_plays_nothing() {
    let answers = answers(
        "boardsize 7\nkata-search b\nkata-search_analyze b\nmove_history\nkata-search w\nmove_history\ngenmove b\n",
    );
    let vertex = &answers[6];
    assert_eq!(&answers[1], vertex);
    let (_, told) = answers[2].rsplit_once("\nplay ").expect("a move told");
    assert_eq!(&format!("= {told}"), vertex);
    assert!(answers[2].starts_with("=\ninfo move "), "{}", answers[2]);
    assert_eq!([&answers[3], &answers[5]], ["=", "="]);
    let mut client = Client::new(settings());
    client.send("boardsize 7\nkata-search_cancellable b\n");
    let lines = [client.line(), client.line(), client.line()];
    assert_eq!(&lines[2], vertex);
    client.send("kata-search_analyze_cancellable b\n");
    assert_eq!(client.line(), "");
    assert_eq!(client.line(), "=");
    assert_eq!(client.line_after_analysis(), format!("play {told}"));
    assert_eq!(client.leave(), [""]);
}

#[test]
fn a_search_is_cancelled_by_any_line() {
    for next in ["1 name\n", "\n1 name\n", "# interrupt\n1 name\n"] {
        let mut client = Client::new(endless());
        client.send(&format!("kata-search_cancellable b\n{next}"));
        let lines = client.leave();
        assert_eq!(lines, ["= cancelled", "", "=1 Honinbo", ""], "{next:?}");
        let mut client = Client::new(endless());
        client.send(&format!("2 kata-search_analyze_cancellable b\n{next}"));
        let lines = client.leave();
        assert_eq!(
            lines,
            ["=2", "play cancelled", "", "=1 Honinbo", ""],
            "{next:?}"
        );
    }
}

#[test]
fn an_analysed_search_shows_lines_until_it_is_cancelled() {
    let mut client = Client::new(endless());
    client.send("3 kata-search_analyze_cancellable b 1 maxmoves 1\n");
    assert_eq!(client.line(), "=3");
    assert!(client.line().starts_with("info move "));
    client.send("\n");
    assert_eq!(client.line_after_analysis(), "play cancelled");
    assert_eq!(client.leave(), [""]);
}

#[test]
fn a_search_that_may_not_be_cancelled_ends_at_an_interrupt() {
    let mut client = Client::new(endless());
    client.send("boardsize 5\nkata-search b\n# interrupt\n1 name\n");
    let lines = client.leave();
    assert!(lines[2].starts_with("= ") && lines[2] != "= cancelled");
    assert_eq!(lines[4], "=1 Honinbo");
}

#[test]
fn the_last_move_is_explained_until_the_game_ends() {
    let answers = answers(
        "boardsize 7\ngomill-explain_last_move\ngenmove w\ngomill-explain_last_move\nkata-search b\nplay b pass\ngomill-explain_last_move\nclear_board\ngomill-explain_last_move\n",
    );
    assert_eq!(answers[1], "=");
    let vertex = answers[2].strip_prefix("= ").expect("a move");
    let told = &answers[3];
    assert!(
        told.starts_with(&format!("= white {vertex}: win rate ")),
        "{told}"
    );
    assert!(told.contains(&format!("\nline: {vertex}")), "{told}");
    assert_eq!(told, &answers[6]);
    assert_eq!(answers[8], "=");
}

#[test]
fn a_move_taken_back_is_no_longer_explained() {
    let answers = answers(
        "boardsize 7\ngenmove b\ngomill-explain_last_move\nplay w pass\nundo\ngomill-explain_last_move\nundo\ngomill-explain_last_move\n",
    );
    let told = &answers[2];
    assert!(told.starts_with("= black "), "{told}");
    assert_eq!(told, &answers[5]);
    assert_eq!(answers[7], "=");
}

#[test]
fn lines_and_visits_are_those_of_a_search() {
    let answers =
        answers("boardsize 7\nhoninbo-pv b\nhoninbo-visits b\nkata-search b\nhoninbo-pv\n");
    let line: Vec<_> = answers[1].split(' ').skip(1).collect();
    assert_eq!(format!("= {}", line[0]), answers[3]);
    assert_eq!(answers[1], answers[4]);
    let pairs: Vec<_> = answers[2].split(' ').skip(1).collect();
    let sum: f64 = pairs
        .chunks(2)
        .map(|pair| pair[1].parse::<f64>().expect("a number"))
        .sum();
    // A pass is left out and shares are rounded.
    assert!((60.0..=110.0).contains(&sum), "{sum}");
    assert!(pairs.contains(&line[0]));
}

#[test]
fn cgos_is_told_what_a_move_was_decided_from() {
    let answers = answers("boardsize 7\n4 cgos-genmove_analyze w 100\nlast_move\n");
    let lines: Vec<_> = answers[1].lines().collect();
    assert_eq!((lines[0], lines.len()), ("=4", 3));
    let told: serde_json::Value = serde_json::from_str(lines[1]).expect("JSON");
    let visits: f64 = told["visits"].as_f64().expect("visits");
    assert!((32.0..=34.0).contains(&visits));
    assert!((0.0..=1.0).contains(&told["winrate"].as_f64().expect("a chance")));
    let first = &told["moves"][0];
    let vertex = first["move"].as_str().expect("a vertex");
    assert_eq!(lines[2], format!("play {vertex}"));
    assert_eq!(answers[2], format!("= white {vertex}"));
    assert_ne!(
        first["pv"].as_str().and_then(|line| line.split(' ').next()),
        Some(vertex)
    );
    let owners = told["ownership"].as_str().expect("owners");
    assert_eq!(owners.len(), 49);
}

#[test]
fn visits_and_seeds_change_what_is_searched() {
    let played = |seed: u32| {
        let answers = answers(&format!(
            "boardsize 7\nkata-set-param temperature 5\nset_random_seed {seed}\ngenmove b\ngenmove w\n"
        ));
        answers[3..].to_vec()
    };
    assert_eq!(played(1), played(1));
    assert!((2..10).any(|seed| played(seed) != played(1)));
    seeds_repeat_games_of_any_level();
    let answers = answers(
        "boardsize 7\nkata-set-param maxVisits 200\nkata-search_analyze b maxmoves 1 rootInfo true\nkata-set-param numSearchThreads 2\nkata-benchmark 50\n",
    );
    assert!(answers[2].contains(" rootInfo visits 20"), "{}", answers[2]);
    let told = &answers[4];
    assert!(
        told.starts_with("= 5") && told.contains(" visits in "),
        "{told}"
    );
    assert!(told.ends_with(", 2 threads"), "{told}");
}

/// A seed stands for the same game whether it is set before or after the board is cleared, and however many games there
/// were before.
fn seeds_repeat_games_of_any_level() {
    let moves = "genmove b\ngenmove w\ngenmove b\n";
    for level in [1, 4, 10] {
        let session = format!(
            "boardsize 7\nkata-set-param temperature 5\nhoninbo-param level {level}\n\
             set_random_seed 7\n{moves}clear_board\n{moves}\
             set_random_seed 7\nclear_board\n{moves}clear_board\nset_random_seed 7\n{moves}"
        );
        let answers = answers(&session);
        let game = |first: usize| &answers[first..first + 3];
        let (first, again, cleared) = (game(4), game(13), game(18));
        assert_eq!((again, cleared), (first, first), "level {level}");
    }
}

#[test]
fn parameters_are_listed_as_they_are_set_and_got() {
    let listed = &answers("kata-list-params\n")[0];
    let names: Vec<_> = listed.split(' ').skip(1).collect();
    for info in SearchParams::TABLE {
        // The engine sets this one itself.
        assert_eq!(names.contains(&info.name), info.name != "lead_center");
    }
    for name in ["maxVisits", "maxTime", "numSearchThreads"] {
        assert!(names.contains(&name), "{name}");
    }
    let asked: String = names
        .iter()
        .map(|name| format!("kata-get-param {name}\n"))
        .collect();
    let answers = answers(&format!(
        "kata-set-param cpuct 1.5\nkata-get-params\nhoninbo-param\n{asked}"
    ));
    let all = answers[1].strip_prefix("= ").expect("JSON");
    let all: serde_json::Map<_, _> = serde_json::from_str(all).expect("JSON");
    assert_eq!(all.len(), names.len());
    let lines: Vec<_> = answers[2][2..].lines().collect();
    for (place, name) in names.iter().enumerate() {
        let value = answers[3 + place].strip_prefix("= ").expect("a value");
        assert_eq!(
            serde_json::from_str::<serde_json::Value>(value).ok(),
            all.get(*name).cloned()
        );
        assert!(
            lines[place].ends_with(&format!("] {name} {value}")),
            "{}",
            lines[place]
        );
    }
    assert_eq!(all["cpuct"], 1.5);
}

#[test]
fn threads_can_be_changed_while_it_ponders() {
    let mut client = Client::new(EngineSettings {
        ponder: true,
        ..settings()
    });
    client.send("boardsize 5\ngenmove b\nkata-set-param numSearchThreads 2\n");
    client.send("kata-get-param numSearchThreads\ngenmove w\nkgs-game_over\nmove_history\n");
    let lines = client.leave();
    assert_eq!(lines[6], "= 2");
    assert!(lines[12].starts_with("= white "), "{lines:?}");
}
