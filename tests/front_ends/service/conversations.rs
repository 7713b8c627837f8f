//! What is asked and answered, operator by operator.

use serde_json::{Value, json};

use super::{Service, code, served};

#[test]
fn run_answers_the_best_legal_moves_of_a_matrix() {
    served(|_, client| {
        let board = json!([[0, 1, 0], [1, -1, 1], [0, 0, 0]]);
        let answer =
            client.ask(&json!({"id": 7, "operator": "run", "board": board, "color": "black"}));
        assert_eq!(
            (&answer["id"], &answer["color"]),
            (&json!(7), &json!("black"))
        );
        assert_eq!(answer["visits"], 50);
        let moves = answer["moves"].as_array().unwrap();
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
            .ask(&json!({"operator": "run", "board": board, "color": "w", "top": 99, "visits": 1}));
        // In the upper corners White would have no liberty; of the five empty points three are left, and the pass.
        assert_eq!(all["moves"].as_array().unwrap().len(), 5 - 2 + 1);
        assert_eq!(all.get("id"), None);
    });
}

#[test]
fn all_that_take_a_position_tell_its_fields() {
    served(|_, client| {
        let told = client.ask(&json!({"operator": "operators"})).to_string();
        let position =
            "board|size [history] [moves] [color] [rules] [komi] [handicap] [prisoners] [recorded]";
        assert_eq!(told.matches(position).count(), 4, "{told}");
    });
}

#[test]
fn run_tells_owners_and_knows_kos_rules_and_sizes() {
    served(|_, client| {
        let asked = json!({"operator": "run", "size": [5, 4], "moves": [["B", "C2"]], "ownership": true, "visits": 9});
        let answer = client.ask(&asked);
        assert_eq!(answer["color"], "white");
        assert!(answer["ownership"].is_array());
        // A ko: Black has just taken at C3, and White may not take back.
        let before = json!([[0, 1, -1, 0], [1, -1, 0, -1], [0, 1, -1, 0], [0, 0, 0, 0]]);
        let run = |extra: Value| {
            let mut asked =
                json!({"operator": "run", "board": before, "moves": [["B", "C3"]], "top": 99});
            asked
                .as_object_mut()
                .unwrap()
                .extend(extra.as_object().unwrap().clone());
            asked
        };
        for (extra, legal) in [
            (json!({}), false),
            (json!({"rules": "japanese"}), false),
            (
                json!({"moves": [["B", "C3"], ["W", "A1"], ["B", "D1"]]}),
                true,
            ),
        ] {
            let answer = client.ask(&run(extra.clone()));
            let moves = answer["moves"].as_array().unwrap();
            let found = moves.iter().any(|found| found["vertex"] == "B3");
            assert_eq!(found, legal, "{extra}: {answer}");
        }
    });
}

#[test]
fn a_stream_grows_until_it_is_cancelled() {
    served(|_, client| {
        client.send(
            json!({"id": "s", "operator": "run", "size": 19, "visits": 10_000_000, "stream": true})
                .to_string(),
        );
        let visits = |answer: &Value| answer["visits"].as_u64().unwrap();
        let first = client.hear().unwrap();
        let second = client.hear().unwrap();
        assert_eq!((&first["id"], &first["done"]), (&json!("s"), &json!(false)));
        assert!(visits(&second) > visits(&first), "{first} {second}");
        client.send(json!({"id": "c", "operator": "cancel", "cancelId": "s"}).to_string());
        let (mut cancelled, mut done) = (false, false);
        while !(cancelled && done) {
            let answer = client.hear().unwrap();
            assert!(answer["id"] == "c" || !done, "{answer} after the last");
            cancelled |= answer["id"] == "c";
            done |= answer["done"] == true;
        }
        // Nothing more comes of it.
        assert_eq!(
            client.ask(&json!({"operator": "ping"})),
            json!({"pong": true})
        );
    });
}

#[test]
fn what_waits_is_cancelled_before_it_begins() {
    served(|_, client| {
        let endless =
            |id: u64| json!({"id": id, "operator": "run", "size": 19, "visits": 10_000_000});
        for id in 0..10 {
            client.send(endless(id).to_string());
        }
        // Two are searched at a time.
        client.send(json!({"id": "c", "operator": "cancel"}).to_string());
        let mut answers: Vec<Value> = (0..11).map(|_| client.hear().unwrap()).collect();
        let at = answers
            .iter()
            .position(|answer| answer["id"] == "c")
            .unwrap();
        let cancelled = answers.remove(at)["cancelled"].as_u64().unwrap();
        let failed = answers
            .iter()
            .filter(|answer| code(answer).as_deref() == Some("cancelled"));
        let found = answers.iter().filter(|answer| answer["moves"].is_array());
        assert!(cancelled >= 8, "{cancelled}");
        assert_eq!(failed.count() + found.count(), 10);
    });
}

#[test]
fn games_are_kept_listed_loaded_reviewed_exported_and_deleted() {
    served(|service, client| {
        let sgf = "(;SZ[5]PB[Ada \u{9ed1}]PW[Ben]DT[2026-01-02];B[cc];W[bb]\n;B[])";
        let save = json!({"operator": "saveGoban", "goban": sgf});
        assert_eq!(client.ask(&save), json!({"gobanId": 1, "new": true}));
        // Others see it too, and the same game is not kept twice.
        let mut other = service.client();
        assert_eq!(other.ask(&save), json!({"gobanId": 1, "new": false}));
        for number in 2..6 {
            let goban = format!("(;SZ[9]PB[Zoe]RE[W+{number}];B[cc])");
            client.ask(&json!({"operator": "saveGoban", "goban": goban}));
        }
        let ids = |answer: Value| -> Vec<u64> {
            let games = answer["games"].as_array().unwrap().iter();
            games
                .map(|game| game["gobanId"].as_u64().unwrap())
                .collect()
        };
        let page = client.ask(&json!({"operator": "listGoban", "limit": 3}));
        assert_eq!(page["next"], 3);
        assert_eq!(ids(page), [5, 4, 3]);
        let page = client.ask(&json!({"operator": "listGoban", "limit": 3, "before": 3}));
        assert_eq!(page["next"], Value::Null);
        assert_eq!(ids(page), [2, 1]);
        for (filter, found) in [
            (json!({"player": "zoe", "result": "W+3"}), vec![3]),
            (json!({"player": "ADA"}), vec![1]),
            (json!({"size": 5}), vec![1]),
            (json!({"to": "2026-01"}), vec![1]),
            (json!({"from": "2027"}), vec![]),
        ] {
            let mut asked = filter.clone();
            asked["operator"] = "listGoban".into();
            assert_eq!(ids(client.ask(&asked)), found, "{filter}");
        }
        let review = json!({"operator": "reviewGoban", "gobanId": 1, "visits": 5, "stream": true});
        client.send(review.to_string());
        for done in 1..4 {
            let told = json!({"done": false, "positions": done, "of": 4});
            assert_eq!(client.hear().unwrap(), told);
        }
        let reviewed = client.hear().unwrap();
        assert_eq!(reviewed["done"], true);
        assert_eq!(reviewed["review"]["positions"].as_array().unwrap().len(), 4);
        // It is kept, so that the next one is told at once.
        assert_eq!(other.ask(&review), reviewed);
        let loaded = client.ask(&json!({"operator": "loadGoban", "gobanId": 1}));
        assert_eq!(
            (&loaded["goban"], &loaded["review"]),
            (&json!(sgf), &reviewed["review"])
        );
        assert_eq!(loaded["facts"]["reviewed"], true);
        let export = client.ask(&json!({"operator": "exportGoban", "player": "z"}));
        assert_eq!(export["count"], 4);
        assert_eq!(export["goban"].as_str().unwrap().lines().count(), 4);
        let delete = json!({"operator": "deleteGoban", "gobanId": 1});
        assert_eq!(client.ask(&delete), json!({"deleted": 1}));
        for operator in ["deleteGoban", "loadGoban", "reviewGoban"] {
            let asked = json!({"operator": operator, "gobanId": 1});
            assert_eq!(client.fails(&asked), "notFound");
        }
    });
}

#[test]
fn a_game_that_is_over_is_reviewed_as_it_is_counted() {
    served(|_, client| {
        let goban = "(;SZ[5]KM[0.5]RU[Tromp-Taylor];B[cc];W[];B[])";
        client.ask(&json!({"operator": "saveGoban", "goban": goban}));
        let asked = json!({"operator": "reviewGoban", "gobanId": 1, "visits": 8});
        let positions = &client.ask(&asked)["review"]["positions"];
        assert!(positions[2]["moves"][0].is_object(), "{positions}");
        let last = &positions[3];
        assert_eq!(
            (&last["winrate"], &last["scoreLead"], &last["moves"]),
            (&json!(1.0), &json!(24.5), &json!([])),
            "{positions}"
        );
    });
}

#[test]
fn a_board_on_a_screen_is_told_what_it_needs() {
    served(|_, client| {
        let before = json!([[0, 1, -1, 0], [1, -1, 0, -1], [0, 1, -1, 0], [0, 0, 0, 0]]);
        let stands =
            client.ask(&json!({"operator": "position", "board": before, "moves": [["B", "C3"]]}));
        let after = json!([[0, 1, -1, 0], [1, 0, 1, -1], [0, 1, -1, 0], [0, 0, 0, 0]]);
        assert_eq!(
            (&stands["board"], &stands["color"]),
            (&after, &json!("white"))
        );
        assert_eq!(stands["prisoners"], json!({"black": 0, "white": 1}));
        // The ko, and the corner where White would have no liberty.
        assert_eq!(stands["forbidden"], json!(["A4", "B3"]));
        let ended =
            json!({"operator": "position", "size": 5, "moves": [["B", "pass"], ["W", "pass"]]});
        assert_eq!(client.ask(&ended)["ended"], true);
        // White's one stone is dead or alive, as is said.
        let board = json!([[0, 1, 0, -1], [1, 1, 1, 0]]);
        for (dead, score) in [(json!(["D2"]), "B+8"), (json!([]), "B+4")] {
            let asked = json!({"operator": "score", "board": board, "komi": 0, "dead": dead});
            let counted = client.ask(&asked);
            assert_eq!(
                (&counted["score"], &counted["dead"]),
                (&json!(score), &dead)
            );
        }
        let judged = client.ask(&json!({"operator": "score", "board": board, "komi": 0}));
        assert!(judged["dead"].is_array(), "{judged}");
        let moved =
            client.ask(&json!({"operator": "genmove", "board": board, "color": "w", "level": 1}));
        assert_eq!(moved["color"], "white");
        assert!(moved["move"].is_string(), "{moved}");
        let points = client.ask(&json!({"operator": "handicap", "size": 19, "stones": 4}));
        assert_eq!(points["points"].as_array().unwrap().len(), 4);
    });
}

#[test]
fn the_engine_resigns_what_has_been_lost_for_three_turns() {
    let folder = tempfile::tempdir().unwrap();
    // With an evaluator that knows nothing every chance is about a half.
    let service = Service::start(&folder.path().join("games.db"), &["--resign", "90"]);
    let mut client = service.client();
    let mut lost = json!(null);
    for turn in 1..=3 {
        let moves = [["B", "C3"], ["W", "pass"], ["B", "B2"], ["W", "D4"]];
        let mut asked = json!({"operator": "genmove", "size": 5, "moves": moves, "visits": 10});
        if turn > 1 {
            asked["lostTurns"] = lost;
        }
        let answer = client.ask(&asked);
        assert_eq!(answer["move"] == "resign", turn == 3, "{answer}");
        assert_eq!(answer["lostTurns"], turn, "{answer}");
        lost = answer["lostTurns"].clone();
    }
    // At the beginning of a game it does not, however it stands.
    let early = json!({"operator": "genmove", "size": 5, "visits": 10, "lostTurns": 9});
    assert_ne!(client.ask(&early)["move"], "resign");
}

#[test]
fn stones_before_whites_first_move_are_a_handicap_unless_it_is_told() {
    served(|_, client| {
        let mut score = |extra: Value| {
            let mut asked = json!({"operator": "score", "size": 9, "komi": 0.5, "rules": "chinese", "dead": [],
                "moves": [["B", "C3"], ["B", "G7"], ["W", "E5"]]});
            let fields = asked.as_object_mut().unwrap();
            fields.extend(extra.as_object().unwrap().clone());
            client.ask(&asked)["whiteExtra"].clone()
        };
        assert_eq!(score(json!({})), 2.5);
        assert_eq!(score(json!({"handicap": 0})), 0.5);
        assert_eq!(
            score(
                json!({"board": vec![vec![0; 9]; 8].into_iter().chain([vec![1; 9]]).collect::<Vec<_>>(), "size": 9})
            ),
            0.5
        );
    });
}

#[test]
fn the_log_has_all_traffic_but_no_token_and_options_hold_where_requests_are_silent() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log");
    let log = path.to_str().unwrap();
    let options = ["--log", log, "--token", "sesame", "--komi", "0.5"];
    let service = Service::start(&folder.path().join("games.db"), &options);
    let mut client = service.client();
    let asked = json!({"operator": "score", "size": 5, "dead": [], "token": "sesame"});
    assert_eq!(client.ask(&asked)["score"], "W+0.5");
    let text = std::fs::read_to_string(&path).unwrap();
    let signs: Vec<&str> = text.lines().map(|line| &line[..3]).collect();
    assert_eq!(signs, ["0 <", "0 >"], "{text}");
    assert!(text.contains("W+0.5") && !text.contains("sesame"), "{text}");
}

#[test]
fn strangers_leave_nothing_in_the_log() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log");
    let options = ["--log", path.to_str().unwrap(), "--token", "sesame"];
    let service = Service::start(&folder.path().join("games.db"), &options);
    let mut client = service.client();
    let long = "x".repeat(100_000);
    for asked in [
        json!({"operator": "ping", "id": long}),
        json!({"operator": long, "token": "other"}),
        json!([long]),
        json!({"id": [long]}),
    ] {
        let answer = client.ask(&asked);
        assert!(code(&answer).is_some(), "{answer}");
    }
    client.send("x".repeat(2_000_000));
    assert_eq!(code(&client.hear().unwrap()).as_deref(), Some("message"));
    assert_eq!(std::fs::metadata(&path).unwrap().len(), 0);
    // What it says wrong once it is known is there.
    client.ask(&json!({"operator": "ping", "id": "known", "token": "sesame"}));
    client.ask(&json!({"operator": "walk"}));
    let text = std::fs::read_to_string(&path).unwrap();
    assert_eq!(text.lines().count(), 4, "{text}");
    assert!(text.contains("known") && text.contains("walk"), "{text}");
}
