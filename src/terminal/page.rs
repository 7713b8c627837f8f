//! What the whole screen shows: the board, a panel beside or below it, what was said, and the line being typed.

use super::game::{Game, last_move, title};
use super::ink::{Ink, Line, char_columns, line, text_columns, width};
use super::keys::Hand;
use super::lines::Look;
use super::picture::{self, Marks, columns};
use crate::game::color::Color;

/// Columns that the panel takes beside the board.
const PANEL: usize = 34;
/// More lines of news than these go into the panel, if there is one.
const NEWS: usize = 2;
/// What is typed begins so.
const PROMPT: &str = "> ";

/// What was said last.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct News {
    /// The lines.
    pub lines: Vec<String>,
    /// Whether it is bad news.
    pub alarm: bool,
}

/// The screen's lines, the typed one last, none longer than the screen is wide and no more of them than it has rows (but
/// always the last).
#[must_use]
pub fn draw(
    game: &Game,
    hand: &Hand,
    news: &News,
    look: Look,
    (wide, high): (usize, usize),
) -> Vec<Line> {
    let board = picture::draw(&game.picture(Some(hand.cursor)), &look.signs);
    let needed = (columns(game.record().size()), board.len() + 1);
    // The last row is the typed line's.
    let room = high.saturating_sub(1);
    let fits = wide >= needed.0 && high >= needed.1;
    let beside = fits && wide >= needed.0 + PANEL;
    let (in_panel, said) = if beside && news.lines.len() > NEWS {
        (said(news, wide - needed.0), Vec::new())
    } else {
        (Vec::new(), said(news, wide))
    };
    // Of a board, the letters below may go where there is something to say.
    let (mut page, least) = if !fits {
        (too_small(game, needed, (wide, high)), 1)
    } else if beside {
        let rows = board.len().max(room.saturating_sub(said.len()));
        let panel = panel(game, in_panel, look, rows);
        let least = board.len() - 1;
        (side_by_side(board, panel, needed.0), least)
    } else {
        let least = board.len() - 1;
        let turn = vec![line(turn(game), Ink::Plain)];
        ([board, turn].concat(), least)
    };
    page.truncate(room.saturating_sub(said.len()).max(least));
    page.extend(said);
    page.resize(room, Line::new());
    page.push(typed(hand, wide));
    page.into_iter().map(|row| cut(row, wide)).collect()
}

fn too_small(game: &Game, needed: (usize, usize), found: (usize, usize)) -> Vec<Line> {
    let words = format!(
        "The window is too small for the board: expected {}x{}, found {}x{}.",
        needed.0, needed.1, found.0, found.1
    );
    let words = folded(&words, found.0).into_iter();
    let mut page: Vec<Line> = words.map(|row| line(row, Ink::Alarm)).collect();
    page.push(line(turn(game), Ink::Plain));
    page
}

/// The board's lines, all of that width, with those of the panel behind them.
fn side_by_side(board: Vec<Line>, panel: Vec<Line>, width: usize) -> Vec<Line> {
    let height = board.len().max(panel.len());
    let mut board = board.into_iter();
    let mut panel = panel.into_iter();
    let rows = (0..height).map(|_| {
        let blank = || vec![(" ".repeat(width), Ink::Plain)];
        let mut row = board.next().unwrap_or_else(blank);
        row.extend(panel.next().unwrap_or_default());
        row
    });
    rows.collect()
}

/// What is being typed: all of it, or as much of its end as leaves a column for the next character.
fn typed(hand: &Hand, wide: usize) -> Line {
    let ends = hand.line.char_indices().map(|(at, _)| &hand.line[at..]);
    let fits = |end: &&str| PROMPT.len() + text_columns(end) < wide;
    let shown = ends.chain([""]).find(fits).unwrap_or_default();
    line(format!("{PROMPT}{shown}"), Ink::Plain)
}

/// Where on the last row the next typed character goes, if all that was typed is there.
#[must_use]
pub fn caret(hand: &Hand) -> usize {
    PROMPT.len() + text_columns(&hand.line)
}

/// What was said, broken into lines of at most that many columns.
fn said(news: &News, columns: usize) -> Vec<Line> {
    let ink = if news.alarm { Ink::Alarm } else { Ink::Plain };
    let rows = (news.lines.iter()).flat_map(|text| folded(text, columns));
    rows.map(|row| line(row, ink)).collect()
}

/// Where the text goes beyond that many columns, and with which character.
fn beyond(text: &str, columns: usize) -> Option<(usize, char)> {
    let mut taken = 0;
    text.char_indices().find(|&(_, character)| {
        taken += char_columns(character);
        taken > columns
    })
}

/// The text in rows of at most that many columns, and of one character at least: broken between words, and within those
/// alone that are longer.
pub(super) fn folded(text: &str, columns: usize) -> Vec<String> {
    let mut rows = Vec::new();
    let mut rest = text.trim_end();
    let least = |rest: &str| rest.chars().next().map_or(1, char_columns);
    while let Some((end, next)) = beyond(rest, columns.max(least(rest))) {
        let (row, _) = rest.split_at(end);
        let between = row.rfind(' ').filter(|_| next != ' ');
        // Blanks in front are no word.
        let between = between.filter(|&at| !row[..at].trim().is_empty());
        let (row, after) = rest.split_at(between.unwrap_or(end));
        rows.push(row.trim_end().to_owned());
        rest = after.trim_start();
    }
    rows.push(rest.to_owned());
    rows
}

/// The line without what does not fit.
#[must_use]
pub fn cut(row: Line, columns: usize) -> Line {
    if width(&row) <= columns {
        return row;
    }
    let mut left = columns;
    let mut short = Line::new();
    for (mut text, ink) in row {
        let end = beyond(&text, left).map(|(end, _)| end);
        text.truncate(end.unwrap_or(text.len()));
        left -= text_columns(&text);
        short.push((text, ink));
        if end.is_some() {
            break;
        }
    }
    short
}

/// Whose turn it is, or what the engine is at.
fn turn(game: &Game) -> String {
    let position = game.engine().position();
    let to_move = title(position.to_move());
    if let Some(draft) = game.draft() {
        return format!("Setting up; {} moves first.", draft.to_move);
    }
    if let Some(thinking) = game.thinking() {
        return format!("{to_move}: {thinking}");
    }
    if let Some(loser) = game.record().resigned() {
        return format!("{} has resigned.", title(loser));
    }
    if position.ended() {
        return "The game is over.".to_owned();
    }
    format!("{to_move} to play move {}.", position.move_number() + 1)
}

/// The panel, of at most that many lines, with what was said if it is to hold that.
fn panel(game: &Game, news: Vec<Line>, look: Look, rows: usize) -> Vec<Line> {
    let (record, settings) = (game.record(), game.engine().settings());
    let position = game.engine().position();
    let komi = record.rules().komi;
    let heading = format!("Honinbo, {} board, komi {komi}", record.size());
    let mut panel = vec![line(heading, Ink::Bold), Line::new()];
    let stones = look.signs.stones();
    for (color, ink) in [(Color::Black, Ink::Black), (Color::White, Ink::White)] {
        let who = if game.seats().by_hand(color) {
            "you".to_owned()
        } else {
            format!("level {}", settings.level.number)
        };
        let taken = position.prisoners(color.opposite());
        let stone = format!("{} ", stones[color]);
        let words = format!(" {}: {who}, {taken} captured", title(color));
        panel.push(vec![(stone, ink), (words, Ink::Plain)]);
    }
    panel.push(Line::new());
    let last = if game.draft().is_none() {
        last_move(game.engine().position()).unwrap_or_else(|| "No move yet.".to_owned())
    } else {
        String::new()
    };
    panel.push(line(last, Ink::Plain));
    panel.push(line(turn(game), Ink::Bold));
    panel.push(Line::new());
    if !news.is_empty() {
        panel.extend(news);
        panel.push(Line::new());
    }
    if matches!(game.marks, Marks::Owners { .. }) {
        panel.extend(look.signs.legend());
        panel.push(Line::new());
    }
    let keys = if game.draft().is_some() {
        SETUP_KEYS
    } else {
        KEYS
    };
    panel.extend(keys.iter().map(|words| line(*words, Ink::Faint)));
    panel.truncate(rows);
    panel
}

const KEYS: &[&str] = &[
    "arrows, hjkl  move the cursor",
    "Enter         plays there",
    "d4, pass, undo, hint, score, ...",
    "?             all commands",
    "Esc           ends the thinking",
    "Ctrl-C        leaves",
];

const SETUP_KEYS: &[&str] = &[
    "arrows, hjkl  move the cursor",
    "b, w          put a stone there",
    "x             takes it away",
    "Tab           changes the turn",
    "done          begins the game",
    "cancel        drops all this",
];
