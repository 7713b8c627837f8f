//! GNU Go's commands for life and death, with the result codes of [`goal_result`](super::goal_result).
//!
//! The search is limited to the surroundings of the chain (see [`crate::tactics::life`]) and assumes that the status of
//! more distant stones is settled. Success by ko has code 2 only if it is proved that the opponent needs the first ko
//! threat; otherwise, it has the weaker code 3.
//!
//! `eval_eye` counts the eyes that the owner of an enclosed space can make in this space. It returns the minimum, for
//! the case that the opponent moves first, and the maximum, for the case that the owner moves first. If the two numbers
//! differ, it also returns the vital move of the opponent and that of the owner. It returns -1 for a point that is not
//! enclosed by stones, and `unknown` if the numbers cannot be proved.

use super::goal_result::{GoalResult, Success, gnugo_move_text};
use crate::game::board::Chain;
use crate::game::color::Color;
use crate::game::point::Move;
use crate::game::pointset::PointSet;
use crate::game::position::Position;
use crate::gtp::args::Args;
use crate::gtp::command::{Command, Context};
use crate::gtp::response::{CommandResult, GtpError, text};
use crate::tactics::life::eye_space::EyeSpace;
use crate::tactics::life::{LifeGoal, LifeLimits, LifeOutcome, solve_chain};

pub const COMMANDS: &[Command] = &[
    Command::new(
        "owl_attack",
        "VERTEX",
        "Returns whether the chain at VERTEX can be killed (0 no, 1 yes, 2 or 3 by ko), and the first move.",
        |context, args| owl_attack_or_defend(context, args, LifeGoal::Kill),
    ),
    Command::new(
        "owl_defend",
        "VERTEX",
        "Returns whether the chain at VERTEX can live (0 no, 1 yes, 2 or 3 by ko), and the first move.",
        |context, args| owl_attack_or_defend(context, args, LifeGoal::Live),
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
        "Returns 1 (alive) or 0 (dead) for each of two opposing chains, and the move of the first chain's owner, who moves first.",
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
const MAX_NODES_PER_PROOF: u64 = 30_000;

fn owl_attack_or_defend(
    context: &Context<'_, '_>,
    args: &mut Args<'_>,
    goal: LifeGoal,
) -> CommandResult {
    let position = context.engine.position();
    let (_, chain) = args.parse_last(|args| args.chain(position))?;
    text(solve_verified(position, &chain, goal).to_text(position.size()))
}

fn dragon_status(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> CommandResult {
    let position = context.engine.position();
    let (_, chain) = args.parse_last(|args| args.chain(position))?;
    let name = |mv| gnugo_move_text(position.size(), mv);
    let solve = |goal| solve_verified(position, &chain, goal);
    text(match solve(LifeGoal::Kill) {
        GoalResult::Fails => "alive".to_owned(),
        GoalResult::Unknown => "unknown".to_owned(),
        GoalResult::Succeeds(_, attack) => match solve(LifeGoal::Live) {
            GoalResult::Fails => "dead".to_owned(),
            GoalResult::Unknown => "unknown".to_owned(),
            GoalResult::Succeeds(_, defence) => {
                format!("critical {} {}", name(attack), name(defence))
            }
        },
    })
}

fn analyze_semeai(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> CommandResult {
    let position = context.engine.position();
    let (_, first) = args.chain(position)?;
    let (_, second) = args.parse_last(|args| args.chain(position))?;
    if first.color == second.color {
        let message = "the chains must have opposite colours";
        return Err(GtpError::BadVertexList(message.to_owned()));
    }
    text(solve_semeai(position, &first, &second))
}

/// Solves the capturing race between two chains and formats the result. The owner of the first chain moves first.
///
/// The result has a digit for each chain (1 if it lives, 0 if it dies) and the move to play, or `PASS` if no move is
/// needed or none helps. A ko counts as won by the owner of the first chain.
///
/// Each chain is solved separately. If one move kills the second chain and a different move saves the first chain, the
/// result is `unknown` unless one of the two moves is proved to do both.
fn solve_semeai(position: &Position, first: &Chain, second: &Chain) -> String {
    let both_chains = first.stones | second.stones;
    let name = |mv| gnugo_move_text(position.size(), mv);
    let solve_goal = |chain, goal| {
        solve(position, chain, &both_chains, goal).unknown_if_illegal(position, first.color)
    };
    let kill = solve_goal(second, LifeGoal::Kill);
    let live = solve_goal(first, LifeGoal::Live);
    match (kill, live) {
        (GoalResult::Unknown, _) | (_, GoalResult::Unknown) => "unknown".to_owned(),
        (GoalResult::Fails, GoalResult::Fails) => "0 1 PASS".to_owned(),
        (GoalResult::Fails, GoalResult::Succeeds(_, defence)) => format!("1 1 {}", name(defence)),
        (GoalResult::Succeeds(_, attack), GoalResult::Fails) => format!("0 0 {}", name(attack)),
        (GoalResult::Succeeds(_, attack), GoalResult::Succeeds(_, defence)) => {
            // `Fails` proves that the opponent does not achieve the goal even if it wins all kos.
            let fails = |mv, chain, goal| {
                let result = solve_after(position, (first.color, mv), chain, &both_chains, goal);
                matches!(result, GoalResult::Fails)
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
/// A successful move is verified by a second search, in which the opponent pursues the opposite goal after this move.
/// If the opponent succeeds unconditionally, the two searches contradict each other, and the result is `Unknown`.
/// Contradictions occur because the move can enlarge the region that the search considers. The result is also `Unknown`
/// if the first search kills by ko and the second search proves nothing.
fn solve_verified(position: &Position, chain: &Chain, goal: LifeGoal) -> GoalResult {
    let (mover, opposing_goal) = match goal {
        LifeGoal::Live => (chain.color, LifeGoal::Kill),
        LifeGoal::Kill => (chain.color.opposite(), LifeGoal::Live),
    };
    let result = solve(position, chain, &chain.stones, goal).unknown_if_illegal(position, mover);
    let GoalResult::Succeeds(success, mv) = result else {
        return result;
    };
    let kills_by_ko = goal == LifeGoal::Kill && success != Success::Unconditional;
    match solve_after(position, (mover, mv), chain, &chain.stones, opposing_goal) {
        GoalResult::Succeeds(Success::Unconditional, _) => GoalResult::Unknown,
        GoalResult::Unknown if kills_by_ko => GoalResult::Unknown,
        _ => result,
    }
}

/// Solves `goal` for a chain after `mover` has played `mv`. If the move captures the chain, the chain counts as dead.
/// If the move is illegal, the result is `Unknown`.
fn solve_after(
    position: &Position,
    (mover, mv): (Color, Move),
    chain: &Chain,
    stones: &PointSet,
    goal: LifeGoal,
) -> GoalResult {
    let mut next_position = position.clone();
    if next_position.play(mover, mv).is_err() {
        return GoalResult::Unknown;
    }
    let chain_after =
        (chain.stones.first()).and_then(|stone| next_position.board().chain_at(stone));
    let Some(remaining_chain) = chain_after.filter(|new_chain| new_chain.color == chain.color)
    else {
        return match goal {
            LifeGoal::Live => GoalResult::Fails,
            LifeGoal::Kill => GoalResult::Succeeds(Success::Unconditional, Move::Pass),
        };
    };
    // The move may have connected the chain to more distant stones.
    let stones = *stones | remaining_chain.stones;
    solve(&next_position, remaining_chain, &stones, goal)
}

fn eval_eye(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> CommandResult {
    let position = context.engine.position();
    let point = args.parse_last(|args| args.point(position.size()))?;
    let Some(space) = EyeSpace::at(position.board(), point) else {
        return text("-1");
    };
    let Some(count) = space.count_eyes(position, MAX_NODES_PER_PROOF) else {
        return text("unknown");
    };
    let mut words = vec![count.min.to_string(), count.max.to_string()];
    let vital_moves = count.vital_moves.into_iter().flatten();
    words.extend(vital_moves.map(|mv| gnugo_move_text(position.size(), mv)));
    text(words.join(" "))
}

/// Solves `goal` for a chain within the surroundings of `stones`. The side that pursues the goal moves first.
fn solve(position: &Position, chain: &Chain, stones: &PointSet, goal: LifeGoal) -> GoalResult {
    let limits = LifeLimits {
        nodes_per_proof: MAX_NODES_PER_PROOF,
        ..LifeLimits::default()
    };
    let Ok(solution) = solve_chain(position, chain, stones, goal, limits) else {
        return GoalResult::Unknown;
    };
    match (solution.outcome, solution.best_move) {
        (LifeOutcome::Failure, _) => GoalResult::Fails,
        (LifeOutcome::Success, best) => {
            GoalResult::Succeeds(Success::Unconditional, best.unwrap_or(Move::Pass))
        }
        (LifeOutcome::Ko { needs_threat, .. }, Some(best)) => {
            GoalResult::Succeeds(Success::by_ko(needs_threat), best)
        }
        _ => GoalResult::Unknown,
    }
}
