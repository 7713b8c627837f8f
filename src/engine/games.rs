//! Games: begun, set up, and taken up from elsewhere.

use super::{Course, Engine};
use crate::eval::Unplayable;
use crate::game::board::NoLiberties;
use crate::game::color::{ByColor, Color};
use crate::game::point::{BoardSize, Point};
use crate::game::pointset::PointSet;
use crate::game::record::{HandicapError, Record};

impl Engine {
    /// A new game on an empty board of that size; komi and rules stay.
    ///
    /// # Errors
    /// When the evaluator cannot judge positions there; nothing has changed then.
    pub fn resize(&mut self, size: BoardSize) -> Result<(), Unplayable> {
        Unplayable::unless_judged(&**self.search.evaluator(), size)?;
        self.record.resize(size);
        self.begin_game();
        Ok(())
    }

    /// A new game on an empty board of the same size; komi and rules stay.
    pub fn clear_board(&mut self) {
        self.record.clear();
        self.begin_game();
    }

    /// Continues with another game.
    ///
    /// # Errors
    /// When the evaluator cannot judge positions on its board; nothing has changed then.
    pub fn set_record(&mut self, record: Record) -> Result<(), Unplayable> {
        Unplayable::unless_judged(&**self.search.evaluator(), record.size())?;
        self.record = record;
        self.begin_game();
        Ok(())
    }

    fn begin_game(&mut self) {
        self.halt();
        self.course = Course::default();
        self.clock.restart();
        self.games += u64::from(std::mem::take(&mut self.has_moved));
        self.search.begin_game();
        if self.settings.is_repeatable() {
            // Answers that are kept may be those of another way to the same position.
            self.search.evaluator().forget();
        }
        self.search.set_root(self.record.position());
    }

    /// Starts a new game from these stones.
    ///
    /// # Errors
    /// When a chain would have no liberty; nothing has changed then.
    pub fn set_up(&mut self, stones: ByColor<PointSet>, to_move: Color) -> Result<(), NoLiberties> {
        self.halt();
        self.record.set_up(stones, to_move)?;
        self.begin_game();
        Ok(())
    }

    /// Starts a new game from the same stones with `color` to move first.
    pub fn set_first_player(&mut self, color: Color) {
        self.record = Record::starting_from(self.record.initial().begun_by(color));
        self.begin_game();
    }

    /// Places Black's handicap stones on an empty board.
    ///
    /// # Errors
    /// When the game has begun, or the points cannot take the stones; nothing has changed then.
    pub fn place_handicap(&mut self, points: &[Point]) -> Result<(), HandicapError> {
        self.halt();
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
    use crate::engine::genmove::Wish;
    use crate::engine::settings::Settings;
    use crate::eval::cache::Cache;
    use crate::eval::uniform::Uniform;
    use crate::eval::{EvalError, Evaluation, Evaluator, Request};
    use crate::game::point::Move;
    use crate::game::rules::Rules;
    use crate::search::limits::Limits;
    use crate::search::params::Algorithm;

    /// Judges on boards of 19x19 alone.
    struct Narrow;

    impl Evaluator for Narrow {
        fn evaluate(
            &self,
            requests: &[Request<'_>],
            evaluations: &mut [Evaluation],
        ) -> Result<(), EvalError> {
            Uniform.evaluate(requests, evaluations)
        }

        fn plays_on(&self, size: BoardSize) -> bool {
            size == BoardSize::STANDARD
        }
    }

    fn engine() -> Engine {
        engine_with(None).0
    }

    /// One that searches so many visits, and its cache.
    fn engine_with(visits: Option<u64>) -> (Engine, Arc<Cache<Arc<dyn Evaluator>>>) {
        let judge: Arc<dyn Evaluator> = Arc::new(Narrow);
        let cache = Arc::new(Cache::new(Arc::clone(&judge), 1));
        let evaluators = Evaluators {
            search: cache.clone(),
            raw: Arc::clone(&judge),
            base: judge,
        };
        let settings = Settings {
            threads: 1,
            tree_mib: 64,
            visits,
            ..Settings::default()
        };
        let size = BoardSize::STANDARD;
        let engine = Engine::new(settings, evaluators, size, Rules::default()).unwrap();
        (engine, cache)
    }

    #[test]
    fn a_game_that_is_to_be_the_same_again_begins_without_answers() {
        for visits in [None, Some(10)] {
            let (mut engine, cache) = engine_with(visits);
            engine.begin(Limits::visits(5));
            engine.search.wait().unwrap();
            assert!(cache.statistics().entries > 0);
            engine.clear_board();
            assert_eq!(cache.statistics().entries == 0, visits.is_some());
        }
    }

    #[test]
    fn alpha_beta_plays_the_same_game_again() {
        let (mut engine, _) = engine_with(None);
        let depth = Some(1);
        engine.search.params.algorithm = Algorithm::AlphaBeta { depth };
        engine.settings.params.algorithm = Algorithm::AlphaBeta { depth };
        let [first, second] = [0, 1].map(|_| {
            engine.clear_board();
            [Color::Black, Color::White, Color::Black]
                .map(|color| engine.genmove(color, Wish::default()).unwrap())
        });
        assert_eq!(first, second);
    }

    #[test]
    fn who_moves_first_changes_neither_prisoners_nor_handicap() {
        let mut engine = engine();
        let mut earlier = engine.position().clone();
        for text in ["A18", "A19", "B19"] {
            let mv = earlier.size().parse_move(text).unwrap();
            earlier.play(earlier.to_move(), mv).unwrap();
        }
        let stones = *earlier.board().stones_by_color();
        let mut initial = earlier.rearranged(stones, Color::Black).unwrap();
        initial.set_handicap(2);
        engine.set_record(Record::starting_from(initial)).unwrap();
        engine.set_first_player(Color::White);
        let position = engine.position();
        assert_eq!(position.to_move(), Color::White);
        assert_eq!(
            (position.prisoners(Color::White), position.handicap()),
            (1, 2)
        );
        assert_eq!(position.board(), earlier.board());
    }

    #[test]
    fn a_board_that_cannot_be_judged_is_refused_and_the_game_goes_on() {
        let mut engine = engine();
        let (size, rules) = (BoardSize::STANDARD, Rules::default());
        engine.play(Color::Black, Move::Pass).unwrap();
        let small = BoardSize::new(9, 9).unwrap();
        let error = engine.resize(small).unwrap_err();
        assert_eq!(
            error.to_string(),
            "expected a board that the network plays on, found 9x9"
        );
        let record = Record::new(small, rules);
        assert_eq!(engine.set_record(record), Err(Unplayable(small)));
        assert_eq!(engine.record().size(), size);
        assert_eq!(engine.record().moves().len(), 1);
        engine.resize(size).unwrap();
        assert_eq!(engine.record().moves(), []);
    }
}
