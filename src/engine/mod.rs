//! One player: the game so far, the clocks, the search, and the decisions between them.
//!
//! Every front end drives an [`Engine`]. It knows no protocol; what it finds it gives out as plain values.

pub mod counting;
mod critical;
pub mod dead;
pub mod decide;
mod effort;
mod ending;
mod games;
pub mod genmove;
pub mod level;
mod lost;
pub mod ownership;
pub mod settings;
pub mod status;
pub mod tune;

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::clock::settings::TimeSettings;
use crate::clock::state::Clock;
use crate::eval::{EvalError, Evaluation, Evaluator, Request, evaluate_one};
use crate::game::color::{ByColor, Color};
use crate::game::point::{BoardSize, Move};
use crate::game::position::{Illegal, Position};
use crate::game::record::Record;
use crate::game::rules::{Komi, Rules};
use crate::game::symmetry::Symmetry;
use crate::search::limits::Limits;
use crate::search::params::{Algorithm, SearchParams};
use crate::search::report::Report;
use crate::search::restriction::Restriction;
use crate::search::{Search, ThreadError};
use decide::Decision;
use genmove::{Seen, Thinking};
use lost::LostTurns;
use settings::Settings;

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
    settings: Settings,
    record: Record,
    clock: Clock,
    search: Search,
    base: Arc<dyn Evaluator>,
    raw: Arc<dyn Evaluator>,
    thinking: Option<Thinking>,
    course: Course,
    lost_turns: LostTurns,
    /// What was allowed at the root of the last search.
    restriction: Restriction,
    /// The noise at that root.
    noise: f32,
    /// Whether the search was started to think in the opponent's time.
    ponders: bool,
    /// Games that the engine made a move in since the seed was set, without the one under way.
    games: u64,
    /// Whether it made one in this game.
    has_moved: bool,
}

/// What the engine remembers of the game under way.
#[derive(Default)]
struct Course {
    seen: Option<Seen>,
    /// Whether there is nothing to think about until the engine's next move.
    rests: bool,
    /// The result, from -1 to 1, that a side's last search expected for it.
    expected: ByColor<Option<f64>>,
    /// The moves before the one that last was among many points still open: no question of the game's end is likely two
    /// moves later.
    amid_play: Option<usize>,
    /// How long a search in the opponent's time took to end when it was ended last. That was by the opponent's move, so
    /// that the clock counts it as the engine's time.
    halted: Duration,
}

impl Engine {
    /// A player before the first move of an empty board of `size`.
    ///
    /// # Errors
    /// When the system gives no threads.
    pub fn new(
        settings: Settings,
        evaluators: Evaluators,
        size: BoardSize,
        rules: Rules,
    ) -> Result<Self, ThreadError> {
        let record = Record::new(size, rules);
        let setup = settings.search_setup();
        let params = SearchParams {
            centers_lead: true,
            ..settings.params.clone()
        };
        let search = Search::new(evaluators.search, record.position().clone(), params, setup)?;
        Ok(Self {
            clock: Clock::new(TimeSettings::Unlimited, settings.lag),
            settings,
            record,
            search,
            base: evaluators.base,
            raw: evaluators.raw,
            thinking: None,
            course: Course::default(),
            lost_turns: LostTurns::default(),
            restriction: Restriction::none(),
            noise: 0.0,
            ponders: false,
            games: 0,
            has_moved: false,
        })
    }

    /// The settings.
    #[must_use]
    pub const fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The game so far.
    #[must_use]
    pub const fn record(&self) -> &Record {
        &self.record
    }

    /// The position now.
    #[must_use]
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
        let is_kept = if self.search.root() == position {
            self.restriction == *restriction && self.noise == noise
        } else {
            // Below the root of before all moves were followed, but for constraints.
            restriction.is_none() && self.restriction.below().is_empty()
        };
        if !is_kept {
            self.search.clear();
        }
        self.restriction.clone_from(restriction);
        self.noise = noise;
        self.search.set_root(position);
    }

    /// Sets the rules, komi included.
    pub fn set_rules(&mut self, rules: Rules) {
        self.halt();
        self.record.set_rules(rules);
    }

    /// Sets the komi.
    pub fn set_komi(&mut self, komi: Komi) {
        self.halt();
        self.record.set_komi(komi);
    }

    /// Makes a move for `color`, its turn or not.
    ///
    /// # Errors
    /// When it is not legal; nothing has changed then.
    pub fn play(&mut self, color: Color, mv: Move) -> Result<(), Illegal> {
        self.halt();
        self.record.play(color, mv)?;
        // A resignation that was decided is taken back by it.
        self.forget_what_is_undone();
        Ok(())
    }

    /// `color` gives up; nothing is charged to a clock.
    pub fn resign(&mut self, color: Color) {
        self.halt();
        self.record.resign(color);
    }

    /// Takes a resignation back, and leaves the moves; false where there is none.
    pub fn take_back_resignation(&mut self) -> bool {
        self.halt();
        let was_taken = self.record.take_back_resignation();
        if was_taken {
            self.lost_turns = LostTurns::default();
        }
        self.forget_what_is_undone();
        was_taken
    }

    /// Takes the last move back; false at the start.
    pub fn undo(&mut self) -> bool {
        self.halt();
        self.lost_turns = LostTurns::default();
        let Course { seen, rests, .. } = std::mem::take(&mut self.course);
        (self.course.seen, self.course.rests) = (seen, rests);
        let was_taken = self.record.undo().is_some();
        self.forget_what_is_undone();
        was_taken
    }

    /// Drops what the engine's last decision rests on unless the game still has what was decided.
    fn forget_what_is_undone(&mut self) {
        let record = &self.record;
        self.course.seen = (self.course.seen.take()).filter(|seen| match seen.decision {
            Decision::Resign => record.resigned() == Some(seen.color),
            Decision::Play(_) | Decision::Pass => seen.moves_before < record.moves().len(),
        });
    }

    /// Starts a search of the position, as `color`, that goes on until [`halt`](Self::halt). Asked again for the same
    /// position it keeps its tree. `limits` say what is to be counted, and may end it before.
    pub fn analyze(&mut self, color: Color, restriction: Restriction, limits: Limits) {
        self.halt();
        let play = self.search.params.wide_root_noise;
        self.search.params.wide_root_noise = self.settings.analysis_noise.unwrap_or(play);
        self.set_search_root(&self.position_for(color), &restriction);
        self.search.start(limits, restriction);
        self.search.params.wide_root_noise = play;
    }

    /// Starts a search of the position that ends at these limits.
    pub fn begin(&mut self, limits: Limits) {
        self.halt();
        self.set_search_root(&self.record.position().clone(), &Restriction::none());
        self.search.start(limits, Restriction::none());
    }

    /// All legal moves with their priors, the highest first; none before the position was searched.
    #[must_use]
    pub fn proposals(&self) -> Vec<(Move, f32)> {
        let tree = self.search.tree();
        let edges = tree.edges(tree.root()).iter();
        edges.map(|edge| (edge.mv(), edge.prior())).collect()
    }

    /// Ends any search; nothing is played. What that takes of the engine's time is remembered for its next move.
    pub fn halt(&mut self) {
        let told = Instant::now();
        self.search.stop();
        if std::mem::take(&mut self.ponders) {
            self.course.halted = told.elapsed();
        }
        self.thinking = None;
    }

    /// Thinks in the opponent's time, if that is wanted, a tree can keep what comes of it and the last move is the
    /// engine's own; the next [`halt`](Self::halt) ends it and the tree stays. To be called once the move is told, since
    /// to keep what is known of a large tree takes time too, and again after whatever else the client asks meanwhile.
    pub fn ponder(&mut self) {
        let Settings {
            ponder,
            level,
            params,
            ..
        } = &self.settings;
        let moves = self.record.moves().len();
        let has_moved = self
            .course
            .seen
            .as_ref()
            .is_some_and(|seen| seen.decision.mv().is_some() && seen.moves_before + 1 == moves);
        let is_kept = params.algorithm == Algorithm::Tree && level.is_full();
        if *ponder && is_kept && !self.course.rests && has_moved && !self.record.ended() {
            self.set_search_root(&self.record.position().clone(), &Restriction::none());
            self.search.start(Limits::default(), Restriction::none());
            self.ponders = true;
        }
    }

    /// Ends any search, and thinks of nothing unasked until the engine's next move.
    pub fn rest(&mut self) {
        self.halt();
        self.course.rests = true;
    }

    /// Ends the search early; a move begun is decided from what has been found.
    pub fn hurry(&mut self) {
        self.search.stop();
    }

    /// Waits at most that long for the search to end by itself; true when it has.
    pub fn wait_for(&mut self, time: Duration) -> bool {
        self.search.wait_for(time)
    }

    /// How many own turns in a row `color` has had a position that is lost, its last turn included.
    #[must_use]
    pub fn lost_turns(&self, color: Color) -> u32 {
        self.lost_turns.of(&self.record, color)
    }

    /// Says what [`lost_turns`](Self::lost_turns) was in a game that was begun elsewhere and has been taken up.
    pub fn recall_lost_turns(&mut self, color: Color, turns: u32) {
        self.lost_turns.set(&self.record, color, turns);
    }

    /// What the last move that the engine made in this game was decided from; nothing once that is taken back.
    #[must_use]
    pub const fn seen(&self) -> Option<&Seen> {
        self.course.seen.as_ref()
    }

    /// What the search has found so far.
    #[must_use]
    pub fn report(&self) -> Report {
        self.search.report()
    }

    /// The failure that ended the last search, if one did.
    #[must_use]
    pub fn failure(&self) -> Option<EvalError> {
        self.search.failure()
    }

    /// Forgets what was searched and evaluated.
    pub fn clear_cache(&mut self) {
        self.halt();
        self.search.clear();
        self.search.evaluator().forget();
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

    /// The position with `color` to move.
    fn position_for(&self, color: Color) -> Position {
        let mut position = self.record.position().clone();
        position.set_to_move(color);
        position
    }
}
