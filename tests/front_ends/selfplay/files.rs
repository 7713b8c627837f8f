//! The folder of the games: torn, gone on with, shared, divided into files.

use std::fs;

use honinbo::learn::selfplay::files::{MAX_GAMES_PER_FILE, SelfplayFiles};

use crate::selfplay::support::{lines, play, settings, try_play};

#[test]
fn a_torn_tail_is_dropped_and_its_game_played_again() {
    let settings = settings();
    let whole = tempfile::tempdir().unwrap();
    play(&settings, whole.path(), 8, 1);
    let expected = lines(whole.path());
    let file = whole.path().join("games-000001.sgf");
    let text = fs::read(&file).unwrap();
    // In the middle of the last game, just before its end, and where a whole game ends.
    let ends: Vec<usize> = (0..text.len()).filter(|&at| text[at] == b'\n').collect();
    for (length, found) in [
        (text.len() - 20, 7),
        (text.len() - 1, 7),
        (ends[4] + 1, 5),
        (0, 0),
    ] {
        fs::write(&file, &text[..length]).unwrap();
        let tally = play(&settings, whole.path(), 8, 1);
        assert_eq!((tally.existing_games, tally.games), (found, 8 - found));
        assert_eq!(lines(whole.path()), expected);
    }
}

#[test]
fn games_that_are_there_are_not_played_again() {
    let settings = settings();
    let folder = tempfile::tempdir().unwrap();
    play(&settings, folder.path(), 3, 2);
    let tally = play(&settings, folder.path(), 10, 2);
    assert_eq!((tally.existing_games, tally.games), (3, 7));
    let at_once = tempfile::tempdir().unwrap();
    play(&settings, at_once.path(), 10, 1);
    assert_eq!(lines(folder.path()), lines(at_once.path()));
    assert_eq!(play(&settings, folder.path(), 10, 2).games, 0);
}

#[test]
fn a_damaged_line_costs_its_own_game_alone() {
    let settings = settings();
    let folder = tempfile::tempdir().unwrap();
    play(&settings, folder.path(), 3, 1);
    let file = folder.path().join("games-000001.sgf");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replacen("KN[2]", "K?[2]", 1)).unwrap();
    let tally = play(&settings, folder.path(), 3, 1);
    assert_eq!((tally.existing_games, tally.games), (2, 1));
}

#[test]
fn a_full_file_is_followed_by_another() {
    let folder = tempfile::tempdir().unwrap();
    let game = |number: usize| format!("(;FF[4]KN[{number}])\n");
    let (mut files, found) = SelfplayFiles::open(folder.path()).unwrap();
    assert!(found.is_empty());
    for number in 0..MAX_GAMES_PER_FILE + 2 {
        files.append(&game(number)).unwrap();
    }
    drop(files);
    let count = |name| {
        fs::read_to_string(folder.path().join(name))
            .unwrap()
            .lines()
            .count()
    };
    assert_eq!(count("games-000001.sgf"), MAX_GAMES_PER_FILE);
    assert_eq!(count("games-000002.sgf"), 2);
    let (mut files, found) = SelfplayFiles::open(folder.path()).unwrap();
    assert_eq!(found, (0..1002).collect());
    files.append(&game(1002)).unwrap();
    assert_eq!(count("games-000002.sgf"), 3);
    drop(files);
    // Whoever takes the first away learns from the others and goes on behind them.
    fs::remove_file(folder.path().join("games-000001.sgf")).unwrap();
    let (mut files, found) = SelfplayFiles::open(folder.path()).unwrap();
    assert_eq!(found, (1000..1003).collect());
    files.append(&game(1003)).unwrap();
    assert_eq!(count("games-000002.sgf"), 4);
}

#[test]
fn a_folder_in_use_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let (files, _) = SelfplayFiles::open(folder.path()).unwrap();
    let refused = try_play(&settings(), folder.path(), 1, 1).unwrap_err();
    assert!(refused.to_string().contains("another"), "{refused}");
    drop(files);
    assert_eq!(play(&settings(), folder.path(), 1, 1).games, 1);
}

#[test]
fn what_is_no_folder_is_refused_by_its_name() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("occupied");
    fs::write(&file, "something else").unwrap();
    let refused = try_play(&settings(), &file, 1, 1).unwrap_err();
    assert!(refused.to_string().contains("occupied"), "{refused}");
}
