//! Earlier boards of a position: the moves that led from each to the next one.

use super::failure::{Code, Failure};
use crate::game::board::{Board, NoLiberties};
use crate::game::color::{ByColor, Color};
use crate::game::point::{BoardSize, Move, Point};
use crate::game::pointset::PointSet;
use crate::game::position::Position;
use crate::game::rules::Rules;

/// A board as it was told, which may be none that can be.
pub struct Stones {
    /// The board's size.
    pub size: BoardSize,
    /// What stands on it.
    pub stones: ByColor<PointSet>,
}

/// A position, and how it came about.
pub struct Past {
    /// The position.
    pub position: Position,
    /// The first board.
    pub start: Board,
    /// The moves since.
    pub moves: Vec<(Color, Move)>,
}

pub(super) fn illegal(message: String) -> Failure {
    Failure::new(Code::Position, message)
}

/// Who begins, where the boards are to end with that side to move or, where that is not told, as the first of them says
/// that tells who made a move.
fn first_to_move(boards: &[Stones], to_move: Option<Color>) -> Option<Color> {
    let after = |moves: usize, color: Color| match moves % 2 {
        0 => color,
        _ => color.opposite(),
    };
    if let Some(to_move) = to_move {
        return Some(after(boards.len() - 1, to_move));
    }
    boards.windows(2).enumerate().find_map(|(number, pair)| {
        let new = |color| !(pair[1].stones[color] - pair[0].stones[color]).is_empty();
        let mover = Color::BOTH.into_iter().find(|&color| new(color));
        mover.map(|color| after(number, color))
    })
}

/// The position in which `board` stands, with `to_move` to move where that is told, after the earlier boards, from one to
/// the next of which a move led. Where nothing tells who did, `begins` was the first to move.
///
/// # Errors
/// When no one move leads from one of the boards to the next one.
pub fn past(
    mut boards: Vec<Stones>,
    board: Stones,
    to_move: Option<Color>,
    begins: Color,
    rules: Rules,
) -> Result<Past, Failure> {
    boards.push(board);
    // Who passed is not told by the boards.
    let first = first_to_move(&boards, to_move).unwrap_or(begins);
    let mut boards = boards.into_iter();
    let start = boards
        .next()
        .expect("the board itself ends the chain of boards");
    let set_up = Position::set_up(start.size, start.stones, first, rules);
    let mut position = set_up.map_err(|error: NoLiberties| illegal(error.to_string()))?;
    let (start, mut moves) = (position.board().clone(), Vec::new());
    for (place, next) in boards.enumerate() {
        let wrong = || {
            illegal(format!(
                "history: expected one move from board {place} to the next one, found something else"
            ))
        };
        if next.size != position.size() {
            return Err(wrong());
        }
        let (color, mv) = move_to(&position, &next.stones).ok_or_else(wrong)?;
        position.play(color, mv).map_err(|_| wrong())?;
        if Color::BOTH
            .iter()
            .any(|&color| *position.board().stones(color) != next.stones[color])
        {
            return Err(wrong());
        }
        moves.push((color, mv));
    }
    Ok(Past {
        position,
        start,
        moves,
    })
}

/// The move that may have led from the position to these stones: the one new stone, or where nothing is new a pass or
/// suicide.
fn move_to(position: &Position, stones: &ByColor<PointSet>) -> Option<(Color, Move)> {
    let new = Color::BOTH.map(|color| stones[color] - *position.board().stones(color));
    match (new[0].len(), new[1].len()) {
        (0, 0) => pass_or_suicide(position, stones),
        (1, 0) => Some((Color::Black, Move::Play(new[0].only()?))),
        (0, 1) => Some((Color::White, Move::Play(new[1].only()?))),
        _ => None,
    }
}

/// The move that left no new stone: a pass where none is missing, or else the suicide of the stones of one colour that
/// are.
fn pass_or_suicide(position: &Position, stones: &ByColor<PointSet>) -> Option<(Color, Move)> {
    let board = position.board();
    let [black, white] = Color::BOTH.map(|color| *board.stones(color) - stones[color]);
    let (color, missing) = match (black.is_empty(), white.is_empty()) {
        (true, true) => return Some((position.to_move(), Move::Pass)),
        (false, true) => (Color::Black, black),
        (true, false) => (Color::White, white),
        (false, false) => return None,
    };
    let removes_them = |point: Point| {
        let own = board.chains_beside(point);
        let own = own.filter(|chain| chain.color == color);
        board.is_suicide(color, point)
            && own.fold(PointSet::EMPTY, |all, chain| all | chain.stones) == missing
    };
    let beside = missing.neighbours(board.area()) & board.empty();
    let mut points = beside.iter();
    let played = points.find(|&point| removes_them(point))?;
    let is_legal = position.legal_for(color, played).is_ok();
    is_legal.then_some((color, Move::Play(played)))
}
