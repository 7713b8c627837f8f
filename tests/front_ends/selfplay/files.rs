//! Files of self-play games: truncation, continuation, locking and splitting.

use std::fs;

use honinbo::learn::selfplay::files::{MAX_GAMES_PER_FILE, SelfplayFiles};

use crate::selfplay::support::{lines, play, played_lines, settings, try_play};

#[test]
fn truncated_game_is_played_again() {
    let settings = settings();
    let whole = tempfile::tempdir().unwrap();
    play(&settings, whole.path(), 8, 1);
    let expected = lines(whole.path());
    let file = whole.path().join("games-000001.sgf");
    let text = fs::read(&file).unwrap();
    // Truncate in the last game, just before its end, and at the end of a game.
    let ends: Vec<usize> = (0..text.len()).filter(|&at| text[at] == b'\n').collect();
    for (length, found) in [
        (text.len() - 20, 7),
        (text.len() - 1, 7),
        (ends[4] + 1, 5),
        (0, 0),
    ] {
        fs::write(&file, &text[..length]).unwrap();
        let stats = play(&settings, whole.path(), 8, 1);
        assert_eq!((stats.existing_games, stats.games), (found, 8 - found));
        assert_eq!(lines(whole.path()), expected);
    }
}

#[test]
fn existing_games_are_not_replayed() {
    let settings = settings();
    let folder = tempfile::tempdir().unwrap();
    play(&settings, folder.path(), 3, 2);
    let stats = play(&settings, folder.path(), 10, 2);
    assert_eq!((stats.existing_games, stats.games), (3, 7));
    assert_eq!(lines(folder.path()), played_lines(&settings, 10, 1));
    assert_eq!(play(&settings, folder.path(), 10, 2).games, 0);
}

#[test]
fn damaged_line_loses_only_its_game() {
    let settings = settings();
    let folder = tempfile::tempdir().unwrap();
    play(&settings, folder.path(), 3, 1);
    let file = folder.path().join("games-000001.sgf");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replacen("KN[2]", "K?[2]", 1)).unwrap();
    let stats = play(&settings, folder.path(), 3, 1);
    assert_eq!((stats.existing_games, stats.games), (2, 1));
}

#[test]
fn full_file_is_followed_by_another() {
    let folder = tempfile::tempdir().unwrap();
    let game = |number: usize| format!("(;FF[4]KN[{number}])\n");
    let (mut files, found) = SelfplayFiles::open(folder.path()).unwrap();
    assert!(found.is_empty());
    for number in 0..MAX_GAMES_PER_FILE + 2 {
        files.append(&game(number)).unwrap();
    }
    drop(files);
    let count = |name| {
        let text = fs::read_to_string(folder.path().join(name)).unwrap();
        text.lines().count()
    };
    assert_eq!(count("games-000001.sgf"), MAX_GAMES_PER_FILE);
    assert_eq!(count("games-000002.sgf"), 2);
    let (mut files, found) = SelfplayFiles::open(folder.path()).unwrap();
    assert_eq!(found, (0..1002).collect());
    files.append(&game(1002)).unwrap();
    // On Windows, a locked file cannot be read.
    drop(files);
    assert_eq!(count("games-000002.sgf"), 3);
    // Without the first file, games are appended to the last one.
    fs::remove_file(folder.path().join("games-000001.sgf")).unwrap();
    let (mut files, found) = SelfplayFiles::open(folder.path()).unwrap();
    assert_eq!(found, (1000..1003).collect());
    files.append(&game(1003)).unwrap();
    drop(files);
    assert_eq!(count("games-000002.sgf"), 4);
}

#[test]
fn folder_in_use_is_rejected() {
    let folder = tempfile::tempdir().unwrap();
    let (files, _) = SelfplayFiles::open(folder.path()).unwrap();
    let error = try_play(&settings(), folder.path(), 1, 1).unwrap_err();
    assert!(error.to_string().contains("another"), "{error}");
    drop(files);
    assert_eq!(play(&settings(), folder.path(), 1, 1).games, 1);
}

#[test]
fn path_of_file_is_rejected() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("occupied");
    fs::write(&file, "something else").unwrap();
    let error = try_play(&settings(), &file, 1, 1).unwrap_err();
    assert!(error.to_string().contains("occupied"), "{error}");
}
