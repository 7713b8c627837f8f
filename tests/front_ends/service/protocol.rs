//! Tests `PROTOCOL.md`: its examples are executed, and it must be complete.

use honinbo::service::error::CODES;
use honinbo::service::operators;
use serde_json::Value;

use super::Service;

const TEXT: &str = include_str!("../../../src/service/PROTOCOL.md");

/// Returns true if two values have the same fields of the same types. A null in `expected` matches any value.
fn has_same_form(expected: &Value, found: &Value) -> bool {
    match (expected, found) {
        (Value::Null, _) | (Value::Number(_), Value::Number(_)) => true,
        (Value::Bool(_), Value::Bool(_)) | (Value::String(_), Value::String(_)) => true,
        (Value::Array(expected), Value::Array(found)) => {
            let form = expected.first();
            form.is_none_or(|form| {
                !found.is_empty() && found.iter().all(|one| has_same_form(form, one))
            })
        }
        (Value::Object(expected), Value::Object(found)) => {
            expected.len() == found.len()
                && expected
                    .iter()
                    .all(|(name, form)| found.get(name).is_some_and(|one| has_same_form(form, one)))
        }
        _ => false,
    }
}

#[test]
fn protocol_examples_have_documented_form() {
    let (_service, mut client) = Service::with_client(&[]);
    let mut count = 0;
    let mut lines = TEXT.lines();
    while let Some(line) = lines.next() {
        let Some(request) = line.strip_prefix("> {") else {
            continue;
        };
        client.send(format!("{{{request}"));
        let expected = lines.next().and_then(|line| line.strip_prefix("< "));
        let expected: Value = serde_json::from_str(expected.expect("a response follows")).unwrap();
        let found = client.receive().expect("a response");
        assert!(
            has_same_form(&expected, &found),
            "{line}\nexpected {expected}\nfound {found}"
        );
        count += 1;
    }
    assert!(count > operators::all().count(), "{count}");
}

#[test]
fn every_operator_and_code_is_documented() {
    for operator in operators::all() {
        assert!(
            TEXT.contains(&format!("### `{}`\n", operator.name)),
            "{}",
            operator.name
        );
        assert!(TEXT.contains(&format!("\"operator\":\"{}\"", operator.name)));
    }
    for entry in CODES {
        let names = entry.parameters.split_whitespace();
        let parameters: Vec<_> = names.map(|name| format!("`{name}`")).collect();
        let (name, parameters) = (entry.name, parameters.join(", "));
        let line = format!("| `{name}` | {} | {parameters} |", entry.meaning);
        assert!(TEXT.contains(&line.replace("  ", " ")), "missing: {line}");
    }
}

#[test]
fn json_forms_are_compared() {
    let of = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    for (expected, found, same) in [
        ("[1]", "[2,3]", true),
        ("[1]", "[]", false),
        ("[1]", "[2,\"\"]", false),
        ("{\"a\":null}", "{\"a\":[]}", true),
        ("{\"a\":1}", "{\"b\":1}", false),
        ("{\"a\":1}", "{\"a\":1,\"b\":1}", false),
        ("\"x\"", "1", false),
    ] {
        assert_eq!(
            has_same_form(&of(expected), &of(found)),
            same,
            "{expected} {found}"
        );
    }
}
