//! The conditions of one game, drawn from its own random numbers.

use super::Settings;
use crate::game::handicap;
use crate::game::point::{BoardSize, Point};
use crate::game::rules::{Komi, Rules, Scoring};
use crate::rng::Rng;

/// The komi that makes area scoring fair, by the shorter side from 2 on; boards of nine and more lines take the last.
/// Up to 7x7 they are the results of perfect play (van der Werf; Li Zhe and others for 7x7).
const FAIR_KOMI: [f64; 8] = [1.0, 9.0, 2.0, 25.0, 4.0, 9.0, 10.0, 7.0];
/// How much less territory scoring needs.
const TERRITORY_LESS: f64 = 1.0;
/// This share of the games, so that a net knows what uneven ones are like ...
const WIDE_SHARE: f64 = 0.06;
/// ... have a komi so many times as wide of the fair one.
const WIDE: f64 = 10.0;
/// The mean number of moves of an opening drawn without search, as a share of the board's side.
const OPENING: f64 = 0.4;
/// No opening is longer than so many times that.
const LONGEST_OPENING: f64 = 4.0;
/// Moves after which a game is given up: so many times the points of the board, and a few.
const MOST_MOVES: (usize, usize) = (2, 40);

/// The conditions of a game.
#[derive(Clone, Debug, PartialEq)]
pub struct Terms {
    /// The board.
    pub size: BoardSize,
    /// The rules with their komi.
    pub rules: Rules,
    /// Black's handicap stones, none or several.
    pub handicap: Vec<Point>,
    /// Moves drawn from the raw policy before the players begin to think.
    pub opening: usize,
    /// Whether nobody may resign.
    pub plays_out: bool,
}

impl Terms {
    /// The conditions of a game.
    pub fn drawn(settings: &Settings, rng: &mut Rng) -> Self {
        let size = settings.sizes.draw(rng);
        let rules = settings.rules.draw(rng);
        let centre = match settings.komi {
            Some(komi) => komi.points(),
            None => fair_komi(size, rules.scoring),
        };
        let wide = if rng.chance(WIDE_SHARE) { WIDE } else { 1.0 };
        let komi = centre + wide * settings.komi_spread * rng.normal();
        let most = 2 + size.side() as usize / 4;
        let handicap = if rng.chance(settings.handicap_share) {
            handicap::free(size, 2 + rng.below(most - 1))
        } else {
            Vec::new()
        };
        // An exponential distribution: most openings are short, a few are long.
        let long = -(1.0 - rng.unit_f64()).ln();
        let opening = OPENING * size.side() * long.min(LONGEST_OPENING);
        Self {
            size,
            rules: rules.with_komi(nearest(komi, size)),
            // One stone is none.
            handicap: if handicap.len() < 2 {
                Vec::new()
            } else {
                handicap
            },
            opening: opening as usize,
            plays_out: rng.chance(settings.play_out),
        }
    }

    /// The same with a komi so many points higher, as near as a komi can be.
    #[must_use]
    pub fn with_more_komi(self, points: f64) -> Self {
        let komi = nearest(self.rules.komi.points() + points, self.size);
        Self {
            rules: self.rules.with_komi(komi),
            ..self
        }
    }

    /// Moves after which the game ends without a result.
    #[must_use]
    pub const fn most_moves(&self) -> usize {
        MOST_MOVES.0 * self.size.area() + MOST_MOVES.1
    }

    /// How random the choice of a move is after so many: much in the opening, little later.
    #[must_use]
    pub fn temperature(&self, moves: usize) -> f64 {
        const EARLY: f64 = 0.8;
        const LATE: f64 = 0.15;
        LATE + (EARLY - LATE) * 0.5_f64.powf(moves as f64 / self.size.side())
    }
}

fn fair_komi(size: BoardSize, scoring: Scoring) -> f64 {
    let shorter = size.width().min(size.height());
    let area = FAIR_KOMI[(shorter - 2).min(FAIR_KOMI.len() - 1)];
    match scoring {
        Scoring::Area => area,
        Scoring::Territory => area - TERRITORY_LESS,
    }
}

/// The nearest half point within what the board can hold.
fn nearest(points: f64, size: BoardSize) -> Komi {
    let most = 2.0 * size.area() as f64;
    Komi::from_half_points((2.0 * points).round().clamp(-most, most) as i16)
}
