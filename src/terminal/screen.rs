//! The whole screen of a terminal: keys in, pages out, and the terminal left as it was found, whatever happens.

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crossterm::cursor::{Hide, MoveTo, Show};
use crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use crossterm::style::Print;
use crossterm::terminal::{
    BeginSynchronizedUpdate, Clear, ClearType, EndSynchronizedUpdate, EnterAlternateScreen,
    LeaveAlternateScreen, disable_raw_mode, enable_raw_mode, size,
};
use crossterm::{execute, queue};

use super::command::Reply;
use super::events::{Events, still_there};
use super::game::Game;
use super::ink::{Line, painted};
use super::keys::{Effect, Hand, Key, press};
use super::lines::Look;
use super::page::{self, News, caret};
use super::sheet::Sheet;
use crate::notice;

/// How long keys are waited for while the engine thinks, and then the engine, in turn.
const BUSY: Duration = Duration::from_millis(20);
/// And while it does not; a signal is noticed as late.
const IDLE: Duration = Duration::from_millis(200);
/// As many keys are taken before the screen is drawn again.
const KEYS_AT_ONCE: usize = 64;

/// The terminal while it is ours.
struct Terminal {
    shown: Vec<String>,
    size: (usize, usize),
}

/// Gives the terminal back; errors have nobody left to be told.
fn restore() {
    let _ = execute!(
        io::stdout(),
        EndSynchronizedUpdate,
        LeaveAlternateScreen,
        Show
    );
    let _ = disable_raw_mode();
}

impl Terminal {
    fn take() -> io::Result<Self> {
        // A thread that panics tells why on the screen that the user sees afterwards.
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            restore();
            usual(info);
        }));
        enable_raw_mode()?;
        let terminal = Self {
            shown: Vec::new(),
            size: (0, 0),
        };
        execute!(io::stdout(), EnterAlternateScreen)?;
        Ok(terminal)
    }

    /// The size now; after a change all is drawn anew.
    fn measure(&mut self) -> io::Result<(usize, usize)> {
        let (columns, rows) = size()?;
        let now = (usize::from(columns), usize::from(rows));
        if now != self.size {
            self.size = now;
            self.shown.clear();
        }
        Ok(now)
    }

    /// Shows the lines that are not there yet, and the cursor in the last of them.
    fn show(&mut self, page: &[Line], caret: usize, colours: bool) -> io::Result<()> {
        let mut out = io::stdout().lock();
        queue!(out, BeginSynchronizedUpdate, Hide)?;
        if self.shown.is_empty() {
            queue!(out, Clear(ClearType::All))?;
        }
        let page: Vec<String> = page.iter().map(|line| painted(line, colours)).collect();
        for (row, text) in page.iter().enumerate() {
            if self.shown.get(row) != Some(text) {
                // Cleared before and not behind: some terminals would take the last column of a text as wide as they are.
                queue!(
                    out,
                    MoveTo(0, row as u16),
                    Clear(ClearType::UntilNewLine),
                    Print(text)
                )?;
            }
        }
        let row = page.len().saturating_sub(1) as u16;
        let column = caret.min(self.size.0.saturating_sub(1)) as u16;
        queue!(out, MoveTo(column, row), Show, EndSynchronizedUpdate)?;
        out.flush()?;
        self.shown = page;
        Ok(())
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        restore();
    }
}

/// Set by the system's wish that the program end.
fn end_wished() -> io::Result<Arc<AtomicBool>> {
    let wished = Arc::new(AtomicBool::new(false));
    #[cfg(unix)]
    for signal in [
        signal_hook::consts::SIGTERM,
        signal_hook::consts::SIGHUP,
        signal_hook::consts::SIGINT,
    ] {
        signal_hook::flag::register(signal, Arc::clone(&wished))?;
    }
    Ok(wished)
}

/// Plays until the player leaves or the system has the program end. What is `said` comes first.
///
/// # Errors
/// When the terminal fails; it is given back then too.
pub fn run(game: &mut Game, look: Look, said: Vec<String>) -> io::Result<()> {
    let end = end_wished()?;
    let mut session = Session {
        hand: Hand::new(game.record().size()),
        game,
        look,
        news: News {
            lines: said,
            alarm: false,
        },
        sheet: Sheet::default(),
        left: false,
    };
    let mut terminal = Terminal::take()?;
    let played = session.play(&mut terminal, &end);
    // Whatever failed first, drawing or reading: a terminal that has gone is the reason.
    let played = played.map_err(|failed| still_there().err().unwrap_or(failed));
    drop(terminal);
    if let Some(failed) = session.game.keep() {
        notice::say(failed);
    }
    played
}

struct Session<'a> {
    game: &'a mut Game,
    hand: Hand,
    look: Look,
    news: News,
    /// More than fits beside the board, to be read before going on.
    sheet: Sheet,
    left: bool,
}

impl Session<'_> {
    fn play(&mut self, terminal: &mut Terminal, end: &AtomicBool) -> io::Result<()> {
        let events = Events::read()?;
        while !self.left && !end.load(Ordering::Relaxed) {
            let busy = self.game.begin_if_due();
            let hand = self.hand.clone();
            let setting_up = self.game.draft().is_some();
            self.hand = hand.over(self.game.record().size(), setting_up);
            let size = terminal.measure()?;
            let page = self.page(size);
            terminal.show(&page, caret(&self.hand), self.look.colours)?;
            if busy {
                self.poll();
            }
            let mut patience = if busy { BUSY } else { IDLE };
            for _ in 0..KEYS_AT_ONCE {
                if self.left {
                    break;
                }
                let Some(event) = events.next(patience)? else {
                    break;
                };
                if let Event::Key(event) = event
                    && let Some(key) = key(event)
                {
                    self.press(key, size);
                }
                patience = Duration::ZERO;
            }
        }
        Ok(())
    }

    fn page(&self, size: (usize, usize)) -> Vec<Line> {
        if self.sheet.is_read() {
            page::draw(self.game, &self.hand, &self.news, self.look, size)
        } else {
            self.sheet.page(size)
        }
    }

    fn poll(&mut self) {
        match self.game.poll(BUSY) {
            Ok(None) => {}
            Ok(Some(said)) => self.tell(said),
            Err(trouble) => self.complain(trouble.to_string()),
        }
    }

    fn press(&mut self, key: Key, size: (usize, usize)) {
        if !self.sheet.is_read() {
            self.sheet.turn(size);
            self.left |= key == Key::Leave;
            return;
        }
        let (hand, effect) = press(&self.hand, key);
        self.hand = hand;
        match effect {
            Effect::Nothing => {}
            Effect::Hurry => self.game.hurry(),
            Effect::Say(text) => match self.game.say(&text) {
                Ok(Reply::Quit) => self.left = true,
                Ok(Reply::Said(said)) if said.len() > 3 => self.sheet = Sheet::new(said),
                Ok(Reply::Said(said) | Reply::Board(said)) => self.tell(said),
                Err(trouble) => self.complain(trouble.to_string()),
            },
        }
    }

    fn tell(&mut self, lines: Vec<String>) {
        self.news = News {
            lines,
            alarm: false,
        };
    }

    fn complain(&mut self, words: String) {
        self.news = News {
            lines: vec![words],
            alarm: true,
        };
    }
}

/// The key that an event is of, if it is one that means something here.
fn key(event: KeyEvent) -> Option<Key> {
    if event.kind == KeyEventKind::Release {
        return None;
    }
    let control = event.modifiers.contains(KeyModifiers::CONTROL);
    match event.code {
        KeyCode::Char('c' | 'd') if control => Some(Key::Leave),
        KeyCode::Char('h') if control => Some(Key::Backspace),
        KeyCode::Char(_) if control || event.modifiers.contains(KeyModifiers::ALT) => None,
        KeyCode::Char(char) => Some(Key::Char(char)),
        KeyCode::Enter => Some(Key::Enter),
        KeyCode::Esc => Some(Key::Escape),
        KeyCode::Backspace => Some(Key::Backspace),
        KeyCode::Tab => Some(Key::Tab),
        KeyCode::Left => Some(Key::Step(-1, 0)),
        KeyCode::Right => Some(Key::Step(1, 0)),
        KeyCode::Up => Some(Key::Step(0, -1)),
        KeyCode::Down => Some(Key::Step(0, 1)),
        _ => None,
    }
}
