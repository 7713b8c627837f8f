//! Estimated ownership at the end of recorded games.

use crate::eval::random_playout::RandomPlayout;
use crate::game::color::{ByColor, Color};
use crate::game::pointset::PointSet;
use crate::game::position::Position;
use crate::random::Rng;

/// Number of playouts from the final position.
const NUM_PLAYOUTS: usize = 48;
/// Maximum difference between the estimated and the recorded lead, in half points. Estimates with a larger difference
/// are rejected.
const MARGIN_TOLERANCE_HALF_POINTS: i32 = 6;
/// Minimum number of playouts in which a side must own a point to be its estimated owner.
const MIN_OWNER_PLAYOUTS: usize = NUM_PLAYOUTS * 2 / 3;

/// Estimates the owners of all points at the end of a game.
///
/// A point is assigned to the side that owns it in at least two thirds of the random playouts from the final position.
/// `recorded_lead` is Black's recorded lead in half points, including komi. Returns `None` if the lead computed from
/// the estimated ownership differs from `recorded_lead` by more than 3 points, for example because the playouts
/// misjudge dead stones or seki.
pub fn estimate_final_ownership(
    final_position: &Position,
    recorded_lead: i32,
    playout: &mut RandomPlayout,
    rng: &mut Rng,
) -> Option<ByColor<PointSet>> {
    let size = final_position.size();
    let mut counts = vec![ByColor::new(0usize, 0usize); size.area()];
    for _ in 0..NUM_PLAYOUTS {
        playout.run(final_position, rng);
        for color in Color::BOTH {
            for point in playout.owned_points(color) {
                counts[size.index(point)][color] += 1;
            }
        }
    }
    let ownership: ByColor<PointSet> = ByColor::from_fn(|color| {
        size.points()
            .filter(|&point| counts[size.index(point)][color] >= MIN_OWNER_PLAYOUTS)
            .collect()
    });
    let area_difference =
        ownership[Color::Black].len() as i32 - ownership[Color::White].len() as i32;
    let estimated_lead = 2 * area_difference - final_position.white_area_bonus_half_points();
    ((estimated_lead - recorded_lead).abs() <= MARGIN_TOLERANCE_HALF_POINTS).then_some(ownership)
}
