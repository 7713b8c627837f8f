//! What can be seen on the board, in the words of GNU Go: liberties, prisoners, legal moves, ladders, certain life.

use crate::engine::decision::Decision;
use crate::engine::genmove::GenmoveOptions;
use crate::engine::score::PointStatus;
use crate::game::benson::pass_alive;
use crate::game::board::{Board, Chain};
use crate::game::color::Color;
use crate::game::point::{BoardSize, Move, Point};
use crate::game::pointset::PointSet;
use crate::gtp::args::Args;
use crate::gtp::commands::play::search_move;
use crate::gtp::context::{Command, CommandResult, Context, Response};
use crate::gtp::response::GtpError;
use crate::search::restriction::Restriction;
use crate::tactics::ladder::LadderReader;

/// The group.
pub const COMMANDS: &[Command] = &[
    Command::new(
        "countlib",
        "VERTEX",
        "Answers how many liberties the chain there has.",
        count_liberties,
    ),
    Command::new(
        "findlib",
        "VERTEX",
        "Answers the liberties of the chain there.",
        find_liberties,
    ),
    Command::new(
        "captures",
        "COLOR",
        "Answers how many stones the colour has taken.",
        captures,
    ),
    Command::new(
        "is_legal",
        "COLOR VERTEX",
        "Answers 1 if the move is legal, else 0.",
        is_legal,
    ),
    Command::new(
        "all_legal",
        "COLOR",
        "Answers the points where the colour may play.",
        all_legal,
    ),
    Command::new(
        "ladder_attack",
        "VERTEX",
        "Answers 1 and the move if a ladder takes the chain of two liberties there, else 0.",
        ladder_attack,
    ),
    Command::new(
        "unconditional_status",
        "VERTEX",
        "Answers what is certain even if the owner always passes: alive, dead, whose territory, or undecided.",
        unconditional_status,
    ),
    Command::new(
        "restricted_genmove",
        "COLOR VERTEX...",
        "Answers the best of these moves, or PASS; nothing is played.",
        restricted_genmove,
    ),
];

/// The points as an answer, in reading order.
pub fn vertices(size: BoardSize, points: PointSet) -> String {
    let vertices: Vec<_> = points.iter().map(|point| size.vertex(point)).collect();
    vertices.join(" ")
}

/// Takes a vertex and gives the chain that stands there.
pub fn parse_chain(
    context: &Context<'_, '_>,
    args: &mut Args<'_>,
) -> Result<(Point, Chain), GtpError> {
    let position = context.engine.position();
    let point = args.point(position.size())?;
    let chain = position.board().chain_at(point);
    let chain = chain.ok_or_else(|| {
        let vertex = position.size().vertex(point);
        GtpError::EmptyVertex(format!("expected a stone at {vertex}, found none"))
    })?;
    Ok((point, *chain))
}

/// The move that starts a ladder against the chain, however long; not at `ko`.
pub fn ladder_move(board: &Board, target: Point, ko: Option<Point>) -> Option<Point> {
    let moves = LadderReader::new().capturing_moves(board, target, ko);
    moves.first()
}

fn count_liberties(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> CommandResult {
    let (_, chain) = parse_chain(context, args)?;
    args.expect_end()?;
    Ok(Response::Text(chain.liberties.len().to_string()))
}

fn find_liberties(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> CommandResult {
    let (_, chain) = parse_chain(context, args)?;
    args.expect_end()?;
    let size = context.engine.position().size();
    Ok(Response::Text(vertices(size, chain.liberties)))
}

fn captures(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> CommandResult {
    let color = args.color()?;
    args.expect_end()?;
    let captured = context.engine.position().prisoners(color.opposite());
    Ok(Response::Text(captured.to_string()))
}

fn is_legal(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> CommandResult {
    let color = args.color()?;
    let position = context.engine.position();
    let mv = args.mv(position.size())?;
    args.expect_end()?;
    let is_legal = mv
        .point()
        .is_none_or(|point| position.legal_for(color, point).is_ok());
    Ok(Response::Text(u8::from(is_legal).to_string()))
}

fn all_legal(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> CommandResult {
    let color = args.color()?;
    args.expect_end()?;
    let mut position = context.engine.position().clone();
    position.set_to_move(color);
    let points = position.legal_points();
    Ok(Response::Text(vertices(position.size(), points)))
}

fn ladder_attack(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> CommandResult {
    let (target, chain) = parse_chain(context, args)?;
    args.expect_end()?;
    let liberties = chain.liberties.len();
    if liberties != 2 {
        return Err(GtpError::NotTwoLiberties(format!(
            "expected a chain of two liberties, found {liberties}"
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

fn unconditional_status(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> CommandResult {
    let position = context.engine.position();
    let point = args.point(position.size())?;
    args.expect_end()?;
    let board = position.board();
    let owner = Color::BOTH.into_iter().find(|&color| {
        let alive = pass_alive(board, color, position.rules().suicide);
        alive.area().contains(point)
    });
    let text = match (owner, board.color_at(point)) {
        (None, _) => "undecided",
        (Some(owner), None) => PointStatus::Territory(owner).name(),
        (Some(owner), Some(color)) if owner == color => PointStatus::Alive.name(),
        (Some(_), Some(_)) => PointStatus::Dead.name(),
    };
    Ok(Response::Text(text.to_owned()))
}

fn restricted_genmove(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> CommandResult {
    let color = args.color()?;
    let position = context.engine.position();
    let mut moves = vec![Move::Pass];
    let mut vertex_count = 0;
    while !args.is_empty() {
        let point = args.point(position.size())?;
        vertex_count += 1;
        // The others are left out without a word, as GNU Go does.
        if position.legal_for(color, point).is_ok() {
            moves.push(Move::Play(point));
        }
    }
    if vertex_count == 0 {
        let expected = "expected vertices behind the colour, found none";
        return Err(GtpError::Syntax(expected.to_owned()));
    }
    let options = GenmoveOptions {
        restriction: Restriction::only(moves),
        play: false,
        ..GenmoveOptions::default()
    };
    let size = position.size();
    Ok(Response::Text(
        match search_move(context, color, options)? {
            Decision::Play(point) => size.vertex(point),
            Decision::Pass | Decision::Resign => "PASS".to_owned(),
        },
    ))
}
