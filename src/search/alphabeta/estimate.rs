//! What a position is worth without reading: stones, liberties, and territory by influence.

use crate::game::color::{ByColor, Color};
use crate::game::pointset::PointSet;
use crate::game::position::Position;
use crate::game::rules::Scoring;
use crate::game::score::count;

/// Parts of a point in which positions are estimated.
pub const UNIT: i32 = 16;

/// What each stone of a chain with so many liberties is worth less, for the danger it is in; without any danger nothing.
/// A chain that can be taken at once is taken off instead.
const DANGER: [i32; 4] = [16, 8, 3, 1];
/// What a liberty of a chain is worth by itself.
const LIBERTY: i32 = 1;

/// Black's lead in sixteenths of a point, komi included. Where play has ended it is counted, with all stones alive.
///
/// Else chains in atari whose opponent is to move are taken off, and every empty point goes to the colour whose stones
/// are nearer over empty points; points as near to both are nobody's. Chains are worth a little more by their liberties,
/// and less when they have few.
#[must_use]
pub fn estimate(position: &Position) -> i32 {
    if position.ended() {
        return count(position, &PointSet::EMPTY).score.half_points() * UNIT / 2;
    }
    let board = position.board();
    let mut shape = 0;
    let mut taken: ByColor<PointSet> = ByColor::default();
    for chain in board.chains() {
        let liberties = chain.liberties.len();
        if liberties == 1 && chain.color != position.to_move() {
            taken[chain.color] |= chain.stones;
            continue;
        }
        let danger = DANGER.get(liberties).copied().unwrap_or(0) * chain.stones.len() as i32;
        let worth = LIBERTY * liberties as i32 - danger;
        shape += chain.color.from_black(worth);
    }
    let stones = ByColor::of(|color| *board.stones(color) - taken[color]);
    let reached = influence(board.area(), stones);
    let points = |color: Color| -> i32 {
        let area = reached[color].len() as i32;
        match position.rules().scoring {
            Scoring::Area => area,
            Scoring::Territory => {
                let other = color.opposite();
                let prisoners = position.prisoners(other) + taken[other].len() as u32;
                area - stones[color].len() as i32 + prisoners as i32
            }
        }
    };
    let lead = 2 * (points(Color::Black) - points(Color::White)) - position.white_half_points();
    lead * UNIT / 2 + shape
}

/// The stones of each colour, with the empty points that they are nearer to than the other's.
fn influence(area: &PointSet, stones: ByColor<PointSet>) -> ByColor<PointSet> {
    let mut held = stones;
    let mut open = *area - stones[Color::Black] - stones[Color::White];
    loop {
        let near = |color: Color| held[color].neighbours(area) & open;
        let (black, white) = (near(Color::Black), near(Color::White));
        if (black | white).is_empty() {
            return held;
        }
        held[Color::Black] |= black - white;
        held[Color::White] |= white - black;
        open -= black | white;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::diagram;
    use crate::game::point::Move;
    use crate::game::rules::{Komi, Rules};

    fn estimated(text: &str, to_move: Color, rules: &str) -> i32 {
        let rules = Rules::named(rules).unwrap();
        let rules = rules.with_komi(Komi::from_half_points(1));
        estimate(&Position::from_board(
            diagram::parse(text).unwrap(),
            to_move,
            rules,
        ))
    }

    #[test]
    fn points_go_to_the_nearer_stones() {
        // Black is nearer to two columns of four points, White to two; each chain has eight liberties.
        let wall = "
            . X . . O .
            . X . . O .
            . X . . O .
            . X . . O .";
        assert_eq!(estimated(wall, Color::Black, "chinese"), -UNIT / 2);
        // Black reaches 14 points, White 8, and two are as near to both; the chains have eight and four liberties.
        let wider = "
            . X . . . .
            . X . . . O
            . X . . . O
            . X . . . .";
        let worth = 6 * UNIT - UNIT / 2 + 8 - 4;
        assert_eq!(estimated(wider, Color::Black, "chinese"), worth);
    }

    #[test]
    fn a_chain_that_can_be_taken_counts_as_taken() {
        let atari = "
            . X O . .
            . . X . .
            . . . . .";
        // White to move may save the stone: nobody can say yet.
        let saved = estimated(atari, Color::White, "chinese");
        let taken = estimated(atari, Color::Black, "chinese");
        assert!(taken > saved + UNIT, "{taken} {saved}");
        // All fifteen points are Black's; its two stones have two and three liberties.
        assert_eq!(taken, 15 * UNIT - UNIT / 2 + (2 - 3) + (3 - 1));
    }

    #[test]
    fn what_has_ended_is_counted() {
        let halves = "
            . X O .
            X X O .
            . X O O";
        let mut position = Position::from_board(
            diagram::parse(halves).unwrap(),
            Color::Black,
            Rules::default().with_komi(Komi::from_half_points(3)),
        );
        position.play_legal(Color::Black, Move::Pass);
        position.play_legal(Color::White, Move::Pass);
        assert_eq!(estimate(&position), -3 * UNIT / 2);
    }
}
