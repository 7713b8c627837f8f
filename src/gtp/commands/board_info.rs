//! GNU Go's commands for board information: liberties, captures, legal moves, and unconditional life and territory.

use crate::engine::final_status::PointStatus;
use crate::game::benson::pass_alive;
use crate::game::color::Color;
use crate::gtp::args::Args;
use crate::gtp::command::{Command, Context};
use crate::gtp::response::{CommandResult, text, vertices_text};

pub const COMMANDS: &[Command] = &[
    Command::new(
        "countlib",
        "VERTEX",
        "Returns the number of liberties of the chain at VERTEX.",
        count_liberties,
    ),
    Command::new(
        "findlib",
        "VERTEX",
        "Lists the liberties of the chain at VERTEX.",
        find_liberties,
    ),
    Command::new(
        "captures",
        "COLOR",
        "Returns the number of stones captured by COLOR.",
        captures,
    ),
    Command::new(
        "is_legal",
        "COLOR VERTEX",
        "Returns 1 if the move is legal, 0 otherwise.",
        is_legal,
    ),
    Command::new(
        "all_legal",
        "COLOR",
        "Lists the points where COLOR may play.",
        all_legal,
    ),
    Command::new(
        "unconditional_status",
        "VERTEX",
        "Returns the status that holds even if the owner always passes: alive, dead, white_territory, black_territory or undecided.",
        unconditional_status,
    ),
];

fn count_liberties(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> CommandResult {
    let (_, chain) = args.parse_last(|args| args.chain(context.engine.position()))?;
    text(chain.liberties.len())
}

fn find_liberties(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> CommandResult {
    let (_, chain) = args.parse_last(|args| args.chain(context.engine.position()))?;
    let size = context.engine.position().size();
    text(vertices_text(size, chain.liberties))
}

fn captures(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> CommandResult {
    let color = args.parse_last(Args::color)?;
    text(context.engine.position().lost_stones(color.opposite()))
}

fn is_legal(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> CommandResult {
    let color = args.color()?;
    let position = context.engine.position();
    let mv = args.parse_last(|args| args.mv(position.size()))?;
    let is_legal = mv
        .point()
        .is_none_or(|point| position.check_legal_for(color, point).is_ok());
    text(u8::from(is_legal))
}

fn all_legal(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> CommandResult {
    let color = args.parse_last(Args::color)?;
    let mut position = context.engine.position().clone();
    position.set_to_move(color);
    text(vertices_text(position.size(), position.legal_points()))
}

fn unconditional_status(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> CommandResult {
    let position = context.engine.position();
    let point = args.parse_last(|args| args.point(position.size()))?;
    let board = position.board();
    let owner = Color::BOTH.into_iter().find(|&color| {
        let alive = pass_alive(board, color, position.rules().suicide);
        alive.area().contains(point)
    });
    text(match (owner, board.color_at(point)) {
        (None, _) => "undecided",
        (Some(owner), None) => PointStatus::Territory(owner).name(),
        (Some(owner), Some(color)) if owner == color => PointStatus::Alive.name(),
        (Some(_), Some(_)) => PointStatus::Dead.name(),
    })
}
