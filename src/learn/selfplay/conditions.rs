//! The conditions of one game, drawn from its own random numbers.

use super::SelfplaySettings;
use crate::game::handicap;
use crate::game::point::{BoardSize, Point};
use crate::game::rules::{Komi, Rules, Scoring};
use crate::random::Rng;

/// The komi that makes area scoring fair, by the shorter side from 2 on; boards of nine and more lines take the last.
/// Up to 7x7 they are the results of perfect play (van der Werf; Li Zhe and others for 7x7).
const FAIR_KOMI: [f64; 8] = [1.0, 9.0, 2.0, 25.0, 4.0, 9.0, 10.0, 7.0];
/// How much less territory scoring needs.
const TERRITORY_KOMI_DISCOUNT: f64 = 1.0;
/// This share of the games, so that a net knows what uneven ones are like ...
const WIDE_KOMI_FRACTION: f64 = 0.06;
/// ... have a komi so many times as wide of the fair one.
const WIDE_KOMI_FACTOR: f64 = 10.0;
/// The mean number of moves of an opening drawn without search, as a share of the board's side.
const MEAN_OPENING_LENGTH: f64 = 0.4;
/// No opening is longer than so many times that.
const MAX_OPENING_FACTOR: f64 = 4.0;
/// Moves after which a game is given up: so many times the points of the board, and a few.
const MAX_MOVES: (usize, usize) = (2, 40);

/// The conditions of a game.
#[derive(Clone, Debug, PartialEq)]
pub struct GameConditions {
    /// The board.
    pub size: BoardSize,
    /// The rules with their komi.
    pub rules: Rules,
    /// Black's handicap stones, none or several.
    pub handicap: Vec<Point>,
    /// Moves drawn from the raw policy before the players begin to think.
    pub opening_moves: usize,
    /// Whether nobody may resign.
    pub disables_resignation: bool,
}

impl GameConditions {
    /// The conditions of a game.
    pub fn draw(settings: &SelfplaySettings, rng: &mut Rng) -> Self {
        let size = settings.sizes.draw(rng);
        let rules = settings.rules.draw(rng);
        let mean_komi = match settings.komi {
            Some(komi) => komi.points(),
            None => fair_komi(size, rules.scoring),
        };
        let komi_factor = if rng.chance(WIDE_KOMI_FRACTION) {
            WIDE_KOMI_FACTOR
        } else {
            1.0
        };
        let komi = mean_komi + komi_factor * settings.komi_deviation * rng.normal();
        let max_stones = 2 + size.mean_side() as usize / 4;
        let handicap = if rng.chance(settings.handicap_fraction) {
            handicap::free_placement(size, 2 + rng.below(max_stones - 1))
        } else {
            Vec::new()
        };
        // An exponential distribution: most openings are short, a few are long.
        let length_factor = -(1.0 - rng.unit_f64()).ln();
        let opening_moves =
            MEAN_OPENING_LENGTH * size.mean_side() * length_factor.min(MAX_OPENING_FACTOR);
        Self {
            size,
            rules: rules.with_komi(nearest_komi(komi, size)),
            // One stone is none.
            handicap: if handicap.len() < 2 {
                Vec::new()
            } else {
                handicap
            },
            opening_moves: opening_moves as usize,
            disables_resignation: rng.chance(settings.play_out_fraction),
        }
    }

    /// The same with a komi so many points higher, as near as a komi can be.
    #[must_use]
    pub fn with_komi_shift(self, points: f64) -> Self {
        let komi = nearest_komi(self.rules.komi.points() + points, self.size);
        Self {
            rules: self.rules.with_komi(komi),
            ..self
        }
    }

    /// Moves after which the game ends without a result.
    #[must_use]
    pub const fn max_moves(&self) -> usize {
        MAX_MOVES.0 * self.size.area() + MAX_MOVES.1
    }

    /// How random the choice of a move is after so many: much in the opening, little later.
    #[must_use]
    pub fn temperature(&self, move_count: usize) -> f64 {
        const EARLY: f64 = 0.8;
        const LATE: f64 = 0.15;
        LATE + (EARLY - LATE) * 0.5_f64.powf(move_count as f64 / self.size.mean_side())
    }
}

fn fair_komi(size: BoardSize, scoring: Scoring) -> f64 {
    let shorter = size.width().min(size.height());
    let area_komi = FAIR_KOMI[(shorter - 2).min(FAIR_KOMI.len() - 1)];
    match scoring {
        Scoring::Area => area_komi,
        Scoring::Territory => area_komi - TERRITORY_KOMI_DISCOUNT,
    }
}

/// The nearest half point within what the board can hold.
fn nearest_komi(points: f64, size: BoardSize) -> Komi {
    let limit = 2.0 * size.area() as f64;
    Komi::from_half_points((2.0 * points).round().clamp(-limit, limit) as i16)
}
