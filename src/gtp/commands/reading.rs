//! Captures and connections read out, in the words of GNU Go: a code and the move.
//!
//! The codes: 0 it fails, 1 it succeeds, 2 it succeeds unless the opponent finds a ko threat, 3 it succeeds with a ko
//! threat of one's own. Where the reading comes to no end the answer is `unknown`. That a chain is safe, or two chains
//! are apart, is told of the plies that are read; two chains must then also be five moves in a row from one another.

use crate::game::color::Color;
use crate::game::point::{BoardSize, Move, Point};
use crate::game::position::Position;
use crate::gtp::args::Args;
use crate::gtp::commands::board_info::{ladder_move, parse_chain};
use crate::gtp::context::{Command, CommandResult, Context, Response};
use crate::gtp::response::GtpError;
use crate::tactics::ladder::LadderReader;
use crate::tactics::reading::{self, CaptureReader, ReadingLimits, ReadingResult};
use crate::tactics::reading::{ConnectionError, ConnectionReader, may_be_connected};

/// The group.
pub const COMMANDS: &[Command] = &[
    Command::new(
        "attack",
        "VERTEX",
        "Answers whether the chain there can be captured, and the move.",
        attack,
    ),
    Command::new(
        "defend",
        "VERTEX",
        "Answers whether the chain there can be saved, and the move.",
        defend,
    ),
    Command::new(
        "connect",
        "VERTEX VERTEX",
        "Answers whether two chains of one colour can be joined, and the move.",
        connect,
    ),
    Command::new(
        "disconnect",
        "VERTEX VERTEX",
        "Answers whether two chains of one colour can be kept apart, and the move.",
        disconnect,
    ),
];

/// How long a defence is read: the attacker then has as many moves after it as an attack is read for, so that none is
/// told that the attack next asked about refutes.
const DEFENCE_LIMITS: ReadingLimits = ReadingLimits {
    plies: 10,
    nodes: 100_000,
    time: None,
};
/// How long the connection of two chains is read: five moves of their owner.
const CONNECTION_LIMITS: ReadingLimits = ReadingLimits {
    plies: 10,
    nodes: 200_000,
    time: None,
};
/// Chains that so many moves in a row may still join are not told to be apart: what cuts them may yet be taken in a fight
/// longer than what is read. Of pairs of half random games that the reading alone would tell apart GNU Go joins two in
/// five if they take three moves in a row, one in seven if they take four, and none of 36 that take more.
const MAX_JOINING_MOVES: usize = 4;

/// How an intention succeeds.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Success {
    /// Whatever the other side does.
    Unconditional,
    /// By a ko in which the other side has to find the first threat.
    KoOpponentThreat,
    /// By a ko in which its own side has to.
    KoOwnThreat,
}

impl Success {
    /// By a ko; `needs_own_threat` tells whether its own side has to find the first threat.
    pub(super) const fn from_ko(needs_own_threat: bool) -> Self {
        if needs_own_threat {
            Self::KoOwnThreat
        } else {
            Self::KoOpponentThreat
        }
    }

    /// GNU Go's number for it.
    const fn code(self) -> u8 {
        match self {
            Self::Unconditional => 1,
            Self::KoOpponentThreat => 2,
            Self::KoOwnThreat => 3,
        }
    }
}

/// What was found out about an intention.
pub(super) enum MoveResult {
    /// It succeeds, beginning with the move.
    Succeeds(Success, Move),
    Fails,
    Unknown,
}

fn attack(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> CommandResult {
    let (target, chain) = parse_chain(context, args)?;
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
    let (target, chain) = parse_chain(context, args)?;
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

/// What comes of the connection of two chains for the side that moves first, who may be the one that joins them.
fn connection_response(
    context: &Context<'_, '_>,
    args: &mut Args<'_>,
    is_connect: bool,
) -> CommandResult {
    let ((first, chain), (second, _)) = (parse_chain(context, args)?, parse_chain(context, args)?);
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

/// What was found, unless superko forbids the move, of which the reading knows nothing: another may do as well.
pub(super) fn require_legal(position: &Position, mover: Color, result: MoveResult) -> MoveResult {
    match result {
        MoveResult::Succeeds(_, Move::Play(point)) if position.legal_for(mover, point).is_err() => {
            MoveResult::Unknown
        }
        result => result,
    }
}

/// What a reading says of the intention of the side to move, of whose moves `best` is one that carries it out.
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

/// The same defence, if no ladder longer than what was read takes the chain after it; else one of the chain's own
/// liberties that leaves none.
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
        MoveResult::Succeeds(success, mv) => format!("{} {}", success.code(), move_text(size, *mv)),
    }
}

/// The move as GNU Go writes it: a vertex, or `PASS` in capitals.
pub(super) fn move_text(size: BoardSize, mv: Move) -> String {
    mv.point()
        .map_or_else(|| "PASS".to_owned(), |point| size.vertex(point))
}
