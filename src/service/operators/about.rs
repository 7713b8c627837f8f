//! What the service is, and what it still has to do.

use serde_json::{Value, json};

use crate::engine::level::LEVELS;
use crate::game::rules::Rules;
use crate::json::fields::{RequestError, object};
use crate::service::dispatcher::{Call, CallOutcome, CallResult};
use crate::service::table::{Operator, operators};

/// The group.
pub const OPERATORS: &[Operator] = &[
    Operator::new("ping", "", "Answers, and does nothing else.", ping),
    Operator::new(
        "version",
        "",
        "Tells name and version of the program, the name of its network, and the levels and rules it knows.",
        version,
    ),
    Operator::new(
        "operators",
        "",
        "Lists the operators, with their fields and what they do.",
        list,
    ),
    Operator::new(
        "cancel",
        "[cancelId]",
        "Ends the request of that id, or all of the client's; a search under way answers what it has found.",
        cancel,
    ),
];

fn ping(call: &mut Call<'_>) -> CallResult {
    call.reject_unknown_fields()?;
    Ok(CallOutcome::Completed(object([("pong", true.into())])))
}

fn version(call: &mut Call<'_>) -> CallResult {
    call.reject_unknown_fields()?;
    let identity = &call.dispatcher.identity;
    let levels = LEVELS.iter().map(|level| level.name);
    let rules = Rules::names().filter_map(|name| {
        let komi = Rules::named(name)?.komi.points();
        Some(json!({"name": name, "komi": komi}))
    });
    Ok(CallOutcome::Completed(object([
        ("name", identity.name.as_str().into()),
        ("version", identity.version.as_str().into()),
        ("model", identity.model.as_str().into()),
        ("levels", levels.collect()),
        ("rules", rules.collect()),
    ])))
}

fn list(call: &mut Call<'_>) -> CallResult {
    call.reject_unknown_fields()?;
    let entries = operators().map(|operator| {
        json!({"name": operator.name, "fields": operator.fields, "summary": operator.summary})
    });
    let entries: Vec<Value> = entries.collect();
    Ok(CallOutcome::Completed(object([(
        "operators",
        entries.into(),
    )])))
}

fn cancel(call: &mut Call<'_>) -> CallResult {
    let cancel_id = call.fields.optional::<Value>("cancelId", "an id")?;
    call.reject_unknown_fields()?;
    if let Some(value) = &cancel_id
        && !(value.is_string() || value.is_number())
    {
        return Err(RequestError::unexpected("cancelId", "a text or number", value).into());
    }
    let client = call.client.id;
    let cancelled = call.dispatcher.cancel_tasks(|task| {
        task.client.id == client && (cancel_id.is_none() || task.id.as_ref() == cancel_id.as_ref())
    });
    for task in &cancelled {
        task.respond_cancelled();
    }
    Ok(CallOutcome::Completed(object([(
        "cancelled",
        cancelled.len().into(),
    )])))
}
