//! Search commands that play no move, explanations of moves, and parameters.

use honinbo::engine::settings::EngineSettings;
use honinbo::search::params::SearchParams;

use super::sessions::{connect, endless};
use super::{answers, settings};

#[test]
fn search_returns_genmove_move_without_playing() {
    let answers = answers(
        "boardsize 7\nkata-search b\nkata-search_analyze b\nmove_history\nkata-search w\nmove_history\ngenmove b\n",
    );
    let vertex = &answers[6];
    assert_eq!(&answers[1], vertex);
    let (_, vertex_text) = answers[2].rsplit_once("\nplay ").expect("a final move");
    assert_eq!(&format!("= {vertex_text}"), vertex);
    assert!(answers[2].starts_with("=\ninfo move "), "{}", answers[2]);
    assert_eq!([&answers[3], &answers[5]], ["=", "="]);
    let mut client = connect(settings());
    client.send("boardsize 7\nkata-search_cancellable b");
    let lines = [client.line(), client.line(), client.line()];
    assert_eq!(&lines[2], vertex);
    client.send("kata-search_analyze_cancellable b");
    assert_eq!(client.line(), "");
    assert_eq!(client.line(), "=");
    assert_eq!(client.line_after_analysis(), format!("play {vertex_text}"));
    assert_eq!(client.leave(), [""]);
}

#[test]
fn any_line_cancels_a_cancellable_search() {
    for next in ["1 name", "\n1 name", "# interrupt\n1 name"] {
        let mut client = connect(endless());
        client.send(format!("kata-search_cancellable b\n{next}"));
        let lines = client.leave();
        assert_eq!(lines, ["= cancelled", "", "=1 Honinbo", ""], "{next:?}");
        let mut client = connect(endless());
        client.send(format!("2 kata-search_analyze_cancellable b\n{next}"));
        let lines = client.leave();
        assert_eq!(
            lines,
            ["=2", "play cancelled", "", "=1 Honinbo", ""],
            "{next:?}"
        );
    }
}

#[test]
fn search_analyze_reports_until_cancelled() {
    let mut client = connect(endless());
    client.send("3 kata-search_analyze_cancellable b 1 maxmoves 1");
    assert_eq!(client.line(), "=3");
    assert!(client.line().starts_with("info move "));
    client.send("");
    assert_eq!(client.line_after_analysis(), "play cancelled");
    assert_eq!(client.leave(), [""]);
}

#[test]
fn interrupt_ends_a_noncancellable_search() {
    let mut client = connect(endless());
    client.send("boardsize 5\nkata-search b\n# interrupt\n1 name");
    let lines = client.leave();
    assert!(lines[2].starts_with("= ") && lines[2] != "= cancelled");
    assert_eq!(lines[4], "=1 Honinbo");
}

#[test]
fn last_move_is_explained_until_game_ends() {
    let answers = answers(
        "boardsize 7\ngomill-explain_last_move\ngenmove w\ngomill-explain_last_move\nkata-search b\nplay b pass\ngomill-explain_last_move\nclear_board\ngomill-explain_last_move\n",
    );
    assert_eq!(answers[1], "=");
    let vertex = answers[2].strip_prefix("= ").expect("a move");
    let text = &answers[3];
    assert!(
        text.starts_with(&format!("= white {vertex}: win rate ")),
        "{text}"
    );
    assert!(text.contains(&format!("\nline: {vertex}")), "{text}");
    assert_eq!(text, &answers[6]);
    assert_eq!(answers[8], "=");
}

#[test]
fn undone_move_is_not_explained() {
    let answers = answers(
        "boardsize 7\ngenmove b\ngomill-explain_last_move\nplay w pass\nundo\ngomill-explain_last_move\nundo\ngomill-explain_last_move\n",
    );
    let text = &answers[2];
    assert!(text.starts_with("= black "), "{text}");
    assert_eq!(text, &answers[5]);
    assert_eq!(answers[7], "=");
}

#[test]
fn pv_and_visits_match_a_search() {
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
    // Passes are omitted and percentages are rounded.
    assert!((60.0..=110.0).contains(&sum), "{sum}");
    assert!(pairs.contains(&line[0]));
}

#[test]
fn cgos_receives_move_analysis() {
    let answers = answers("boardsize 7\n4 cgos-genmove_analyze w 100\nlast_move\n");
    let lines: Vec<_> = answers[1].lines().collect();
    assert_eq!((lines[0], lines.len()), ("=4", 3));
    let analysis: serde_json::Value = serde_json::from_str(lines[1]).expect("JSON");
    let visits: f64 = analysis["visits"].as_f64().expect("visits");
    assert!((32.0..=34.0).contains(&visits));
    assert!((0.0..=1.0).contains(&analysis["winrate"].as_f64().expect("a win rate")));
    let first = &analysis["moves"][0];
    let vertex = first["move"].as_str().expect("a vertex");
    assert_eq!(lines[2], format!("play {vertex}"));
    assert_eq!(answers[2], format!("= white {vertex}"));
    assert_ne!(
        first["pv"].as_str().and_then(|line| line.split(' ').next()),
        Some(vertex)
    );
    let ownership = analysis["ownership"].as_str().expect("ownership");
    assert_eq!(ownership.len(), 49);
}

#[test]
fn visits_and_seeds_change_the_search() {
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
    let text = &answers[4];
    assert!(
        text.starts_with("= 5") && text.contains(" visits in "),
        "{text}"
    );
    assert!(text.ends_with(", 2 threads"), "{text}");
}

/// Checks that a seed gives the same game whether it is set before or after `clear_board`, regardless of previous
/// games.
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
fn parameter_lists_match_single_values() {
    let listed = &answers("kata-list-params\n")[0];
    let names: Vec<_> = listed.split(' ').skip(1).collect();
    for info in SearchParams::TABLE {
        // The engine sets this parameter itself.
        assert_eq!(names.contains(&info.name), info.name != "lead_center");
    }
    for name in ["maxVisits", "maxTime", "numSearchThreads"] {
        assert!(names.contains(&name), "{name}");
    }
    let requests: String = names
        .iter()
        .map(|name| format!("kata-get-param {name}\n"))
        .collect();
    let answers = answers(&format!(
        "kata-set-param cpuct 1.5\nkata-get-params\nhoninbo-param\n{requests}"
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
fn threads_can_change_while_pondering() {
    let mut client = connect(EngineSettings {
        ponder: true,
        ..settings()
    });
    client.send("boardsize 5\ngenmove b\nkata-set-param numSearchThreads 2");
    client.send("kata-get-param numSearchThreads\ngenmove w\nkgs-game_over\nmove_history");
    let lines = client.leave();
    assert_eq!(lines[6], "= 2");
    assert!(lines[12].starts_with("= white "), "{lines:?}");
}
