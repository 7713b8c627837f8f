//! Capture reading of the attacker's walls on the whole board.

use super::region::Region;
use super::set::Set;
use crate::game::board::Board;
use crate::game::color::Color;
use crate::game::point::{Move, Point};
use crate::game::pointset::PointSet;
use crate::tactics::bitboard::Stones;
use crate::tactics::bitboard::word::Word;
use crate::tactics::reading::{CaptureReader, ReadingLimits, ReadingOutcome, ReadingSide};
use std::collections::HashMap;

/// Maximum number of liberties of the chains to read. Chains with more liberties are assumed to be safe.
const MAX_LIBERTIES: u32 = 4;
/// Limits of a capture search. Ladders are read to the end. Few plies make the results depend on few points, so that
/// they can be used again in many positions.
const LIMITS: ReadingLimits = ReadingLimits {
    plies: 5,
    nodes: 1_000,
    time: None,
};
/// Maximum number of stored results per stone and side.
const MAX_RESULTS: usize = 64;

/// Result of a capture search. It is the same on all boards with the same stones in `zone`.
#[derive(Clone, Copy)]
struct StoredResult {
    zone: PointSet,
    black: PointSet,
    white: PointSet,
    outcome: ReadingOutcome,
    best_move: Option<Point>,
}

/// Capture reader for the attacker's chains in a region, which stores its results.
pub(super) struct WallReader {
    /// Created when it is needed first.
    reader: Option<CaptureReader>,
    /// Board with the stones outside the region.
    board: Board,
    defender: Color,
    /// Results by stone and by whether the defender moves first.
    results: HashMap<(Point, bool), Vec<StoredResult>>,
}

/// Chains that can be captured, and moves of the side that moves first.
#[derive(Clone, Copy, Default)]
pub(super) struct Captures {
    /// The attacker chains that the defender captures.
    pub walls: Set,
    /// Moves with which the side that moves first captures a chain, or saves one.
    pub moves: Set,
}

impl WallReader {
    pub fn new(board: &Board, defender: Color) -> Self {
        Self {
            reader: None,
            board: board.clone(),
            defender,
            results: HashMap::new(),
        }
    }

    /// Determines which of the attacker's `walls` the defender captures if `first` moves first. The defender is the
    /// maker. If `attacker_wins_kos` is false, a capture that depends on a ko counts.
    pub fn captures(
        &mut self,
        region: &Region,
        stones: &Stones<Set>,
        walls: Set,
        first: ReadingSide,
        attacker_wins_kos: bool,
    ) -> Captures {
        if walls.is_empty() {
            return Captures::default();
        }
        let geometry = &region.geometry;
        let empty = geometry.empty_points(stones);
        let mut captures = Captures::default();
        let by_color = self.stones_by_color(region, stones);
        let mut board = None;
        for wall in geometry.components(walls) {
            if (geometry.neighbours(wall) & empty).count() > MAX_LIBERTIES {
                continue;
            }
            let stone = region.point(wall.lowest_index());
            let Some(result) = self.read(by_color, stone, first, &mut board) else {
                continue;
            };
            captures.moves |= (result.best_move)
                .and_then(|mv| region.index(mv))
                .map_or(Set::EMPTY, Set::single);
            let is_captured = match result.outcome {
                ReadingOutcome::Reached { .. } => true,
                ReadingOutcome::Ko { .. } => !attacker_wins_kos,
                ReadingOutcome::Prevented { .. } | ReadingOutcome::Unknown => false,
            };
            if is_captured {
                captures.walls |= wall;
            }
        }
        captures
    }

    /// Returns the black and the white stones of the whole board.
    fn stones_by_color(&self, region: &Region, stones: &Stones<Set>) -> [PointSet; 2] {
        let inside = region.points(region.geometry.all_points());
        let all =
            |color: Color, set: Set| (*self.board.stones(color) - inside) | region.points(set);
        let own = all(self.defender, stones.own);
        let opponent = all(self.defender.opposite(), stones.opponent);
        match self.defender {
            Color::Black => [own, opponent],
            Color::White => [opponent, own],
        }
    }

    /// Reads whether the chain at `stone` can be captured. Creates `board` if no stored result applies. Returns `None`
    /// if the position is impossible on the whole board, because a chain only has liberties in favour of the defender.
    fn read(
        &mut self,
        [black, white]: [PointSet; 2],
        stone: Point,
        first: ReadingSide,
        board: &mut Option<Board>,
    ) -> Option<StoredResult> {
        let results = (self.results)
            .entry((stone, first == ReadingSide::Maker))
            .or_default();
        let applies = |result: &&StoredResult| {
            black & result.zone == result.black && white & result.zone == result.white
        };
        if let Some(result) = results.iter().rev().find(applies) {
            return Some(*result);
        }
        if board.is_none() {
            *board = Board::from_stones(self.board.size(), black, white).ok();
        }
        let reader = self.reader.get_or_insert_default();
        let (result, zone) =
            (reader.read_with_zone(board.as_ref()?, stone, first, None, LIMITS)).ok()?;
        let result = StoredResult {
            zone,
            black: black & zone,
            white: white & zone,
            outcome: result.outcome,
            best_move: result.best_move.and_then(Move::point),
        };
        if results.len() == MAX_RESULTS {
            results.remove(0);
        }
        results.push(result);
        Some(result)
    }
}
