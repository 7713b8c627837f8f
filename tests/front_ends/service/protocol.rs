//! `PROTOCOL.md` says what is so: its examples are asked and answered, and nothing is missing from it.

use honinbo::service::error::CODES;
use honinbo::service::operators;
use serde_json::Value;

use super::Service;

const TEXT: &str = include_str!("../../../src/service/PROTOCOL.md");

/// Whether an answer has the form of another: the same fields, of the same types; null stands for anything.
fn alike(expected: &Value, found: &Value) -> bool {
    match (expected, found) {
        (Value::Null, _) | (Value::Number(_), Value::Number(_)) => true,
        (Value::Bool(_), Value::Bool(_)) | (Value::String(_), Value::String(_)) => true,
        (Value::Array(expected), Value::Array(found)) => {
            let form = expected.first();
            form.is_none_or(|form| !found.is_empty() && found.iter().all(|one| alike(form, one)))
        }
        (Value::Object(expected), Value::Object(found)) => {
            expected.len() == found.len()
                && expected
                    .iter()
                    .all(|(name, form)| found.get(name).is_some_and(|one| alike(form, one)))
        }
        _ => false,
    }
}

#[test]
fn the_examples_are_answered_as_they_say() {
    let folder = tempfile::tempdir().unwrap();
    let service = Service::start(&folder.path().join("games.db"), &[]);
    let mut client = service.client();
    let mut asked = 0;
    let mut lines = TEXT.lines();
    while let Some(line) = lines.next() {
        let Some(request) = line.strip_prefix("> {") else {
            continue;
        };
        client.send(format!("{{{request}"));
        let expected = lines.next().and_then(|line| line.strip_prefix("< "));
        let expected: Value = serde_json::from_str(expected.expect("an answer follows")).unwrap();
        let found = client.hear().expect("an answer");
        assert!(
            alike(&expected, &found),
            "{line}\nexpected {expected}\nfound {found}"
        );
        asked += 1;
    }
    assert!(asked > operators::all().count(), "{asked}");
}

#[test]
fn every_operator_and_code_is_explained() {
    for operator in operators::all() {
        assert!(
            TEXT.contains(&format!("### `{}`\n", operator.name)),
            "{}",
            operator.name
        );
        assert!(TEXT.contains(&format!("\"operator\":\"{}\"", operator.name)));
    }
    for (_, name, sentence) in CODES {
        assert!(
            TEXT.contains(&format!("| `{name}` | {sentence} |")),
            "{name}"
        );
    }
}

#[test]
fn forms_are_told_apart() {
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
        assert_eq!(alike(&of(expected), &of(found)), same, "{expected} {found}");
    }
}
