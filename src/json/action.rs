//! Actions: lines that ask for something else than an analysis. They are answered with all their own fields, and at once.

use serde_json::{Map, Value, json};

use super::fields::{Fault, Fields, object};
use super::query::Query;
use super::session::Desk;
use super::work::no_results;

type Run = fn(&Desk, &mut Fields) -> Result<Map<String, Value>, Fault>;

/// All actions.
const ACTIONS: [(&str, Run); 5] = [
    ("query_version", query_version),
    ("clear_cache", clear_cache),
    ("terminate", terminate),
    ("terminate_all", terminate_all),
    ("query_models", query_models),
];

/// Carries an action out and gives back what its answer adds to its own fields.
///
/// # Errors
/// When there is no such action, or one of its fields is wrong.
pub fn run(desk: &Desk, name: &str, fields: &mut Fields) -> Result<Map<String, Value>, Fault> {
    let found = ACTIONS.iter().find(|(known, _)| *known == name);
    let (_, run) = found.ok_or_else(|| {
        let names = ACTIONS.map(|(known, _)| known).join(", ");
        Fault::new("action", format!("expected one of {names}, found {name:?}"))
    })?;
    run(desk, fields)
}

fn query_version(desk: &Desk, _: &mut Fields) -> Result<Map<String, Value>, Fault> {
    let version = desk.identity.version.as_str();
    // What KataGo says that was built without Git.
    Ok(object([
        ("version", version.into()),
        ("git_hash", "<omitted>".into()),
    ]))
}

fn query_models(desk: &Desk, _: &mut Fields) -> Result<Map<String, Value>, Fault> {
    let model = json!({
        "name": desk.identity.model,
        "maxBatchSize": desk.identity.batch,
        "usesHumanSLProfile": desk.identity.imitates,
    });
    Ok(object([("models", Value::Array(vec![model]))]))
}

fn clear_cache(desk: &Desk, _: &mut Fields) -> Result<Map<String, Value>, Fault> {
    desk.evaluator.forget();
    Ok(Map::new())
}

fn terminate(desk: &Desk, fields: &mut Fields) -> Result<Map<String, Value>, Fault> {
    let id: String = fields.required("terminateId", "the id of a query, a text")?;
    end(desk, fields, |query| query.id == id)
}

fn terminate_all(desk: &Desk, fields: &mut Fields) -> Result<Map<String, Value>, Fault> {
    end(desk, fields, |_| true)
}

fn end(
    desk: &Desk,
    fields: &mut Fields,
    meant: impl Fn(&Query) -> bool,
) -> Result<Map<String, Value>, Fault> {
    let turns: Option<Vec<usize>> = fields.list("turnNumbers", "a turn")?;
    let in_turns = |turn: usize| turns.as_ref().is_none_or(|turns| turns.contains(&turn));
    let ended = desk
        .pool
        .terminate(|turn| meant(&turn.query) && in_turns(turn.number));
    for job in ended {
        no_results(&job, &desk.outbox);
    }
    Ok(Map::new())
}
