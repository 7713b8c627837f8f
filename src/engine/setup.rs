//! Starts new games, sets up positions, and loads games.

use super::{Engine, UnrecordedState};
use crate::eval::UnsupportedSizeError;
use crate::game::board::NoLibertiesError;
use crate::game::color::{ByColor, Color};
use crate::game::point::{BoardSize, Point};
use crate::game::pointset::PointSet;
use crate::game::record::{HandicapError, Record};

impl Engine {
    /// Starts a new game on an empty board of `size`. Komi and rules are preserved.
    ///
    /// # Errors
    /// Returns an error and leaves the game unchanged if the evaluator does not support this size.
    pub fn resize(&mut self, size: BoardSize) -> Result<(), UnsupportedSizeError> {
        UnsupportedSizeError::check(&**self.search.evaluator(), size)?;
        self.record.resize(size);
        self.begin_game();
        Ok(())
    }

    /// Starts a new game on an empty board of the same size. Komi and rules are preserved.
    pub fn clear_board(&mut self) {
        self.record.clear();
        self.begin_game();
    }

    /// Replaces the current game with `record`.
    ///
    /// # Errors
    /// Returns an error and leaves the game unchanged if the evaluator does not support the board size.
    pub fn set_record(&mut self, record: Record) -> Result<(), UnsupportedSizeError> {
        UnsupportedSizeError::check(&**self.search.evaluator(), record.size())?;
        self.record = record;
        self.begin_game();
        Ok(())
    }

    fn begin_game(&mut self) {
        self.cancel_search();
        self.unrecorded_state = UnrecordedState::default();
        self.clock.reset();
        self.games_played += u64::from(std::mem::take(&mut self.has_moved));
        self.search.begin_game();
        if self.settings.is_reproducible() {
            // Cached evaluations may come from positions with a different move order. Clear them, so that a game does
            // not depend on earlier games.
            self.search.evaluator().reset();
        }
        self.search.set_root(self.record.position());
    }

    /// Starts a new game from a position with the given `stones`, in which `to_move` plays first.
    ///
    /// # Errors
    /// Returns an error and leaves the game unchanged if a chain has no liberties.
    pub fn set_up_position(
        &mut self,
        stones: ByColor<PointSet>,
        to_move: Color,
    ) -> Result<(), NoLibertiesError> {
        self.cancel_search();
        self.record.reset_to_stones(stones, to_move)?;
        self.begin_game();
        Ok(())
    }

    /// Starts a new game from the current game's initial position, with `color` moving first.
    pub fn restart_with_first_player(&mut self, color: Color) {
        self.record = Record::from_position(self.record.initial().without_history(color));
        self.begin_game();
    }

    /// Starts a new game on an empty board with Black's handicap stones at `points`.
    ///
    /// # Errors
    /// Returns an error and leaves the game unchanged if the current game is not empty or the points are invalid.
    pub fn place_handicap(&mut self, points: &[Point]) -> Result<(), HandicapError> {
        self.cancel_search();
        self.record.place_handicap(points)?;
        self.begin_game();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::engine::Evaluators;
    use crate::engine::genmove::GenmoveOptions;
    use crate::engine::settings::EngineSettings;
    use crate::eval::cache::Cache;
    use crate::eval::uniform::UniformEvaluator;
    use crate::eval::{EvalError, Evaluation, Evaluator, Request};
    use crate::game::point::Move;
    use crate::game::rules::Rules;
    use crate::search::alphabeta::options::AlphaBetaOptions;
    use crate::search::limits::SearchLimits;
    use crate::search::params::Algorithm;

    /// Evaluator that supports only 19x19.
    struct StandardSizeOnly;

    impl Evaluator for StandardSizeOnly {
        fn evaluate(
            &self,
            requests: &[Request<'_>],
            evaluations: &mut [Evaluation],
        ) -> Result<(), EvalError> {
            UniformEvaluator.evaluate(requests, evaluations)
        }

        fn supports_size(&self, size: BoardSize) -> bool {
            size == BoardSize::STANDARD
        }
    }

    fn engine() -> Engine {
        engine_with(None).0
    }

    /// Creates an engine with the visit limit `visits`. Returns the engine and its evaluation cache.
    fn engine_with(visits: Option<u64>) -> (Engine, Arc<Cache<Arc<dyn Evaluator>>>) {
        let evaluator: Arc<dyn Evaluator> = Arc::new(StandardSizeOnly);
        let cache = Arc::new(Cache::new(Arc::clone(&evaluator), 1));
        let evaluators = Evaluators::new(cache.clone(), evaluator);
        let settings = EngineSettings {
            threads: 1,
            tree_mib: 64,
            visits,
            ..EngineSettings::default()
        };
        let size = BoardSize::STANDARD;
        let engine = Engine::new(settings, evaluators, size, Rules::default()).unwrap();
        (engine, cache)
    }

    #[test]
    fn reproducible_game_starts_with_empty_cache() {
        for visits in [None, Some(10)] {
            let (mut engine, cache) = engine_with(visits);
            engine.start_search(SearchLimits::with_visits(5));
            engine.search.wait().unwrap();
            assert!(cache.stats().entries > 0);
            engine.clear_board();
            assert_eq!(cache.stats().entries == 0, visits.is_some());
        }
    }

    #[test]
    fn alpha_beta_games_are_reproducible() {
        let (mut engine, _) = engine_with(None);
        let algorithm = Algorithm::AlphaBeta(AlphaBetaOptions::with_depth(Some(2)));
        engine.search.params.algorithm = algorithm;
        engine.settings.params.algorithm = algorithm;
        let [first, second] = [0, 1].map(|_| {
            engine.clear_board();
            [Color::Black, Color::White, Color::Black]
                .map(|color| engine.genmove(color, GenmoveOptions::default()).unwrap())
        });
        assert_eq!(first, second);
    }

    #[test]
    fn first_player_keeps_prisoners_and_handicap() {
        let mut engine = engine();
        let mut previous = engine.position().clone();
        for text in ["A18", "A19", "B19"] {
            let mv = previous.size().parse_move(text).unwrap();
            previous.play(previous.to_move(), mv).unwrap();
        }
        let stones = *previous.board().stones_by_color();
        let mut initial = previous
            .restarted_with_stones(stones, Color::Black)
            .unwrap();
        initial.set_handicap(2);
        engine.set_record(Record::from_position(initial)).unwrap();
        engine.restart_with_first_player(Color::White);
        let position = engine.position();
        assert_eq!(position.to_move(), Color::White);
        assert_eq!(
            (position.lost_stones(Color::White), position.handicap()),
            (1, 2)
        );
        assert_eq!(position.board(), previous.board());
    }

    #[test]
    fn unsupported_board_size_keeps_the_game() {
        let mut engine = engine();
        let (size, rules) = (BoardSize::STANDARD, Rules::default());
        engine.play(Color::Black, Move::Pass).unwrap();
        let small = BoardSize::new(9, 9).unwrap();
        let error = engine.resize(small).unwrap_err();
        assert_eq!(error.to_string(), "the network does not support 9x9 boards");
        let record = Record::new(small, rules);
        assert_eq!(engine.set_record(record), Err(UnsupportedSizeError(small)));
        assert_eq!(engine.record().size(), size);
        assert_eq!(engine.record().moves().len(), 1);
        engine.resize(size).unwrap();
        assert_eq!(engine.record().moves(), []);
    }
}
