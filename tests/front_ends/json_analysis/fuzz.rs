//! Random and malformed requests: each gets a response that identifies the request.
//!
//! `FUZZ_LINES=1000000 cargo test --test front_ends json_analysis::fuzz` runs the test with a million requests;
//! the default takes a few seconds.

use std::collections::{BTreeMap, HashSet};

use honinbo::random::Rng;
use serde_json::{Value, json};

use super::{list, query, responses_to};

/// Requests per session.
const LINES: usize = 1000;
/// Probability of replacing one more field.
const REPLACE_PROBABILITY: f64 = 0.6;

/// Values for any field, most of them of the wrong type for most fields.
const VALUES: [&str; 34] = [
    "null",
    "true",
    "false",
    "0",
    "1",
    "-1",
    "3",
    "0.5",
    "1e300",
    "99999999999999999999",
    "\"\"",
    "\"B\"",
    "\"W\"",
    "\"pass\"",
    "\"N-1\"",
    "\"japanese\"",
    "\"é\\u0000\"",
    "\"(1,2)\"",
    "[]",
    "{}",
    "[0]",
    "[0,1,1,0]",
    "[-1]",
    "[[\"B\",\"A1\"]]",
    "[[\"B\",\"A1\"],[\"W\",\"A1\"]]",
    "[[\"W\",\"pass\"],[\"B\",\"(0,0)\"]]",
    "[[\"B\",\"A1\"],[\"W\"]]",
    "[[\"B\",\"Z9\"]]",
    "[{\"player\":\"B\",\"moves\":[\"A1\",\"pass\"],\"untilDepth\":2}]",
    "[{\"player\":\"W\",\"moves\":[],\"untilDepth\":1}]",
    "[{\"player\":\"B\",\"moves\":[\"A1\"]}]",
    "{\"ko\":\"SITUATIONAL\",\"suicide\":true}",
    "{\"maxVisits\":2,\"reportAnalysisWinratesAs\":\"BLACK\"}",
    "{\"maxTime\":-1,\"rootNoiseEnabled\":\"x\"}",
];

/// Fields of queries and actions, and unknown ones.
const FIELDS: [&str; 33] = [
    "id",
    "action",
    "moves",
    "rules",
    "komi",
    "boardXSize",
    "boardYSize",
    "initialStones",
    "initialPlayer",
    "whiteHandicapBonus",
    "analyzeTurns",
    "maxVisits",
    "rootPolicyTemperature",
    "rootFpuReductionMax",
    "analysisPVLen",
    "includeOwnership",
    "includeOwnershipStdev",
    "includeMovesOwnership",
    "includeMovesOwnershipStdev",
    "includePolicy",
    "includePVVisits",
    "includeNoResultValue",
    "avoidMoves",
    "allowMoves",
    "overrideSettings",
    "priority",
    "priorities",
    "terminateId",
    "turnNumbers",
    "nonesuch",
    "",
    "Moves",
    "é",
];

const ACTIONS: [&str; 6] = [
    "query_version",
    "query_models",
    "clear_cache",
    "terminate",
    "terminate_all",
    "dance",
];

#[test]
fn every_line_gets_a_response() {
    let lines = std::env::var("FUZZ_LINES").map_or(LINES, |text| text.parse().unwrap());
    for session in 0..lines.div_ceil(LINES) {
        run_session(&mut Rng::stream(7, session as u64));
        if session % 100 == 99 {
            println!("{} lines", (session + 1) * LINES);
        }
    }
}

fn pick<'a>(rng: &mut Rng, choices: &[&'a str]) -> &'a str {
    choices[rng.below(choices.len())]
}

/// Returns an action or a query with few visits, with some random fields.
fn object(rng: &mut Rng, id: &str) -> Value {
    let mut object = if rng.chance(0.1) {
        json!({"id": id, "action": pick(rng, &ACTIONS), "terminateId": "3"})
    } else {
        let moves = json!([["B", "C3"], ["W", "B2"], ["B", "pass"]]);
        query(json!({"id": id, "maxVisits": 1 + rng.below(6), "moves": moves}))
    };
    let fields = object.as_object_mut().expect("an object");
    while rng.chance(REPLACE_PROBABILITY) {
        let value = serde_json::from_str(pick(rng, &VALUES)).expect("a value");
        fields.insert(pick(rng, &FIELDS).to_owned(), value);
    }
    object
}

/// Returns the text with a random part removed, repeated or replaced.
fn damaged(rng: &mut Rng, text: &str) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    let index = rng.below(bytes.len());
    match rng.below(4) {
        0 => bytes.truncate(index),
        1 => bytes.insert(index, b"{}[]\":,\\\0\xff"[rng.below(10)]),
        2 => drop(bytes.remove(index)),
        _ => bytes.extend_from_slice(text.as_bytes()),
    }
    bytes.retain(|&byte| byte != b'\n' && byte != b'\r');
    bytes
}

fn run_session(rng: &mut Rng) {
    let mut input = Vec::new();
    let mut sent: Vec<Option<Value>> = Vec::new();
    for number in 0..LINES {
        let object = object(rng, &number.to_string());
        let line = match rng.below(10) {
            0 => damaged(rng, &object.to_string()),
            _ => object.to_string().into_bytes(),
        };
        if line.trim_ascii().is_empty() {
            continue;
        }
        sent.push(serde_json::from_slice(&line).ok().filter(Value::is_object));
        input.extend(line);
        input.push(b'\n');
    }
    let mut responses_by_id: BTreeMap<Option<String>, Vec<Value>> = BTreeMap::new();
    for response in responses_to(input) {
        let id = response
            .get("id")
            .and_then(Value::as_str)
            .map(str::to_owned);
        let ends = response.get("warning").is_none() && response["isDuringSearch"] != json!(true);
        if ends {
            responses_by_id.entry(id).or_default().push(response);
        }
    }
    let id_of = |line: &Option<Value>| Some(line.as_ref()?.get("id")?.as_str()?.to_owned());
    let lines_without_id = sent.iter().filter(|line| id_of(line).is_none()).count();
    assert_eq!(
        responses_by_id
            .remove(&None)
            .map_or(0, |errors| errors.len()),
        lines_without_id
    );
    let mut expected: BTreeMap<String, usize> = BTreeMap::new();
    for line in &sent {
        if let Some(id) = id_of(line) {
            *expected.entry(id).or_default() += 1;
        }
    }
    assert!(
        responses_by_id
            .keys()
            .flatten()
            .all(|id| expected.contains_key(id))
    );
    for line in sent.iter().flatten() {
        // Responses to a duplicate id cannot be assigned to a request.
        if let Some(id) = id_of(&Some(line.clone())).filter(|id| expected[id] == 1) {
            let responses = responses_by_id
                .get(&Some(id))
                .map_or(&[][..], Vec::as_slice);
            check(line, responses);
        }
    }
}

/// Checks for one error, the echo of an action, or one result per turn (possibly without moves).
fn check(line: &Value, responses: &[Value]) {
    if let Some(error) = responses
        .iter()
        .find(|response| response.get("error").is_some())
    {
        assert_eq!(responses.len(), 1, "{line}: {responses:?}");
        assert!(
            error["error"].as_str().is_some_and(|text| !text.is_empty()),
            "{error}"
        );
        let field = error["field"].as_str().expect("a field");
        assert!(FIELDS.contains(&field), "{error}");
    } else if line.get("action").is_some_and(Value::is_string) {
        assert_eq!(responses.len(), 1, "{line}");
        assert_eq!(responses[0]["action"], line["action"]);
    } else {
        let turns: HashSet<u64> = match line.get("analyzeTurns") {
            Some(Value::Array(turns)) => turns.iter().filter_map(Value::as_u64).collect(),
            _ => [list(&line["moves"]).len() as u64].into(),
        };
        let actual_turns = responses
            .iter()
            .map(|response| response["turnNumber"].as_u64());
        let actual_turns: HashSet<u64> = actual_turns.map(|turn| turn.expect("a turn")).collect();
        assert_eq!(
            (responses.len(), actual_turns),
            (turns.len(), turns),
            "{line}"
        );
        for response in responses {
            assert!(response["noResults"] == json!(true) || response["rootInfo"].is_object());
        }
    }
}
