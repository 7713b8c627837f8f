//! What can be seen on the board, in the words of GNU Go: liberties, prisoners, legal moves, ladders, certain life.

use crate::engine::decide::Decision;
use crate::engine::genmove::Wish;
use crate::engine::status::Fate;
use crate::game::alive::pass_alive;
use crate::game::board::{Board, Chain};
use crate::game::color::Color;
use crate::game::point::{BoardSize, Move, Point};
use crate::game::pointset::PointSet;
use crate::gtp::args::Args;
use crate::gtp::commands::play::think;
use crate::gtp::context::{Answer, Command, Context, Outcome};
use crate::gtp::reply::Failure;
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
pub fn chain(context: &Context<'_, '_>, args: &mut Args<'_>) -> Result<(Point, Chain), Failure> {
    let position = context.engine.position();
    let point = args.point(position.size())?;
    let found = position.board().chain_at(point);
    let chain = found.ok_or_else(|| {
        let vertex = position.size().vertex(point);
        Failure::EmptyVertex(format!("expected a stone at {vertex}, found none"))
    })?;
    Ok((point, *chain))
}

/// The move that starts a ladder against the chain, however long; not at `ko`.
pub fn ladder(board: &Board, target: Point, ko: Option<Point>) -> Option<Point> {
    let moves = LadderReader::new().capturing_moves(board, target, ko);
    moves.first()
}

fn count_liberties(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    let (_, chain) = chain(context, args)?;
    args.end()?;
    Ok(Answer::Text(chain.liberties.len().to_string()))
}

fn find_liberties(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    let (_, chain) = chain(context, args)?;
    args.end()?;
    let size = context.engine.position().size();
    Ok(Answer::Text(vertices(size, chain.liberties)))
}

fn captures(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    let color = args.color()?;
    args.end()?;
    let taken = context.engine.position().prisoners(color.opposite());
    Ok(Answer::Text(taken.to_string()))
}

fn is_legal(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    let color = args.color()?;
    let position = context.engine.position();
    let mv = args.mv(position.size())?;
    args.end()?;
    let legal = mv
        .point()
        .is_none_or(|point| position.legal_for(color, point).is_ok());
    Ok(Answer::Text(u8::from(legal).to_string()))
}

fn all_legal(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    let color = args.color()?;
    args.end()?;
    let mut position = context.engine.position().clone();
    position.set_to_move(color);
    let points = position.legal_points();
    Ok(Answer::Text(vertices(position.size(), points)))
}

fn ladder_attack(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    let (target, chain) = chain(context, args)?;
    args.end()?;
    let liberties = chain.liberties.len();
    if liberties != 2 {
        return Err(Failure::NoLadder(format!(
            "expected a chain of two liberties, found {liberties}"
        )));
    }
    let position = context.engine.position();
    let ko = position.ko_for(chain.color.opposite());
    let found = ladder(position.board(), target, ko);
    Ok(Answer::Text(found.map_or_else(
        || "0".to_owned(),
        |point| format!("1 {}", position.size().vertex(point)),
    )))
}

fn unconditional_status(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    let position = context.engine.position();
    let point = args.point(position.size())?;
    args.end()?;
    let board = position.board();
    let owner = Color::BOTH.into_iter().find(|&color| {
        let alive = pass_alive(board, color, position.rules().suicide);
        alive.area().contains(point)
    });
    let text = match (owner, board.color_at(point)) {
        (None, _) => "undecided",
        (Some(owner), None) => Fate::Territory(owner).name(),
        (Some(owner), Some(color)) if owner == color => Fate::Alive.name(),
        (Some(_), Some(_)) => Fate::Dead.name(),
    };
    Ok(Answer::Text(text.to_owned()))
}

fn restricted_genmove(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    let color = args.color()?;
    let position = context.engine.position();
    let mut moves = vec![Move::Pass];
    let mut named = 0;
    while !args.is_empty() {
        let point = args.point(position.size())?;
        named += 1;
        // The others are left out without a word, as GNU Go does.
        if position.legal_for(color, point).is_ok() {
            moves.push(Move::Play(point));
        }
    }
    if named == 0 {
        let expected = "expected vertices behind the colour, found none";
        return Err(Failure::Syntax(expected.to_owned()));
    }
    let wish = Wish {
        restriction: Restriction::only(moves),
        play: false,
        ..Wish::default()
    };
    let size = position.size();
    Ok(Answer::Text(match think(context, color, wish)? {
        Decision::Play(point) => size.vertex(point),
        Decision::Pass | Decision::Resign => "PASS".to_owned(),
    }))
}
