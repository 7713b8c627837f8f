//! Start menu.

use std::path::PathBuf;

use honinbo::engine::level::Level;
use honinbo::game::point::BoardSize;
use honinbo::terminal::keys::Key;
use honinbo::terminal::start_menu::{Choice, StartMenu};

use crate::terminal::{assert_fills, text};

fn menu(saved_game: Option<&str>) -> StartMenu {
    let size = BoardSize::new(9, 9).unwrap();
    let level = Level::by_number(5).unwrap();
    StartMenu::new(size, level, saved_game.map(PathBuf::from))
}

/// Presses keys and returns the choice of the last one.
fn press(menu: &mut StartMenu, keys: &str) -> Option<Choice> {
    let mut choice = None;
    for key in keys.chars() {
        assert_eq!(choice, None, "{keys}");
        choice = menu.handle_key(match key {
            '^' => Key::Arrow(0, -1),
            'v' => Key::Arrow(0, 1),
            '+' => Key::Arrow(1, 0),
            '-' => Key::Arrow(-1, 0),
            '\n' => Key::Enter,
            other => Key::Char(other),
        });
    }
    choice
}

fn new_game(lines: [&str; 4]) -> Option<Choice> {
    Some(Choice::NewGame(lines.map(str::to_owned).into()))
}

#[test]
fn enter_starts_the_default_game() {
    let expected = new_game(["new 9x9", "level 5", "color black", ""]);
    assert_eq!(press(&mut menu(None), "\n"), expected);
    assert_eq!(press(&mut menu(None), "q"), Some(Choice::Quit));
}

#[test]
fn saved_game_is_offered_first() {
    let mut with_game = menu(Some("game-3.sgf"));
    let drawn = text(&with_game.draw((80, 24)));
    assert!(drawn.contains("> Continue the last game"), "{drawn}");
    let choice = press(&mut with_game, "\n");
    assert_eq!(choice, Some(Choice::Continue(PathBuf::from("game-3.sgf"))));
    let expected = new_game(["new 9x9", "level 5", "color black", ""]);
    assert_eq!(press(&mut menu(Some("game-3.sgf")), "^\n"), expected);
}

#[test]
fn settings_are_changed_within_their_bounds() {
    let mut menu = menu(None);
    // From the last row to the handicap, the colours, the level and the size.
    press(&mut menu, "^++^+^-----------^++++");
    let drawn = text(&menu.draw((80, 24)));
    for row in [
        "Board      < 19x19 >",
        "Level      < 1 (",
        "You play   < White >",
        "Handicap   < 3 stones >",
    ] {
        assert!(drawn.contains(row), "{drawn}");
    }
    let expected = new_game(["new 19x19", "level 1", "color white", "handicap 3"]);
    assert_eq!(press(&mut menu, "\n"), expected);
}

#[test]
fn menu_fits_any_window() {
    for columns in 0..30 {
        for rows in 0..12 {
            let window = (columns, rows);
            assert_fills(&menu(Some("g.sgf")).draw(window), window);
        }
    }
}
