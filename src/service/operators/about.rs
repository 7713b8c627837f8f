//! Operators about the service itself and about pending requests.

use serde_json::{Value, json};

use crate::engine::level::LEVELS;
use crate::game::rules::Rules;
use crate::json::fields::{RequestError, object};
use crate::service::call::{Call, CallOutcome, CallResult, Operator};

/// The operators of this group.
pub const OPERATORS: &[Operator] = &[
    Operator::new("ping", "", "Tests the connection.", ping),
    Operator::new(
        "version",
        "",
        "Returns name and version of the program, its network, levels and rule sets.",
        version,
    ),
    Operator::new(
        "operators",
        "",
        "Lists the operators with their fields and descriptions.",
        list,
    ),
    Operator::new(
        "cancel",
        "[cancelId]",
        "Cancels the request with that id, or all requests of the client; a running search returns its results so far.",
        cancel,
    ),
];

fn ping(call: &mut Call<'_>) -> CallResult {
    call.reject_unknown_fields()?;
    Ok(CallOutcome::Completed(object([("pong", true.into())])))
}

fn version(call: &mut Call<'_>) -> CallResult {
    call.reject_unknown_fields()?;
    let identity = &call.services.identity;
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
    let entries = call.services.operators.iter().map(|operator| {
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
        return Err(RequestError::unexpected("cancelId", "a string or number", value).into());
    }
    let client = call.client.id;
    let cancelled = call.services.cancel_tasks(|task| {
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
