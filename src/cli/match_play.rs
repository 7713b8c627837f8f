//! `honinbo match`: matches and round-robin tournaments between GTP engines.

mod options;

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, anyhow, ensure};
use honinbo::io::file;
use honinbo::match_play::engine_process::EngineProcess;
use honinbo::match_play::finished_game::FinishedGame;
use honinbo::match_play::game_sgf;
use honinbo::match_play::gtp_engine::{GtpEngine, GtpEngineError};
use honinbo::match_play::match_config::{MatchConfig, Role};
use honinbo::match_play::match_stats::MatchSummary;
use honinbo::match_play::player::EngineIdentity;
use honinbo::match_play::report::MatchReport;
use honinbo::match_play::results_file::ResultsFile;
use honinbo::match_play::side::Side;
use honinbo::match_play::standings::Standings;

use super::external_command_line::{EngineCommandLine, parse_engine_command_line};
use super::files;
use super::process::{print, stop_on_signals};
use super::progress::MatchProgress;
pub use options::Args;

/// Maximum number of programs in a tournament. Each is identified by a letter.
const MAX_PROGRAMS: usize = 26;
/// Prefix of game file names.
const GAME_FILE_PREFIX: &str = "game-";
/// Prefix of result file names if `--results` is a folder.
const DEFAULT_RESULTS_PREFIX: &str = "match";

/// Plays the match or tournament and prints the result table.
pub fn run(args: &Args) -> anyhow::Result<()> {
    let programs = parse_programs(args)?;
    let referee = args
        .referee
        .as_deref()
        .map(parse_engine_command_line)
        .transpose()?;
    let template = options::build_config_template(args)?;
    create_folders(args)?;
    let pairings = round_robin_pairings(programs.len());
    let matches = PairingRunner {
        args,
        referee,
        is_single_pairing: pairings.len() == 1,
        progress: MatchProgress::new(args.games, pairings.len(), args.quiet),
        interrupted: stop_on_signals()?,
    };
    if !matches.is_single_pairing {
        matches.check_programs(&template, &programs, &pairings)?;
    }
    let letter_and_label = |program: &Program| (program.letter, program.label.clone());
    let mut standings = Standings::new(programs.iter().map(letter_and_label).collect());
    for (index, pairing) in pairings.into_iter().enumerate() {
        let sides = pairing.map(|index| &programs[index]);
        let config = pairing_config(&template, sides);
        let (summary, mut result) = match matches.play(&config, sides) {
            Ok(finished) => finished,
            Err(error) => {
                matches.progress.finish();
                if index > 0 {
                    print(standings.to_string())?;
                }
                return Err(error);
            }
        };
        if matches.interrupted.load(Ordering::Relaxed) {
            result = Err(anyhow!("interrupted"));
        }
        if matches.is_single_pairing {
            matches.progress.finish();
            let report = MatchReport {
                config: &config,
                summary: &summary,
            };
            print(report.to_string())?;
            return result;
        }
        let sample = config.score_sample(&summary.stats);
        standings.add(pairing, &summary, sample);
        if result.is_err() {
            matches.progress.finish();
            print(standings.to_string())?;
            return result;
        }
    }
    matches.progress.finish();
    print(standings.to_string())
}

/// Creates the folders for games and results.
fn create_folders(args: &Args) -> anyhow::Result<()> {
    if let Some(folder) = &args.sgf {
        files::create_folder("--sgf", folder)?;
    }
    match &args.results {
        Some(folder) if files::ends_in_separator(folder) => {
            files::create_folder("--results", folder)
        }
        Some(prefix) => files::create_parent_folder("--results", prefix),
        None => Ok(()),
    }
}

/// Returns an error if the folder contains game files with this prefix. A new match would overwrite some of these files
/// and leave the others among the new games.
fn ensure_no_games(folder: &Path, prefix: &str) -> anyhow::Result<()> {
    let context = || format!("--sgf {}", folder.display());
    for entry in fs::read_dir(folder).with_context(context)? {
        let name = entry.with_context(context)?.file_name();
        let name = name.to_string_lossy();
        ensure!(
            !(name.starts_with(prefix) && name.ends_with(".sgf")),
            "{}: the folder contains games of another match ({name}); use a new folder",
            context()
        );
    }
    Ok(())
}

/// Adds the command-line option and the path to the message of an I/O error.
fn path_error(option: &str, path: &Path, error: &io::Error) -> io::Error {
    let text = format!("{option} {}: {error}", path.display());
    io::Error::new(error.kind(), text)
}

/// A program in the match or tournament.
struct Program {
    letter: char,
    /// Command-line argument that specifies the program, as typed by the user.
    label: String,
    command_line: EngineCommandLine,
}

fn parse_programs(args: &Args) -> anyhow::Result<Vec<Program>> {
    let labels: Vec<&String> = [&args.a, &args.b].into_iter().chain(&args.others).collect();
    let count = labels.len();
    ensure!(
        count <= MAX_PROGRAMS,
        "a tournament can have at most {MAX_PROGRAMS} programs, not {count}"
    );
    let programs = ('A'..='Z').zip(labels).map(|(letter, label)| {
        Ok(Program {
            letter,
            label: label.clone(),
            command_line: parse_engine_command_line(label)?,
        })
    });
    programs.collect()
}

/// Returns all pairs `[i, j]` with `i < j < count`, in lexicographic order.
fn round_robin_pairings(count: usize) -> Vec<[usize; 2]> {
    (0..count)
        .flat_map(|one| (one + 1..count).map(move |other| [one, other]))
        .collect()
}

fn pairing_config(template: &MatchConfig, sides: [&Program; 2]) -> MatchConfig {
    let is_honinbo = |side: &Side| sides[*side as usize].command_line.is_honinbo;
    MatchConfig {
        trusted_side: Side::BOTH.into_iter().find(is_honinbo),
        letters: sides.map(|program| program.letter),
        labels: sides.map(|program| program.label.clone()),
        ..template.clone()
    }
}

/// State shared by all pairings.
struct PairingRunner<'a> {
    args: &'a Args,
    referee: Option<EngineCommandLine>,
    /// True for a match, false for a tournament.
    is_single_pairing: bool,
    progress: MatchProgress,
    /// Set by a signal to end the run: no further games are started, and the results so far are printed.
    interrupted: Arc<AtomicBool>,
}

impl PairingRunner<'_> {
    /// Returns a function that starts a player of the pairing or the referee.
    fn launcher(
        &self,
        sides: [&Program; 2],
    ) -> impl Fn(Role) -> Result<Box<dyn GtpEngine>, GtpEngineError> {
        move |role| {
            let command_line = match (role, &self.referee) {
                (Role::Player(side), _) => &sides[side as usize].command_line,
                (Role::Referee, Some(referee)) => referee,
                (Role::Referee, None) => {
                    return Err(GtpEngineError::StartFailed {
                        command_line: String::new(),
                        reason: "no referee given".to_owned(),
                    });
                }
            };
            EngineProcess::start(&command_line.args, &self.interrupted)
                .map(|program| Box::new(program) as Box<dyn GtpEngine>)
        }
    }

    /// Checks that all programs can be started, and that the files of all pairings can be opened and belong to this
    /// tournament. Without this check, a problem with the last pairing might be noticed only after hours of play.
    fn check_programs(
        &self,
        template: &MatchConfig,
        programs: &[Program],
        pairings: &[[usize; 2]],
    ) -> anyhow::Result<()> {
        let mut identities: Vec<EngineIdentity> = Vec::new();
        for other in &programs[1..] {
            let sides = [&programs[0], other];
            let running =
                pairing_config(template, sides).start_first_engines(&self.launcher(sides))?;
            let known_count = identities.len().min(1);
            identities.extend_from_slice(&running.identities()[known_count..]);
        }
        for pairing in pairings {
            let config = pairing_config(template, pairing.map(|index| &programs[index]));
            self.open_results(&config, &pairing.map(|index| identities[index].clone()))?;
        }
        Ok(())
    }

    /// Opens the results file of a pairing, if results are saved. If the match is new, also checks that the folder for
    /// SGF files contains no games of this pairing.
    fn open_results(
        &self,
        config: &MatchConfig,
        identities: &[EngineIdentity; 2],
    ) -> anyhow::Result<Option<ResultsFile>> {
        let results = match self.results_prefix(config) {
            Some(prefix) => {
                let referee = self.args.referee.as_deref();
                let results = ResultsFile::open(&prefix, config, identities, referee);
                Some(results.context("--results")?)
            }
            None => None,
        };
        let is_resumed = (results.as_ref()).is_some_and(|results| !results.games().is_empty());
        if let Some(folder) = self.args.sgf.as_ref().filter(|_| !is_resumed) {
            ensure_no_games(folder, &self.game_file_prefix(config))?;
        }
        Ok(results)
    }

    /// Plays the remaining games of a pairing. Returns a summary of all games of the pairing, together with an error if
    /// the pairing did not complete. Returns only an error if the pairing could not be started.
    fn play(
        &self,
        config: &MatchConfig,
        sides: [&Program; 2],
    ) -> anyhow::Result<(MatchSummary, anyhow::Result<()>)> {
        let launcher = self.launcher(sides);
        let running = config.start_first_engines(&launcher)?;
        let mut results = self.open_results(config, running.identities())?;
        let prefix = self.results_prefix(config);
        let saved_games = results.as_ref().map(ResultsFile::games).unwrap_or_default();
        self.progress.start_pairing(config, saved_games.len());
        let mut on_game = |finished: &FinishedGame<'_>| {
            self.progress.report_game(finished);
            let sgf_text = game_sgf::to_sgf(finished);
            if let Some(folder) = &self.args.sgf {
                self.save_game(folder, finished, &sgf_text)?;
            }
            match (&mut results, &prefix) {
                (Some(results), Some(prefix)) => (results.append(finished, &sgf_text))
                    .map_err(|error| path_error("--results", prefix, &error)),
                _ => Ok(()),
            }
        };
        let (summary, result) = config.play_remaining_games(
            running,
            &saved_games,
            &launcher,
            &mut on_game,
            &self.interrupted,
        );
        Ok((summary, result.map_err(Into::into)))
    }

    /// Returns the letters of the two programs, or `None` if there is only one pairing.
    fn pair_name(&self, config: &MatchConfig) -> Option<String> {
        (!self.is_single_pairing).then(|| config.letters.iter().collect())
    }

    /// Returns the path prefix of the pairing's result files, or `None` if results are not saved.
    fn results_prefix(&self, config: &MatchConfig) -> Option<PathBuf> {
        let results = self.args.results.as_ref()?;
        let mut path = OsString::from(results);
        if files::ends_in_separator(results) {
            path.push(DEFAULT_RESULTS_PREFIX);
        }
        if let Some(pair) = self.pair_name(config) {
            path.push(format!("-{pair}"));
        }
        Some(path.into())
    }

    /// Returns the prefix of the pairing's game file names.
    fn game_file_prefix(&self, config: &MatchConfig) -> String {
        let pair = self.pair_name(config);
        pair.map_or(GAME_FILE_PREFIX.to_owned(), |pair| {
            format!("{GAME_FILE_PREFIX}{pair}-")
        })
    }

    fn save_game(
        &self,
        folder: &Path,
        finished: &FinishedGame<'_>,
        sgf_text: &str,
    ) -> io::Result<()> {
        let name = self.game_file_prefix(finished.config);
        let file = folder.join(format!("{name}{:04}.sgf", finished.summary.game_index + 1));
        let result = file::write_atomic(&file, sgf_text);
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
        assert!(error.contains("game-AB-0002.sgf"), "{error}");
    }

    #[test]
    fn pairings_are_round_robin() {
        assert_eq!(round_robin_pairings(2), [[0, 1]]);
        assert_eq!(
            round_robin_pairings(4),
            [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]
        );
    }
}
