//! Even games: positions under komis for which nothing is decided.
//!
//! Most late positions of recorded games are decided, so that a net learns from them who has won but not to count. Under
//! an even komi each of them asks who is ahead by a point.

use crate::game::position::Position;
use crate::game::rules::Komi;
use crate::rng::Rng;

/// Points that one side is ahead by, as a standard deviation, so that not all positions are as even as can be.
const SPREAD: f64 = 3.0;
/// The largest change of komi, in points; where more is needed positions stay as they are, since evaluators have seen few
/// games of such komis.
const FARTHEST: f64 = 60.0;

/// The position under a komi that leaves the side to move, which now leads by `lead` points, some points ahead or behind,
/// drawn at random around 0. Whether the komi is whole or half stays as it is.
#[must_use]
pub fn evened(position: &Position, lead: f32, rng: &mut Rng) -> Position {
    let wanted = SPREAD * rng.normal();
    let shift = (f64::from(lead) - wanted).round();
    let mut even = position.clone();
    if shift.abs() > FARTHEST {
        return even;
    }
    let rules = *position.rules();
    let shifted = rules.komi.points() + position.to_move().from_black(shift);
    if let Some(komi) = Komi::from_points(shifted) {
        even.set_rules(rules.with_komi(komi));
    }
    even
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
            position.play_legal(Color::Black, Move::Pass);
        }
        let mut rng = Rng::new(7);
        let evened = (0..1000).map(|_| evened(&position, lead, &mut rng));
        evened.map(|even| even.rules().komi.points()).collect()
    }

    #[test]
    fn the_one_who_leads_pays_for_it() {
        for (to_move, sign) in [(Color::Black, 1.0), (Color::White, -1.0)] {
            let komis = komis(20.0, to_move);
            let mean = komis.iter().sum::<f64>() / 1000.0;
            // The mean of 1000 draws has a deviation of 0.1.
            assert!((mean - (6.5 + sign * 20.0)).abs() < 0.5, "{mean}");
            assert!(komis.iter().all(|komi| komi.fract().abs() == 0.5));
            let near = komis.iter().filter(|&komi| (komi - mean).abs() < 3.0);
            assert!((600..760).contains(&near.count()));
        }
    }

    #[test]
    fn what_no_usual_komi_makes_even_stays() {
        assert_eq!(komis(100.0, Color::White), [6.5; 1000]);
        assert_eq!(komis(f32::NAN, Color::Black), [6.5; 1000]);
    }
}
