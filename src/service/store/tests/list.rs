//! Tests of listing games: filters and the use of indices.

use rusqlite::params_from_iter;
use serde_json::{Value, json};

use super::super::*;
use super::store;
use crate::json_analysis::game::BoardSizeField;

/// Returns the filter of a request with these fields.
fn filter(fields: Value) -> GameFilter {
    serde_json::from_value(fields).unwrap()
}

#[test]
fn filters_select_matching_games() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(&folder, 120);
    let count = |filter: &GameFilter| {
        let games = store.list(filter, 1000).unwrap();
        assert!(games.windows(2).all(|pair| pair[0].id > pair[1].id));
        games.len()
    };
    // The names in games 0 to 99 are distinct. Games 100 to 119 repeat the first 20 names.
    for (fields, expected) in [
        (json!({}), 120),
        (json!({"player": "player 7"}), 12),
        (json!({"player": "OTHER"}), 120),
        (json!({"player": "LAYER 7"}), 12),
        (json!({"player": "player 7 "}), 0),
        (json!({"player": "' OR 1 --"}), 0),
        (json!({"from": "2018"}), 12),
        (json!({"to": "2001"}), 12),
        (json!({"from": "2005-05-01", "to": "2005-05-01"}), 6),
        (json!({"result": "b"}), 60),
        (json!({"result": "B+1"}), 0),
        (json!({"size": 13}), 40),
        (json!({"size": [13, 9]}), 0),
    ] {
        assert_eq!(count(&filter(fields.clone())), expected, "{fields}");
    }
    let before = GameFilter {
        before_id: Some(11),
        ..filter(json!({"result": "W"}))
    };
    assert_eq!(count(&before), 5);
    assert_eq!(store.list(&GameFilter::default(), 7).unwrap().len(), 7);
}

#[test]
fn names_match_in_any_script_and_case() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(&folder, 0);
    for (black, white) in [
        ("Ёлкин Пётр", "井山 裕太"),
        ("ΟΔΥΣΣΕΥΣ", "Groß"),
        ("İnci", "Ａｌｐｈａ"),
    ] {
        super::save(&store, &format!("(;SZ[9]PB[{black}]PW[{white}])"));
    }
    for (part, expected) in [
        ("ёлк", vec![1]),
        ("ПЁТР", vec![1]),
        ("山 裕", vec![1]),
        ("οδυσσευς", vec![2]),
        ("σευσ", vec![2]),
        ("GROSS", vec![2]),
        ("ａＬＰ", vec![3]),
        ("%", vec![]),
        ("", vec![3, 2, 1]),
    ] {
        let games = store.list(&filter(json!({"player": part})), 9).unwrap();
        let ids: Vec<i64> = games.into_iter().map(|game| game.id).collect();
        assert_eq!(ids, expected, "{part}");
    }
}

#[test]
fn malformed_dates_are_rejected() {
    for (date, is_valid) in [
        ("", true),
        ("2026", true),
        ("2026-11", true),
        ("2026-11-28", true),
        ("28.11.2026", false),
        ("yesterday", false),
        ("28 Nov", false),
        ("2026-13", false),
        ("2026-1", false),
        ("2026-11-32", false),
        ("2026-11-28-", false),
        ("2026-", false),
        ("+026", false),
    ] {
        for field in ["from", "to"] {
            let result = filter(json!({field: date})).check_dates();
            assert_eq!(result.is_ok(), is_valid, "{field} {date}");
        }
    }
}

/// Returns SQLite's query plan for listing games.
fn query_plan(store: &Store, filter: &GameFilter) -> Vec<String> {
    let connection = store.lock_reader().unwrap();
    let (query, values) = filter.query(&connection, COLUMNS, 50).unwrap();
    let mut statement = connection
        .prepare(&format!("EXPLAIN QUERY PLAN {query}"))
        .unwrap();
    let steps = statement.query_map(params_from_iter(values), |row| row.get("detail"));
    steps.unwrap().map(Result::unwrap).collect()
}

#[test]
fn filters_use_indices() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(&folder, 1);
    let page = GameFilter {
        before_id: Some(5),
        ..GameFilter::default()
    };
    for (filter, index) in [
        (filter(json!({"from": "2018", "to": "2019"})), "games_date"),
        (filter(json!({"result": "B+R"})), "games_result"),
        (filter(json!({"size": 13})), "games_size"),
        (page, "PRIMARY KEY"),
    ] {
        let plan = query_plan(&store, &filter);
        assert!(
            plan.iter().any(|step| step.contains(index)),
            "{filter:?}: {plan:?}"
        );
        assert!(
            !plan.iter().any(|step| step.starts_with("SCAN games")),
            "{plan:?}"
        );
    }
}

/// Creates a store in which most filters match many games. A single SQL statement inserts the games, because this is
/// faster.
fn large_store(folder: &tempfile::TempDir) -> Store {
    let store = store(folder, 0);
    store
        .writer
        .lock()
        .execute_batch(
            "WITH RECURSIVE numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < 5999)
             INSERT INTO games (digest, black, white, date, result, width, height, komi, rules, moves)
             SELECT CAST(n AS BLOB), 'Player ' || (n % 3), 'player ' || (n % 500), iif(n % 7, (2000 + n % 11) || '-01-01', ''),
                    iif(n % 2, 'B+', 'W+') || (n % 5), 9 + n % 2, 9, 6.5, '', 0 FROM numbers;",
        )
        .unwrap();
    store
}

fn filter_combinations() -> Vec<GameFilter> {
    let mut filters = Vec::new();
    for player in [
        json!(null),
        json!("Player 2"),
        json!("PLAYER 47"),
        json!("x"),
    ] {
        for (from, to) in [
            (json!(null), json!(null)),
            (json!("2004"), json!(null)),
            (json!(null), json!("2001")),
            (json!("2003"), json!("2003-01-01")),
        ] {
            for result in [json!(null), json!("b"), json!("W+4")] {
                for size in [json!(null), json!(9), json!([9, 10])] {
                    filters.push(GameFilter {
                        before_id: Some(5000),
                        ..filter(json!({
                            "player": player, "from": from, "to": to, "result": result, "size": size,
                        }))
                    });
                }
            }
        }
    }
    filters
}

#[test]
fn selective_and_common_filters_agree() {
    let folder = tempfile::tempdir().unwrap();
    let store = large_store(&folder);
    let all = store.list(&GameFilter::default(), 10_000).unwrap();
    assert_eq!(all.len(), 6000);
    let starts_with = |text: &str, prefix: &Option<String>| {
        let prefix = prefix.as_deref().unwrap_or_default();
        text.to_lowercase().starts_with(&prefix.to_lowercase())
    };
    let contains = |text: &str, part: &Option<String>| {
        let part = part.as_deref().unwrap_or_default();
        text.to_lowercase().contains(&part.to_lowercase())
    };
    for filter in filter_combinations() {
        let is_match = |game: &&StoredGameInfo| {
            let info = &game.info;
            let any_date = filter.from.is_none() && filter.to.is_none();
            let after_start = filter.from.as_ref().is_none_or(|from| *from <= info.date);
            let before_end = filter
                .to
                .as_ref()
                .is_none_or(|to| info.date < *to || starts_with(&info.date, &filter.to));
            game.id < 5000
                && (contains(&info.black, &filter.player) || contains(&info.white, &filter.player))
                && (any_date || !info.date.is_empty() && after_start && before_end)
                && starts_with(&info.result, &filter.result)
                && filter
                    .size
                    .is_none_or(|BoardSizeField { columns, rows }| (columns, rows) == info.size)
        };
        let expected: Vec<i64> = all
            .iter()
            .filter(is_match)
            .map(|game| game.id)
            .take(100)
            .collect();
        let games = store.list(&filter, 100).unwrap();
        let actual: Vec<i64> = games.into_iter().map(|game| game.id).collect();
        assert_eq!(actual, expected, "{filter:?}");
    }
}

#[test]
fn common_filters_scan_in_id_order() {
    let folder = tempfile::tempdir().unwrap();
    let store = large_store(&folder);
    let common = filter(json!({"player": "player", "size": 9}));
    assert_eq!(
        query_plan(&store, &common),
        [
            "SCAN games",
            "CORRELATED SCALAR SUBQUERY 1",
            "SEARCH reviews USING INTEGER PRIMARY KEY (rowid=?)"
        ]
    );
    let selective = filter(json!({"player": "player", "size": 9, "result": "W+4"}));
    let plan = query_plan(&store, &selective);
    assert!(
        plan.iter().any(|step| step.contains("games_result")),
        "{plan:?}"
    );
    assert!(
        !plan.iter().any(|step| step.contains("TEMP B-TREE")),
        "{plan:?}"
    );
}
