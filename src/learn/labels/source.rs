//! Positions to label: of games played by a network's policy and of recorded games, with branches and set-up positions.
//!
//! A search evaluates positions that no game reaches, and users set positions up. So some positions are played on for a
//! few moves that the policy draws at a high temperature (branches), and others lose their history and some stones
//! (set-ups). Job number N of a seed always gives the same positions.

use std::sync::atomic::AtomicBool;

use crate::eval::stack::Stack;
use crate::eval::{Request, evaluate_one};
use crate::game::color::{ByColor, Color};
use crate::game::point::Move;
use crate::game::position::Position;
use crate::game::record::Record;
use crate::game::rules::Komi;
use crate::learn::archive::Game;
use crate::learn::selfplay;
use crate::learn::selfplay::policy::draw_by_prior;
use crate::rng::Rng;
use crate::search::SearchError;

/// Random numbers for choosing positions are independent of those of the game: its seed is combined with this.
const POSITIONS: u64 = 0x9e37_79b9_7f4a_7c15;
/// Branches have up to this number of moves ...
const BRANCH_MOVES: usize = 8;
/// ... drawn from the policy at this temperature.
const BRANCH_TEMPERATURE: f64 = 1.3;
/// Share of the recorded games that are labelled under a shifted komi, and the standard deviation of the shift.
const SHIFTED_KOMI: (f64, f64) = (0.3, 5.0);
/// Share of the set-up positions from which stones are removed, and the largest part of them.
const THINNED: (f64, f64) = (0.5, 0.2);

/// Which positions to draw.
#[derive(Clone, Debug)]
pub struct SourceSettings {
    /// How the network plays its games; their seed is that of everything random.
    pub selfplay: selfplay::Settings,
    /// Share of the jobs that take a recorded game, if there are such.
    pub recorded: f64,
    /// On average one of this number of positions of a game is drawn.
    pub every: usize,
    /// Share of the drawn positions that are played on.
    pub branches: f64,
    /// Share of the drawn positions that lose their history.
    pub set_ups: f64,
}

/// A game and the numbers of moves after which its positions are to be labelled, in ascending order.
#[derive(Clone, Debug)]
pub struct Unlabelled {
    /// The game, which may end with the last of these positions.
    pub record: Record,
    /// Move numbers.
    pub numbers: Vec<u16>,
}

impl Unlabelled {
    /// The positions to label.
    pub fn positions(&self) -> impl Iterator<Item = &Position> {
        let numbers = self.numbers.iter();
        numbers.filter_map(|&number| self.record.position_after(usize::from(number)))
    }
}

impl SourceSettings {
    /// Whether job `number` takes a recorded game.
    #[must_use]
    pub fn takes_recorded(&self, number: u64) -> bool {
        self.rng(number).chance(self.recorded)
    }

    fn rng(&self, number: u64) -> Rng {
        Rng::stream(self.selfplay.seed ^ POSITIONS, number)
    }

    /// The positions of job `number`, of `recorded` or of a game played now; `None` if `stop` was set before its end.
    ///
    /// # Errors
    /// If an evaluation fails or no thread can be started.
    pub fn draw(
        &self,
        stack: &Stack,
        number: u64,
        recorded: Option<&Game>,
        stop: &AtomicBool,
    ) -> Result<Option<Vec<Unlabelled>>, SearchError> {
        let mut rng = self.rng(number);
        // The draw of `takes_recorded`.
        rng.unit_f64();
        let record = match recorded {
            Some(game) => self.recorded(game, &mut rng),
            None => match selfplay::game::play(&self.selfplay, stack, number, stop)? {
                Some(played) => played.record,
                None => return Ok(None),
            },
        };
        let count = record.moves().len();
        let mut drawn = vec![Unlabelled {
            record: record.clone(),
            numbers: Vec::new(),
        }];
        for number in rng.choose(count, count.div_ceil(self.every)) {
            let kind = rng.unit_f64();
            if kind < self.set_ups {
                drawn.extend(set_up(&record, number, &mut rng));
            } else if kind < self.set_ups + self.branches {
                drawn.extend(branch(stack, &record, number, &mut rng)?);
            } else {
                drawn[0].numbers.push(number as u16);
            }
        }
        drawn.retain(|game| !game.numbers.is_empty());
        Ok(Some(drawn))
    }

    /// A recorded game under rules that are drawn and a komi near its own, up to its first illegal move.
    fn recorded(&self, game: &Game, rng: &mut Rng) -> Record {
        let (share, deviation) = SHIFTED_KOMI;
        let shift = if rng.chance(share) {
            deviation * rng.normal()
        } else {
            0.0
        };
        let komi = game.counted.komi;
        let komi = Komi::from_points(komi.points() + shift.round()).unwrap_or(komi);
        let rules = self.selfplay.rules.draw(rng).with_komi(komi);
        let mut record = Record::starting_from(game.start(rules));
        for &mv in &game.moves {
            if record.ended() || record.play(record.position().to_move(), mv).is_err() {
                break;
            }
        }
        record
    }
}

/// The game up to move `number`, and then moves that the policy draws. None if that ends the game.
fn branch(
    stack: &Stack,
    record: &Record,
    number: usize,
    rng: &mut Rng,
) -> Result<Option<Unlabelled>, SearchError> {
    let mut branch = record.clone();
    while branch.moves().len() > number {
        branch.undo();
    }
    for _ in 0..1 + rng.below(BRANCH_MOVES) {
        let position = branch.position();
        let answer = evaluate_one(&*stack.evaluator, Request::new(position))?;
        let points = position.legal_points();
        let moves: Vec<Move> = points.iter().map(Move::Play).chain([Move::Pass]).collect();
        let mv = draw_by_prior(
            position.size(),
            &moves,
            &answer.policy,
            BRANCH_TEMPERATURE,
            rng,
        );
        let played = branch.play(position.to_move(), mv);
        if played.is_err() || branch.ended() {
            return Ok(None);
        }
    }
    let numbers = vec![branch.moves().len() as u16];
    Ok(Some(Unlabelled {
        record: branch,
        numbers,
    }))
}

/// The board after move `number` without its history, either side to move, perhaps without some of its stones.
fn set_up(record: &Record, number: usize, rng: &mut Rng) -> Option<Unlabelled> {
    let position = record.position_after(number)?;
    let (share, largest) = THINNED;
    let removed = if rng.chance(share) {
        largest * rng.unit_f64()
    } else {
        0.0
    };
    let stones = ByColor::of(|color: Color| {
        let stones = position.board().stones(color).iter();
        stones.filter(|_| !rng.chance(removed)).collect()
    });
    let to_move = Color::BOTH[rng.below(2)];
    let initial = Position::set_up(position.size(), stones, to_move, *position.rules()).ok()?;
    Some(Unlabelled {
        record: Record::starting_from(initial),
        numbers: vec![0],
    })
}
