//! A closed part of the board around a chain.
//!
//! To prove that the chain lives, everything outside the area is replaced with stones that cannot be captured. If these
//! are stones of the chain's opponent, the chain can only become weaker, so that the proof also holds on the real board.

use crate::game::board::{Board, Chain};
use crate::game::color::Color;
use crate::game::pointset::PointSet;

/// Maximum number of empty points in an area. Larger areas are rarely decided within a few thousand nodes.
const MAX_EMPTY_POINTS: usize = 16;
/// Maximum number of points that are tried as the first and as the second eye of the surrounding stones.
const MAX_EYE_CANDIDATES: usize = 12;

/// The walls that enclose a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Walls {
    /// Stones of the opponent that are estimated to be alive.
    Opponent,
    /// Other stones of the owner that are estimated to be alive. A chain that is enclosed by them may share liberties
    /// with a chain of the opponent between itself and the walls.
    Owner,
}

/// A chain in a closed area.
pub(super) struct Enclosure {
    /// The board with nothing but uncapturable stones outside the area.
    pub board: Board,
    /// The area and the walls around it.
    pub region: PointSet,
}

impl Enclosure {
    /// Returns the smallest area around `chain` that is bounded by `walls`. The stones in `dead` are no walls. A chain
    /// with all its liberties inside the area could be captured there and is therefore part of the area.
    ///
    /// Returns `None` if there is no such area, if it is too large, or if stones around it have no room for two eyes.
    pub fn new(board: &Board, chain: &Chain, dead: &PointSet, walls: Walls) -> Option<Self> {
        let area = enclosed_area(board, chain, dead, walls)?;
        let outer_color = match walls {
            Walls::Opponent => chain.color.opposite(),
            Walls::Owner => chain.color,
        };
        let all = board.all_points();
        let border = area.grown(all) - area;
        if border.intersects(board.stones(outer_color.opposite())) {
            return None;
        }
        let outside = *all - area;
        let mut outer_stones = outside;
        for component in outside.components() {
            outer_stones -= two_eyes(&component, &area, all)?;
        }
        let [black, white] = Color::BOTH.map(|color| {
            let inner = *board.stones(color) & area;
            if color == outer_color {
                inner | outer_stones
            } else {
                inner
            }
        });
        Some(Self {
            board: Board::from_stones(board.size(), black, white).ok()?,
            region: area.grown(all),
        })
    }
}

/// Implements [`Enclosure::new`].
fn enclosed_area(board: &Board, chain: &Chain, dead: &PointSet, walls: Walls) -> Option<PointSet> {
    let mut wall_stones = *board.stones(chain.color.opposite()) - *dead;
    if walls == Walls::Owner {
        wall_stones |= *board.stones(chain.color) - *dead - chain.stones;
    }
    loop {
        let area = chain
            .stones
            .flood_through(&(*board.all_points() - wall_stones));
        if (area & board.empty_points()).len() > MAX_EMPTY_POINTS {
            return None;
        }
        let near = area.grown(board.all_points());
        let is_enclosed = |wall: &&Chain| {
            wall.stones.intersects(&near)
                && wall.stones.is_subset(&wall_stones)
                && wall.liberties.is_subset(&area)
        };
        let enclosed = (board.chains().filter(is_enclosed))
            .fold(PointSet::EMPTY, |all, wall| all | wall.stones);
        if enclosed.is_empty() {
            return Some(area);
        }
        wall_stones -= enclosed;
    }
}

/// Returns two points of `component` that are eyes if all other points of `component` are occupied by stones of the
/// same colour. Returns `None` if no such points are found.
fn two_eyes(component: &PointSet, area: &PointSet, all: &PointSet) -> Option<PointSet> {
    let inner = *component - area.grown(all);
    let pairs = inner.iter().take(MAX_EYE_CANDIDATES).flat_map(|first| {
        let first = PointSet::single(first);
        let others = inner - first.grown(all);
        others
            .iter()
            .take(MAX_EYE_CANDIDATES)
            .map(move |second| first | PointSet::single(second))
            .collect::<Vec<_>>()
    });
    let is_connected = |eyes: &PointSet| (*component - *eyes).components().count() == 1;
    pairs.into_iter().find(is_connected)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::diagram;

    /// Returns the enclosure of the chain at `vertex` as a diagram.
    fn enclosure(text: &str, vertex: &str, walls: Walls) -> Option<String> {
        let board = diagram::parse_board(text).unwrap();
        let point = board.size().parse_vertex(vertex).unwrap();
        let chain = *board.chain_at(point).unwrap();
        let enclosure = Enclosure::new(&board, &chain, &PointSet::EMPTY, walls)?;
        Some(diagram::to_diagram(&enclosure.board))
    }

    fn normalised(text: &str) -> String {
        let rows = text.split('\n').map(|row| row.split_whitespace().collect());
        rows.collect::<Vec<String>>().join("\n").trim().to_owned()
    }

    const SEKI: &str = "
        O O . X O . .
        O . X X O . .
        X X X O O . .
        O O O O . . .
        . . . . . . .
        . . . . X . .";

    #[test]
    fn opponents_surround_the_area() {
        let expected = "
            O O . X O . O
            O . X X O O O
            X X X O . O O
            O O O O O O O
            O O O O O O O
            O O O O O O O";
        let found = enclosure(SEKI, "A4", Walls::Opponent).unwrap();
        assert_eq!(normalised(&found), normalised(expected));
    }

    #[test]
    fn chain_without_outer_liberties_is_part_of_the_area() {
        let expected = enclosure(SEKI, "A4", Walls::Opponent);
        assert_eq!(enclosure(SEKI, "A6", Walls::Owner), expected);
        // Black's chain is no wall around White's.
        assert_eq!(enclosure(SEKI, "A6", Walls::Opponent), None);
    }

    #[test]
    fn open_area_is_no_enclosure() {
        let open = "
            . X . . . . . .
            . . . . . . . .
            . . . . . . O .";
        assert_eq!(enclosure(open, "B3", Walls::Opponent), None);
    }
}
