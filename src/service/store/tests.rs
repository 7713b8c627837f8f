//! The store: what is kept comes back, and lists are found through indices.

use super::*;
use crate::game::rules::Rules;

fn game(number: usize) -> String {
    let size = [9, 13, 19][number % 3];
    format!(
        "(;SZ[{size}]PB[Player {}]PW[Other]DT[20{:02}-05-01]RE[{}+R]KM[6.5];B[cc];W[dd])",
        number % 100,
        number % 20,
        ["B", "W"][number % 2]
    )
}

pub(super) fn store(folder: &tempfile::TempDir, games: usize) -> Store {
    let store = Store::open(&folder.path().join("games.db")).unwrap();
    for number in 0..games {
        save(&store, &game(number));
    }
    store
}

fn save(store: &Store, sgf: &str) -> (i64, bool) {
    let (_, facts) = read(sgf, Rules::default()).unwrap();
    store.save(sgf, &facts).unwrap()
}

#[test]
fn what_is_saved_comes_back_byte_for_byte_and_once() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(&folder, 0);
    let sgf = "  (;FF[4]PB[\u{9ed1}]PW[a\\]b]DT[2020-01-02]RE[0]KM[-3.5]RU[AGA]SZ[5:7]\r\n;B[aa];W[]\n) tail ";
    let (id, new) = save(&store, sgf);
    assert_eq!(save(&store, sgf), (id, false));
    assert!(new);
    let (kept, text) = store.load(id).unwrap();
    assert_eq!(text, sgf);
    let facts = Facts {
        black: "\u{9ed1}".to_owned(),
        white: "a]b".to_owned(),
        date: "2020-01-02".to_owned(),
        result: "0".to_owned(),
        width: 5,
        height: 7,
        komi: -3.5,
        rules: "AGA".to_owned(),
        moves: 2,
    };
    assert_eq!((kept.facts, kept.reviewed), (facts, false));
    // Another process sees the same.
    let other = Store::open(&folder.path().join("games.db")).unwrap();
    assert_eq!(other.load(id).unwrap().1, sgf);
}

#[test]
fn what_is_no_game_is_told_from_what_is() {
    for (sgf, word) in [
        ("hello", "game"),
        ("(;SZ[9])(;SZ[9])", "found 2"),
        ("(;GM[2])", "GM[2]"),
        ("(;SZ[9];B[cc];W[cc])", "move 2"),
        ("(;SZ[25])", "25x25"),
    ] {
        let error = read(sgf, Rules::default()).unwrap_err().to_string();
        assert!(error.contains(word), "{sgf}: {error}");
    }
}

#[test]
fn a_review_goes_with_its_game_and_no_number_comes_twice() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(&folder, 1);
    let review = KeptReview {
        visits: 50,
        body: "{}".to_owned(),
    };
    store.save_review(1, &review, false).unwrap();
    assert_eq!(store.review(1).unwrap(), Some(review.clone()));
    assert!(store.load(1).unwrap().0.reviewed);
    store.delete(1).unwrap();
    assert_eq!(store.review(1).unwrap(), None);
    for result in [
        store.delete(1),
        store.save_review(1, &review, false),
        store.load(1).map(drop),
    ] {
        assert!(matches!(result, Err(StoreError::Missing { id: 1 })));
    }
    assert_eq!(save(&store, &game(0)), (2, true));
}

#[test]
fn a_review_gives_way_to_none_of_fewer_visits_unless_that_was_made_anew() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(&folder, 1);
    for (visits, anew, kept) in [
        (5, false, 5),
        (500, false, 500),
        (20, false, 500),
        (20, true, 20),
        (20, false, 20),
        (21, true, 21),
    ] {
        let body = format!("{visits} {anew}");
        let review = KeptReview { visits, body };
        store.save_review(1, &review, anew).unwrap();
        let found = store.review(1).unwrap().unwrap();
        assert_eq!(found.visits, kept, "{review:?}");
        // Of two with as many visits the later one.
        assert_eq!(found == review, visits == kept, "{review:?}");
    }
}

/// Whether it was given up because of others.
fn is_taken<T>(result: &Result<T, StoreError>) -> bool {
    matches!(result, Err(StoreError::Taken))
}

#[test]
fn whoever_writes_keeps_nobody_from_reading_and_writers_for_a_time_only() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = store(&folder, 1);
    store.patience = Duration::ZERO;
    let (_, facts) = read(&game(1), Rules::default()).unwrap();
    let review = KeptReview {
        visits: 50,
        body: "{}".to_owned(),
    };
    let reads = || {
        assert_eq!(store.list(&Filter::default(), 9).unwrap().len(), 1);
        assert_eq!(store.load(1).unwrap().1, game(0));
        assert_eq!(store.review(1).unwrap(), None);
    };
    let gives_up = || {
        assert!(is_taken(&store.save(&game(1), &facts)));
        assert!(is_taken(&store.save_review(1, &review, true)));
        assert!(is_taken(&store.delete(1)));
    };
    // Another process, and then another thread.
    let other = Connection::open(folder.path().join("games.db")).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    reads();
    gives_up();
    other.execute_batch("ROLLBACK").unwrap();
    let writing = store.writer.lock();
    reads();
    gives_up();
    drop(writing);
    assert_eq!(store.save(&game(1), &facts).unwrap(), (2, true));
    assert_eq!(store.list(&Filter::default(), 9).unwrap().len(), 2);
}

#[test]
fn games_may_be_in_memory_alone() {
    let store = Store::open(Path::new(":memory:")).unwrap();
    let (id, _) = save(&store, &game(0));
    assert_eq!(store.load(id).unwrap().1, game(0));
}

#[test]
fn a_later_programs_file_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.db");
    drop(store(&folder, 1));
    let connection = Connection::open(&path).unwrap();
    connection.pragma_update(None, "user_version", 99).unwrap();
    let error = Store::open(&path).unwrap_err();
    assert!(
        matches!(error, StoreError::Later { found: 99, .. }),
        "{error}"
    );
    std::fs::write(&path, "no database, but a longer text than its head").unwrap();
    for end in ["-wal", "-shm"] {
        drop(std::fs::remove_file(
            folder.path().join(format!("games.db{end}")),
        ));
    }
    assert!(matches!(Store::open(&path), Err(StoreError::Sqlite(_))));
}

#[test]
fn another_programs_file_is_refused_and_stays_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    for version in [0, 1, 99] {
        let path = folder.path().join(format!("{version}.db"));
        let connection = Connection::open(&path).unwrap();
        let games = "CREATE TABLE games (name TEXT); INSERT INTO games VALUES ('chess')";
        connection.execute_batch(games).unwrap();
        connection
            .pragma_update(None, "user_version", version)
            .unwrap();
        drop(connection);
        let before = std::fs::read(&path).unwrap();
        let error = Store::open(&path).unwrap_err();
        assert!(matches!(error, StoreError::Foreign), "{version}: {error}");
        assert_eq!(std::fs::read(&path).unwrap(), before, "{version}");
    }
}
