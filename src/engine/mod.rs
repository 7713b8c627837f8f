//! One player: the game so far, the clocks, the search, and the decisions between them.
//!
//! Every front end drives an [`Engine`]. It knows no protocol; what it finds it gives out as plain values.

pub mod dead;
pub mod decision;
mod endgame;
pub mod genmove;
pub mod level;
mod move_budget;
pub mod ownership;
mod pending_move;
pub mod resign;
pub mod score;
pub mod setting_change;
pub mod settings;
mod setup;
mod urgent;

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::clock::game_clock::Clock;
use crate::clock::time_control::TimeControl;
use crate::eval::{EvalError, Evaluation, Evaluator, Request, evaluate_one};
use crate::game::color::{ByColor, Color};
use crate::game::point::{BoardSize, Move};
use crate::game::pointset::PointSet;
use crate::game::position::{MoveError, Position};
use crate::game::record::Record;
use crate::game::rules::{Komi, Rules};
use crate::game::score::{CountResult, count};
use crate::game::symmetry::Symmetry;
use crate::search::limits::SearchLimits;
use crate::search::params::{Algorithm, SearchParams};
use crate::search::report::Report;
use crate::search::restriction::Restriction;
use crate::search::{Search, ThreadPoolError};
use decision::Decision;
use ownership::{COMMON_SEED, Ownership};
use pending_move::{LastMove, PendingMove};
use resign::ResignCounter;
use score::{FinalStatus, final_dead_stones};
use settings::EngineSettings;

/// The evaluators a player needs.
#[derive(Clone)]
pub struct Evaluators {
    /// What the search asks, with its cache and symmetries.
    pub search: Arc<dyn Evaluator>,
    /// The bare judge behind it, which honours the symmetry that a request names: what counts positions.
    pub base: Arc<dyn Evaluator>,
    /// Who answers for what the network says as it is; may take its time to begin.
    pub raw: Arc<dyn Evaluator>,
}

/// A player and the game it plays.
pub struct Engine {
    settings: EngineSettings,
    record: Record,
    clock: Clock,
    search: Search,
    base: Arc<dyn Evaluator>,
    raw: Arc<dyn Evaluator>,
    pending_move: Option<PendingMove>,
    game_state: GameState,
    resign_counter: ResignCounter,
    /// What was allowed at the root of the last search.
    search_restriction: Restriction,
    /// The noise at that root.
    search_noise: f32,
    /// Whether the search was started to think in the opponent's time.
    is_pondering: bool,
    /// Games that the engine made a move in since the seed was set, without the one under way.
    games_played: u64,
    /// Whether it made one in this game.
    has_moved: bool,
}

/// What the engine remembers of the game under way.
#[derive(Default)]
struct GameState {
    last_move: Option<LastMove>,
    /// Whether there is nothing to think about until the engine's next move.
    pondering_disabled: bool,
    /// The result, from -1 to 1, that a side's last search expected for it.
    expected_values: ByColor<Option<f64>>,
    /// The moves before the one that last was among many points still open: no question of the game's end is likely two
    /// moves later.
    last_unsettled_turn: Option<usize>,
    /// How long a search in the opponent's time took to end when it was ended last. That was by the opponent's move, so
    /// that the clock counts it as the engine's time.
    ponder_stop_time: Duration,
}

impl Engine {
    /// A player before the first move of an empty board of `size`.
    ///
    /// # Errors
    /// When the system gives no threads.
    pub fn new(
        settings: EngineSettings,
        evaluators: Evaluators,
        size: BoardSize,
        rules: Rules,
    ) -> Result<Self, ThreadPoolError> {
        let record = Record::new(size, rules);
        let setup = settings.search_config();
        let params = SearchParams {
            centers_lead: true,
            ..settings.params.clone()
        };
        let search = Search::new(evaluators.search, record.position().clone(), params, setup)?;
        Ok(Self {
            clock: Clock::new(TimeControl::Unlimited, settings.lag),
            settings,
            record,
            search,
            base: evaluators.base,
            raw: evaluators.raw,
            pending_move: None,
            game_state: GameState::default(),
            resign_counter: ResignCounter::default(),
            search_restriction: Restriction::none(),
            search_noise: 0.0,
            is_pondering: false,
            games_played: 0,
            has_moved: false,
        })
    }

    /// The settings.
    pub const fn settings(&self) -> &EngineSettings {
        &self.settings
    }

    /// The game so far.
    pub const fn record(&self) -> &Record {
        &self.record
    }

    /// The position now.
    pub fn position(&self) -> &Position {
        self.record.position()
    }

    /// The clocks, to be set and told the time left.
    pub const fn clock_mut(&mut self) -> &mut Clock {
        &mut self.clock
    }

    /// Makes `position` the root. What was found there under another restriction or with other noise is forgotten: it
    /// would tell of other moves.
    fn set_search_root(&mut self, position: &Position, restriction: &Restriction) {
        let noise = self.search.params.wide_root_noise;
        let reuses_tree = if self.search.root() == position {
            self.search_restriction == *restriction && self.search_noise == noise
        } else {
            // Below the root of before all moves were followed, but for constraints.
            restriction.is_unrestricted() && self.search_restriction.constraints().is_empty()
        };
        if !reuses_tree {
            self.search.clear();
        }
        self.search_restriction.clone_from(restriction);
        self.search_noise = noise;
        self.search.set_root(position);
    }

    /// Sets the rules, komi included.
    pub fn set_rules(&mut self, rules: Rules) {
        self.stop_search();
        self.record.set_rules(rules);
    }

    /// Sets the komi.
    pub fn set_komi(&mut self, komi: Komi) {
        self.stop_search();
        self.record.set_komi(komi);
    }

    /// Makes a move for `color`, its turn or not.
    ///
    /// # Errors
    /// When it is not legal; nothing has changed then.
    pub fn play(&mut self, color: Color, mv: Move) -> Result<(), MoveError> {
        self.stop_search();
        self.record.play(color, mv)?;
        // A resignation that was decided is taken back by it.
        self.discard_undone_decision();
        Ok(())
    }

    /// `color` gives up; nothing is charged to a clock.
    pub fn resign(&mut self, color: Color) {
        self.stop_search();
        self.record.resign(color);
    }

    /// Takes a resignation back, and leaves the moves; false where there is none.
    pub fn take_back_resignation(&mut self) -> bool {
        self.stop_search();
        let was_resigned = self.record.undo_resignation();
        if was_resigned {
            self.resign_counter = ResignCounter::default();
        }
        self.discard_undone_decision();
        was_resigned
    }

    /// Takes the last move back; false at the start.
    pub fn undo(&mut self) -> bool {
        self.stop_search();
        self.resign_counter = ResignCounter::default();
        let GameState {
            last_move,
            pondering_disabled,
            ..
        } = std::mem::take(&mut self.game_state);
        (
            self.game_state.last_move,
            self.game_state.pondering_disabled,
        ) = (last_move, pondering_disabled);
        let was_undone = self.record.undo().is_some();
        self.discard_undone_decision();
        was_undone
    }

    /// Drops what the engine's last decision rests on unless the game still has what was decided.
    fn discard_undone_decision(&mut self) {
        let record = &self.record;
        self.game_state.last_move =
            (self.game_state.last_move.take()).filter(|last_move| match last_move.decision {
                Decision::Resign => record.resigned() == Some(last_move.color),
                Decision::Play(_) | Decision::Pass => last_move.moves_before < record.moves().len(),
            });
    }

    /// Starts a search of the position, as `color`, that goes on until [`stop_search`](Self::stop_search). Asked again for the same
    /// position it keeps its tree. `limits` say what is to be counted, and may end it before.
    pub fn analyze(&mut self, color: Color, restriction: Restriction, limits: SearchLimits) {
        self.stop_search();
        let play_noise = self.search.params.wide_root_noise;
        self.search.params.wide_root_noise = self.settings.analysis_noise.unwrap_or(play_noise);
        self.set_search_root(&self.position_for(color), &restriction);
        self.search.start(limits, restriction);
        self.search.params.wide_root_noise = play_noise;
    }

    /// Starts a search of the position that ends at these limits.
    pub fn start_search(&mut self, limits: SearchLimits) {
        self.stop_search();
        self.set_search_root(&self.record.position().clone(), &Restriction::none());
        self.search.start(limits, Restriction::none());
    }

    /// All legal moves with their priors, the highest first; none before the position was searched.
    pub fn root_priors(&self) -> Vec<(Move, f32)> {
        let tree = self.search.tree();
        let edges = tree.edges(tree.root()).iter();
        edges.map(|edge| (edge.mv(), edge.prior())).collect()
    }

    /// Ends any search; nothing is played. What that takes of the engine's time is remembered for its next move.
    pub fn stop_search(&mut self) {
        let started = Instant::now();
        self.search.stop();
        if std::mem::take(&mut self.is_pondering) {
            self.game_state.ponder_stop_time = started.elapsed();
        }
        self.pending_move = None;
    }

    /// Thinks in the opponent's time, if that is wanted, a tree can keep what comes of it and the last move is the
    /// engine's own; the next [`stop_search`](Self::stop_search) ends it and the tree stays. To be called once the move is told, since
    /// to keep what is known of a large tree takes time too, and again after whatever else the client asks meanwhile.
    pub fn ponder(&mut self) {
        let EngineSettings {
            ponder,
            level,
            params,
            ..
        } = &self.settings;
        let moves = self.record.moves().len();
        let moved_last = self.game_state.last_move.as_ref().is_some_and(|last_move| {
            last_move.decision.mv().is_some() && last_move.moves_before + 1 == moves
        });
        let keeps_tree = params.algorithm == Algorithm::Tree && level.is_full();
        if *ponder
            && keeps_tree
            && !self.game_state.pondering_disabled
            && moved_last
            && !self.record.ended()
        {
            self.set_search_root(&self.record.position().clone(), &Restriction::none());
            self.search
                .start(SearchLimits::default(), Restriction::none());
            self.is_pondering = true;
        }
    }

    /// Ends any search, and thinks of nothing unasked until the engine's next move.
    pub fn disable_pondering(&mut self) {
        self.stop_search();
        self.game_state.pondering_disabled = true;
    }

    /// Ends the search early; a move begun is decided from what has been found.
    pub fn finish_early(&mut self) {
        self.search.stop();
    }

    /// Waits at most that long for the search to end by itself; true when it has.
    pub fn wait_for(&mut self, timeout: Duration) -> bool {
        self.search.wait_for(timeout)
    }

    /// How many own turns in a row `color` has had a position that is lost, its last turn included.
    pub fn lost_turns(&self, color: Color) -> u32 {
        self.resign_counter.get(&self.record, color)
    }

    /// Says what [`resign_counter`](Self::resign_counter) was in a game that was begun elsewhere and has been taken up.
    pub fn set_lost_turns(&mut self, color: Color, turns: u32) {
        self.resign_counter.set(&self.record, color, turns);
    }

    /// What the last move that the engine made in this game was decided from; nothing once that is taken back.
    pub const fn last_move(&self) -> Option<&LastMove> {
        self.game_state.last_move.as_ref()
    }

    /// What the search has found so far.
    pub fn report(&self) -> Report {
        self.search.report()
    }

    /// The failure that ended the last search, if one did.
    pub fn error(&self) -> Option<EvalError> {
        self.search.error()
    }

    /// Forgets what was searched and evaluated.
    pub fn clear_cache(&mut self) {
        self.stop_search();
        self.search.clear();
        self.search.evaluator().reset();
    }

    /// What the raw network says of the position, with `color` to move and from its side, through a symmetry.
    ///
    /// # Errors
    /// When it fails.
    pub fn evaluate(&self, color: Color, symmetry: Symmetry) -> Result<Evaluation, EvalError> {
        let position = self.position_for(color);
        let request = Request {
            symmetry,
            ownership: true,
            ..Request::new(&position)
        };
        evaluate_one(&*self.raw, request)
    }

    /// Returns the expected owner of every point in the current position.
    ///
    /// # Errors
    /// Returns the evaluator's error.
    pub fn ownership(&self) -> Result<Ownership, EvalError> {
        Ownership::common(&*self.base, self.position())
    }

    /// Returns the status of every point if the game is counted now.
    ///
    /// # Errors
    /// Returns the evaluator's error.
    pub fn final_status(&self) -> Result<FinalStatus, EvalError> {
        Ok(FinalStatus::new(self.position(), self.dead_stones()?))
    }

    /// Counts the current position with its dead stones removed.
    ///
    /// # Errors
    /// Returns the evaluator's error.
    pub fn final_count(&self) -> Result<CountResult, EvalError> {
        Ok(count(self.position(), &self.dead_stones()?))
    }

    fn dead_stones(&self) -> Result<PointSet, EvalError> {
        final_dead_stones(&*self.base, self.position(), COMMON_SEED)
    }

    /// The position with `color` to move.
    fn position_for(&self, color: Color) -> Position {
        let mut position = self.record.position().clone();
        position.set_to_move(color);
        position
    }
}
