//! Full-screen mode: reads keys, draws the screen, and restores the terminal on exit, even after a panic.

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crossterm::cursor::{Hide, MoveTo, Show, position};
use crossterm::event::{
    DisableMouseCapture, EnableMouseCapture, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers,
    MouseButton, MouseEvent, MouseEventKind,
};
use crossterm::style::Print;
use crossterm::terminal::{
    BeginSynchronizedUpdate, Clear, ClearType, EndSynchronizedUpdate, EnterAlternateScreen,
    LeaveAlternateScreen, disable_raw_mode, enable_raw_mode, size,
};
use crossterm::{execute, queue};

use super::board_view::{ASCII_GLYPHS, DisplayOptions};
use super::events::{Events, check_terminal_open};
use super::game::Game;
use super::keys::{Action, InputState, Key, handle_key};
use super::layout::{self, StatusMessage, cursor_column};
use super::output::CommandOutput;
use super::pager::Pager;
use super::start_menu::{Choice, StartMenu};
use super::style::{StyledLine, render};
use crate::game::point::BoardSize;
use crate::io::stderr;

/// Maximum duration of each wait during a search. The program alternately waits for a key and for the search.
const BUSY_TIMEOUT: Duration = Duration::from_millis(20);
/// Maximum duration of each wait for a key while no search is running. Signals are noticed only between two waits.
const IDLE_TIMEOUT: Duration = Duration::from_millis(200);
/// Number of moves that the page keys go back or forward.
const PAGE_STEPS: i16 = 10;
/// Maximum number of keys handled before the screen is drawn again.
const MAX_KEYS_PER_FRAME: usize = 64;

/// Terminal in raw mode. Dropping it restores the original mode.
struct Terminal {
    /// Rendered lines on the screen. Empty if the next [`draw`](Self::draw) must redraw the whole screen.
    displayed: Vec<String>,
    /// Width in columns and height in rows.
    size: (usize, usize),
}

/// Restores the terminal. Errors are ignored, because they could not be displayed.
fn restore() {
    let _ = execute!(
        io::stdout(),
        EndSynchronizedUpdate,
        DisableMouseCapture,
        LeaveAlternateScreen,
        Show
    );
    let _ = disable_raw_mode();
}

impl Terminal {
    fn enter() -> io::Result<Self> {
        // Restore the terminal before a panic message is printed.
        let previous_hook = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            restore();
            previous_hook(info);
        }));
        // If entering fails halfway, dropping the terminal restores it.
        let mut terminal = Self {
            displayed: Vec::new(),
            size: (0, 0),
        };
        terminal.show()?;
        Ok(terminal)
    }

    /// Switches to raw mode and to the alternate screen. The next [`draw`](Self::draw) draws the whole screen.
    fn show(&mut self) -> io::Result<()> {
        self.displayed.clear();
        enable_raw_mode()?;
        execute!(io::stdout(), EnterAlternateScreen, EnableMouseCapture)
    }

    /// Restores the terminal, stops the program until the shell continues it, and shows the screen again.
    #[cfg(unix)]
    fn suspend(&mut self) -> io::Result<()> {
        restore();
        signal_hook::low_level::emulate_default_handler(signal_hook::consts::SIGTSTP)?;
        self.show()
    }

    /// Does nothing: programs cannot be suspended on this platform.
    #[cfg(not(unix))]
    fn suspend(&mut self) -> io::Result<()> {
        Ok(())
    }

    /// Returns true if the terminal draws stones two columns wide, as some fonts for East Asian languages need. Queries
    /// the terminal, so no other thread may read from it.
    fn draws_wide_stones(&self) -> io::Result<bool> {
        execute!(io::stdout(), MoveTo(0, 0), Print('●'))?;
        let (column, _) = position()?;
        Ok(column > 1)
    }

    /// Returns the current size. If it has changed, the next [`draw`](Self::draw) redraws the whole screen.
    fn update_size(&mut self) -> io::Result<(usize, usize)> {
        let (columns, rows) = size()?;
        let new_size = (usize::from(columns), usize::from(rows));
        if new_size != self.size {
            self.size = new_size;
            self.displayed.clear();
        }
        Ok(new_size)
    }

    /// Draws the lines of `page` that have changed, and places the cursor on the last line.
    fn draw(
        &mut self,
        page: &[StyledLine],
        cursor_column: usize,
        use_color: bool,
    ) -> io::Result<()> {
        let mut out = io::stdout().lock();
        queue!(out, BeginSynchronizedUpdate, Hide)?;
        if self.displayed.is_empty() {
            queue!(out, Clear(ClearType::All))?;
        }
        let page: Vec<String> = page.iter().map(|line| render(line, use_color)).collect();
        for (row, text) in page.iter().enumerate() {
            if self.displayed.get(row) != Some(text) {
                // Clear before printing: clearing after a full-width line would erase the last column on some
                // terminals.
                queue!(
                    out,
                    MoveTo(0, row as u16),
                    Clear(ClearType::UntilNewLine),
                    Print(text)
                )?;
            }
        }
        let row = page.len().saturating_sub(1) as u16;
        let column = cursor_column.min(self.size.0.saturating_sub(1)) as u16;
        queue!(out, MoveTo(column, row), Show, EndSynchronizedUpdate)?;
        out.flush()?;
        self.displayed = page;
        Ok(())
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        restore();
    }
}

/// Returns a flag that is set when the program receives a signal to terminate.
fn register_termination_flag() -> io::Result<Arc<AtomicBool>> {
    let terminate = Arc::new(AtomicBool::new(false));
    #[cfg(unix)]
    for signal in [
        signal_hook::consts::SIGTERM,
        signal_hook::consts::SIGHUP,
        signal_hook::consts::SIGINT,
    ] {
        signal_hook::flag::register(signal, Arc::clone(&terminate))?;
    }
    Ok(terminate)
}

/// How the full-screen mode starts.
#[derive(Debug, Default)]
pub struct StartOptions {
    /// Menu shown before the game.
    pub menu: Option<StartMenu>,
    /// True if the terminal may draw stones two columns wide. They are then replaced by ASCII characters if it does.
    pub may_have_wide_stones: bool,
    /// Messages shown first.
    pub messages: Vec<String>,
}

/// Plays until the user quits or a signal arrives.
///
/// # Errors
/// Returns an error if reading from or writing to the terminal fails. The terminal is restored in any case.
pub fn run(game: &mut Game, display: DisplayOptions, start: StartOptions) -> io::Result<()> {
    let terminate = register_termination_flag()?;
    let mut session = Session {
        input: InputState::new(game.record().size()),
        game,
        display,
        message: StatusMessage {
            lines: start.messages,
            is_error: false,
        },
        pager: Pager::default(),
        should_quit: false,
    };
    let mut terminal = Terminal::enter()?;
    if start.may_have_wide_stones && terminal.draws_wide_stones()? {
        session.display.glyphs = ASCII_GLYPHS;
    }
    let result = session.run(&mut terminal, &terminate, start.menu);
    // If the terminal was closed, report this instead of the resulting read or write error.
    let result = result.map_err(|error| check_terminal_open().err().unwrap_or(error));
    drop(terminal);
    if let Some(message) = session.game.autosave() {
        stderr::eprint_line(message);
    }
    result
}

struct Session<'a> {
    game: &'a mut Game,
    input: InputState,
    display: DisplayOptions,
    message: StatusMessage,
    /// Long output that the user reads before the game continues.
    pager: Pager,
    should_quit: bool,
}

impl Session<'_> {
    fn run(
        &mut self,
        terminal: &mut Terminal,
        terminate: &AtomicBool,
        menu: Option<StartMenu>,
    ) -> io::Result<()> {
        let events = Events::start()?;
        if let Some(menu) = menu {
            self.show_menu(terminal, terminate, &events, menu)?;
        }
        while !self.should_quit && !terminate.load(Ordering::Relaxed) {
            let is_busy = self.game.start_turn_if_due();
            let input = self.input.clone();
            let in_setup = self.game.setup_draft().is_some();
            self.input = input.adapted_to_board(self.game.record().size(), in_setup);
            let size = terminal.update_size()?;
            let page = self.page(size);
            terminal.draw(&page, cursor_column(&self.input), self.display.use_color)?;
            if is_busy {
                self.poll();
            }
            let mut timeout = if is_busy { BUSY_TIMEOUT } else { IDLE_TIMEOUT };
            for _ in 0..MAX_KEYS_PER_FRAME {
                if self.should_quit {
                    break;
                }
                let Some(event) = events.next(timeout)? else {
                    break;
                };
                if let Some(key) = self.key_from_event(&event, size)
                    && self.handle_key(key, size)
                {
                    terminal.suspend()?;
                }
                timeout = Duration::ZERO;
            }
        }
        Ok(())
    }

    /// Shows the menu until the user has made a choice, and starts or continues the game.
    fn show_menu(
        &mut self,
        terminal: &mut Terminal,
        terminate: &AtomicBool,
        events: &Events,
        mut menu: StartMenu,
    ) -> io::Result<()> {
        while !terminate.load(Ordering::Relaxed) {
            let size = terminal.update_size()?;
            terminal.draw(&menu.draw(size), 0, self.display.use_color)?;
            let Some(event) = events.next(IDLE_TIMEOUT)? else {
                continue;
            };
            match self.key_from_event(&event, size) {
                Some(Key::Suspend) => terminal.suspend()?,
                Some(key) => {
                    if let Some(choice) = menu.handle_key(key) {
                        self.apply_choice(choice);
                        break;
                    }
                }
                None => {}
            }
        }
        Ok(())
    }

    fn apply_choice(&mut self, choice: Choice) {
        let result = match choice {
            Choice::Quit => {
                self.should_quit = true;
                return;
            }
            Choice::Continue(file) => self.game.continue_autosaved_game(file),
            Choice::NewGame(lines) => {
                let mut results = lines.iter().map(|line| self.game.execute(line).map(drop));
                results.try_for_each(|result| result).map(|()| Vec::new())
            }
        };
        match result {
            Ok(messages) if messages.is_empty() => {}
            Ok(messages) => self.show_messages(messages),
            Err(error) => self.show_error(error.to_string()),
        }
    }

    fn page(&self, size: (usize, usize)) -> Vec<StyledLine> {
        if self.pager.is_done() {
            layout::draw(self.game, &self.input, &self.message, self.display, size)
        } else {
            self.pager.current_page(size)
        }
    }

    fn poll(&mut self) {
        match self.game.poll(BUSY_TIMEOUT) {
            Ok(None) => {}
            Ok(Some(messages)) => self.show_messages(messages),
            Err(error) => self.show_error(error.to_string()),
        }
    }

    /// Converts an event to a key press. Returns `None` for events without a function.
    fn key_from_event(&self, event: &Event, size: (usize, usize)) -> Option<Key> {
        match event {
            Event::Key(event) => key_from_event(*event),
            Event::Mouse(event) => key_from_mouse(*event, self.game.record().size(), size),
            _ => None,
        }
    }

    /// Handles a key press. Returns true if the program must be suspended.
    fn handle_key(&mut self, key: Key, size: (usize, usize)) -> bool {
        if !self.pager.is_done() && key != Key::Suspend {
            self.pager.advance(size);
            self.should_quit |= key == Key::Quit;
            return false;
        }
        let (input, action) = handle_key(&self.input, key);
        self.input = input;
        match action {
            Action::None => {}
            Action::Suspend => return true,
            Action::StopThinking => self.game.stop_thinking(),
            Action::Execute(command) => match self.game.execute(&command) {
                Ok(CommandOutput::Quit) => self.should_quit = true,
                Ok(CommandOutput::Messages(messages)) if messages.len() > 3 => {
                    self.pager = Pager::new(messages)
                }
                Ok(CommandOutput::Messages(messages) | CommandOutput::Board(messages)) => {
                    self.show_messages(messages)
                }
                Err(error) => self.show_error(error.to_string()),
            },
        }
        false
    }

    fn show_messages(&mut self, lines: Vec<String>) {
        self.message = StatusMessage {
            lines,
            is_error: false,
        };
    }

    fn show_error(&mut self, text: String) {
        self.message = StatusMessage {
            lines: vec![text],
            is_error: true,
        };
    }
}

/// Converts a key event. Returns `None` for keys without a function.
fn key_from_event(event: KeyEvent) -> Option<Key> {
    if event.kind == KeyEventKind::Release {
        return None;
    }
    let is_control = event.modifiers.contains(KeyModifiers::CONTROL);
    match event.code {
        KeyCode::Char('c' | 'd') if is_control => Some(Key::Quit),
        KeyCode::Char('z') if is_control => Some(Key::Suspend),
        KeyCode::Char('h') if is_control => Some(Key::Backspace),
        KeyCode::Char(_) if is_control || event.modifiers.contains(KeyModifiers::ALT) => None,
        KeyCode::Char(char) => Some(Key::Char(char)),
        KeyCode::Enter => Some(Key::Enter),
        KeyCode::Esc => Some(Key::Escape),
        KeyCode::Backspace => Some(Key::Backspace),
        KeyCode::Tab => Some(Key::Tab),
        KeyCode::Left => Some(Key::Arrow(-1, 0)),
        KeyCode::Right => Some(Key::Arrow(1, 0)),
        KeyCode::Up => Some(Key::Arrow(0, -1)),
        KeyCode::Down => Some(Key::Arrow(0, 1)),
        KeyCode::PageUp => Some(Key::Step(-PAGE_STEPS)),
        KeyCode::PageDown => Some(Key::Step(PAGE_STEPS)),
        KeyCode::Home => Some(Key::Home),
        KeyCode::End => Some(Key::End),
        _ => None,
    }
}

/// Converts a mouse event on a screen with a board. Returns `None` for events without a function.
fn key_from_mouse(event: MouseEvent, board: BoardSize, screen: (usize, usize)) -> Option<Key> {
    match event.kind {
        MouseEventKind::ScrollUp => Some(Key::Step(-1)),
        MouseEventKind::ScrollDown => Some(Key::Step(1)),
        MouseEventKind::Down(button) => {
            let at = (usize::from(event.column), usize::from(event.row));
            Some(Key::Click {
                point: layout::point_at(board, screen, at)?,
                is_secondary: button != MouseButton::Left,
            })
        }
        _ => None,
    }
}
