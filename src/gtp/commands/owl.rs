//! GNU Go's commands for life and death, with the result codes of [`reading`](super::reading).
//!
//! The search is limited to the surroundings of the chain (see [`crate::tactics::life`]); more distant stones
//! count as settled. Success by ko has code 2 only if it is proved that the opponent needs the first ko threat;
//! otherwise, it has the weaker code 3.
//!
//! `eval_eye` returns the number of eyes if the opponent moves first and the number if the owner moves first. If they
//! differ, it also returns the vital moves of the opponent and the owner. For a point that is not enclosed by stones,
//! it returns -1.

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
        "Returns whether the chain at VERTEX can be killed (0 no, 1 yes, 2 or 3 by ko), and the move.",
        owl_attack,
    ),
    Command::new(
        "owl_defend",
        "VERTEX",
        "Returns whether the chain at VERTEX can live (0 no, 1 yes, 2 or 3 by ko), and the move.",
        owl_defend,
    ),
    Command::new(
        "dragon_status",
        "VERTEX",
        "Returns alive, dead, unknown, or critical with the moves that kill and save the chain at VERTEX.",
        dragon_status,
    ),
    Command::new(
        "analyze_semeai",
        "VERTEX VERTEX",
        "Returns 1 (alive) or 0 (dead) for each of two opposing chains, and the move, if the owner of the first chain moves first.",
        analyze_semeai,
    ),
    Command::new(
        "eval_eye",
        "VERTEX",
        "Returns the minimum and maximum number of eyes in the space at VERTEX, and the moves that destroy and make an eye; -1 if there is no eye space.",
        eval_eye,
    ),
];

/// Maximum number of nodes per proof.
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
        let message = "the chains must have opposite colours";
        return Err(GtpError::BadVertexList(message.to_owned()));
    }
    let position = context.engine.position();
    Ok(Response::Text(semeai(position, &first, &second)))
}

/// Solves the fight between two chains, with the owner of the first one to move, and formats the result.
///
/// The result has a digit for each chain (1 if it lives, 0 if it dies) and the move to play, or `PASS` if no move is
/// needed or none helps. A ko counts as won by the side to move.
///
/// Each chain is solved separately. If one move kills the second chain and a different one saves the first, the result
/// is `unknown` unless one of these moves is proved to do both.
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
            // `Fails` is a proof even if the other side wins all kos.
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

/// Solves `goal` for a chain. The side that pursues the goal moves first.
///
/// Verifies the move by solving the opposite goal after it. If the opponent succeeds unconditionally, the result is
/// `Unknown`. Such contradictions occur because the move can extend the surroundings that are considered.
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

/// Solves `goal` for a chain after the move `mv`. A chain that the move captures is dead.
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
    // The move may have connected the chain to more distant stones.
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

/// Solves `goal` for a chain within the surroundings of `stones`. The side that pursues the goal moves first.
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
