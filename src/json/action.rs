//! Actions: lines that ask for something else than an analysis. They are answered with all their own fields, and at once.

use serde_json::{Map, Value, json};

use super::fields::{Fields, RequestError, object};
use super::query::Query;
use super::session::Session;
use super::worker::send_no_results;

type ActionHandler = fn(&Session, &mut Fields) -> Result<Map<String, Value>, RequestError>;

/// All actions.
const ACTIONS: [(&str, ActionHandler); 5] = [
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
) -> Result<Map<String, Value>, RequestError> {
    let action = ACTIONS.iter().find(|(action_name, _)| *action_name == name);
    let (_, handler) = action.ok_or_else(|| {
        let names = ACTIONS.map(|(action_name, _)| action_name).join(", ");
        RequestError::new("action", format!("expected one of {names}, found {name:?}"))
    })?;
    handler(session, fields)
}

fn query_version(session: &Session, _: &mut Fields) -> Result<Map<String, Value>, RequestError> {
    let version = session.engine_info.version.as_str();
    // What KataGo says that was built without Git.
    Ok(object([
        ("version", version.into()),
        ("git_hash", "<omitted>".into()),
    ]))
}

fn query_models(session: &Session, _: &mut Fields) -> Result<Map<String, Value>, RequestError> {
    let model = json!({
        "name": session.engine_info.model,
        "maxBatchSize": session.engine_info.max_batch_size,
        "usesHumanSLProfile": session.engine_info.uses_human_sl_profile,
    });
    Ok(object([("models", Value::Array(vec![model]))]))
}

fn clear_cache(session: &Session, _: &mut Fields) -> Result<Map<String, Value>, RequestError> {
    session.evaluator.reset();
    Ok(Map::new())
}

fn terminate(session: &Session, fields: &mut Fields) -> Result<Map<String, Value>, RequestError> {
    let id: String = fields.required("terminateId", "the id of a query, a text")?;
    terminate_matching(session, fields, |query| query.id == id)
}

fn terminate_all(
    session: &Session,
    fields: &mut Fields,
) -> Result<Map<String, Value>, RequestError> {
    terminate_matching(session, fields, |_| true)
}

fn terminate_matching(
    session: &Session,
    fields: &mut Fields,
    matches: impl Fn(&Query) -> bool,
) -> Result<Map<String, Value>, RequestError> {
    let turns: Option<Vec<usize>> = fields.list("turnNumbers", "a turn")?;
    let in_turns = |turn: usize| turns.as_ref().is_none_or(|turns| turns.contains(&turn));
    let terminated = session
        .queue
        .terminate(|turn| matches(&turn.query) && in_turns(turn.number));
    for job in terminated {
        send_no_results(&job, &session.outbox);
    }
    Ok(Map::new())
}
