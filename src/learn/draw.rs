//! Random choice of moves by weight.

use crate::game::point::{BoardSize, Move};
use crate::random::Rng;

/// Draws a move at random, with probabilities proportional to `prior^(1/temperature)`. Returns a pass if `moves` is
/// empty.
///
/// `priors` contains one value per point of a board of `size`, followed by the pass.
pub fn draw_by_prior(
    size: BoardSize,
    moves: &[Move],
    priors: &[f32],
    temperature: f64,
    rng: &mut Rng,
) -> Move {
    let prior = |&mv: &Move| f64::from(priors[size.move_index(mv)]);
    let weights: Vec<f64> = moves.iter().map(prior).collect();
    draw_weighted(moves, &weights, temperature, rng).unwrap_or(Move::Pass)
}

/// Draws a move at random, with probabilities proportional to `weight^(1/temperature)`. Returns the first move if all
/// weights are 0.
///
/// Returns `None` if `moves` is empty.
pub fn draw_weighted(
    moves: &[Move],
    weights: &[f64],
    temperature: f64,
    rng: &mut Rng,
) -> Option<Move> {
    let index = rng
        .sample_with_temperature(weights, temperature)
        .unwrap_or(0);
    moves.get(index).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::point::Point;

    #[test]
    fn low_temperature_sharpens() {
        let moves = [
            Move::Pass,
            Move::Play(Point::at(0, 0)),
            Move::Play(Point::at(1, 0)),
        ];
        let mut rng = Rng::new(1);
        let mut counts = [0_u32; 3];
        for _ in 0..10_000 {
            let sampled = draw_weighted(&moves, &[0.1, 0.2, 0.0], 0.5, &mut rng);
            counts[moves.iter().position(|&mv| Some(mv) == sampled).unwrap()] += 1;
        }
        // The expected ratio is 1 to 4.
        assert!(
            counts[0].abs_diff(2_000) < 200 && counts[2] == 0,
            "{counts:?}"
        );
        assert_eq!(
            draw_weighted(&moves, &[0.0; 3], 1.0, &mut rng),
            Some(Move::Pass)
        );
        assert_eq!(draw_weighted(&[], &[], 1.0, &mut rng), None);
    }
}
