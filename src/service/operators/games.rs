//! Operators for stored games: save, list, load, delete and export.

use std::collections::HashSet;

use serde_json::{Value, json};

use crate::json::fields::{Fields, RequestError, object};
use crate::service::call::{Call, CallOutcome, CallResult, Operator};
use crate::service::error::{ErrorCode, ServiceError};
use crate::service::limits;
use crate::service::position::take_size;
use crate::service::store::{
    GameFilter, GameInfo, Store, StoreError, StoredGame, read_single_game,
};
use crate::sgf::{parse_text, write};

/// The operators of this group.
pub const OPERATORS: &[Operator] = &[
    Operator::new(
        "saveGoban",
        "goban",
        "Stores a game given as SGF text and returns its id; the same text is stored only once.",
        save,
    ),
    Operator::new(
        "listGoban",
        "[player] [from] [to] [result] [size] [before] [limit]",
        "Lists the stored games, newest first, in pages.",
        list,
    ),
    Operator::new(
        "loadGoban",
        "gobanId",
        "Returns a game as it was saved, its metadata, and its review if there is one.",
        load,
    ),
    Operator::new(
        "deleteGoban",
        "gobanId",
        "Deletes a game and its review.",
        delete,
    ),
    Operator::new(
        "exportGoban",
        "[gobanIds] [player] [from] [to] [result] [size]",
        "Returns the games with these ids, or all that match the filters, as one SGF collection.",
        export,
    ),
];

/// Default number of games per page.
const DEFAULT_PAGE_SIZE: u32 = 50;

/// Reads the required field `gobanId`.
///
/// # Errors
/// Returns an error if the field is missing or not a number.
pub fn take_game_id(fields: &mut Fields) -> Result<i64, RequestError> {
    fields.required("gobanId", "the id of a game")
}

/// Returns the metadata of a game as JSON.
fn game_info_json(info: &GameInfo) -> Value {
    json!({
        "black": info.black,
        "white": info.white,
        "date": info.date,
        "result": info.result,
        "size": [info.width, info.height],
        "komi": info.komi,
        "rules": info.rules,
        "moves": info.moves,
    })
}

fn stored_game_json(game: &StoredGame) -> Value {
    let mut value = game_info_json(&game.info);
    value["gobanId"] = game.id.into();
    value["reviewed"] = game.has_review.into();
    value
}

fn save(call: &mut Call<'_>) -> CallResult {
    let sgf: String = call.fields.required("goban", "a game as SGF text")?;
    call.reject_unknown_fields()?;
    let (_, info) = read_single_game(&sgf, call.services.defaults.rules)?;
    call.release_permit();
    let (id, is_new) = call.services.store.save(&sgf, &info)?;
    Ok(CallOutcome::Completed(object([
        ("gobanId", id.into()),
        ("new", is_new.into()),
    ])))
}

fn list(call: &mut Call<'_>) -> CallResult {
    let mut filter = take_filter(&mut call.fields)?;
    filter.before_id = call.fields.optional("before", "the id of a game")?;
    let expected = format!("a number from 1 to {}", limits::MAX_PAGE_SIZE);
    let limit: u32 = call
        .fields
        .optional("limit", &expected)?
        .unwrap_or(DEFAULT_PAGE_SIZE);
    if !(1..=limits::MAX_PAGE_SIZE).contains(&limit) {
        let message = format!("expected {expected}, found {limit}");
        return Err(RequestError::new("limit", message).into());
    }
    call.reject_unknown_fields()?;
    // One more game than requested is loaded to determine whether there is another page.
    let mut games = call.services.store.list(&filter, limit + 1)?;
    let has_more = games.len() > limit as usize;
    games.truncate(limit as usize);
    let next = games.last().filter(|_| has_more).map(|game| game.id);
    let entries: Vec<Value> = games.iter().map(stored_game_json).collect();
    Ok(CallOutcome::Completed(object([
        ("games", entries.into()),
        ("next", next.into()),
    ])))
}

fn take_filter(fields: &mut Fields) -> Result<GameFilter, ServiceError> {
    let size = take_size(fields)?;
    let mut text = |name| fields.optional::<String>(name, "a string");
    Ok(GameFilter {
        player: text("player")?,
        from: text("from")?,
        to: text("to")?,
        result: text("result")?,
        size: size.map(|size| (size.width(), size.height())),
        before_id: None,
    })
}

fn load(call: &mut Call<'_>) -> CallResult {
    let id = take_game_id(&mut call.fields)?;
    call.reject_unknown_fields()?;
    let (game, sgf) = call.services.store.load(id)?;
    let review = call.services.store.load_review(id)?;
    // Reviews are stored as valid JSON. A damaged one is omitted.
    let review = review.and_then(|review| serde_json::from_str(&review.body).ok());
    Ok(CallOutcome::Completed(object([
        ("goban", sgf.into()),
        ("facts", stored_game_json(&game)),
        ("review", review.unwrap_or(Value::Null)),
    ])))
}

fn delete(call: &mut Call<'_>) -> CallResult {
    let id = take_game_id(&mut call.fields)?;
    call.reject_unknown_fields()?;
    call.release_permit();
    call.services.store.delete(id)?;
    Ok(CallOutcome::Completed(object([("deleted", id.into())])))
}

/// Parses a game and writes it again, so that it can be part of a collection. Otherwise, a truncated game would include
/// the games after it, and the first game's character set would apply to all games.
fn normalize_sgf(sgf: String) -> String {
    parse_text(&sgf).map_or(sgf, |parsed| write(&parsed.collection))
}

fn export(call: &mut Call<'_>) -> CallResult {
    let ids: Option<Vec<i64>> = call.fields.list("gobanIds", "the id of a game")?;
    let filter = take_filter(&mut call.fields)?;
    call.reject_unknown_fields()?;
    let store = &call.services.store;
    let (collection, count) = match ids {
        Some(ids) => {
            // Otherwise, a short request could produce a very long response.
            let mut seen = HashSet::new();
            if let Some(duplicate) = ids.iter().find(|&&id| !seen.insert(id)) {
                let message = format!("game {duplicate} is listed twice");
                return Err(RequestError::new("gobanIds", message).into());
            }
            collection(store, &ids, true)?
        }
        None => {
            let games = store.list(&filter, u32::MAX)?;
            let ids: Vec<i64> = games.into_iter().map(|game| game.id).collect();
            collection(store, &ids, false)?
        }
    };
    Ok(CallOutcome::Completed(object([
        ("goban", collection.into()),
        ("count", count.into()),
    ])))
}

/// Returns the games as an SGF collection, and their number.
///
/// If `is_explicit` is true, the client has named the games, and a missing game is an error. Otherwise, missing games
/// are skipped: they were deleted after the ids had been listed.
fn collection(
    store: &Store,
    ids: &[i64],
    is_explicit: bool,
) -> Result<(String, usize), ServiceError> {
    let (mut collection, mut count) = (String::new(), 0);
    for &id in ids {
        let sgf = match store.load(id) {
            Ok((_, sgf)) => sgf,
            Err(StoreError::NotFound { .. }) if !is_explicit => continue,
            Err(error) => return Err(error.into()),
        };
        collection += normalize_sgf(sgf).trim();
        collection.push('\n');
        count += 1;
        if collection.len() > limits::MAX_EXPORT_BYTES {
            let limit = limits::MAX_EXPORT_BYTES;
            let message = format!("the games exceed {limit} bytes; export fewer games at a time");
            return Err(ServiceError::new(ErrorCode::TooMuch, message));
        }
    }
    Ok((collection, count))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::rules::Rules;

    #[test]
    fn export_skips_deleted_games_unless_explicit() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("games.db")).unwrap();
        for sgf in ["(;SZ[9]C[1])", "(;SZ[9]C[2])", "(;SZ[9]C[3])"] {
            let (_, info) = read_single_game(sgf, Rules::default()).unwrap();
            store.save(sgf, &info).unwrap();
        }
        let ids = [3, 2, 1];
        store.delete(2).unwrap();
        let (text, count) = collection(&store, &ids, false).unwrap();
        assert_eq!((text.lines().count(), count), (2, 2), "{text}");
        assert!(text.contains("C[3]") && text.contains("C[1]"), "{text}");
        let error = collection(&store, &ids, true).unwrap_err();
        assert_eq!(error.code, ErrorCode::NotFound);
    }
}
