//! Training samples: positions of a game with what happened afterwards.

use super::archive::Game;
use super::label::final_ownership;
use crate::encode::{Encoder, Encoding};
use crate::eval::playout::Playout;
use crate::game::color::{ByColor, Color};
use crate::game::point::Move;
use crate::game::pointset::PointSet;
use crate::game::position::Position;
use crate::game::rules::{KoRule, Rules, Scoring, Tax};
use crate::game::symmetry::Symmetry;
use crate::rng::Rng;

/// One position, encoded, with its targets; everything from the side of the player to move.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// The planes, each in reading order, values -1, 0 or 1.
    pub planes: Vec<i8>,
    /// The global vector.
    pub globals: Vec<f32>,
    /// The place of the move played in reading order; the area stands for a pass.
    pub policy: usize,
    /// Who won: 1 the mover, -1 the opponent.
    pub value: f32,
    /// The final lead in points, where it was counted.
    pub score: Option<f32>,
    /// The final owner of each point, 127 or -127 or 0, where it is known.
    pub ownership: Option<Vec<i8>>,
}

/// Makes samples; keeps its scratch between games.
#[derive(Default)]
pub struct Sampler {
    encoder: Encoder,
    playout: Playout,
    numbers: Vec<f32>,
}

/// What is known of the end of a game, from Black's side.
struct Outcome {
    winner: Color,
    lead: Option<f32>,
    ownership: Option<ByColor<PointSet>>,
}

impl Sampler {
    /// A sampler without scratch yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// About `per_game` samples at random places of the game, each through a random symmetry if `turn`, passed to
    /// `emit`. A game counted at its end also teaches the two passes that ended it, which records leave out; they come
    /// as often as any two other moves. An illegal move ends the game there.
    pub fn samples(
        &mut self,
        encoding: Encoding,
        game: &Game,
        per_game: usize,
        turn: bool,
        rng: &mut Rng,
        emit: &mut impl FnMut(Sample),
    ) {
        let mut moves = game.moves.clone();
        if game.margin.is_some() && !matches!(moves.last(), Some(Move::Pass)) {
            moves.extend([Move::Pass, Move::Pass]);
        }
        let chosen = rng.choose(moves.len(), per_game);
        let Some(start) = game.start(rules_of(game, rng)) else {
            return;
        };
        let outcome = self.outcome(game, &start, rng);
        let mut position = start;
        let mut next = chosen.into_iter().peekable();
        for (index, &mv) in moves.iter().enumerate() {
            let legal = mv.point().is_none_or(|point| position.legal(point).is_ok());
            if !legal || next.peek().is_none() {
                return;
            }
            if next.next_if_eq(&index).is_some() {
                let symmetry = if turn {
                    random_symmetry(&position, rng)
                } else {
                    Symmetry::IDENTITY
                };
                emit(self.sample(encoding, &position, symmetry, mv, &outcome));
            }
            position.play_legal(position.to_move(), mv);
        }
    }

    fn outcome(&mut self, game: &Game, start: &Position, rng: &mut Rng) -> Outcome {
        let lead = game
            .margin
            .map(|margin| game.winner.from_black(i32::from(margin)));
        let ownership = lead.and_then(|lead| {
            let mut last = start.clone();
            for &mv in &game.moves {
                last.play(last.to_move(), mv).ok()?;
            }
            final_ownership(&last, lead, &mut self.playout, rng)
        });
        Outcome {
            winner: game.winner,
            lead: lead.map(|lead| lead as f32 / 2.0),
            ownership,
        }
    }

    fn sample(
        &mut self,
        encoding: Encoding,
        position: &Position,
        symmetry: Symmetry,
        mv: Move,
        outcome: &Outcome,
    ) -> Sample {
        let size = position.size();
        let turned = symmetry.size(size);
        let own = position.to_move();
        self.numbers.resize(encoding.planes() * size.area(), 0.0);
        let mut globals = vec![0.0; encoding.globals()];
        self.encoder.encode(
            encoding,
            position,
            symmetry,
            &mut self.numbers,
            &mut globals,
        );
        let ownership = outcome.ownership.as_ref().map(|owned| {
            let mut owners = vec![0; size.area()];
            for (color, value) in [(own, 127), (own.opposite(), -127)] {
                for point in symmetry.set(size, &owned[color]) {
                    owners[turned.index(point)] = value;
                }
            }
            owners
        });
        Sample {
            planes: self.numbers.iter().map(|&x| x as i8).collect(),
            globals,
            policy: mv.point().map_or(size.area(), |point| {
                turned.index(symmetry.point(size, point))
            }),
            value: if outcome.winner == own { 1.0 } else { -1.0 },
            score: outcome.lead.map(|lead| own.from_black(lead)),
            ownership,
        }
    }
}

fn random_symmetry(position: &Position, rng: &mut Rng) -> Symmetry {
    let all: Vec<Symmetry> = Symmetry::of(position.size()).collect();
    all[rng.below(all.len())]
}

/// The rules to show the net with a game. Records do not tell them apart by their moves, so the axes that left no trace
/// in the game are drawn at random: the net learns not to mind them. The scoring is the game's where it was counted.
pub(super) fn rules_of(game: &Game, rng: &mut Rng) -> Rules {
    let scoring = match game.margin {
        Some(_) => game.scoring,
        None if rng.chance(0.5) => Scoring::Area,
        None => Scoring::Territory,
    };
    let ko = [KoRule::Simple, KoRule::Positional, KoRule::Situational][rng.below(3)];
    Rules {
        ko,
        suicide: rng.chance(0.3),
        scoring,
        tax: if scoring == Scoring::Territory {
            Tax::Seki
        } else {
            Tax::None
        },
        ..Rules::default().with_komi(game.komi)
    }
}
