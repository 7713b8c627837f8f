//! A Go player: the game record, the clocks, the search, and the decisions that combine them.
//!
//! Every front end drives an [`Engine`]. The engine does not depend on any protocol and returns plain values.
//!
//! - [`genmove`]: starts a search for a move, chooses the move and plays it. [`level`]: weaker playing strengths.
//! - `endgame`, [`decision`], [`resign`]: when to pass, which dead stones to capture, when to resign.
//! - [`ownership`], [`dead_stones`], `life_proof`, [`final_status`]: expected owners of the points, dead stones, proofs
//!   that override them, and the final count.
//! - [`life_guess`]: moves for life-and-death problems without a proof.
//! - [`settings`], [`setting_change`], `setup`: configuration, its changes at run time, and new games.

mod budgeted_reader;
pub mod dead_stones;
pub mod decision;
mod enclosure;
mod endgame;
pub mod final_status;
pub mod genmove;
mod genmove_request;
pub mod identity;
pub mod level;
pub mod life_guess;
mod life_proof;
mod move_budget;
mod necessary_move;
mod open_borders;
pub mod ownership;
pub mod resign;
pub mod setting_change;
pub mod settings;
mod setup;
mod urgent_move;

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::clock::game_clock::GameClock;
use crate::clock::time_control::TimeControl;
use crate::eval::{EvalError, Evaluation, Evaluator, Request, evaluate_one};
use crate::game::color::{ByColor, Color};
use crate::game::point::{BoardSize, Move};
use crate::game::position::{MoveError, Position};
use crate::game::record::Record;
use crate::game::rules::{Komi, Rules};
use crate::game::score::CountResult;
use crate::game::symmetry::Symmetry;
use crate::search::limits::SearchLimits;
use crate::search::params::{Algorithm, SearchParams};
use crate::search::report::Report;
use crate::search::restriction::Restriction;
use crate::search::{Search, ThreadPoolError};
use decision::Decision;
use final_status::{FinalCount, FinalStatus};
use genmove_request::{LastDecision, PendingMove};
use ownership::Ownership;
use resign::LostTurnCounter;
use settings::EngineSettings;

/// Evaluators used by an engine.
#[derive(Clone)]
pub struct Evaluators {
    /// Evaluator for searches. It may cache evaluations and choose the symmetry of each evaluation itself.
    pub search: Arc<dyn Evaluator>,
    /// Evaluator without a cache that evaluates under the symmetry given in the request. Used for ownership and
    /// scoring.
    pub base: Arc<dyn Evaluator>,
    /// Evaluator that provides the raw network output. It may take a long time to start.
    pub raw: Arc<dyn Evaluator>,
}

impl Evaluators {
    /// Creates the evaluators of an engine that uses `base` for the raw network output as well.
    pub fn new(search: Arc<dyn Evaluator>, base: Arc<dyn Evaluator>) -> Self {
        Self {
            search,
            raw: Arc::clone(&base),
            base,
        }
    }
}

/// A Go player and its current game.
pub struct Engine {
    settings: EngineSettings,
    record: Record,
    clock: GameClock,
    search: Search,
    base: Arc<dyn Evaluator>,
    raw: Arc<dyn Evaluator>,
    pending_move: Option<PendingMove>,
    unrecorded_state: UnrecordedState,
    lost_turn_counter: LostTurnCounter,
    /// Restriction requested for the last search.
    search_restriction: Restriction,
    /// Wide root noise used by the last search.
    search_noise: f32,
    /// True if a search was started by [`ponder`](Engine::ponder) and has not been stopped.
    is_pondering: bool,
    /// Number of games since the seed was set in which the engine has played a move, excluding the current game.
    games_played: u64,
    /// True if the engine has played a move in the current game.
    has_moved: bool,
}

/// State of the current game that is not part of its record.
#[derive(Default)]
struct UnrecordedState {
    last_decision: Option<LastDecision>,
    /// Prevents pondering until the engine has played its next move.
    pondering_paused: bool,
    /// Result that each side's last search expected, from -1 (loss) to 1 (win for that side).
    expected_values: ByColor<Option<f64>>,
    /// Number of moves in the game before the last turn on which the engine played on an unsettled point while many
    /// unsettled points remained. The game is unlikely to end on the engine's following turn, so no time is reserved
    /// for endgame queries on that turn.
    last_unsettled_turn: Option<usize>,
    /// Time that the last ponder search took to stop. The search is stopped when the opponent moves, so this time runs
    /// on the engine's clock.
    ponder_stop_time: Duration,
}

impl Engine {
    /// Creates an engine with an empty board of `size`.
    ///
    /// # Errors
    /// Returns an error if the search threads cannot be started.
    pub fn new(
        settings: EngineSettings,
        evaluators: Evaluators,
        size: BoardSize,
        rules: Rules,
    ) -> Result<Self, ThreadPoolError> {
        let record = Record::new(size, rules);
        let setup = settings.search_config(&*evaluators.search);
        let params = SearchParams {
            centers_lead: true,
            ..settings.params.clone()
        };
        let search = Search::new(evaluators.search, record.position().clone(), params, setup)?;
        Ok(Self {
            clock: GameClock::new(TimeControl::UNLIMITED, settings.lag),
            settings,
            record,
            search,
            base: evaluators.base,
            raw: evaluators.raw,
            pending_move: None,
            unrecorded_state: UnrecordedState::default(),
            lost_turn_counter: LostTurnCounter::default(),
            search_restriction: Restriction::none(),
            search_noise: 0.0,
            is_pondering: false,
            games_played: 0,
            has_moved: false,
        })
    }

    pub const fn settings(&self) -> &EngineSettings {
        &self.settings
    }

    pub const fn record(&self) -> &Record {
        &self.record
    }

    /// Returns the evaluator of the searches.
    pub fn search_evaluator(&self) -> &Arc<dyn Evaluator> {
        self.search.evaluator()
    }

    pub fn position(&self) -> &Position {
        self.record.position()
    }

    /// Returns the clocks of both players, so that the caller can set the time control and the remaining times.
    pub const fn clock_mut(&mut self) -> &mut GameClock {
        &mut self.clock
    }

    /// Makes `position` the root of the search. Discards the tree if it was searched under a different restriction or
    /// noise, because visits would be distributed differently.
    fn set_search_root(&mut self, position: &Position, restriction: &Restriction) {
        let noise = self.search.params.wide_root_noise;
        let reuses_tree = if self.search.root() == position {
            self.search_restriction == *restriction && self.search_noise == noise
        } else {
            // The new root lies below the old one, where only the constraints restrict the moves.
            restriction.is_unrestricted()
                && self.search_restriction.constraints_below_root().is_empty()
        };
        if !reuses_tree {
            self.search.clear_tree_and_table();
        }
        self.search_restriction.clone_from(restriction);
        self.search_noise = noise;
        self.search.set_root(position);
    }

    /// Sets the rules, including komi.
    pub fn set_rules(&mut self, rules: Rules) {
        self.cancel_search();
        self.record.set_rules(rules);
    }

    pub fn set_komi(&mut self, komi: Komi) {
        self.cancel_search();
        self.record.set_komi(komi);
    }

    /// Plays a move for `color`, regardless of the side to move.
    ///
    /// # Errors
    /// Returns an error and leaves the game unchanged if the move is illegal.
    pub fn play(&mut self, color: Color, mv: Move) -> Result<(), MoveError> {
        self.cancel_search();
        self.record.play(color, mv)?;
        // Playing a move after a resignation takes the resignation back.
        self.discard_undone_decision();
        Ok(())
    }

    /// Records that `color` resigns. No time is deducted from that player's clock.
    pub fn resign(&mut self, color: Color) {
        self.cancel_search();
        self.record.resign(color);
    }

    /// Takes back a resignation without undoing any move. Returns false if no player has resigned.
    pub fn undo_resignation(&mut self) -> bool {
        self.cancel_search();
        let was_resigned = self.record.undo_resignation();
        if was_resigned {
            self.lost_turn_counter = LostTurnCounter::default();
        }
        self.discard_undone_decision();
        was_resigned
    }

    /// Undoes the last move, together with a resignation that followed it. Returns false if there is no move to undo.
    pub fn undo(&mut self) -> bool {
        self.cancel_search();
        self.lost_turn_counter = LostTurnCounter::default();
        let UnrecordedState {
            last_decision,
            pondering_paused: pondering_disabled,
            ..
        } = std::mem::take(&mut self.unrecorded_state);
        self.unrecorded_state = UnrecordedState {
            last_decision,
            pondering_paused: pondering_disabled,
            ..UnrecordedState::default()
        };
        let was_undone = self.record.undo().is_some();
        self.discard_undone_decision();
        was_undone
    }

    /// Discards the engine's last decision if it has been undone.
    fn discard_undone_decision(&mut self) {
        let record = &self.record;
        self.unrecorded_state.last_decision = (self.unrecorded_state.last_decision.take()).filter(
            |last_decision| match last_decision.decision {
                Decision::Resign => record.resigned() == Some(last_decision.color),
                Decision::Play(_) | Decision::Pass => {
                    last_decision.moves_before < record.moves().len()
                }
            },
        );
    }

    /// Starts an analysis of the current position with `color` to move. The search runs until it reaches one of its
    /// `limits` or is stopped by [`cancel_search`](Self::cancel_search). Reuses the tree of an earlier search of the same
    /// position. `limits` also selects the statistics to collect.
    pub fn analyze(&mut self, color: Color, restriction: Restriction, limits: SearchLimits) {
        self.cancel_search();
        let play_noise = self.search.params.wide_root_noise;
        self.search.params.wide_root_noise = self.settings.analysis_noise.unwrap_or(play_noise);
        self.set_search_root(&self.position_for(color), &restriction);
        self.search.start(limits, restriction);
        self.search.params.wide_root_noise = play_noise;
    }

    /// Starts a search of the current position and returns immediately. The search runs until it reaches one of its
    /// `limits` or is stopped.
    pub fn start_search(&mut self, limits: SearchLimits) {
        self.cancel_search();
        self.set_search_root(&self.record.position().clone(), &Restriction::none());
        self.search.start(limits, Restriction::none());
    }

    /// Returns the legal moves at the root and their priors, highest prior first. The result is empty before the root
    /// has been searched.
    pub fn root_priors(&self) -> Vec<(Move, f32)> {
        let tree = self.search.tree();
        let edges = tree.edges(tree.root()).iter();
        edges.map(|edge| (edge.mv(), edge.prior())).collect()
    }

    /// Stops any search and discards the pending move, if any. If the engine was pondering, records the time that
    /// stopping took. This time is charged to the engine's next move.
    pub fn cancel_search(&mut self) {
        let started = Instant::now();
        self.search.stop();
        if std::mem::take(&mut self.is_pondering) {
            self.unrecorded_state.ponder_stop_time = started.elapsed();
        }
        self.pending_move = None;
    }

    /// Starts pondering. Does nothing unless pondering is enabled, the search tree can be reused, the engine made the
    /// last move, and the game is still in progress. The next call to [`cancel_search`](Self::cancel_search) ends the
    /// search but preserves the tree.
    ///
    /// Front ends call this function after they have reported the engine's move, because reusing a large tree takes
    /// time. They call it again after every other command during the opponent's turn.
    pub fn ponder(&mut self) {
        let EngineSettings {
            ponder,
            level,
            params,
            ..
        } = &self.settings;
        let moves = self.record.moves().len();
        let moved_last =
            self.unrecorded_state
                .last_decision
                .as_ref()
                .is_some_and(|last_decision| {
                    last_decision.decision.mv().is_some() && last_decision.moves_before + 1 == moves
                });
        let keeps_tree = params.algorithm == Algorithm::Mcts && level.is_full();
        if *ponder
            && keeps_tree
            && !self.unrecorded_state.pondering_paused
            && moved_last
            && !self.record.ended()
        {
            self.set_search_root(&self.record.position().clone(), &Restriction::none());
            self.search
                .start(SearchLimits::default(), Restriction::none());
            self.is_pondering = true;
        }
    }

    /// Stops any search and disables pondering until the engine has played its next move.
    pub fn pause_pondering(&mut self) {
        self.cancel_search();
        self.unrecorded_state.pondering_paused = true;
    }

    /// Ends the search early. A pending move is not discarded: [`finish_genmove`](Self::finish_genmove) chooses it from
    /// the results obtained so far.
    pub fn finish_search_early(&mut self) {
        self.search.stop();
    }

    /// Returns the evaluator without a cache, which evaluates under the symmetry given in the request.
    pub const fn base_evaluator(&self) -> &Arc<dyn Evaluator> {
        &self.base
    }

    /// Sets the number of threads that work on tree searches, including a running one. The engine's other threads wait.
    pub fn set_active_threads(&self, count: usize) {
        self.search.set_active_threads(count);
    }

    /// Waits at most `timeout` for the search to end. Returns true if no search is running any longer.
    pub fn wait_for(&mut self, timeout: Duration) -> bool {
        self.search.wait_for(timeout)
    }

    /// Returns the engine's last decision in this game and the results of its search, or `None` if the engine has not
    /// chosen a move or that move was undone.
    pub const fn last_decision(&self) -> Option<&LastDecision> {
        self.unrecorded_state.last_decision.as_ref()
    }

    /// Returns a snapshot of the results of the current or last search.
    pub fn search_report(&self) -> Report {
        self.search.report()
    }

    /// Returns the error that ended the last search, if any.
    pub fn search_error(&self) -> Option<EvalError> {
        self.search.error()
    }

    /// Stops any search, and clears the search tree and the evaluation cache.
    pub fn clear_cache(&mut self) {
        self.cancel_search();
        self.search.clear_tree_and_table();
        self.search.evaluator().reset();
    }

    /// Evaluates the current position with `color` to move under `symmetry`, and returns the raw network output from
    /// `color`'s perspective.
    ///
    /// # Errors
    /// Returns the evaluator's error if an evaluation fails.
    pub fn evaluate_raw(&self, color: Color, symmetry: Symmetry) -> Result<Evaluation, EvalError> {
        let position = self.position_for(color);
        let request = Request {
            symmetry,
            ownership: true,
            ..Request::new(&position)
        };
        evaluate_one(&*self.raw, request)
    }

    /// Returns the standard deviation of the final score that the search's evaluator predicts for the current position
    /// with `color` to move. Returns `None` if it does not predict it or if the search uses no evaluator.
    ///
    /// # Errors
    /// Returns the evaluator's error if an evaluation fails.
    pub fn predicted_score_deviation(&self, color: Color) -> Result<Option<f64>, EvalError> {
        if self.settings.params.algorithm != Algorithm::Mcts {
            return Ok(None);
        }
        let position = self.position_for(color);
        let evaluation = evaluate_one(&**self.search.evaluator(), Request::new(&position))?;
        let details = evaluation.details;
        Ok(details.map(|details| f64::from(details.score_deviation())))
    }

    /// Returns the expected owner of every point in the current position.
    ///
    /// # Errors
    /// Returns the evaluator's error if an evaluation fails.
    pub fn ownership(&self) -> Result<Ownership, EvalError> {
        Ownership::estimate_with_common_seed(&*self.base, self.position())
    }

    /// Returns the status that every point would have if the game were counted now.
    ///
    /// # Errors
    /// Returns the evaluator's error if an evaluation fails.
    pub fn final_status(&self) -> Result<FinalStatus, EvalError> {
        Ok(self.count_position()?.status)
    }

    /// Counts the current position with its dead stones removed.
    ///
    /// # Errors
    /// Returns the evaluator's error if an evaluation fails.
    pub fn final_count(&self) -> Result<CountResult, EvalError> {
        Ok(self.count_position()?.count)
    }

    /// Returns the status of all points and the count of the current position.
    ///
    /// # Errors
    /// Returns the evaluator's error if an evaluation fails.
    pub fn count_position(&self) -> Result<FinalCount, EvalError> {
        FinalCount::evaluate(&*self.base, self.position())
    }

    /// Returns the current position with `color` to move.
    fn position_for(&self, color: Color) -> Position {
        let mut position = self.record.position().clone();
        position.set_to_move(color);
        position
    }
}
