//! Position hashes as hexadecimal text. A hash depends on the board size, the stones, the side to move and the point of
//! a ko that may not be retaken immediately, but not on the order of the moves.

use std::hash::{Hash, Hasher};

use crate::game::color::Color;
use crate::game::position::Position;
use crate::game::symmetry::Symmetry;
use crate::random::stable_hash::StableHasher;

pub fn position_hash(position: &Position) -> String {
    to_hex(hash_under(position, Symmetry::IDENTITY))
}

/// Returns a hash that is equal for all rotations and reflections of a position: the minimum of their hashes.
pub fn symmetric_hash(position: &Position) -> String {
    let symmetries = (0..).map_while(Symmetry::from_number);
    let hashes = symmetries.map(|symmetry| hash_under(position, symmetry));
    to_hex(hashes.min().unwrap_or_default())
}

fn to_hex(hash: u128) -> String {
    format!("{hash:032X}")
}

fn hash_under(position: &Position, symmetry: Symmetry) -> u128 {
    let size = position.size();
    let stones = Color::BOTH.map(|color| symmetry.map_set(size, position.board().stones(color)));
    let ko = position.ko_for(position.to_move());
    let ko = ko.map(|point| symmetry.map_point(size, point).number());
    let half_hash = |salt: u64| {
        let mut hasher = StableHasher::default();
        (
            salt,
            symmetry.map_size(size),
            stones,
            position.to_move(),
            ko,
        )
            .hash(&mut hasher);
        u128::from(hasher.finish())
    };
    half_hash(1) << 64 | half_hash(2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::point::BoardSize;
    use crate::game::rules::Rules;

    fn after(vertices: &[&str]) -> Position {
        let size = BoardSize::new(9, 9).unwrap();
        let mut position = Position::new(size, Rules::default());
        for vertex in vertices {
            let mv = size.parse_move(vertex).unwrap();
            position.play(position.to_move(), mv).unwrap();
        }
        position
    }

    #[test]
    fn symmetric_positions_share_symmetric_hash() {
        let (one, other) = (after(&["C3", "G4"]), after(&["G7", "C6"]));
        assert_ne!(position_hash(&one), position_hash(&other));
        assert_eq!(symmetric_hash(&one), symmetric_hash(&other));
        assert_ne!(symmetric_hash(&one), symmetric_hash(&after(&["C3", "G5"])));
        assert_eq!(position_hash(&one).len(), 32);
    }

    #[test]
    fn hash_ignores_move_order() {
        let one = after(&["C3", "G7", "G3", "C7"]);
        assert_eq!(
            position_hash(&one),
            position_hash(&after(&["G3", "C7", "C3", "G7"]))
        );
        assert_ne!(
            position_hash(&one),
            position_hash(&after(&["C3", "G7", "G3", "C7", "pass"]))
        );
    }
}
