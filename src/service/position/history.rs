//! Reconstructs the moves between the boards of a request.

use serde::Deserialize;
use serde_json::Value;

use crate::game::color::{ByColor, Color};
use crate::game::point::{BoardSize, MAX_SIDE, MIN_SIDE, Move, Point};
use crate::game::pointset::PointSet;
use crate::game::position::Position;
use crate::game::record::Record;
use crate::game::rules::Rules;
use crate::service::error::{ErrorCode, ServiceError};

/// Board from a request, given as a list of rows, topmost row first: 0 for empty points, 1 for Black, -1 for White.
/// Chains without liberties are not rejected.
#[derive(Deserialize)]
#[serde(try_from = "Vec<Vec<Value>>")]
pub struct RawBoard {
    pub size: BoardSize,
    pub stones: ByColor<PointSet>,
}

impl TryFrom<Vec<Vec<Value>>> for RawBoard {
    type Error = String;

    fn try_from(rows: Vec<Vec<Value>>) -> Result<Self, String> {
        let (width, height) = (rows.first().map_or(0, Vec::len), rows.len());
        let size = BoardSize::new(width, height).ok_or_else(|| {
            format!("expected a board with {MIN_SIDE} to {MAX_SIDE} rows and columns, found {width}x{height}")
        })?;
        let mut stones: ByColor<PointSet> = ByColor::default();
        for (row, cells) in rows.iter().enumerate() {
            if cells.len() != width {
                let found = cells.len();
                return Err(format!(
                    "expected rows of {width} points, found {found} in row {row}"
                ));
            }
            for (column, cell) in cells.iter().enumerate() {
                let color = match cell.as_i64() {
                    Some(0) => continue,
                    Some(1) => Color::Black,
                    Some(-1) => Color::White,
                    _ => {
                        let expected = "0 (empty), 1 (Black) or -1 (White)";
                        return Err(format!("expected {expected}, found {cell} in row {row}"));
                    }
                };
                stones[color].insert(Point::at(column, row));
            }
        }
        Ok(Self { size, stones })
    }
}

/// Returns the side that moves first in the history, computed from `to_move`, the side to move at the end. If `to_move`
/// is `None`, infers the side from the first stone added between two boards. Returns `None` if no stone is added.
fn first_to_move(boards: &[RawBoard], to_move: Option<Color>) -> Option<Color> {
    let side_before = |moves: usize, color: Color| match moves % 2 {
        0 => color,
        _ => color.opposite(),
    };
    if let Some(to_move) = to_move {
        return Some(side_before(boards.len() - 1, to_move));
    }
    boards.windows(2).enumerate().find_map(|(number, pair)| {
        let has_new_stone = |color| !(pair[1].stones[color] - pair[0].stones[color]).is_empty();
        let mover = Color::BOTH.into_iter().find(|&color| has_new_stone(color));
        mover.map(|color| side_before(number, color))
    })
}

/// Reconstructs the game from the boards of its positions: the earlier `boards`, oldest first, and the last one,
/// `board`. A single move or pass must lead from each board to the next.
///
/// `to_move` is the side to move at the end, if known. `default_to_move` makes the first move if neither `to_move` nor
/// the boards determine which side moved first.
///
/// # Errors
/// Returns an error if the first board contains a chain without liberties, or if no single legal move leads from one
/// board to the next.
pub fn reconstruct_history(
    mut boards: Vec<RawBoard>,
    board: RawBoard,
    to_move: Option<Color>,
    default_to_move: Color,
    rules: Rules,
) -> Result<Record, ServiceError> {
    boards.push(board);
    // A pass does not change the board, so the side that passed must be inferred from the other moves.
    let first = first_to_move(&boards, to_move).unwrap_or(default_to_move);
    let mut boards = boards.into_iter();
    let start = boards.next().expect("the list contains at least `board`");
    let start = Position::from_stones(start.size, start.stones, first, rules);
    let start = start.map_err(ServiceError::from)?;
    let mut record = Record::from_position(start);
    for (index, next) in boards.enumerate() {
        let step_error = || {
            let message = format!("no single move leads from board {index} to the next one");
            ServiceError::new(ErrorCode::History, message)
                .in_field("history")
                .with("board", index)
        };
        let (color, mv) = infer_move(record.position(), &next.stones).ok_or_else(step_error)?;
        // The boards may come from a game that was played under other rules.
        record.play_lenient(color, mv).map_err(|_| step_error())?;
        if next.size != record.size() || *record.position().board().stones_by_color() != next.stones
        {
            return Err(step_error());
        }
    }
    Ok(record)
}

/// Infers the move that leads from `position` to a board with `stones`: the placement of the only new stone or, if
/// there is no new stone, a pass or a suicide. Returns `None` if there are several new stones.
fn infer_move(position: &Position, stones: &ByColor<PointSet>) -> Option<(Color, Move)> {
    let new_stones = Color::BOTH.map(|color| stones[color] - *position.board().stones(color));
    match (new_stones[0].len(), new_stones[1].len()) {
        (0, 0) => infer_pass_or_suicide(position, stones),
        (1, 0) => Some((Color::Black, Move::Play(new_stones[0].only()?))),
        (0, 1) => Some((Color::White, Move::Play(new_stones[1].only()?))),
        _ => None,
    }
}

/// Infers a move that adds no stone: a pass if no stones are missing, or a suicide if all missing stones have the same
/// colour. Returns `None` if there is no such legal move.
fn infer_pass_or_suicide(position: &Position, stones: &ByColor<PointSet>) -> Option<(Color, Move)> {
    let board = position.board();
    let [black, white] = Color::BOTH.map(|color| *board.stones(color) - stones[color]);
    let (color, missing) = match (black.is_empty(), white.is_empty()) {
        (true, true) => return Some((position.to_move(), Move::Pass)),
        (false, true) => (Color::Black, black),
        (true, false) => (Color::White, white),
        (false, false) => return None,
    };
    let captures_missing = |point: Point| {
        let chains = board.chains_of_adjacent_stones(point);
        let chains = chains.filter(|chain| chain.color == color);
        board.is_suicide(color, point)
            && chains.fold(PointSet::EMPTY, |all, chain| all | chain.stones) == missing
    };
    let candidates = missing.neighbours(board.all_points()) & board.empty_points();
    let mut points = candidates.iter();
    let point = points.find(|&point| captures_missing(point))?;
    let is_legal = position.check_legal_for(color, point).is_ok();
    is_legal.then_some((color, Move::Play(point)))
}
