//! Even games: positions under komis for which nothing is decided.
//!
//! Most late positions of recorded games are decided, so that a net learns from them who has won but not to count. Under
//! an even komi each of them asks who is ahead by a point.

use crate::game::position::Position;
use crate::game::rules::Komi;
use crate::random::Rng;

/// Points that one side is ahead by, as a standard deviation, so that not all positions are as even as can be.
const LEAD_DEVIATION: f64 = 3.0;
/// The largest change of komi, in points; where more is needed positions stay as they are, since evaluators have seen few
/// games of such komis.
const MAX_KOMI_SHIFT: f64 = 60.0;

/// The position under a komi that leaves the side to move, which now leads by `lead` points, some points ahead or behind,
/// drawn at random around 0. Whether the komi is whole or half stays as it is.
#[must_use]
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
            // The mean of 1000 draws has a deviation of 0.1.
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
