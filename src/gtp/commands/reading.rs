//! Tactical reading: ladders, captures and connections, with GNU Go's result codes.
//!
//! A result starts with a code:
//! - 0: the goal fails.
//! - 1: the goal succeeds.
//! - 2: the goal succeeds by ko, and the opponent needs the first ko threat.
//! - 3: the goal succeeds by ko, and the side to move needs the first ko threat.
//!
//! If the reading is inconclusive, the result is `unknown`.
//!
//! Code 0 is proved only within the reading depth. Two chains are reported as disconnected only if, in addition, their
//! owner would need more than `MAX_JOINING_MOVES` moves in a row to join them.

use crate::game::board::Board;
use crate::game::color::Color;
use crate::game::point::{BoardSize, Move, Point};
use crate::game::position::Position;
use crate::gtp::args::Args;
use crate::gtp::context::{Command, Context};
use crate::gtp::response::{CommandResult, GtpError, Response};
use crate::tactics::ladder::LadderReader;
use crate::tactics::reading::{self, CaptureReader, ReadingLimits, ReadingResult};
use crate::tactics::reading::{ConnectionError, ConnectionReader, may_be_connected};

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
        "Returns whether the chain at VERTEX can be captured (0 no, 1 yes, 2 or 3 by ko), and the move.",
        attack,
    ),
    Command::new(
        "defend",
        "VERTEX",
        "Returns whether the chain at VERTEX can be saved (0 no, 1 yes, 2 or 3 by ko), and the move.",
        defend,
    ),
    Command::new(
        "connect",
        "VERTEX VERTEX",
        "Returns whether two chains of one colour can be connected (0 no, 1 yes, 2 or 3 by ko), and the move.",
        connect,
    ),
    Command::new(
        "disconnect",
        "VERTEX VERTEX",
        "Returns whether two chains of one colour can be disconnected (0 no, 1 yes, 2 or 3 by ko), and the move.",
        disconnect,
    ),
];

/// Limits for reading a defence. They leave the attacker as many plies after the defence as `attack` reads, so that
/// `defend` never returns a move that a following `attack` refutes.
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
/// Maximum number of consecutive moves for which joining two chains is still considered possible.
///
/// If the reading finds two chains disconnected, but this number of moves in a row would join them, they are reported
/// as `unknown`: the cutting stones may be captured after the end of the reading. The limit was measured on chain
/// pairs from half-random games that the reading finds disconnected: GNU Go connects 40 % of the pairs that need three
/// moves in a row, 14 % of the pairs that need four, and none of 36 pairs that need more.
const MAX_JOINING_MOVES: usize = 4;

/// How a goal succeeds.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Success {
    /// Without ko.
    Unconditional,
    /// By a ko in which the opponent needs the first ko threat.
    KoOpponentThreat,
    /// By a ko in which the side to move needs the first ko threat.
    KoOwnThreat,
}

impl Success {
    /// Returns success by ko. `needs_own_threat` is true if the side to move needs the first ko threat.
    pub(super) const fn from_ko(needs_own_threat: bool) -> Self {
        if needs_own_threat {
            Self::KoOwnThreat
        } else {
            Self::KoOpponentThreat
        }
    }

    /// Returns GNU Go's result code.
    const fn code(self) -> u8 {
        match self {
            Self::Unconditional => 1,
            Self::KoOpponentThreat => 2,
            Self::KoOwnThreat => 3,
        }
    }
}

/// Result of reading a goal for the side to move.
pub(super) enum MoveResult {
    /// The goal succeeds, starting with this move.
    Succeeds(Success, Move),
    Fails,
    Unknown,
}

/// Returns a move that captures the chain at `target` in a ladder of any length, if there is one. `ko` is the point
/// that the ko rule forbids.
fn ladder_move(board: &Board, target: Point, ko: Option<Point>) -> Option<Point> {
    let moves = LadderReader::new().capturing_moves(board, target, ko);
    moves.first()
}

fn ladder_attack(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> CommandResult {
    let (target, chain) = args.chain(context.engine.position())?;
    args.expect_end()?;
    let liberties = chain.liberties.len();
    if liberties != 2 {
        return Err(GtpError::NotTwoLiberties(format!(
            "this one has {liberties}"
        )));
    }
    let position = context.engine.position();
    let ko = position.ko_for(chain.color.opposite());
    let attack = ladder_move(position.board(), target, ko);
    Ok(Response::Text(attack.map_or_else(
        || "0".to_owned(),
        |point| format!("1 {}", position.size().vertex(point)),
    )))
}

fn attack(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> CommandResult {
    let (target, chain) = args.chain(context.engine.position())?;
    args.expect_end()?;
    let position = context.engine.position();
    let attacker = chain.color.opposite();
    let ko = position.ko_for(attacker);
    let result = match ladder_move(position.board(), target, ko) {
        Some(point) => MoveResult::Succeeds(Success::Unconditional, Move::Play(point)),
        None => {
            let reading =
                CaptureReader::new().attack(position.board(), target, ko, ReadingLimits::default());
            reading.map_or(MoveResult::Unknown, |reading| {
                result_for_mover(&reading, attacker)
            })
        }
    };
    let result = require_legal(position, attacker, result);
    Ok(Response::Text(result_text(position.size(), &result)))
}

fn defend(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> CommandResult {
    let (target, chain) = args.chain(context.engine.position())?;
    args.expect_end()?;
    let position = context.engine.position();
    let board = position.board();
    let ko = position.ko_for(chain.color);
    let result = if LadderReader::new().is_ladder_captured(board, target) {
        MoveResult::Fails
    } else {
        let reading = CaptureReader::new().defend(board, target, ko, DEFENCE_LIMITS);
        reading.map_or(MoveResult::Unknown, |reading| {
            let result = result_for_mover(&reading, chain.color);
            avoid_ladder(position, target, chain.color, result)
        })
    };
    let result = require_legal(position, chain.color, result);
    Ok(Response::Text(result_text(position.size(), &result)))
}

fn connect(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> CommandResult {
    connection_response(context, args, true)
}

fn disconnect(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> CommandResult {
    connection_response(context, args, false)
}

/// Reads whether two chains can be connected (`is_connect`, their owner moves first) or disconnected (the opponent
/// moves first).
fn connection_response(
    context: &Context<'_, '_>,
    args: &mut Args<'_>,
    is_connect: bool,
) -> CommandResult {
    let (first, chain) = args.chain(context.engine.position())?;
    let (second, _) = args.chain(context.engine.position())?;
    args.expect_end()?;
    let position = context.engine.position();
    let (board, pair) = (position.board(), [first, second]);
    let mover = if is_connect {
        chain.color
    } else {
        chain.color.opposite()
    };
    let ko = position.ko_for(mover);
    let mut reader = ConnectionReader::new();
    let reading = if is_connect {
        reader.connect(board, pair, ko, CONNECTION_LIMITS)
    } else {
        reader.disconnect(board, pair, ko, CONNECTION_LIMITS)
    };
    let reading = reading.map_err(|error| match error {
        ConnectionError::DifferentColors => GtpError::DifferentColors(error.to_string()),
        ConnectionError::NoChain(_) => GtpError::EmptyVertex(error.to_string()),
    })?;
    let is_reliable = |reading: &ReadingResult| {
        let mut next_board = board.clone();
        if let Some(Move::Play(point)) = reading.best_move {
            next_board.place(mover, point);
        }
        let is_disconnected = matches!(reading.outcome, reading::ReadingOutcome::Prevented { .. });
        !is_disconnected || !may_be_connected(&next_board, pair, MAX_JOINING_MOVES)
    };
    let result = if is_reliable(&reading) {
        result_for_mover(&reading, mover)
    } else {
        MoveResult::Unknown
    };
    let result = require_legal(position, mover, result);
    Ok(Response::Text(result_text(position.size(), &result)))
}

/// Replaces `result` by `Unknown` if its move is illegal. The reading ignores superko, and another move may succeed.
pub(super) fn require_legal(position: &Position, mover: Color, result: MoveResult) -> MoveResult {
    match result {
        MoveResult::Succeeds(_, Move::Play(point)) if position.legal_for(mover, point).is_err() => {
            MoveResult::Unknown
        }
        result => result,
    }
}

/// Converts a reading into a result for the side to move. The reading has a best move only if the goal succeeds.
fn result_for_mover(reading: &ReadingResult, mover: Color) -> MoveResult {
    match (reading.best_move, reading.outcome) {
        (None, reading::ReadingOutcome::Unknown) => MoveResult::Unknown,
        (None, _) => MoveResult::Fails,
        (Some(best), reading::ReadingOutcome::Ko { needs_threat, .. }) => {
            MoveResult::Succeeds(Success::from_ko(needs_threat == mover), best)
        }
        (Some(best), _) => MoveResult::Succeeds(Success::Unconditional, best),
    }
}

/// Checks a successful defence for ladders that are longer than the reading depth.
///
/// If a ladder captures the chain after the defence, returns a move on one of the chain's liberties that prevents both
/// the ladder and a capture within the reading depth, or `Unknown` if there is none. Otherwise returns `result`.
fn avoid_ladder(
    position: &Position,
    target: Point,
    defender: Color,
    result: MoveResult,
) -> MoveResult {
    let MoveResult::Succeeds(Success::Unconditional, best) = result else {
        return result;
    };
    let (board, ko) = (position.board(), position.ko_for(defender));
    let board_after = |mv: Move| {
        let mut next_board = board.clone();
        if let Move::Play(point) = mv {
            next_board.place(defender, point);
        }
        next_board
    };
    if ladder_move(&board_after(best), target, None).is_none() {
        return result;
    }
    let liberties = board.chain_at(target).map(|chain| chain.liberties);
    let moves = liberties.into_iter().flatten();
    let mut moves = moves.filter(|&point| !board.is_suicide(defender, point) && ko != Some(point));
    let is_safe = |point: &Point| {
        let next_board = board_after(Move::Play(*point));
        ladder_move(&next_board, target, None).is_none()
            && CaptureReader::new()
                .attack(&next_board, target, None, ReadingLimits::default())
                .is_ok_and(|reading| {
                    matches!(reading.outcome, reading::ReadingOutcome::Prevented { .. })
                })
    };
    moves.find(is_safe).map_or(MoveResult::Unknown, |point| {
        MoveResult::Succeeds(Success::Unconditional, Move::Play(point))
    })
}

pub(super) fn result_text(size: BoardSize, result: &MoveResult) -> String {
    match result {
        MoveResult::Fails => "0".to_owned(),
        MoveResult::Unknown => "unknown".to_owned(),
        MoveResult::Succeeds(success, mv) => {
            format!("{} {}", success.code(), gnugo_move_text(size, *mv))
        }
    }
}

/// Formats a move like GNU Go: a vertex, or `PASS` in capitals.
pub(super) fn gnugo_move_text(size: BoardSize, mv: Move) -> String {
    mv.point()
        .map_or_else(|| "PASS".to_owned(), |point| size.vertex(point))
}
