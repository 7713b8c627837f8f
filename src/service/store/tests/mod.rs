//! Tests of the store.

mod list;

use super::*;
use crate::game::rules::Rules;
use crate::service::error::ErrorCode;
use crate::service::sgf_input::{GameSource, SgfInputError};

fn game(number: usize) -> String {
    let size = [9, 13, 19][number % 3];
    format!(
        "(;SZ[{size}]PB[Player {}]PW[Other]DT[20{:02}-05-01]RE[{}+R]KM[6.5];B[cc];W[dd])",
        number % 100,
        number % 20,
        ["B", "W"][number % 2]
    )
}

fn store(folder: &tempfile::TempDir, games: usize) -> Store {
    let store = Store::open(&folder.path().join("games.db")).unwrap();
    for number in 0..games {
        save(&store, &game(number));
    }
    store
}

fn save(store: &Store, sgf: &str) -> (i64, bool) {
    store.save(sgf, &info_of(sgf)).unwrap()
}

fn read(sgf: &str) -> Result<SingleGame, SgfInputError> {
    read_single_game(&GameSource::Text(sgf.to_owned()), Rules::default())
}

fn info_of(sgf: &str) -> GameInfo {
    read(sgf).unwrap().info
}

fn review() -> StoredReview {
    StoredReview {
        visits: 50,
        body: "{}".to_owned(),
    }
}

#[test]
fn saved_games_are_loaded_unchanged_once() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(&folder, 0);
    let sgf = "  (;FF[4]PB[\u{9ed1}]PW[a\\]b]EV[Cup]PC[Nara]C[Hello]DT[2020-01-02]RE[0]KM[-3.5]RU[AGA]SZ[5:7]\r\n;B[aa];W[]\n) tail ";
    let (id, new) = save(&store, sgf);
    assert_eq!(save(&store, sgf), (id, false));
    assert!(new);
    let (stored, text) = store.load(id).unwrap();
    assert_eq!(text, sgf);
    let expected = GameInfo {
        black: "\u{9ed1}".to_owned(),
        white: "a]b".to_owned(),
        date: "2020-01-02".to_owned(),
        result: "0".to_owned(),
        size: (5, 7),
        komi: -3.5,
        rules: "AGA".to_owned(),
        moves: 2,
        event: EventInfo {
            event: "Cup".to_owned(),
            place: "Nara".to_owned(),
            comment: "Hello".to_owned(),
        },
    };
    assert_eq!((stored.info, stored.has_review), (expected, false));
    // Another connection reads the same data.
    let other = Store::open(&folder.path().join("games.db")).unwrap();
    assert_eq!(other.load(id).unwrap().1, sgf);
}

#[test]
fn invalid_games_are_rejected() {
    for (sgf, word) in [
        ("hello", "game"),
        ("(;SZ[9])(;SZ[9])", "2 games"),
        ("(;GM[2])", "GM[2]"),
        ("(;SZ[25])", "25x25"),
    ] {
        let error = read(sgf).unwrap_err().to_string();
        assert!(error.contains(word), "{sgf}: {error}");
    }
}

#[test]
fn impossible_move_ends_the_game_with_a_warning() {
    let game = read("(;SZ[9];B[cc];W[cc];B[dd])").unwrap();
    assert_eq!(game.info.moves, 1);
    let [warning] = &game.warnings[..] else {
        panic!("{:?}", game.warnings);
    };
    assert_eq!(warning.number, Some(2));
    assert_eq!(warning.content.code, ErrorCode::Occupied);
}

#[test]
fn deleting_removes_review_and_retires_id() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(&folder, 1);
    let review = review();
    store.save_review(1, &review, false).unwrap();
    assert_eq!(store.load_review(1).unwrap(), Some(review.clone()));
    assert!(store.load(1).unwrap().0.has_review);
    store.delete(1).unwrap();
    assert_eq!(store.load_review(1).unwrap(), None);
    for result in [
        store.delete(1),
        store.save_review(1, &review, false),
        store.load(1).map(drop),
    ] {
        assert!(matches!(result, Err(StoreError::NotFound { id: 1 })));
    }
    assert_eq!(save(&store, &game(0)), (2, true));
}

#[test]
fn reviews_keep_most_visits_unless_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(&folder, 1);
    for (visits, overwrite, expected) in [
        (5, false, 5),
        (500, false, 500),
        (20, false, 500),
        (20, true, 20),
        (20, false, 20),
        (21, true, 21),
    ] {
        let body = format!("{visits} {overwrite}");
        let review = StoredReview { visits, body };
        store.save_review(1, &review, overwrite).unwrap();
        let stored = store.load_review(1).unwrap().unwrap();
        assert_eq!(stored.visits, expected, "{review:?}");
        // With equal visits, the later review replaces the earlier one.
        assert_eq!(stored == review, visits == expected, "{review:?}");
    }
}

fn is_busy<T>(result: &Result<T, StoreError>) -> bool {
    matches!(result, Err(StoreError::Busy))
}

#[test]
fn writers_time_out_readers_proceed() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = store(&folder, 1);
    store.busy_timeout = Duration::ZERO;
    let info = info_of(&game(1));
    let review = review();
    let assert_readable = || {
        assert_eq!(store.list(&GameFilter::default(), 9).unwrap().len(), 1);
        assert_eq!(store.load(1).unwrap().1, game(0));
        assert_eq!(store.load_review(1).unwrap(), None);
    };
    let assert_writes_time_out = || {
        assert!(is_busy(&store.save(&game(1), &info)));
        assert!(is_busy(&store.save_review(1, &review, true)));
        assert!(is_busy(&store.delete(1)));
    };
    // First, another process locks the database. Then another thread does.
    let other_process = Connection::open(folder.path().join("games.db")).unwrap();
    other_process.execute_batch("BEGIN IMMEDIATE").unwrap();
    assert_readable();
    assert_writes_time_out();
    other_process.execute_batch("ROLLBACK").unwrap();
    let writer_guard = store.writer.lock();
    assert_readable();
    assert_writes_time_out();
    drop(writer_guard);
    assert_eq!(store.save(&game(1), &info).unwrap(), (2, true));
    assert_eq!(store.list(&GameFilter::default(), 9).unwrap().len(), 2);
}

#[test]
fn in_memory_store_works() {
    let store = Store::open(Path::new(":memory:")).unwrap();
    let (id, _) = save(&store, &game(0));
    assert_eq!(store.load(id).unwrap().1, game(0));
}

#[test]
fn newer_and_corrupt_files_are_rejected() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.db");
    drop(store(&folder, 1));
    let connection = Connection::open(&path).unwrap();
    connection.pragma_update(None, "user_version", 99).unwrap();
    let error = Store::open(&path).unwrap_err();
    assert!(
        matches!(error, StoreError::NewerVersion { found: 99, .. }),
        "{error}"
    );
    std::fs::write(&path, "no database, but a longer text than its head").unwrap();
    for end in ["-wal", "-shm"] {
        drop(std::fs::remove_file(
            folder.path().join(format!("games.db{end}")),
        ));
    }
    assert!(matches!(Store::open(&path), Err(StoreError::Damaged(_))));
}

#[test]
fn damaged_databases_are_rejected() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.db");
    drop(store(&folder, 30));
    let intact = std::fs::read(&path).unwrap();
    let mut overwritten = intact.clone();
    overwritten[4096..].fill(0x5a);
    std::fs::write(&path, overwritten).unwrap();
    assert!(matches!(Store::open(&path), Err(StoreError::Damaged(_))));
    for table in ["files", "reviews"] {
        std::fs::write(&path, &intact).unwrap();
        let connection = Connection::open(&path).unwrap();
        let drop_table = format!("DROP TABLE {table}");
        connection.execute_batch(&drop_table).unwrap();
        drop(connection);
        let error = Store::open(&path).unwrap_err();
        assert!(
            matches!(&error, StoreError::Damaged(reason) if reason.contains(table)),
            "{error}"
        );
    }
}

#[test]
fn read_only_databases_can_be_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a%20?#.db");
    let store = Store::open(&path).unwrap();
    assert!(!store.is_read_only());
    save(&store, &game(0));
    drop(store);
    let uri = Connection::open_with_flags(
        immutable_uri(&path),
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI,
    );
    schema::check_version(&uri.unwrap()).unwrap();
    let store = Store::open_read_only(&path).unwrap();
    assert!(store.is_read_only());
    assert_eq!(store.load(1).unwrap().1, game(0));
    let filter = serde_json::from_str(r#"{"player": "other"}"#).unwrap();
    assert_eq!(store.list(&filter, 9).unwrap().len(), 1);
    for result in [
        store.save(&game(1), &info_of(&game(1))).map(drop),
        store.delete(1),
    ] {
        assert!(matches!(result, Err(StoreError::ReadOnly)));
    }
}

#[cfg(unix)]
#[test]
fn deleted_or_replaced_file_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.db");
    let store = store(&folder, 1);
    let assert_missing = || {
        let result = store.save(&game(1), &info_of(&game(1)));
        assert!(matches!(result, Err(StoreError::Missing)));
        assert!(matches!(store.delete(1), Err(StoreError::Missing)));
        assert_eq!(store.load(1).unwrap().1, game(0));
    };
    let moved = folder.path().join("moved.db");
    std::fs::rename(&path, &moved).unwrap();
    assert_missing();
    std::fs::copy(&moved, &path).unwrap();
    assert_missing();
    std::fs::rename(&moved, &path).unwrap();
    assert_eq!(save(&store, &game(1)), (2, true));
}

#[test]
fn deleted_game_is_restored_with_id_and_review() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(&folder, 2);
    let review = review();
    store.save_review(1, &review, false).unwrap();
    let before = store.load(1).unwrap();
    for _ in 0..2 {
        store.delete(1).unwrap();
        assert!(matches!(store.load(1), Err(StoreError::NotFound { id: 1 })));
        assert_eq!(store.restore(1).unwrap(), 1);
        assert_eq!(store.load(1).unwrap(), before);
        assert_eq!(store.load_review(1).unwrap().as_ref(), Some(&review));
    }
    assert!(matches!(
        store.restore(1),
        Err(StoreError::NotFound { id: 1 })
    ));
    store.delete(1).unwrap();
    assert_eq!(save(&store, &game(0)), (3, true));
    assert_eq!(store.restore(1).unwrap(), 3);
}

#[test]
fn updated_game_keeps_its_id() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(&folder, 2);
    let review = review();
    store.save_review(1, &review, false).unwrap();
    let update = |id, sgf: &str, keeps_review| store.update(id, sgf, &info_of(sgf), keeps_review);
    let named = game(0).replace("Other", "Another");
    assert_eq!(update(1, &named, true).unwrap(), (1, true));
    let (stored, text) = store.load(1).unwrap();
    assert_eq!(
        (stored.info.white.as_str(), text),
        ("Another", named.clone())
    );
    assert!(stored.has_review);
    assert_eq!(update(1, &named, false).unwrap(), (1, false));
    let longer = named.replace("W[dd]", "W[dd];B[ee]");
    assert_eq!(update(1, &longer, false).unwrap(), (1, true));
    assert!(!store.load(1).unwrap().0.has_review);
    // Another game has this text.
    assert_eq!(update(1, &game(1), false).unwrap(), (2, false));
    assert_eq!(store.load(1).unwrap().1, longer);
    assert!(matches!(
        update(9, &game(7), false),
        Err(StoreError::NotFound { id: 9 })
    ));
    assert_eq!(store.list(&GameFilter::default(), 9).unwrap().len(), 2);
}

#[test]
fn databases_of_earlier_versions_are_completed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.db");
    let sgf = "(;SZ[9]GN[Finals]PC[Nara]GC[About]C[Start];B[cc])";
    save(&Store::open(&path).unwrap(), sgf);
    let connection = Connection::open(&path).unwrap();
    for column in ["event", "place", "comment"] {
        let drop = format!("ALTER TABLE games DROP COLUMN {column}");
        connection.execute_batch(&drop).unwrap();
    }
    connection.pragma_update(None, "user_version", 1).unwrap();
    drop(connection);
    let (game, _) = Store::open(&path).unwrap().load(1).unwrap();
    let EventInfo {
        event,
        place,
        comment,
    } = game.info.event;
    assert_eq!([event, place, comment], ["Finals", "Nara", "About"]);
}

#[test]
fn foreign_files_are_rejected_unchanged() {
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
        assert!(
            matches!(error, StoreError::ForeignFile),
            "{version}: {error}"
        );
        assert_eq!(std::fs::read(&path).unwrap(), before, "{version}");
    }
}

#[test]
fn several_games_are_saved_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(&folder, 0);
    let games: Vec<_> = ["(;SZ[9]C[1])", "(;SZ[9]C[2])", "(;SZ[9]C[1])"]
        .map(|sgf| (sgf.to_owned(), info_of(sgf)))
        .into();
    assert_eq!(store.save_all(&games).unwrap(), 2);
    assert_eq!(store.list(&GameFilter::default(), 9).unwrap().len(), 2);
}
