//! Games kept: saved, listed, loaded, deleted, exported.

use std::collections::HashSet;

use serde_json::{Value, json};

use crate::json::fields::{Fault, Fields, object};
use crate::service::dispatcher::{Call, Outcome, Taken};
use crate::service::failure::{Code, Failure};
use crate::service::limits;
use crate::service::position::take_size;
use crate::service::store::{Facts, Filter, Kept, Store, StoreError, read};
use crate::service::table::Operator;
use crate::sgf::{parse_text, write};

/// The group.
pub const OPERATORS: &[Operator] = &[
    Operator::new(
        "saveGoban",
        "goban",
        "Keeps a game, an SGF text, and answers its number; the same text twice is one game.",
        save,
    ),
    Operator::new(
        "listGoban",
        "[player] [from] [to] [result] [size] [before] [limit]",
        "Lists the games kept, the newest first, a page at a time.",
        list,
    ),
    Operator::new(
        "loadGoban",
        "gobanId",
        "Answers a game as it was saved, its facts, and its review if there is one.",
        load,
    ),
    Operator::new(
        "deleteGoban",
        "gobanId",
        "Forgets a game and its review.",
        delete,
    ),
    Operator::new(
        "exportGoban",
        "[gobanIds] [player] [from] [to] [result] [size]",
        "Answers the games of these numbers, or all that the filters let through, as one collection.",
        export,
    ),
];

/// Games of a page unless another number is asked for.
const PAGE: u32 = 50;

/// Takes `gobanId`.
///
/// # Errors
/// When it is no number.
pub fn take_id(fields: &mut Fields) -> Result<i64, Fault> {
    fields.required("gobanId", "the number of a game")
}

/// What is known of a game, as answers tell it.
fn facts_json(facts: &Facts) -> Value {
    json!({
        "black": facts.black,
        "white": facts.white,
        "date": facts.date,
        "result": facts.result,
        "size": [facts.width, facts.height],
        "komi": facts.komi,
        "rules": facts.rules,
        "moves": facts.moves,
    })
}

fn entry(kept: &Kept) -> Value {
    let mut entry = facts_json(&kept.facts);
    entry["gobanId"] = kept.id.into();
    entry["reviewed"] = kept.reviewed.into();
    entry
}

fn save(call: &mut Call<'_>) -> Outcome {
    let sgf: String = call.fields.required("goban", "a game as SGF, a text")?;
    call.end()?;
    let (_, facts) = read(&sgf, call.dispatcher.defaults.rules)?;
    call.step_aside();
    let (id, new) = call.dispatcher.store.save(&sgf, &facts)?;
    Ok(Taken::Answered(object([
        ("gobanId", id.into()),
        ("new", new.into()),
    ])))
}

fn list(call: &mut Call<'_>) -> Outcome {
    let mut filter = take_filter(&mut call.fields)?;
    filter.before = call.fields.optional("before", "the number of a game")?;
    let expected = format!("a number from 1 to {}", limits::PAGE);
    let limit: u32 = call.fields.optional("limit", &expected)?.unwrap_or(PAGE);
    if !(1..=limits::PAGE).contains(&limit) {
        let told = format!("expected {expected}, found {limit}");
        return Err(Fault::new("limit", told).into());
    }
    call.end()?;
    // One more shows whether there is another page.
    let mut games = call.dispatcher.store.list(&filter, limit + 1)?;
    let more = games.len() > limit as usize;
    games.truncate(limit as usize);
    let next = games.last().filter(|_| more).map(|kept| kept.id);
    let entries: Vec<Value> = games.iter().map(entry).collect();
    Ok(Taken::Answered(object([
        ("games", entries.into()),
        ("next", next.into()),
    ])))
}

fn take_filter(fields: &mut Fields) -> Result<Filter, Failure> {
    let size = take_size(fields)?;
    let mut text = |name| fields.optional::<String>(name, "a text");
    Ok(Filter {
        player: text("player")?,
        from: text("from")?,
        to: text("to")?,
        result: text("result")?,
        size: size.map(|size| (size.width(), size.height())),
        before: None,
    })
}

fn load(call: &mut Call<'_>) -> Outcome {
    let id = take_id(&mut call.fields)?;
    call.end()?;
    let (kept, sgf) = call.dispatcher.store.load(id)?;
    let review = call.dispatcher.store.review(id)?;
    // It was JSON when it was kept.
    let review = review.and_then(|review| serde_json::from_str(&review.body).ok());
    Ok(Taken::Answered(object([
        ("goban", sgf.into()),
        ("facts", entry(&kept)),
        ("review", review.unwrap_or(Value::Null)),
    ])))
}

fn delete(call: &mut Call<'_>) -> Outcome {
    let id = take_id(&mut call.fields)?;
    call.end()?;
    call.step_aside();
    call.dispatcher.store.delete(id)?;
    Ok(Taken::Answered(object([("deleted", id.into())])))
}

/// A game as it is read while it stands alone: cut short it would go on with the games behind it, and the character set
/// of a file is that of its first game.
fn alone(sgf: String) -> String {
    parse_text(&sgf).map_or(sgf, |parsed| write(&parsed.collection))
}

fn export(call: &mut Call<'_>) -> Outcome {
    let ids: Option<Vec<i64>> = call.fields.list("gobanIds", "the number of a game")?;
    let filter = take_filter(&mut call.fields)?;
    call.end()?;
    let store = &call.dispatcher.store;
    let (collection, count) = match ids {
        Some(ids) => {
            // A few bytes must not ask for many times a game.
            let mut seen = HashSet::new();
            if let Some(twice) = ids.iter().find(|&&id| !seen.insert(id)) {
                let told = format!("expected the number of each game once, found {twice} again");
                return Err(Fault::new("gobanIds", told).into());
            }
            collection(store, &ids, true)?
        }
        None => {
            let games = store.list(&filter, u32::MAX)?;
            let ids: Vec<i64> = games.into_iter().map(|kept| kept.id).collect();
            collection(store, &ids, false)?
        }
    };
    Ok(Taken::Answered(object([
        ("goban", collection.into()),
        ("count", count.into()),
    ])))
}

/// These games as a collection, and how many they are. Where they were not `asked` for by their numbers, those that
/// somebody has deleted since they were listed are not among them.
fn collection(store: &Store, ids: &[i64], asked: bool) -> Result<(String, usize), Failure> {
    let (mut collection, mut count) = (String::new(), 0);
    for &id in ids {
        let sgf = match store.load(id) {
            Ok((_, sgf)) => sgf,
            Err(StoreError::Missing { .. }) if !asked => continue,
            Err(error) => return Err(error.into()),
        };
        collection += alone(sgf).trim();
        collection.push('\n');
        count += 1;
        if collection.len() > limits::EXPORT {
            let most = limits::EXPORT;
            let told = format!("expected games of at most {most} bytes, found more");
            return Err(Failure::new(Code::TooMuch, told));
        }
    }
    Ok((collection, count))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::rules::Rules;

    #[test]
    fn a_game_deleted_since_the_list_was_made_is_missed_only_by_its_number() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("games.db")).unwrap();
        for sgf in ["(;SZ[9]C[1])", "(;SZ[9]C[2])", "(;SZ[9]C[3])"] {
            let (_, facts) = read(sgf, Rules::default()).unwrap();
            store.save(sgf, &facts).unwrap();
        }
        let ids = [3, 2, 1];
        store.delete(2).unwrap();
        let (text, count) = collection(&store, &ids, false).unwrap();
        assert_eq!((text.lines().count(), count), (2, 2), "{text}");
        assert!(text.contains("C[3]") && text.contains("C[1]"), "{text}");
        let failure = collection(&store, &ids, true).unwrap_err();
        assert_eq!(failure.code, Code::NotFound);
    }
}
