//! Words that tell positions apart: the same for the same stones, side to move and ko; and one that is the same for
//! turned and mirrored positions too.

use std::hash::{Hash, Hasher};

use crate::game::color::Color;
use crate::game::hasher::StableHasher;
use crate::game::position::Position;
use crate::game::symmetry::Symmetry;

/// The word of the position as it stands.
#[must_use]
pub fn here(position: &Position) -> String {
    text(word(position, Symmetry::IDENTITY))
}

/// The word of the position and all its turned and mirrored copies: the smallest of theirs.
#[must_use]
pub fn turned(position: &Position) -> String {
    let all = (0..).map_while(Symmetry::from_number);
    let words = all.map(|symmetry| word(position, symmetry));
    text(words.min().unwrap_or_default())
}

fn text(word: u128) -> String {
    format!("{word:032X}")
}

fn word(position: &Position, symmetry: Symmetry) -> u128 {
    let size = position.size();
    let stones = Color::BOTH.map(|color| symmetry.set(size, position.board().stones(color)));
    let ko = position.ko_for(position.to_move());
    let ko = ko.map(|point| symmetry.point(size, point).number());
    let half = |salt: u64| {
        let mut hasher = StableHasher::default();
        (salt, symmetry.size(size), stones, position.to_move(), ko).hash(&mut hasher);
        u128::from(hasher.finish())
    };
    half(1) << 64 | half(2)
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
    fn symmetric_positions_share_one_word_and_not_the_other() {
        let (one, other) = (after(&["C3", "G4"]), after(&["G7", "C6"]));
        assert_ne!(here(&one), here(&other));
        assert_eq!(turned(&one), turned(&other));
        assert_ne!(turned(&one), turned(&after(&["C3", "G5"])));
        assert_eq!(here(&one).len(), 32);
    }

    #[test]
    fn the_way_there_does_not_count_but_the_turn_does() {
        let one = after(&["C3", "G7", "G3", "C7"]);
        assert_eq!(here(&one), here(&after(&["G3", "C7", "C3", "G7"])));
        assert_ne!(here(&one), here(&after(&["C3", "G7", "G3", "C7", "pass"])));
    }
}
