//! Keys, as a function of what the hand was at.

use honinbo::game::point::BoardSize;
use honinbo::terminal::keys::{Effect, Hand, Key, LONGEST, press};

fn hand() -> Hand {
    Hand::new(BoardSize::new(9, 9).unwrap())
}

/// The hand after these characters, `\n` being Enter, and all that was said.
fn after(mut hand: Hand, text: &str) -> (Hand, Vec<String>) {
    let mut said = Vec::new();
    for char in text.chars() {
        let key = if char == '\n' {
            Key::Enter
        } else {
            Key::Char(char)
        };
        let (next, effect) = press(&hand, key);
        hand = next;
        match effect {
            Effect::Say(line) => said.push(line),
            Effect::Nothing => {}
            Effect::Hurry => panic!("hurried"),
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
    let (up, effect) = press(&hand(), Key::Step(0, -1));
    assert_eq!(
        (up.size.vertex(up.cursor).as_str(), effect),
        ("E6", Effect::Nothing)
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
    let (stepped, _) = press(&stepped, Key::Step(0, 1));
    assert_eq!(after(stepped, "4").0.line, "4");
}

#[test]
fn lines_are_corrected_completed_and_dropped() {
    let press_in = |text: &str, key| press(&after(hand(), text).0, key);
    assert_eq!(press_in("undi", Key::Backspace).0.line, "und");
    assert_eq!(press_in("und", Key::Tab).0.line, "undo ");
    assert_eq!(press_in("s", Key::Tab).0.line, "s");
    assert_eq!(press_in("undo", Key::Escape), (hand(), Effect::Nothing));
    assert_eq!(press_in("", Key::Escape), (hand(), Effect::Hurry));
    assert_eq!(press_in("d4", Key::Leave).1, Effect::Say("quit".to_owned()));
    let (long, _) = after(hand(), &"a".repeat(1000));
    assert_eq!(long.line.len(), LONGEST);
}

#[test]
fn letters_put_stones_down_while_a_position_is_set_up() {
    let setting_up = hand().over(hand().size, true);
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
    assert_eq!(press(&left, Key::Tab).1, Effect::Say("turn".to_owned()));
    // On another board the cursor is in its middle again.
    let small = left.over(BoardSize::new(5, 5).unwrap(), false);
    assert_eq!(
        (small.size.vertex(small.cursor).as_str(), small.setting_up),
        ("C3", false)
    );
}
