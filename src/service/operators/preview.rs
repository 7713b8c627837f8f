//! `previewGobans`: final positions of stored games, for lists with small boards.

use serde::Deserialize;
use serde_json::{Value, json};

use super::play_game::color_matrix;
use super::stored_games::GameIdField;
use crate::game::rules::Rules;
use crate::json_analysis::fields::{BoundedInteger, RequestError};
use crate::service::call::{Call, CallReply, CallResult, Operator};
use crate::sgf::convert::read_playable;
use crate::sgf::parse_text;

/// The operators of this group.
pub const OPERATORS: &[Operator] = &[Operator::new(
    "previewGobans",
    "gobanIds",
    "Returns the positions at the end of stored games.",
    preview,
)];

/// Maximum number of games in a request.
const MAX_PREVIEWS: usize = 100;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PreviewFields {
    goban_ids: Vec<GameIdField>,
}

fn preview(call: &mut Call<'_>) -> CallResult {
    let PreviewFields { goban_ids } = call.take_remaining_fields()?;
    if goban_ids.len() > MAX_PREVIEWS {
        let message = format!("expected at most {MAX_PREVIEWS} games");
        return Err(RequestError::new("gobanIds", message).into());
    }
    let service = call.service;
    let boards: Vec<Value> = goban_ids
        .into_iter()
        .map(|BoundedInteger(id)| {
            let game = service.store.load(id).ok();
            game.map_or(Value::Null, |(_, sgf)| {
                final_board(&sgf, service.defaults.rules)
            })
        })
        .collect();
    Ok(CallReply::Completed(json!({"boards": boards})))
}

/// Returns the board at the end of a game's main line, up to the first move that cannot be played; null if the game is
/// unreadable.
fn final_board(sgf: &str, default_rules: Rules) -> Value {
    let Ok(parsed) = parse_text(sgf) else {
        return Value::Null;
    };
    match read_playable(parsed.first_game(), default_rules) {
        Ok(part) => {
            let position = part.record.position();
            color_matrix(position.size(), position.board().stones_by_color())
        }
        Err(_) => Value::Null,
    }
}
