//! Results table of a tournament: pairwise scores and ratings.

use std::fmt;

use super::elo::ScoreSample;
use super::match_stats::{MatchSummary, WinDrawLoss};
use super::ratings::{HeadToHead, ratings};

/// Results of a tournament so far.
#[derive(Clone, Debug)]
pub struct Standings {
    /// Letter and name of each program.
    programs: Vec<(char, String)>,
    pairings: Vec<Pairing>,
}

#[derive(Clone, Debug)]
struct Pairing {
    /// Indices of the two programs in `Standings::programs`.
    programs: [usize; 2],
    /// Results from the perspective of the first program.
    results: WinDrawLoss,
    /// Sample used for the confidence interval, from the perspective of the first program.
    sample: ScoreSample,
    /// Descriptions of the games with a fault or without a result.
    incidents: Vec<String>,
}

impl Standings {
    /// Creates a table without games. Each program is specified by its letter and name.
    pub const fn new(programs: Vec<(char, String)>) -> Self {
        Self {
            programs,
            pairings: Vec::new(),
        }
    }

    /// Adds the match between the two programs with the given indices. `sample` is used for the confidence intervals.
    /// Both `summary` and `sample` are from the perspective of the first program.
    pub fn add(&mut self, programs: [usize; 2], summary: &MatchSummary, sample: ScoreSample) {
        let [a, b] = programs.map(|index| self.programs[index].0);
        let incidents = summary.stats.incidents().iter().map(|incident| {
            let (game, text) = (incident.game_index + 1, &incident.text);
            let culprit = incident.culprit.map(|side| [a, b][side as usize]);
            let culprit = culprit.map_or(String::new(), |letter| format!(" ({letter})"));
            format!("{a}-{b}, game {game}{culprit}: {text}")
        });
        self.pairings.push(Pairing {
            programs,
            results: summary.stats.total_results(),
            sample,
            incidents: incidents.collect(),
        });
    }

    /// Returns the results of program `one` against program `other`, from the perspective of `one`.
    fn head_to_head(&self, one: usize, other: usize) -> WinDrawLoss {
        let results = self.pairings.iter().map(|pairing| match pairing.programs {
            [a, b] if [a, b] == [one, other] => pairing.results,
            [a, b] if [a, b] == [other, one] => pairing.results.reversed(),
            _ => WinDrawLoss::default(),
        });
        results.fold(WinDrawLoss::default(), |sum, results| sum.plus(&results))
    }

    /// Returns the combined sample of all matches of a program, from the perspective of this program. Returns `None` if
    /// the program has not played.
    fn score_sample(&self, program: usize) -> Option<ScoreSample> {
        let samples = self.pairings.iter().filter_map(|pairing| {
            let [a, b] = pairing.programs;
            let reversed = || pairing.sample.reversed();
            (a == program)
                .then(|| pairing.sample.clone())
                .or_else(|| (b == program).then(reversed))
        });
        samples.reduce(|all, sample| all.merged(&sample))
    }

    fn total_results(&self, program: usize) -> WinDrawLoss {
        let per_opponent = (0..self.programs.len()).map(|other| self.head_to_head(program, other));
        per_opponent.fold(WinDrawLoss::default(), |sum, results| sum.plus(&results))
    }
}

/// Writes a list of the programs by rating, a table of the points scored by each program (row) against each opponent
/// (column), and the incidents.
impl fmt::Display for Standings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let meetings: Vec<HeadToHead> = self
            .pairings
            .iter()
            .map(|pairing| HeadToHead {
                programs: pairing.programs,
                games: f64::from(pairing.results.game_count()),
                points: pairing.results.points(),
            })
            .collect();
        let ratings = ratings(self.programs.len(), &meetings);
        let mut order: Vec<usize> = (0..self.programs.len()).collect();
        order.sort_by(|&one, &other| ratings[other].elo.total_cmp(&ratings[one].elo));
        writeln!(
            f,
            "{:<4}{:>6}{:>6}{:>6}{:>6}   {:<26}{:<15}program",
            "", "games", "won", "lost", "drawn", "score (95%)", "Elo (95%)"
        )?;
        for &index in &order {
            let (letter, name) = &self.programs[index];
            let WinDrawLoss { won, drawn, lost } = self.total_results(index);
            let score = self
                .score_sample(index)
                .and_then(|sample| sample.interval());
            let score = score.map_or("-".to_owned(), |score| {
                let [mean, low, high] = [score.mean, score.low, score.high].map(|x| 100.0 * x);
                format!("{mean:.1}% ({low:.1} to {high:.1})")
            });
            let elo = format!("{:+.0} ± {:.0}", ratings[index].elo, ratings[index].error);
            let games = won + drawn + lost;
            writeln!(
                f,
                "{letter:<4}{games:>6}{won:>6}{lost:>6}{drawn:>6}   {score:<26}{elo:<15}{name}"
            )?;
        }
        self.write_cross_table(f, &order)?;
        let incidents = self.pairings.iter().flat_map(|pairing| &pairing.incidents);
        incidents
            .into_iter()
            .try_for_each(|incident| writeln!(f, "{incident}"))
    }
}

impl Standings {
    fn write_cross_table(&self, f: &mut fmt::Formatter<'_>, order: &[usize]) -> fmt::Result {
        write!(f, "\n{:<4}", "")?;
        for &column in order {
            write!(f, "{:>10}", self.programs[column].0)?;
        }
        writeln!(f)?;
        for &row in order {
            write!(f, "{:<4}", self.programs[row].0)?;
            for &column in order {
                let results = self.head_to_head(row, column);
                let cell = match results.game_count() {
                    0 => "-".to_owned(),
                    games => format!("{} of {games}", results.points()),
                };
                write!(f, "{cell:>10}")?;
            }
            writeln!(f)?;
        }
        writeln!(f)
    }
}
