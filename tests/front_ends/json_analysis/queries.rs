//! Single queries: contents of a response, and field names in errors.

use std::sync::Arc;

use honinbo::eval::hashed::HashEvaluator;
use honinbo::search::alphabeta::options::AlphaBetaOptions;
use honinbo::search::params::Algorithm;
use serde_json::{Value, json};

use crate::json_analysis::{list, number, query, response, responses_to, responses_with, setup};

#[test]
fn visits_add_up_and_moves_are_sorted() {
    let response = response(json!({"maxVisits": 30}));
    assert_eq!(response["id"], "q");
    assert_eq!(response["isDuringSearch"], false);
    assert_eq!(response["turnNumber"], 0);
    let moves = list(&response["moveInfos"]);
    let visits: f64 = moves.iter().map(|info| number(&info["visits"])).sum();
    assert_eq!(visits + 1.0, 30.0);
    assert_eq!(response["rootInfo"]["visits"], 30);
    assert_eq!(response["rootInfo"]["currentPlayer"], "B");
    for (order, info) in moves.iter().enumerate() {
        assert_eq!(info["order"], order);
        assert_eq!(info["pv"][0], info["move"]);
        assert_eq!(info["edgeVisits"], info["visits"]);
        assert!(number(&info["lcb"]) <= number(&info["winrate"]));
    }
    for field in ["ownership", "policy"] {
        assert_eq!(response.get(field), None);
    }
    assert_eq!(moves[0].get("pvVisits"), None);
}

#[test]
fn optional_fields_are_included_on_request() {
    let response = response(json!({
        "boardXSize": 7, "boardYSize": 4, "moves": [["B", "B2"], ["W", "(6,0)"]], "includePVVisits": true,
        "includeOwnership": true, "includeMovesOwnership": true, "includePolicy": true, "analysisPVLen": 1,
    }));
    assert_eq!(response["turnNumber"], 2);
    assert_eq!(list(&response["ownership"]).len(), 28);
    let policy = list(&response["policy"]);
    assert_eq!(policy.len(), 29);
    // B2 is in the third row from the top; (6,0) is the top right corner.
    let illegal: Vec<usize> = (0..29).filter(|&at| number(&policy[at]) == -1.0).collect();
    assert_eq!(illegal, [6, 15]);
    let legal = policy.iter().map(number).filter(|&prior| prior >= 0.0);
    assert!((legal.sum::<f64>() - 1.0).abs() < 1e-5);
    for info in list(&response["moveInfos"]) {
        assert_eq!(list(&info["ownership"]).len(), 28);
        let line = list(&info["pv"]).len();
        assert!((1..=2).contains(&line));
        assert_eq!(list(&info["pvVisits"]).len(), line);
        assert_eq!(info["pvVisits"][0], info["visits"]);
    }
}

#[test]
fn values_follow_perspective() {
    let values_for = |side: &str| {
        response(json!({
            "moves": [["B", "C3"]], "includeOwnership": true, "overrideSettings": {"reportAnalysisWinratesAs": side},
        }))
    };
    let (side, white, black) = (
        values_for("SIDETOMOVE"),
        values_for("WHITE"),
        values_for("BLACK"),
    );
    assert_eq!(side, white, "White is to move");
    for path in ["/rootInfo", "/moveInfos/0"] {
        let (ours, theirs) = (white.pointer(path).unwrap(), black.pointer(path).unwrap());
        assert!((number(&ours["winrate"]) + number(&theirs["winrate"]) - 1.0).abs() < 1e-5);
        assert_eq!(
            ours["scoreMean"].is_null(),
            path == "/rootInfo",
            "as KataGo"
        );
        for field in ["scoreLead", "scoreSelfplay", "utility"] {
            assert!(
                (number(&ours[field]) + number(&theirs[field])).abs() < 1e-5,
                "{field}"
            );
        }
        // The evaluator does not predict the spread of the score.
        assert_eq!(
            (&ours["scoreStdev"], &theirs["scoreStdev"]),
            (&Value::Null, &Value::Null)
        );
        assert_eq!(ours["visits"], theirs["visits"]);
    }
    let first = &black["moveInfos"][0];
    assert!(
        number(&first["lcb"]) >= number(&first["winrate"]),
        "an upper bound for Black"
    );
    let owners = list(&white["ownership"])
        .iter()
        .zip(list(&black["ownership"]));
    assert!(
        owners
            .into_iter()
            .all(|(ours, theirs)| number(ours) == -number(theirs))
    );
}

#[test]
fn side_to_move_of_turns_and_handicaps() {
    let turns = json!({"moves": [["B", "C3"], ["W", "B2"]], "analyzeTurns": [2, 0, 2, 1]});
    let responses = responses_to(query(turns).to_string());
    let players = responses.iter().map(|response| {
        let player = response["rootInfo"]["currentPlayer"].as_str().unwrap();
        (response["turnNumber"].as_u64().unwrap(), player)
    });
    assert_eq!(players.collect::<Vec<_>>(), [(2, "B"), (0, "B"), (1, "W")]);
    let player = |fields: Value| response(fields)["rootInfo"]["currentPlayer"].clone();
    let stones = json!([["B", "B2"], ["B", "D4"]]);
    assert_eq!(player(json!({"initialStones": stones})), "W");
    assert_eq!(
        player(json!({"initialStones": stones, "initialPlayer": "B"})),
        "B"
    );
    assert_eq!(
        player(json!({"moves": [["w", "B2"]], "analyzeTurns": [0]})),
        "W"
    );
}

#[test]
fn root_moves_can_be_restricted() {
    let moves = |fields: Value| {
        let response = response(fields);
        let infos = list(&response["moveInfos"]).iter();
        infos
            .map(|info| info["move"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    let constraint =
        |player: &str| json!([{"player": player, "moves": ["C3", "pass"], "untilDepth": 1}]);
    let mut allowed = moves(json!({"allowMoves": constraint("B")}));
    allowed.sort();
    assert_eq!(allowed, ["C3", "pass"]);
    let remaining = moves(json!({"avoidMoves": constraint("B"), "maxVisits": 200}));
    assert!(
        remaining.len() > 10
            && !remaining.contains(&"C3".to_owned())
            && !remaining.contains(&"pass".to_owned())
    );
    assert_eq!(
        moves(json!({"allowMoves": constraint("W")})),
        moves(json!({})),
        "not White's turn"
    );
}

#[test]
fn depth_search_reports_nodes() {
    let mut setup = setup(Arc::new(HashEvaluator), 1);
    setup.settings.params.algorithm = Algorithm::AlphaBeta(AlphaBetaOptions::with_depth(Some(2)));
    setup.settings.max_visits = None;
    let responses = responses_with(setup, query(json!({})).to_string());
    let (root, best) = (&responses[0]["rootInfo"], &responses[0]["moveInfos"][0]);
    assert_eq!(root["depth"], 2);
    assert_eq!(root["nodes"], root["visits"]);
    assert!(number(&root["nodes"]) >= 25.0);
    assert!(number(&root["nodesPerSecond"]) > 0.0);
    assert_eq!(best["scoreLead"], root["scoreLead"]);
    let pv = list(&best["pv"]);
    assert_eq!((pv.len(), &pv[0]), (2, &best["move"]));
    // A tree search has no such fields.
    for field in ["depth", "nodes", "nodesPerSecond"] {
        assert_eq!(response(json!({}))["rootInfo"].get(field), None);
    }
}

#[test]
fn no_allowed_move_gives_no_results() {
    let mut setup = setup(Arc::new(HashEvaluator), 1);
    setup.settings.params.algorithm = Algorithm::Minimax { depth: 1 };
    let none = json!({"allowMoves": [{"player": "B", "moves": [], "untilDepth": 1}]});
    let responses = responses_with(setup, query(none).to_string());
    let expected = json!({"id": "q", "isDuringSearch": false, "noResults": true, "turnNumber": 0});
    assert_eq!(responses, [expected]);
}

#[test]
fn deeper_moves_can_be_restricted() {
    let lines = |fields: Value| {
        let response = response(fields);
        let infos = list(&response["moveInfos"]).iter();
        let lines = infos.map(|info| {
            list(&info["pv"])
                .iter()
                .map(|mv| mv.as_str().unwrap().to_owned())
                .collect()
        });
        lines.collect::<Vec<Vec<String>>>()
    };
    let reply = json!({
        "allowMoves": [{"player": "W", "moves": ["C3"], "untilDepth": 2}], "maxVisits": 300,
    });
    let replies = lines(reply);
    let longer = replies.iter().filter(|line| line.len() > 1).count();
    assert!(longer > 5, "{replies:?}");
    for line in replies {
        assert!(line.len() == 1 || line[1] == "C3", "{line:?}");
        // White has no allowed move if Black has played C3.
        assert!(line[0] != "C3" || line.len() == 1, "{line:?}");
    }
    let points = "ABCDE"
        .chars()
        .flat_map(|column| (1..=4).map(move |row| format!("{column}{row}")));
    let points: Vec<String> = points.collect();
    let upper = lines(json!({
        "avoidMoves": [
            {"player": "B", "moves": points, "untilDepth": 100}, {"player": "W", "moves": points, "untilDepth": 2},
        ],
        "maxVisits": 300,
    }));
    let mut white_is_free = false;
    for line in &upper {
        for (index, vertex) in line.iter().enumerate() {
            let is_avoided = points.contains(vertex);
            assert!(!is_avoided || index % 2 == 1 && index > 1, "{line:?}");
            white_is_free |= is_avoided;
        }
    }
    assert!(white_is_free, "{upper:?}");
}

#[test]
fn move_ownership_averages_to_root_ownership() {
    let analyze = |moves: Value, visits: u32| {
        response(json!({
            "moves": moves, "maxVisits": visits, "includeOwnership": true, "includeOwnershipStdev": true,
            "includeMovesOwnership": true, "includeMovesOwnershipStdev": true, "includeNoResultValue": true,
            "overrideSettings": {"reportAnalysisWinratesAs": "BLACK"},
            // A finished game would not be evaluated.
            "avoidMoves": [{"player": "B", "moves": ["pass"], "untilDepth": 1}],
        }))
    };
    let response = analyze(json!([]), 60);
    let numbers =
        |info: &Value, name: &str| list(&info[name]).iter().map(number).collect::<Vec<f64>>();
    // The first visit evaluates the root.
    let root_ownership = numbers(&analyze(json!([]), 1), "ownership");
    let (mut visits, mut sums) = (1.0, root_ownership.clone());
    let mut squares: Vec<f64> = root_ownership.iter().map(|owner| owner * owner).collect();
    for info in list(&response["moveInfos"]) {
        let (owners, deviations) = (numbers(info, "ownership"), numbers(info, "ownershipStdev"));
        assert!((0.0..=1.0).contains(&number(&info["noResultValue"])));
        let visits_of_move = number(&info["visits"]);
        visits += visits_of_move;
        for point in 0..25 {
            sums[point] += visits_of_move * owners[point];
            squares[point] += visits_of_move * (deviations[point].powi(2) + owners[point].powi(2));
        }
        if visits_of_move == 1.0 {
            // The statistics consist of the single evaluation after the move.
            let after = analyze(json!([["B", info["move"]]]), 1);
            assert_eq!(numbers(&after, "ownership"), owners);
            assert_eq!(deviations, [0.0; 25]);
        }
    }
    let (owners, deviations) = (
        numbers(&response, "ownership"),
        numbers(&response, "ownershipStdev"),
    );
    for point in 0..25 {
        let mean = sums[point] / visits;
        assert!((mean - owners[point]).abs() < 1e-4, "{response}");
        let deviation = (squares[point] / visits - mean * mean).max(0.0).sqrt();
        assert!((deviation - deviations[point]).abs() < 1e-3, "{response}");
    }
    assert!(deviations.iter().any(|&deviation| deviation > 0.01));
}

#[test]
fn policy_temperature_spreads_visits() {
    let max_visits = |temperature: f64| {
        let response = response(json!({"rootPolicyTemperature": temperature, "maxVisits": 100}));
        let visits = list(&response["moveInfos"])
            .iter()
            .map(|info| number(&info["visits"]));
        visits.fold(0.0, f64::max)
    };
    assert!(max_visits(10.0) < max_visits(1.0) && max_visits(1.0) < max_visits(0.1));
}

#[test]
fn hashes_depend_on_stones_and_turn() {
    let hashes = |fields: Value| {
        let root = response(fields)["rootInfo"].clone();
        (root["thisHash"].clone(), root["symHash"].clone())
    };
    let one = hashes(json!({"moves": [["B", "B2"], ["W", "D4"]]}));
    let mirrored =
        hashes(json!({"initialStones": [["B", "D2"], ["W", "B4"]], "initialPlayer": "B"}));
    assert_ne!(one.0, mirrored.0);
    assert_eq!(one.1, mirrored.1);
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table")]
fn errors_name_field_and_query() {
    let constraint =
        |moves: Value, depth: i32| json!([{"player": "B", "moves": moves, "untilDepth": depth}]);
    for (field, value) in [
        ("moves", json!([["B", "C3"], ["W", "C3"]])),
        ("moves", json!([["B", "C6"]])),
        ("moves", json!([["X", "C3"]])),
        ("moves", json!("C3")),
        ("moves", Value::Null),
        ("rules", json!("nonesuch")),
        ("rules", json!({"ko": "NONE"})),
        ("rules", json!({"nonesuch": 1})),
        ("rules", json!(7)),
        ("komi", json!(0.3)),
        ("komi", json!("much")),
        ("boardXSize", json!(20)),
        ("boardYSize", json!(1)),
        ("boardYSize", json!(-5)),
        ("boardXSize", json!(5.5)),
        ("initialStones", json!([["B", "C3"], ["W", "C3"]])),
        ("initialStones", json!([["B", "pass"]])),
        (
            "initialStones",
            json!([["B", "A1"], ["W", "A2"], ["W", "B1"]]),
        ),
        ("initialPlayer", json!("green")),
        ("whiteHandicapBonus", json!("2N")),
        ("analyzeTurns", json!([1])),
        ("analyzeTurns", json!([-1])),
        ("analyzeTurns", json!([])),
        ("priority", json!("high")),
        ("priorities", json!([1])),
        ("maxVisits", json!(0)),
        ("maxVisits", json!(1.5)),
        ("analysisPVLen", json!(-1)),
        ("rootFpuReductionMax", json!(-1)),
        ("rootPolicyTemperature", json!("hot")),
        ("includePolicy", json!("yes")),
        ("avoidMoves", constraint(json!(["Z9"]), 1)),
        ("avoidMoves", constraint(json!(["C3"]), 0)),
        ("allowMoves", json!([{"player": "B", "moves": []}])),
        (
            "allowMoves",
            json!([constraint(json!([]), 1)[0], constraint(json!([]), 1)[0]]),
        ),
        ("overrideSettings", json!({"maxVisits": 0})),
        ("overrideSettings", json!({"humanSLProfile": "rank_5k"})),
        ("reportDuringSearchEvery", json!(0)),
        ("action", json!("dance")),
    ] {
        let mut request = query(json!({"id": "bad"}));
        request[field] = value.clone();
        let responses = responses_to(request.to_string());
        assert_eq!(responses.len(), 1, "{field}: {value}");
        assert!(
            responses[0]["error"]
                .as_str()
                .is_some_and(|text| !text.is_empty()),
            "{responses:?}"
        );
        assert_eq!(
            (&responses[0]["field"], &responses[0]["id"]),
            (&json!(field), &json!("bad"))
        );
    }
    let illegal = response(json!({"moves": [["B", "C3"], ["W", "C3"]]}));
    let text = illegal["error"].as_str().unwrap();
    assert!(text.starts_with("Illegal move W C3 at turn 1: "), "{text}");
}

#[test]
fn ko_violations_are_accepted_with_warning() {
    // The ninth move retakes the ko immediately.
    let vertices = ["C3", "D3", "B2", "E2", "C1", "D1", "D2", "C2", "D2", "A5"];
    let moves = vertices.iter().enumerate().map(|(turn, vertex)| {
        let letter = if turn % 2 == 0 { "B" } else { "W" };
        json!([letter, vertex])
    });
    let moves: Vec<Value> = moves.collect();
    let warning = "Illegal move B D2 at turn 8: the ko cannot be retaken immediately. The move was played nevertheless";
    for rules in ["japanese", "chinese-ogs"] {
        let request = query(json!({"moves": moves, "rules": rules})).to_string();
        let [info, response] = responses_to(request).try_into().unwrap();
        assert_eq!(
            info,
            json!({"warning": warning, "field": "moves", "id": "q"})
        );
        assert_eq!(response["turnNumber"], 10, "{response}");
    }
}

#[test]
fn repetitions_are_accepted_with_warning() {
    let stones = [
        ("W", ["A4", "B4", "C3", "D3"].as_slice()),
        ("B", &["D4", "A3", "B3"]),
    ];
    let stones: Vec<Value> = (stones.iter())
        .flat_map(|(color, vertices)| vertices.iter().map(move |vertex| json!([color, vertex])))
        .collect();
    let cycle = [["B", "C4"], ["W", "B4"], ["B", "D4"], ["W", "A4"]];
    let answer = |rules: &str, cycles: usize| {
        let fields = json!({
            "boardXSize": 4, "boardYSize": 4, "initialStones": stones, "moves": cycle.repeat(cycles), "rules": rules,
        });
        responses_to(query(fields).to_string())
    };
    let reason = "the move repeats an earlier position (superko)";
    let first = format!("Illegal move W A4 at turn 3: {reason}");
    for (cycles, others) in [
        (1, "The move was"),
        (2, "This move and 4 other illegal moves were"),
    ] {
        let responses = answer("tromp-taylor", cycles);
        assert_eq!(responses.len(), 2, "{responses:?}");
        let warning = format!("{first}. {others} played nevertheless");
        assert_eq!(responses[0]["warning"], warning);
        assert_eq!(responses[1]["turnNumber"], 4 * cycles);
    }
    assert_eq!(answer("chinese", 2).len(), 1, "legal under simple ko");
}

#[test]
fn unvisited_moves_are_not_listed() {
    let moves = |visits: u64| list(&response(json!({"maxVisits": visits}))["moveInfos"]).len();
    assert_eq!([moves(1), moves(2)], [0, 1]);
}

#[test]
fn empty_priorities_need_no_turns() {
    let response = response(json!({"moves": [["B", "C3"]], "priorities": []}));
    assert_eq!(response["turnNumber"], 1);
}

#[test]
fn ignored_fields_give_warnings() {
    let odd = json!({
        "nonesuch": 1, "overrideSettings": {"ignorePreRootHistory": false, "maxVisits": 3},
    });
    let responses = responses_to(query(odd).to_string());
    let fields: Vec<&Value> = responses[..2].iter().map(|info| &info["field"]).collect();
    for field in ["nonesuch", "overrideSettings"] {
        assert!(fields.contains(&&json!(field)), "{field}: {responses:?}");
    }
    assert!(
        responses[..2]
            .iter()
            .all(|info| info["warning"].is_string() && info["id"] == "q")
    );
    assert_eq!(responses.len(), 3);
    assert_eq!(responses[2]["rootInfo"]["visits"], 3);
}

#[test]
fn rules_are_named_or_individual() {
    // All use the same komi, so that they differ only in the position hash, which includes the rules.
    let rules = |rules: Value| {
        let mut request = query(json!({}));
        request["rules"] = rules;
        request["komi"] = 6.5.into();
        responses_to(request.to_string()).remove(0)
    };
    let japanese = rules(json!("japanese"));
    let fields =
        json!({"ko": "SIMPLE", "scoring": "TERRITORY", "friendlyPassOk": false, "suicide": false});
    assert_eq!(rules(fields.clone()), japanese);
    assert_eq!(rules(json!(fields.to_string())), japanese);
    assert_ne!(rules(json!("chinese"))["rootInfo"], japanese["rootInfo"]);
}
