//! One move of the engine's: how long, which, and what it does to the game.

use std::time::{Duration, Instant};

use super::Engine;
use super::decision::{self, Decision};
use super::endgame::{self, Endgame};
use super::move_budget::MoveBudget;
use crate::eval::EvalError;
use crate::game::color::Color;
use crate::game::point::Move;
use crate::game::position::Position;
use crate::random::Rng;
use crate::search::limits::SearchLimits;
use crate::search::report::Report;
use crate::search::restriction::Restriction;
use crate::search::root;

/// What is asked of a move.
#[derive(Clone, Debug)]
pub struct GenmoveOptions {
    /// Moves that may be played.
    pub restriction: Restriction,
    /// Whether the owners of the points are wanted in reports.
    pub ownership: bool,
    /// Whether they, and the chances of a game without result, are wanted for each move too.
    pub per_move_stats: bool,
    /// Whether the players could not agree what is dead: dead stones of the opponent are captured then, nobody resigns,
    /// and a pass says that all stones left live.
    pub cleanup: bool,
    /// Whether the move is made on the board and charged to the clock; else it is only advice, and never to resign.
    pub play: bool,
}

impl Default for GenmoveOptions {
    fn default() -> Self {
        Self {
            restriction: Restriction::none(),
            ownership: false,
            per_move_stats: false,
            cleanup: false,
            play: true,
        }
    }
}

/// A move being thought about.
#[derive(Clone, Debug)]
pub(super) struct PendingMove {
    color: Color,
    pub(super) options: GenmoveOptions,
    restriction: Restriction,
    pub(super) started: Instant,
    /// Visits that the tree had before.
    pub(super) initial_visits: u32,
    pub(super) budget: MoveBudget,
    /// The share of the effort for questions after the search.
    query_share: f64,
}

impl PendingMove {
    /// How much later than planned it is after a search that ended then.
    fn lateness(&self, search_end: Instant) -> Duration {
        let Some(deadline) = self.budget.deadline(self.started) else {
            return Duration::ZERO;
        };
        let query_time = search_end.elapsed();
        let planned = (self.budget.target_time().unwrap_or_default()).mul_f64(self.query_share);
        deadline.elapsed().max(query_time.saturating_sub(planned))
    }
}

/// What a move was decided from.
#[derive(Clone, Debug)]
pub struct LastMove {
    /// Who made it.
    pub color: Color,
    /// How many moves the game had before it.
    pub(super) moves_before: usize,
    /// What was decided.
    pub decision: Decision,
    /// What the search had found.
    pub report: Report,
}

impl Engine {
    /// Thinks about a move of `color` and decides it.
    ///
    /// # Errors
    /// When an evaluation fails; nothing is played then.
    pub fn genmove(
        &mut self,
        color: Color,
        options: GenmoveOptions,
    ) -> Result<Decision, EvalError> {
        self.begin_genmove(color, options);
        self.finish_genmove()
    }

    /// Starts to think about a move of `color`. [`report`](Self::report) and [`wait_for`](Self::wait_for) follow it.
    pub fn begin_genmove(&mut self, color: Color, options: GenmoveOptions) {
        let (mut started, ponder_stop_time) = (Instant::now(), self.game_state.ponder_stop_time);
        self.stop_search();
        // What that took is not charged to advice, but to the next move that is played.
        if options.play {
            // What was before is charged by an earlier start, what was now by being after it.
            started = started.checked_sub(ponder_stop_time).unwrap_or(started);
            self.game_state.ponder_stop_time = Duration::ZERO;
        }
        let position = self.position_for(color);
        if !self.settings.level.is_full() {
            // What others or a stronger level have read is no thought of this one.
            self.search.clear();
        }
        self.set_search_root(&position, &options.restriction);
        let is_unrestricted = options.restriction.is_unrestricted();
        let restriction = if is_unrestricted {
            decision::sensible_moves(&position)
        } else {
            options.restriction.clone()
        };
        let may_pass = decision::may_pass(&position);
        let budget = self.move_budget(color);
        let expects_queries = is_unrestricted && self.expects_endgame(&position);
        let query_share = if expects_queries {
            2.0 * endgame::QUERY_SHARE
        } else {
            0.0
        };
        let limits = SearchLimits {
            ownership: options.ownership || may_pass,
            per_move_stats: options.per_move_stats,
            ..budget.limits(1.0 - query_share, started.elapsed())
        };
        let initial_visits = self.search.tree().root().visits();
        self.search.start(limits, restriction.clone());
        self.pending_move = Some(PendingMove {
            color,
            options,
            restriction,
            started,
            initial_visits,
            budget,
            query_share,
        });
    }

    /// Whether the questions of a game's end are likely to be put.
    fn expects_endgame(&self, position: &Position) -> bool {
        let next_turn = self.game_state.last_unsettled_turn.map(|moves| moves + 2);
        let is_unsettled =
            next_turn == Some(self.record.moves().len()) && !position.last_move_was_pass();
        decision::is_late_game(position) && !is_unsettled
    }

    /// Waits for the move begun, decides it, and plays it if that was wished. Without one begun it passes.
    ///
    /// # Errors
    /// When an evaluation failed; nothing is played then.
    pub fn finish_genmove(&mut self) -> Result<Decision, EvalError> {
        let result = self.search.wait();
        let search_end = Instant::now();
        let Some(pending) = self.pending_move.take() else {
            return Ok(Decision::Pass);
        };
        result?;
        let report = self.search.report();
        let decision = self.decide(&pending)?;
        if pending.options.play {
            self.game_state.last_move = Some(LastMove {
                color: pending.color,
                moves_before: self.record.moves().len(),
                decision,
                report,
            });
            self.play_decision(pending.color, decision);
            self.game_state.pondering_disabled = false;
            self.clock
                .record_lateness(pending.lateness(search_end).as_secs_f64());
            self.clock
                .charge(pending.color, pending.started.elapsed().as_secs_f64());
        }
        Ok(decision)
    }

    fn decide(&mut self, pending: &PendingMove) -> Result<Decision, EvalError> {
        let position = self.search.root().clone();
        let candidates = self.search.candidates(&pending.restriction);
        let mut rng = Rng::stream(self.settings.seed, u64::from(position.move_number()));
        let Some(best) = root::sample_move(&self.search.params, &candidates, &mut rng)
            .map(|candidate| candidate.mv)
        else {
            // Nothing may be played.
            return Ok(Decision::Pass);
        };
        let chosen = self.choose_by_level(best, pending);
        let winrate = self.search.report().values.winrate;
        let GenmoveOptions { play, cleanup, .. } = pending.options;
        if play {
            self.game_state.expected_values[pending.color] = Some(2.0 * winrate - 1.0);
            self.has_moved = true;
        }
        if play && !cleanup && self.should_resign(pending.color, winrate) {
            return Ok(Decision::Resign);
        }
        if !pending.options.restriction.is_unrestricted() {
            return Ok(chosen.into());
        }
        let mut ending = Endgame::new(self, pending);
        let mv = if cleanup {
            ending.choose_cleanup_move(&position, chosen)?
        } else {
            ending.choose_move(&position, chosen, &pending.restriction)?
        };
        Ok(mv.into())
    }

    /// What the level makes of the search's choice; another in each game.
    fn choose_by_level(&self, best: Move, pending: &PendingMove) -> Move {
        let seed = self.settings.seed.wrapping_add(self.games_played << 32);
        let mut rng = Rng::stream(seed, u64::from(self.position().move_number()));
        let tree = self.search.tree();
        let choice = (best, &pending.restriction);
        (self.settings.level).choose(tree, pending.color, choice, &mut rng)
    }

    fn should_resign(&mut self, color: Color, winrate: f64) -> bool {
        let is_lost =
            100.0 * winrate < (self.settings.resign).unwrap_or(self.settings.level.resign);
        let lost_turns = self.resign_counter.update(&self.record, color, is_lost);
        decision::should_resign(self.position(), color, lost_turns)
    }

    fn play_decision(&mut self, color: Color, decision: Decision) {
        let Some(mv) = decision.mv() else {
            return self.record.resign(color);
        };
        // The search played from this very position, with `color` to move.
        self.record.play_unchecked(color, mv);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::clock::time_control::TimeControl;
    use crate::engine::Evaluators;
    use crate::engine::settings::EngineSettings;
    use crate::eval::Evaluator;
    use crate::eval::uniform::Uniform;
    use crate::game::point::BoardSize;
    use crate::game::rules::Rules;
    use crate::search::params::{Algorithm, SearchParams};

    /// A player that has made a move and thinks in the opponent's time.
    fn pondering_engine() -> Engine {
        pondering_engine_with(SearchParams::default())
    }

    fn pondering_engine_with(params: SearchParams) -> Engine {
        let evaluator: Arc<dyn Evaluator> = Arc::new(Uniform);
        let evaluators = Evaluators {
            search: Arc::clone(&evaluator),
            base: Arc::clone(&evaluator),
            raw: evaluator,
        };
        let settings = EngineSettings {
            visits: Some(10),
            tree_mib: 64,
            ponder: true,
            params,
            ..EngineSettings::default()
        };
        let size = BoardSize::new(5, 5).unwrap();
        let mut engine = Engine::new(settings, evaluators, size, Rules::default()).unwrap();
        engine
            .genmove(Color::Black, GenmoveOptions::default())
            .unwrap();
        engine.ponder();
        engine
    }

    #[test]
    fn ponder_stop_time_is_charged_to_next_move() {
        let mut engine = pondering_engine();
        // A client's line ends it before the line is read.
        engine.stop_search();
        let ponder_stop_time = engine.game_state.ponder_stop_time;
        assert!(ponder_stop_time > Duration::ZERO);
        engine.play(Color::White, Move::Pass).unwrap();
        // Nobody's time is used up by a search that was asked for.
        engine.start_search(SearchLimits::default());
        engine.stop_search();
        assert_eq!(engine.game_state.ponder_stop_time, ponder_stop_time);
        engine
            .clock_mut()
            .set_time_control(TimeControl::Absolute { main: 1_000.0 });
        engine.game_state.ponder_stop_time = Duration::from_secs(10);
        engine
            .genmove(Color::Black, GenmoveOptions::default())
            .unwrap();
        assert_eq!(engine.game_state.ponder_stop_time, Duration::ZERO);
        assert!(engine.clock_mut().until_flag(Color::Black).unwrap() <= 990.0);
    }

    #[test]
    fn alpha_beta_does_not_ponder() {
        let engine = pondering_engine_with(SearchParams {
            algorithm: Algorithm::AlphaBeta { depth: Some(1) },
            ..SearchParams::default()
        });
        assert_eq!(engine.record().moves().len(), 1);
        assert!(!engine.is_pondering);
    }

    #[test]
    fn pondering_resumes_until_disabled() {
        let mut engine = pondering_engine();
        engine.stop_search();
        assert!(!engine.is_pondering);
        engine.ponder();
        assert!(engine.is_pondering);
        engine.disable_pondering();
        engine.ponder();
        assert!(!engine.is_pondering);
        // Not on its own turn, and again after its next move.
        let point = engine.position().legal_points().first().unwrap();
        engine.play(Color::White, Move::Play(point)).unwrap();
        engine.ponder();
        assert!(!engine.is_pondering);
        engine
            .genmove(Color::Black, GenmoveOptions::default())
            .unwrap();
        engine.ponder();
        assert!(engine.is_pondering);
    }

    #[test]
    fn advice_leaves_game_state_unchanged() {
        let mut engine = pondering_engine();
        let stop_time = Duration::from_secs(10);
        engine.stop_search();
        engine.game_state.ponder_stop_time = stop_time;
        let last_unsettled_turn = engine.game_state.last_unsettled_turn;
        let advice = GenmoveOptions {
            play: false,
            ..GenmoveOptions::default()
        };
        engine.genmove(Color::White, advice).unwrap();
        assert_eq!(engine.game_state.expected_values[Color::White], None);
        assert_eq!(engine.game_state.last_unsettled_turn, last_unsettled_turn);
        assert!(engine.game_state.ponder_stop_time >= stop_time);
        engine
            .genmove(Color::White, GenmoveOptions::default())
            .unwrap();
        assert!(engine.game_state.expected_values[Color::White].is_some());
        assert_eq!(engine.game_state.ponder_stop_time, Duration::ZERO);
    }

    #[test]
    fn analysis_noise_does_not_affect_moves() {
        let mut engine = pondering_engine();
        let mut visits_after_analysis = |noise| {
            engine.settings.analysis_noise = noise;
            engine.clear_cache();
            engine.analyze(Color::White, Restriction::none(), SearchLimits::visits(50));
            engine.search.wait().unwrap();
            engine.begin_genmove(Color::White, GenmoveOptions::default());
            engine.search.wait().unwrap();
            let visits = engine.report().visits;
            engine.stop_search();
            visits
        };
        assert_eq!(visits_after_analysis(None), 50);
        assert_eq!(visits_after_analysis(Some(1.0)), 10);
    }

    #[test]
    fn undone_resignation_clears_last_move() {
        let mut engine = pondering_engine();
        let last_move = engine.game_state.last_move.as_mut().unwrap();
        (last_move.color, last_move.decision) = (Color::White, Decision::Resign);
        engine.resign(Color::White);
        assert!(engine.last_move().is_some());
        assert!(engine.take_back_resignation());
        assert!(engine.last_move().is_none());
    }

    #[test]
    fn new_game_clears_ponder_stop_time() {
        let restarts: [fn(&mut Engine); 3] = [
            Engine::clear_board,
            |engine| engine.set_record(engine.record().clone()).unwrap(),
            |engine| assert!(engine.undo()),
        ];
        for restart in restarts {
            let mut engine = pondering_engine();
            restart(&mut engine);
            assert_eq!(engine.game_state.ponder_stop_time, Duration::ZERO);
        }
    }
}
