//! Training samples: positions of a game with what happened afterwards, and with what a teacher says of them.

use super::archive::Game;
use super::asking::{TeacherEncoder, TeacherInput};
use super::even::evened;
use super::explorer::Explorer;
use super::final_ownership::final_ownership;
use super::labels::label::Label;
use super::selfplay::policy::draw_by_prior;
use super::teacher::{Lesson, Teacher};
use crate::encode::{Encoder, Encoding};
use crate::eval::EvalError;
use crate::eval::playout::Playout;
use crate::game::color::{ByColor, Color};
use crate::game::point::{BoardSize, Move};
use crate::game::pointset::PointSet;
use crate::game::position::Position;
use crate::game::rules::{KoRule, Rules, Scoring, Tax};
use crate::game::symmetry::Symmetry;
use crate::rng::Rng;
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
    pub score: Option<f32>,
    /// The owner of each point, from -127 (the opponent) to 127 (the mover), where they are known.
    pub ownership: Option<Vec<i8>>,
    /// What a teacher takes, for a trainer that asks one.
    pub asked: Option<TeacherInput>,
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
    pub per_game: usize,
    /// The first move, from 0, at which positions are taken.
    pub from_move: usize,
    /// Whether each position is turned by a random symmetry.
    pub turn: bool,
    /// The share, from 0 to 1, of result and lead that is what a search said of the position, where one did; the rest is
    /// the game's end.
    pub searched: f32,
    /// How many positions more after each. Those that an explorer finds, or without one, but with a teacher, a row of
    /// them, to which moves lead that the teacher thinks less of too, as a search tries them; a net that has seen only
    /// good play misjudges what comes of bad moves.
    pub astray: usize,
    /// With a teacher that tells leads: whether positions are put under a komi that makes them about even. The game's
    /// end, which was another komi's, teaches nothing then. Without a teacher an explorer searches from such positions.
    pub even: bool,
    /// Whether samples carry what a teacher takes as input, for a trainer that asks one.
    pub asking: bool,
    /// Whether samples teach which moves to choose.
    pub policy: bool,
}

/// How much the teacher's priors are flattened where a move leads astray.
const ASTRAY_TEMPERATURE: f64 = 1.5;

/// Makes samples; keeps its scratch between games.
pub struct Sampler<'a> {
    settings: SampleSettings,
    teacher: Option<&'a Teacher>,
    explorer: Option<&'a Explorer>,
    encoder: Encoder,
    teacher_encoder: TeacherEncoder,
    playout: Playout,
    numbers: Vec<f32>,
}

/// What is known of the end of a game, from Black's side.
struct Outcome {
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
            explorer: None,
            encoder: Encoder::default(),
            teacher_encoder: TeacherEncoder::default(),
            playout: Playout::default(),
            numbers: Vec::new(),
        }
    }

    /// The same with an explorer, if there is one, which finds the positions astray.
    #[must_use]
    pub fn with_explorer(self, explorer: Option<&'a Explorer>) -> Self {
        Self { explorer, ..self }
    }

    /// The samples of a game, of all its positions or, where searches say what to play in some of them, of those. A game
    /// counted at its end also teaches the two passes that ended it, which most records leave out; they come as often as
    /// any two other moves. Of a record without moves there is nothing to learn, whatever its result. An illegal move
    /// ends the game there.
    ///
    /// # Errors
    /// When a position cannot be evaluated or searched.
    pub fn samples(&mut self, game: &Game, rng: &mut Rng) -> Result<Vec<Sample>, SearchError> {
        let mut samples = Vec::new();
        let mut moves = game.moves.clone();
        if game.margin.is_some() && (moves.last()).is_some_and(|&last| last != Move::Pass) {
            moves.extend([Move::Pass, Move::Pass]);
        }
        let places = self.places(game, moves.len());
        let chosen = rng.choose(places.len(), self.settings.per_game);
        let start = game.start(rules_of(game, rng));
        let outcome = self.outcome(game, &start, rng);
        let mut position = start;
        let mut next = chosen.into_iter().map(|index| places[index]).peekable();
        for (index, &mv) in moves.iter().enumerate() {
            let legal = mv.point().is_none_or(|point| position.legal(point).is_ok());
            if !legal || next.peek().is_none() {
                break;
            }
            if next.next_if_eq(&index).is_some() {
                let mut lesson = outcome.lesson(&position, mv);
                if let Some(target) = game.targets.get(index).and_then(Option::as_ref) {
                    target.improve(position.size(), &mut lesson, self.settings.searched);
                }
                samples.extend(self.around(&position, lesson, rng)?);
            }
            position.play_legal(position.to_move(), mv);
        }
        Ok(samples)
    }

    /// The sample of a position of which the game says `lesson`, then those astray of it.
    fn around(
        &mut self,
        position: &Position,
        mut lesson: Lesson,
        rng: &mut Rng,
    ) -> Result<Vec<Sample>, SearchError> {
        let Some(teacher) = self.teacher else {
            return self.untaught(position, &lesson, rng);
        };
        let mut position = position.clone();
        let mut own = teacher.judge(&position)?;
        if let Some(lead) = own.score.filter(|_| self.settings.even) {
            position = evened(&position, lead, rng);
            own = teacher.judge(&position)?;
            let policy = lesson.policy;
            lesson = Lesson {
                policy,
                ..own.clone()
            };
        }
        teacher.improve(&own, &mut lesson);
        let mut samples = vec![self.sample(&position, &lesson, rng)];
        match self.explorer {
            Some(explorer) => {
                for found in explorer.around(&position, self.settings.astray, rng)? {
                    samples.push(self.sample(&found, &teacher.judge(&found)?, rng));
                }
            }
            None => self.stray(position, own, teacher, &mut samples, rng)?,
        }
        Ok(samples)
    }

    /// The sample of a position of which the game says `lesson`, then, without lessons, those that the explorer finds: of
    /// these a trainer asks its teacher. What is to be made even is so by the explorer's judgement before it searches.
    fn untaught(
        &mut self,
        position: &Position,
        lesson: &Lesson,
        rng: &mut Rng,
    ) -> Result<Vec<Sample>, SearchError> {
        let mut samples = vec![self.sample(position, lesson, rng)];
        if let Some(explorer) = self.explorer {
            let start = match self.settings.even {
                true => explorer.evened(position, rng)?,
                false => position.clone(),
            };
            let nothing = Lesson::nothing(position.size());
            for found in explorer.around(&start, self.settings.astray, rng)? {
                samples.push(self.sample(&found, &nothing, rng));
            }
        }
        Ok(samples)
    }

    /// Adds the samples of a row of positions to which the teacher's lesser moves lead from one of which it says `own`.
    fn stray(
        &mut self,
        mut position: Position,
        mut own: Lesson,
        teacher: &Teacher,
        samples: &mut Vec<Sample>,
        rng: &mut Rng,
    ) -> Result<(), EvalError> {
        for _ in 0..self.settings.astray {
            let mv = stray_move(&position, &own.policy, rng);
            position.play_legal(position.to_move(), mv);
            if position.ended() {
                break;
            }
            own = teacher.judge(&position)?;
            samples.push(self.sample(&position, &own, rng));
        }
        Ok(())
    }

    /// The moves of a game that samples are made of, by their numbers from 0: those that a search was asked about, if
    /// there are such, else all `count`.
    fn places(&self, game: &Game, count: usize) -> Vec<usize> {
        let searched: Vec<usize> = (0..game.targets.len())
            .filter(|&index| game.targets[index].is_some())
            .collect();
        let all = if searched.is_empty() {
            (0..count).collect()
        } else {
            searched
        };
        let from = self.settings.from_move;
        all.into_iter().filter(|&index| index >= from).collect()
    }

    fn symmetry(&self, position: &Position, rng: &mut Rng) -> Symmetry {
        if !self.settings.turn {
            return Symmetry::IDENTITY;
        }
        let all: Vec<Symmetry> = Symmetry::of(position.size()).collect();
        all[rng.below(all.len())]
    }

    fn outcome(&mut self, game: &Game, start: &Position, rng: &mut Rng) -> Outcome {
        let lead = game.lead();
        // A teacher tells the owners at a fraction of what these playouts cost.
        let taught = self.teacher.is_some() || self.settings.asking;
        let counted = lead.filter(|_| !taught && game.owners.is_none());
        let guessed = counted.and_then(|lead| {
            let mut last = start.clone();
            for &mv in &game.moves {
                last.play(last.to_move(), mv).ok()?;
            }
            final_ownership(&last, lead, &mut self.playout, rng)
        });
        Outcome {
            winner: game.winner,
            lead: lead.map(|lead| lead as f32 / 2.0),
            ownership: game.owners.or(guessed),
        }
    }

    /// The position and its targets, turned.
    fn sample(&mut self, position: &Position, lesson: &Lesson, rng: &mut Rng) -> Sample {
        let symmetry = self.symmetry(position, rng);
        let size = position.size();
        let encoding = self.settings.encoding;
        self.numbers.resize(encoding.planes() * size.area(), 0.0);
        let mut globals = vec![0.0; encoding.globals()];
        self.encoder.encode(
            encoding,
            position,
            symmetry,
            &mut self.numbers,
            &mut globals,
        );
        let policy = self.settings.policy.then(|| {
            let mut policy = turned(symmetry, size, &lesson.policy);
            policy.push(lesson.policy[size.area()]);
            policy
        });
        let owners = lesson.ownership.as_deref();
        let teacher_encoder = &mut self.teacher_encoder;
        let asked = (self.settings.asking).then(|| teacher_encoder.encode(position, symmetry));
        Sample {
            planes: self.numbers.iter().map(|&x| x as i8).collect(),
            globals,
            policy,
            value: lesson.value,
            score: lesson.score,
            ownership: owners.map(|owners| {
                let owners = turned(symmetry, size, owners);
                owners.iter().map(|x| (x * 127.0).round() as i8).collect()
            }),
            asked,
            details: LabelDetails::default(),
        }
    }

    /// The sample of a labelled position. A label without moves teaches no policy.
    pub fn labelled(&mut self, position: &Position, label: &Label, rng: &mut Rng) -> Sample {
        let area = position.size().area();
        let policy = label.dense_policy(area);
        let has_policy = policy.is_some();
        let lesson = Lesson {
            policy: policy.unwrap_or_else(|| vec![0.0; area + 1]),
            value: label.value(),
            score: label.lead,
            ownership: (!label.ownership.is_empty()).then(|| label.ownership.clone()),
        };
        let mut sample = self.sample(position, &lesson, rng);
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

impl Outcome {
    /// What the game teaches of a position in which `mv` was played.
    fn lesson(&self, position: &Position, mv: Move) -> Lesson {
        let size = position.size();
        let own = position.to_move();
        let mut policy = vec![0.0; size.area() + 1];
        policy[size.move_index(mv)] = 1.0;
        let ownership = self.ownership.as_ref().map(|owned| {
            let mut owners = vec![0.0; size.area()];
            for (color, value) in [(own, 1.0), (own.opposite(), -1.0)] {
                for point in owned[color] {
                    owners[size.index(point)] = value;
                }
            }
            owners
        });
        Lesson {
            policy,
            value: self
                .winner
                .map_or(0.0, |winner| own.from_black(winner.from_black(1.0))),
            score: self.lead.map(|lead| own.from_black(lead)),
            ownership,
        }
    }
}

/// A legal move, drawn by its prior among the points in reading order and the pass, flattened.
fn stray_move(position: &Position, priors: &[f32], rng: &mut Rng) -> Move {
    let legal = position.legal_points();
    let moves: Vec<Move> = legal.iter().map(Move::Play).chain([Move::Pass]).collect();
    draw_by_prior(position.size(), &moves, priors, ASTRAY_TEMPERATURE, rng)
}

/// The numbers of the points in reading order, as they stand on the turned board.
fn turned(symmetry: Symmetry, size: BoardSize, numbers: &[f32]) -> Vec<f32> {
    let there = symmetry.size(size);
    let mut moved = vec![0.0; size.area()];
    for point in size.points() {
        moved[there.index(symmetry.point(size, point))] = numbers[size.index(point)];
    }
    moved
}

/// The rules to show the net with a game: its own where they are known. Other records do not tell them apart by their
/// moves, so the axes that left no trace in the game are drawn at random: the net learns not to mind them. The scoring is
/// the game's where it was counted.
pub(super) fn rules_of(game: &Game, rng: &mut Rng) -> Rules {
    if let Some(rules) = game.rules {
        return rules;
    }
    let counted = match game.margin {
        Some(_) => game.counted,
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
                ..game.counted
            }
        }
    };
    Rules {
        ko: [KoRule::Simple, KoRule::Positional, KoRule::Situational][rng.below(3)],
        suicide: rng.chance(0.3),
        ..counted
    }
}
