//! The game: the engine, who plays what, and what is shown beside the board.
//!
//! No search is waited for longer than is told; a game that has ended is judged at once. Whoever drives a game asks after
//! every line whether the program's turn has come ([`begin_if_due`](Game::begin_if_due)) and then polls until it has
//! moved.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::command::{self, Reply};
use super::files;
use super::picture::{Marks, Picture};
use super::seats::Seats;
use super::trouble::Trouble;
use crate::engine::Engine;
use crate::engine::decide::{self, Decision};
use crate::engine::genmove::Wish;
use crate::game::color::{ByColor, Color};
use crate::game::point::{Move, Point};
use crate::game::pointset::PointSet;
use crate::game::position::Position;
use crate::game::record::Record;
use crate::game::rules::{Komi, Rules};
use crate::game::score::{Score, count};
use crate::search::limits::Limits;
use crate::search::report::Report;

/// What is said where there is nothing more to do.
pub(super) const OVER: Trouble =
    Trouble::NotNow("the game is over: new begins another, undo goes back");

/// How long a hint is thought about, where the user's settings allow as much.
const HINT_TIME: Duration = Duration::from_secs(2);
/// Moves that a hint shows at most.
const HINTS: usize = 5;
/// Moves of a hint's line of play.
const HINT_LINE: usize = 4;
/// How often a search is looked at that is to end at so many visits.
const LOOK: Duration = Duration::from_millis(20);

/// A position being set up: nothing need stand as the rules have it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Draft {
    /// The stones.
    pub stones: ByColor<PointSet>,
    /// Who will move first.
    pub to_move: Color,
}

/// What the engine is at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Job {
    Move,
    Hint { until: Instant },
}

/// A game in the terminal.
pub struct Game {
    pub(super) engine: Engine,
    pub(super) seats: Seats,
    /// What the user has chosen of them.
    pub(super) chosen: Option<Seats>,
    pub(super) marks: Marks,
    pub(super) draft: Option<Draft>,
    /// The komi of even games, while that of a handicap is in force.
    pub(super) even_komi: Option<Komi>,
    job: Option<Job>,
    /// An evaluation has failed; the program waits to be spoken to.
    stalled: bool,
    /// The result of a game that two passes have ended, after how many moves and by which rules it was counted.
    counted: Option<(usize, Rules, Score)>,
    /// Where the game is kept for another day.
    kept_in: Option<PathBuf>,
    /// Whether it is there already, as it was at an earlier move.
    pub(super) is_kept: bool,
    /// Whether keeping it has failed, which is said once.
    keeping_failed: bool,
}

impl Game {
    /// The game that `engine` holds, kept in that file from move to move. Where no seats are chosen, Black is played by
    /// hand.
    #[must_use]
    pub fn new(engine: Engine, chosen: Option<Seats>, kept_in: Option<PathBuf>) -> Self {
        Self {
            engine,
            seats: chosen.unwrap_or(Seats::only(Color::Black)),
            chosen,
            marks: Marks::None,
            draft: None,
            even_komi: None,
            job: None,
            stalled: false,
            counted: None,
            kept_in,
            is_kept: false,
            keeping_failed: false,
        }
    }

    /// The player and the game so far.
    #[must_use]
    pub const fn engine(&self) -> &Engine {
        &self.engine
    }

    /// The game so far.
    #[must_use]
    pub const fn record(&self) -> &Record {
        self.engine.record()
    }

    /// Who plays by hand.
    #[must_use]
    pub const fn seats(&self) -> Seats {
        self.seats
    }

    /// Has these played by hand, in foreign games from files too.
    pub(super) const fn choose(&mut self, seats: Seats) {
        (self.seats, self.chosen) = (seats, Some(seats));
    }

    /// The position being set up, if one is.
    #[must_use]
    pub const fn draft(&self) -> Option<&Draft> {
        self.draft.as_ref()
    }

    /// What the board shows, with the cursor if there is one.
    #[must_use]
    pub fn picture(&self, cursor: Option<Point>) -> Picture<'_> {
        let position = self.engine.position();
        let last = match position.last_move(0) {
            Some((_, Move::Play(point))) => Some(point),
            _ => None,
        };
        let board = position.board();
        let now = *board.stones_by_color();
        let draft = self.draft.as_ref();
        Picture {
            size: position.size(),
            stones: draft.map_or(now, |draft| draft.stones),
            last: last.filter(|_| draft.is_none()),
            cursor,
            marks: &self.marks,
        }
    }

    /// Does what a line says: a move or a command. What the engine was thinking about is dropped first.
    ///
    /// # Errors
    /// When it cannot be done; the game is as it was then.
    pub fn say(&mut self, line: &str) -> Result<Reply, Trouble> {
        self.engine.halt();
        self.job = None;
        self.stalled = false;
        let mut reply = command::run(self, line)?;
        if let Reply::Board(said) = &mut reply {
            said.extend(self.keep());
        }
        Ok(reply)
    }

    /// Starts the program's move if it is its turn; whether the program is busy now.
    pub fn begin_if_due(&mut self) -> bool {
        let to_move = self.engine.position().to_move();
        let due = !self.record().ended() && !self.stalled && !self.seats.by_hand(to_move);
        if self.job.is_none() && self.draft.is_none() && due {
            self.begin_move();
        }
        self.job.is_some()
    }

    /// Starts a move of the program, whoever plays that colour.
    pub(super) fn begin_move(&mut self) {
        let to_move = self.engine.position().to_move();
        self.engine.begin_genmove(to_move, Wish::default());
        self.job = Some(Job::Move);
    }

    /// Starts to look for good moves.
    pub(super) fn begin_hint(&mut self) {
        let position = self.engine.position();
        let (to_move, sensible) = (position.to_move(), decide::sensible_moves(position));
        let limits = Limits {
            ownership: true,
            ..Limits::default()
        };
        self.engine.analyze(to_move, sensible, limits);
        let time = self.engine.settings().time.unwrap_or(HINT_TIME);
        self.job = Some(Job::Hint {
            until: Instant::now() + time.min(HINT_TIME),
        });
    }

    /// Ends the thinking early, with what has been found.
    pub fn hurry(&mut self) {
        self.engine.hurry();
    }

    /// What the engine is thinking about, in words; `None` when it is not.
    #[must_use]
    pub fn thinking(&self) -> Option<String> {
        let about = match self.job? {
            Job::Move => "thinking",
            Job::Hint { .. } => "looking for good moves",
        };
        Some(format!("{about}: {} visits", self.engine.report().visits))
    }

    /// Waits at most that long for what the engine is at. Once it is done, says what came of it.
    ///
    /// # Errors
    /// When a position could not be judged; nothing is played then, and nothing begun before the next line.
    pub fn poll(&mut self, time: Duration) -> Result<Option<Vec<String>>, Trouble> {
        let done = match self.job {
            None => return Ok(Some(Vec::new())),
            Some(Job::Move) => self.engine.wait_for(time),
            Some(Job::Hint { until }) => self.hint_is_done(time, until),
        };
        if !done {
            return Ok(None);
        }
        let said = match self.job.take() {
            Some(Job::Hint { .. }) => self.end_hint(),
            _ => self.end_move(),
        };
        self.stalled = said.is_err();
        said.map(Some)
    }

    fn hint_is_done(&mut self, time: Duration, until: Instant) -> bool {
        let left = until.saturating_duration_since(Instant::now());
        if self.engine.wait_for(time.min(left).min(LOOK)) || left.is_zero() {
            return true;
        }
        let enough = self.engine.settings().visits;
        enough.is_some_and(|visits| u64::from(self.engine.report().visits) >= visits)
    }

    fn end_move(&mut self) -> Result<Vec<String>, Trouble> {
        let color = self.engine.position().to_move();
        let decision = self.engine.finish_genmove()?;
        self.marks = Marks::None;
        let size = self.record().size();
        let mut said = vec![match decision {
            Decision::Play(point) => format!("{} plays {}.", title(color), size.vertex(point)),
            Decision::Pass => format!("{} passes.", title(color)),
            Decision::Resign => format!("{} resigns.", title(color)),
        }];
        said.extend(self.after_move()?);
        said.extend(self.keep());
        self.engine.ponder();
        Ok(said)
    }

    fn end_hint(&mut self) -> Result<Vec<String>, Trouble> {
        self.engine.halt();
        if let Some(failure) = self.engine.failure() {
            return Err(failure.into());
        }
        let report = self.engine.report();
        let found = report.moves.iter().take(HINTS);
        let hints = found.filter_map(|found| {
            let percent = (100.0 * found.values.winrate).round() as u32;
            Some((found.mv.point()?, percent))
        });
        self.marks = Marks::Hints(hints.collect());
        Ok(self.hint_lines(&report))
    }

    fn hint_lines(&self, report: &Report) -> Vec<String> {
        let size = self.record().size();
        let found = report.moves.iter().take(HINTS);
        let lines = found.map(|found| {
            let line: Vec<String> = (found.line.iter().take(HINT_LINE))
                .map(|&mv| size.move_text(mv))
                .collect();
            format!(
                "{:>4.1} % {:>+5.1}  {}",
                100.0 * found.values.winrate,
                found.values.score_lead,
                line.join(" ")
            )
        });
        let to_move = title(report.to_move);
        let heading = format!("{to_move}'s best moves (win, lead):");
        std::iter::once(heading).chain(lines).collect()
    }

    /// Makes a move by hand.
    pub(super) fn play(&mut self, mv: Move) -> Result<Reply, Trouble> {
        let position = self.engine.position();
        let color = position.to_move();
        if self.record().ended() {
            return Err(OVER);
        }
        if !self.seats.by_hand(color) {
            let turn =
                "it is the program's turn (Esc has it move at once, color changes who plays)";
            return Err(Trouble::NotNow(turn));
        }
        let vertex = self.record().size().move_text(mv);
        (self.engine.play(color, mv)).map_err(|reason| Trouble::Illegal { vertex, reason })?;
        self.marks = Marks::None;
        Ok(Reply::Board(self.after_move()?))
    }

    /// What there is to say when a move has ended the game.
    pub(super) fn after_move(&mut self) -> Result<Vec<String>, Trouble> {
        if self.record().resigned().is_none() && self.engine.position().ended() {
            return self.count();
        }
        let result = self
            .result()
            .map(|result| format!("The game is over: {result}."));
        Ok(result.into_iter().collect())
    }

    /// Counts a game that two passes have ended, and shows whose the points are.
    pub(super) fn count(&mut self) -> Result<Vec<String>, Trouble> {
        let dead = self.engine.status()?.dead;
        let count = count(self.engine.position(), &dead);
        self.counted = Some((
            self.record().moves().len(),
            *self.record().rules(),
            count.score,
        ));
        let size = self.record().size();
        let owner = |point| match Color::BOTH.map(|color| count.owned[color].contains(point)) {
            [true, _] => 1.0,
            [_, true] => -1.0,
            _ => 0.0,
        };
        let black = size.points().map(owner).collect();
        self.marks = Marks::Owners { black, dead };
        let taken = match dead.len() {
            0 => String::new(),
            1 => " with a dead stone taken off".to_owned(),
            many => format!(" with {many} dead stones taken off"),
        };
        Ok(vec![format!("The game is over: {}{taken}.", count.score)])
    }

    /// The result as game files write it, once the game is over.
    #[must_use]
    pub fn result(&self) -> Option<String> {
        if let Some(loser) = self.record().resigned() {
            return Some(format!("{}+R", loser.opposite().letter()));
        }
        if !self.engine.position().ended() {
            return None;
        }
        let counted = self.counted.filter(|&(moves, rules, _)| {
            (moves, rules) == (self.record().moves().len(), *self.record().rules())
        });
        let score = counted.map(|(.., score)| score);
        let score = score.or_else(|| Some(self.engine.final_count().ok()?.score))?;
        Some(score.to_string())
    }

    /// Keeps the game for another day, unless there is nothing to keep. What goes wrong is said the first time.
    pub fn keep(&mut self) -> Option<String> {
        let path = self.kept_in.as_ref()?;
        if !self.is_kept && self.record().is_empty() {
            return None;
        }
        let Err(failed) = files::keep(self, path) else {
            self.is_kept = true;
            return None;
        };
        let said = (!self.keeping_failed).then(|| format!("cannot keep the game: {failed}"));
        self.keeping_failed = true;
        said
    }
}

/// The last move in a sentence; none before the first.
pub(super) fn last_move(position: &Position) -> Option<String> {
    let (color, mv) = position.last_move(0)?;
    let color = title(color);
    Some(match mv {
        Move::Pass => format!("{color} passed."),
        mv => format!("{color} played {}.", position.size().move_text(mv)),
    })
}

/// The colour's name at the beginning of a sentence.
#[must_use]
pub const fn title(color: Color) -> &'static str {
    match color {
        Color::Black => "Black",
        Color::White => "White",
    }
}
