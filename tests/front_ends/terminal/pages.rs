//! Screen layout and pager in windows of all sizes.

use honinbo::game::point::BoardSize;
use honinbo::terminal::board_view::{ASCII_GLYPHS, DisplayOptions, UNICODE_GLYPHS};
use honinbo::terminal::game::Game;
use honinbo::terminal::keys::InputState;
use honinbo::terminal::layout::{StatusMessage, cursor_column, draw, point_at};
use honinbo::terminal::output::CommandOutput;
use honinbo::terminal::pager::Pager;
use honinbo::terminal::style::plain_text;

use crate::terminal::{assert_fills, game, text};

/// Draws the screen as text, without trailing spaces.
fn page(game: &Game, input: &InputState, news: &str, window: (usize, usize)) -> String {
    let glyphs = if window.0.is_multiple_of(2) {
        UNICODE_GLYPHS
    } else {
        ASCII_GLYPHS
    };
    let display = DisplayOptions {
        glyphs,
        use_color: false,
    };
    let message = StatusMessage {
        lines: news.lines().map(str::to_owned).collect(),
        is_error: false,
    };
    let page = draw(game, input, &message, display, window);
    assert_fills(&page, window);
    text(&page)
}

fn typing(game: &Game, line: &str) -> InputState {
    let mut input = InputState::new(game.record().size());
    input.line = line.to_owned();
    input
}

fn both(lines: &[&str]) -> Game {
    let mut game = game(5, None);
    game.execute("color both").unwrap();
    for line in lines {
        game.execute(line).unwrap();
    }
    game
}

#[test]
fn wide_window_has_a_side_panel() {
    let game = both(&["b4", "c4", "e1"]);
    let expected = "
   A B C D E    Honinbo, 5x5 board, komi 7.5
 5 ┌─┬─┬─┬─┐ 5
 4 ├─●─○─┼─┤ 4  ●  Black: you, 0 captured
 3 ├─┼[┼]┼─┤ 3  ○  White: you, 0 captured
 2 ├─┼─┼─┼─┤ 2
 1 └─┴─┴─┴─◉ 1  Black played E1.
   A B C D E    White to play move 4.

Two lines
of news
> d4";
    let shown = page(&game, &typing(&game, "d4"), "Two lines\nof news", (60, 11));
    assert_eq!(shown, expected.trim_start_matches('\n'));
    // Messages of more than two lines go into the panel.
    let shown = page(&game, &typing(&game, ""), "One\ntwo\nthree", (60, 20));
    assert!(
        shown.contains("White to play move 4.\n\n                One\n                two\n"),
        "{shown}"
    );
    // They are wrapped to its width.
    let long = "One\ntwo\nread up to a fault: move 3 (black B4): expected an empty point";
    let shown = page(&game, &typing(&game, ""), long, (60, 20));
    assert!(
        shown.contains("fault: move 3 (black B4):\n                expected an empty point\n"),
        "{shown}"
    );
    assert_eq!(cursor_column(&typing(&game, "d4")), 4);
}

#[test]
fn narrow_window_shows_turn_and_message_below() {
    let game = both(&["b4"]);
    let expected = "
   A B C D E
 5 . . . . . 5
 4 .(X). . . 4
 3 . .[.]. . 3
 2 . . . . . 2
 1 . . . . . 1
   A B C D E
White to play move 2.
News that are longer
than a line.
>";
    let shown = page(
        &game,
        &typing(&game, ""),
        "News that are longer than a line.",
        (21, 11),
    );
    assert_eq!(shown, expected.trim_start_matches('\n'));
}

#[test]
fn small_window_still_takes_input() {
    let game = both(&["b4"]);
    let shown = page(&game, &typing(&game, "undo"), "", (80, 6));
    let expected = "The window is too small: the board needs 16x8 characters, but the window has\n80x6.\nWhite to play move 2.";
    assert!(shown.starts_with(expected), "{shown}");
    assert!(shown.ends_with("\n> undo"), "{shown}");
    for columns in 0..30 {
        for rows in 0..12 {
            page(&game, &typing(&game, "undo"), "Some\nnews", (columns, rows));
        }
    }
}

#[test]
fn largest_board_fits_80_by_24_window() {
    let mut game = game(19, None);
    let shown = page(&game, &typing(&game, ""), "First.\nSecond.", (80, 24));
    for part in [
        "19 ┌",
        " 1 └",
        "you, 0 captured",
        "White: level 10",
        "Ctrl-C",
        "First.",
        "Second.",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    game.execute("setup").unwrap();
    let input = typing(&game, "").adapted_to_board(BoardSize::STANDARD, true);
    let shown = page(&game, &input, "", (80, 24));
    assert!(
        shown.contains("Setting up; Black moves first.") && shown.contains("Tab"),
        "{shown}"
    );
}

#[test]
fn wide_characters_fit_and_line_end_is_visible() {
    let game = both(&[]);
    let line = "save 棋譜/棋譜/棋譜.sgf";
    for columns in 0..40 {
        page(&game, &typing(&game, line), line, (columns, 12));
    }
    let shown = page(&game, &typing(&game, line), line, (20, 12));
    assert!(shown.contains("\nsave\n棋譜/棋譜/棋譜.sgf\n"), "{shown}");
    assert!(shown.ends_with("\n> 譜/棋譜/棋譜.sgf"), "{shown}");
    assert_eq!(cursor_column(&typing(&game, "棋d")), 5);
}

/// Returns all pages of a pager.
#[test]
fn control_characters_are_not_drawn() {
    let game = game(5, None);
    let input = InputState::new(game.record().size());
    let page = page(&game, &input, "Saved to \x1b[31mred.", (80, 24));
    assert!(page.contains("Saved to ?[31mred."), "{page}");
    let mut pager = Pager::new(vec!["\x1b[2Jgame".to_owned()]);
    let pages = pages(&mut pager, (80, 24));
    assert_eq!(pages[0][0].trim_end(), "?[2Jgame");
}

fn pages(pager: &mut Pager, window: (usize, usize)) -> Vec<Vec<String>> {
    let mut pages = Vec::new();
    while !pager.is_done() {
        let page = pager.current_page(window);
        assert_fills(&page, window);
        pages.push(page.iter().map(plain_text).collect());
        pager.advance(window);
    }
    pages
}

#[test]
fn last_page_fills_the_screen() {
    let mut pager = Pager::new((1..=7).map(|number| format!("line {number}")).collect());
    let expected = [
        ["line 1", "line 2", "line 3", "line 4", "(press any key)"],
        ["line 5", "line 6", "line 7", "", "(press any key)"],
    ];
    assert_eq!(pages(&mut pager, (80, 5)), expected);
}

#[test]
fn long_descriptions_stay_in_their_column() {
    let lines = [
        "undo   takes your last move back",
        "a long sentence of words",
    ];
    let mut pager = Pager::new(lines.map(str::to_owned).to_vec());
    let expected = [
        "undo   takes your",
        "       last move",
        "       back",
        "a long sentence of",
        "words",
        "(press any key)",
    ];
    assert_eq!(pages(&mut pager, (18, 6)), [expected]);
}

#[test]
fn help_is_complete_in_any_window() {
    let mut game = game(5, None);
    let Ok(CommandOutput::Messages(help)) = game.execute("help") else {
        panic!("no messages");
    };
    let characters = |text: &str| text.split_whitespace().collect::<String>();
    for window in [(80, 24), (60, 10), (25, 7), (9, 3), (1, 2), (4, 1)] {
        let pages = pages(&mut Pager::new(help.clone()), window);
        let rows = window.1.saturating_sub(1).max(1);
        let shown: Vec<&str> = (pages.iter())
            .flat_map(|page| page.iter().take(rows).map(String::as_str))
            .collect();
        assert_eq!(
            characters(&shown.concat()),
            characters(&help.concat()),
            "{window:?}"
        );
    }
}

#[test]
fn clicked_point_is_the_one_drawn_there() {
    let game = both(&[]);
    let size = game.record().size();
    let window = (60, 11);
    for point in size.points() {
        let mut input = InputState::new(size);
        input.cursor = point;
        let shown = page(&game, &input, "", window);
        let (row, line) = (shown.lines().enumerate())
            .find(|(_, line)| line.contains('['))
            .unwrap();
        let column = line.chars().position(|glyph| glyph == '[').unwrap();
        // The bracket and the point itself.
        for column in [column, column + 1] {
            assert_eq!(point_at(size, window, (column, row)), Some(point));
        }
    }
    for outside in [(0, 1), (1, 3), (12, 3), (5, 0), (5, 6), (59, 10)] {
        assert_eq!(point_at(size, window, outside), None, "{outside:?}");
    }
    assert_eq!(
        point_at(size, (60, 7), (3, 1)),
        None,
        "the board does not fit"
    );
}
