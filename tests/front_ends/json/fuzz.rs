//! Random queries and plain nonsense: every line is answered, with objects that say which line they answer.
//!
//! `FUZZ_LINES=1000000 cargo test --test front_ends json::fuzz` sends so many lines instead of the few that take seconds.

use std::collections::{BTreeMap, HashSet};

use honinbo::random::Rng;
use serde_json::{Value, json};

use super::{answers_to, list, query};

/// Lines of one session.
const LINES: usize = 1000;
/// How likely one more field is drawn anew.
const CHANGED: f64 = 0.6;

/// Values for any field: of the right kind for some, of a wrong one for most.
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

/// Fields of queries and actions, and some that there are not.
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
fn random_lines_are_each_answered() {
    let lines = std::env::var("FUZZ_LINES").map_or(LINES, |text| text.parse().unwrap());
    for session in 0..lines.div_ceil(LINES) {
        dialogue(&mut Rng::stream(7, session as u64));
        if session % 100 == 99 {
            println!("{} lines", (session + 1) * LINES);
        }
    }
}

fn draw<'a>(rng: &mut Rng, from: &[&'a str]) -> &'a str {
    from[rng.below(from.len())]
}

/// A query of few visits with some fields drawn anew, or an action.
fn object(rng: &mut Rng, id: &str) -> Value {
    let mut object = if rng.chance(0.1) {
        json!({"id": id, "action": draw(rng, &ACTIONS), "terminateId": "3"})
    } else {
        let moves = json!([["B", "C3"], ["W", "B2"], ["B", "pass"]]);
        query(json!({"id": id, "maxVisits": 1 + rng.below(6), "moves": moves}))
    };
    let fields = object.as_object_mut().expect("an object");
    while rng.chance(CHANGED) {
        let value = serde_json::from_str(draw(rng, &VALUES)).expect("a value");
        fields.insert(draw(rng, &FIELDS).to_owned(), value);
    }
    object
}

/// The text of an object with a part of it lost, doubled or changed.
fn damaged(rng: &mut Rng, text: &str) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    let place = rng.below(bytes.len());
    match rng.below(4) {
        0 => bytes.truncate(place),
        1 => bytes.insert(place, b"{}[]\":,\\\0\xff"[rng.below(10)]),
        2 => drop(bytes.remove(place)),
        _ => bytes.extend_from_slice(text.as_bytes()),
    }
    bytes.retain(|&byte| byte != b'\n' && byte != b'\r');
    bytes
}

fn dialogue(rng: &mut Rng) {
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
    let mut told: BTreeMap<Option<String>, Vec<Value>> = BTreeMap::new();
    for answer in answers_to(input) {
        let id = answer.get("id").and_then(Value::as_str).map(str::to_owned);
        let ends = answer.get("warning").is_none() && answer["isDuringSearch"] != json!(true);
        if ends {
            told.entry(id).or_default().push(answer);
        }
    }
    let named = |line: &Option<Value>| Some(line.as_ref()?.get("id")?.as_str()?.to_owned());
    let nameless = sent.iter().filter(|line| named(line).is_none()).count();
    assert_eq!(
        told.remove(&None).map_or(0, |errors| errors.len()),
        nameless
    );
    let mut expected: BTreeMap<String, usize> = BTreeMap::new();
    for line in &sent {
        if let Some(id) = named(line) {
            *expected.entry(id).or_default() += 1;
        }
    }
    assert!(told.keys().flatten().all(|id| expected.contains_key(id)));
    for line in sent.iter().flatten() {
        // Of names that several lines bear nothing is known.
        if let Some(id) = named(&Some(line.clone())).filter(|id| expected[id] == 1) {
            let answers = told.get(&Some(id)).map_or(&[][..], Vec::as_slice);
            check(line, answers);
        }
    }
}

/// One error, an echo of an action, or an answer for each turn, which may be none.
fn check(line: &Value, answers: &[Value]) {
    if let Some(error) = answers.iter().find(|answer| answer.get("error").is_some()) {
        assert_eq!(answers.len(), 1, "{line}: {answers:?}");
        assert!(
            error["error"].as_str().is_some_and(|text| !text.is_empty()),
            "{error}"
        );
        let field = error["field"].as_str().expect("a field");
        assert!(FIELDS.contains(&field), "{error}");
    } else if line.get("action").is_some_and(Value::is_string) {
        assert_eq!(answers.len(), 1, "{line}");
        assert_eq!(answers[0]["action"], line["action"]);
    } else {
        let turns: HashSet<u64> = match line.get("analyzeTurns") {
            Some(Value::Array(turns)) => turns.iter().filter_map(Value::as_u64).collect(),
            _ => [list(&line["moves"]).len() as u64].into(),
        };
        let answered = answers.iter().map(|answer| answer["turnNumber"].as_u64());
        let answered: HashSet<u64> = answered.map(|turn| turn.expect("a turn")).collect();
        assert_eq!((answers.len(), answered), (turns.len(), turns), "{line}");
        for answer in answers {
            assert!(answer["noResults"] == json!(true) || answer["rootInfo"].is_object());
        }
    }
}
