//! Openings loaded from SGF files, text files and folders.

use honinbo::game::color::Color;
use honinbo::game::point::BoardSize;
use honinbo::game::record::{IllegalMove, Record};
use honinbo::game::rules::Rules;
use honinbo::match_play::opening::{self, InvalidOpening, OpeningError};

use crate::match_play::scripted::{Scripted, match_config, passes, play, received};

#[test]
fn openings_are_loaded_and_checked() {
    let folder = tempfile::tempdir().unwrap();
    let size = BoardSize::new(9, 9).unwrap();
    let load = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        opening::load(&path, size, Rules::default())
    };
    let two = load("a.sgf", "(;SZ[9];B[cc];W[gg])(;SZ[9]AB[cc][gg];W[cg])").unwrap();
    assert_eq!(two.len(), 2);
    assert_eq!(two[0].position().to_move(), Color::Black);
    assert_eq!(two[1].position().to_move(), Color::Black);
    assert_eq!(two[1].position().handicap(), 2);
    let set_up = load("b.sgf", "(;SZ[9]AB[cc]AW[gg]PL[W])").unwrap();
    assert_eq!(set_up[0].position().to_move(), Color::White);
    let invalid = |name, text| match load(name, text) {
        Err(OpeningError::Invalid {
            number,
            cause: fault,
            ..
        }) => (number, fault),
        other => panic!("expected an invalid opening, found {other:?}"),
    };
    assert!(matches!(
        invalid("c.sgf", "(;SZ[9])(;SZ[13])"),
        (2, InvalidOpening::Size { .. })
    ));
    assert!(matches!(
        invalid("d.txt", "C3\nC3 C3"),
        (2, InvalidOpening::Illegal(IllegalMove { number: 2, .. }))
    ));
    assert!(matches!(
        invalid("e.txt", "C3 I5"),
        (1, InvalidOpening::Vertex(_))
    ));
    assert!(matches!(
        invalid("f.txt", "pass pass"),
        (1, InvalidOpening::GameOver)
    ));
    assert!(matches!(
        invalid("g.sgf", "(;SZ[9]AB[cc]PL[B])"),
        (1, InvalidOpening::WrongTurn(_))
    ));
    assert!(matches!(
        invalid("j.sgf", "(;SZ[9]AB[cc][dd];AE[cc])"),
        (1, InvalidOpening::RemovesStones)
    ));
    assert!(matches!(
        load("h.txt", "# none\n"),
        Err(OpeningError::Empty { .. })
    ));
    assert!(matches!(
        load("i.sgf", "no game"),
        Err(OpeningError::NotSgf { .. })
    ));
}

#[test]
fn handicap_stones_and_komi_reach_the_engines() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("handicap.sgf");
    let games = "(;SZ[5]KM[0.5]AB[bb][dd];W[bd])(;SZ[5]KM[0.5];B[cc])";
    std::fs::write(&file, games).unwrap();
    let mut config = match_config(3);
    let conditions = &config.conditions;
    config.openings = opening::load(&file, conditions.size, conditions.rules).unwrap();
    let commands = ["play", "komi", "set_free_handicap"];
    for (supported, handicap) in [
        ("set_free_handicap", vec!["set_free_handicap B4 D2"]),
        ("", vec!["play black B4", "play black D2"]),
    ] {
        let engine = Scripted {
            commands: supported,
            ..passes()
        };
        for (games, komi, stones) in [(1, "komi 0.5", &handicap), (3, "komi 7.5", &vec![])] {
            config.max_games = games;
            play(&config, &engine, &passes());
            let found = received(&engine, &commands);
            let expected = [&[komi], &stones[..]].concat();
            assert_eq!(found[..expected.len()], expected, "{supported}");
        }
    }
}

#[test]
fn folder_openings_are_sorted_by_file() {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in [
        ("b.txt", "A1\nB1 B2"),
        ("a.sgf", "(;SZ[5];B[cc])"),
        ("c.md", "none"),
    ] {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    let conditions = match_config(0).conditions;
    let openings = opening::load(folder.path(), conditions.size, conditions.rules).unwrap();
    let text = |record: &Record| conditions.size.format_move(record.moves()[0].1);
    assert_eq!(
        openings.iter().map(text).collect::<Vec<_>>(),
        ["C3", "A1", "B1"]
    );
}
