//! Progress reports on standard error: a bar on a terminal, otherwise lines of text.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use honinbo::eval::EvalError;
use honinbo::eval::calibration::observer::CalibrationObserver;
use honinbo::game::color::Color;
use honinbo::io::plural::counted;
use honinbo::io::stderr;
use honinbo::learn::selfplay::run::SelfplayStats;
use honinbo::match_play::finished_game::FinishedGame;
use honinbo::match_play::match_config::MatchConfig;
use indicatif::{ProgressBar, ProgressStyle};

/// Number of self-play games between two progress lines.
const SELFPLAY_REPORT_GAMES: u64 = 100;
/// Minimum time between two progress lines while labelling.
const LABEL_REPORT_INTERVAL: Duration = Duration::from_secs(60);

/// Time before the first message about a calibration.
const CALIBRATION_DELAY: Duration = Duration::from_secs(2);
/// Minimum time between two messages about a calibration.
const CALIBRATION_REPORT_INTERVAL: Duration = Duration::from_secs(5);

/// Creates a progress bar with `total` steps. `template` has indicatif's syntax.
pub fn bar(total: u64, template: &str) -> ProgressBar {
    with_template(ProgressBar::new(total), template)
}

/// Creates a progress display for a task of unknown length. `template` has indicatif's syntax.
pub fn spinner(template: &str) -> ProgressBar {
    with_template(ProgressBar::new_spinner(), template)
}

fn with_template(bar: ProgressBar, template: &str) -> ProgressBar {
    let style = ProgressStyle::with_template(template);
    bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

/// Progress of a match or tournament.
pub struct MatchProgress {
    /// Hidden if standard error is not a terminal, or if no progress is to be shown.
    bar: ProgressBar,
    /// True if each game is reported in a line of text.
    has_lines: bool,
}

impl MatchProgress {
    /// Creates a progress report for up to `games` games per pairing.
    pub fn new(games: usize, pairings: usize, is_quiet: bool) -> Self {
        let total = games.saturating_mul(pairings) as u64;
        let bar = match is_quiet {
            true => ProgressBar::hidden(),
            false => bar(total, "{pos}/{len} {wide_bar} {elapsed} ({eta}) {msg}"),
        };
        Self {
            has_lines: !is_quiet && bar.is_hidden(),
            bar,
        }
    }

    /// Reports the start of a pairing. `saved_games` games of the pairing were played in earlier runs.
    pub fn start_pairing(&self, config: &MatchConfig, saved_games: usize) {
        self.bar.inc(saved_games as u64);
        if self.has_lines && saved_games > 0 {
            let [a, b] = config.letters;
            stderr::eprint_line(format_args!(
                "{a}-{b}: continuing after {}",
                counted(saved_games, "game")
            ));
        }
    }

    /// Reports a finished game and the score so far.
    pub fn report_game(&self, finished: &FinishedGame<'_>) {
        let totals = finished.stats.total_results();
        let config = finished.config;
        let [a, b] = config.letters;
        let score = format!("{a} +{} -{} ={}", totals.won, totals.lost, totals.drawn);
        self.bar.set_message(format!("{score} {b}"));
        self.bar.inc(1);
        if self.has_lines {
            let (black, white) = match finished.summary.a_color {
                Color::Black => (a, b),
                Color::White => (b, a),
            };
            let outcome = &finished.played_game.outcome;
            stderr::eprint_line(format_args!(
                "game {} of {}, {black} black, {white} white: {} in {} ({outcome}); {score}",
                finished.summary.game_index + 1,
                config.max_games,
                outcome.result_text(),
                counted(finished.played_game.record.moves().len(), "move"),
            ));
        }
    }

    /// Leaves the bar on the screen in its final state.
    pub fn finish(&self) {
        self.bar.abandon();
    }
}

/// Progress of self-play.
pub struct SelfplayProgress {
    started: Instant,
    /// Hidden if standard error is not a terminal, or if no progress is to be shown.
    bar: ProgressBar,
    /// True if the number of games is reported in lines of text.
    has_lines: bool,
}

impl SelfplayProgress {
    /// Creates a progress report for `games` games. `None` means an unlimited run.
    pub fn new(games: Option<u64>, is_quiet: bool) -> Self {
        let bar = match games {
            _ if is_quiet => ProgressBar::hidden(),
            Some(games) => bar(
                games,
                "{pos}/{len} games {wide_bar} {elapsed} ({eta}) {msg}",
            ),
            None => with_template(ProgressBar::no_length(), "{pos} games {elapsed} {msg}"),
        };
        Self {
            started: Instant::now(),
            has_lines: !is_quiet && bar.is_hidden(),
            bar,
        }
    }

    /// Updates the report after a game.
    pub fn report_game(&self, stats: &SelfplayStats) {
        let speed = format!("{:.0} moves/s", self.moves_per_second(stats));
        if self.has_lines && stats.games > 0 && stats.games.is_multiple_of(SELFPLAY_REPORT_GAMES) {
            stderr::eprint_line(format_args!("{} games, {speed}", stats.games));
        }
        self.bar.set_message(speed);
        self.bar.set_position(stats.existing_games + stats.games);
    }

    /// Leaves the bar on the screen in its final state.
    pub fn finish(&self) {
        self.bar.abandon();
    }

    /// Returns the average number of moves per second since the start. Counts only the moves of finished games.
    pub fn moves_per_second(&self, stats: &SelfplayStats) -> f64 {
        stats.moves as f64 / self.started.elapsed().as_secs_f64().max(1e-3)
    }
}

/// Progress of labelling. Also enforces the time limit by setting the stop flag.
pub struct LabelProgress<'a> {
    started: Instant,
    last_report: parking_lot::Mutex<Instant>,
    /// Number of labels in the store at the start.
    initial_labels: u64,
    time_limit: Option<Duration>,
    is_quiet: bool,
    stop: &'a AtomicBool,
}

impl<'a> LabelProgress<'a> {
    pub fn new(
        initial_labels: u64,
        time_limit: Option<Duration>,
        is_quiet: bool,
        stop: &'a AtomicBool,
    ) -> Self {
        let now = Instant::now();
        Self {
            started: now,
            last_report: parking_lot::Mutex::new(now),
            initial_labels,
            time_limit,
            is_quiet,
            stop,
        }
    }

    /// Prints a progress line for a store with `labels` labels, at most once per `LABEL_REPORT_INTERVAL`. Sets the
    /// stop flag if the time limit has been reached.
    pub fn report_and_enforce_limit(&self, labels: u64) {
        let elapsed = self.started.elapsed();
        if self.time_limit.is_some_and(|limit| elapsed >= limit) {
            self.stop.store(true, Ordering::Relaxed);
        }
        let mut last_report = self.last_report.lock();
        if !self.is_quiet && last_report.elapsed() >= LABEL_REPORT_INTERVAL {
            *last_report = Instant::now();
            let rate = (labels - self.initial_labels) as f64 / elapsed.as_secs_f64();
            stderr::eprint_line(format_args!(
                "{}, {rate:.1} per second",
                counted(labels, "label")
            ));
        }
    }
}

/// Progress of a calibration. It is reported in lines of text instead of a bar, because the calibration may run in the
/// background while a client is served.
pub struct CalibrationProgress {
    started: Instant,
    /// Earliest time of the next message.
    next_report: parking_lot::Mutex<Instant>,
    has_reported: AtomicBool,
}

impl CalibrationProgress {
    pub fn new() -> Self {
        let started = Instant::now();
        Self {
            started,
            next_report: parking_lot::Mutex::new(started + CALIBRATION_DELAY),
            has_reported: AtomicBool::new(false),
        }
    }
}

impl CalibrationObserver for CalibrationProgress {
    fn on_position(&self, done: usize, total: usize) {
        let now = Instant::now();
        let mut next_report = self.next_report.lock();
        if now >= *next_report && done < total {
            *next_report = now + CALIBRATION_REPORT_INTERVAL;
            self.has_reported.store(true, Ordering::Relaxed);
            stderr::eprint_line(format_args!(
                "honinbo: calibrating the network for 16-bit integers (only before its first use): {}%",
                100 * done / total
            ));
        }
    }

    fn on_success(&self) {
        if self.has_reported.load(Ordering::Relaxed) {
            let seconds = self.started.elapsed().as_secs_f64();
            stderr::eprint_line(format_args!("honinbo: calibrated in {seconds:.0} s"));
        }
    }

    fn on_failure(&self, error: &EvalError) {
        stderr::eprint_line(format_args!(
            "honinbo: using 32-bit floats, which are slower than 16-bit integers: {error}"
        ));
    }
}
