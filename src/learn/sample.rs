//! Training samples: encoded positions with targets. The targets are derived from a label, or from the outcome of a
//! game and the results of its searches.

use super::final_ownership::estimate_final_ownership;
use super::game::{TrainingGame, draw_training_rules};
use super::labels::label::Label;
use super::targets::PositionTargets;
use crate::encode::{Encoder, Encoding};
use crate::eval::random_playout::RandomPlayout;
use crate::game::color::{ByColor, Color};
use crate::game::point::{BoardSize, Move};
use crate::game::pointset::PointSet;
use crate::game::position::Position;
use crate::game::symmetry::Symmetry;
use crate::random::Rng;

/// Encoded position with its targets, from the perspective of the player to move.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// Input planes, with values -1, 0 or 1.
    pub planes: Vec<i8>,
    /// Global inputs.
    pub globals: Vec<f32>,
    /// Target policy: one value per point, then one for a pass, with a sum of 1. `None` if there is no policy target.
    pub policy: Option<Vec<f32>>,
    /// Target value, from -1 (loss) to 1 (win).
    pub value: f32,
    /// Target lead in points, including komi; `None` if unknown.
    pub lead: Option<f32>,
    /// Target owner of each point, from -127 (opponent) to 127 (player to move); `None` if unknown.
    pub ownership: Option<Vec<i8>>,
    /// Additional targets from a label. All of them are `None` in samples from games.
    pub auxiliary_targets: AuxiliaryTargets,
}

/// Predictions in a label other than policy, value, lead and ownership. Each is `None` if unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct AuxiliaryTargets {
    /// Standard deviation of the final score, in points.
    pub score_deviation: Option<f32>,
    /// Expected short-term error of the value, which is the win probability minus the loss probability.
    pub value_error: Option<f32>,
    /// Expected short-term error of the score, in points.
    pub score_error: Option<f32>,
    /// Expected number of turns until the winner is clear.
    pub variance_time: Option<f32>,
    /// Probability that the game ends without a result.
    pub no_result: Option<f32>,
}

impl AuxiliaryTargets {
    /// Names of the fields in the stream of batches, in the order of [`values`](Self::values).
    pub const NAMES: [&'static str; 5] = [
        "score_deviation",
        "value_error",
        "score_error",
        "variance_time",
        "no_result",
    ];

    /// Returns the values in the order of [`NAMES`](Self::NAMES).
    pub const fn values(&self) -> [Option<f32>; Self::NAMES.len()] {
        [
            self.score_deviation,
            self.value_error,
            self.score_error,
            self.variance_time,
            self.no_result,
        ]
    }
}

/// Settings for the conversion of games to samples.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SamplerSettings {
    /// Input encoding of the network.
    pub encoding: Encoding,
    /// Maximum number of positions per game. They are chosen at random.
    pub positions_per_game: usize,
    /// Minimum number of moves before each chosen position.
    pub min_move: usize,
    /// True if a random symmetry is applied to each sample.
    pub random_symmetry: bool,
    /// Weight of the search result in the targets for value and lead, from 0 to 1. The game result has the remaining
    /// weight, or the full weight in positions without a search result.
    pub search_weight: f32,
}

/// Converter of games and labelled positions to samples, with reusable buffers.
pub struct Sampler {
    settings: SamplerSettings,
    encoder: Encoder,
    playout: RandomPlayout,
    planes: Vec<f32>,
}

/// Outcome of a game, from which the targets of its positions are computed.
struct GameOutcome {
    /// The winner; `None` for a draw.
    winner: Option<Color>,
    /// Black's lead in points, including komi; `None` if unknown.
    lead: Option<f32>,
    ownership: Option<ByColor<PointSet>>,
}

impl Sampler {
    /// Creates a sampler with the given settings.
    pub fn new(settings: SamplerSettings) -> Self {
        Self {
            settings,
            encoder: Encoder::default(),
            playout: RandomPlayout::default(),
            planes: Vec::new(),
        }
    }

    /// Converts randomly chosen positions of a game to samples.
    ///
    /// If the game has search results, only positions with a search result are chosen. Otherwise, any position in which
    /// a move is played may be chosen, including those before the final passes. If a scored game does not end with a
    /// pass, as in most records, two passes are added first. Positions after the first illegal move are omitted.
    pub fn sample_game(&mut self, game: &TrainingGame, rng: &mut Rng) -> Vec<Sample> {
        let mut samples = Vec::new();
        let mut moves = game.moves.clone();
        if game.margin.is_some() && (moves.last()).is_some_and(|&last| last != Move::Pass) {
            moves.extend([Move::Pass, Move::Pass]);
        }
        let move_numbers = self.candidate_positions(game, moves.len());
        let chosen = rng.sample_indices(move_numbers.len(), self.settings.positions_per_game);
        let initial = game.initial_position(draw_training_rules(game, rng));
        let outcome = self.game_outcome(game, &initial, rng);
        let mut position = initial;
        let mut next = chosen
            .into_iter()
            .map(|index| move_numbers[index])
            .peekable();
        for (index, &mv) in moves.iter().enumerate() {
            let is_legal = mv
                .point()
                .is_none_or(|point| position.check_legal(point).is_ok());
            if !is_legal || next.peek().is_none() {
                break;
            }
            if next.next_if_eq(&index).is_some() {
                let mut targets = outcome.targets(&position, mv);
                if let Some(target) = game.search_targets.get(index).and_then(Option::as_ref) {
                    target.blend_into(position.size(), &mut targets, self.settings.search_weight);
                }
                samples.push(self.encode_sample(&position, &targets, rng));
            }
            position.play_unchecked(position.to_move(), mv);
        }
        samples
    }

    /// Returns the positions that may be chosen, each as the number of moves before the position.
    ///
    /// These are the positions with a search result or, if there are none, all positions in which one of the `count`
    /// moves is played. Positions with fewer than `min_move` previous moves are excluded.
    fn candidate_positions(&self, game: &TrainingGame, count: usize) -> Vec<usize> {
        let searched_moves: Vec<usize> = (0..game.search_targets.len())
            .filter(|&index| game.search_targets[index].is_some())
            .collect();
        let candidates = if searched_moves.is_empty() {
            (0..count).collect()
        } else {
            searched_moves
        };
        let min_move = self.settings.min_move;
        candidates
            .into_iter()
            .filter(|&index| index >= min_move)
            .collect()
    }

    fn draw_symmetry(&self, position: &Position, rng: &mut Rng) -> Symmetry {
        if !self.settings.random_symmetry {
            return Symmetry::IDENTITY;
        }
        let all: Vec<Symmetry> = Symmetry::for_size(position.size()).collect();
        all[rng.below(all.len())]
    }

    fn game_outcome(
        &mut self,
        game: &TrainingGame,
        initial: &Position,
        rng: &mut Rng,
    ) -> GameOutcome {
        let lead = game.black_lead_half_points();
        let counted_lead = lead.filter(|_| game.final_ownership.is_none());
        let estimated_ownership = counted_lead.and_then(|lead| {
            let mut final_position = initial.clone();
            for &mv in &game.moves {
                final_position.play(final_position.to_move(), mv).ok()?;
            }
            estimate_final_ownership(&final_position, lead, &mut self.playout, rng)
        });
        GameOutcome {
            winner: game.winner,
            lead: lead.map(|lead| lead as f32 / 2.0),
            ownership: game.final_ownership.or(estimated_ownership),
        }
    }

    /// Encodes a position and its targets. Applies a random symmetry if the settings request one.
    fn encode_sample(
        &mut self,
        position: &Position,
        targets: &PositionTargets,
        rng: &mut Rng,
    ) -> Sample {
        let symmetry = self.draw_symmetry(position, rng);
        let size = position.size();
        let encoding = self.settings.encoding;
        self.planes
            .resize(encoding.plane_count() * size.area(), 0.0);
        let mut globals = vec![0.0; encoding.global_count()];
        self.encoder
            .encode(encoding, position, symmetry, &mut self.planes, &mut globals);
        let mut policy = map_point_values(symmetry, size, &targets.policy);
        policy.push(targets.policy[size.area()]);
        let ownership = targets.ownership.as_deref();
        Sample {
            planes: self.planes.iter().map(|&x| x as i8).collect(),
            globals,
            policy: Some(policy),
            value: targets.value,
            lead: targets.lead,
            ownership: ownership.map(|owners| {
                let owners = map_point_values(symmetry, size, owners);
                owners.iter().map(|x| (x * 127.0).round() as i8).collect()
            }),
            auxiliary_targets: AuxiliaryTargets::default(),
        }
    }

    /// Converts a labelled position to a sample. If the label contains no moves, the sample has no policy target.
    pub fn labelled_sample(&mut self, position: &Position, label: &Label, rng: &mut Rng) -> Sample {
        let area = position.size().area();
        let policy = label.dense_policy(area);
        let has_policy = policy.is_some();
        let targets = PositionTargets {
            policy: policy.unwrap_or_else(|| vec![0.0; area + 1]),
            value: label.value(),
            lead: label.lead,
            ownership: (!label.ownership.is_empty()).then(|| label.ownership.clone()),
        };
        let mut sample = self.encode_sample(position, &targets, rng);
        sample.policy = sample.policy.filter(|_| has_policy);
        let errors = label.errors;
        sample.auxiliary_targets = AuxiliaryTargets {
            score_deviation: label.score_deviation,
            value_error: errors.map(|errors| errors.value),
            score_error: errors.map(|errors| errors.score),
            variance_time: errors.map(|errors| errors.variance_time),
            no_result: Some(label.no_result),
        };
        sample
    }
}

impl GameOutcome {
    /// Returns the targets for a position in which `mv` was played.
    fn targets(&self, position: &Position, mv: Move) -> PositionTargets {
        let size = position.size();
        let to_move = position.to_move();
        let mut policy = vec![0.0; size.area() + 1];
        policy[size.move_index(mv)] = 1.0;
        let ownership = self.ownership.as_ref().map(|final_ownership| {
            let mut owners = vec![0.0; size.area()];
            for (color, value) in [(to_move, 1.0), (to_move.opposite(), -1.0)] {
                for point in final_ownership[color] {
                    owners[size.index(point)] = value;
                }
            }
            owners
        });
        PositionTargets {
            policy,
            value: self.winner.map_or(0.0, |winner| {
                to_move.to_perspective(winner.to_perspective(1.0))
            }),
            lead: self.lead.map(|lead| to_move.to_perspective(lead)),
            ownership,
        }
    }
}

/// Applies `symmetry` to the first `size.area()` elements of `values`, one per board point. Ignores the other elements.
fn map_point_values(symmetry: Symmetry, size: BoardSize, values: &[f32]) -> Vec<f32> {
    let transformed_size = symmetry.map_size(size);
    let mut transformed = vec![0.0; size.area()];
    for point in size.points() {
        transformed[transformed_size.index(symmetry.map_point(size, point))] =
            values[size.index(point)];
    }
    transformed
}
