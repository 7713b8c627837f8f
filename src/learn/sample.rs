//! Training samples: positions of a game with what happened afterwards, and with what a teacher says of them.

use super::archive::TrainingGame;
use super::final_ownership::final_ownership;
use super::komi_balance::balance_komi;
use super::labels::label::Label;
use super::leaf_sampler::LeafSampler;
use super::selfplay::policy::draw_by_prior;
use super::teacher::{PositionTargets, Teacher};
use super::teacher_input::{TeacherInput, TeacherInputEncoder};
use crate::encode::{Encoder, Encoding};
use crate::eval::EvalError;
use crate::eval::playout::Playout;
use crate::game::color::{ByColor, Color};
use crate::game::point::{BoardSize, Move};
use crate::game::pointset::PointSet;
use crate::game::position::Position;
use crate::game::rules::{KoRule, Rules, Scoring, Tax};
use crate::game::symmetry::Symmetry;
use crate::random::Rng;
use crate::search::SearchError;

/// One position, encoded, with its targets; everything from the side of the player to move.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// The planes, each in reading order, values -1, 0 or 1.
    pub planes: Vec<i8>,
    /// The global vector.
    pub globals: Vec<f32>,
    /// How often each move is to be chosen: the points in reading order, then the pass. Sums to 1. `None` where that is
    /// not to be learnt.
    pub policy: Option<Vec<f32>>,
    /// The result, from -1 (the opponent has won) to 1 (the mover).
    pub value: f32,
    /// The lead in points, where it is known.
    pub lead: Option<f32>,
    /// The owner of each point, from -127 (the opponent) to 127 (the mover), where they are known.
    pub ownership: Option<Vec<i8>>,
    /// What a teacher takes, for a trainer that asks one.
    pub teacher_input: Option<TeacherInput>,
    /// Further predictions of a teacher; each may be unknown.
    pub details: LabelDetails,
}

/// Predictions of a teacher beside result, lead and ownership; `None` where unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LabelDetails {
    /// Standard deviation of the score in points.
    pub score_deviation: Option<f32>,
    /// Expected short-term error of the result, which is from -1 to 1.
    pub value_error: Option<f32>,
    /// Expected short-term error of the score in points.
    pub score_error: Option<f32>,
    /// Expected number of turns until the winner shows.
    pub variance_time: Option<f32>,
    /// Probability of a game without result.
    pub no_result: Option<f32>,
}

impl LabelDetails {
    /// Names in the sample stream, in the order of [`values`](Self::values).
    pub const NAMES: [&'static str; 5] = [
        "score_deviation",
        "value_error",
        "score_error",
        "variance_time",
        "no_result",
    ];

    /// The values in the order of [`NAMES`](Self::NAMES).
    #[must_use]
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

/// Which samples to make of a game.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SampleSettings {
    /// The planes and globals.
    pub encoding: Encoding,
    /// About how many positions of each game, at random places.
    pub positions_per_game: usize,
    /// The first move, from 0, at which positions are taken.
    pub min_move: usize,
    /// Whether each position is turned by a random symmetry.
    pub random_symmetry: bool,
    /// The share, from 0 to 1, of result and lead that is what a search said of the position, where one did; the rest is
    /// the game's end.
    pub search_weight: f32,
    /// How many positions more after each. Those that an explorer finds, or without one, but with a teacher, a row of
    /// them, to which moves lead that the teacher thinks less of too, as a search tries them; a net that has seen only
    /// good play misjudges what comes of bad moves.
    pub off_policy_moves: usize,
    /// With a teacher that tells leads: whether positions are put under a komi that makes them about even. The game's
    /// end, which was another komi's, teaches nothing then. Without a teacher an explorer searches from such positions.
    pub balance_komi: bool,
    /// Whether samples carry what a teacher takes as input, for a trainer that asks one.
    pub with_teacher_inputs: bool,
    /// Whether samples teach which moves to choose.
    pub with_policy: bool,
}

/// How much the teacher's priors are flattened where a move leads astray.
const OFF_POLICY_TEMPERATURE: f64 = 1.5;

/// Makes samples; keeps its scratch between games.
pub struct Sampler<'a> {
    settings: SampleSettings,
    teacher: Option<&'a Teacher>,
    leaf_sampler: Option<&'a LeafSampler>,
    encoder: Encoder,
    teacher_encoder: TeacherInputEncoder,
    playout: Playout,
    planes: Vec<f32>,
}

/// What is known of the end of a game, from Black's side.
struct GameOutcome {
    /// Nobody in a drawn game.
    winner: Option<Color>,
    lead: Option<f32>,
    ownership: Option<ByColor<PointSet>>,
}

impl<'a> Sampler<'a> {
    /// A sampler; with a teacher the targets are those of its lessons.
    #[must_use]
    pub fn new(settings: SampleSettings, teacher: Option<&'a Teacher>) -> Self {
        Self {
            settings,
            teacher,
            leaf_sampler: None,
            encoder: Encoder::default(),
            teacher_encoder: TeacherInputEncoder::default(),
            playout: Playout::default(),
            planes: Vec::new(),
        }
    }

    /// The same with an explorer, if there is one, which finds the positions astray.
    #[must_use]
    pub fn with_leaf_sampler(self, leaf_sampler: Option<&'a LeafSampler>) -> Self {
        Self {
            leaf_sampler,
            ..self
        }
    }

    /// The samples of a game, of all its positions or, where searches say what to play in some of them, of those. A game
    /// counted at its end also teaches the two passes that ended it, which most records leave out; they come as often as
    /// any two other moves. Of a record without moves there is nothing to learn, whatever its result. An illegal move
    /// ends the game there.
    ///
    /// # Errors
    /// When a position cannot be evaluated or searched.
    pub fn sample_game(
        &mut self,
        game: &TrainingGame,
        rng: &mut Rng,
    ) -> Result<Vec<Sample>, SearchError> {
        let mut samples = Vec::new();
        let mut moves = game.moves.clone();
        if game.margin.is_some() && (moves.last()).is_some_and(|&last| last != Move::Pass) {
            moves.extend([Move::Pass, Move::Pass]);
        }
        let move_numbers = self.candidate_moves(game, moves.len());
        let chosen = rng.sample_indices(move_numbers.len(), self.settings.positions_per_game);
        let initial = game.initial_position(training_rules(game, rng));
        let outcome = self.game_outcome(game, &initial, rng);
        let mut position = initial;
        let mut next = chosen
            .into_iter()
            .map(|index| move_numbers[index])
            .peekable();
        for (index, &mv) in moves.iter().enumerate() {
            let is_legal = mv.point().is_none_or(|point| position.legal(point).is_ok());
            if !is_legal || next.peek().is_none() {
                break;
            }
            if next.next_if_eq(&index).is_some() {
                let mut targets = outcome.targets(&position, mv);
                if let Some(target) = game.search_targets.get(index).and_then(Option::as_ref) {
                    target.blend_into(position.size(), &mut targets, self.settings.search_weight);
                }
                samples.extend(self.samples_at(&position, targets, rng)?);
            }
            position.play_unchecked(position.to_move(), mv);
        }
        Ok(samples)
    }

    /// The sample of a position of which the game says `targets`, then those astray of it.
    fn samples_at(
        &mut self,
        position: &Position,
        mut targets: PositionTargets,
        rng: &mut Rng,
    ) -> Result<Vec<Sample>, SearchError> {
        let Some(teacher) = self.teacher else {
            return self.samples_without_teacher(position, &targets, rng);
        };
        let mut position = position.clone();
        let mut teacher_targets = teacher.evaluate(&position)?;
        if let Some(lead) = teacher_targets.lead.filter(|_| self.settings.balance_komi) {
            position = balance_komi(&position, lead, rng);
            teacher_targets = teacher.evaluate(&position)?;
            let policy = targets.policy;
            targets = PositionTargets {
                policy,
                ..teacher_targets.clone()
            };
        }
        teacher.blend_into(&teacher_targets, &mut targets);
        let mut samples = vec![self.encode_sample(&position, &targets, rng)];
        match self.leaf_sampler {
            Some(leaf_sampler) => {
                for leaf in
                    leaf_sampler.sample_leaves(&position, self.settings.off_policy_moves, rng)?
                {
                    samples.push(self.encode_sample(&leaf, &teacher.evaluate(&leaf)?, rng));
                }
            }
            None => {
                self.add_off_policy_samples(position, teacher_targets, teacher, &mut samples, rng)?
            }
        }
        Ok(samples)
    }

    /// The sample of a position of which the game says `targets`, then, without lessons, those that the explorer finds: of
    /// these a trainer asks its teacher. What is to be made even is so by the explorer's judgement before it searches.
    fn samples_without_teacher(
        &mut self,
        position: &Position,
        targets: &PositionTargets,
        rng: &mut Rng,
    ) -> Result<Vec<Sample>, SearchError> {
        let mut samples = vec![self.encode_sample(position, targets, rng)];
        if let Some(leaf_sampler) = self.leaf_sampler {
            let root = match self.settings.balance_komi {
                true => leaf_sampler.balance_komi(position, rng)?,
                false => position.clone(),
            };
            let unknown = PositionTargets::unknown(position.size());
            for leaf in leaf_sampler.sample_leaves(&root, self.settings.off_policy_moves, rng)? {
                samples.push(self.encode_sample(&leaf, &unknown, rng));
            }
        }
        Ok(samples)
    }

    /// Adds the samples of a row of positions to which the teacher's lesser moves lead from one of which it says `teacher_targets`.
    fn add_off_policy_samples(
        &mut self,
        mut position: Position,
        mut teacher_targets: PositionTargets,
        teacher: &Teacher,
        samples: &mut Vec<Sample>,
        rng: &mut Rng,
    ) -> Result<(), EvalError> {
        for _ in 0..self.settings.off_policy_moves {
            let mv = draw_off_policy_move(&position, &teacher_targets.policy, rng);
            position.play_unchecked(position.to_move(), mv);
            if position.ended() {
                break;
            }
            teacher_targets = teacher.evaluate(&position)?;
            samples.push(self.encode_sample(&position, &teacher_targets, rng));
        }
        Ok(())
    }

    /// The moves of a game that samples are made of, by their numbers from 0: those that a search was asked about, if
    /// there are such, else all `count`.
    fn candidate_moves(&self, game: &TrainingGame, count: usize) -> Vec<usize> {
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
        let lead = game.lead_half_points();
        // A teacher tells the owners at a fraction of what these playouts cost.
        let has_teacher = self.teacher.is_some() || self.settings.with_teacher_inputs;
        let counted_lead = lead.filter(|_| !has_teacher && game.final_ownership.is_none());
        let estimated_ownership = counted_lead.and_then(|lead| {
            let mut final_position = initial.clone();
            for &mv in &game.moves {
                final_position.play(final_position.to_move(), mv).ok()?;
            }
            final_ownership(&final_position, lead, &mut self.playout, rng)
        });
        GameOutcome {
            winner: game.winner,
            lead: lead.map(|lead| lead as f32 / 2.0),
            ownership: game.final_ownership.or(estimated_ownership),
        }
    }

    /// The position and its targets, turned.
    fn encode_sample(
        &mut self,
        position: &Position,
        targets: &PositionTargets,
        rng: &mut Rng,
    ) -> Sample {
        let symmetry = self.draw_symmetry(position, rng);
        let size = position.size();
        let encoding = self.settings.encoding;
        self.planes.resize(encoding.planes() * size.area(), 0.0);
        let mut globals = vec![0.0; encoding.globals()];
        self.encoder
            .encode(encoding, position, symmetry, &mut self.planes, &mut globals);
        let policy = self.settings.with_policy.then(|| {
            let mut policy = apply_symmetry(symmetry, size, &targets.policy);
            policy.push(targets.policy[size.area()]);
            policy
        });
        let ownership = targets.ownership.as_deref();
        let teacher_encoder = &mut self.teacher_encoder;
        let teacher_input =
            (self.settings.with_teacher_inputs).then(|| teacher_encoder.encode(position, symmetry));
        Sample {
            planes: self.planes.iter().map(|&x| x as i8).collect(),
            globals,
            policy,
            value: targets.value,
            lead: targets.lead,
            ownership: ownership.map(|owners| {
                let owners = apply_symmetry(symmetry, size, owners);
                owners.iter().map(|x| (x * 127.0).round() as i8).collect()
            }),
            teacher_input,
            details: LabelDetails::default(),
        }
    }

    /// The sample of a labelled position. A label without moves teaches no policy.
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
        sample.details = LabelDetails {
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
    /// What the game teaches of a position in which `mv` was played.
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

/// A legal move, drawn by its prior among the points in reading order and the pass, flattened.
fn draw_off_policy_move(position: &Position, priors: &[f32], rng: &mut Rng) -> Move {
    let legal = position.legal_points();
    let moves: Vec<Move> = legal.iter().map(Move::Play).chain([Move::Pass]).collect();
    draw_by_prior(position.size(), &moves, priors, OFF_POLICY_TEMPERATURE, rng)
}

/// The numbers of the points in reading order, as they stand on the turned board.
fn apply_symmetry(symmetry: Symmetry, size: BoardSize, values: &[f32]) -> Vec<f32> {
    let transformed_size = symmetry.map_size(size);
    let mut transformed = vec![0.0; size.area()];
    for point in size.points() {
        transformed[transformed_size.index(symmetry.map_point(size, point))] =
            values[size.index(point)];
    }
    transformed
}

/// The rules to show the net with a game: its own where they are known. Other records do not tell them apart by their
/// moves, so the axes that left no trace in the game are drawn at random: the net learns not to mind them. The scoring is
/// the game's where it was counted.
pub(super) fn training_rules(game: &TrainingGame, rng: &mut Rng) -> Rules {
    if let Some(rules) = game.rules {
        return rules;
    }
    let scoring_rules = match game.margin {
        Some(_) => game.scoring_rules,
        None => {
            let (scoring, tax) = if rng.chance(0.5) {
                (Scoring::Area, Tax::None)
            } else {
                (Scoring::Territory, Tax::Seki)
            };
            Rules {
                scoring,
                tax,
                button: false,
                ..game.scoring_rules
            }
        }
    };
    Rules {
        ko: [KoRule::Simple, KoRule::Positional, KoRule::Situational][rng.below(3)],
        suicide: rng.chance(0.3),
        ..scoring_rules
    }
}
