//! Life and death of a chain, in the words of GNU Go: the same codes as in [`read`](super::read).
//!
//! Only the points near the chain are looked at; what stands further out is taken for settled (see
//! [`crate::tactics::life::near`]). A ko is told as code 3, the weaker claim, unless it is proved that the first threat
//! must be the opponent's.
//!
//! Of eyes the answer is how many there are if the opponent moves first, how many if the owner does, and if these differ
//! the moves that make the difference; -1 where no stones enclose the point.

use super::look::chain;
use super::read::{Found, Success, allowed, move_text, text};
use crate::game::board::Chain;
use crate::game::color::Color;
use crate::game::point::Move;
use crate::game::pointset::PointSet;
use crate::game::position::Position;
use crate::gtp::args::Args;
use crate::gtp::context::{Answer, Command, Context, Outcome};
use crate::gtp::reply::Failure;
use crate::tactics::life::space::{EyeSpace, SpaceEyes};
use crate::tactics::life::{self, Goal, Limits, near};

/// The group.
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
const NODES: u64 = 30_000;

fn owl_attack(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    answer(context, args, Goal::Kill)
}

fn owl_defend(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    answer(context, args, Goal::Live)
}

fn answer(context: &Context<'_, '_>, args: &mut Args<'_>, goal: Goal) -> Outcome {
    let (_, chain) = chain(context, args)?;
    args.end()?;
    let position = context.engine.position();
    let found = judge_and_look_again(position, &chain, goal);
    Ok(Answer::Text(text(position.size(), &found)))
}

fn dragon_status(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    let (_, chain) = chain(context, args)?;
    args.end()?;
    let position = context.engine.position();
    let name = |mv| move_text(position.size(), mv);
    let judge = |goal| judge_and_look_again(position, &chain, goal);
    Ok(Answer::Text(match judge(Goal::Kill) {
        Found::Fails => "alive".to_owned(),
        Found::Unknown => "unknown".to_owned(),
        Found::Succeeds(_, attack) => match judge(Goal::Live) {
            Found::Fails => "dead".to_owned(),
            Found::Unknown => "unknown".to_owned(),
            Found::Succeeds(_, defence) => format!("critical {} {}", name(attack), name(defence)),
        },
    }))
}

fn analyze_semeai(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    let (_, first) = chain(context, args)?;
    let (_, second) = chain(context, args)?;
    args.end()?;
    if first.color == second.color {
        let expected = "expected chains of opposite colours, found one colour";
        return Err(Failure::BadVertexList(expected.to_owned()));
    }
    let position = context.engine.position();
    Ok(Answer::Text(semeai(position, &first, &second)))
}

/// Whether each of two chains lives (1) or dies (0) if the side of the first one moves first, and the move; `PASS` where
/// none is needed or none helps. A ko counts as won by that side.
///
/// The fate of each chain is proved by itself, and the move told brings about both: `unknown` where one move is found
/// that kills the second chain and another that saves the first, and neither is proved to do the other's work too.
fn semeai(position: &Position, first: &Chain, second: &Chain) -> String {
    let both = first.stones | second.stones;
    let name = |mv| move_text(position.size(), mv);
    let judged = |chain, goal| allowed(position, first.color, judge(position, chain, &both, goal));
    let kill = judged(second, Goal::Kill);
    let live = judged(first, Goal::Live);
    match (kill, live) {
        (Found::Unknown, _) | (_, Found::Unknown) => "unknown".to_owned(),
        (Found::Fails, Found::Fails) => "0 1 PASS".to_owned(),
        (Found::Fails, Found::Succeeds(_, defence)) => format!("1 1 {}", name(defence)),
        (Found::Succeeds(_, attack), Found::Fails) => format!("0 0 {}", name(attack)),
        (Found::Succeeds(_, attack), Found::Succeeds(_, defence)) => {
            // Proved: not even with the kos won.
            let fails = |mv, chain, goal| {
                let found = judge_after(position, (first.color, mv), chain, &both, goal);
                matches!(found, Found::Fails)
            };
            if attack == defence || fails(attack, first, Goal::Kill) {
                format!("1 0 {}", name(attack))
            } else if fails(defence, second, Goal::Live) {
                format!("1 0 {}", name(defence))
            } else {
                "unknown".to_owned()
            }
        }
    }
}

/// What comes of it for the chain alone if the side with that goal moves first. Unknown where the other side is found to
/// reach its own goal after the move: what is near the stones is another piece of the board then.
fn judge_and_look_again(position: &Position, chain: &Chain, goal: Goal) -> Found {
    let (mover, other) = match goal {
        Goal::Live => (chain.color, Goal::Kill),
        Goal::Kill => (chain.color.opposite(), Goal::Live),
    };
    let found = allowed(position, mover, judge(position, chain, &chain.stones, goal));
    let Found::Succeeds(_, mv) = found else {
        return found;
    };
    match judge_after(position, (mover, mv), chain, &chain.stones, other) {
        Found::Succeeds(Success::Clear, _) => Found::Unknown,
        _ => found,
    }
}

/// What comes of it for the chain if the side with that goal moves next after this move. A chain that the move takes does
/// not live.
fn judge_after(
    position: &Position,
    (mover, mv): (Color, Move),
    chain: &Chain,
    stones: &PointSet,
    goal: Goal,
) -> Found {
    let mut after = position.clone();
    if after.play(mover, mv).is_err() {
        return Found::Unknown;
    }
    let found = (chain.stones.first()).and_then(|stone| after.board().chain_at(stone));
    let Some(left) = found.filter(|found| found.color == chain.color) else {
        return match goal {
            Goal::Live => Found::Fails,
            Goal::Kill => Found::Succeeds(Success::Clear, Move::Pass),
        };
    };
    // The move may have joined it to stones further out.
    let stones = *stones | left.stones;
    judge(&after, left, &stones, goal)
}

fn eval_eye(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    let position = context.engine.position();
    let point = args.point(position.size())?;
    args.end()?;
    let Some(space) = EyeSpace::at(position.board(), point) else {
        return Ok(Answer::Text("-1".to_owned()));
    };
    let name = |mv| move_text(position.size(), mv);
    Ok(Answer::Text(match space.eyes(position, NODES) {
        None => "unknown".to_owned(),
        Some(SpaceEyes { least, most, vital }) => match vital {
            None => format!("{least} {most}"),
            Some([attack, defence]) => {
                format!("{least} {most} {} {}", name(attack), name(defence))
            }
        },
    }))
}

/// What comes of it for the chain, seen with what is near these stones, if the side with that goal moves first.
fn judge(position: &Position, chain: &Chain, stones: &PointSet, goal: Goal) -> Found {
    let limits = Limits {
        nodes: NODES,
        ..Limits::default()
    };
    let Ok(solution) = near::solve(position, chain, stones, goal, limits) else {
        return Found::Unknown;
    };
    match (solution.outcome, solution.best) {
        (life::Outcome::Failure, _) => Found::Fails,
        (life::Outcome::Success, best) => {
            Found::Succeeds(Success::Clear, best.unwrap_or(Move::Pass))
        }
        (life::Outcome::Ko { needs_threat, .. }, Some(best)) => {
            Found::Succeeds(Success::by_ko(needs_threat), best)
        }
        _ => Found::Unknown,
    }
}
