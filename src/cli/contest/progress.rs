//! How far a match is, on standard error: a bar on a terminal, else a line a game.

use std::io::{self, IsTerminal};

use honinbo::contest::run::{Contest, Finished};
use honinbo::game::color::Color;
use honinbo::notice;
use indicatif::{ProgressBar, ProgressStyle};

/// What is shown.
pub enum Progress {
    /// Nothing is shown.
    Quiet,
    /// A line a game.
    Lines,
    /// A bar.
    Bar(ProgressBar),
}

impl Progress {
    /// The one that suits the standard error, for so many pairings of so many games at most.
    pub fn new(games: usize, pairings: usize) -> Self {
        if !io::stderr().is_terminal() {
            return Self::Lines;
        }
        let bar = ProgressBar::new(games.saturating_mul(pairings) as u64);
        let style = ProgressStyle::with_template("{pos}/{len} {wide_bar} {elapsed} ({eta}) {msg}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        Self::Bar(bar)
    }

    /// Two programs begin; so many of their games were played before.
    pub fn begin(&self, contest: &Contest, kept: usize) {
        match self {
            Self::Bar(bar) => bar.inc(kept as u64),
            Self::Lines if kept > 0 => {
                let [a, b] = contest.letters;
                notice::say(format_args!("{a}-{b}: {kept} games were played before"));
            }
            Self::Quiet | Self::Lines => {}
        }
    }

    /// Counts a game.
    pub fn show(&self, finished: &Finished<'_>) {
        let total = finished.tally.total();
        let contest = finished.contest;
        let [a, b] = contest.letters;
        let score = format!("{a} +{} -{} ={}", total.won, total.lost, total.drawn);
        match self {
            Self::Quiet => {}
            Self::Bar(bar) => {
                bar.set_message(format!("{score} {b}"));
                bar.inc(1);
            }
            Self::Lines => {
                let (black, white) = match finished.a_color {
                    Color::Black => (a, b),
                    Color::White => (b, a),
                };
                let outcome = &finished.played.outcome;
                notice::say(format_args!(
                    "game {} of {}, {black} black, {white} white: {} in {} moves ({outcome}); {score}",
                    finished.game + 1,
                    contest.games,
                    outcome.result_text(),
                    finished.played.record.moves().len(),
                ));
            }
        }
    }

    /// Leaves a bar as it is, so that it shows how far the match came.
    pub fn finish(&self) {
        if let Self::Bar(bar) = self {
            bar.abandon();
        }
    }
}
