//! Keys: what each does to the cursor and to the line being typed, as a function of both.
//!
//! The arrows and `h` `j` `k` `l` move the cursor, and Enter plays there; other letters begin a line, which Enter says.
//! As some points and commands begin with one of those four letters too, the last of them is both as long as it is not
//! clear: it moves the cursor, but where the next letters make it the beginning of something to say, the cursor goes back
//! and they are the line; and when that something comes to nothing, it was a step. A capital letter or a colon begins a
//! line at once.

use super::commands::{complete, is_input_prefix};
use crate::game::color::Color;
use crate::game::point::{BoardSize, Point};

/// A key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    /// A character.
    Char(char),
    /// Enter.
    Enter,
    /// Escape.
    Escape,
    /// Deletes the character before.
    Backspace,
    /// Tab.
    Tab,
    /// A step of the cursor: columns to the right and rows down.
    Arrow(i8, i8),
    /// Ctrl-C and the like.
    Quit,
}

/// What a key asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Nothing but what is seen.
    None,
    /// To say this line.
    Execute(String),
    /// To end the thinking.
    StopThinking,
}

/// The player's hand: where the cursor is, and what has been typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputState {
    /// The board.
    pub size: BoardSize,
    /// The cursor.
    pub cursor: Point,
    /// The line so far.
    pub line: String,
    /// Whether a position is being set up: letters then put stones down.
    pub in_setup: bool,
    /// The last letter that has moved the cursor, or would have if it did not begin the line.
    step: Option<Step>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Step {
    letter: char,
    from: Point,
    to: Point,
}

/// More characters are not typed by hand.
pub const MAX_INPUT_CHARS: usize = 200;

impl InputState {
    /// The cursor in the middle of the board, and nothing typed.
    #[must_use]
    pub fn new(size: BoardSize) -> Self {
        Self {
            size,
            cursor: Point::at(size.width() / 2, size.height() / 2),
            line: String::new(),
            in_setup: false,
            step: None,
        }
    }

    /// The same over the game as it now is.
    #[must_use]
    pub fn with_board(self, size: BoardSize, in_setup: bool) -> Self {
        if size == self.size {
            return Self { in_setup, ..self };
        }
        Self {
            in_setup,
            ..Self::new(size)
        }
    }

    fn moved_cursor(&self, (right, down): (i8, i8)) -> Point {
        let step = |position: usize, delta: i8, len: usize| {
            let to = position.saturating_add_signed(isize::from(delta));
            to.min(len - 1)
        };
        let (column, row) = (self.cursor.column(), self.cursor.row());
        Point::at(
            step(column, right, self.size.width()),
            step(row, down, self.size.height()),
        )
    }
}

/// What a key makes of the hand, and what it asks for.
#[must_use]
pub fn handle_key(input: &InputState, key: Key) -> (InputState, Action) {
    let mut next = input.clone();
    let action = match key {
        Key::Char(character) => return handle_char(next, character),
        Key::Enter => return handle_enter(next),
        Key::Quit => Action::Execute("quit".to_owned()),
        Key::Escape if input.line.is_empty() => Action::StopThinking,
        Key::Escape => {
            next.line.clear();
            Action::None
        }
        Key::Backspace => {
            next.line.pop();
            Action::None
        }
        Key::Tab if input.line.is_empty() && input.in_setup => Action::Execute("turn".to_owned()),
        Key::Tab => {
            if let Some(line) = complete(input.line.trim_start_matches(':')) {
                next.line = line;
            }
            Action::None
        }
        Key::Arrow(right, down) => {
            next.cursor = input.moved_cursor((right, down));
            Action::None
        }
    };
    next.step = None;
    (next, action)
}

fn handle_enter(mut input: InputState) -> (InputState, Action) {
    input.step = None;
    let vertex = input.size.vertex(input.cursor);
    let line = std::mem::take(&mut input.line);
    let command = match line.trim_start_matches(':').trim() {
        "" if input.in_setup => format!("add black {vertex}"),
        "" => vertex,
        command => command.to_owned(),
    };
    (input, Action::Execute(command))
}

/// Which way a letter moves the cursor.
const fn direction(letter: char) -> Option<(i8, i8)> {
    match letter {
        'h' => Some((-1, 0)),
        'j' => Some((0, 1)),
        'k' => Some((0, -1)),
        'l' => Some((1, 0)),
        _ => None,
    }
}

fn handle_char(mut input: InputState, character: char) -> (InputState, Action) {
    if character.is_control() || input.line.chars().count() >= MAX_INPUT_CHARS {
        return (input, Action::None);
    }
    if let Some(step) = input.step.take() {
        let prefix = match input.line.as_str() {
            "" => format!("{}{character}", step.letter),
            line => format!("{line}{character}"),
        };
        let tail = &prefix[step.letter.len_utf8()..];
        if is_input_prefix(&prefix) {
            input.cursor = step.from;
            input.line = prefix;
            input.step = Some(step);
            return (input, Action::None);
        }
        if !input.line.is_empty() && is_input_prefix(tail) {
            input.cursor = step.to;
            input.line = tail.to_owned();
            return (input, Action::None);
        }
    }
    if !input.line.is_empty() {
        input.line.push(character);
        return (input, Action::None);
    }
    if let Some(direction) = direction(character) {
        let (from, to) = (input.cursor, input.moved_cursor(direction));
        input.cursor = to;
        input.step = Some(Step {
            letter: character,
            from,
            to,
        });
        return (input, Action::None);
    }
    if input.in_setup
        && let Some(command) = setup_command(&input, character)
    {
        return (input, Action::Execute(command));
    }
    match character {
        ' ' => return handle_enter(input),
        '?' => return (input, Action::Execute("help".to_owned())),
        _ => input.line.push(character),
    }
    (input, Action::None)
}

/// What a letter does at the cursor while a position is set up.
fn setup_command(input: &InputState, letter: char) -> Option<String> {
    let vertex = input.size.vertex(input.cursor);
    match (letter, Color::parse(&letter.to_string())) {
        (_, Some(color)) => Some(format!("add {color} {vertex}")),
        ('x' | ' ', _) => Some(format!("clear {vertex}")),
        _ => None,
    }
}
