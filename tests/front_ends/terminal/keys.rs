//! Key handling.

use honinbo::game::point::BoardSize;
use honinbo::terminal::keys::{Action, InputState, Key, MAX_INPUT_CHARS, handle_key};

fn initial() -> InputState {
    InputState::new(BoardSize::new(9, 9).unwrap())
}

/// Returns the input state after typing a text (`\n` is Enter) and the executed lines.
fn after(mut input: InputState, text: &str) -> (InputState, Vec<String>) {
    let mut lines = Vec::new();
    for char in text.chars() {
        let key = if char == '\n' {
            Key::Enter
        } else {
            Key::Char(char)
        };
        let (next, action) = handle_key(&input, key);
        input = next;
        match action {
            Action::Execute(line) => lines.push(line),
            Action::None => {}
            Action::StopThinking | Action::Suspend => panic!("{action:?}"),
        }
    }
    (input, lines)
}

fn cursor(text: &str) -> String {
    let (input, lines) = after(initial(), text);
    assert_eq!((lines.len(), input.line.as_str()), (0, ""), "{text}");
    input.size.vertex(input.cursor)
}

#[test]
fn cursor_stays_on_the_board() {
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
    let (up, action) = handle_key(&initial(), Key::Arrow(0, -1));
    assert_eq!(
        (up.size.vertex(up.cursor).as_str(), action),
        ("E6", Action::None)
    );
}

#[test]
fn enter_plays_or_executes_the_line() {
    for (text, line) in [
        ("\n", "E5"),
        ("h\n", "D5"),
        (" ", "E5"),
        ("d4\n", "d4"),
        ("undo\n", "undo"),
        (":hint\n", "hint"),
        ("H4\n", "H4"),
        ("?", "help"),
        ("<", "<"),
        (">", ">"),
        ("save my game.sgf\n", "save my game.sgf"),
    ] {
        let (input, lines) = after(initial(), text);
        assert_eq!(
            (lines, input.line.as_str()),
            (vec![line.to_owned()], ""),
            "{text}"
        );
    }
}

#[test]
fn cursor_letters_can_start_a_line() {
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
        let (input, lines) = after(initial(), text);
        assert_eq!((input.line.as_str(), lines.len()), (text, 0));
        assert_eq!(input.cursor, initial().cursor, "{text}");
    }
    // Cursor movements followed by a line.
    for (text, line, vertex) in [
        ("hd4", "d4", "D5"),
        ("llundo", "undo", "G5"),
        ("jkjg", "g", "E4"),
        ("he5", "e5", "D5"),
        ("lo", "lo", "E5"),
        ("ha1", "a1", "D5"),
        ("h4x", "h4x", "E5"),
    ] {
        let (input, _) = after(initial(), text);
        assert_eq!(
            (
                input.line.as_str(),
                input.size.vertex(input.cursor).as_str()
            ),
            (line, vertex)
        );
    }
    // After an arrow key, the letter was a cursor movement.
    let (stepped, _) = after(initial(), "h");
    let (stepped, _) = handle_key(&stepped, Key::Arrow(0, 1));
    assert_eq!(after(stepped, "4").0.line, "4");
}

#[test]
fn lines_can_be_edited_and_completed() {
    let press_in = |text: &str, key| handle_key(&after(initial(), text).0, key);
    assert_eq!(press_in("undi", Key::Backspace).0.line, "und");
    assert_eq!(press_in("und", Key::Tab).0.line, "undo ");
    assert_eq!(press_in("s", Key::Tab).0.line, "s");
    assert_eq!(press_in("undo", Key::Escape), (initial(), Action::None));
    assert_eq!(press_in("", Key::Escape), (initial(), Action::StopThinking));
    assert_eq!(
        press_in("d4", Key::Quit).1,
        Action::Execute("quit".to_owned())
    );
    let (long, _) = after(initial(), &"a".repeat(1000));
    assert_eq!(long.line.len(), MAX_INPUT_CHARS);
}

#[test]
fn page_keys_wheel_and_mouse_execute_commands() {
    let point = initial().size.parse_vertex("C4").unwrap();
    let click = |is_secondary| Key::Click {
        point,
        is_secondary,
    };
    for (key, line) in [
        (Key::Step(-1), "back 1"),
        (Key::Step(i16::MIN), "back 32768"),
        (Key::Step(10), "forward 10"),
        (Key::Home, "goto 0"),
        (Key::End, "end"),
        (click(false), "C4"),
    ] {
        let (_, action) = handle_key(&initial(), key);
        assert_eq!(action, Action::Execute(line.to_owned()), "{key:?}");
    }
    let (clicked, action) = handle_key(&initial(), click(true));
    assert_eq!((clicked.cursor, action), (point, Action::None));
    let setting_up = initial().adapted_to_board(initial().size, true);
    for (is_secondary, line) in [(false, "add black C4"), (true, "add white C4")] {
        let (_, action) = handle_key(&setting_up, click(is_secondary));
        assert_eq!(action, Action::Execute(line.to_owned()));
    }
    assert_eq!(handle_key(&initial(), Key::Suspend).1, Action::Suspend);
}

#[test]
fn letters_place_stones_during_setup() {
    let setting_up = initial().adapted_to_board(initial().size, true);
    let (input, lines) = after(setting_up.clone(), "bhwjx\nadd w e1\ndone\n");
    let expected = [
        "add black E5",
        "add white D5",
        "clear D4",
        "add black D4",
        "add w e1",
        "done",
    ];
    assert_eq!(lines, expected);
    assert_eq!(
        handle_key(&input, Key::Tab).1,
        Action::Execute("turn".to_owned())
    );
    // A new board size moves the cursor to the middle.
    let small = input.adapted_to_board(BoardSize::new(5, 5).unwrap(), false);
    assert_eq!(
        (small.size.vertex(small.cursor).as_str(), small.in_setup),
        ("C3", false)
    );
}
