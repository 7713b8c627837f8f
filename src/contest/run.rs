//! A whole match: the schedule, several games at once, counting, and stopping when the test is decided.
//!
//! Each thread keeps a lineup of its own, with its own programs. Colours alternate; games `2k` and `2k + 1` share an
//! opening.

use std::collections::HashSet;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::thread::{self, Builder};

use parking_lot::Mutex;

use super::elo::Sample;
use super::entry::Entry;
use super::game::Played;
use super::lineup::Lineup;
use super::opponent::{Opponent, OpponentError};
use super::player::{Identity, Terms};
use super::sprt::{Sprt, State};
use super::tally::{Side, Tally};
use crate::game::color::Color;
use crate::game::record::Record;

/// What a match is to be.
#[derive(Clone, Debug)]
pub struct Contest {
    /// The conditions of every game.
    pub terms: Terms,
    /// Each is played twice, and they come again when all were played. Empty: from the empty board.
    pub openings: Vec<Record>,
    /// Games at most.
    pub games: usize,
    /// Games at once, at least 1.
    pub concurrency: usize,
    /// Whether [`Seat::Referee`] is to be called in and decides.
    pub referee: bool,
    /// Without a referee: whose count holds when the players differ.
    pub trusted: Option<Side>,
    /// The test that may end the match early.
    pub sprt: Option<Sprt>,
    /// The letters that stand for A and B in what people read: others than these in a tournament.
    pub letters: [char; 2],
    /// What A and B are called beside their names, such as their command lines.
    pub labels: [String; 2],
}

/// A place in the lineup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seat {
    /// A player's.
    Player(Side),
    /// The referee's.
    Referee,
}

/// Starts a program for a seat; called from several threads.
pub type LaunchSeat<'a> = dyn Fn(Seat) -> Result<Box<dyn Opponent>, OpponentError> + Sync + 'a;

/// Sees a game as it ends.
pub type OnGame<'a> = dyn FnMut(&Finished<'_>) -> io::Result<()> + 'a;

/// A game that has just ended.
pub struct Finished<'a> {
    /// Its number, from 0.
    pub game: usize,
    /// A's colour.
    pub a_color: Color,
    /// The game.
    pub played: &'a Played,
    /// What is kept of it.
    pub entry: &'a Entry,
    /// The match so far, this game included.
    pub tally: &'a Tally,
    /// What was to be played.
    pub contest: &'a Contest,
    identities: &'a [Identity; 2],
}

impl Finished<'_> {
    /// Name and version of the player of that colour; its side too, when both would read the same.
    #[must_use]
    pub fn name(&self, color: Color) -> String {
        let side = Side::of(color, self.a_color);
        let [a, b] = self.identities;
        let identity = &self.identities[side as usize];
        if a == b {
            format!("{identity} ({})", self.contest.letters[side as usize])
        } else {
            identity.to_string()
        }
    }

    /// The side of that colour and its label.
    #[must_use]
    pub fn label(&self, color: Color) -> String {
        let side = Side::of(color, self.a_color) as usize;
        format!(
            "{}, {}",
            self.contest.letters[side], self.contest.labels[side]
        )
    }
}

/// A match that was played.
#[derive(Clone, Debug)]
pub struct Summary {
    /// The counts.
    pub tally: Tally,
    /// Who A and B said they are.
    pub identities: [Identity; 2],
}

/// A match whose players have come to the board.
pub struct Begun {
    first: Lineup,
    identities: [Identity; 2],
}

impl Begun {
    /// Who A and B say they are.
    #[must_use]
    pub const fn identities(&self) -> &[Identity; 2] {
        &self.identities
    }
}

/// Why a match cannot go on. Faults within a game are results, not errors.
#[derive(Debug, thiserror::Error)]
pub enum ContestError {
    /// A player cannot even begin.
    #[error("{letter}: {cause}")]
    Player {
        /// Which.
        letter: char,
        /// Why.
        cause: OpponentError,
    },
    /// There is no referee.
    #[error("referee: {0}")]
    Referee(OpponentError),
    /// The system gives no thread for a game beside others.
    #[error("cannot start a thread for each game that is to be played at once: {0}")]
    Thread(io::Error),
    /// A finished game could not be handed on.
    #[error("game {}: {cause}", game + 1)]
    HandedOn {
        /// Its number, from 0.
        game: usize,
        /// Why.
        cause: io::Error,
    },
}

impl Contest {
    /// Plays the whole match. `on_game` sees every game as it ends, from this thread.
    ///
    /// # Errors
    /// When a program or a thread cannot begin, the referee cannot be replaced, or `on_game` fails.
    pub fn run(
        &self,
        launch: &LaunchSeat<'_>,
        on_game: &mut OnGame<'_>,
    ) -> Result<Summary, ContestError> {
        let begun = self.begin(launch)?;
        let (summary, ended) = self.go_on(begun, &[], launch, on_game, &AtomicBool::new(false));
        ended.map(|()| summary)
    }

    /// Brings the players to the board once, so that a mistaken command line ends the match before its first game.
    ///
    /// # Errors
    /// When one of them, or the referee, cannot begin.
    pub fn begin(&self, launch: &LaunchSeat<'_>) -> Result<Begun, ContestError> {
        let mut first = Lineup::default();
        let identities = first.rehearse(self, launch)?;
        Ok(Begun { first, identities })
    }

    /// Plays the games of the match that are not among those kept from before, which count like the others, until
    /// somebody sets `interrupted`. Tells what was played, also if it ends in an error.
    ///
    /// # Errors
    /// When the referee cannot be replaced, or `on_game` fails.
    pub fn go_on(
        &self,
        begun: Begun,
        kept: &[Entry],
        launch: &LaunchSeat<'_>,
        on_game: &mut OnGame<'_>,
        interrupted: &AtomicBool,
    ) -> (Summary, Result<(), ContestError>) {
        let Begun { first, identities } = begun;
        let mut tally = Tally::default();
        kept.iter().for_each(|entry| tally.add(entry));
        let done: HashSet<usize> = kept.iter().map(|entry| entry.game).collect();
        let left = Mutex::new((0..self.games).filter(|game| !done.contains(game)));
        let over = AtomicBool::new(self.is_decided(&tally));
        let stop = || over.load(Ordering::Relaxed) || interrupted.load(Ordering::Relaxed);
        let ended = thread::scope(|scope| {
            let (sender, receiver) = channel();
            let mut ended = Ok(());
            let mut lineups = vec![first];
            lineups.resize_with(self.concurrency.max(1), Lineup::default);
            for mut lineup in lineups {
                let (sender, left, stop) = (sender.clone(), &left, &stop);
                let next = move || left.lock().next();
                let work = move || self.work(&mut lineup, launch, next, stop, &sender);
                if let Err(error) = Builder::new().spawn_scoped(scope, work) {
                    over.store(true, Ordering::Relaxed);
                    ended = Err(ContestError::Thread(error));
                }
            }
            drop(sender);
            for message in receiver {
                if over.load(Ordering::Relaxed) {
                    // What was still being played does not count.
                    continue;
                }
                ended = message
                    .map_err(ContestError::Referee)
                    .and_then(|(game, played)| {
                        self.count(game, &played, &mut tally, &identities, on_game)
                    });
                over.store(ended.is_err() || self.is_decided(&tally), Ordering::Relaxed);
            }
            ended
        });
        (Summary { tally, identities }, ended)
    }

    /// Adds a game that was played to the tally, and hands it on.
    fn count(
        &self,
        game: usize,
        played: &Played,
        tally: &mut Tally,
        identities: &[Identity; 2],
        on_game: &mut OnGame<'_>,
    ) -> Result<(), ContestError> {
        let entry = Entry::new(game, a_color(game), played);
        tally.add(&entry);
        let finished = Finished {
            game,
            a_color: entry.a_color,
            played,
            entry: &entry,
            tally,
            contest: self,
            identities,
        };
        on_game(&finished).map_err(|cause| ContestError::HandedOn { game, cause })
    }

    fn is_decided(&self, tally: &Tally) -> bool {
        self.state(tally).is_some_and(|s| s != State::Undecided)
    }

    /// What the estimates rest on: pairs where openings make pairs of games alike, else single games.
    #[must_use]
    pub fn sample(&self, tally: &Tally) -> Sample {
        if self.openings.is_empty() {
            tally.game_sample()
        } else {
            tally.pair_sample()
        }
    }

    /// Where the test stands, if there is one.
    #[must_use]
    pub fn state(&self, tally: &Tally) -> Option<State> {
        self.sprt.map(|sprt| sprt.state(&self.sample(tally)))
    }

    fn work(
        &self,
        lineup: &mut Lineup,
        launch: &LaunchSeat<'_>,
        mut next: impl FnMut() -> Option<usize>,
        stop: &dyn Fn() -> bool,
        sender: &Sender<Result<(usize, Played), OpponentError>>,
    ) {
        while !stop() {
            let Some(game) = next() else {
                return;
            };
            let played = lineup.play(self, launch, game, stop);
            let may_be_interrupted =
                (played.as_ref()).map_or(true, |played| played.outcome.may_be_interrupted());
            if stop() && may_be_interrupted {
                return;
            }
            // The receiver outlives all senders.
            let _ = sender.send(played.map(|played| (game, played)));
        }
    }

    /// What the game of that number begins with.
    #[must_use]
    pub fn opening(&self, game: usize) -> Record {
        match self.openings.len() {
            0 => Record::new(self.terms.size, self.terms.rules),
            count => self.openings[game / 2 % count].clone(),
        }
    }
}

/// A's colour in the game of that number.
#[must_use]
pub const fn a_color(game: usize) -> Color {
    if game.is_multiple_of(2) {
        Color::Black
    } else {
        Color::White
    }
}
