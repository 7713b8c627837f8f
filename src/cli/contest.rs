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
use honinbo::contest::opponent::{Opponent, OpponentError};
use honinbo::contest::player::Identity;
use honinbo::contest::program::Program;
use honinbo::contest::record;
use honinbo::contest::report::Report;
use honinbo::contest::results::Results;
use honinbo::contest::run::{Contest, Finished, Seat, Summary};
use honinbo::contest::standings::Standings;
use honinbo::contest::tally::Side;
use honinbo::file;

use super::outputs;
use super::signals::stopped_by_signals;
use command_line::{CommandLine, command_line};
pub use options::Args;
use progress::Progress;

/// Programs of a tournament at most: each has a letter.
const MOST_PROGRAMS: usize = 26;
/// What the names of games' files begin with.
const GAME_FILE: &str = "game-";
/// What the files of results are called in a folder that is given instead of a prefix.
const NAME_IN_FOLDER: &str = "match";

/// Plays the match or the tournament and prints the table.
pub fn run(args: &Args) -> anyhow::Result<()> {
    let entrants = entrants(args)?;
    let referee = args.referee.as_deref().map(command_line).transpose()?;
    let template = options::contest(args)?;
    make_folders(args)?;
    let pairings = pairings(entrants.len());
    let matches = Matches {
        args,
        referee,
        alone: pairings.len() == 1,
        progress: if args.quiet {
            Progress::Quiet
        } else {
            Progress::new(args.games, pairings.len())
        },
        interrupted: stopped_by_signals()?,
    };
    if !matches.alone {
        matches.rehearse(&template, &entrants, &pairings)?;
    }
    let named = |entrant: &Entrant| (entrant.letter, entrant.label.clone());
    let mut standings = Standings::new(entrants.iter().map(named).collect());
    for (played, pairing) in pairings.into_iter().enumerate() {
        let sides = pairing.map(|place| &entrants[place]);
        let contest = paired(&template, sides);
        let (summary, mut ended) = match matches.play(&contest, sides) {
            Ok(played) => played,
            Err(error) => {
                matches.progress.finish();
                if played > 0 {
                    super::print(standings.to_string())?;
                }
                return Err(error);
            }
        };
        if matches.interrupted.load(Ordering::Relaxed) {
            ended = Err(anyhow!("interrupted"));
        }
        if matches.alone {
            matches.progress.finish();
            super::print(report(&contest, &summary))?;
            return ended;
        }
        let sample = contest.sample(&summary.tally);
        standings.add(pairing, &summary, sample);
        if ended.is_err() {
            matches.progress.finish();
            super::print(standings.to_string())?;
            return ended;
        }
    }
    matches.progress.finish();
    super::print(standings.to_string())
}

fn report(contest: &Contest, summary: &Summary) -> String {
    Report { contest, summary }.to_string()
}

/// Makes the folders that games and results go to; a prefix that ends in a separator is one.
fn make_folders(args: &Args) -> anyhow::Result<()> {
    if let Some(folder) = &args.sgf {
        outputs::make_folder("--sgf", folder)?;
    }
    match &args.results {
        Some(folder) if outputs::ends_in_separator(folder) => {
            outputs::make_folder("--results", folder)
        }
        Some(prefix) => outputs::make_folder_of("--results", prefix),
        None => Ok(()),
    }
}

/// A match that begins anew would write over the games of another and leave the rest of them among its own.
fn expect_no_games(folder: &Path, named: &str) -> anyhow::Result<()> {
    let place = || format!("--sgf {}", folder.display());
    for entry in fs::read_dir(folder).with_context(place)? {
        let name = entry.with_context(place)?.file_name();
        let name = name.to_string_lossy();
        ensure!(
            !(name.starts_with(named) && name.ends_with(".sgf")),
            "{}: expected no games of another match, found {name}",
            place()
        );
    }
    Ok(())
}

/// The error with the option and the path that it is about, which the system does not tell.
fn about(option: &str, path: &Path, error: &io::Error) -> io::Error {
    let text = format!("{option} {}: {error}", path.display());
    io::Error::new(error.kind(), text)
}

/// A program that takes part.
struct Entrant {
    letter: char,
    /// What it was named by.
    label: String,
    line: CommandLine,
}

fn entrants(args: &Args) -> anyhow::Result<Vec<Entrant>> {
    let labels: Vec<&String> = [&args.a, &args.b].into_iter().chain(&args.others).collect();
    let count = labels.len();
    ensure!(
        count <= MOST_PROGRAMS,
        "expected at most {MOST_PROGRAMS} programs, found {count}"
    );
    let entrants = ('A'..='Z').zip(labels).map(|(letter, label)| {
        Ok(Entrant {
            letter,
            label: label.clone(),
            line: command_line(label)?,
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

fn paired(template: &Contest, sides: [&Entrant; 2]) -> Contest {
    let own = |side: &Side| sides[*side as usize].line.own;
    Contest {
        trusted: Side::BOTH.into_iter().find(own),
        letters: sides.map(|entrant| entrant.letter),
        labels: sides.map(|entrant| entrant.label.clone()),
        ..template.clone()
    }
}

/// What all pairings share.
struct Matches<'a> {
    args: &'a Args,
    referee: Option<CommandLine>,
    /// Whether there is one pairing.
    alone: bool,
    progress: Progress,
    /// Set by an interrupt: what was played is told, and no more games are.
    interrupted: Arc<AtomicBool>,
}

impl Matches<'_> {
    /// How the programs of a pairing are started.
    fn launch(
        &self,
        sides: [&Entrant; 2],
    ) -> impl Fn(Seat) -> Result<Box<dyn Opponent>, OpponentError> {
        move |seat| {
            let line = match (seat, &self.referee) {
                (Seat::Player(side), _) => &sides[side as usize].line,
                (Seat::Referee, Some(referee)) => referee,
                (Seat::Referee, None) => {
                    return Err(OpponentError::NotStarted {
                        command_line: String::new(),
                        reason: "no referee was named".to_owned(),
                    });
                }
            };
            Program::start(&line.words, &self.interrupted)
                .map(|program| Box::new(program) as Box<dyn Opponent>)
        }
    }

    /// Whether all programs can be called and all files written: hours may pass before the last of them is.
    fn rehearse(
        &self,
        template: &Contest,
        entrants: &[Entrant],
        pairings: &[[usize; 2]],
    ) -> anyhow::Result<()> {
        let mut identities: Vec<Identity> = Vec::new();
        for other in &entrants[1..] {
            let sides = [&entrants[0], other];
            let begun = paired(template, sides).begin(&self.launch(sides))?;
            let known = identities.len().min(1);
            identities.extend_from_slice(&begun.identities()[known..]);
        }
        for places in pairings {
            let contest = paired(template, places.map(|place| &entrants[place]));
            self.results(&contest, &places.map(|place| identities[place].clone()))?;
        }
        Ok(())
    }

    /// The results that the games of a match are added to, if these are kept.
    fn results(
        &self,
        contest: &Contest,
        identities: &[Identity; 2],
    ) -> anyhow::Result<Option<Results>> {
        let results = match self.prefix(contest) {
            Some(prefix) => {
                let referee = self.args.referee.as_deref();
                let results = Results::open(&prefix, contest, identities, referee);
                Some(results.context("--results")?)
            }
            None => None,
        };
        let is_begun = (results.as_ref()).is_some_and(|results| !results.entries().is_empty());
        if let Some(folder) = self.args.sgf.as_ref().filter(|_| !is_begun) {
            expect_no_games(folder, &self.game_file(contest))?;
        }
        Ok(results)
    }

    /// What was played, and whether it came to its end; an error if the match cannot begin.
    fn play(
        &self,
        contest: &Contest,
        sides: [&Entrant; 2],
    ) -> anyhow::Result<(Summary, anyhow::Result<()>)> {
        let launch = self.launch(sides);
        let begun = contest.begin(&launch)?;
        let mut results = self.results(contest, begun.identities())?;
        let prefix = self.prefix(contest);
        let kept = results.as_ref().map(Results::entries).unwrap_or_default();
        self.progress.begin(contest, kept.len());
        let mut on_game = |finished: &Finished<'_>| {
            self.progress.show(finished);
            if let Some(folder) = &self.args.sgf {
                self.save(folder, finished)?;
            }
            match (&mut results, &prefix) {
                (Some(results), Some(prefix)) => {
                    (results.add(finished)).map_err(|error| about("--results", prefix, &error))
                }
                _ => Ok(()),
            }
        };
        let (summary, ended) =
            contest.go_on(begun, &kept, &launch, &mut on_game, &self.interrupted);
        Ok((summary, ended.map_err(Into::into)))
    }

    /// The letters of a pairing among others.
    fn pair_name(&self, contest: &Contest) -> Option<String> {
        (!self.alone).then(|| contest.letters.iter().collect())
    }

    /// What the names of the files of results begin with, if these are kept.
    fn prefix(&self, contest: &Contest) -> Option<PathBuf> {
        let results = self.args.results.as_ref()?;
        let mut path = OsString::from(results);
        if outputs::ends_in_separator(results) {
            path.push(NAME_IN_FOLDER);
        }
        if let Some(pair) = self.pair_name(contest) {
            path.push(format!("-{pair}"));
        }
        Some(path.into())
    }

    /// What the names of the games' files begin with.
    fn game_file(&self, contest: &Contest) -> String {
        let pair = self.pair_name(contest);
        pair.map_or(GAME_FILE.to_owned(), |pair| format!("{GAME_FILE}{pair}-"))
    }

    fn save(&self, folder: &Path, finished: &Finished<'_>) -> io::Result<()> {
        let contest = finished.contest;
        let name = self.game_file(contest);
        let file = folder.join(format!("{name}{:04}.sgf", finished.game + 1));
        let written = file::put(&file, record::sgf(finished, &contest.terms));
        written.map_err(|error| about("--sgf", &file, &error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_with_games_is_another_matchs() {
        let folder = tempfile::tempdir().unwrap();
        for other in ["games.sgf", "game-AB-0001.txt", "game-AC-0001.sgf"] {
            fs::write(folder.path().join(other), "").unwrap();
        }
        expect_no_games(folder.path(), "game-AB-").unwrap();
        fs::write(folder.path().join("game-AB-0002.sgf"), "").unwrap();
        let error = expect_no_games(folder.path(), "game-AB-");
        let error = error.unwrap_err().to_string();
        assert!(error.contains("found game-AB-0002.sgf"), "{error}");
    }

    #[test]
    fn everybody_meets_everybody_once() {
        assert_eq!(pairings(2), [[0, 1]]);
        assert_eq!(
            pairings(4),
            [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]
        );
    }
}
