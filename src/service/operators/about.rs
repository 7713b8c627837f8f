//! What the service is, and what it still has to do.

use serde_json::{Value, json};

use crate::engine::level::LEVELS;
use crate::game::rules::Rules;
use crate::json::fields::{Fault, object};
use crate::service::dispatcher::{Call, Outcome, Taken};
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

fn ping(call: &mut Call<'_>) -> Outcome {
    call.end()?;
    Ok(Taken::Answered(object([("pong", true.into())])))
}

fn version(call: &mut Call<'_>) -> Outcome {
    call.end()?;
    let identity = &call.dispatcher.identity;
    let levels = LEVELS.iter().map(|level| level.name);
    let rules = Rules::names().filter_map(|name| {
        let komi = Rules::named(name)?.komi.points();
        Some(json!({"name": name, "komi": komi}))
    });
    Ok(Taken::Answered(object([
        ("name", identity.name.as_str().into()),
        ("version", identity.version.as_str().into()),
        ("model", identity.model.as_str().into()),
        ("levels", levels.collect()),
        ("rules", rules.collect()),
    ])))
}

fn list(call: &mut Call<'_>) -> Outcome {
    call.end()?;
    let entries = operators().map(|operator| {
        json!({"name": operator.name, "fields": operator.fields, "summary": operator.summary})
    });
    let entries: Vec<Value> = entries.collect();
    Ok(Taken::Answered(object([("operators", entries.into())])))
}

fn cancel(call: &mut Call<'_>) -> Outcome {
    let wanted = call.fields.optional::<Value>("cancelId", "an id")?;
    call.end()?;
    if let Some(value) = &wanted
        && !(value.is_string() || value.is_number())
    {
        return Err(Fault::unexpected("cancelId", "a text or number", value).into());
    }
    let client = call.client.number;
    let ended = call.dispatcher.end(|task| {
        task.client.number == client && (wanted.is_none() || task.id.as_ref() == wanted.as_ref())
    });
    for task in &ended {
        task.cancel();
    }
    Ok(Taken::Answered(object([("cancelled", ended.len().into())])))
}
