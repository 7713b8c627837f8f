//! What a finished game teaches about its end: who owns which point, and by how much it was won.

use crate::eval::playout::Playout;
use crate::game::color::{ByColor, Color};
use crate::game::pointset::PointSet;
use crate::game::position::Position;
use crate::game::rules::Scoring;
use crate::random::Rng;

/// Playouts from the last position of a game.
const PLAYOUTS: usize = 48;
/// Ownership is believed when the area it gives comes this near the recorded margin, in half points.
const MARGIN_TOLERANCE: i32 = 6;
/// A point is somebody's when that share of the playouts says so.
const MIN_OWNER_PLAYOUTS: usize = PLAYOUTS * 2 / 3;

/// Who owns the points at the end of a game whose recorded result is Black's `recorded_lead` (half points, komi included):
/// the majority of random playouts from the last position. `None` where they contradict the record, as they do when
/// dead stones or seki fool them.
#[must_use]
pub fn final_ownership(
    final_position: &Position,
    recorded_lead: i32,
    playout: &mut Playout,
    rng: &mut Rng,
) -> Option<ByColor<PointSet>> {
    let size = final_position.size();
    let mut counts = vec![ByColor::new(0usize, 0usize); size.area()];
    for _ in 0..PLAYOUTS {
        playout.run(final_position, rng);
        for color in Color::BOTH {
            for point in playout.owned(color) {
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
    // Under territory every stone that was played costs its side one of the points of its area.
    let territory_correction = match final_position.rules().scoring {
        Scoring::Area => 0,
        Scoring::Territory => final_position.black_stone_surplus() as i32,
    };
    let estimated_lead =
        2 * (area_difference - territory_correction) - final_position.white_bonus_half_points();
    ((estimated_lead - recorded_lead).abs() <= MARGIN_TOLERANCE).then_some(ownership)
}
