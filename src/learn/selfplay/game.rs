//! One game from its conditions to its end.

use std::sync::atomic::{AtomicBool, Ordering};

use super::Settings;
use super::policy::{self, Sensible, Thought};
use super::resignation::ResignationWatch;
use super::search::Searcher;
use super::terms::Terms;
use crate::engine::counting::dead_at_end;
use crate::eval::stack::Stack;
use crate::eval::{EvalError, Request, evaluate_one};
use crate::game::color::Color;
use crate::game::pointset::PointSet;
use crate::game::record::Record;
use crate::game::score::{Count, count};
use crate::learn::target::Target;
use crate::rng::Rng;
use crate::search::{SearchError, ThreadError};

/// The temperature of moves of the opening: the policy as it is.
const OPENING_TEMPERATURE: f64 = 1.0;

/// How a game ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// By two passes, and was counted.
    Counted {
        /// The stones taken off before.
        dead: PointSet,
        /// The count.
        count: Box<Count>,
    },
    /// This side resigned.
    Resigned(Color),
    /// Not within the moves allowed.
    Unfinished,
}

/// A game that was played.
#[derive(Clone, Debug)]
pub struct Played {
    /// Its number, from 1.
    pub number: u64,
    /// Its conditions.
    pub terms: Terms,
    /// Its moves.
    pub record: Record,
    /// For each of them what the search said, if it was a thorough one.
    pub targets: Vec<Option<Target>>,
    /// How it ended.
    pub ending: Ending,
    /// Who resigned, or would have if it had not been played out.
    pub given_up: Option<Color>,
}

impl Played {
    /// Who won; `None` after a draw and without an end.
    #[must_use]
    pub fn winner(&self) -> Option<Color> {
        match &self.ending {
            Ending::Counted { count, .. } => count.score.winner(),
            Ending::Resigned(loser) => Some(loser.opposite()),
            Ending::Unfinished => None,
        }
    }
}

/// Plays game number `number`; `None` when `stop` was set before its end.
///
/// # Errors
/// When an evaluation fails, or there is no thread to search on.
pub fn play(
    settings: &Settings,
    stack: &Stack,
    number: u64,
    stop: &AtomicBool,
) -> Result<Option<Played>, SearchError> {
    let mut rng = Rng::stream(settings.seed, number);
    let terms = Terms::drawn(settings, &mut rng);
    let (terms, mut record) = set_up(stack, terms)?;
    let mut player = Player::new(settings, stack, &record, &mut rng)?;
    let mut resignation = ResignationWatch::new(settings, &terms);
    let mut targets = Vec::new();
    let mut ending = Ending::Unfinished;
    while record.moves().len() < terms.most_moves() {
        if stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let thought = player.think(&terms, &record, &mut rng)?;
        let color = record.position().to_move();
        if resignation.resigns(record.position(), thought.winrate) {
            record.resign(color);
            ending = Ending::Resigned(color);
            break;
        }
        record
            .play(color, thought.mv)
            .expect("only legal moves are thought of");
        targets.push(thought.target);
        if record.ended() {
            let dead = dead_at_end(&*stack.base, record.position(), rng.next_u64())?;
            let count = Box::new(count(record.position(), &dead));
            ending = Ending::Counted { dead, count };
            break;
        }
    }
    Ok(Some(Played {
        number,
        terms,
        record,
        targets,
        ending,
        given_up: resignation.given_up(),
    }))
}

/// The first position. Handicap stones are made up for by the komi, as far as the evaluator can tell the lead.
fn set_up(stack: &Stack, terms: Terms) -> Result<(Terms, Record), EvalError> {
    let mut record = Record::new(terms.size, terms.rules);
    if terms.handicap.is_empty() {
        return Ok((terms, record));
    }
    record
        .place_handicap(&terms.handicap)
        .expect("handicap stones have points of their own with room around them");
    let answer = evaluate_one(&*stack.evaluator, Request::new(record.position()))?;
    let lead = record.position().to_move().from_black(answer.score_lead);
    let terms = terms.with_more_komi(f64::from(lead));
    record.set_komi(terms.rules.komi);
    Ok((terms, record))
}

/// Who chooses the moves of both sides.
struct Player<'a> {
    stack: &'a Stack,
    /// None where every move is drawn from the policy.
    searcher: Option<Searcher>,
}

impl<'a> Player<'a> {
    fn new(
        settings: &Settings,
        stack: &'a Stack,
        record: &Record,
        rng: &mut Rng,
    ) -> Result<Self, ThreadError> {
        let (effort, seed) = (settings.effort, rng.next_u64());
        let searcher = || Searcher::new(effort, &stack.evaluator, record.position(), seed);
        Ok(Self {
            stack,
            searcher: (effort.visits > 1).then(searcher).transpose()?,
        })
    }

    fn think(
        &mut self,
        terms: &Terms,
        record: &Record,
        rng: &mut Rng,
    ) -> Result<Thought, EvalError> {
        let (position, moves) = (record.position(), record.moves().len());
        let sensible = Sensible::of(position);
        let evaluator = &self.stack.evaluator;
        if moves < terms.opening {
            return policy::think(evaluator, position, &sensible, OPENING_TEMPERATURE, rng);
        }
        let temperature = terms.temperature(moves);
        match &mut self.searcher {
            Some(searcher) => searcher.think(position, &sensible, temperature, rng),
            None => policy::think(evaluator, position, &sensible, temperature, rng),
        }
    }
}
