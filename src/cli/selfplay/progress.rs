//! How far self-play is, on standard error: a bar on a terminal, else a line now and then.

use std::io::{self, IsTerminal};
use std::time::Instant;

use honinbo::io::stderr;
use honinbo::learn::selfplay::run::SelfplayStats;
use indicatif::{ProgressBar, ProgressStyle};

/// Games from line to line.
const REPORT_INTERVAL_GAMES: u64 = 100;

/// What is shown.
pub struct SelfplayProgress {
    started: Instant,
    bar: Option<ProgressBar>,
}

impl SelfplayProgress {
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
    pub fn show(&self, stats: &SelfplayStats) {
        let speed = || format!("{:.0} moves/s", self.moves_per_second(stats));
        match &self.bar {
            Some(bar) => {
                bar.set_message(speed());
                bar.set_position(stats.existing_games + stats.games);
            }
            None if stats.games > 0 && stats.games.is_multiple_of(REPORT_INTERVAL_GAMES) => {
                stderr::eprint_line(format_args!("{} games, {}", stats.games, speed()));
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
    pub fn moves_per_second(&self, stats: &SelfplayStats) -> f64 {
        stats.moves as f64 / self.started.elapsed().as_secs_f64().max(1e-3)
    }
}
