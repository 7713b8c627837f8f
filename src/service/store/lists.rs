//! Lists: the games that the filter lets through and no others, found through indices where these help.

use rusqlite::params_from_iter;

use super::tests::store;
use super::*;

#[test]
#[expect(clippy::too_many_lines, reason = "a table")]
fn filters_let_through_what_they_say() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(&folder, 120);
    let count = |filter: Filter| {
        let found = store.list(&filter, 1000).unwrap();
        assert!(found.windows(2).all(|pair| pair[0].id > pair[1].id));
        found.len()
    };
    let text = |text: &str| Some(text.to_owned());
    // Games 0 to 99 have distinct names, of which those of 20 more begin again.
    for (filter, expected) in [
        (Filter::default(), 120),
        (
            Filter {
                player: text("player 7"),
                ..Filter::default()
            },
            12,
        ),
        (
            Filter {
                player: text("OTHER"),
                ..Filter::default()
            },
            120,
        ),
        (
            Filter {
                player: text("layer"),
                ..Filter::default()
            },
            0,
        ),
        (
            Filter {
                player: text("' OR 1 --"),
                ..Filter::default()
            },
            0,
        ),
        (
            Filter {
                from: text("2018"),
                ..Filter::default()
            },
            12,
        ),
        (
            Filter {
                to: text("2001"),
                ..Filter::default()
            },
            12,
        ),
        (
            Filter {
                from: text("2005-05-01"),
                to: text("2005-05-01"),
                ..Filter::default()
            },
            6,
        ),
        (
            Filter {
                result: text("b"),
                ..Filter::default()
            },
            60,
        ),
        (
            Filter {
                result: text("B+1"),
                ..Filter::default()
            },
            0,
        ),
        (
            Filter {
                size: Some((13, 13)),
                ..Filter::default()
            },
            40,
        ),
        (
            Filter {
                size: Some((13, 9)),
                ..Filter::default()
            },
            0,
        ),
        (
            Filter {
                before: Some(11),
                result: text("W"),
                ..Filter::default()
            },
            5,
        ),
    ] {
        assert_eq!(count(filter.clone()), expected, "{filter:?}");
    }
    assert_eq!(store.list(&Filter::default(), 7).unwrap().len(), 7);
}

/// How SQLite goes about a list.
fn plan(store: &Store, filter: &Filter) -> Vec<String> {
    let connection = store.reading().unwrap();
    let (query, values) = filter.query(&connection, COLUMNS, 50).unwrap();
    let mut statement = connection
        .prepare(&format!("EXPLAIN QUERY PLAN {query}"))
        .unwrap();
    let steps = statement.query_map(params_from_iter(values), |row| row.get("detail"));
    steps.unwrap().map(Result::unwrap).collect()
}

#[test]
fn no_list_reads_all_games_to_find_a_few() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(&folder, 1);
    let text = |text: &str| Some(text.to_owned());
    for (filter, index) in [
        (
            Filter {
                player: text("x"),
                ..Filter::default()
            },
            "games_black",
        ),
        (
            Filter {
                player: text("x"),
                ..Filter::default()
            },
            "games_white",
        ),
        (
            Filter {
                from: text("2018"),
                to: text("2019"),
                ..Filter::default()
            },
            "games_date",
        ),
        (
            Filter {
                result: text("B+R"),
                ..Filter::default()
            },
            "games_result",
        ),
        (
            Filter {
                size: Some((13, 13)),
                ..Filter::default()
            },
            "games_size",
        ),
        (
            Filter {
                before: Some(5),
                ..Filter::default()
            },
            "PRIMARY KEY",
        ),
    ] {
        let plan = plan(&store, &filter);
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

/// Games of few players, years, results and sizes, so that most filters let many through; made by SQLite, which is
/// quicker.
fn crowd(folder: &tempfile::TempDir) -> Store {
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

#[test]
fn rare_and_common_conditions_find_the_same_games() {
    let folder = tempfile::tempdir().unwrap();
    let store = crowd(&folder);
    let all = store.list(&Filter::default(), 10_000).unwrap();
    assert_eq!(all.len(), 6000);
    let texts = |texts: &[&str]| -> Vec<Option<String>> {
        let told = texts.iter().map(|&text| Some(text.to_owned()));
        [None].into_iter().chain(told).collect()
    };
    let begins = |text: &str, with: &Option<String>| {
        let with = with.as_deref().unwrap_or_default();
        text.to_lowercase().starts_with(&with.to_lowercase())
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
                    filters.push(Filter {
                        player,
                        from,
                        to,
                        result,
                        size,
                        before: Some(5000),
                    });
                }
            }
        }
    }
    for filter in filters {
        let meets = |kept: &&Kept| {
            let facts = &kept.facts;
            let timeless = filter.from.is_none() && filter.to.is_none();
            let since = filter.from.as_ref().is_none_or(|from| *from <= facts.date);
            let until = filter
                .to
                .as_ref()
                .is_none_or(|to| facts.date < *to || begins(&facts.date, &filter.to));
            kept.id < 5000
                && (begins(&facts.black, &filter.player) || begins(&facts.white, &filter.player))
                && (timeless || !facts.date.is_empty() && since && until)
                && begins(&facts.result, &filter.result)
                && filter
                    .size
                    .is_none_or(|size| size == (facts.width, facts.height))
        };
        let expected: Vec<i64> = all
            .iter()
            .filter(meets)
            .map(|kept| kept.id)
            .take(100)
            .collect();
        let found = store.list(&filter, 100).unwrap();
        let found: Vec<i64> = found.into_iter().map(|kept| kept.id).collect();
        assert_eq!(found, expected, "{filter:?}");
    }
}

#[test]
fn a_condition_that_most_games_meet_has_them_looked_at_in_order() {
    let folder = tempfile::tempdir().unwrap();
    let store = crowd(&folder);
    let common = Filter {
        player: Some("player".to_owned()),
        size: Some((9, 9)),
        ..Filter::default()
    };
    assert_eq!(
        plan(&store, &common),
        [
            "SCAN games",
            "CORRELATED SCALAR SUBQUERY 1",
            "SEARCH reviews USING INTEGER PRIMARY KEY (rowid=?)"
        ]
    );
    let rare = Filter {
        result: Some("W+4".to_owned()),
        ..common
    };
    let plan = plan(&store, &rare);
    assert!(
        plan.iter().any(|step| step.contains("games_result")),
        "{plan:?}"
    );
    assert!(
        !plan.iter().any(|step| step.contains("TEMP B-TREE")),
        "{plan:?}"
    );
}
