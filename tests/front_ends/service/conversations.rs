//! Requests and responses of the operators.

use honinbo::service::limits;
use serde_json::{Value, json};

use super::{Service, code, endless};
use crate::program::honinbo;

#[test]
fn run_returns_best_legal_moves() {
    let (_service, mut client) = Service::with_client(&[]);
    let board = json!([[0, 1, 0], [1, -1, 1], [0, 0, 0]]);
    let response =
        client.request(&json!({"id": 7, "operator": "run", "board": board, "color": "black"}));
    assert_eq!(
        (&response["id"], &response["color"]),
        (&json!(7), &json!("black"))
    );
    assert_eq!(response["visits"], 50);
    let moves = response["moves"].as_array().unwrap();
    assert_eq!(moves.len(), 5);
    for found in moves {
        let vertex = found["vertex"].as_str().unwrap();
        assert_eq!(found["pv"][0], vertex);
        if vertex != "pass" {
            let (x, y) = (found["x"].as_u64().unwrap(), found["y"].as_u64().unwrap());
            assert_eq!(
                vertex,
                format!("{}{}", ["A", "B", "C"][x as usize - 1], 4 - y)
            );
            assert_eq!(board[y as usize - 1][x as usize - 1], 0, "{vertex}");
        }
    }
    let visits: Vec<u64> = moves
        .iter()
        .map(|found| found["visits"].as_u64().unwrap())
        .collect();
    assert!(
        visits.iter().sum::<u64>() < 50 && visits[0] > 0,
        "{visits:?}"
    );
    let all = client
        .request(&json!({"operator": "run", "board": board, "color": "w", "top": 99, "visits": 1}));
    // White would have no liberty in the upper corners. Three of the five empty points remain, and a pass.
    assert_eq!(all["moves"].as_array().unwrap().len(), 5 - 2 + 1);
    assert_eq!(all.get("id"), None);
}

#[test]
fn run_accepts_board_without_rows() {
    let (_service, mut client) = Service::with_client(&[]);
    client.send(r#"{"operator":"run","board":[],"color":"black"}"#);
    let response = client.receive().expect("a response");
    assert_eq!(
        (&response["color"], &response["visits"]),
        (&json!("black"), &json!(50))
    );
    assert_eq!(response["moves"].as_array().unwrap().len(), 5);
    let position = json!({"operator": "position", "board": [], "color": "black"});
    let state = client.request(&position);
    assert_eq!(state["board"], json!(vec![vec![0; 19]; 19]));
    let position = json!({"operator": "position", "board": [], "size": [5, 3]});
    assert_eq!(
        client.request(&position)["board"],
        json!(vec![vec![0; 5]; 3])
    );
    client.send(r#"{"operator":"run","board":[[]],"color":"black"}"#);
    assert_eq!(code(&client.receive().expect("a response")), "boardSize");
}

#[test]
fn position_operators_list_position_fields() {
    let (_service, mut client) = Service::with_client(&[]);
    let operators = client
        .request(&json!({"operator": "operators"}))
        .to_string();
    let position =
        "board|size [history] [moves] [color] [rules] [komi] [handicap] [prisoners] [recorded]";
    assert_eq!(operators.matches(position).count(), 5, "{operators}");
}

#[test]
fn run_supports_ownership_ko_rules_and_sizes() {
    let (_service, mut client) = Service::with_client(&[]);
    let request = json!({"operator": "run", "size": [5, 4], "moves": [["B", "C2"]], "ownership": true, "visits": 9});
    let response = client.request(&request);
    assert_eq!(response["color"], "white");
    assert!(response["ownership"].is_array());
    // A ko: Black has just captured at C3, and White may not recapture.
    let before = json!([[0, 1, -1, 0], [1, -1, 0, -1], [0, 1, -1, 0], [0, 0, 0, 0]]);
    let run = |extra: Value| {
        let mut request =
            json!({"operator": "run", "board": before, "moves": [["B", "C3"]], "top": 99});
        request
            .as_object_mut()
            .unwrap()
            .extend(extra.as_object().unwrap().clone());
        request
    };
    for (extra, legal) in [
        (json!({}), false),
        (json!({"rules": "japanese"}), false),
        (
            json!({"moves": [["B", "C3"], ["W", "A1"], ["B", "D1"]]}),
            true,
        ),
    ] {
        let response = client.request(&run(extra.clone()));
        let moves = response["moves"].as_array().unwrap();
        let found = moves.iter().any(|found| found["vertex"] == "B3");
        assert_eq!(found, legal, "{extra}: {response}");
    }
}

#[test]
fn stream_reports_progress_until_cancelled() {
    let (_service, mut client) = Service::with_client(&[]);
    client.send(endless("s"));
    let visits = |response: &Value| response["visits"].as_u64().unwrap();
    let first = client.receive().unwrap();
    let second = client.receive().unwrap();
    assert_eq!((&first["id"], &first["done"]), (&json!("s"), &json!(false)));
    assert!(visits(&second) > visits(&first), "{first} {second}");
    client.send(json!({"id": "c", "operator": "cancel", "cancelId": "s"}).to_string());
    let (mut cancelled, mut done) = (false, false);
    while !(cancelled && done) {
        let response = client.receive().unwrap();
        assert!(
            response["id"] == "c" || !done,
            "{response} after the last one"
        );
        cancelled |= response["id"] == "c";
        done |= response["done"] == true;
    }
    // There are no further responses.
    assert_eq!(
        client.request(&json!({"operator": "ping"})),
        json!({"pong": true})
    );
}

#[test]
fn waiting_requests_are_cancelled_before_starting() {
    let (_service, mut client) = Service::with_client(&[]);
    for id in 0..10 {
        let run = json!({"id": id, "operator": "run", "size": 19, "visits": 10_000_000});
        client.send(run.to_string());
    }
    // Two searches run at a time.
    client.send(json!({"id": "c", "operator": "cancel"}).to_string());
    let mut responses: Vec<Value> = (0..11).map(|_| client.receive().unwrap()).collect();
    let at = responses.iter().position(|response| response["id"] == "c");
    let cancelled = responses.remove(at.unwrap())["cancelled"].as_u64().unwrap();
    let has_ended =
        |response: &&Value| code(response) == "cancelled" || response["moves"].is_array();
    assert!(cancelled >= 8, "{cancelled}");
    assert_eq!(responses.iter().filter(has_ended).count(), 10);
}

/// Checks that each intermediate response of a review contains the data added by one more position.
fn assert_updates_precede_review(updates: &[Value], review: &Value) {
    for (index, update) in updates.iter().enumerate() {
        assert_eq!((&update["done"], &update["of"]), (&json!(false), &json!(4)));
        assert_eq!(update["positions"], index + 1);
        assert_eq!(update["from"], index);
        let position = &review["positions"][index];
        assert_eq!(update["newPositions"], json!([position]));
        let moves = review["moves"].as_array().unwrap();
        let new_moves = &moves[index.saturating_sub(1)..index];
        assert_eq!(update["newMoves"], json!(new_moves));
        assert_eq!(update["players"]["black"]["moves"], index.div_ceil(2));
    }
}

fn listed_ids(response: &Value) -> Vec<u64> {
    let games = response["games"].as_array().unwrap().iter();
    games
        .map(|game| game["gobanId"].as_u64().unwrap())
        .collect()
}

#[test]
fn stored_games_are_listed_exported_and_deleted() {
    let (service, mut client) = Service::with_client(&[]);
    let sgf = "(;SZ[5]PB[Ada \u{9ed1}]PW[Ben]DT[2026-01-02];B[cc];W[bb]\n;B[])";
    let save = json!({"operator": "saveGoban", "goban": sgf});
    let saved = |is_new: bool| json!({"gobanId": 1, "new": is_new, "updated": false});
    assert_eq!(client.request(&save), saved(true));
    // Other clients have access to it, and the same game is not stored twice.
    assert_eq!(service.client().request(&save), saved(false));
    for number in 2..6 {
        let goban = format!("(;SZ[9]PB[Zoe]RE[W+{number}];B[cc])");
        client.request(&json!({"operator": "saveGoban", "goban": goban}));
    }
    let page = client.request(&json!({"operator": "listGoban", "limit": 3}));
    assert_eq!(page["next"], 3);
    assert_eq!(listed_ids(&page), [5, 4, 3]);
    let page = client.request(&json!({"operator": "listGoban", "limit": 3, "before": 3}));
    assert_eq!(page["next"], Value::Null);
    assert_eq!(listed_ids(&page), [2, 1]);
    for (filter, found) in [
        (json!({"player": "zoe", "result": "W+3"}), vec![3]),
        (json!({"player": "ADA"}), vec![1]),
        (json!({"size": 5}), vec![1]),
        (json!({"to": "2026-01"}), vec![1]),
        (json!({"from": "2027"}), vec![]),
    ] {
        let mut request = filter.clone();
        request["operator"] = "listGoban".into();
        assert_eq!(listed_ids(&client.request(&request)), found, "{filter}");
    }
    let malformed = json!({"operator": "listGoban", "from": "28.11.2026"});
    assert_eq!(client.error_code(&malformed), "field");
    let export = client.request(&json!({"operator": "exportGoban", "player": "z"}));
    assert_eq!(export["count"], 4);
    assert_eq!(export["goban"].as_str().unwrap().lines().count(), 4);
    let delete = json!({"operator": "deleteGoban", "gobanId": 1});
    assert_eq!(client.request(&delete), json!({"deleted": 1}));
    for operator in ["deleteGoban", "loadGoban", "reviewGoban"] {
        let request = json!({"operator": operator, "gobanId": 1});
        assert_eq!(client.error_code(&request), "notFound");
    }
}

#[test]
fn review_is_streamed_and_stored() {
    let (service, mut client) = Service::with_client(&[]);
    let sgf = "(;SZ[5];B[cc];W[bb]\n;B[])";
    client.request(&json!({"operator": "saveGoban", "goban": sgf}));
    let review = json!({"operator": "reviewGoban", "gobanId": 1, "visits": 5, "stream": true});
    client.send(review.to_string());
    let updates: Vec<Value> = (1..4).map(|_| client.receive().unwrap()).collect();
    let reviewed = client.receive().unwrap();
    assert_updates_precede_review(&updates, &reviewed["review"]);
    assert_eq!(reviewed["done"], true);
    assert_eq!(reviewed["review"]["positions"].as_array().unwrap().len(), 4);
    // The next request returns it without searching.
    assert_eq!(service.client().request(&review), reviewed);
    let loaded = client.request(&json!({"operator": "loadGoban", "gobanId": 1}));
    assert_eq!(
        (&loaded["goban"], &loaded["review"]),
        (&json!(sgf), &reviewed["review"])
    );
    assert_eq!(loaded["facts"]["reviewed"], true);
}

/// A game with this number of passes.
fn passes(count: usize) -> String {
    format!("(;SZ[9]{})", ";B[];W[]".repeat(count / 2))
}

#[test]
fn games_of_five_thousand_moves_are_accepted() {
    let (_service, mut client) = Service::with_client(&[]);
    let goban = passes(limits::MAX_GAME_MOVES);
    let saved = client.request(&json!({"operator": "saveGoban", "goban": goban}));
    assert_eq!(saved["gobanId"], 1, "{saved}");
    let list = client.request(&json!({"operator": "listGoban"}));
    assert_eq!(list["games"][0]["moves"], limits::MAX_GAME_MOVES);
    let read = client.request(&json!({"operator": "readGoban", "goban": goban}));
    let nodes = read["nodes"].as_array().expect("nodes").len();
    assert_eq!(nodes, limits::MAX_GAME_MOVES + 1);
    let preview = json!({"operator": "previewGobans", "gobanIds": [1]});
    assert_eq!(client.request(&preview)["boards"][0][8], json!(vec![0; 9]));
    let moves = vec![["B", "pass"]; limits::MAX_GAME_MOVES];
    for operator in ["position", "run"] {
        let request = json!({"operator": operator, "size": 9, "moves": moves});
        assert_eq!(code(&client.request(&request)), "none", "{operator}");
    }
}

#[test]
fn review_of_finished_game_uses_its_score() {
    let (_service, mut client) = Service::with_client(&[]);
    let goban = "(;SZ[5]KM[0.5]RU[Tromp-Taylor];B[cc];W[];B[])";
    client.request(&json!({"operator": "saveGoban", "goban": goban}));
    let request = json!({"operator": "reviewGoban", "gobanId": 1, "visits": 8});
    let positions = &client.request(&request)["review"]["positions"];
    assert!(positions[2]["moves"][0].is_object(), "{positions}");
    let last = &positions[3];
    assert_eq!(
        (&last["winrate"], &last["scoreLead"], &last["moves"]),
        (&json!(1.0), &json!(24.5), &json!([])),
        "{positions}"
    );
}

#[test]
fn review_contains_ownership_and_statistics() {
    // The other tests use an evaluator that predicts no ownership.
    let options =
        "serve --evaluator rollout --threads 1 --seed 1 --listen 127.0.0.1:0 --db :memory:";
    let service = Service::spawn(honinbo(&options.split(' ').collect::<Vec<_>>()));
    let mut client = service.client();
    let goban = "(;SZ[5]KM[0.5];B[cc];W[bb];B[dd])";
    client.request(&json!({"operator": "saveGoban", "goban": goban}));
    let mut request = json!({"operator": "reviewGoban", "gobanId": 1, "visits": 8});
    let plain = client.request(&request);
    assert!(plain["review"]["positions"][0]["ownership"].is_null());
    request["ownership"] = true.into();
    let owned = client.request(&request);
    for position in owned["review"]["positions"].as_array().unwrap() {
        let owners = position["ownership"].as_array().unwrap();
        assert_eq!(owners.len(), 25);
        assert!(
            owners
                .iter()
                .all(|owner| owner.as_i64().unwrap().abs() <= 100)
        );
    }
    // The review with ownership is stored and satisfies both requests.
    assert_eq!(client.request(&request), owned);
    request["ownership"] = false.into();
    assert_eq!(client.request(&request), owned);
    let players = &owned["review"]["players"];
    for (color, moves) in [("black", 2), ("white", 1)] {
        let player = &players[color];
        let classes = player["lossClasses"].as_array().unwrap().iter();
        assert_eq!(
            classes.map(|count| count.as_u64().unwrap()).sum::<u64>(),
            moves
        );
        assert_eq!(player["phases"]["opening"]["moves"], moves);
        assert!((0.0..=100.0).contains(&player["accuracy"].as_f64().unwrap()));
    }
}

#[test]
fn saved_game_is_updated() {
    let (_service, mut client) = Service::with_client(&[]);
    let mut save = |goban: &str, id: Option<u64>| {
        let response =
            client.request(&json!({"operator": "saveGoban", "goban": goban, "gobanId": id}));
        (
            response["gobanId"].as_u64(),
            response["new"] == true,
            response["updated"] == true,
        )
    };
    assert_eq!(save("(;SZ[5];B[cc])", None), (Some(1), true, false));
    assert_eq!(
        save("(;SZ[5];B[cc];W[bb])", Some(1)),
        (Some(1), false, true)
    );
    let review = json!({"operator": "reviewGoban", "gobanId": 1, "visits": 2});
    assert_eq!(code(&client.request(&review)), "none");
    let mut reviewed_after = |goban: &str| {
        let save = json!({"operator": "saveGoban", "goban": goban, "gobanId": 1});
        assert_eq!(client.request(&save)["updated"], true);
        client.request(&json!({"operator": "listGoban"}))["games"][0]["reviewed"].clone()
    };
    // Other names do not change the review, but another move does.
    assert_eq!(reviewed_after("(;SZ[5]PB[Ada];B[cc];W[bb])"), true);
    assert_eq!(reviewed_after("(;SZ[5]PB[Ada];B[cc];W[bb];B[dd])"), false);
    let missing = json!({"operator": "saveGoban", "goban": "(;SZ[5])", "gobanId": 7});
    assert_eq!(client.error_code(&missing), "notFound");
}

#[test]
fn play_operators_return_state_score_and_moves() {
    let (_service, mut client) = Service::with_client(&[]);
    let before = json!([[0, 1, -1, 0], [1, -1, 0, -1], [0, 1, -1, 0], [0, 0, 0, 0]]);
    let state =
        client.request(&json!({"operator": "position", "board": before, "moves": [["B", "C3"]]}));
    let after = json!([[0, 1, -1, 0], [1, 0, 1, -1], [0, 1, -1, 0], [0, 0, 0, 0]]);
    assert_eq!(
        (&state["board"], &state["color"]),
        (&after, &json!("white"))
    );
    assert_eq!(state["prisoners"], json!({"black": 0, "white": 1}));
    // The ko, and the corner in which White would have no liberty.
    assert_eq!(state["forbidden"], json!(["A4", "B3"]));
    let ended = json!({"operator": "position", "size": 5, "moves": [["B", "pass"], ["W", "pass"]]});
    assert_eq!(client.request(&ended)["ended"], true);
    // White's only stone is dead or alive, as requested.
    let board = json!([[0, 1, 0, -1], [1, 1, 1, 0]]);
    for (dead, score) in [(json!(["D2"]), "B+8"), (json!([]), "B+4")] {
        let request = json!({"operator": "score", "board": board, "komi": 0, "dead": dead});
        let counted = client.request(&request);
        assert_eq!(
            (&counted["score"], &counted["dead"]),
            (&json!(score), &dead)
        );
    }
    let judged = client.request(&json!({"operator": "score", "board": board, "komi": 0}));
    assert!(judged["dead"].is_array(), "{judged}");
    let moved =
        client.request(&json!({"operator": "genmove", "board": board, "color": "w", "level": 1}));
    assert_eq!(moved["color"], "white");
    assert!(moved["move"].is_string(), "{moved}");
    let points = client.request(&json!({"operator": "handicap", "size": 19, "stones": 4}));
    assert_eq!(points["points"].as_array().unwrap().len(), 4);
}

#[test]
fn engine_resigns_after_three_lost_turns() {
    // With the uniform evaluator, every win rate is about 50%.
    let (_service, mut client) = Service::with_client(&["--resign", "90"]);
    let mut lost = json!(null);
    for turn in 1..=3 {
        let moves = [["B", "C3"], ["W", "pass"], ["B", "B2"], ["W", "D4"]];
        let mut request = json!({"operator": "genmove", "size": 5, "moves": moves, "visits": 10});
        if turn > 1 {
            request["lostTurns"] = lost;
        }
        let response = client.request(&request);
        assert_eq!(response["move"] == "resign", turn == 3, "{response}");
        assert_eq!(response["lostTurns"], turn, "{response}");
        lost = response["lostTurns"].clone();
    }
    // At the start of a game it never resigns.
    let early = json!({"operator": "genmove", "size": 5, "visits": 10, "lostTurns": 9});
    assert_ne!(client.request(&early)["move"], "resign");
}

#[test]
fn handicap_is_inferred_unless_given() {
    let (_service, mut client) = Service::with_client(&[]);
    let mut score = |extra: Value| {
        let mut request = json!({"operator": "score", "size": 9, "komi": 0.5, "rules": "chinese", "dead": [],
            "moves": [["B", "C3"], ["B", "G7"], ["W", "E5"]]});
        let fields = request.as_object_mut().unwrap();
        fields.extend(extra.as_object().unwrap().clone());
        client.request(&request)["whiteExtra"].clone()
    };
    assert_eq!(score(json!({})), 2.5);
    assert_eq!(score(json!({"handicap": 0})), 0.5);
    assert_eq!(
        score(
            json!({"board": vec![vec![0; 9]; 8].into_iter().chain([vec![1; 9]]).collect::<Vec<_>>(), "size": 9})
        ),
        0.5
    );
}

#[test]
fn log_omits_tokens_and_options_are_defaults() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log");
    let log = path.to_str().unwrap();
    let options = [
        "--log",
        log,
        "--token",
        "open sesame, please",
        "--komi",
        "0.5",
    ];
    let service = Service::start(&folder.path().join("games.db"), &options);
    let mut client = service.client();
    let request =
        json!({"operator": "score", "size": 5, "dead": [], "token": "open sesame, please"});
    assert_eq!(client.request(&request)["score"], "W+0.5");
    let text = std::fs::read_to_string(&path).unwrap();
    let signs: Vec<&str> = text.lines().map(|line| &line[..3]).collect();
    assert_eq!(signs, ["0 <", "0 >"], "{text}");
    assert!(
        text.contains("W+0.5") && !text.contains("open sesame, please"),
        "{text}"
    );
}

#[test]
fn unauthenticated_clients_are_not_logged() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log");
    let options = [
        "--log",
        path.to_str().unwrap(),
        "--token",
        "open sesame, please",
    ];
    let service = Service::start(&folder.path().join("games.db"), &options);
    let mut client = service.client();
    let long = "x".repeat(100_000);
    for request in [
        json!({"operator": "ping", "id": long}),
        json!({"operator": long, "token": "other"}),
        json!([long]),
        json!({"id": [long]}),
    ] {
        client.error_code(&request);
    }
    client.send("x".repeat(2_000_000));
    assert_eq!(client.receive_code(), "messageTooLong");
    assert_eq!(std::fs::metadata(&path).unwrap().len(), 0);
    // Errors of authenticated clients are logged.
    client.request(&json!({"operator": "ping", "id": "known", "token": "open sesame, please"}));
    client.request(&json!({"operator": "walk"}));
    let text = std::fs::read_to_string(&path).unwrap();
    assert_eq!(text.lines().count(), 4, "{text}");
    assert!(text.contains("known") && text.contains("walk"), "{text}");
}
