//! Move generation: starts the search for a move, chooses the move, and plays it.

use std::time::{Duration, Instant};

use super::Engine;
use super::decision::{self, Decision};
use super::endgame::Endgame;
use super::genmove_request::PendingMove;
pub use super::genmove_request::{GenmoveOptions, GenmoveResult, LastDecision};
use super::move_budget::{MoveBudget, QUERY_SHARE};
use super::resign::should_resign;
use crate::clock::budget::GameProgress;
use crate::eval::EvalError;
use crate::game::color::Color;
use crate::game::point::Move;
use crate::game::position::Position;
use crate::random::Rng;
use crate::search::limits::SearchLimits;
use crate::search::report::{Report, ValueEstimates};
use crate::search::root;

impl Engine {
    /// Searches for a move of `color`, chooses the move, and plays it if [`GenmoveOptions::play`] is true.
    ///
    /// # Errors
    /// Returns the evaluator's error if an evaluation fails. In that case no move is played.
    pub fn genmove(
        &mut self,
        color: Color,
        options: GenmoveOptions,
    ) -> Result<Decision, EvalError> {
        self.begin_genmove(color, options);
        self.finish_genmove().map(|result| result.decision)
    }

    /// Starts the search for a move of `color` and returns immediately. The caller can follow the search with
    /// [`search_report`](Self::search_report) and [`wait_for`](Self::wait_for), and must call
    /// [`finish_genmove`](Self::finish_genmove) to obtain the move.
    pub fn begin_genmove(&mut self, color: Color, options: GenmoveOptions) {
        let (mut started, ponder_stop_time) =
            (Instant::now(), self.unrecorded_state.ponder_stop_time);
        self.cancel_search();
        if let Some(lost_turns) = options.lost_turns {
            self.lost_turn_counter
                .set_lost_turns(&self.record, color, lost_turns);
        }
        // The time spent on stopping a ponder search is charged to the next move that is played, not to a suggested
        // move.
        if options.play {
            // Include the time that an earlier call of `cancel_search` needed to end pondering. The call above needs no
            // correction, because it happened after `started` was set.
            started = started.checked_sub(ponder_stop_time).unwrap_or(started);
            self.unrecorded_state.ponder_stop_time = Duration::ZERO;
        }
        let position = self.position_for(color);
        if !self.settings.level.is_full() {
            // A weak level must not benefit from an analysis or from a search at a stronger level.
            self.search.clear_tree_and_table();
        }
        self.set_search_root(&position, &options.restriction);
        let is_unrestricted = options.restriction.is_unrestricted();
        let restriction = if is_unrestricted {
            decision::sensible_moves(&position)
        } else {
            options.restriction.clone()
        };
        let may_pass = decision::is_pass_worth_considering(&position);
        let budget = self.move_budget(color);
        let expects_queries = is_unrestricted && self.expects_endgame(&position);
        let query_share = if expects_queries {
            2.0 * QUERY_SHARE
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

    fn move_budget(&self, color: Color) -> MoveBudget {
        let progress = GameProgress {
            area: self.record.size().area(),
            move_number: self.position().move_number(),
        };
        let expected_value = self.unrecorded_state.expected_values[color];
        MoveBudget::new(&self.settings, &self.clock, color, progress, expected_value)
    }

    /// Returns true if the choice of the move will probably need endgame queries.
    fn expects_endgame(&self, position: &Position) -> bool {
        let next_turn = self
            .unrecorded_state
            .last_unsettled_turn
            .map(|moves| moves + 2);
        let is_unsettled =
            next_turn == Some(self.record.moves().len()) && !position.last_move_was_pass();
        decision::is_late_game(position) && !is_unsettled
    }

    /// Waits for the search started by [`begin_genmove`](Self::begin_genmove), chooses the move, and plays it if
    /// [`GenmoveOptions::play`] is true. If no move is pending, returns a pass with default values.
    ///
    /// # Errors
    /// Returns the evaluator's error if an evaluation fails. In that case no move is played.
    pub fn finish_genmove(&mut self) -> Result<GenmoveResult, EvalError> {
        let result = self.search.wait();
        let search_end = Instant::now();
        let Some(pending) = self.pending_move.take() else {
            return Ok(GenmoveResult {
                decision: Decision::Pass,
                values: ValueEstimates::default(),
                lost_turns: 0,
            });
        };
        result?;
        let report = self.search.report();
        let values = report.values;
        let decision = self.decide(&pending, &report)?;
        if pending.options.play {
            self.unrecorded_state.last_decision = Some(LastDecision {
                color: pending.color,
                moves_before: self.record.moves().len(),
                decision,
                report,
            });
            self.play_decision(pending.color, decision);
            self.unrecorded_state.pondering_paused = false;
            self.clock
                .record_lateness(pending.lateness(search_end).as_secs_f64());
            self.clock
                .record_move_time(pending.color, pending.started.elapsed().as_secs_f64());
        }
        Ok(GenmoveResult {
            decision,
            values,
            lost_turns: self
                .lost_turn_counter
                .lost_turns(&self.record, pending.color),
        })
    }

    /// Chooses the move from the search results in `report`.
    fn decide(&mut self, pending: &PendingMove, report: &Report) -> Result<Decision, EvalError> {
        let position = self.search.root().clone();
        let candidates = self.search.candidates(&pending.restriction);
        let mut rng = Rng::stream(self.settings.seed, u64::from(position.move_number()));
        let Some(best) = root::choose_move(&self.search.params, &candidates, &mut rng)
            .map(|candidate| candidate.mv)
        else {
            // The restriction allows no legal move.
            return Ok(Decision::Pass);
        };
        let chosen = self.choose_by_level(best, pending);
        let winrate = report.values.winrate;
        let GenmoveOptions { play, cleanup, .. } = pending.options;
        if play {
            self.unrecorded_state.expected_values[pending.color] = Some(2.0 * winrate - 1.0);
            self.has_moved = true;
        }
        if play && !cleanup && self.should_resign(pending.color, winrate) {
            return Ok(Decision::Resign);
        }
        if !pending.options.restriction.is_unrestricted() {
            return Ok(chosen.into());
        }
        let moves_before = self.record.moves().len();
        let mut endgame = Endgame::new(self, report, pending);
        let mv = if cleanup {
            endgame.choose_cleanup_move(&position, chosen)?
        } else {
            endgame.choose_move(&position, chosen, &pending.restriction)?
        };
        if let Some(has_many_unsettled) = endgame.has_many_unsettled
            && play
        {
            self.unrecorded_state.last_unsettled_turn = has_many_unsettled.then_some(moves_before);
        }
        Ok(mv.into())
    }

    /// Returns the move that the level plays if the search prefers `best`. A weak level may choose a different move,
    /// with random numbers that differ from game to game.
    fn choose_by_level(&self, best: Move, pending: &PendingMove) -> Move {
        let seed = self.settings.seed.wrapping_add(self.games_played << 32);
        let mut rng = Rng::stream(seed, u64::from(self.position().move_number()));
        let tree = self.search.tree();
        let choice = (best, &pending.restriction);
        (self.settings.level).choose_move(tree, pending.color, choice, &mut rng)
    }

    fn should_resign(&mut self, color: Color, winrate: f64) -> bool {
        let is_lost = 100.0 * winrate
            < (self.settings.resign_percent).unwrap_or(self.settings.level.resign_percent);
        let lost_turns = self
            .lost_turn_counter
            .count_turn(&self.record, color, is_lost);
        should_resign(self.position(), color, lost_turns)
    }

    fn play_decision(&mut self, color: Color, decision: Decision) {
        let Some(mv) = decision.mv() else {
            return self.record.resign(color);
        };
        // The search considered only moves that are legal in this position with `color` to move.
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
    use crate::eval::uniform::UniformEvaluator;
    use crate::game::point::BoardSize;
    use crate::game::rules::Rules;
    use crate::search::params::{Algorithm, SearchParams};
    use crate::search::restriction::Restriction;

    /// Creates an engine that has played a move and is pondering.
    fn pondering_engine() -> Engine {
        pondering_engine_with(SearchParams::default())
    }

    fn pondering_engine_with(params: SearchParams) -> Engine {
        let evaluator: Arc<dyn Evaluator> = Arc::new(UniformEvaluator);
        let evaluators = Evaluators::new(Arc::clone(&evaluator), evaluator);
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
        // A command from the client stops pondering before it is processed.
        engine.cancel_search();
        let ponder_stop_time = engine.unrecorded_state.ponder_stop_time;
        assert!(ponder_stop_time > Duration::ZERO);
        engine.play(Color::White, Move::Pass).unwrap();
        // A requested search is not pondering: its stop time is not charged.
        engine.start_search(SearchLimits::default());
        engine.cancel_search();
        assert_eq!(engine.unrecorded_state.ponder_stop_time, ponder_stop_time);
        engine
            .clock_mut()
            .set_time_control(TimeControl::absolute(1_000.0));
        engine.unrecorded_state.ponder_stop_time = Duration::from_secs(10);
        engine
            .genmove(Color::Black, GenmoveOptions::default())
            .unwrap();
        assert_eq!(engine.unrecorded_state.ponder_stop_time, Duration::ZERO);
        assert!(engine.clock_mut().seconds_until_flag(Color::Black).unwrap() <= 990.0);
    }

    #[test]
    fn alpha_beta_does_not_ponder() {
        let engine = pondering_engine_with(SearchParams {
            algorithm: Algorithm::Minimax { depth: 1 },
            ..SearchParams::default()
        });
        assert_eq!(engine.record().moves().len(), 1);
        assert!(!engine.is_pondering);
    }

    #[test]
    fn pondering_resumes_until_disabled() {
        let mut engine = pondering_engine();
        engine.cancel_search();
        assert!(!engine.is_pondering);
        engine.ponder();
        assert!(engine.is_pondering);
        engine.pause_pondering();
        engine.ponder();
        assert!(!engine.is_pondering);
        // The engine does not ponder on its own turn. It ponders again after its next move.
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
        engine.cancel_search();
        engine.unrecorded_state.ponder_stop_time = stop_time;
        let last_unsettled_turn = engine.unrecorded_state.last_unsettled_turn;
        let advice = GenmoveOptions {
            play: false,
            ..GenmoveOptions::default()
        };
        engine.genmove(Color::White, advice).unwrap();
        assert_eq!(engine.unrecorded_state.expected_values[Color::White], None);
        assert_eq!(
            engine.unrecorded_state.last_unsettled_turn,
            last_unsettled_turn
        );
        assert!(engine.unrecorded_state.ponder_stop_time >= stop_time);
        engine
            .genmove(Color::White, GenmoveOptions::default())
            .unwrap();
        assert!(engine.unrecorded_state.expected_values[Color::White].is_some());
        assert_eq!(engine.unrecorded_state.ponder_stop_time, Duration::ZERO);
    }

    #[test]
    fn analysis_noise_does_not_affect_moves() {
        let mut engine = pondering_engine();
        let mut visits_after_analysis = |noise| {
            engine.settings.analysis_noise = noise;
            engine.clear_cache();
            engine.analyze(
                Color::White,
                Restriction::none(),
                SearchLimits::with_visits(50),
            );
            engine.search.wait().unwrap();
            engine.begin_genmove(Color::White, GenmoveOptions::default());
            engine.search.wait().unwrap();
            let visits = engine.search_report().visits;
            engine.cancel_search();
            visits
        };
        assert_eq!(visits_after_analysis(None), 50);
        assert_eq!(visits_after_analysis(Some(1.0)), 10);
    }

    #[test]
    fn undone_resignation_clears_last_decision() {
        let mut engine = pondering_engine();
        let last_decision = engine.unrecorded_state.last_decision.as_mut().unwrap();
        (last_decision.color, last_decision.decision) = (Color::White, Decision::Resign);
        engine.resign(Color::White);
        assert!(engine.last_decision().is_some());
        assert!(engine.undo_resignation());
        assert!(engine.last_decision().is_none());
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
            assert_eq!(engine.unrecorded_state.ponder_stop_time, Duration::ZERO);
        }
    }
}
