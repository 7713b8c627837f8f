//! `honinbo match`: two programs against each other, or a tournament of several.

mod command_line;
mod options;
mod progress;

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, anyhow, ensure};
use honinbo::io::file;
use honinbo::match_play::config::{MatchConfig, Role};
use honinbo::match_play::engine_process::EngineProcess;
use honinbo::match_play::finished_game::FinishedGame;
use honinbo::match_play::game_sgf;
use honinbo::match_play::gtp_engine::{GtpEngine, GtpEngineError};
use honinbo::match_play::match_stats::MatchSummary;
use honinbo::match_play::player::EngineIdentity;
use honinbo::match_play::report::MatchReport;
use honinbo::match_play::results_file::ResultsFile;
use honinbo::match_play::side::Side;
use honinbo::match_play::standings::Standings;

use super::outputs;
use super::signals::stop_on_signals;
use command_line::{CommandLine, parse_command_line};
pub use options::Args;
use progress::MatchProgress;

/// Programs of a tournament at most: each has a letter.
const MAX_PROGRAMS: usize = 26;
/// What the names of games' files begin with.
const GAME_FILE_PREFIX: &str = "game-";
/// What the files of results are called in a folder that is given instead of a prefix.
const DEFAULT_RESULTS_NAME: &str = "match";

/// Plays the match or the tournament and prints the table.
pub fn run(args: &Args) -> anyhow::Result<()> {
    let entrants = entrants(args)?;
    let referee = args
        .referee
        .as_deref()
        .map(parse_command_line)
        .transpose()?;
    let template = options::build_contest(args)?;
    create_folders(args)?;
    let pairings = pairings(entrants.len());
    let matches = MatchRunner {
        args,
        referee,
        is_single_pairing: pairings.len() == 1,
        progress: if args.quiet {
            MatchProgress::Quiet
        } else {
            MatchProgress::new(args.games, pairings.len())
        },
        interrupted: stop_on_signals()?,
    };
    if !matches.is_single_pairing {
        matches.check_programs(&template, &entrants, &pairings)?;
    }
    let letter_and_label = |entrant: &Entrant| (entrant.letter, entrant.label.clone());
    let mut standings = Standings::new(entrants.iter().map(letter_and_label).collect());
    for (index, pairing) in pairings.into_iter().enumerate() {
        let sides = pairing.map(|index| &entrants[index]);
        let contest = pairing_contest(&template, sides);
        let (summary, mut result) = match matches.play(&contest, sides) {
            Ok(finished) => finished,
            Err(error) => {
                matches.progress.finish();
                if index > 0 {
                    super::print(standings.to_string())?;
                }
                return Err(error);
            }
        };
        if matches.interrupted.load(Ordering::Relaxed) {
            result = Err(anyhow!("interrupted"));
        }
        if matches.is_single_pairing {
            matches.progress.finish();
            super::print(report(&contest, &summary))?;
            return result;
        }
        let sample = contest.sample(&summary.stats);
        standings.add(pairing, &summary, sample);
        if result.is_err() {
            matches.progress.finish();
            super::print(standings.to_string())?;
            return result;
        }
    }
    matches.progress.finish();
    super::print(standings.to_string())
}

fn report(contest: &MatchConfig, summary: &MatchSummary) -> String {
    MatchReport {
        config: contest,
        summary,
    }
    .to_string()
}

/// Makes the folders that games and results go to; a prefix that ends in a separator is one.
fn create_folders(args: &Args) -> anyhow::Result<()> {
    if let Some(folder) = &args.sgf {
        outputs::create_folder("--sgf", folder)?;
    }
    match &args.results {
        Some(folder) if outputs::ends_in_separator(folder) => {
            outputs::create_folder("--results", folder)
        }
        Some(prefix) => outputs::create_parent_folder("--results", prefix),
        None => Ok(()),
    }
}

/// A match that begins anew would write over the games of another and leave the rest of them among its own.
fn ensure_no_games(folder: &Path, prefix: &str) -> anyhow::Result<()> {
    let context = || format!("--sgf {}", folder.display());
    for entry in fs::read_dir(folder).with_context(context)? {
        let name = entry.with_context(context)?.file_name();
        let name = name.to_string_lossy();
        ensure!(
            !(name.starts_with(prefix) && name.ends_with(".sgf")),
            "{}: expected no games of another match, found {name}",
            context()
        );
    }
    Ok(())
}

/// The error with the option and the path that it is about, which the system does not tell.
fn path_error(option: &str, path: &Path, error: &io::Error) -> io::Error {
    let text = format!("{option} {}: {error}", path.display());
    io::Error::new(error.kind(), text)
}

/// A program that takes part.
struct Entrant {
    letter: char,
    /// What it was named by.
    label: String,
    command_line: CommandLine,
}

fn entrants(args: &Args) -> anyhow::Result<Vec<Entrant>> {
    let labels: Vec<&String> = [&args.a, &args.b].into_iter().chain(&args.others).collect();
    let count = labels.len();
    ensure!(
        count <= MAX_PROGRAMS,
        "expected at most {MAX_PROGRAMS} programs, found {count}"
    );
    let entrants = ('A'..='Z').zip(labels).map(|(letter, label)| {
        Ok(Entrant {
            letter,
            label: label.clone(),
            command_line: parse_command_line(label)?,
        })
    });
    entrants.collect()
}

/// All twos of so many programs, by their places.
fn pairings(count: usize) -> Vec<[usize; 2]> {
    (0..count)
        .flat_map(|one| (one + 1..count).map(move |other| [one, other]))
        .collect()
}

fn pairing_contest(template: &MatchConfig, sides: [&Entrant; 2]) -> MatchConfig {
    let is_honinbo = |side: &Side| sides[*side as usize].command_line.is_honinbo;
    MatchConfig {
        trusted_side: Side::BOTH.into_iter().find(is_honinbo),
        letters: sides.map(|entrant| entrant.letter),
        labels: sides.map(|entrant| entrant.label.clone()),
        ..template.clone()
    }
}

/// What all pairings share.
struct MatchRunner<'a> {
    args: &'a Args,
    referee: Option<CommandLine>,
    /// Whether there is one pairing.
    is_single_pairing: bool,
    progress: MatchProgress,
    /// Set by an interrupt: what was played is told, and no more games are.
    interrupted: Arc<AtomicBool>,
}

impl MatchRunner<'_> {
    /// How the programs of a pairing are started.
    fn launch(
        &self,
        sides: [&Entrant; 2],
    ) -> impl Fn(Role) -> Result<Box<dyn GtpEngine>, GtpEngineError> {
        move |seat| {
            let program = match (seat, &self.referee) {
                (Role::Player(side), _) => &sides[side as usize].command_line,
                (Role::Referee, Some(referee)) => referee,
                (Role::Referee, None) => {
                    return Err(GtpEngineError::StartFailed {
                        command_line: String::new(),
                        reason: "no referee was named".to_owned(),
                    });
                }
            };
            EngineProcess::start(&program.args, &self.interrupted)
                .map(|program| Box::new(program) as Box<dyn GtpEngine>)
        }
    }

    /// Whether all programs can be called and all files written: hours may pass before the last of them is.
    fn check_programs(
        &self,
        template: &MatchConfig,
        entrants: &[Entrant],
        pairings: &[[usize; 2]],
    ) -> anyhow::Result<()> {
        let mut identities: Vec<EngineIdentity> = Vec::new();
        for other in &entrants[1..] {
            let sides = [&entrants[0], other];
            let running = pairing_contest(template, sides).prepare(&self.launch(sides))?;
            let known_count = identities.len().min(1);
            identities.extend_from_slice(&running.identities()[known_count..]);
        }
        for pairing in pairings {
            let contest = pairing_contest(template, pairing.map(|index| &entrants[index]));
            self.results(&contest, &pairing.map(|index| identities[index].clone()))?;
        }
        Ok(())
    }

    /// The results that the games of a match are added to, if these are kept.
    fn results(
        &self,
        contest: &MatchConfig,
        identities: &[EngineIdentity; 2],
    ) -> anyhow::Result<Option<ResultsFile>> {
        let results = match self.prefix(contest) {
            Some(prefix) => {
                let referee = self.args.referee.as_deref();
                let results = ResultsFile::open(&prefix, contest, identities, referee);
                Some(results.context("--results")?)
            }
            None => None,
        };
        let is_resumed = (results.as_ref()).is_some_and(|results| !results.entries().is_empty());
        if let Some(folder) = self.args.sgf.as_ref().filter(|_| !is_resumed) {
            ensure_no_games(folder, &self.game_file_prefix(contest))?;
        }
        Ok(results)
    }

    /// What was played, and whether it came to its end; an error if the match cannot begin.
    fn play(
        &self,
        contest: &MatchConfig,
        sides: [&Entrant; 2],
    ) -> anyhow::Result<(MatchSummary, anyhow::Result<()>)> {
        let launch = self.launch(sides);
        let running = contest.prepare(&launch)?;
        let mut results = self.results(contest, running.identities())?;
        let prefix = self.prefix(contest);
        let saved_games = results
            .as_ref()
            .map(ResultsFile::entries)
            .unwrap_or_default();
        self.progress.start_pairing(contest, saved_games.len());
        let mut on_game = |finished: &FinishedGame<'_>| {
            self.progress.report_game(finished);
            if let Some(folder) = &self.args.sgf {
                self.save_game(folder, finished)?;
            }
            match (&mut results, &prefix) {
                (Some(results), Some(prefix)) => (results.append(finished))
                    .map_err(|error| path_error("--results", prefix, &error)),
                _ => Ok(()),
            }
        };
        let (summary, result) = contest.resume(
            running,
            &saved_games,
            &launch,
            &mut on_game,
            &self.interrupted,
        );
        Ok((summary, result.map_err(Into::into)))
    }

    /// The letters of a pairing among others.
    fn pair_name(&self, contest: &MatchConfig) -> Option<String> {
        (!self.is_single_pairing).then(|| contest.letters.iter().collect())
    }

    /// What the names of the files of results begin with, if these are kept.
    fn prefix(&self, contest: &MatchConfig) -> Option<PathBuf> {
        let results = self.args.results.as_ref()?;
        let mut path = OsString::from(results);
        if outputs::ends_in_separator(results) {
            path.push(DEFAULT_RESULTS_NAME);
        }
        if let Some(pair) = self.pair_name(contest) {
            path.push(format!("-{pair}"));
        }
        Some(path.into())
    }

    /// What the names of the games' files begin with.
    fn game_file_prefix(&self, contest: &MatchConfig) -> String {
        let pair = self.pair_name(contest);
        pair.map_or(GAME_FILE_PREFIX.to_owned(), |pair| {
            format!("{GAME_FILE_PREFIX}{pair}-")
        })
    }

    fn save_game(&self, folder: &Path, finished: &FinishedGame<'_>) -> io::Result<()> {
        let contest = finished.config;
        let name = self.game_file_prefix(contest);
        let file = folder.join(format!("{name}{:04}.sgf", finished.game_index + 1));
        let result = file::write_atomic(&file, game_sgf::to_sgf(finished, &contest.conditions));
        result.map_err(|error| path_error("--sgf", &file, &error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn existing_games_are_rejected() {
        let folder = tempfile::tempdir().unwrap();
        for other in ["games.sgf", "game-AB-0001.txt", "game-AC-0001.sgf"] {
            fs::write(folder.path().join(other), "").unwrap();
        }
        ensure_no_games(folder.path(), "game-AB-").unwrap();
        fs::write(folder.path().join("game-AB-0002.sgf"), "").unwrap();
        let error = ensure_no_games(folder.path(), "game-AB-");
        let error = error.unwrap_err().to_string();
        assert!(error.contains("found game-AB-0002.sgf"), "{error}");
    }

    #[test]
    fn pairings_are_round_robin() {
        assert_eq!(pairings(2), [[0, 1]]);
        assert_eq!(
            pairings(4),
            [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]
        );
    }
}
