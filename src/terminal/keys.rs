//! Keys: what each does to the cursor and to the line being typed, as a function of both.
//!
//! The arrows and `h` `j` `k` `l` move the cursor, and Enter plays there; other letters begin a line, which Enter says.
//! As some points and commands begin with one of those four letters too, the last of them is both as long as it is not
//! clear: it moves the cursor, but where the next letters make it the beginning of something to say, the cursor goes back
//! and they are the line; and when that something comes to nothing, it was a step. A capital letter or a colon begins a
//! line at once.

use super::command::{completed, may_begin};
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
    Step(i8, i8),
    /// Ctrl-C and the like.
    Leave,
}

/// What a key asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Nothing but what is seen.
    Nothing,
    /// To say this line.
    Say(String),
    /// To end the thinking.
    Hurry,
}

/// The player's hand: where the cursor is, and what has been typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hand {
    /// The board.
    pub size: BoardSize,
    /// The cursor.
    pub cursor: Point,
    /// The line so far.
    pub line: String,
    /// Whether a position is being set up: letters then put stones down.
    pub setting_up: bool,
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
pub const LONGEST: usize = 200;

impl Hand {
    /// The cursor in the middle of the board, and nothing typed.
    #[must_use]
    pub fn new(size: BoardSize) -> Self {
        Self {
            size,
            cursor: Point::at(size.width() / 2, size.height() / 2),
            line: String::new(),
            setting_up: false,
            step: None,
        }
    }

    /// The same over the game as it now is.
    #[must_use]
    pub fn over(self, size: BoardSize, setting_up: bool) -> Self {
        if size == self.size {
            return Self { setting_up, ..self };
        }
        Self {
            setting_up,
            ..Self::new(size)
        }
    }

    fn moved(&self, (right, down): (i8, i8)) -> Point {
        let step = |at: usize, by: i8, side: usize| {
            let to = at.saturating_add_signed(isize::from(by));
            to.min(side - 1)
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
pub fn press(hand: &Hand, key: Key) -> (Hand, Effect) {
    let mut next = hand.clone();
    let effect = match key {
        Key::Char(char) => return typed(next, char),
        Key::Enter => return entered(next),
        Key::Leave => Effect::Say("quit".to_owned()),
        Key::Escape if hand.line.is_empty() => Effect::Hurry,
        Key::Escape => {
            next.line.clear();
            Effect::Nothing
        }
        Key::Backspace => {
            next.line.pop();
            Effect::Nothing
        }
        Key::Tab if hand.line.is_empty() && hand.setting_up => Effect::Say("turn".to_owned()),
        Key::Tab => {
            if let Some(line) = completed(hand.line.trim_start_matches(':')) {
                next.line = line;
            }
            Effect::Nothing
        }
        Key::Step(right, down) => {
            next.cursor = hand.moved((right, down));
            Effect::Nothing
        }
    };
    next.step = None;
    (next, effect)
}

fn entered(mut hand: Hand) -> (Hand, Effect) {
    hand.step = None;
    let vertex = hand.size.vertex(hand.cursor);
    let line = std::mem::take(&mut hand.line);
    let said = match line.trim_start_matches(':').trim() {
        "" if hand.setting_up => format!("add black {vertex}"),
        "" => vertex,
        said => said.to_owned(),
    };
    (hand, Effect::Say(said))
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

fn typed(mut hand: Hand, char: char) -> (Hand, Effect) {
    if char.is_control() || hand.line.chars().count() >= LONGEST {
        return (hand, Effect::Nothing);
    }
    if let Some(step) = hand.step.take() {
        let begun = match hand.line.as_str() {
            "" => format!("{}{char}", step.letter),
            line => format!("{line}{char}"),
        };
        let rest = &begun[step.letter.len_utf8()..];
        if may_begin(&begun) {
            hand.cursor = step.from;
            hand.line = begun;
            hand.step = Some(step);
            return (hand, Effect::Nothing);
        }
        if !hand.line.is_empty() && may_begin(rest) {
            hand.cursor = step.to;
            hand.line = rest.to_owned();
            return (hand, Effect::Nothing);
        }
    }
    if !hand.line.is_empty() {
        hand.line.push(char);
        return (hand, Effect::Nothing);
    }
    if let Some(direction) = direction(char) {
        let (from, to) = (hand.cursor, hand.moved(direction));
        hand.cursor = to;
        hand.step = Some(Step {
            letter: char,
            from,
            to,
        });
        return (hand, Effect::Nothing);
    }
    if hand.setting_up
        && let Some(said) = put_down(&hand, char)
    {
        return (hand, Effect::Say(said));
    }
    match char {
        ' ' => return entered(hand),
        '?' => return (hand, Effect::Say("help".to_owned())),
        _ => hand.line.push(char),
    }
    (hand, Effect::Nothing)
}

/// What a letter does at the cursor while a position is set up.
fn put_down(hand: &Hand, letter: char) -> Option<String> {
    let vertex = hand.size.vertex(hand.cursor);
    match (letter, Color::parse(&letter.to_string())) {
        (_, Some(color)) => Some(format!("add {color} {vertex}")),
        ('x' | ' ', _) => Some(format!("clear {vertex}")),
        _ => None,
    }
}
