//! Operators for stored games: save, list, load, delete and export.

use std::collections::HashSet;

use serde::Deserialize;
use serde_json::{Value, json};

use crate::game::rules::Rules;
use crate::json_analysis::fields::{BoundedInteger, RequestError};
use crate::service::call::{Call, CallReply, CallResult, NoFields, Operator};
use crate::service::error::{ErrorCode, ServiceError};
use crate::service::limits;
use crate::service::sgf_input::{GameSource, SgfFields};
use crate::service::store::{
    GameFilter, GameInfo, SingleGame, Store, StoreError, read_game, read_single_game,
};
use crate::sgf::convert::{PlayablePart, read_playable};
use crate::sgf::{Collection, parse_text, write};

/// The operators of this group.
pub const OPERATORS: &[Operator] = &[
    Operator::new(
        "saveGoban",
        "[goban] [bytes] [game] [gobanId]",
        "Stores a game given as SGF text or as a file, or replaces a stored game, and returns its id.",
        save,
    ),
    Operator::new(
        "saveCollection",
        "[goban] [bytes]",
        "Stores all games of an SGF text or a file.",
        save_collection,
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
        "restoreGoban",
        "gobanId",
        "Restores a game that has been deleted, with its id and its review.",
        restore,
    ),
    Operator::new(
        "exportGoban",
        "[gobanIds] [player] [from] [to] [result] [size]",
        "Returns the games with the given ids, or all games that match the filters, as one SGF collection.",
        export,
    ),
];

/// Default number of games per page.
const DEFAULT_PAGE_SIZE: u32 = 50;

/// Fields of a request that refers to one stored game.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct IdFields {
    goban_id: GameIdField,
}

/// Id of a stored game in a request.
pub type GameIdField = BoundedInteger<{ i64::MIN }, { i64::MAX }>;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SaveFields {
    goban_id: Option<GameIdField>,
}

fn save(call: &mut Call<'_>) -> CallResult {
    let source = call.fields.take_struct::<SgfFields>()?.into_source()?;
    let SaveFields { goban_id } = call.take_remaining_fields()?;
    let rules = call.service.defaults.rules;
    let SingleGame {
        tree,
        info,
        warnings,
    } = read_single_game(&source, rules)?;
    call.warnings = warnings;
    // A file may be in another format or character set.
    let sgf = match source {
        GameSource::Text(text) => text,
        GameSource::Bytes(_) => write(&Collection { games: vec![tree] }),
    };
    let store = &call.service.store;
    let Some(BoundedInteger(id)) = goban_id else {
        call.release_permit();
        let (id, is_new) = store.save(&sgf, &info)?;
        return Ok(CallReply::Completed(
            json!({"gobanId": id, "new": is_new, "updated": false}),
        ));
    };
    let (_, old_sgf) = store.load(id)?;
    let keeps_review = has_same_game(&old_sgf, &sgf, rules);
    call.release_permit();
    let (id, is_updated) = store.update(id, &sgf, &info, keeps_review)?;
    Ok(CallReply::Completed(
        json!({"gobanId": id, "new": false, "updated": is_updated}),
    ))
}

fn save_collection(call: &mut Call<'_>) -> CallResult {
    let source = call.fields.take_struct::<SgfFields>()?.into_source()?;
    call.take_remaining_fields::<NoFields>()?;
    let rules = call.service.defaults.rules;
    let trees = source.parse()?.collection.games;
    let found = trees.len();
    let games: Vec<(String, GameInfo)> = trees
        .into_iter()
        .filter_map(|tree| {
            let game = read_game(tree, None, rules).ok()?;
            let games = vec![game.tree];
            Some((write(&Collection { games }), game.info))
        })
        .collect();
    call.release_permit();
    let new_count = call.service.store.save_all(&games)?;
    Ok(CallReply::Completed(json!({
        "stored": games.len(),
        "new": new_count,
        "unreadable": found - games.len(),
    })))
}

/// Returns the part of a stored game up to the first move that cannot be played, or `None` if the text is unreadable.
pub fn playable_part(sgf: &str, default_rules: Rules) -> Option<PlayablePart> {
    let parsed = parse_text(sgf).ok()?;
    read_playable(parsed.first_game(), default_rules).ok()
}

/// Returns true if two texts contain games with the same rules, stones and moves, so that a review of one is also valid
/// for the other.
fn has_same_game(one: &str, other: &str, default_rules: Rules) -> bool {
    let record = |sgf: &str| {
        let part = playable_part(sgf, default_rules)?;
        part.earlier.is_empty().then_some(part.record)
    };
    let (Some(one), Some(other)) = (record(one), record(other)) else {
        return false;
    };
    one.initial() == other.initial() && one.moves() == other.moves()
}

#[derive(Deserialize)]
struct PageFields {
    before: Option<GameIdField>,
    limit: Option<BoundedInteger<1, { limits::MAX_PAGE_SIZE as i64 }, u32>>,
}

fn take_filter(call: &mut Call<'_>) -> Result<GameFilter, ServiceError> {
    let filter: GameFilter = call.fields.take_struct()?;
    filter.check_dates()?;
    filter
        .size
        .map(ServiceError::check_board_size)
        .transpose()?;
    Ok(filter)
}

fn list(call: &mut Call<'_>) -> CallResult {
    let mut filter = take_filter(call)?;
    let page: PageFields = call.take_remaining_fields()?;
    filter.before_id = page.before.map(|BoundedInteger(id)| id);
    let limit = page
        .limit
        .map_or(DEFAULT_PAGE_SIZE, |BoundedInteger(limit)| limit);
    // One more game than requested is loaded to determine whether there is another page.
    let mut games = call.service.store.list(&filter, limit + 1)?;
    let has_more = games.len() > limit as usize;
    games.truncate(limit as usize);
    let next = games.last().filter(|_| has_more).map(|game| game.id);
    Ok(CallReply::Completed(json!({"games": games, "next": next})))
}

fn load(call: &mut Call<'_>) -> CallResult {
    let IdFields {
        goban_id: BoundedInteger(id),
    } = call.take_remaining_fields()?;
    let (game, sgf) = call.service.store.load(id)?;
    let review = call.service.store.load_review(id)?;
    // Reviews are stored as valid JSON. A damaged one is omitted.
    let review: Option<Value> = review.and_then(|review| serde_json::from_str(&review.body).ok());
    Ok(CallReply::Completed(
        json!({"goban": sgf, "facts": game, "review": review}),
    ))
}

fn delete(call: &mut Call<'_>) -> CallResult {
    let IdFields {
        goban_id: BoundedInteger(id),
    } = call.take_remaining_fields()?;
    call.release_permit();
    call.service.store.delete(id)?;
    Ok(CallReply::Completed(json!({"deleted": id})))
}

fn restore(call: &mut Call<'_>) -> CallResult {
    let IdFields {
        goban_id: BoundedInteger(id),
    } = call.take_remaining_fields()?;
    call.release_permit();
    let id = call.service.store.restore(id)?;
    Ok(CallReply::Completed(json!({"gobanId": id})))
}

/// Parses a game and writes it again, so that it can be part of a collection. If the original texts were joined, a
/// truncated game would include the games after it, and the first game's character set would apply to all games.
fn normalize_sgf(sgf: String) -> String {
    parse_text(&sgf).map_or(sgf, |parsed| write(&parsed.collection))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ExportFields {
    goban_ids: Option<Vec<GameIdField>>,
}

fn export(call: &mut Call<'_>) -> CallResult {
    let filter = take_filter(call)?;
    let ExportFields { goban_ids } = call.take_remaining_fields()?;
    let store = &call.service.store;
    let (collection, count) = match goban_ids {
        Some(ids) => {
            let ids: Vec<i64> = ids.into_iter().map(|BoundedInteger(id)| id).collect();
            // With repeated ids, a short request could produce a very long response.
            let mut seen = HashSet::new();
            if let Some(duplicate) = ids.iter().find(|&&id| !seen.insert(id)) {
                let message = format!("game {duplicate} is listed twice");
                return Err(RequestError::new("gobanIds", message).into());
            }
            sgf_collection_by_ids(store, &ids, true)?
        }
        None => {
            let games = store.list(&filter, u32::MAX)?;
            let ids: Vec<i64> = games.into_iter().map(|game| game.id).collect();
            sgf_collection_by_ids(store, &ids, false)?
        }
    };
    Ok(CallReply::Completed(
        json!({"goban": collection, "count": count}),
    ))
}

/// Returns the games with the given ids as an SGF collection, and the number of these games.
///
/// If `is_explicit` is true, the client has named the games, and a missing game is an error. Otherwise, missing games
/// are skipped: they were deleted after the ids had been listed.
fn sgf_collection_by_ids(
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
            return Err(ServiceError::new(ErrorCode::TooMuch, message).with("limit", limit));
        }
    }
    Ok((collection, count))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn export_skips_deleted_games_unless_explicit() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("games.db")).unwrap();
        for sgf in ["(;SZ[9]C[1])", "(;SZ[9]C[2])", "(;SZ[9]C[3])"] {
            let source = GameSource::Text(sgf.to_owned());
            let game = read_single_game(&source, Rules::default()).unwrap();
            store.save(sgf, &game.info).unwrap();
        }
        let ids = [3, 2, 1];
        store.delete(2).unwrap();
        let (text, count) = sgf_collection_by_ids(&store, &ids, false).unwrap();
        assert_eq!((text.lines().count(), count), (2, 2), "{text}");
        assert!(text.contains("C[3]") && text.contains("C[1]"), "{text}");
        let error = sgf_collection_by_ids(&store, &ids, true).unwrap_err();
        assert_eq!(error.code, ErrorCode::NotFound);
    }
}
