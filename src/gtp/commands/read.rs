//! Captures and connections read out, in the words of GNU Go: a code and the move.
//!
//! The codes: 0 it fails, 1 it succeeds, 2 it succeeds unless the opponent finds a ko threat, 3 it succeeds with a ko
//! threat of one's own. Where the reading comes to no end the answer is `unknown`. That a chain is safe, or two chains
//! are apart, is told of the plies that are read; two chains must then also be five moves in a row from one another.

use crate::game::color::Color;
use crate::game::point::{BoardSize, Move, Point};
use crate::game::position::Position;
use crate::gtp::args::Args;
use crate::gtp::commands::look::{chain, ladder};
use crate::gtp::context::{Answer, Command, Context, Outcome};
use crate::gtp::reply::Failure;
use crate::tactics::ladder::LadderReader;
use crate::tactics::reading::connection::{ConnectionReader, NoPair, may_be_joined};
use crate::tactics::reading::{self, Limits, Reader, Reading};

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
const DEFENCE: Limits = Limits {
    plies: 10,
    nodes: 100_000,
    time: None,
};
/// How long the connection of two chains is read: five moves of their owner.
const CONNECTION: Limits = Limits {
    plies: 10,
    nodes: 200_000,
    time: None,
};
/// Chains that so many moves in a row may still join are not told to be apart: what cuts them may yet be taken in a fight
/// longer than what is read. Of pairs of half random games that the reading alone would tell apart GNU Go joins two in
/// five if they take three moves in a row, one in seven if they take four, and none of 36 that take more.
const CLOSE: usize = 4;

/// How an intention succeeds.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Success {
    /// Whatever the other side does.
    Clear,
    /// By a ko in which the other side has to find the first threat.
    TheirThreat,
    /// By a ko in which its own side has to.
    OwnThreat,
}

impl Success {
    /// By a ko; `own` tells whether its own side has to find the first threat.
    pub(super) const fn by_ko(own: bool) -> Self {
        if own {
            Self::OwnThreat
        } else {
            Self::TheirThreat
        }
    }

    /// GNU Go's number for it.
    const fn code(self) -> u8 {
        match self {
            Self::Clear => 1,
            Self::TheirThreat => 2,
            Self::OwnThreat => 3,
        }
    }
}

/// What was found out about an intention.
pub(super) enum Found {
    /// It succeeds, beginning with the move.
    Succeeds(Success, Move),
    Fails,
    Unknown,
}

fn attack(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    let (target, chain) = chain(context, args)?;
    args.end()?;
    let position = context.engine.position();
    let attacker = chain.color.opposite();
    let ko = position.ko_for(attacker);
    let found = match ladder(position.board(), target, ko) {
        Some(point) => Found::Succeeds(Success::Clear, Move::Play(point)),
        None => {
            let read = Reader::new().attack(position.board(), target, ko, Limits::default());
            read.map_or(Found::Unknown, |read| of_mover(&read, attacker))
        }
    };
    let found = allowed(position, attacker, found);
    Ok(Answer::Text(text(position.size(), &found)))
}

fn defend(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    let (target, chain) = chain(context, args)?;
    args.end()?;
    let position = context.engine.position();
    let board = position.board();
    let ko = position.ko_for(chain.color);
    let found = if LadderReader::new().captures_in_atari(board, target) {
        Found::Fails
    } else {
        let read = Reader::new().defend(board, target, ko, DEFENCE);
        read.map_or(Found::Unknown, |read| {
            let found = of_mover(&read, chain.color);
            out_of_ladders(position, target, chain.color, found)
        })
    };
    let found = allowed(position, chain.color, found);
    Ok(Answer::Text(text(position.size(), &found)))
}

fn connect(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    judge_pair(context, args, true)
}

fn disconnect(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    judge_pair(context, args, false)
}

/// What comes of the connection of two chains for the side that moves first, who may be the one that joins them.
fn judge_pair(context: &Context<'_, '_>, args: &mut Args<'_>, joins: bool) -> Outcome {
    let ((first, chain), (second, _)) = (chain(context, args)?, chain(context, args)?);
    args.end()?;
    let position = context.engine.position();
    let (board, pair) = (position.board(), [first, second]);
    let mover = if joins {
        chain.color
    } else {
        chain.color.opposite()
    };
    let ko = position.ko_for(mover);
    let mut reader = ConnectionReader::new();
    let read = if joins {
        reader.connect(board, pair, ko, CONNECTION)
    } else {
        reader.disconnect(board, pair, ko, CONNECTION)
    };
    let read = read.map_err(|error| match error {
        NoPair::Opponents => Failure::TwoColors(error.to_string()),
        NoPair::NoChain(_) => Failure::EmptyVertex(error.to_string()),
    })?;
    let is_told = |read: &Reading| {
        let mut after = board.clone();
        if let Some(Move::Play(point)) = read.best {
            after.place(mover, point);
        }
        let is_apart = matches!(read.outcome, reading::Outcome::Prevented { .. });
        !is_apart || !may_be_joined(&after, pair, CLOSE)
    };
    let found = if is_told(&read) {
        of_mover(&read, mover)
    } else {
        Found::Unknown
    };
    let found = allowed(position, mover, found);
    Ok(Answer::Text(text(position.size(), &found)))
}

/// What was found, unless superko forbids the move, of which the reading knows nothing: another may do as well.
pub(super) fn allowed(position: &Position, mover: Color, found: Found) -> Found {
    match found {
        Found::Succeeds(_, Move::Play(point)) if position.legal_for(mover, point).is_err() => {
            Found::Unknown
        }
        found => found,
    }
}

/// What a reading says of the intention of the side to move, of whose moves `best` is one that carries it out.
fn of_mover(read: &Reading, mover: Color) -> Found {
    match (read.best, read.outcome) {
        (None, reading::Outcome::Unknown) => Found::Unknown,
        (None, _) => Found::Fails,
        (Some(best), reading::Outcome::Ko { needs_threat, .. }) => {
            Found::Succeeds(Success::by_ko(needs_threat == mover), best)
        }
        (Some(best), _) => Found::Succeeds(Success::Clear, best),
    }
}

/// The same defence, if no ladder longer than what was read takes the chain after it; else one of the chain's own
/// liberties that leaves none.
fn out_of_ladders(position: &Position, target: Point, defender: Color, found: Found) -> Found {
    let Found::Succeeds(Success::Clear, best) = found else {
        return found;
    };
    let (board, ko) = (position.board(), position.ko_for(defender));
    let after = |mv: Move| {
        let mut after = board.clone();
        if let Move::Play(point) = mv {
            after.place(defender, point);
        }
        after
    };
    if ladder(&after(best), target, None).is_none() {
        return found;
    }
    let liberties = board.chain_at(target).map(|chain| chain.liberties);
    let moves = liberties.into_iter().flatten();
    let mut moves = moves.filter(|&point| !board.is_suicide(defender, point) && ko != Some(point));
    let holds = |point: &Point| {
        let after = after(Move::Play(*point));
        ladder(&after, target, None).is_none()
            && Reader::new()
                .attack(&after, target, None, Limits::default())
                .is_ok_and(|read| matches!(read.outcome, reading::Outcome::Prevented { .. }))
    };
    moves.find(holds).map_or(Found::Unknown, |point| {
        Found::Succeeds(Success::Clear, Move::Play(point))
    })
}

pub(super) fn text(size: BoardSize, found: &Found) -> String {
    match found {
        Found::Fails => "0".to_owned(),
        Found::Unknown => "unknown".to_owned(),
        Found::Succeeds(success, mv) => format!("{} {}", success.code(), move_text(size, *mv)),
    }
}

/// The move as GNU Go writes it: a vertex, or `PASS` in capitals.
pub(super) fn move_text(size: BoardSize, mv: Move) -> String {
    mv.point()
        .map_or_else(|| "PASS".to_owned(), |point| size.vertex(point))
}
