//! The table at the end of a match.

use std::fmt;

use super::elo;
use super::run::{Contest, Summary};
use super::tally::{Results, Side};
use super::time::TimeControl;
use crate::game::color::Color;

/// A match to be written as text.
pub struct Report<'a> {
    /// What was played.
    pub contest: &'a Contest,
    /// What came of it.
    pub summary: &'a Summary,
}

impl fmt::Display for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_heading(f)?;
        self.write_results(f)?;
        self.write_estimates(f)?;
        self.write_sides(f)?;
        self.write_incidents(f)
    }
}

impl Report<'_> {
    fn write_heading(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for side in Side::BOTH {
            let identity = &self.summary.identities[side as usize];
            writeln!(
                f,
                "{side}: {identity} ({})",
                self.contest.labels[side as usize]
            )?;
        }
        let (terms, tally) = (&self.contest.terms, &self.summary.tally);
        let clocks = match terms.time {
            TimeControl::Clock(settings) => format!(", clocks {settings}"),
            TimeControl::Unsaid | TimeControl::Unlimited | TimeControl::PerMove(_) => String::new(),
        };
        writeln!(
            f,
            "{}, {} rules, komi {}{clocks}; {} games, {} of them different, {:.0} moves on average\n",
            terms.size,
            terms.rules_name,
            terms.rules.komi,
            tally.games(),
            tally.distinct_games(),
            tally.mean_length(),
        )
    }

    fn write_results(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tally = &self.summary.tally;
        writeln!(
            f,
            "{:<12}{:>6}{:>6}{:>6}{:>9}",
            "A", "won", "lost", "drawn", "score"
        )?;
        let mut row = |name: &str, results: Results| {
            let score = match results.games() {
                0 => "-".to_owned(),
                games => format!("{:.1} %", 100.0 * results.points() / f64::from(games)),
            };
            let Results { won, lost, drawn } = results;
            writeln!(f, "{name:<12}{won:>6}{lost:>6}{drawn:>6}{score:>9}")
        };
        row("as Black", tally.results(Color::Black))?;
        row("as White", tally.results(Color::White))?;
        row("together", tally.total())?;
        writeln!(f, "without a result: {}\n", tally.undecided())
    }

    fn write_estimates(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tally = &self.summary.tally;
        let sample = self.contest.sample(tally);
        if let Some(score) = sample.interval() {
            let of = match sample.games_each {
                1 => "games",
                _ => "pairs of games",
            };
            let (mean, low, high) = (100.0 * score.mean, 100.0 * score.low, 100.0 * score.high);
            writeln!(
                f,
                "score of A  {mean:.1} % (95 %: {low:.1} to {high:.1}), from {} {of}",
                sample.size()
            )?;
            let [mean, low, high] = [score.mean, score.low, score.high].map(elo::elo_of);
            writeln!(f, "Elo, A - B  {mean:+.0} (95 %: {low:+.0} to {high:+.0})")?;
        }
        if let Some(sprt) = self.contest.sprt {
            let (low, high) = sprt.bounds();
            let ratio = sprt.log_likelihood_ratio(&sample);
            writeln!(f, "SPRT        {sprt}")?;
            writeln!(
                f,
                "LLR         {ratio:+.2} ({low:.2} to {high:.2}): {}",
                sprt.state(&sample)
            )?;
        }
        writeln!(f)
    }

    fn write_sides(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{:<12}{:>6}{:>11}{:>11}{:>9}{:>9}{:>10}{:>10}",
            "side", "moves", "s a move", "longest s", "illegal", "crashes", "timeouts", "protocol"
        )?;
        for side in Side::BOTH {
            let timing = self.summary.tally.timing(side);
            let faults = self.summary.tally.faults(side);
            let mean = timing.total.as_secs_f64() / f64::from(timing.moves.max(1));
            writeln!(
                f,
                "{side:<12}{:>6}{mean:>11.3}{:>11.3}{:>9}{:>9}{:>10}{:>10}",
                timing.moves,
                timing.longest.as_secs_f64(),
                faults.illegal,
                faults.crashes,
                faults.timeouts,
                faults.protocol,
            )?;
        }
        Ok(())
    }

    fn write_incidents(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for incident in self.summary.tally.incidents() {
            let who = incident
                .culprit
                .map_or(String::new(), |side| format!(" ({side})"));
            writeln!(f, "game {}{who}: {}", incident.game + 1, incident.text)?;
        }
        Ok(())
    }
}
