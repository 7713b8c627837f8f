//! Earlier boards of a position: the moves that led from each to the next one.

use super::error::{ErrorCode, ServiceError};
use crate::game::board::{Board, NoLibertiesError};
use crate::game::color::{ByColor, Color};
use crate::game::point::{BoardSize, Move, Point};
use crate::game::pointset::PointSet;
use crate::game::position::Position;
use crate::game::rules::Rules;

/// A board as it was told, which may be none that can be.
pub struct RawBoard {
    /// The board's size.
    pub size: BoardSize,
    /// What stands on it.
    pub stones: ByColor<PointSet>,
}

/// A position, and how it came about.
pub struct PositionHistory {
    /// The position.
    pub position: Position,
    /// The first board.
    pub start: Board,
    /// The moves since.
    pub moves: Vec<(Color, Move)>,
}

pub(super) fn position_error(message: String) -> ServiceError {
    ServiceError::new(ErrorCode::Position, message)
}

/// Who begins, where the boards are to end with that side to move or, where that is not told, as the first of them says
/// that tells who made a move.
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

/// The position in which `board` stands, with `to_move` to move where that is told, after the earlier boards, from one to
/// the next of which a move led. Where nothing tells who did, `default_to_move` was the first to move.
///
/// # Errors
/// When no one move leads from one of the boards to the next one.
pub fn reconstruct_history(
    mut boards: Vec<RawBoard>,
    board: RawBoard,
    to_move: Option<Color>,
    default_to_move: Color,
    rules: Rules,
) -> Result<PositionHistory, ServiceError> {
    boards.push(board);
    // Who passed is not told by the boards.
    let first = first_to_move(&boards, to_move).unwrap_or(default_to_move);
    let mut boards = boards.into_iter();
    let start = boards
        .next()
        .expect("the board itself ends the chain of boards");
    let set_up = Position::set_up(start.size, start.stones, first, rules);
    let mut position =
        set_up.map_err(|error: NoLibertiesError| position_error(error.to_string()))?;
    let (start, mut moves) = (position.board().clone(), Vec::new());
    for (index, next) in boards.enumerate() {
        let step_error = || {
            position_error(format!(
                "history: expected one move from board {index} to the next one, found something else"
            ))
        };
        if next.size != position.size() {
            return Err(step_error());
        }
        let (color, mv) = infer_move(&position, &next.stones).ok_or_else(step_error)?;
        position.play(color, mv).map_err(|_| step_error())?;
        if Color::BOTH
            .iter()
            .any(|&color| *position.board().stones(color) != next.stones[color])
        {
            return Err(step_error());
        }
        moves.push((color, mv));
    }
    Ok(PositionHistory {
        position,
        start,
        moves,
    })
}

/// The move that may have led from the position to these stones: the one new stone, or where nothing is new a pass or
/// suicide.
fn infer_move(position: &Position, stones: &ByColor<PointSet>) -> Option<(Color, Move)> {
    let new_stones = Color::BOTH.map(|color| stones[color] - *position.board().stones(color));
    match (new_stones[0].len(), new_stones[1].len()) {
        (0, 0) => infer_pass_or_suicide(position, stones),
        (1, 0) => Some((Color::Black, Move::Play(new_stones[0].only()?))),
        (0, 1) => Some((Color::White, Move::Play(new_stones[1].only()?))),
        _ => None,
    }
}

/// The move that left no new stone: a pass where none is missing, or else the suicide of the stones of one colour that
/// are.
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
        let chains = board.adjacent_chains(point);
        let chains = chains.filter(|chain| chain.color == color);
        board.is_suicide(color, point)
            && chains.fold(PointSet::EMPTY, |all, chain| all | chain.stones) == missing
    };
    let candidates = missing.neighbours(board.area()) & board.empty();
    let mut points = candidates.iter();
    let point = points.find(|&point| captures_missing(point))?;
    let is_legal = position.legal_for(color, point).is_ok();
    is_legal.then_some((color, Move::Play(point)))
}
