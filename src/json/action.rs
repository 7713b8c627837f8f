//! Actions: lines that ask for something else than an analysis. They are answered with all their own fields, and at once.

use serde_json::{Map, Value, json};

use super::fields::{Fault, Fields, object};
use super::query::Query;
use super::session::Session;
use super::work::no_results;

type Run = fn(&Session, &mut Fields) -> Result<Map<String, Value>, Fault>;

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
pub fn run(
    session: &Session,
    name: &str,
    fields: &mut Fields,
) -> Result<Map<String, Value>, Fault> {
    let found = ACTIONS.iter().find(|(known, _)| *known == name);
    let (_, run) = found.ok_or_else(|| {
        let names = ACTIONS.map(|(known, _)| known).join(", ");
        Fault::new("action", format!("expected one of {names}, found {name:?}"))
    })?;
    run(session, fields)
}

fn query_version(session: &Session, _: &mut Fields) -> Result<Map<String, Value>, Fault> {
    let version = session.identity.version.as_str();
    // What KataGo says that was built without Git.
    Ok(object([
        ("version", version.into()),
        ("git_hash", "<omitted>".into()),
    ]))
}

fn query_models(session: &Session, _: &mut Fields) -> Result<Map<String, Value>, Fault> {
    let model = json!({
        "name": session.identity.model,
        "maxBatchSize": session.identity.batch,
        "usesHumanSLProfile": session.identity.imitates,
    });
    Ok(object([("models", Value::Array(vec![model]))]))
}

fn clear_cache(session: &Session, _: &mut Fields) -> Result<Map<String, Value>, Fault> {
    session.evaluator.forget();
    Ok(Map::new())
}

fn terminate(session: &Session, fields: &mut Fields) -> Result<Map<String, Value>, Fault> {
    let id: String = fields.required("terminateId", "the id of a query, a text")?;
    end(session, fields, |query| query.id == id)
}

fn terminate_all(session: &Session, fields: &mut Fields) -> Result<Map<String, Value>, Fault> {
    end(session, fields, |_| true)
}

fn end(
    session: &Session,
    fields: &mut Fields,
    meant: impl Fn(&Query) -> bool,
) -> Result<Map<String, Value>, Fault> {
    let turns: Option<Vec<usize>> = fields.list("turnNumbers", "a turn")?;
    let in_turns = |turn: usize| turns.as_ref().is_none_or(|turns| turns.contains(&turn));
    let ended = session
        .queue
        .terminate(|turn| meant(&turn.query) && in_turns(turn.number));
    for job in ended {
        no_results(&job, &session.outbox);
    }
    Ok(Map::new())
}
