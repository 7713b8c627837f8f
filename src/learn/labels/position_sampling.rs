//! Chooses positions for labelling.
//!
//! Each [labelling job](super::labeller) takes positions from one game, which is either a self-play game or a recorded
//! game. Some of the positions are modified, because a search also evaluates positions that do not occur in games, and
//! because users set up positions. A *branch* continues a position with a few moves drawn from the policy at a high
//! temperature. A *set-up* is a position without its history and possibly without some of its stones. Jobs with the
//! same number, seed, network and recorded game produce the same positions.

use std::borrow::Cow;
use std::sync::atomic::AtomicBool;

use crate::eval::stack::EvaluatorStack;
use crate::game::color::{ByColor, Color};
use crate::game::position::Position;
use crate::game::record::Record;
use crate::game::rules::Komi;
use crate::learn::game::TrainingGame;
use crate::learn::selfplay::{self, policy};
use crate::random::Rng;
use crate::search::SearchError;
use crate::search::restriction::Restriction;

/// Value XORed with the seed of the games, so that the random numbers for choosing positions are independent of those
/// for playing games.
const POSITION_SEED_MASK: u64 = 0x9e37_79b9_7f4a_7c15;
/// Maximum number of moves in a branch.
const MAX_BRANCH_MOVES: usize = 8;
/// Temperature for drawing the moves of a branch.
const BRANCH_TEMPERATURE: f64 = 1.3;
/// Fraction of the recorded games in which komi is changed, and standard deviation of this change in points.
const KOMI_SHIFT_DISTRIBUTION: (f64, f64) = (0.3, 5.0);
/// Fraction of the set-ups in which stones are removed, and maximum probability of removing each stone of such a
/// set-up.
const STONE_REMOVAL_PROBABILITIES: (f64, f64) = (0.5, 0.2);

/// Settings for choosing positions.
#[derive(Clone, Debug)]
pub struct PositionSamplingSettings {
    /// Settings of the self-play games. All random numbers are derived from the seed in these settings.
    pub selfplay: selfplay::SelfplaySettings,
    /// Fraction of the jobs that use a recorded game while recorded games are available.
    pub recorded_fraction: f64,
    /// Mean number of moves between two chosen positions of a game.
    pub sampling_interval: usize,
    /// Fraction of the chosen positions that become branches.
    pub branch_fraction: f64,
    /// Fraction of the chosen positions that become set-ups.
    pub setup_fraction: f64,
}

/// Game with positions to be labelled.
#[derive(Clone, Debug)]
pub struct UnlabelledGame {
    /// The game, at least up to the last position to be labelled.
    pub record: Record,
    /// Number of moves before each position to be labelled, in ascending order.
    pub move_numbers: Vec<u16>,
}

impl UnlabelledGame {
    /// Returns the positions to be labelled.
    pub fn positions(&self) -> impl Iterator<Item = Cow<'_, Position>> {
        let move_numbers = self.move_numbers.iter();
        move_numbers.filter_map(|&move_number| self.record.position_after(usize::from(move_number)))
    }
}

impl PositionSamplingSettings {
    /// Returns true if job `job_number` uses a recorded game, provided that one is available.
    pub fn job_uses_recorded_game(&self, job_number: u64) -> bool {
        self.rng(job_number).chance(self.recorded_fraction)
    }

    fn rng(&self, job_number: u64) -> Rng {
        Rng::stream(self.selfplay.seed ^ POSITION_SEED_MASK, job_number)
    }

    /// Returns the positions of a job. The positions are taken from the game `recorded` or, if that is `None`, from a
    /// self-play game of `stack`. `stack` also draws the moves of branches. Returns `None` if `stop` is set before the
    /// end of the self-play game.
    ///
    /// # Errors
    /// Returns an error if an evaluation fails or no thread can be started.
    pub fn draw_positions(
        &self,
        stack: &EvaluatorStack,
        job_number: u64,
        recorded: Option<&TrainingGame>,
        stop: &AtomicBool,
    ) -> Result<Option<Vec<UnlabelledGame>>, SearchError> {
        let mut rng = self.rng(job_number);
        // The first random number is used by `job_uses_recorded_game`.
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

    /// Replays a recorded game under rules drawn at random and, in some games, with a changed komi. Stops at the first
    /// illegal move.
    fn recorded_game(&self, game: &TrainingGame, rng: &mut Rng) -> Record {
        let (probability, deviation) = KOMI_SHIFT_DISTRIBUTION;
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

/// Returns a branch: the first `move_number` moves of the game, followed by moves drawn from the policy. The last
/// position is the one to be labelled. Returns `None` if a move from the policy ends the game or cannot be played.
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
        let choice = policy::choose_move(
            &stack.evaluator,
            position,
            &Restriction::none(),
            BRANCH_TEMPERATURE,
            rng,
        )?;
        let result = branch.play(position.to_move(), choice.mv);
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

/// Returns a set-up: the position after `move_number` moves, but without its history, possibly without some of its
/// stones, and with a random side to move. Returns `None` if the game has fewer moves.
fn draw_setup(record: &Record, move_number: usize, rng: &mut Rng) -> Option<UnlabelledGame> {
    let position = record.position_after(move_number)?;
    let (probability, max_removed) = STONE_REMOVAL_PROBABILITIES;
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
    let initial =
        Position::from_stones(position.size(), stones, to_move, *position.rules()).ok()?;
    Some(UnlabelledGame {
        record: Record::from_position(initial),
        move_numbers: vec![0],
    })
}
