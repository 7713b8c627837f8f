//! Plays a single self-play game.

use std::sync::atomic::{AtomicBool, Ordering};

use super::conditions::GameConditions;
use super::policy::{self, ChosenMove};
use super::search::SelfplaySearch;
use super::settings::SelfplaySettings;
use crate::engine::decision::sensible_moves;
use crate::engine::final_status::final_dead_stones;
use crate::engine::resign::should_resign;
use crate::eval::stack::EvaluatorStack;
use crate::eval::{EvalError, Request, evaluate_one};
use crate::game::color::{ByColor, Color};
use crate::game::pointset::PointSet;
use crate::game::position::Position;
use crate::game::record::Record;
use crate::game::score::{CountResult, count};
use crate::learn::search_target::SearchTarget;
use crate::random::Rng;
use crate::search::{SearchError, ThreadPoolError};

/// Temperature for opening moves. At temperature 1, moves are drawn from the unmodified policy.
const OPENING_TEMPERATURE: f64 = 1.0;

/// Outcome of a self-play game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SelfplayOutcome {
    /// The game ended with two passes and was scored.
    Counted {
        /// Dead stones, which were removed before scoring.
        dead: PointSet,
        count: Box<CountResult>,
    },
    /// The given side resigned.
    Resigned(Color),
    /// The game reached the move limit.
    Unfinished,
}

/// A self-play game.
#[derive(Clone, Debug)]
pub struct SelfplayGame {
    /// Number of the game in the run, starting at 1.
    pub number: u64,
    pub conditions: GameConditions,
    pub record: Record,
    /// Search result for each move, or `None` for a move without a full search.
    pub targets: Vec<Option<SearchTarget>>,
    pub outcome: SelfplayOutcome,
    /// The side that resigned or, if resignation was disabled, the side that would have resigned first. `None` if
    /// neither side had reason to resign.
    pub resigner: Option<Color>,
}

impl SelfplayGame {
    /// Returns the winner, or `None` for draws and unfinished games.
    pub fn winner(&self) -> Option<Color> {
        match &self.outcome {
            SelfplayOutcome::Counted { count, .. } => count.score.winner(),
            SelfplayOutcome::Resigned(loser) => Some(loser.opposite()),
            SelfplayOutcome::Unfinished => None,
        }
    }
}

/// Plays game `number` of a run. Returns `None` if `stop` was set before the game ended.
///
/// # Errors
/// Returns an error if an evaluation fails or no thread can be started.
pub fn play_game(
    settings: &SelfplaySettings,
    stack: &EvaluatorStack,
    number: u64,
    stop: &AtomicBool,
) -> Result<Option<SelfplayGame>, SearchError> {
    let mut rng = Rng::stream(settings.seed, number);
    let conditions = GameConditions::draw(settings, &mut rng);
    let (conditions, mut record) = initial_record_adjusting_komi(stack, conditions)?;
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
            .expect("only legal moves are candidates");
        targets.push(choice.target);
        if record.position().has_no_result() {
            break;
        }
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

/// Creates the record of a game with its initial position. If there are handicap stones and the evaluator predicts the
/// lead, adjusts komi to compensate for the stones.
fn initial_record_adjusting_komi(
    stack: &EvaluatorStack,
    conditions: GameConditions,
) -> Result<(GameConditions, Record), EvalError> {
    let mut record = Record::new(conditions.size, conditions.rules);
    if conditions.handicap.is_empty() {
        return Ok((conditions, record));
    }
    record
        .place_handicap(&conditions.handicap)
        .expect("handicap stones are distinct and do not capture");
    let evaluation = evaluate_one(&*stack.evaluator, Request::new(record.position()))?;
    let lead = record
        .position()
        .to_move()
        .to_perspective(evaluation.score_lead);
    let conditions = conditions.with_komi_shift(f64::from(lead));
    record.set_komi(conditions.rules.komi);
    Ok((conditions, record))
}

/// Strategy that chooses the moves of both sides, with or without a search.
struct MovePicker<'a> {
    stack: &'a EvaluatorStack,
    /// `None` if moves are drawn from the policy without a search.
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
    ) -> Result<ChosenMove, EvalError> {
        let (position, move_count) = (record.position(), record.moves().len());
        let restriction = sensible_moves(position);
        let evaluator = &self.stack.evaluator;
        if move_count < conditions.opening_moves {
            return policy::choose_move(
                evaluator,
                position,
                &restriction,
                OPENING_TEMPERATURE,
                rng,
            );
        }
        let temperature = conditions.temperature(move_count);
        match &mut self.searcher {
            Some(searcher) => searcher.choose_move(position, restriction, temperature, rng),
            None => policy::choose_move(evaluator, position, &restriction, temperature, rng),
        }
    }
}

/// Resignation state of both sides, updated at every move with the win rate of the side to move.
#[derive(Clone, Debug)]
struct ResignationTracker {
    /// Win rate, from 0 to 1, below which a position counts as lost.
    lost_winrate: f64,
    disables_resignation: bool,
    /// For each side, the number of its most recent consecutive turns in lost positions.
    lost_turns: ByColor<u32>,
    resigner: Option<Color>,
}

impl ResignationTracker {
    fn new(settings: &SelfplaySettings, conditions: &GameConditions) -> Self {
        Self {
            lost_winrate: settings.resign_percent / 100.0,
            disables_resignation: conditions.disables_resignation,
            lost_turns: ByColor::default(),
            resigner: None,
        }
    }

    /// Records the win rate of the side to move. Returns true if this side resigns.
    fn update(&mut self, position: &Position, winrate: f64) -> bool {
        let color = position.to_move();
        let is_lost = winrate < self.lost_winrate;
        self.lost_turns[color] = if is_lost {
            self.lost_turns[color] + 1
        } else {
            0
        };
        let resigns = should_resign(position, color, self.lost_turns[color]);
        if resigns && self.resigner.is_none() {
            self.resigner = Some(color);
        }
        resigns && !self.disables_resignation
    }

    /// Returns the side that resigned or, if resignation was disabled, the side that would have resigned first.
    const fn resigner(&self) -> Option<Color> {
        self.resigner
    }
}
