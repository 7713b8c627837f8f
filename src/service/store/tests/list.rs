//! Lists: filtering, and the use of indices.

use rusqlite::params_from_iter;

use super::super::*;
use super::store;

#[test]
#[expect(clippy::too_many_lines, reason = "a table")]
fn filters_select_matching_games() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(&folder, 120);
    let count = |filter: GameFilter| {
        let games = store.list(&filter, 1000).unwrap();
        assert!(games.windows(2).all(|pair| pair[0].id > pair[1].id));
        games.len()
    };
    let text = |text: &str| Some(text.to_owned());
    // Games 0 to 99 have distinct names, of which the other 20 games repeat the first 20.
    for (filter, expected) in [
        (GameFilter::default(), 120),
        (
            GameFilter {
                player: text("player 7"),
                ..GameFilter::default()
            },
            12,
        ),
        (
            GameFilter {
                player: text("OTHER"),
                ..GameFilter::default()
            },
            120,
        ),
        (
            GameFilter {
                player: text("layer"),
                ..GameFilter::default()
            },
            0,
        ),
        (
            GameFilter {
                player: text("' OR 1 --"),
                ..GameFilter::default()
            },
            0,
        ),
        (
            GameFilter {
                from: text("2018"),
                ..GameFilter::default()
            },
            12,
        ),
        (
            GameFilter {
                to: text("2001"),
                ..GameFilter::default()
            },
            12,
        ),
        (
            GameFilter {
                from: text("2005-05-01"),
                to: text("2005-05-01"),
                ..GameFilter::default()
            },
            6,
        ),
        (
            GameFilter {
                result: text("b"),
                ..GameFilter::default()
            },
            60,
        ),
        (
            GameFilter {
                result: text("B+1"),
                ..GameFilter::default()
            },
            0,
        ),
        (
            GameFilter {
                size: Some((13, 13)),
                ..GameFilter::default()
            },
            40,
        ),
        (
            GameFilter {
                size: Some((13, 9)),
                ..GameFilter::default()
            },
            0,
        ),
        (
            GameFilter {
                before_id: Some(11),
                result: text("W"),
                ..GameFilter::default()
            },
            5,
        ),
    ] {
        assert_eq!(count(filter.clone()), expected, "{filter:?}");
    }
    assert_eq!(store.list(&GameFilter::default(), 7).unwrap().len(), 7);
}

/// Returns SQLite's query plan for a list.
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
    let text = |text: &str| Some(text.to_owned());
    for (filter, index) in [
        (
            GameFilter {
                player: text("x"),
                ..GameFilter::default()
            },
            "games_black",
        ),
        (
            GameFilter {
                player: text("x"),
                ..GameFilter::default()
            },
            "games_white",
        ),
        (
            GameFilter {
                from: text("2018"),
                to: text("2019"),
                ..GameFilter::default()
            },
            "games_date",
        ),
        (
            GameFilter {
                result: text("B+R"),
                ..GameFilter::default()
            },
            "games_result",
        ),
        (
            GameFilter {
                size: Some((13, 13)),
                ..GameFilter::default()
            },
            "games_size",
        ),
        (
            GameFilter {
                before_id: Some(5),
                ..GameFilter::default()
            },
            "PRIMARY KEY",
        ),
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

/// Creates a store in which most filters match many games. The games are inserted by SQLite, which is faster.
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
    let texts = |texts: &[&str]| -> Vec<Option<String>> {
        let values = texts.iter().map(|&text| Some(text.to_owned()));
        [None].into_iter().chain(values).collect()
    };
    let mut filters = Vec::new();
    for player in texts(&["Player 2", "PLAYER 47", "x"]) {
        for (from, to) in [("", ""), ("2004", ""), ("", "2001"), ("2003", "2003-01-01")] {
            let [from, to] =
                [from, to].map(|text| Some(text.to_owned()).filter(|_| !text.is_empty()));
            for result in texts(&["b", "W+4"]) {
                for size in [None, Some((9, 9)), Some((9, 10))] {
                    let (player, result) = (player.clone(), result.clone());
                    let (from, to) = (from.clone(), to.clone());
                    filters.push(GameFilter {
                        player,
                        from,
                        to,
                        result,
                        size,
                        before_id: Some(5000),
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
    for filter in filter_combinations() {
        let is_match = |game: &&StoredGame| {
            let info = &game.info;
            let any_date = filter.from.is_none() && filter.to.is_none();
            let after_start = filter.from.as_ref().is_none_or(|from| *from <= info.date);
            let before_end = filter
                .to
                .as_ref()
                .is_none_or(|to| info.date < *to || starts_with(&info.date, &filter.to));
            game.id < 5000
                && (starts_with(&info.black, &filter.player)
                    || starts_with(&info.white, &filter.player))
                && (any_date || !info.date.is_empty() && after_start && before_end)
                && starts_with(&info.result, &filter.result)
                && filter
                    .size
                    .is_none_or(|size| size == (info.width, info.height))
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
    let common = GameFilter {
        player: Some("player".to_owned()),
        size: Some((9, 9)),
        ..GameFilter::default()
    };
    assert_eq!(
        query_plan(&store, &common),
        [
            "SCAN games",
            "CORRELATED SCALAR SUBQUERY 1",
            "SEARCH reviews USING INTEGER PRIMARY KEY (rowid=?)"
        ]
    );
    let selective = GameFilter {
        result: Some("W+4".to_owned()),
        ..common
    };
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
