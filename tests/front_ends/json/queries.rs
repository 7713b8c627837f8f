//! Single queries: what an answer holds, and the field that an error names.

use std::sync::Arc;

use honinbo::eval::hashed::Hashed;
use honinbo::search::params::Algorithm;
use serde_json::{Value, json};

use crate::json::{answer, answers_of, answers_to, list, number, query, setup};

#[test]
fn visits_add_up_and_moves_come_in_order() {
    let answer = answer(json!({"maxVisits": 30}));
    assert_eq!(answer["id"], "q");
    assert_eq!(answer["isDuringSearch"], false);
    assert_eq!(answer["turnNumber"], 0);
    let moves = list(&answer["moveInfos"]);
    let visits: f64 = moves.iter().map(|told| number(&told["visits"])).sum();
    assert_eq!(visits + 1.0, 30.0);
    assert_eq!(answer["rootInfo"]["visits"], 30);
    assert_eq!(answer["rootInfo"]["currentPlayer"], "B");
    for (order, told) in moves.iter().enumerate() {
        assert_eq!(told["order"], order);
        assert_eq!(told["pv"][0], told["move"]);
        assert_eq!(told["edgeVisits"], told["visits"]);
        assert!(number(&told["lcb"]) <= number(&told["winrate"]));
    }
    for unasked in ["ownership", "policy"] {
        assert_eq!(answer.get(unasked), None);
    }
    assert_eq!(moves[0].get("pvVisits"), None);
}

#[test]
fn parts_come_when_they_are_asked_for() {
    let answer = answer(json!({
        "boardXSize": 7, "boardYSize": 4, "moves": [["B", "B2"], ["W", "(6,0)"]], "includePVVisits": true,
        "includeOwnership": true, "includeMovesOwnership": true, "includePolicy": true, "analysisPVLen": 1,
    }));
    assert_eq!(answer["turnNumber"], 2);
    assert_eq!(list(&answer["ownership"]).len(), 28);
    let policy = list(&answer["policy"]);
    assert_eq!(policy.len(), 29);
    // B2 is in the third row from the top, (6,0) the top right corner.
    let taken: Vec<usize> = (0..29).filter(|&at| number(&policy[at]) == -1.0).collect();
    assert_eq!(taken, [6, 15]);
    let legal = policy.iter().map(number).filter(|&prior| prior >= 0.0);
    assert!((legal.sum::<f64>() - 1.0).abs() < 1e-5);
    for told in list(&answer["moveInfos"]) {
        assert_eq!(list(&told["ownership"]).len(), 28);
        let line = list(&told["pv"]).len();
        assert!((1..=2).contains(&line));
        assert_eq!(list(&told["pvVisits"]).len(), line);
        assert_eq!(told["pvVisits"][0], told["visits"]);
    }
}

#[test]
fn numbers_turn_with_the_perspective() {
    let told_for = |side: &str| {
        answer(json!({
            "moves": [["B", "C3"]], "includeOwnership": true, "overrideSettings": {"reportAnalysisWinratesAs": side},
        }))
    };
    let (side, white, black) = (told_for("SIDETOMOVE"), told_for("WHITE"), told_for("BLACK"));
    assert_eq!(side, white, "White is to move");
    for place in ["/rootInfo", "/moveInfos/0"] {
        let (ours, theirs) = (white.pointer(place).unwrap(), black.pointer(place).unwrap());
        assert!((number(&ours["winrate"]) + number(&theirs["winrate"]) - 1.0).abs() < 1e-5);
        for field in ["scoreLead", "scoreMean", "scoreSelfplay", "utility"] {
            assert!(
                (number(&ours[field]) + number(&theirs[field])).abs() < 1e-5,
                "{field}"
            );
        }
        assert_eq!(ours["scoreStdev"], theirs["scoreStdev"]);
        assert_eq!(ours["visits"], theirs["visits"]);
    }
    let first = &black["moveInfos"][0];
    assert!(
        number(&first["lcb"]) >= number(&first["winrate"]),
        "an upper bound from there"
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
fn turns_handicap_and_first_players() {
    let turns = json!({"moves": [["B", "C3"], ["W", "B2"]], "analyzeTurns": [2, 0, 2, 1]});
    let answers = answers_to(query(turns).to_string());
    let told = answers.iter().map(|answer| {
        let player = answer["rootInfo"]["currentPlayer"].as_str().unwrap();
        (answer["turnNumber"].as_u64().unwrap(), player)
    });
    assert_eq!(told.collect::<Vec<_>>(), [(2, "B"), (0, "B"), (1, "W")]);
    let player = |fields: Value| answer(fields)["rootInfo"]["currentPlayer"].clone();
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
fn moves_can_be_left_out() {
    let moves = |fields: Value| {
        let answer = answer(fields);
        let told = list(&answer["moveInfos"]).iter();
        told.map(|told| told["move"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    let ban = |player: &str| json!([{"player": player, "moves": ["C3", "pass"], "untilDepth": 1}]);
    let mut allowed = moves(json!({"allowMoves": ban("B")}));
    allowed.sort();
    assert_eq!(allowed, ["C3", "pass"]);
    let rest = moves(json!({"avoidMoves": ban("B"), "maxVisits": 200}));
    assert!(
        rest.len() > 10 && !rest.contains(&"C3".to_owned()) && !rest.contains(&"pass".to_owned())
    );
    assert_eq!(
        moves(json!({"allowMoves": ban("W")})),
        moves(json!({})),
        "not White's turn"
    );
}

#[test]
fn where_nothing_was_found_no_chance_to_win_is_told() {
    let mut setup = setup(Arc::new(Hashed), 1);
    setup.settings.params.algorithm = Algorithm::AlphaBeta { depth: Some(1) };
    let none = json!({"allowMoves": [{"player": "B", "moves": [], "untilDepth": 1}]});
    let answers = answers_of(setup, query(none).to_string());
    let expected = json!({"id": "q", "isDuringSearch": false, "noResults": true, "turnNumber": 0});
    assert_eq!(answers, [expected]);
}

#[test]
fn moves_can_be_left_out_further_on() {
    let lines = |fields: Value| {
        let answer = answer(fields);
        let told = list(&answer["moveInfos"]).iter();
        let lines = told.map(|told| {
            list(&told["pv"])
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
        // White has nothing else where Black has taken it.
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
        for (place, vertex) in line.iter().enumerate() {
            let barred = points.contains(vertex);
            assert!(!barred || place % 2 == 1 && place > 1, "{line:?}");
            white_is_free |= barred;
        }
    }
    assert!(white_is_free, "{upper:?}");
}

#[test]
fn owners_after_each_move_and_now_make_up_those_of_the_root() {
    let asked = |moves: Value, visits: u32| {
        answer(json!({
            "moves": moves, "maxVisits": visits, "includeOwnership": true, "includeOwnershipStdev": true,
            "includeMovesOwnership": true, "includeMovesOwnershipStdev": true, "includeNoResultValue": true,
            "overrideSettings": {"reportAnalysisWinratesAs": "BLACK"},
            // A game that has ended is not evaluated.
            "avoidMoves": [{"player": "B", "moves": ["pass"], "untilDepth": 1}],
        }))
    };
    let found = asked(json!([]), 60);
    let numbers =
        |told: &Value, name: &str| list(&told[name]).iter().map(number).collect::<Vec<f64>>();
    // The first visit is the position's own.
    let own = numbers(&asked(json!([]), 1), "ownership");
    let (mut visits, mut sums) = (1.0, own.clone());
    let mut squares: Vec<f64> = own.iter().map(|owner| owner * owner).collect();
    for told in list(&found["moveInfos"]) {
        let (owners, deviations) = (numbers(told, "ownership"), numbers(told, "ownershipStdev"));
        assert!((0.0..=1.0).contains(&number(&told["noResultValue"])));
        let seen = number(&told["visits"]);
        visits += seen;
        for point in 0..25 {
            sums[point] += seen * owners[point];
            squares[point] += seen * (deviations[point].powi(2) + owners[point].powi(2));
        }
        if seen == 1.0 {
            // What was counted is the one evaluation after it.
            let after = asked(json!([["B", told["move"]]]), 1);
            assert_eq!(numbers(&after, "ownership"), owners);
            assert_eq!(deviations, [0.0; 25]);
        }
    }
    let (owners, deviations) = (
        numbers(&found, "ownership"),
        numbers(&found, "ownershipStdev"),
    );
    for point in 0..25 {
        let mean = sums[point] / visits;
        assert!((mean - owners[point]).abs() < 1e-4, "{found}");
        let deviation = (squares[point] / visits - mean * mean).max(0.0).sqrt();
        assert!((deviation - deviations[point]).abs() < 1e-3, "{found}");
    }
    assert!(deviations.iter().any(|&deviation| deviation > 0.01));
}

#[test]
fn a_temperature_levels_the_visits() {
    let most = |temperature: f64| {
        let answer = answer(json!({"rootPolicyTemperature": temperature, "maxVisits": 100}));
        let visits = list(&answer["moveInfos"])
            .iter()
            .map(|told| number(&told["visits"]));
        visits.fold(0.0, f64::max)
    };
    assert!(most(10.0) < most(1.0) && most(1.0) < most(0.1));
}

#[test]
fn hashes_are_of_stones_and_turn() {
    let hashes = |fields: Value| {
        let root = answer(fields)["rootInfo"].clone();
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
fn a_faulty_field_is_named_with_the_query() {
    let ban =
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
        ("priority", json!("high")),
        ("priorities", json!([1])),
        ("maxVisits", json!(0)),
        ("maxVisits", json!(1.5)),
        ("analysisPVLen", json!(-1)),
        ("rootFpuReductionMax", json!(-1)),
        ("rootPolicyTemperature", json!("hot")),
        ("includePolicy", json!("yes")),
        ("avoidMoves", ban(json!(["Z9"]), 1)),
        ("avoidMoves", ban(json!(["C3"]), 0)),
        ("allowMoves", json!([{"player": "B", "moves": []}])),
        (
            "allowMoves",
            json!([ban(json!([]), 1)[0], ban(json!([]), 1)[0]]),
        ),
        ("overrideSettings", json!({"maxVisits": 0})),
        ("reportDuringSearchEvery", json!(0)),
        ("action", json!("dance")),
    ] {
        let mut faulty = query(json!({"id": "bad"}));
        faulty[field] = value.clone();
        let answers = answers_to(faulty.to_string());
        assert_eq!(answers.len(), 1, "{field}: {value}");
        assert!(
            answers[0]["error"]
                .as_str()
                .is_some_and(|text| !text.is_empty()),
            "{answers:?}"
        );
        assert_eq!(
            (&answers[0]["field"], &answers[0]["id"]),
            (&json!(field), &json!("bad"))
        );
    }
    let illegal = answer(json!({"moves": [["B", "C3"], ["W", "C3"]]}));
    let text = illegal["error"].as_str().unwrap();
    assert!(text.starts_with("Illegal move W C3 at turn 1: "), "{text}");
}

#[test]
fn moves_that_only_ko_forbids_are_followed() {
    // The ninth takes straight back.
    let vertices = ["C3", "D3", "B2", "E2", "C1", "D1", "D2", "C2", "D2", "A5"];
    let moves = vertices.iter().enumerate().map(|(turn, vertex)| {
        let letter = if turn % 2 == 0 { "B" } else { "W" };
        json!([letter, vertex])
    });
    let moves: Vec<Value> = moves.collect();
    let answer = answer(json!({"moves": moves, "rules": "japanese"}));
    assert_eq!(answer["turnNumber"], 10, "{answer}");
}

#[test]
fn no_priorities_for_no_turns_are_none_for_the_last() {
    let answer = answer(json!({"moves": [["B", "C3"]], "priorities": []}));
    assert_eq!(answer["turnNumber"], 1);
}

#[test]
fn what_has_no_effect_is_a_warning_and_the_query_goes_on() {
    let odd = json!({
        "nonesuch": 1, "overrideSettings": {"humanSLProfile": "rank_5k", "maxVisits": 3},
    });
    let answers = answers_to(query(odd).to_string());
    let fields: Vec<&Value> = answers[..2].iter().map(|told| &told["field"]).collect();
    for field in ["nonesuch", "overrideSettings"] {
        assert!(fields.contains(&&json!(field)), "{field}: {answers:?}");
    }
    assert!(
        answers[..2]
            .iter()
            .all(|told| told["warning"].is_string() && told["id"] == "q")
    );
    assert_eq!(answers.len(), 3);
    assert_eq!(answers[2]["rootInfo"]["visits"], 3);
}

#[test]
fn rules_come_by_name_or_by_axis() {
    // With one komi for all of them: what is left to tell them apart is the hash of the position, which knows the rules.
    let rules = |rules: Value| {
        let mut asked = query(json!({}));
        asked["rules"] = rules;
        asked["komi"] = 6.5.into();
        answers_to(asked.to_string()).remove(0)
    };
    let japanese = rules(json!("japanese"));
    let axes =
        json!({"ko": "SIMPLE", "scoring": "TERRITORY", "friendlyPassOk": false, "suicide": false});
    assert_eq!(rules(axes.clone()), japanese);
    assert_eq!(rules(json!(axes.to_string())), japanese);
    assert_ne!(rules(json!("chinese"))["rootInfo"], japanese["rootInfo"]);
}
