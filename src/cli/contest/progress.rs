//! How far a match is, on standard error: a bar on a terminal, else a line a game.

use std::io::{self, IsTerminal};

use honinbo::contest::run::Finished;
use honinbo::game::color::Color;
use indicatif::{ProgressBar, ProgressStyle};

/// What is shown.
pub enum Progress {
    /// Nothing is shown.
    Quiet,
    /// A line a game.
    Lines {
        /// The games of the match at most.
        games: usize,
    },
    /// A bar.
    Bar(ProgressBar),
}

impl Progress {
    /// The one that suits the standard error, for a match of so many games at most.
    pub fn new(games: usize) -> Self {
        if !io::stderr().is_terminal() {
            return Self::Lines { games };
        }
        let bar = ProgressBar::new(games as u64);
        let style = ProgressStyle::with_template("{pos}/{len} {wide_bar} {elapsed} ({eta}) {msg}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        Self::Bar(bar)
    }

    /// Counts a game.
    pub fn show(&self, finished: &Finished<'_>) {
        let total = finished.tally.total();
        let score = format!("+{} -{} ={}", total.won, total.lost, total.drawn);
        match self {
            Self::Quiet => {}
            Self::Bar(bar) => {
                bar.set_message(score);
                bar.set_position(u64::from(finished.tally.games()));
            }
            Self::Lines { games } => {
                let a_is = match finished.a_color {
                    Color::Black => "A black",
                    Color::White => "A white",
                };
                let outcome = &finished.played.outcome;
                eprintln!(
                    "game {} of {games}, {a_is}: {} in {} moves ({outcome}); A {score}",
                    finished.game + 1,
                    outcome.result_text(),
                    finished.played.record.moves().len(),
                );
            }
        }
    }

    /// Leaves a bar as it is.
    pub fn finish(&self) {
        if let Self::Bar(bar) = self {
            bar.finish();
        }
    }
}
