//! One move of the engine's: how long, which, and what it does to the game.

use std::time::{Duration, Instant};

use super::Engine;
use super::decide::{self, Decision};
use super::effort::Effort;
use super::ending::{self, Ending};
use crate::eval::EvalError;
use crate::game::color::Color;
use crate::game::point::Move;
use crate::game::position::Position;
use crate::rng::Rng;
use crate::search::limits::Limits;
use crate::search::report::Report;
use crate::search::restriction::Restriction;
use crate::search::root;

/// What is asked of a move.
#[derive(Clone, Debug)]
pub struct Wish {
    /// Moves that may be played.
    pub restriction: Restriction,
    /// Whether the owners of the points are wanted in reports.
    pub ownership: bool,
    /// Whether they, and the chances of a game without result, are wanted for each move too.
    pub by_move: bool,
    /// Whether the players could not agree what is dead: dead stones of the opponent are captured then, nobody resigns,
    /// and a pass says that all stones left live.
    pub cleanup: bool,
    /// Whether the move is made on the board and charged to the clock; else it is only advice, and never to resign.
    pub play: bool,
}

impl Default for Wish {
    fn default() -> Self {
        Self {
            restriction: Restriction::none(),
            ownership: false,
            by_move: false,
            cleanup: false,
            play: true,
        }
    }
}

/// A move being thought about.
#[derive(Clone, Debug)]
pub(super) struct Thinking {
    color: Color,
    pub(super) wish: Wish,
    restriction: Restriction,
    pub(super) started: Instant,
    /// Visits that the tree had before.
    pub(super) kept: u32,
    pub(super) effort: Effort,
    /// The share of the effort for questions after the search.
    questions: f64,
}

impl Thinking {
    /// How much later than planned it is after a search that ended then.
    fn late(&self, searched: Instant) -> Duration {
        let Some(due) = self.effort.due(self.started) else {
            return Duration::ZERO;
        };
        let asking = searched.elapsed();
        let planned = (self.effort.usual_time().unwrap_or_default()).mul_f64(self.questions);
        due.elapsed().max(asking.saturating_sub(planned))
    }
}

/// What a move was decided from.
#[derive(Clone, Debug)]
pub struct Seen {
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
    pub fn genmove(&mut self, color: Color, wish: Wish) -> Result<Decision, EvalError> {
        self.begin_genmove(color, wish);
        self.finish_genmove()
    }

    /// Starts to think about a move of `color`. [`report`](Self::report) and [`wait_for`](Self::wait_for) follow it.
    pub fn begin_genmove(&mut self, color: Color, wish: Wish) {
        let (mut started, before) = (Instant::now(), self.course.halted);
        self.halt();
        // What that took is not charged to advice, but to the next move that is played.
        if wish.play {
            // What was before is charged by an earlier start, what was now by being after it.
            started = started.checked_sub(before).unwrap_or(started);
            self.course.halted = Duration::ZERO;
        }
        let position = self.position_for(color);
        if !self.settings.level.is_full() {
            // What others or a stronger level have read is no thought of this one.
            self.search.clear();
        }
        self.set_search_root(&position, &wish.restriction);
        let is_free = wish.restriction.is_none();
        let restriction = if is_free {
            decide::sensible_moves(&position)
        } else {
            wish.restriction.clone()
        };
        let may_pass = decide::may_pass(&position);
        let effort = self.effort(color);
        let is_asked = is_free && self.may_be_over(&position);
        let questions = if is_asked { 2.0 * ending::SHARE } else { 0.0 };
        let limits = Limits {
            ownership: wish.ownership || may_pass,
            by_move: wish.by_move,
            ..effort.limits(1.0 - questions, started.elapsed())
        };
        let kept = self.search.tree().root().visits();
        self.search.start(limits, restriction.clone());
        self.thinking = Some(Thinking {
            color,
            wish,
            restriction,
            started,
            kept,
            effort,
            questions,
        });
    }

    /// Whether the questions of a game's end are likely to be put.
    fn may_be_over(&self, position: &Position) -> bool {
        let last = self.course.amid_play.map(|moves| moves + 2);
        let is_amid = last == Some(self.record.moves().len()) && !position.after_pass();
        decide::nears_its_end(position) && !is_amid
    }

    /// Waits for the move begun, decides it, and plays it if that was wished. Without one begun it passes.
    ///
    /// # Errors
    /// When an evaluation failed; nothing is played then.
    pub fn finish_genmove(&mut self) -> Result<Decision, EvalError> {
        let waited = self.search.wait();
        let searched = Instant::now();
        let Some(thinking) = self.thinking.take() else {
            return Ok(Decision::Pass);
        };
        waited?;
        let report = self.search.report();
        let decision = self.decide(&thinking)?;
        if thinking.wish.play {
            self.course.seen = Some(Seen {
                color: thinking.color,
                moves_before: self.record.moves().len(),
                decision,
                report,
            });
            self.carry_out(thinking.color, decision);
            self.course.rests = false;
            self.clock.answered(thinking.late(searched).as_secs_f64());
            self.clock
                .charge(thinking.color, thinking.started.elapsed().as_secs_f64());
        }
        Ok(decision)
    }

    fn decide(&mut self, thinking: &Thinking) -> Result<Decision, EvalError> {
        let position = self.search.root().clone();
        let candidates = self.search.candidates(&thinking.restriction);
        let mut rng = Rng::stream(self.settings.seed, u64::from(position.move_number()));
        let Some(best) =
            root::draw(&self.search.params, &candidates, &mut rng).map(|candidate| candidate.mv)
        else {
            // Nothing may be played.
            return Ok(Decision::Pass);
        };
        let chosen = self.level_choice(best, thinking);
        let winrate = self.search.report().values.winrate;
        let Wish { play, cleanup, .. } = thinking.wish;
        if play {
            self.course.expected[thinking.color] = Some(2.0 * winrate - 1.0);
            self.has_moved = true;
        }
        if play && !cleanup && self.should_resign(thinking.color, winrate) {
            return Ok(Decision::Resign);
        }
        if !thinking.wish.restriction.is_none() {
            return Ok(chosen.into());
        }
        let mut ending = Ending::new(self, thinking);
        let mv = if cleanup {
            ending.clear_away(&position, chosen)?
        } else {
            ending.settle(&position, chosen, &thinking.restriction)?
        };
        Ok(mv.into())
    }

    /// What the level makes of the search's choice; another in each game.
    fn level_choice(&self, best: Move, thinking: &Thinking) -> Move {
        let seed = self.settings.seed.wrapping_add(self.games << 32);
        let mut rng = Rng::stream(seed, u64::from(self.position().move_number()));
        let tree = self.search.tree();
        let found = (best, &thinking.restriction);
        (self.settings.level).choose(tree, thinking.color, found, &mut rng)
    }

    fn should_resign(&mut self, color: Color, winrate: f64) -> bool {
        let lost = 100.0 * winrate < (self.settings.resign).unwrap_or(self.settings.level.resign);
        let turns = self.lost_turns.note(&self.record, color, lost);
        decide::should_resign(self.position(), color, turns)
    }

    fn carry_out(&mut self, color: Color, decision: Decision) {
        let Some(mv) = decision.mv() else {
            return self.record.resign(color);
        };
        // The search played from this very position, with `color` to move.
        self.record.play_legal(color, mv);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::clock::settings::TimeSettings;
    use crate::engine::Evaluators;
    use crate::engine::settings::Settings;
    use crate::eval::Evaluator;
    use crate::eval::uniform::Uniform;
    use crate::game::point::BoardSize;
    use crate::game::rules::Rules;
    use crate::search::params::{Algorithm, SearchParams};

    /// A player that has made a move and thinks in the opponent's time.
    fn pondering() -> Engine {
        pondering_by(SearchParams::default())
    }

    fn pondering_by(params: SearchParams) -> Engine {
        let evaluator: Arc<dyn Evaluator> = Arc::new(Uniform);
        let evaluators = Evaluators {
            search: Arc::clone(&evaluator),
            base: Arc::clone(&evaluator),
            raw: evaluator,
        };
        let settings = Settings {
            visits: Some(10),
            tree_mib: 64,
            ponder: true,
            params,
            ..Settings::default()
        };
        let size = BoardSize::new(5, 5).unwrap();
        let mut engine = Engine::new(settings, evaluators, size, Rules::default()).unwrap();
        engine.genmove(Color::Black, Wish::default()).unwrap();
        engine.ponder();
        engine
    }

    #[test]
    fn the_time_that_pondering_takes_to_end_is_the_next_moves() {
        let mut engine = pondering();
        // A client's line ends it before the line is read.
        engine.halt();
        let halted = engine.course.halted;
        assert!(halted > Duration::ZERO);
        engine.play(Color::White, Move::Pass).unwrap();
        // Nobody's time is used up by a search that was asked for.
        engine.begin(Limits::default());
        engine.halt();
        assert_eq!(engine.course.halted, halted);
        engine
            .clock_mut()
            .set(TimeSettings::Absolute { main: 1_000.0 });
        engine.course.halted = Duration::from_secs(10);
        engine.genmove(Color::Black, Wish::default()).unwrap();
        assert_eq!(engine.course.halted, Duration::ZERO);
        assert!(engine.clock_mut().until_flag(Color::Black).unwrap() <= 990.0);
    }

    #[test]
    fn alpha_beta_keeps_nothing_and_so_does_not_ponder() {
        let engine = pondering_by(SearchParams {
            algorithm: Algorithm::AlphaBeta { depth: Some(1) },
            ..SearchParams::default()
        });
        assert_eq!(engine.record().moves().len(), 1);
        assert!(!engine.ponders);
    }

    #[test]
    fn it_thinks_on_after_questions_until_it_is_to_rest() {
        let mut engine = pondering();
        engine.halt();
        assert!(!engine.ponders);
        engine.ponder();
        assert!(engine.ponders);
        engine.rest();
        engine.ponder();
        assert!(!engine.ponders);
        // Not on its own turn, and again after its next move.
        let point = engine.position().legal_points().first().unwrap();
        engine.play(Color::White, Move::Play(point)).unwrap();
        engine.ponder();
        assert!(!engine.ponders);
        engine.genmove(Color::Black, Wish::default()).unwrap();
        engine.ponder();
        assert!(engine.ponders);
    }

    #[test]
    fn advice_leaves_no_mark_on_the_moves_to_come() {
        let mut engine = pondering();
        let owed = Duration::from_secs(10);
        engine.halt();
        engine.course.halted = owed;
        let before = engine.course.amid_play;
        let advice = Wish {
            play: false,
            ..Wish::default()
        };
        engine.genmove(Color::White, advice).unwrap();
        assert_eq!(engine.course.expected[Color::White], None);
        assert_eq!(engine.course.amid_play, before);
        assert!(engine.course.halted >= owed);
        engine.genmove(Color::White, Wish::default()).unwrap();
        assert!(engine.course.expected[Color::White].is_some());
        assert_eq!(engine.course.halted, Duration::ZERO);
    }

    #[test]
    fn moves_do_not_come_of_the_noise_of_analyses() {
        let mut engine = pondering();
        let mut visits_after_analysis = |noise| {
            engine.settings.analysis_noise = noise;
            engine.clear_cache();
            engine.analyze(Color::White, Restriction::none(), Limits::visits(50));
            engine.search.wait().unwrap();
            engine.begin_genmove(Color::White, Wish::default());
            engine.search.wait().unwrap();
            let visits = engine.report().visits;
            engine.halt();
            visits
        };
        assert_eq!(visits_after_analysis(None), 50);
        assert_eq!(visits_after_analysis(Some(1.0)), 10);
    }

    #[test]
    fn a_resignation_taken_back_is_not_what_was_seen_last() {
        let mut engine = pondering();
        let seen = engine.course.seen.as_mut().unwrap();
        (seen.color, seen.decision) = (Color::White, Decision::Resign);
        engine.resign(Color::White);
        assert!(engine.seen().is_some());
        assert!(engine.take_back_resignation());
        assert!(engine.seen().is_none());
    }

    #[test]
    fn a_game_that_does_not_go_on_owes_no_time() {
        let ends: [fn(&mut Engine); 3] = [
            Engine::clear_board,
            |engine| engine.set_record(engine.record().clone()).unwrap(),
            |engine| assert!(engine.undo()),
        ];
        for end in ends {
            let mut engine = pondering();
            end(&mut engine);
            assert_eq!(engine.course.halted, Duration::ZERO);
        }
    }
}
