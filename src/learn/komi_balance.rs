//! Adjustment of the komi so that a position is roughly even.
//!
//! Most late positions of recorded games are decided. A network learns from them to predict the winner, but not to
//! count accurately. With a balanced komi, the winner depends on single points.

use crate::game::position::Position;
use crate::game::rules::Komi;
use crate::random::Rng;

/// Standard deviation of the remaining lead in points, so that not all positions are exactly even.
const LEAD_DEVIATION: f64 = 3.0;
/// Maximum change of the komi in points. Positions that need more are left unchanged, because evaluators have seen few
/// games with such komis.
const MAX_KOMI_SHIFT: f64 = 60.0;

/// Returns the position under a komi that makes it roughly even.
///
/// `lead` is the current lead of the side to move in points. The new lead is drawn from a normal distribution around 0.
/// The komi is changed by a whole number of points.
pub fn balance_komi(position: &Position, lead: f32, rng: &mut Rng) -> Position {
    let target_lead = LEAD_DEVIATION * rng.normal();
    let shift = (f64::from(lead) - target_lead).round();
    let mut balanced = position.clone();
    if shift.abs() > MAX_KOMI_SHIFT {
        return balanced;
    }
    let rules = *position.rules();
    let shifted_komi = rules.komi.points() + position.to_move().to_perspective(shift);
    if let Some(komi) = Komi::from_points(shifted_komi) {
        balanced.set_rules(rules.with_komi(komi));
    }
    balanced
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::color::Color;
    use crate::game::point::{BoardSize, Move};
    use crate::game::rules::Rules;

    fn komis(lead: f32, to_move: Color) -> Vec<f64> {
        let komi = Komi::from_points(6.5).unwrap();
        let rules = Rules::default().with_komi(komi);
        let mut position = Position::new(BoardSize::new(9, 9).unwrap(), rules);
        if to_move == Color::White {
            position.play_unchecked(Color::Black, Move::Pass);
        }
        let mut rng = Rng::new(7);
        let balanced = (0..1000).map(|_| balance_komi(&position, lead, &mut rng));
        balanced
            .map(|position| position.rules().komi.points())
            .collect()
    }

    #[test]
    fn leader_pays_shifted_komi() {
        for (to_move, sign) in [(Color::Black, 1.0), (Color::White, -1.0)] {
            let komis = komis(20.0, to_move);
            let mean = komis.iter().sum::<f64>() / 1000.0;
            // The mean of 1000 samples has a standard deviation of 0.1.
            assert!((mean - (6.5 + sign * 20.0)).abs() < 0.5, "{mean}");
            assert!(komis.iter().all(|komi| komi.fract().abs() == 0.5));
            let close_to_mean = komis.iter().filter(|&komi| (komi - mean).abs() < 3.0);
            assert!((600..760).contains(&close_to_mean.count()));
        }
    }

    #[test]
    fn extreme_leads_keep_komi() {
        assert_eq!(komis(100.0, Color::White), [6.5; 1000]);
        assert_eq!(komis(f32::NAN, Color::Black), [6.5; 1000]);
    }
}
