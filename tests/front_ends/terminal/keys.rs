//! Keys, as a function of what the hand was at.

use honinbo::game::point::BoardSize;
use honinbo::terminal::keys::{Action, InputState, Key, MAX_INPUT_CHARS, handle_key};

fn hand() -> InputState {
    InputState::new(BoardSize::new(9, 9).unwrap())
}

/// The hand after these characters, `\n` being Enter, and all that was said.
fn after(mut hand: InputState, text: &str) -> (InputState, Vec<String>) {
    let mut said = Vec::new();
    for char in text.chars() {
        let key = if char == '\n' {
            Key::Enter
        } else {
            Key::Char(char)
        };
        let (next, effect) = handle_key(&hand, key);
        hand = next;
        match effect {
            Action::Execute(line) => said.push(line),
            Action::None => {}
            Action::StopThinking => panic!("hurried"),
        }
    }
    (hand, said)
}

fn cursor(text: &str) -> String {
    let (hand, said) = after(hand(), text);
    assert_eq!((said.len(), hand.line.as_str()), (0, ""), "{text}");
    hand.size.vertex(hand.cursor)
}

#[test]
fn the_cursor_moves_and_stays_on_the_board() {
    for (text, vertex) in [
        ("", "E5"),
        ("h", "D5"),
        ("jj", "E3"),
        ("kl", "F6"),
        ("llllllll", "J5"),
        ("jjjjjjjj", "E1"),
    ] {
        assert_eq!(cursor(text), vertex, "{text}");
    }
    let (up, effect) = handle_key(&hand(), Key::Arrow(0, -1));
    assert_eq!(
        (up.size.vertex(up.cursor).as_str(), effect),
        ("E6", Action::None)
    );
}

#[test]
fn enter_plays_at_the_cursor_or_says_the_line() {
    for (text, said) in [
        ("\n", "E5"),
        ("h\n", "D5"),
        (" ", "E5"),
        ("d4\n", "d4"),
        ("undo\n", "undo"),
        (":hint\n", "hint"),
        ("H4\n", "H4"),
        ("?", "help"),
        ("save my game.sgf\n", "save my game.sgf"),
    ] {
        let (left, lines) = after(hand(), text);
        assert_eq!(
            (lines, left.line.as_str()),
            (vec![said.to_owned()], ""),
            "{text}"
        );
    }
}

#[test]
fn letters_of_the_cursor_begin_lines_where_these_make_sense() {
    for text in [
        "h4",
        "j9",
        "k10",
        "l5",
        "hint",
        "help",
        "handicap 3",
        "level 5",
        "load a.sgf",
        "komi 6.5",
    ] {
        let (left, lines) = after(hand(), text);
        assert_eq!((left.line.as_str(), lines.len()), (text, 0));
        assert_eq!(left.cursor, hand().cursor, "{text}");
    }
    // Steps, and then a line that begins with another letter.
    for (text, line, vertex) in [
        ("hd4", "d4", "D5"),
        ("llundo", "undo", "G5"),
        ("jkjg", "g", "E4"),
        ("he5", "e5", "D5"),
        ("lo", "lo", "E5"),
        ("ha1", "a1", "D5"),
        ("h4x", "h4x", "E5"),
    ] {
        let (left, _) = after(hand(), text);
        assert_eq!(
            (left.line.as_str(), left.size.vertex(left.cursor).as_str()),
            (line, vertex)
        );
    }
    // An arrow in between leaves no doubt.
    let (stepped, _) = after(hand(), "h");
    let (stepped, _) = handle_key(&stepped, Key::Arrow(0, 1));
    assert_eq!(after(stepped, "4").0.line, "4");
}

#[test]
fn lines_are_corrected_completed_and_dropped() {
    let press_in = |text: &str, key| handle_key(&after(hand(), text).0, key);
    assert_eq!(press_in("undi", Key::Backspace).0.line, "und");
    assert_eq!(press_in("und", Key::Tab).0.line, "undo ");
    assert_eq!(press_in("s", Key::Tab).0.line, "s");
    assert_eq!(press_in("undo", Key::Escape), (hand(), Action::None));
    assert_eq!(press_in("", Key::Escape), (hand(), Action::StopThinking));
    assert_eq!(
        press_in("d4", Key::Quit).1,
        Action::Execute("quit".to_owned())
    );
    let (long, _) = after(hand(), &"a".repeat(1000));
    assert_eq!(long.line.len(), MAX_INPUT_CHARS);
}

#[test]
fn letters_put_stones_down_while_a_position_is_set_up() {
    let setting_up = hand().with_board(hand().size, true);
    let (left, said) = after(setting_up.clone(), "bhwjx\nadd w e1\ndone\n");
    let expected = [
        "add black E5",
        "add white D5",
        "clear D4",
        "add black D4",
        "add w e1",
        "done",
    ];
    assert_eq!(said, expected);
    assert_eq!(
        handle_key(&left, Key::Tab).1,
        Action::Execute("turn".to_owned())
    );
    // On another board the cursor is in its middle again.
    let small = left.with_board(BoardSize::new(5, 5).unwrap(), false);
    assert_eq!(
        (small.size.vertex(small.cursor).as_str(), small.in_setup),
        ("C3", false)
    );
}
