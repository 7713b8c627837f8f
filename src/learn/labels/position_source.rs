//! Positions to label: of games played by a network's policy and of recorded games, with branches and set-up positions.
//!
//! A search evaluates positions that no game reaches, and users set positions up. So some positions are played on for a
//! few moves that the policy draws at a high temperature (branches), and others lose their history and some stones
//! (set-ups). Job number N of a seed always gives the same positions.

use std::sync::atomic::AtomicBool;

use crate::eval::stack::EvaluatorStack;
use crate::eval::{Request, evaluate_one};
use crate::game::color::{ByColor, Color};
use crate::game::point::Move;
use crate::game::position::Position;
use crate::game::record::Record;
use crate::game::rules::Komi;
use crate::learn::archive::TrainingGame;
use crate::learn::selfplay;
use crate::learn::selfplay::policy::draw_by_prior;
use crate::random::Rng;
use crate::search::SearchError;

/// Random numbers for choosing positions are independent of those of the game: its seed is combined with this.
const POSITION_SEED_MASK: u64 = 0x9e37_79b9_7f4a_7c15;
/// Branches have up to this number of moves ...
const MAX_BRANCH_MOVES: usize = 8;
/// ... drawn from the policy at this temperature.
const BRANCH_TEMPERATURE: f64 = 1.3;
/// Share of the recorded games that are labelled under a shifted komi, and the standard deviation of the shift.
const KOMI_SHIFT: (f64, f64) = (0.3, 5.0);
/// Share of the set-up positions from which stones are removed, and the largest part of them.
const STONE_REMOVAL: (f64, f64) = (0.5, 0.2);

/// Which positions to draw.
#[derive(Clone, Debug)]
pub struct SourceSettings {
    /// How the network plays its games; their seed is that of everything random.
    pub selfplay: selfplay::SelfplaySettings,
    /// Share of the jobs that take a recorded game, if there are such.
    pub recorded_fraction: f64,
    /// On average one of this number of positions of a game is drawn.
    pub sampling_interval: usize,
    /// Share of the drawn positions that are played on.
    pub branch_fraction: f64,
    /// Share of the drawn positions that lose their history.
    pub setup_fraction: f64,
}

/// A game and the numbers of moves after which its positions are to be labelled, in ascending order.
#[derive(Clone, Debug)]
pub struct UnlabelledGame {
    /// The game, which may end with the last of these positions.
    pub record: Record,
    /// Move numbers.
    pub move_numbers: Vec<u16>,
}

impl UnlabelledGame {
    /// The positions to label.
    pub fn positions(&self) -> impl Iterator<Item = &Position> {
        let move_numbers = self.move_numbers.iter();
        move_numbers.filter_map(|&move_number| self.record.position_after(usize::from(move_number)))
    }
}

impl SourceSettings {
    /// Whether job `move_number` takes a recorded game.
    #[must_use]
    pub fn uses_recorded_game(&self, job_number: u64) -> bool {
        self.rng(job_number).chance(self.recorded_fraction)
    }

    fn rng(&self, job_number: u64) -> Rng {
        Rng::stream(self.selfplay.seed ^ POSITION_SEED_MASK, job_number)
    }

    /// The positions of job `move_number`, of `recorded_fraction` or of a game played now; `None` if `stop` was set before its end.
    ///
    /// # Errors
    /// If an evaluation fails or no thread can be started.
    pub fn draw_positions(
        &self,
        stack: &EvaluatorStack,
        job_number: u64,
        recorded: Option<&TrainingGame>,
        stop: &AtomicBool,
    ) -> Result<Option<Vec<UnlabelledGame>>, SearchError> {
        let mut rng = self.rng(job_number);
        // The draw of `uses_recorded_game`.
        rng.unit_f64();
        let record = match recorded {
            Some(game) => self.recorded_game(game, &mut rng),
            None => match selfplay::game::play_game(&self.selfplay, stack, job_number, stop)? {
                Some(game) => game.record,
                None => return Ok(None),
            },
        };
        let count = record.moves().len();
        let mut games = vec![UnlabelledGame {
            record: record.clone(),
            move_numbers: Vec::new(),
        }];
        for move_number in rng.sample_indices(count, count.div_ceil(self.sampling_interval)) {
            let kind = rng.unit_f64();
            if kind < self.setup_fraction {
                games.extend(draw_setup(&record, move_number, &mut rng));
            } else if kind < self.setup_fraction + self.branch_fraction {
                games.extend(draw_branch(stack, &record, move_number, &mut rng)?);
            } else {
                games[0].move_numbers.push(move_number as u16);
            }
        }
        games.retain(|game| !game.move_numbers.is_empty());
        Ok(Some(games))
    }

    /// A recorded game under rules that are drawn and a komi near its own, up to its first illegal move.
    fn recorded_game(&self, game: &TrainingGame, rng: &mut Rng) -> Record {
        let (probability, deviation) = KOMI_SHIFT;
        let shift = if rng.chance(probability) {
            deviation * rng.normal()
        } else {
            0.0
        };
        let komi = game.scoring_rules.komi;
        let komi = Komi::from_points(komi.points() + shift.round()).unwrap_or(komi);
        let rules = self.selfplay.rules.draw(rng).with_komi(komi);
        let mut record = Record::from_position(game.initial_position(rules));
        for &mv in &game.moves {
            if record.ended() || record.play(record.position().to_move(), mv).is_err() {
                break;
            }
        }
        record
    }
}

/// The game up to move `move_number`, and then moves that the policy draws. None if that ends the game.
fn draw_branch(
    stack: &EvaluatorStack,
    record: &Record,
    move_number: usize,
    rng: &mut Rng,
) -> Result<Option<UnlabelledGame>, SearchError> {
    let mut branch = record.clone();
    while branch.moves().len() > move_number {
        branch.undo();
    }
    for _ in 0..1 + rng.below(MAX_BRANCH_MOVES) {
        let position = branch.position();
        let evaluation = evaluate_one(&*stack.evaluator, Request::new(position))?;
        let points = position.legal_points();
        let moves: Vec<Move> = points.iter().map(Move::Play).chain([Move::Pass]).collect();
        let mv = draw_by_prior(
            position.size(),
            &moves,
            &evaluation.policy,
            BRANCH_TEMPERATURE,
            rng,
        );
        let result = branch.play(position.to_move(), mv);
        if result.is_err() || branch.ended() {
            return Ok(None);
        }
    }
    let move_numbers = vec![branch.moves().len() as u16];
    Ok(Some(UnlabelledGame {
        record: branch,
        move_numbers,
    }))
}

/// The board after move `move_number` without its history, either side to move, perhaps without some of its stones.
fn draw_setup(record: &Record, move_number: usize, rng: &mut Rng) -> Option<UnlabelledGame> {
    let position = record.position_after(move_number)?;
    let (probability, max_removed) = STONE_REMOVAL;
    let removal_probability = if rng.chance(probability) {
        max_removed * rng.unit_f64()
    } else {
        0.0
    };
    let stones = ByColor::from_fn(|color: Color| {
        let stones = position.board().stones(color).iter();
        stones
            .filter(|_| !rng.chance(removal_probability))
            .collect()
    });
    let to_move = Color::BOTH[rng.below(2)];
    let initial = Position::set_up(position.size(), stones, to_move, *position.rules()).ok()?;
    Some(UnlabelledGame {
        record: Record::from_position(initial),
        move_numbers: vec![0],
    })
}
