//! The report printed at the end of a match.

use std::fmt;

use super::elo;
use super::match_config::MatchConfig;
use super::match_stats::{MatchSummary, WinDrawLoss};
use super::side::Side;
use super::time_settings::MatchTime;
use crate::game::color::Color;
use crate::io::plural::counted;

/// Report on a match. Its `Display` implementation writes the complete text.
pub struct MatchReport<'a> {
    pub config: &'a MatchConfig,
    pub summary: &'a MatchSummary,
}

impl fmt::Display for MatchReport<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_heading(f)?;
        self.write_results(f)?;
        self.write_estimates(f)?;
        self.write_sides(f)?;
        self.write_incidents(f)
    }
}

impl MatchReport<'_> {
    fn write_heading(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for side in Side::BOTH {
            let identity = &self.summary.identities[side as usize];
            writeln!(
                f,
                "{side}: {identity} ({})",
                self.config.labels[side as usize]
            )?;
        }
        let (conditions, stats) = (&self.config.conditions, &self.summary.stats);
        let clock_text = match conditions.time {
            MatchTime::Clock(settings) => format!(", clocks {settings}"),
            MatchTime::Unspecified | MatchTime::Unlimited | MatchTime::PerMove(_) => String::new(),
        };
        writeln!(
            f,
            "{}, {} rules, komi {}{clock_text}; {} ({} distinct), {:.0} moves on average\n",
            conditions.size,
            conditions.rules_name,
            conditions.rules.komi,
            counted(stats.game_count(), "game"),
            stats.distinct_game_count(),
            stats.mean_length(),
        )
    }

    fn write_results(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let stats = &self.summary.stats;
        writeln!(
            f,
            "{:<12}{:>6}{:>6}{:>6}{:>9}",
            "A", "won", "lost", "drawn", "score"
        )?;
        let mut write_row = |name: &str, results: WinDrawLoss| {
            let score = match results.game_count() {
                0 => "-".to_owned(),
                games => format!("{:.1}%", 100.0 * results.points() / f64::from(games)),
            };
            let WinDrawLoss { won, lost, drawn } = results;
            writeln!(f, "{name:<12}{won:>6}{lost:>6}{drawn:>6}{score:>9}")
        };
        write_row("as Black", stats.results_as(Color::Black))?;
        write_row("as White", stats.results_as(Color::White))?;
        write_row("total", stats.total_results())?;
        writeln!(f, "no result: {}\n", stats.no_result_count())
    }

    fn write_estimates(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let stats = &self.summary.stats;
        let sample = self.config.score_sample(stats);
        let duplicates = stats.game_count() as usize - stats.distinct_game_count();
        if duplicates > 0 {
            let games = counted(duplicates, "duplicate game");
            writeln!(
                f,
                "not counted below: {games}, with the same moves as an earlier one"
            )?;
        }
        if let Some(score) = sample.interval() {
            let observations = match sample.games_per_observation {
                1 => counted(sample.size(), "game"),
                _ => format!("{} of games", counted(sample.size(), "pair")),
            };
            let (mean, low, high) = (100.0 * score.mean, 100.0 * score.low, 100.0 * score.high);
            writeln!(
                f,
                "score of A  {mean:.1}% (95%: {low:.1} to {high:.1}), from {observations}"
            )?;
            let [mean, low, high] = [score.mean, score.low, score.high].map(elo::elo_difference);
            writeln!(f, "Elo, A - B  {mean:+.0} (95%: {low:+.0} to {high:+.0})")?;
        }
        if let Some(sprt) = self.config.sprt {
            let (low, high) = sprt.bounds();
            let ratio = sprt.log_likelihood_ratio(&sample);
            writeln!(f, "SPRT        {sprt}")?;
            writeln!(
                f,
                "LLR         {ratio:+.2} ({low:.2} to {high:.2}): {}",
                sprt.status(&sample)
            )?;
        }
        writeln!(f)
    }

    fn write_sides(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{:<12}{:>6}{:>11}{:>11}{:>9}{:>9}{:>10}{:>10}",
            "side", "moves", "s/move", "max s", "illegal", "crashes", "timeouts", "protocol"
        )?;
        for side in Side::BOTH {
            let thinking_time = self.summary.stats.thinking_time(side);
            let [illegal, crashes, timeouts, protocol] = self.summary.stats.faults(side);
            let mean = thinking_time.total.as_secs_f64() / f64::from(thinking_time.moves.max(1));
            writeln!(
                f,
                "{side:<12}{:>6}{mean:>11.3}{:>11.3}{illegal:>9}{crashes:>9}{timeouts:>10}{protocol:>10}",
                thinking_time.moves,
                thinking_time.max_move_time.as_secs_f64(),
            )?;
        }
        Ok(())
    }

    fn write_incidents(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for incident in self.summary.stats.incidents() {
            let culprit = incident
                .culprit
                .map_or(String::new(), |side| format!(" ({side})"));
            writeln!(
                f,
                "game {}{culprit}: {}",
                incident.game_index + 1,
                incident.text
            )?;
        }
        Ok(())
    }
}
