//! Operators about the service itself and about pending requests.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::engine::level::LEVELS;
use crate::game::rules::Rules;
use crate::service::call::{Call, CallReply, CallResult, NoFields, Operator, RequestId};

/// The operators of this group.
pub const OPERATORS: &[Operator] = &[
    Operator::new("ping", "", "Tests the connection.", ping),
    Operator::new(
        "version",
        "",
        "Returns the program's name, version, network, levels and rule sets.",
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
        "Cancels the client's request with the given id, or all its requests; a running search returns its results so far.",
        cancel,
    ),
];

fn ping(call: &mut Call<'_>) -> CallResult {
    call.take_remaining_fields::<NoFields>()?;
    Ok(CallReply::Completed(json!({"pong": true})))
}

fn version(call: &mut Call<'_>) -> CallResult {
    call.take_remaining_fields::<NoFields>()?;
    let identity = &call.service.identity;
    let rules = Rules::names().filter_map(|name| {
        let komi = Rules::parse(name)?.komi.points();
        Some(json!({"name": name, "komi": komi}))
    });
    Ok(CallReply::Completed(json!({
        "name": identity.name,
        "version": identity.version,
        "model": identity.model,
        "levels": LEVELS.iter().map(|level| level.name).collect::<Value>(),
        "rules": rules.collect::<Value>(),
    })))
}

fn list(call: &mut Call<'_>) -> CallResult {
    call.take_remaining_fields::<NoFields>()?;
    let entries = call.service.operators.iter().map(|operator| {
        json!({"name": operator.name, "fields": operator.fields, "summary": operator.summary})
    });
    let entries: Value = entries.collect();
    Ok(CallReply::Completed(json!({"operators": entries})))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct CancelFields {
    cancel_id: Option<RequestId>,
}

fn cancel(call: &mut Call<'_>) -> CallResult {
    let CancelFields { cancel_id } = call.take_remaining_fields()?;
    let client = call.client.id;
    let cancelled = call.service.cancel_and_respond(|task| {
        task.client.id == client && (cancel_id.is_none() || task.id == cancel_id)
    });
    Ok(CallReply::Completed(json!({"cancelled": cancelled})))
}
