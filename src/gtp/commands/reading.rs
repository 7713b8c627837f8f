//! Tactical reading: ladders, captures and connections, with the result codes of [`goal_result`](super::goal_result).
//!
//! Code 0 is proved only within the reading depth. Two chains are reported as disconnected only if, in addition, their
//! owner would need more than `MAX_UNANSWERED_CONNECTING_MOVES` moves in a row to connect them.

use super::goal_result::{GoalResult, Success};
use crate::game::board::Board;
use crate::game::color::Color;
use crate::game::point::{Move, Point};
use crate::game::position::Position;
use crate::gtp::args::Args;
use crate::gtp::command::{Command, Context};
use crate::gtp::response::{CommandResult, GtpError, text};
use crate::tactics::ladder::LadderReader;
use crate::tactics::reading::{
    CaptureReader, ConnectionReader, ReadingLimits, ReadingOutcome, ReadingResult, ReadingSide,
    may_connect_within,
};

pub const COMMANDS: &[Command] = &[
    Command::new(
        "ladder_attack",
        "VERTEX",
        "Returns 1 and the first move if a ladder captures the chain at VERTEX, 0 otherwise; the chain must have two liberties.",
        ladder_attack,
    ),
    Command::new(
        "attack",
        "VERTEX",
        "Returns whether the chain at VERTEX can be captured (0 no, 1 yes, 2 or 3 by ko), and the first move.",
        attack,
    ),
    Command::new(
        "defend",
        "VERTEX",
        "Returns whether the chain at VERTEX can be saved (0 no, 1 yes, 2 or 3 by ko), and the first move.",
        defend,
    ),
    Command::new(
        "connect",
        "VERTEX VERTEX",
        "Returns whether two chains of one colour can be connected (0 no, 1 yes, 2 or 3 by ko), and the first move.",
        |context, args| connect_or_disconnect(context, args, ReadingSide::Maker),
    ),
    Command::new(
        "disconnect",
        "VERTEX VERTEX",
        "Returns whether two chains of one colour can be disconnected (0 no, 1 yes, 2 or 3 by ko), and the first move.",
        |context, args| connect_or_disconnect(context, args, ReadingSide::Breaker),
    ),
];

/// Limits for reading a defence. The number of plies after the defending move equals the limit of the command `attack`,
/// so that `defend` never returns a move that a following `attack` refutes.
const DEFENCE_LIMITS: ReadingLimits = ReadingLimits {
    plies: 10,
    nodes: 100_000,
    time: None,
};
/// Limits for reading a connection. Ten plies are five moves by each side.
const CONNECTION_LIMITS: ReadingLimits = ReadingLimits {
    plies: 10,
    nodes: 200_000,
    time: None,
};
/// Number of consecutive moves by the owner that must fail to connect two chains before the chains are reported as
/// disconnected.
///
/// If the search finds two chains disconnected, but their owner could connect them with at most this number of
/// consecutive moves, the result is `unknown`: the cutting stones may be captured after the last move of the search.
/// The value is based on a measurement of chain pairs in half-random games. Among the pairs that the search finds
/// disconnected, GNU Go connects 40% if three consecutive moves are needed, 14% if four are needed, and none of the 36
/// pairs that need more.
const MAX_UNANSWERED_CONNECTING_MOVES: usize = 4;

/// Returns a move that captures the chain at `target` in a ladder of any length, if there is one. `ko` is the point
/// where the ko rule forbids the first move, if any.
fn ladder_capturing_move(board: &Board, target: Point, ko: Option<Point>) -> Option<Point> {
    let moves = LadderReader::new().working_moves_against(board, target, ko);
    moves.first()
}

fn ladder_attack(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> CommandResult {
    let position = context.engine.position();
    let (target, chain) = args.parse_last(|args| args.chain(position))?;
    let liberties = chain.liberties.len();
    if liberties != 2 {
        return Err(GtpError::NotTwoLiberties(format!(
            "this one has {liberties}"
        )));
    }
    let attacker = chain.color.opposite();
    let ko = position.ko_for(attacker);
    let moves = LadderReader::new().working_moves_against(position.board(), target, ko);
    // The reader ignores superko.
    let mut legal_moves =
        (moves.iter()).filter(|&mv| position.check_legal_for(attacker, mv).is_ok());
    text(match legal_moves.next() {
        Some(point) => format!("1 {}", position.size().vertex(point)),
        None => "0".to_owned(),
    })
}

fn attack(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> CommandResult {
    let position = context.engine.position();
    let (target, chain) = args.parse_last(|args| args.chain(position))?;
    let (board, attacker) = (position.board(), chain.color.opposite());
    let ko = position.ko_for(attacker);
    let result = match ladder_capturing_move(board, target, ko) {
        Some(point) => GoalResult::Succeeds(Success::Unconditional, Move::Play(point)),
        None => CaptureReader::default()
            .read(
                board,
                target,
                ReadingSide::Maker,
                ko,
                ReadingLimits::default(),
            )
            .map_or(GoalResult::Unknown, |reading| {
                result_for_mover(&reading, attacker)
            }),
    };
    text(
        result
            .unknown_if_illegal(position, attacker)
            .to_text(position.size()),
    )
}

fn defend(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> CommandResult {
    let position = context.engine.position();
    let (target, chain) = args.parse_last(|args| args.chain(position))?;
    let (board, ko) = (position.board(), position.ko_for(chain.color));
    let result = if LadderReader::new().is_inescapable_atari(board, target) {
        GoalResult::Fails
    } else {
        CaptureReader::default()
            .read(board, target, ReadingSide::Breaker, ko, DEFENCE_LIMITS)
            .map_or(GoalResult::Unknown, |reading| {
                let result = result_for_mover(&reading, chain.color);
                ensure_ladder_safe_defence(position, target, chain.color, result)
            })
    };
    text(
        result
            .unknown_if_illegal(position, chain.color)
            .to_text(position.size()),
    )
}

/// Determines by tactical reading whether the side `first`, which moves first, achieves its goal, and returns the
/// response. The maker owns the two chains and tries to connect them; the breaker tries to disconnect them.
fn connect_or_disconnect(
    context: &Context<'_, '_>,
    args: &mut Args<'_>,
    first: ReadingSide,
) -> CommandResult {
    let position = context.engine.position();
    let (one, chain) = args.chain(position)?;
    let (other, _) = args.parse_last(|args| args.chain(position))?;
    let (board, pair) = (position.board(), [one, other]);
    let mover = match first {
        ReadingSide::Maker => chain.color,
        ReadingSide::Breaker => chain.color.opposite(),
    };
    let ko = position.ko_for(mover);
    let reading = ConnectionReader::default()
        .read(board, pair, first, ko, CONNECTION_LIMITS)
        .map_err(|error| GtpError::DifferentColors(error.to_string()))?;
    let is_disconnected = matches!(reading.outcome, ReadingOutcome::Prevented { .. });
    let next_board = board_after(board, mover, reading.best_move.unwrap_or(Move::Pass));
    let result = if is_disconnected
        && may_connect_within(&next_board, pair, MAX_UNANSWERED_CONNECTING_MOVES)
    {
        GoalResult::Unknown
    } else {
        result_for_mover(&reading, mover)
    };
    text(
        result
            .unknown_if_illegal(position, mover)
            .to_text(position.size()),
    )
}

fn board_after(board: &Board, color: Color, mv: Move) -> Board {
    let mut next_board = board.clone();
    if let Move::Play(point) = mv {
        next_board.place(color, point);
    }
    next_board
}

/// Converts the result of a tactical search into a result for `mover`, the side to move. `reading` has a best move only
/// if the side to move succeeds.
fn result_for_mover(reading: &ReadingResult, mover: Color) -> GoalResult {
    match (reading.best_move, reading.outcome) {
        (None, ReadingOutcome::Unknown) => GoalResult::Unknown,
        (None, _) => GoalResult::Fails,
        (Some(best), ReadingOutcome::Ko { needs_threat, .. }) => {
            GoalResult::Succeeds(Success::by_ko(needs_threat == mover), best)
        }
        (Some(best), _) => GoalResult::Succeeds(Success::Unconditional, best),
    }
}

/// Checks a successful defence for ladders that are longer than the reading depth.
///
/// If a ladder captures the chain after the defending move, searches for a move on one of the chain's liberties that
/// prevents both the ladder and a capture within the reading depth. Returns this move as an unconditional success, or
/// `Unknown` if there is no such move. In all other cases, returns `result`.
fn ensure_ladder_safe_defence(
    position: &Position,
    target: Point,
    defender: Color,
    result: GoalResult,
) -> GoalResult {
    let GoalResult::Succeeds(Success::Unconditional, best) = result else {
        return result;
    };
    let (board, ko) = (position.board(), position.ko_for(defender));
    if ladder_capturing_move(&board_after(board, defender, best), target, None).is_none() {
        return result;
    }
    let liberties = board.chain_at(target).map(|chain| chain.liberties);
    let moves = liberties.into_iter().flatten();
    let mut moves = moves.filter(|&point| !board.is_suicide(defender, point) && ko != Some(point));
    let is_safe = |point: &Point| {
        let next_board = board_after(board, defender, Move::Play(*point));
        let limits = ReadingLimits::default();
        ladder_capturing_move(&next_board, target, None).is_none()
            && CaptureReader::default()
                .read(&next_board, target, ReadingSide::Maker, None, limits)
                .is_ok_and(|reading| matches!(reading.outcome, ReadingOutcome::Prevented { .. }))
    };
    moves.find(is_safe).map_or(GoalResult::Unknown, |point| {
        GoalResult::Succeeds(Success::Unconditional, Move::Play(point))
    })
}
