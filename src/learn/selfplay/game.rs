//! One game from its conditions to its end.

use std::sync::atomic::{AtomicBool, Ordering};

use super::SelfplaySettings;
use super::conditions::GameConditions;
use super::policy::{self, CandidateMoves, MoveChoice};
use super::resignation::ResignationTracker;
use super::search::SelfplaySearch;
use crate::engine::score::final_dead_stones;
use crate::eval::stack::EvaluatorStack;
use crate::eval::{EvalError, Request, evaluate_one};
use crate::game::color::Color;
use crate::game::pointset::PointSet;
use crate::game::record::Record;
use crate::game::score::{CountResult, count};
use crate::learn::search_target::SearchTarget;
use crate::random::Rng;
use crate::search::{SearchError, ThreadPoolError};

/// The temperature of moves of the opening: the policy as it is.
const OPENING_TEMPERATURE: f64 = 1.0;

/// How a game ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SelfplayOutcome {
    /// By two passes, and was counted.
    Counted {
        /// The stones taken off before.
        dead: PointSet,
        /// The count.
        count: Box<CountResult>,
    },
    /// This side resigned.
    Resigned(Color),
    /// Not within the moves allowed.
    Unfinished,
}

/// A game that was played.
#[derive(Clone, Debug)]
pub struct SelfplayGame {
    /// Its number, from 1.
    pub number: u64,
    /// Its conditions.
    pub conditions: GameConditions,
    /// Its moves.
    pub record: Record,
    /// For each of them what the search said, if it was a thorough one.
    pub targets: Vec<Option<SearchTarget>>,
    /// How it ended.
    pub outcome: SelfplayOutcome,
    /// Who resigned, or would have if it had not been played out.
    pub resigner: Option<Color>,
}

impl SelfplayGame {
    /// Who won; `None` after a draw and without an end.
    #[must_use]
    pub fn winner(&self) -> Option<Color> {
        match &self.outcome {
            SelfplayOutcome::Counted { count, .. } => count.score.winner(),
            SelfplayOutcome::Resigned(loser) => Some(loser.opposite()),
            SelfplayOutcome::Unfinished => None,
        }
    }
}

/// Plays game number `number`; `None` when `stop` was set before its end.
///
/// # Errors
/// When an evaluation fails, or there is no thread to search on.
pub fn play_game(
    settings: &SelfplaySettings,
    stack: &EvaluatorStack,
    number: u64,
    stop: &AtomicBool,
) -> Result<Option<SelfplayGame>, SearchError> {
    let mut rng = Rng::stream(settings.seed, number);
    let conditions = GameConditions::draw(settings, &mut rng);
    let (conditions, mut record) = initial_record(stack, conditions)?;
    let mut player = MovePicker::new(settings, stack, &record, &mut rng)?;
    let mut resignation = ResignationTracker::new(settings, &conditions);
    let mut targets = Vec::new();
    let mut outcome = SelfplayOutcome::Unfinished;
    while record.moves().len() < conditions.max_moves() {
        if stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let choice = player.choose_move(&conditions, &record, &mut rng)?;
        let color = record.position().to_move();
        if resignation.update(record.position(), choice.winrate) {
            record.resign(color);
            outcome = SelfplayOutcome::Resigned(color);
            break;
        }
        record
            .play(color, choice.mv)
            .expect("only legal moves are thought of");
        targets.push(choice.target);
        if record.ended() {
            let dead = final_dead_stones(&*stack.base, record.position(), rng.next_u64())?;
            let count = Box::new(count(record.position(), &dead));
            outcome = SelfplayOutcome::Counted { dead, count };
            break;
        }
    }
    Ok(Some(SelfplayGame {
        number,
        conditions,
        record,
        targets,
        outcome,
        resigner: resignation.resigner(),
    }))
}

/// The first position. Handicap stones are made up for by the komi, as far as the evaluator can tell the lead.
fn initial_record(
    stack: &EvaluatorStack,
    conditions: GameConditions,
) -> Result<(GameConditions, Record), EvalError> {
    let mut record = Record::new(conditions.size, conditions.rules);
    if conditions.handicap.is_empty() {
        return Ok((conditions, record));
    }
    record
        .place_handicap(&conditions.handicap)
        .expect("handicap stones have points of their own with room around them");
    let evaluation = evaluate_one(&*stack.evaluator, Request::new(record.position()))?;
    let lead = record
        .position()
        .to_move()
        .to_perspective(evaluation.score_lead);
    let conditions = conditions.with_komi_shift(f64::from(lead));
    record.set_komi(conditions.rules.komi);
    Ok((conditions, record))
}

/// Who chooses the moves of both sides.
struct MovePicker<'a> {
    stack: &'a EvaluatorStack,
    /// None where every move is drawn from the policy.
    searcher: Option<SelfplaySearch>,
}

impl<'a> MovePicker<'a> {
    fn new(
        settings: &SelfplaySettings,
        stack: &'a EvaluatorStack,
        record: &Record,
        rng: &mut Rng,
    ) -> Result<Self, ThreadPoolError> {
        let (playout_cap, seed) = (settings.playout_cap, rng.next_u64());
        let searcher =
            || SelfplaySearch::new(playout_cap, &stack.evaluator, record.position(), seed);
        Ok(Self {
            stack,
            searcher: (playout_cap.full_visits > 1).then(searcher).transpose()?,
        })
    }

    fn choose_move(
        &mut self,
        conditions: &GameConditions,
        record: &Record,
        rng: &mut Rng,
    ) -> Result<MoveChoice, EvalError> {
        let (position, move_count) = (record.position(), record.moves().len());
        let candidates = CandidateMoves::of(position);
        let evaluator = &self.stack.evaluator;
        if move_count < conditions.opening_moves {
            return policy::choose_move(evaluator, position, &candidates, OPENING_TEMPERATURE, rng);
        }
        let temperature = conditions.temperature(move_count);
        match &mut self.searcher {
            Some(searcher) => searcher.choose_move(position, &candidates, temperature, rng),
            None => policy::choose_move(evaluator, position, &candidates, temperature, rng),
        }
    }
}
