//! Life and death of a chain, in the words of GNU Go: the same codes as in [`read`](super::read).
//!
//! Only the points near the chain are looked at; what stands further out is taken for settled (see
//! [`crate::tactics::life::near`]). A ko is told as code 3, the weaker claim, unless it is proved that the first threat
//! must be the opponent's.
//!
//! Of eyes the answer is how many there are if the opponent moves first, how many if the owner does, and if these differ
//! the moves that make the difference; -1 where no stones enclose the point.

use super::reading::{MoveResult, Success, gnugo_move_text, require_legal, result_text};
use crate::game::board::Chain;
use crate::game::color::Color;
use crate::game::point::Move;
use crate::game::pointset::PointSet;
use crate::game::position::Position;
use crate::gtp::args::Args;
use crate::gtp::context::{Command, Context};
use crate::gtp::response::{CommandResult, GtpError, Response};
use crate::tactics::life::eye_space::{EyeCount, EyeSpace};
use crate::tactics::life::{self, LifeGoal, LifeLimits, whole_board};

pub const COMMANDS: &[Command] = &[
    Command::new(
        "owl_attack",
        "VERTEX",
        "Answers whether the chain there can be killed, and the move.",
        owl_attack,
    ),
    Command::new(
        "owl_defend",
        "VERTEX",
        "Answers whether the chain there can be made to live, and the move.",
        owl_defend,
    ),
    Command::new(
        "dragon_status",
        "VERTEX",
        "Answers whether the chain there is alive, dead, unknown, or critical with the moves that kill and save it.",
        dragon_status,
    ),
    Command::new(
        "analyze_semeai",
        "VERTEX VERTEX",
        "Answers 1 or 0 for each of two chains of opposite colours, alive or dead, and the move, if the first one moves.",
        analyze_semeai,
    ),
    Command::new(
        "eval_eye",
        "VERTEX",
        "Answers the least and the most eyes of the space there, and the moves that destroy and make them, or -1.",
        eval_eye,
    ),
];

/// Positions visited for each proof.
const MAX_NODES: u64 = 30_000;

fn owl_attack(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> CommandResult {
    owl_response(context, args, LifeGoal::Kill)
}

fn owl_defend(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> CommandResult {
    owl_response(context, args, LifeGoal::Live)
}

fn owl_response(context: &Context<'_, '_>, args: &mut Args<'_>, goal: LifeGoal) -> CommandResult {
    let (_, chain) = args.chain(context.engine.position())?;
    args.expect_end()?;
    let position = context.engine.position();
    let result = solve_verified(position, &chain, goal);
    Ok(Response::Text(result_text(position.size(), &result)))
}

fn dragon_status(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> CommandResult {
    let (_, chain) = args.chain(context.engine.position())?;
    args.expect_end()?;
    let position = context.engine.position();
    let name = |mv| gnugo_move_text(position.size(), mv);
    let solve = |goal| solve_verified(position, &chain, goal);
    Ok(Response::Text(match solve(LifeGoal::Kill) {
        MoveResult::Fails => "alive".to_owned(),
        MoveResult::Unknown => "unknown".to_owned(),
        MoveResult::Succeeds(_, attack) => match solve(LifeGoal::Live) {
            MoveResult::Fails => "dead".to_owned(),
            MoveResult::Unknown => "unknown".to_owned(),
            MoveResult::Succeeds(_, defence) => {
                format!("critical {} {}", name(attack), name(defence))
            }
        },
    }))
}

fn analyze_semeai(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> CommandResult {
    let (_, first) = args.chain(context.engine.position())?;
    let (_, second) = args.chain(context.engine.position())?;
    args.expect_end()?;
    if first.color == second.color {
        let expected = "expected chains of opposite colours, found one colour";
        return Err(GtpError::BadVertexList(expected.to_owned()));
    }
    let position = context.engine.position();
    Ok(Response::Text(semeai(position, &first, &second)))
}

/// Whether each of two chains lives (1) or dies (0) if the side of the first one moves first, and the move; `PASS` where
/// none is needed or none helps. A ko counts as won by that side.
///
/// The fate of each chain is proved by itself, and the move told brings about both: `unknown` where one move is found
/// that kills the second chain and another that saves the first, and neither is proved to do the other's work too.
fn semeai(position: &Position, first: &Chain, second: &Chain) -> String {
    let both_chains = first.stones | second.stones;
    let name = |mv| gnugo_move_text(position.size(), mv);
    let solve_goal = |chain, goal| {
        require_legal(
            position,
            first.color,
            solve(position, chain, &both_chains, goal),
        )
    };
    let kill = solve_goal(second, LifeGoal::Kill);
    let live = solve_goal(first, LifeGoal::Live);
    match (kill, live) {
        (MoveResult::Unknown, _) | (_, MoveResult::Unknown) => "unknown".to_owned(),
        (MoveResult::Fails, MoveResult::Fails) => "0 1 PASS".to_owned(),
        (MoveResult::Fails, MoveResult::Succeeds(_, defence)) => format!("1 1 {}", name(defence)),
        (MoveResult::Succeeds(_, attack), MoveResult::Fails) => format!("0 0 {}", name(attack)),
        (MoveResult::Succeeds(_, attack), MoveResult::Succeeds(_, defence)) => {
            // Proved: not even with the kos won.
            let fails = |mv, chain, goal| {
                let result = solve_after(position, (first.color, mv), chain, &both_chains, goal);
                matches!(result, MoveResult::Fails)
            };
            if attack == defence || fails(attack, first, LifeGoal::Kill) {
                format!("1 0 {}", name(attack))
            } else if fails(defence, second, LifeGoal::Live) {
                format!("1 0 {}", name(defence))
            } else {
                "unknown".to_owned()
            }
        }
    }
}

/// What comes of it for the chain alone if the side with that goal moves first. Unknown where the other side is found to
/// reach its own goal after the move: what is near the stones is another piece of the board then.
fn solve_verified(position: &Position, chain: &Chain, goal: LifeGoal) -> MoveResult {
    let (mover, opposing_goal) = match goal {
        LifeGoal::Live => (chain.color, LifeGoal::Kill),
        LifeGoal::Kill => (chain.color.opposite(), LifeGoal::Live),
    };
    let result = require_legal(position, mover, solve(position, chain, &chain.stones, goal));
    let MoveResult::Succeeds(_, mv) = result else {
        return result;
    };
    match solve_after(position, (mover, mv), chain, &chain.stones, opposing_goal) {
        MoveResult::Succeeds(Success::Unconditional, _) => MoveResult::Unknown,
        _ => result,
    }
}

/// What comes of it for the chain if the side with that goal moves next after this move. A chain that the move takes does
/// not live.
fn solve_after(
    position: &Position,
    (mover, mv): (Color, Move),
    chain: &Chain,
    stones: &PointSet,
    goal: LifeGoal,
) -> MoveResult {
    let mut next_position = position.clone();
    if next_position.play(mover, mv).is_err() {
        return MoveResult::Unknown;
    }
    let chain_after =
        (chain.stones.first()).and_then(|stone| next_position.board().chain_at(stone));
    let Some(remaining_chain) = chain_after.filter(|new_chain| new_chain.color == chain.color)
    else {
        return match goal {
            LifeGoal::Live => MoveResult::Fails,
            LifeGoal::Kill => MoveResult::Succeeds(Success::Unconditional, Move::Pass),
        };
    };
    // The move may have joined it to stones further out.
    let stones = *stones | remaining_chain.stones;
    solve(&next_position, remaining_chain, &stones, goal)
}

fn eval_eye(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> CommandResult {
    let position = context.engine.position();
    let point = args.point(position.size())?;
    args.expect_end()?;
    let Some(space) = EyeSpace::at(position.board(), point) else {
        return Ok(Response::Text("-1".to_owned()));
    };
    let name = |mv| gnugo_move_text(position.size(), mv);
    Ok(Response::Text(
        match space.count_eyes(position, MAX_NODES) {
            None => "unknown".to_owned(),
            Some(EyeCount {
                min: min_eyes,
                max: max_eyes,
                vital_moves: vital,
            }) => match vital {
                None => format!("{min_eyes} {max_eyes}"),
                Some([attack, defence]) => {
                    format!("{min_eyes} {max_eyes} {} {}", name(attack), name(defence))
                }
            },
        },
    ))
}

/// What comes of it for the chain, seen with what is near these stones, if the side with that goal moves first.
fn solve(position: &Position, chain: &Chain, stones: &PointSet, goal: LifeGoal) -> MoveResult {
    let limits = LifeLimits {
        nodes: MAX_NODES,
        ..LifeLimits::default()
    };
    let Ok(solution) = whole_board::solve(position, chain, stones, goal, limits) else {
        return MoveResult::Unknown;
    };
    match (solution.outcome, solution.best_move) {
        (life::LifeOutcome::Failure, _) => MoveResult::Fails,
        (life::LifeOutcome::Success, best) => {
            MoveResult::Succeeds(Success::Unconditional, best.unwrap_or(Move::Pass))
        }
        (life::LifeOutcome::Ko { needs_threat, .. }, Some(best)) => {
            MoveResult::Succeeds(Success::from_ko(needs_threat), best)
        }
        _ => MoveResult::Unknown,
    }
}
