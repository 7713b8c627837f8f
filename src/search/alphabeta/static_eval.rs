//! Static evaluation from stones, liberties and an influence-based territory estimate.

use crate::game::color::{ByColor, Color};
use crate::game::pointset::PointSet;
use crate::game::position::Position;
use crate::game::rules::Scoring;
use crate::game::score::count;

/// Evaluation units per point.
pub const UNITS_PER_POINT: i32 = 16;

/// Penalty per stone of a chain with 0, 1, 2 or 3 liberties. Chains that can be captured immediately are removed
/// instead.
const LIBERTY_PENALTY: [i32; 4] = [16, 8, 3, 1];
/// Bonus per liberty of a chain.
const LIBERTY_BONUS: i32 = 1;

/// Returns Black's lead in 1/16 points, including komi. A finished game is counted with all stones alive, and
/// is a draw if it has no result.
///
/// Otherwise, chains in atari are removed if the opponent is to move, and every empty point belongs to the colour
/// with the nearest stones, measured through empty points. Points at equal distance are neutral. Liberties add a small
/// bonus to each chain, and chains with few liberties get a penalty.
pub fn static_eval(position: &Position) -> i32 {
    if position.has_no_result() {
        return 0;
    }
    if position.ended() {
        return count(position, &PointSet::EMPTY).score.half_points() * UNITS_PER_POINT / 2;
    }
    let board = position.board();
    let mut shape_bonus = 0;
    let mut captured: ByColor<PointSet> = ByColor::default();
    for chain in board.chains() {
        let liberties = chain.liberties.len();
        if liberties == 1 && chain.color != position.to_move() {
            captured[chain.color] |= chain.stones;
            continue;
        }
        let penalty =
            LIBERTY_PENALTY.get(liberties).copied().unwrap_or(0) * chain.stones.len() as i32;
        let bonus = LIBERTY_BONUS * liberties as i32 - penalty;
        shape_bonus += chain.color.to_perspective(bonus);
    }
    let stones = ByColor::from_fn(|color| *board.stones(color) - captured[color]);
    let controlled = influence(board.area(), stones);
    let points = |color: Color| -> i32 {
        let area = controlled[color].len() as i32;
        match position.rules().scoring {
            Scoring::Area => area,
            Scoring::Territory => {
                let other = color.opposite();
                let prisoners = position.prisoners(other) + captured[other].len() as u32;
                area - stones[color].len() as i32 + prisoners as i32
            }
        }
    };
    let lead =
        2 * (points(Color::Black) - points(Color::White)) - position.white_bonus_half_points();
    lead * UNITS_PER_POINT / 2 + shape_bonus
}

/// Returns the stones of each colour plus the empty points that are nearer to these stones than to those of the other
/// colour.
fn influence(area: &PointSet, stones: ByColor<PointSet>) -> ByColor<PointSet> {
    let mut controlled = stones;
    let mut unclaimed = *area - stones[Color::Black] - stones[Color::White];
    loop {
        let reachable = |color: Color| controlled[color].neighbours(area) & unclaimed;
        let (black, white) = (reachable(Color::Black), reachable(Color::White));
        if (black | white).is_empty() {
            return controlled;
        }
        controlled[Color::Black] |= black - white;
        controlled[Color::White] |= white - black;
        unclaimed -= black | white;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::diagram;
    use crate::game::point::Move;
    use crate::game::rules::{Komi, Rules};

    fn evaluate(text: &str, to_move: Color, rules: &str) -> i32 {
        let rules = Rules::named(rules).unwrap();
        let rules = rules.with_komi(Komi::from_half_points(1));
        static_eval(&Position::from_board(
            diagram::parse(text).unwrap(),
            to_move,
            rules,
        ))
    }

    #[test]
    fn influence_follows_nearest_stones() {
        // Each side is nearer to two columns of four points. Each chain has eight liberties.
        let wall = "
            . X . . O .
            . X . . O .
            . X . . O .
            . X . . O .";
        assert_eq!(
            evaluate(wall, Color::Black, "chinese"),
            -UNITS_PER_POINT / 2
        );
        // Black is nearer to 14 points and White to 8. Two points are equally near to both. The chains have eight and
        // four liberties.
        let wider = "
            . X . . . .
            . X . . . O
            . X . . . O
            . X . . . .";
        let expected = 6 * UNITS_PER_POINT - UNITS_PER_POINT / 2 + 8 - 4;
        assert_eq!(evaluate(wider, Color::Black, "chinese"), expected);
    }

    #[test]
    fn capturable_chain_counts_as_captured() {
        let atari = "
            . X O . .
            . . X . .
            . . . . .";
        // White to move may save the stone, so its status is unclear.
        let to_escape = evaluate(atari, Color::White, "chinese");
        let to_capture = evaluate(atari, Color::Black, "chinese");
        assert!(
            to_capture > to_escape + UNITS_PER_POINT,
            "{to_capture} {to_escape}"
        );
        // All fifteen points belong to Black. Its two stones have two and three liberties.
        assert_eq!(
            to_capture,
            15 * UNITS_PER_POINT - UNITS_PER_POINT / 2 + (2 - 3) + (3 - 1)
        );
    }

    #[test]
    fn ended_game_is_scored() {
        let finished = "
            . X O .
            X X O .
            . X O O";
        let mut position = Position::from_board(
            diagram::parse(finished).unwrap(),
            Color::Black,
            Rules::default().with_komi(Komi::from_half_points(3)),
        );
        position.play_unchecked(Color::Black, Move::Pass);
        position.play_unchecked(Color::White, Move::Pass);
        assert_eq!(static_eval(&position), -3 * UNITS_PER_POINT / 2);
    }
}
