//! State of a terminal game: engine, players, and marks on the board.
//!
//! Searches run in the background. After executing a line, the caller must call
//! [`start_turn_if_due`](Game::start_turn_if_due), which starts a search if it is the program's turn, and then
//! [`poll`](Game::poll) until the search has ended.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::autosave::Autosave;
use super::board_view::{BoardView, Marks};
use super::error::TerminalError;
use super::files::{self, LoadedGame, SavedGame};
use super::human_colors::HumanColors;
use super::output::{CommandOutput, color_name};
use crate::engine::Engine;
use crate::engine::decision;
use crate::engine::final_status::FinalCount;
use crate::engine::genmove::GenmoveOptions;
use crate::engine::setting_change::SettingChange;
use crate::game::color::{ByColor, Color};
use crate::game::handicap;
use crate::game::point::{BoardSize, Move, Point};
use crate::game::pointset::PointSet;
use crate::game::position::NO_RESULT_REASON;
use crate::game::record::Record;
use crate::game::rules::{Komi, Rules};
use crate::game::score::Score;
use crate::io::plural::counted;
use crate::review::Review;
use crate::review::background_review::BackgroundReview;
use crate::search::limits::SearchLimits;
use crate::search::report::Report;

/// Maximum search time of a hint.
const HINT_TIME: Duration = Duration::from_secs(2);
/// Maximum number of moves in a hint.
const MAX_HINTS: usize = 5;
/// Maximum length of a hint's principal variation.
const MAX_HINT_PV: usize = 4;
/// Maximum interval between two checks of the visit limit during the search for a hint.
const HINT_POLL_INTERVAL: Duration = Duration::from_millis(20);

/// Default komi of handicap games. The half point avoids draws.
const HANDICAP_KOMI: Komi = Komi::from_half_points(1);

/// Position being set up. It may contain chains without liberties.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetupDraft {
    pub stones: ByColor<PointSet>,
    /// Colour that moves first.
    pub to_move: Color,
}

/// Purpose of the search in progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SearchPurpose {
    Move,
    Hint { deadline: Instant },
    Review,
}

/// A game between the user and the program, with the state that the interface displays.
pub struct Game {
    pub(super) engine: Engine,
    pub(super) human_colors: HumanColors,
    /// Players that the user has chosen, or `None` if the players come from a default or a file.
    pub(super) explicit_human_colors: Option<HumanColors>,
    pub(super) marks: Marks,
    pub(super) draft: Option<SetupDraft>,
    /// Komi of even games, to be restored after the current handicap game. `None` if nothing needs to be restored.
    pub(super) even_komi: Option<Komi>,
    pub(super) search_purpose: Option<SearchPurpose>,
    /// Number of moves before the position that is shown if it is not the latest one. The program then does not move.
    pub(super) shown_move_count: Option<usize>,
    /// Moves that were taken back, the earliest last.
    pub(super) undone_moves: Vec<(Color, Move)>,
    pub(super) review_in_progress: Option<BackgroundReview>,
    /// Last review of the game. Moves may have been taken back or added since.
    pub(super) review: Option<Review>,
    /// True after a failed evaluation. The program then makes no move until the user enters a line.
    is_stalled: bool,
    /// Number of moves, rules, and score of a game that ended by two passes. The score is valid only while the game has
    /// this number of moves and these rules.
    cached_score: Option<(usize, Rules, Score)>,
    /// Saves the game after every change. `None` disables autosaving.
    autosave: Option<Autosave>,
    /// File to which the user last saved the current game, and its content.
    saved_file: Option<(PathBuf, String)>,
}

impl Game {
    /// Creates a terminal game that continues the engine's current game and is saved by `autosave`. Without
    /// `explicit_human_colors`, the user plays Black.
    pub fn new(
        engine: Engine,
        explicit_human_colors: Option<HumanColors>,
        autosave: Option<Autosave>,
    ) -> Self {
        Self {
            engine,
            human_colors: explicit_human_colors.unwrap_or(HumanColors::single_human(Color::Black)),
            explicit_human_colors,
            marks: Marks::None,
            draft: None,
            even_komi: None,
            search_purpose: None,
            shown_move_count: None,
            undone_moves: Vec::new(),
            review_in_progress: None,
            review: None,
            is_stalled: false,
            cached_score: None,
            autosave,
            saved_file: None,
        }
    }

    pub const fn engine(&self) -> &Engine {
        &self.engine
    }

    pub const fn record(&self) -> &Record {
        self.engine.record()
    }

    pub const fn human_colors(&self) -> HumanColors {
        self.human_colors
    }

    /// Sets the players of this game, and of games that are loaded later from files that do not name the players.
    pub(super) const fn set_explicit_human_colors(&mut self, human_colors: HumanColors) {
        (self.human_colors, self.explicit_human_colors) = (human_colors, Some(human_colors));
    }

    /// Returns the position being set up, if any.
    pub const fn setup_draft(&self) -> Option<&SetupDraft> {
        self.draft.as_ref()
    }

    /// Returns the contents of the board to draw: the draft during setup, otherwise the position.
    pub fn board_view(&self, cursor: Option<Point>) -> BoardView<'_> {
        let position = self.shown_position();
        let last = position.past_move(0).and_then(|(_, mv)| mv.point());
        let board = position.board();
        let stones = *board.stones_by_color();
        let draft = self.draft.as_ref();
        BoardView {
            size: position.size(),
            stones: draft.map_or(stones, |draft| draft.stones),
            last_move: last.filter(|_| draft.is_none()),
            cursor,
            marks: &self.marks,
        }
    }

    /// Cancels the search in progress, if any. After a failed evaluation, also allows the program to search again.
    pub(super) fn cancel_search(&mut self) {
        self.engine.cancel_search();
        self.search_purpose = None;
        self.review_in_progress = None;
        self.is_stalled = false;
    }

    /// Starts a search if it is the program's turn. Returns true if a search is in progress.
    pub fn start_turn_if_due(&mut self) -> bool {
        let to_move = self.engine.position().to_move();
        let is_due =
            !self.record().ended() && !self.is_stalled && !self.human_colors.is_human(to_move);
        let can_start = self.search_purpose.is_none() && self.draft.is_none();
        if can_start && is_due && !self.shows_earlier_position() {
            self.start_move();
        }
        self.search_purpose.is_some()
    }

    /// Starts the search for a move of the side to move, even if a human plays that side.
    pub(super) fn start_move(&mut self) {
        let to_move = self.engine.position().to_move();
        self.engine
            .begin_genmove(to_move, GenmoveOptions::default());
        self.search_purpose = Some(SearchPurpose::Move);
    }

    /// Starts a search that suggests moves to the user.
    pub(super) fn start_hint(&mut self) {
        let position = self.engine.position();
        let (to_move, sensible) = (position.to_move(), decision::sensible_moves(position));
        let limits = SearchLimits {
            ownership: true,
            ..SearchLimits::default()
        };
        self.engine.analyze(to_move, sensible, limits);
        let time = self.engine.settings().time.unwrap_or(HINT_TIME);
        self.search_purpose = Some(SearchPurpose::Hint {
            deadline: Instant::now() + time.min(HINT_TIME),
        });
    }

    /// Ends the search in progress early. [`poll`](Self::poll) then uses the results obtained so far.
    pub fn stop_thinking(&mut self) {
        if self.search_purpose == Some(SearchPurpose::Review) {
            self.cancel_search();
        }
        self.engine.finish_search_early();
    }

    /// Returns a sentence about the setup or search in progress, the end of the game, or the side to move.
    pub fn state_text(&self) -> String {
        let position = self.shown_position();
        let to_move = color_name(position.to_move());
        let visits = || {
            let report = self.engine.search_report();
            match report.depth_stats {
                Some(stats) => stats.to_string(),
                None => counted(report.visits, "visit"),
            }
        };
        if let Some(draft) = &self.draft {
            return format!("Setting up; {} moves first.", color_name(draft.to_move));
        }
        match (self.search_purpose, self.record().resigned()) {
            (Some(SearchPurpose::Move), _) => {
                format!("{to_move} is thinking ({}).", visits())
            }
            (Some(SearchPurpose::Hint { .. }), _) => {
                format!("Searching for good moves for {to_move} ({}).", visits())
            }
            (Some(SearchPurpose::Review), _) => self.review_progress_text(),
            (None, _) if self.shows_earlier_position() => {
                let (shown, total) = (position.move_number(), self.record().moves().len());
                format!("Move {shown} of {total} is shown; {to_move} is to play.")
            }
            (None, Some(loser)) => format!("{} has resigned.", color_name(loser)),
            (None, None) if position.ended() => "The game is over.".to_owned(),
            (None, None) => format!("{to_move} to play move {}.", position.move_number() + 1),
        }
    }

    /// Waits up to `timeout` for the end of the search in progress, and returns the messages about its result. Returns
    /// `None` if the search is still running, and an empty list if no search is in progress.
    ///
    /// # Errors
    /// Returns an error if an evaluation fails. In this case, no move is played, and no search starts until the user
    /// enters a line.
    pub fn poll(&mut self, timeout: Duration) -> Result<Option<Vec<String>>, TerminalError> {
        let is_done = match self.search_purpose {
            None => return Ok(Some(Vec::new())),
            Some(SearchPurpose::Move) => self.engine.wait_for(timeout),
            Some(SearchPurpose::Hint { deadline }) => self.is_hint_done(timeout, deadline),
            Some(SearchPurpose::Review) => return self.poll_review(timeout),
        };
        if !is_done {
            return Ok(None);
        }
        let messages = match self.search_purpose.take() {
            Some(SearchPurpose::Hint { .. }) => self.finish_hint(),
            _ => self.finish_move(),
        };
        self.is_stalled = messages.is_err();
        messages.map(Some)
    }

    fn is_hint_done(&mut self, timeout: Duration, deadline: Instant) -> bool {
        let remaining = deadline.saturating_duration_since(Instant::now());
        if self
            .engine
            .wait_for(timeout.min(remaining).min(HINT_POLL_INTERVAL))
            || remaining.is_zero()
        {
            return true;
        }
        let visit_limit = self.engine.settings().visits;
        visit_limit.is_some_and(|visits| u64::from(self.engine.search_report().visits) >= visits)
    }

    fn finish_move(&mut self) -> Result<Vec<String>, TerminalError> {
        self.engine.finish_genmove()?;
        self.marks = Marks::None;
        self.undone_moves.clear();
        let size = self.record().size();
        let last_decision = self.engine.last_decision();
        let summary = last_decision.and_then(|last| depth_search_summary(&last.report, size));
        let mut messages: Vec<String> = summary.into_iter().collect();
        messages.extend(self.game_over_messages()?);
        messages.extend(self.autosave());
        self.engine.ponder();
        Ok(messages)
    }

    fn finish_hint(&mut self) -> Result<Vec<String>, TerminalError> {
        self.engine.cancel_search();
        if let Some(error) = self.engine.search_error() {
            return Err(error.into());
        }
        let report = self.engine.search_report();
        let candidates = report.moves.iter().take(MAX_HINTS);
        let hints = candidates.filter_map(|candidate| candidate.mv.point());
        self.marks = Marks::Hints(hints.collect());
        Ok(self.hint_lines(&report))
    }

    fn hint_lines(&self, report: &Report) -> Vec<String> {
        let size = self.record().size();
        let candidates = report.moves.iter().take(MAX_HINTS);
        let lines = candidates.zip(1..).map(|(candidate, rank)| {
            let pv = &candidate.pv[..candidate.pv.len().min(MAX_HINT_PV)];
            format!(
                "{rank} {:>5.1}% {:>+5.1}  {}",
                100.0 * candidate.values.winrate,
                candidate.values.score_lead,
                size.format_moves(pv)
            )
        });
        let to_move = color_name(report.to_move);
        let heading = format!("Best moves for {to_move} (win rate, lead):");
        std::iter::once(heading).chain(lines).collect()
    }

    /// Plays a move of the user.
    pub(super) fn play_human_move(&mut self, mv: Move) -> Result<CommandOutput, TerminalError> {
        let position = self.engine.position();
        let color = position.to_move();
        if self.record().ended() {
            return Err(TerminalError::GameOver);
        }
        if !self.human_colors.is_human(color) {
            return Err(TerminalError::ProgramsTurn);
        }
        let vertex = self.record().size().format_move(mv);
        (self.engine.play(color, mv))
            .map_err(|reason| TerminalError::Illegal { vertex, reason })?;
        self.marks = Marks::None;
        self.undone_moves.clear();
        Ok(CommandOutput::Board(self.game_over_messages()?))
    }

    /// Returns messages about the result, or an empty list if the game has not ended.
    pub(super) fn game_over_messages(&mut self) -> Result<Vec<String>, TerminalError> {
        let position = self.engine.position();
        match self.record().resigned() {
            None if position.has_no_result() => {
                Ok(vec![format!("Game over: no result ({NO_RESULT_REASON}).")])
            }
            None if position.ended() => self.score_final_position(),
            _ => {
                let result = self.result().map(|result| format!("Game over: {result}."));
                Ok(result.into_iter().collect())
            }
        }
    }

    /// Scores a game that ended by two passes, and marks the territory.
    pub(super) fn score_final_position(&mut self) -> Result<Vec<String>, TerminalError> {
        let FinalCount { status, count, .. } = self.engine.count_position()?;
        let dead = status.dead;
        self.cached_score = Some((
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
        let ownership = size.points().map(owner).collect();
        self.marks = Marks::Ownership {
            values: ownership,
            dead,
        };
        let dead_text = match dead.len() {
            0 => String::new(),
            n => format!(" ({} removed)", counted(n, "dead stone")),
        };
        Ok(vec![format!("Game over: {}{dead_text}.", count.score)])
    }

    /// Returns the result in SGF notation. Returns `None` if the game is not over or cannot be scored.
    pub fn result(&self) -> Option<String> {
        if let Some(loser) = self.record().resigned() {
            return Some(format!("{}+R", loser.opposite().letter()));
        }
        if self.engine.position().has_no_result() {
            return Some("Void".to_owned());
        }
        if !self.engine.position().ended() {
            return None;
        }
        let cached = self.cached_score.filter(|&(moves, rules, _)| {
            (moves, rules) == (self.record().moves().len(), *self.record().rules())
        });
        let score = cached.map(|(.., score)| score);
        let score = score.or_else(|| Some(self.engine.final_count().ok()?.score))?;
        Some(score.to_string())
    }

    /// Writes the game to an SGF file. If the file is not empty and differs from the content that this game last saved
    /// there, copies it first and returns the path of the copy.
    ///
    /// # Errors
    /// Returns an error if the file cannot be written. An existing file is then left unchanged.
    pub(super) fn save(&mut self, path: &Path) -> Result<Option<PathBuf>, TerminalError> {
        let text = self.with_saved_game(files::sgf_text);
        let saved = self.saved_file.as_ref().filter(|(saved, _)| saved == path);
        let expected = saved.map(|(_, content)| content.as_str());
        let copy = files::save_preserving(&text, path, expected)?;
        self.saved_file = Some((path.to_owned(), text));
        Ok(copy)
    }

    fn with_saved_game<T>(&self, write: impl FnOnce(&SavedGame<'_>) -> T) -> T {
        let result = self.result();
        write(&SavedGame {
            record: self.record(),
            human_colors: self.human_colors,
            level: self.engine.settings().level,
            result: result.as_deref(),
        })
    }

    /// Autosaves the game if it is not empty or has been autosaved before. Returns a message if saving fails.
    pub fn autosave(&mut self) -> Option<String> {
        let mut autosave = self.autosave.take()?;
        let is_new = autosave.file().is_none();
        let result = match is_new && self.record().has_no_moves_or_stones() {
            true => Ok(()),
            false => self.with_saved_game(|game| autosave.save(game)),
        };
        self.autosave = Some(autosave);
        let error = result.err()?;
        Some(format!(
            "cannot autosave the game: {error}; use the command save"
        ))
    }

    /// Continues to autosave the current game to `file`, from which it was loaded.
    pub fn resume_autosave(&mut self, file: PathBuf) {
        if let Some(autosave) = &mut self.autosave {
            autosave.resume_game(file);
        }
    }

    /// Continues a game that was autosaved to `file`, and returns messages about it.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read or the engine does not support the game.
    pub fn continue_autosaved_game(&mut self, file: PathBuf) -> Result<Vec<String>, TerminalError> {
        let loaded = files::load(&file, *self.record().rules())?;
        let messages = self.continue_loaded_game(loaded)?;
        self.resume_autosave(file);
        Ok(messages)
    }

    /// Returns true if the current game has been autosaved.
    pub fn is_autosaved(&self) -> bool {
        (self.autosave.as_ref()).is_some_and(|autosave| autosave.file().is_some())
    }

    /// Starts setting up a position, beginning with the current one. Does nothing if the setup is already in progress.
    pub(super) fn start_setup(&mut self) {
        self.shown_move_count = None;
        let view = self.board_view(None);
        let (stones, to_move) = (view.stones, self.engine().position().to_move());
        self.draft.get_or_insert(SetupDraft { stones, to_move });
    }

    /// Returns the position being set up, for modification.
    ///
    /// # Errors
    /// Returns an error if no position is being set up.
    pub(super) fn setup_draft_mut(&mut self) -> Result<&mut SetupDraft, TerminalError> {
        self.draft.as_mut().ok_or(TerminalError::NotSettingUp)
    }

    /// Resets the state of the previous game after the engine has started a new one.
    pub(super) fn reset_for_new_game(&mut self) {
        if let Some(autosave) = &mut self.autosave {
            autosave.start_game();
        }
        self.saved_file = None;
        self.marks = Marks::None;
        self.shown_move_count = None;
        self.undone_moves.clear();
        self.review = None;
    }

    /// Restores the komi of even games after a handicap game.
    pub(super) fn restore_even_komi(&mut self) {
        if let Some(komi) = self.even_komi.take() {
            self.engine.set_komi(komi);
        }
    }

    /// Starts a new game with `stones` handicap stones and returns a message.
    ///
    /// The komi defaults to 0.5, or to the komi of even games if `stones` is 0.
    ///
    /// # Errors
    /// Returns an error if `stones` is 1 or too large for the board. The game is then left unchanged.
    pub fn start_handicap_game(
        &mut self,
        stones: usize,
        komi: Option<Komi>,
    ) -> Result<String, TerminalError> {
        let size = self.record().size();
        let max_stones = handicap::max_fixed_stones(size).max(handicap::max_free_stones(size));
        if stones == 1 || stones > max_stones {
            let description = match max_stones {
                0 | 1 => {
                    format!("number of handicap stones (only 0 is allowed on the {size} board)")
                }
                _ => format!(
                    "number of handicap stones (0, or 2 to {max_stones} on the {size} board)"
                ),
            };
            return Err(TerminalError::argument(description, &stones.to_string()));
        }
        self.engine.clear_board();
        self.reset_for_new_game();
        self.restore_even_komi();
        if stones > 0 {
            if komi.is_none() {
                self.even_komi = Some(self.record().rules().komi);
            }
            let fixed = handicap::fixed_placement(size, stones);
            let points = fixed.unwrap_or_else(|| handicap::free_placement(size, stones));
            self.engine.set_komi(komi.unwrap_or(HANDICAP_KOMI));
            self.engine.place_handicap(&points)?;
        }
        let komi = self.record().rules().komi;
        Ok(match stones {
            0 => format!("New game without handicap, komi {komi}."),
            _ => format!("New game with {stones} handicap stones and komi {komi}."),
        })
    }

    /// Replaces the current game with a loaded one and returns messages about it.
    ///
    /// If another program wrote the file and the user has not chosen a side, the user plays the side to move.
    ///
    /// # Errors
    /// Returns an error if the engine does not support the game, or if a finished game cannot be scored.
    pub fn continue_loaded_game(
        &mut self,
        loaded: LoadedGame,
    ) -> Result<Vec<String>, TerminalError> {
        let to_move = loaded.record.position().to_move();
        let (current_rules, loaded_rules) = (*self.record().rules(), *loaded.record.rules());
        // The komi of even games changes only if the file has different rules.
        let even_komi = match loaded_rules.with_komi(current_rules.komi) == current_rules {
            true => self.even_komi.unwrap_or(current_rules.komi),
            false => loaded_rules.default_komi(),
        };
        self.engine.set_record(loaded.record)?;
        self.reset_for_new_game();
        if let Some(level) = loaded.level {
            self.engine.change_setting(SettingChange::Level(level))?;
        }
        self.human_colors = (loaded.human_colors.or(self.explicit_human_colors))
            .unwrap_or(HumanColors::single_human(to_move));
        self.even_komi = (self.record().position().handicap() > 0).then_some(even_komi);
        let moves = self.record().moves().len();
        let moves = counted(moves, "move");
        let mut messages = vec![format!("Loaded a game of {moves}.")];
        messages.extend(loaded.warning);
        messages.extend(loaded.illegal_moves);
        messages.extend(loaded.truncation);
        messages.extend(self.game_over_messages()?);
        Ok(messages)
    }
}

/// Returns the results of a search to a fixed depth: statistics, lead and principal variation. Returns `None` for other
/// searches.
fn depth_search_summary(report: &Report, size: BoardSize) -> Option<String> {
    let (stats, best) = (report.depth_stats?, report.moves.first()?);
    let (lead, pv) = (best.values.score_lead, size.format_moves(&best.pv));
    Some(format!("Search: {stats}, lead {lead:+.1}, line {pv}"))
}
