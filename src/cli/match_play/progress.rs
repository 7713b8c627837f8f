//! How far a match is, on standard error: a bar on a terminal, else a line a game.

use std::io::{self, IsTerminal};

use honinbo::game::color::Color;
use honinbo::io::stderr;
use honinbo::match_play::config::MatchConfig;
use honinbo::match_play::finished_game::FinishedGame;
use indicatif::{ProgressBar, ProgressStyle};

/// What is shown.
pub enum MatchProgress {
    /// Nothing is shown.
    Quiet,
    /// A line a game.
    Lines,
    /// A bar.
    Bar(ProgressBar),
}

impl MatchProgress {
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
    pub fn start_pairing(&self, contest: &MatchConfig, saved_games: usize) {
        match self {
            Self::Bar(bar) => bar.inc(saved_games as u64),
            Self::Lines if saved_games > 0 => {
                let [a, b] = contest.letters;
                stderr::eprint_line(format_args!(
                    "{a}-{b}: {saved_games} games were played before"
                ));
            }
            Self::Quiet | Self::Lines => {}
        }
    }

    /// Counts a game.
    pub fn report_game(&self, finished: &FinishedGame<'_>) {
        let totals = finished.stats.total();
        let contest = finished.config;
        let [a, b] = contest.letters;
        let score = format!("{a} +{} -{} ={}", totals.won, totals.lost, totals.drawn);
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
                let outcome = &finished.played_game.outcome;
                stderr::eprint_line(format_args!(
                    "game {} of {}, {black} black, {white} white: {} in {} moves ({outcome}); {score}",
                    finished.game_index + 1,
                    contest.max_games,
                    outcome.result_text(),
                    finished.played_game.record.moves().len(),
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
