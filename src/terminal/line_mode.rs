//! Line mode for pipes and simple terminals: reads lines and prints the board after every move.

use std::io::{self, BufRead, Write};
use std::time::Duration;

use super::board_view::{self, DisplayOptions, Marks};
use super::error::TerminalError;
use super::game::Game;
use super::output::{CommandOutput, last_move_text};
use super::style::render;
use crate::game::color::Color;
use crate::io::error_text::printable;
use crate::io::line_reader::LineReader;

/// Maximum length of a line in bytes.
const MAX_LINE_BYTES: usize = 65_536;
/// Maximum duration of a single wait for the search.
const POLL_TIMEOUT: Duration = Duration::from_secs(1);

/// Plays until the input ends or the player quits. Prints `messages` first.
///
/// # Errors
/// Returns an error if reading or writing fails. A closed output pipe ends the game without an error.
pub fn run(
    game: &mut Game,
    input: &mut impl BufRead,
    output: &mut impl Write,
    display: DisplayOptions,
    messages: &[String],
) -> io::Result<()> {
    let mut session = Session {
        game,
        output,
        display,
    };
    let result = session.run(input, messages);
    let autosave_result =
        (session.game.autosave()).map_or(Ok(()), |message| session.print_lines(&[message]));
    match result.and(autosave_result) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => result,
    }
}

struct Session<'a, W> {
    game: &'a mut Game,
    output: &'a mut W,
    display: DisplayOptions,
}

impl<W: Write> Session<'_, W> {
    fn run(&mut self, input: &mut impl BufRead, messages: &[String]) -> io::Result<()> {
        let mut input = LineReader::new(input, MAX_LINE_BYTES);
        self.print_board(messages)?;
        loop {
            while self.game.start_turn_if_due() {
                self.wait_for_engine()?;
            }
            self.output.flush()?;
            let Some(bytes) = input.next_line()? else {
                return Ok(());
            };
            if bytes.len() > MAX_LINE_BYTES {
                self.print_error(&TerminalError::LineTooLong(MAX_LINE_BYTES))?;
                continue;
            }
            match self.game.execute(&String::from_utf8_lossy(&bytes)) {
                Ok(CommandOutput::Quit) => return Ok(()),
                Ok(CommandOutput::Messages(messages)) => self.print_lines(&messages)?,
                Ok(CommandOutput::Board(messages)) => self.print_board(&messages)?,
                Err(error) => self.print_error(&error)?,
            }
        }
    }

    /// Waits until the search in progress has ended, and then prints the board and the messages, or the error.
    fn wait_for_engine(&mut self) -> io::Result<()> {
        loop {
            match self.game.poll(POLL_TIMEOUT) {
                Ok(None) => {}
                Ok(Some(messages)) => return self.print_board(&messages),
                Err(error) => return self.print_error(&error),
            }
        }
    }

    fn print_error(&mut self, error: &TerminalError) -> io::Result<()> {
        self.print_lines(&[format!("! {error}")])
    }

    fn print_lines(&mut self, lines: &[String]) -> io::Result<()> {
        for line in lines {
            writeln!(self.output, "{}", printable(line))?;
        }
        Ok(())
    }

    /// Prints the board, the status line, the legend of ownership marks if there are any, and `messages`.
    fn print_board(&mut self, messages: &[String]) -> io::Result<()> {
        for line in board_view::draw(&self.game.board_view(None), &self.display.glyphs) {
            let line = render(&line, self.display.use_color);
            writeln!(self.output, "{}", line.trim_end())?;
        }
        writeln!(self.output, "{}", status_line(self.game))?;
        if matches!(self.game.marks, Marks::Ownership { .. }) {
            let legend = self.display.glyphs.ownership_legend();
            let parts = legend.map(|part| render(&part, self.display.use_color));
            writeln!(self.output, "{}", parts.join("   "))?;
        }
        self.print_lines(messages)
    }
}

/// Describes the last move, the side to move, and the captures in one line.
pub fn status_line(game: &Game) -> String {
    let position = game.shown_position();
    let last = last_move_text(&position).filter(|_| game.setup_draft().is_none());
    let status = [last, Some(game.state_text())].into_iter().flatten();
    let status = status.collect::<Vec<_>>().join(" ");
    let [white_prisoners, black_prisoners] =
        [Color::White, Color::Black].map(|color| position.lost_stones(color));
    format!("{status} Captures: Black {white_prisoners}, White {black_prisoners}.")
}
