//! Board size, rules, handicap and opening of a self-play game.

use super::settings::SelfplaySettings;
use crate::game::handicap;
use crate::game::point::{BoardSize, Point};
use crate::game::rules::{Komi, Rules, Scoring};
use crate::random::Rng;

/// Fair komi in points under area scoring, indexed by the length of the shorter side minus 2. The last entry applies to
/// all lengths from 9.
///
/// Up to 7x7, the values are the results of perfect play (van der Werf; Li Zhe and others for 7x7).
const FAIR_KOMI: [f64; 8] = [1.0, 9.0, 2.0, 25.0, 4.0, 9.0, 10.0, 7.0];
/// Number of points by which the fair komi is lower under territory scoring than under area scoring.
const TERRITORY_KOMI_DISCOUNT: f64 = 1.0;
/// Fraction of games in which komi varies more widely, so that the network also learns from uneven games.
const WIDE_KOMI_FRACTION: f64 = 0.06;
/// Factor applied to the standard deviation of komi in the games selected by [`WIDE_KOMI_FRACTION`].
const WIDE_KOMI_FACTOR: f64 = 10.0;
/// Mean number of opening moves, as a fraction of the side length. Opening moves are drawn from the policy.
const MEAN_OPENING_SIDE_FRACTION: f64 = 0.4;
/// Maximum number of opening moves, as a multiple of the mean.
const MAX_OPENING_FACTOR: f64 = 4.0;
/// Maximum number of moves in a game: a factor for the board area, and a constant that is added to this product.
const MAX_MOVES_COEFFICIENTS: (usize, usize) = (2, 40);

/// Conditions of a self-play game.
#[derive(Clone, Debug, PartialEq)]
pub struct GameConditions {
    pub size: BoardSize,
    /// The rules, including komi.
    pub rules: Rules,
    /// Black's handicap stones: none, or at least two.
    pub handicap: Vec<Point>,
    /// Number of initial moves drawn from the policy without a search.
    pub opening_moves: usize,
    /// True if neither side may resign.
    pub disables_resignation: bool,
}

impl GameConditions {
    /// Draws the conditions of a game at random.
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
        let max_stones = 2 + size.geometric_mean_side() as usize / 4;
        let handicap = if rng.chance(settings.handicap_fraction) {
            handicap::free_placement(size, 2 + rng.below(max_stones - 1))
        } else {
            Vec::new()
        };
        // The length has an exponential distribution: most openings are short, a few are long.
        let length_factor = -(1.0 - rng.unit_f64()).ln();
        let opening_moves = MEAN_OPENING_SIDE_FRACTION
            * size.geometric_mean_side()
            * length_factor.min(MAX_OPENING_FACTOR);
        Self {
            size,
            rules: rules.with_komi(nearest_komi(komi, size)),
            // A single handicap stone would be an ordinary first move.
            handicap: if handicap.len() < 2 {
                Vec::new()
            } else {
                handicap
            },
            opening_moves: opening_moves as usize,
            disables_resignation: rng.chance(settings.no_resign_fraction),
        }
    }

    /// Returns the conditions with komi increased by `points`. The new komi is rounded to a multiple of half a point,
    /// and its absolute value is limited to the board area.
    pub fn with_komi_shift(self, points: f64) -> Self {
        let komi = nearest_komi(self.rules.komi.points() + points, self.size);
        Self {
            rules: self.rules.with_komi(komi),
            ..self
        }
    }

    /// Returns the number of moves after which the game ends without a result.
    pub const fn max_moves(&self) -> usize {
        MAX_MOVES_COEFFICIENTS.0 * self.size.area() + MAX_MOVES_COEFFICIENTS.1
    }

    /// Returns the temperature for choosing a move after `move_count` moves. The temperature decreases exponentially
    /// during the game.
    pub fn temperature(&self, move_count: usize) -> f64 {
        const EARLY_TEMPERATURE: f64 = 0.8;
        const LATE_TEMPERATURE: f64 = 0.15;
        LATE_TEMPERATURE
            + (EARLY_TEMPERATURE - LATE_TEMPERATURE)
                * 0.5_f64.powf(move_count as f64 / self.size.geometric_mean_side())
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

/// Converts `points` to a komi: rounds it to a multiple of half a point and limits its absolute value to the board
/// area.
fn nearest_komi(points: f64, size: BoardSize) -> Komi {
    let limit = 2.0 * size.area() as f64;
    Komi::from_half_points((2.0 * points).round().clamp(-limit, limit) as i16)
}
