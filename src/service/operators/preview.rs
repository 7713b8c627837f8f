//! `previewGobans`: final positions of stored games, for lists with small boards.

use serde::Deserialize;
use serde_json::{Value, json};

use super::play_game::color_matrix;
use super::stored_games::{GameIdField, playable_part};
use crate::game::rules::Rules;
use crate::json_analysis::fields::{BoundedInteger, RequestError};
use crate::service::call::{Call, CallReply, CallResult, Operator};
use crate::service::limits;

/// The operators of this group.
pub const OPERATORS: &[Operator] = &[Operator::new(
    "previewGobans",
    "gobanIds",
    "Returns the positions at the end of stored games.",
    preview,
)];

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PreviewFields {
    goban_ids: Vec<GameIdField>,
}

fn preview(call: &mut Call<'_>) -> CallResult {
    let PreviewFields { goban_ids } = call.take_remaining_fields()?;
    if goban_ids.len() > limits::MAX_PREVIEWS {
        let message = format!("expected at most {} games", limits::MAX_PREVIEWS);
        return Err(RequestError::new("gobanIds", message).into());
    }
    let service = call.service;
    let boards: Vec<Value> = goban_ids
        .into_iter()
        .map(|BoundedInteger(id)| {
            let (_, sgf) = service.store.load(id).ok()?;
            final_board(&sgf, service.defaults.rules)
        })
        .map(|board| board.unwrap_or(Value::Null))
        .collect();
    Ok(CallReply::Completed(json!({"boards": boards})))
}

/// Returns the board at the end of a game's main line, up to the first move that cannot be played, or `None` if the
/// game is unreadable.
fn final_board(sgf: &str, default_rules: Rules) -> Option<Value> {
    let part = playable_part(sgf, default_rules)?;
    let position = part.record.position();
    Some(color_matrix(
        position.size(),
        position.board().stones_by_color(),
    ))
}
