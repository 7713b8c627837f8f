//! Layout of the full screen: board, side panel, messages, and command line.

use super::board_view::{
    self, COLUMNS_PER_POINT, DisplayOptions, LABEL_COLUMNS, Marks, board_text_width,
};
use super::game::Game;
use super::keys::InputState;
use super::output::{color_name, last_move_text};
use super::style::{Style, StyledLine, styled_line, text_width, truncate, wrap};
use crate::game::color::Color;
use crate::game::point::{BoardSize, Point};
use crate::io::error_text::printable;

/// Minimum width of the panel to the right of the board, in columns.
const MIN_PANEL_COLUMNS: usize = 34;
/// Maximum number of message lines below the board. Longer messages are moved to the panel if there is one.
const MAX_MESSAGES_BELOW: usize = 2;
/// Prompt of the command line.
const PROMPT: &str = "> ";

/// Most recent message to the user.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StatusMessage {
    pub lines: Vec<String>,
    pub is_error: bool,
}

/// Draws the screen. The last line is the command line.
///
/// Returns exactly `height` lines (one if `height` is 0), each at most `width` columns wide.
pub fn draw(
    game: &Game,
    input: &InputState,
    message: &StatusMessage,
    display: DisplayOptions,
    (width, height): (usize, usize),
) -> Vec<StyledLine> {
    let board = board_view::draw(&game.board_view(Some(input.cursor)), &display.glyphs);
    let required = (board_text_width(game.record().size()), board.len() + 1);
    let available_rows = height.saturating_sub(1);
    let fits = width >= required.0 && height >= required.1;
    let has_panel = fits && width >= required.0 + MIN_PANEL_COLUMNS;
    let (panel_messages, below_messages) = if has_panel && message.lines.len() > MAX_MESSAGES_BELOW
    {
        (message_lines(message, width - required.0), Vec::new())
    } else {
        (Vec::new(), message_lines(message, width))
    };
    // If there is too little space, a message may cover the coordinates below the board, but not the board itself.
    let (mut lines, min_rows) = if !fits {
        (too_small_message(game, required, (width, height)), 1)
    } else if has_panel {
        let rows = board
            .len()
            .max(available_rows.saturating_sub(below_messages.len()));
        let panel = side_panel(game, panel_messages, display, rows);
        let min_rows = board.len() - 1;
        (side_by_side(board, panel, required.0), min_rows)
    } else {
        let min_rows = board.len() - 1;
        let last = last_move_text(&game.shown_position());
        let texts = [
            Some(game.state_text()),
            last.filter(|_| game.setup_draft().is_none()),
        ];
        let turn = texts.into_iter().flatten();
        let turn: Vec<_> = turn.map(|text| styled_line(text, Style::Plain)).collect();
        ([board, turn].concat(), min_rows)
    };
    lines.truncate(
        available_rows
            .saturating_sub(below_messages.len())
            .max(min_rows),
    );
    lines.extend(below_messages);
    lines.resize(available_rows, StyledLine::new());
    lines.push(input_line(input, width));
    lines.into_iter().map(|row| truncate(row, width)).collect()
}

/// Returns the board point at a column and row of the screen drawn by [`draw`], counted from 0 at the top left. Returns
/// `None` outside the board, or if the board does not fit on the screen.
pub fn point_at(
    size: BoardSize,
    (width, height): (usize, usize),
    (column, row): (usize, usize),
) -> Option<Point> {
    let board_rows = size.height() + 2;
    if width < board_text_width(size) || height < board_rows + 1 {
        return None;
    }
    let (column, row) = (
        column.checked_sub(LABEL_COLUMNS)? / COLUMNS_PER_POINT,
        row.checked_sub(1)?,
    );
    (column < size.width() && row < size.height()).then(|| Point::at(column, row))
}

fn too_small_message(
    game: &Game,
    required: (usize, usize),
    available: (usize, usize),
) -> Vec<StyledLine> {
    let text = format!(
        "The window is too small: the board needs {}x{} characters, but the window has {}x{}.",
        required.0, required.1, available.0, available.1
    );
    let rows = wrap(&text, available.0).into_iter();
    let mut lines: Vec<StyledLine> = rows.map(|row| styled_line(row, Style::Error)).collect();
    lines.push(styled_line(game.state_text(), Style::Plain));
    lines
}

/// Places the panel to the right of the board, which is `width` columns wide.
fn side_by_side(board: Vec<StyledLine>, panel: Vec<StyledLine>, width: usize) -> Vec<StyledLine> {
    let height = board.len().max(panel.len());
    let mut board = board.into_iter();
    let mut panel = panel.into_iter();
    let rows = (0..height).map(|_| {
        let blank = || vec![(" ".repeat(width), Style::Plain)];
        let mut row = board.next().unwrap_or_else(blank);
        row.extend(panel.next().unwrap_or_default());
        row
    });
    rows.collect()
}

/// Draws the command line. If the text is too long, only its end is shown, leaving space for the next character.
fn input_line(input: &InputState, width: usize) -> StyledLine {
    let suffixes = input
        .line
        .char_indices()
        .map(|(index, _)| &input.line[index..]);
    let fits = |suffix: &&str| PROMPT.len() + text_width(suffix) < width;
    let visible = suffixes.chain([""]).find(fits).unwrap_or_default();
    styled_line(format!("{PROMPT}{visible}"), Style::Plain)
}

/// Returns the cursor column in the command line. Assumes that the complete text fits on the screen.
pub fn cursor_column(input: &InputState) -> usize {
    PROMPT.len() + text_width(&input.line)
}

/// Wraps a message into lines of at most `columns` columns.
fn message_lines(message: &StatusMessage, columns: usize) -> Vec<StyledLine> {
    let style = if message.is_error {
        Style::Error
    } else {
        Style::Plain
    };
    let rows = (message.lines.iter()).flat_map(|text| wrap(&printable(text), columns));
    rows.map(|row| styled_line(row, style)).collect()
}

/// Draws the panel. `messages` contains the messages that do not fit below the board. Returns at most `max_rows` lines.
fn side_panel(
    game: &Game,
    messages: Vec<StyledLine>,
    display: DisplayOptions,
    max_rows: usize,
) -> Vec<StyledLine> {
    let (record, settings) = (game.record(), game.engine().settings());
    let position = game.shown_position();
    let komi = record.rules().komi;
    let heading = format!("Honinbo, {} board, komi {komi}", record.size());
    let mut panel = vec![styled_line(heading, Style::Bold), StyledLine::new()];
    let stones = display.glyphs.stones();
    for (color, style) in [(Color::Black, Style::Black), (Color::White, Style::White)] {
        let player = if game.human_colors().is_human(color) {
            "you".to_owned()
        } else {
            format!("level {}", settings.level.number)
        };
        let captured = position.lost_stones(color.opposite());
        let stone = format!("{} ", stones[color]);
        let label = format!(" {}: {player}, {captured} captured", color_name(color));
        panel.push(vec![(stone, style), (label, Style::Plain)]);
    }
    panel.push(StyledLine::new());
    let last = if game.setup_draft().is_none() {
        last_move_text(&position).unwrap_or_else(|| "No move yet.".to_owned())
    } else {
        String::new()
    };
    panel.push(styled_line(last, Style::Plain));
    panel.push(styled_line(game.state_text(), Style::Bold));
    panel.push(StyledLine::new());
    if !messages.is_empty() {
        panel.extend(messages);
        panel.push(StyledLine::new());
    }
    if matches!(game.marks, Marks::Ownership { .. }) {
        panel.extend(display.glyphs.ownership_legend());
        panel.push(StyledLine::new());
    }
    let keys = if game.setup_draft().is_some() {
        SETUP_KEY_HELP
    } else {
        KEY_HELP
    };
    panel.extend(keys.iter().map(|text| styled_line(*text, Style::Dim)));
    panel.truncate(max_rows);
    panel
}

const KEY_HELP: &[&str] = &[
    "arrows, hjkl  move the cursor",
    "Enter, click  play",
    "d4, pass, undo, hint, review, ...",
    "< >, wheel    back and forward",
    "?             list all commands",
    "Esc           move now",
    "Ctrl-C        quit",
];

const SETUP_KEY_HELP: &[&str] = &[
    "arrows, hjkl  move the cursor",
    "b, w          place a stone",
    "x             remove a stone",
    "Tab           change the turn",
    "done          start the game",
    "cancel        discard the changes",
];
