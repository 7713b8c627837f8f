//! Key handling as a pure function of the input state and the key.
//!
//! The arrow keys and `h` `j` `k` `l` move the cursor, Enter plays at the cursor, `<` and `>` show earlier and later
//! positions, and other letters start a command line.
//!
//! Points and commands may also start with `h`, `j`, `k` or `l`. Such a letter first moves the cursor. If the letter
//! and the next character form the beginning of a point or command, the cursor moves back and both characters form the
//! command line. If a later character rules out every point and command, the first letter is interpreted as a cursor
//! movement again and the remaining text becomes the command line. A capital letter or a colon always starts a command
//! line.

use super::commands::{complete_command_name, starts_point_or_command};
use crate::game::color::Color;
use crate::game::point::{BoardSize, Point};

/// A key press.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    Char(char),
    Enter,
    Escape,
    Backspace,
    Tab,
    /// Cursor movement: columns to the right, rows down.
    Arrow(i8, i8),
    /// Number of moves to go back (negative) or forward in the game: page keys and the mouse wheel.
    Step(i16),
    /// Beginning of the game.
    Home,
    /// Latest position.
    End,
    /// Mouse button pressed on a point of the board.
    Click {
        point: Point,
        is_secondary: bool,
    },
    /// Ctrl-Z.
    Suspend,
    /// Ctrl-C or Ctrl-D.
    Quit,
}

/// Action to be performed by the caller after a key press.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// No action, although the input state may have changed.
    None,
    /// Execute this line.
    Execute(String),
    /// End the search in progress early.
    StopThinking,
    /// Suspend the program and return to the shell.
    Suspend,
}

/// Cursor and command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputState {
    pub size: BoardSize,
    pub cursor: Point,
    /// Text typed so far.
    pub line: String,
    /// True while a position is being set up. Some letters then place or remove stones.
    pub in_setup: bool,
    /// Cursor movement caused by a letter that may turn out to be the first letter of a point or command. `None` if
    /// there is no such letter.
    provisional_step: Option<ProvisionalCursorStep>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ProvisionalCursorStep {
    letter: char,
    from: Point,
    to: Point,
}

/// Maximum length of a command line in characters.
pub const MAX_INPUT_CHARS: usize = 200;

impl InputState {
    /// Creates a state with an empty command line and the cursor in the middle of the board.
    pub fn new(size: BoardSize) -> Self {
        Self {
            size,
            cursor: Point::at(size.width() / 2, size.height() / 2),
            line: String::new(),
            in_setup: false,
            provisional_step: None,
        }
    }

    /// Returns the state adapted to the current board. If the board size has changed, the state is reset.
    pub fn adapted_to_board(self, size: BoardSize, in_setup: bool) -> Self {
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

/// Returns the input state after a key press, and the action that the caller must perform.
pub fn handle_key(input: &InputState, key: Key) -> (InputState, Action) {
    let mut next = input.clone();
    let action = match key {
        Key::Char(character) => return handle_char(next, character),
        Key::Enter => return handle_enter(next),
        Key::Quit => Action::Execute("quit".to_owned()),
        Key::Suspend => Action::Suspend,
        Key::Step(steps) if steps < 0 => Action::Execute(format!("back {}", -i32::from(steps))),
        Key::Step(steps) => Action::Execute(format!("forward {steps}")),
        Key::Home => Action::Execute("goto 0".to_owned()),
        Key::End => Action::Execute("end".to_owned()),
        Key::Click {
            point,
            is_secondary,
        } => {
            next.cursor = point;
            click_command(input, point, is_secondary).map_or(Action::None, Action::Execute)
        }
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
            if let Some(line) = complete_command_name(input.line.trim_start_matches(':')) {
                next.line = line;
            }
            Action::None
        }
        Key::Arrow(right, down) => {
            next.cursor = input.moved_cursor((right, down));
            Action::None
        }
    };
    next.provisional_step = None;
    (next, action)
}

fn handle_enter(mut input: InputState) -> (InputState, Action) {
    input.provisional_step = None;
    let vertex = input.size.vertex(input.cursor);
    let line = std::mem::take(&mut input.line);
    let command = match line.trim_start_matches(':').trim() {
        "" if input.in_setup => format!("add black {vertex}"),
        "" => vertex,
        command => command.to_owned(),
    };
    (input, Action::Execute(command))
}

/// Returns the cursor movement for a letter, as columns to the right and rows down. Returns `None` for letters that do
/// not move the cursor.
const fn letter_direction(letter: char) -> Option<(i8, i8)> {
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
    if let Some(step) = input.provisional_step.take() {
        let prefix = match input.line.as_str() {
            "" => format!("{}{character}", step.letter),
            line => format!("{line}{character}"),
        };
        let tail = &prefix[step.letter.len_utf8()..];
        if starts_point_or_command(&prefix) {
            input.cursor = step.from;
            input.line = prefix;
            input.provisional_step = Some(step);
            return (input, Action::None);
        }
        if !input.line.is_empty() && starts_point_or_command(tail) {
            input.cursor = step.to;
            input.line = tail.to_owned();
            return (input, Action::None);
        }
    }
    if !input.line.is_empty() {
        input.line.push(character);
        return (input, Action::None);
    }
    if let Some(direction) = letter_direction(character) {
        let (from, to) = (input.cursor, input.moved_cursor(direction));
        input.cursor = to;
        input.provisional_step = Some(ProvisionalCursorStep {
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
        '<' | '>' => return (input, Action::Execute(character.to_string())),
        _ => input.line.push(character),
    }
    (input, Action::None)
}

/// Returns the command that a mouse click on a point executes: it plays there or, during setup, places a stone, a white
/// one with the secondary button.
fn click_command(input: &InputState, point: Point, is_secondary: bool) -> Option<String> {
    let vertex = input.size.vertex(point);
    match (input.in_setup, is_secondary) {
        (true, true) => Some(format!("add white {vertex}")),
        (true, false) => Some(format!("add black {vertex}")),
        (false, true) => None,
        (false, false) => Some(vertex),
    }
}

/// Returns the setup command that a letter executes at the cursor, if any.
fn setup_command(input: &InputState, letter: char) -> Option<String> {
    let vertex = input.size.vertex(input.cursor);
    match (letter, Color::parse(&letter.to_string())) {
        (_, Some(color)) => Some(format!("add {color} {vertex}")),
        ('x' | ' ', _) => Some(format!("clear {vertex}")),
        _ => None,
    }
}
