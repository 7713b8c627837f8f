//! How far self-play is, on standard error: a bar on a terminal, else a line now and then.

use std::io::{self, IsTerminal};
use std::time::Instant;

use honinbo::learn::selfplay::tally::Tally;
use honinbo::notice;
use indicatif::{ProgressBar, ProgressStyle};

/// Games from line to line.
const LINE_EVERY: u64 = 100;

/// What is shown.
pub struct Progress {
    started: Instant,
    bar: Option<ProgressBar>,
}

impl Progress {
    /// The one that suits the standard error; `games` in all, if there is an end.
    pub fn new(games: Option<u64>) -> Self {
        let bar = io::stderr().is_terminal().then(|| {
            let (bar, template) = match games {
                Some(games) => (
                    ProgressBar::new(games),
                    "{pos}/{len} games {wide_bar} {elapsed} ({eta}) {msg}",
                ),
                None => (ProgressBar::no_length(), "{pos} games {elapsed} {msg}"),
            };
            let style = ProgressStyle::with_template(template);
            bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
        });
        Self {
            started: Instant::now(),
            bar,
        }
    }

    /// Shows the counts after a game.
    pub fn show(&self, tally: &Tally) {
        let speed = || format!("{:.0} moves/s", self.moves_a_second(tally));
        match &self.bar {
            Some(bar) => {
                bar.set_message(speed());
                bar.set_position(tally.earlier + tally.games);
            }
            None if tally.games > 0 && tally.games.is_multiple_of(LINE_EVERY) => {
                notice::say(format_args!("{} games, {}", tally.games, speed()));
            }
            None => {}
        }
    }

    /// Leaves a bar as it is.
    pub fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.abandon();
        }
    }

    /// Moves of the games finished, for each second since the start.
    pub fn moves_a_second(&self, tally: &Tally) -> f64 {
        tally.moves as f64 / self.started.elapsed().as_secs_f64().max(1e-3)
    }
}
