//! Line mode: the board printed after every move, lines read. For pipes, simple terminals and tests.

use std::io::{self, BufRead, Write};
use std::time::Duration;

use super::command::Reply;
use super::game::{Game, last_move, title};
use super::ink::painted;
use super::picture::{self, Marks, Signs};
use super::trouble::Trouble;
use crate::game::color::Color;
use crate::lines::LineReader;

/// Longest line that is obeyed, in bytes.
const MAX_LINE: usize = 65_536;
/// A while; nothing else is to be done meanwhile.
const WHILE: Duration = Duration::from_secs(1);

/// How to draw.
#[derive(Clone, Copy, Debug)]
pub struct Look {
    /// With these signs.
    pub signs: Signs,
    /// And with colours or without.
    pub colours: bool,
}

/// Plays until the input ends or the player leaves. What is `said` comes first.
///
/// # Errors
/// When reading or writing fails. A reader of the output that goes away is no failure.
pub fn run(
    game: &mut Game,
    input: &mut impl BufRead,
    output: &mut impl Write,
    look: Look,
    said: &[String],
) -> io::Result<()> {
    let mut session = Session { game, output, look };
    let played = session.play(input, said);
    let told = (session.game.keep()).map_or(Ok(()), |failed| session.say(&[failed]));
    match played.and(told) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        done => done,
    }
}

struct Session<'a, W> {
    game: &'a mut Game,
    output: &'a mut W,
    look: Look,
}

impl<W: Write> Session<'_, W> {
    fn play(&mut self, input: &mut impl BufRead, said: &[String]) -> io::Result<()> {
        let mut input = LineReader::new(input, MAX_LINE);
        self.show(said)?;
        loop {
            while self.game.begin_if_due() {
                self.wait()?;
            }
            self.output.flush()?;
            let Some(bytes) = input.next_line()? else {
                return Ok(());
            };
            if bytes.len() > MAX_LINE {
                self.complain(&Trouble::TooLong(MAX_LINE))?;
                continue;
            }
            match self.game.say(&String::from_utf8_lossy(&bytes)) {
                Ok(Reply::Quit) => return Ok(()),
                Ok(Reply::Said(said)) => self.say(&said)?,
                Ok(Reply::Board(said)) => self.show(&said)?,
                Err(trouble) => self.complain(&trouble)?,
            }
        }
    }

    /// Waits for what the engine is at.
    fn wait(&mut self) -> io::Result<()> {
        loop {
            match self.game.poll(WHILE) {
                Ok(None) => {}
                Ok(Some(said)) => return self.show(&said),
                Err(trouble) => return self.complain(&trouble),
            }
        }
    }

    fn complain(&mut self, trouble: &Trouble) -> io::Result<()> {
        self.say(&[format!("! {trouble}")])
    }

    fn say(&mut self, lines: &[String]) -> io::Result<()> {
        for line in lines {
            writeln!(self.output, "{line}")?;
        }
        Ok(())
    }

    /// The board, whose turn it is, and what there is to say.
    fn show(&mut self, said: &[String]) -> io::Result<()> {
        for line in picture::draw(&self.game.picture(None), &self.look.signs) {
            let line = painted(&line, self.look.colours);
            writeln!(self.output, "{}", line.trim_end())?;
        }
        writeln!(self.output, "{}", caption(self.game))?;
        if matches!(self.game.marks, Marks::Owners { .. }) {
            let legend = self.look.signs.legend();
            let parts = legend.map(|part| painted(&part, self.look.colours));
            writeln!(self.output, "{}", parts.join("   "))?;
        }
        self.say(said)
    }
}

/// The last move, whose turn it is, and the prisoners.
#[must_use]
pub fn caption(game: &Game) -> String {
    let position = game.engine().position();
    let last = last_move(position).map_or(String::new(), |last| last + " ");
    let turn = match game.draft() {
        Some(draft) => format!("Setting up; {} will move first.", draft.to_move),
        None if game.record().ended() => format!("{last}The game is over."),
        None => {
            let number = position.move_number() + 1;
            format!("{last}{} to play move {number}.", title(position.to_move()))
        }
    };
    let [white, black] = [Color::White, Color::Black].map(|color| position.prisoners(color));
    format!("{turn} Captures: Black {white}, White {black}.")
}
