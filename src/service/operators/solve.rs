//! `solve`: solves life-and-death problems, and judges a move that a player has tried.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::Deserialize;
use serde_json::{Value, json};

use super::search::SecondsField;
use crate::engine::life_guess::{GuessLimits, guess_life_move};
use crate::game::point::{BoardSize, Move};
use crate::game::pointset::PointSet;
use crate::game::position::Position;
use crate::json_analysis::fields::{BoundedInteger, RequestError};
use crate::json_analysis::game::parse_move;
use crate::parallel::job_queue::Length;
use crate::service::call::{
    Call, CallResult, Operator, StepContext, StepOutcome, Work, search_length,
};
use crate::service::error::{ErrorCode, ServiceError};
use crate::service::limits;
use crate::service::position::position_fields;
use crate::tactics::life::{
    Branch, LifeGoal, LifeLimits, LifeOutcome, LifeProblem, Solution, default_region,
};

/// The operators of this group.
pub const OPERATORS: &[Operator] = &[Operator::new(
    "solve",
    position_fields!(" [goal] [region] [tried] [nodes] [seconds]"),
    "Solves a life-and-death problem by proof, and judges a move that was tried.",
    solve,
)];

/// Default time limit.
const DEFAULT_TIME: Duration = Duration::from_secs(5);

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum GoalField {
    Auto,
    Live,
    Kill,
}

#[derive(Deserialize)]
struct SolveFields {
    goal: Option<GoalField>,
    /// Opposite corners of a rectangle.
    region: Option<[String; 2]>,
    tried: Option<String>,
    nodes: Option<BoundedInteger<1, { limits::MAX_SOLVE_NODES as i64 }, u64>>,
    seconds: Option<SecondsField>,
}

struct SolveWork {
    position: Position,
    region: PointSet,
    goal: LifeGoal,
    /// A tried move and the position after it.
    tried: Option<(Move, Position)>,
    nodes: u64,
    time: Duration,
}

fn solve(call: &mut Call<'_>) -> CallResult {
    let position = call.take_position()?;
    let fields: SolveFields = call.take_remaining_fields()?;
    let size = position.size();
    let region = match fields.region {
        Some([one, other]) => {
            let corner = |text: &str| {
                let error =
                    || RequestError::new("region", format!("expected a point, found {text:?}"));
                size.parse_vertex(text).ok_or_else(error)
            };
            PointSet::rectangle(corner(&one)?, corner(&other)?)
        }
        None => default_region(position.board()),
    };
    let goal = match fields.goal {
        Some(GoalField::Live) => LifeGoal::Live,
        Some(GoalField::Kill) => LifeGoal::Kill,
        Some(GoalField::Auto) | None => problem(&position, &region).goal()?,
    };
    let tried = fields.tried.map(|text| after_tried(&position, &text));
    call.enqueue(SolveWork {
        tried: tried.transpose()?,
        position,
        region,
        goal,
        nodes: fields.nodes.map_or(u64::MAX, |BoundedInteger(nodes)| nodes),
        time: fields
            .seconds
            .map_or(DEFAULT_TIME, |SecondsField(time)| time),
    })
}

fn problem<'a>(position: &'a Position, region: &'a PointSet) -> LifeProblem<'a> {
    LifeProblem {
        board: position.board(),
        region,
        target: None,
        to_move: position.to_move(),
        ko: position.ko_for(position.to_move()),
    }
}

/// Returns the tried move, and the position after it.
fn after_tried(position: &Position, text: &str) -> Result<(Move, Position), ServiceError> {
    let mv = parse_move("tried", position.size(), text)?;
    let color = position.to_move();
    let mut after = position.clone();
    after.play(color, mv).map_err(|reason| {
        let vertex = position.size().format_move(mv);
        ServiceError::new(reason.into(), format!("{color} {vertex}: {reason}"))
            .in_field("tried")
            .with("color", color.to_string())
            .with("point", vertex)
    })?;
    Ok((mv, after))
}

impl Work for SolveWork {
    fn run_step(&self, context: &mut StepContext<'_>) -> Result<StepOutcome, ServiceError> {
        let started = Instant::now();
        let (size, color) = (self.position.size(), self.position.to_move());
        let share = if self.tried.is_some() { 2 } else { 1 };
        let time = self.time / share;
        let mut solution = self.prove(context, &self.position, self.goal, time)?;
        if solution.needs_guess()
            && let Some(mv) = self.guess(context, started.elapsed(), time)?
        {
            solution.set_guess(mv);
        }
        let mut response = solution_json(size, &solution);
        response["color"] = color.to_string().into();
        response["goal"] = match self.goal {
            LifeGoal::Live => "live",
            LifeGoal::Kill => "kill",
        }
        .into();
        response["tried"] = match &self.tried {
            Some((mv, after)) => {
                let time = self.time.saturating_sub(started.elapsed());
                self.tried_json(context, (*mv, after), &solution, time)?
            }
            None => Value::Null,
        };
        Ok(StepOutcome::Done(response))
    }

    fn length(&self) -> Length {
        search_length(None, Some(self.time))
    }
}

impl SolveWork {
    fn limits(&self, context: &StepContext<'_>, time: Duration) -> LifeLimits {
        LifeLimits {
            nodes_per_proof: self.nodes,
            time: Some(time),
            table_mib: limits::SOLVE_TABLE_MIB,
            threads: context.service.threads_per_search(),
        }
    }

    fn prove(
        &self,
        context: &StepContext<'_>,
        position: &Position,
        goal: LifeGoal,
        time: Duration,
    ) -> Result<Solution, ServiceError> {
        let limits = self.limits(context, time);
        let problem = problem(position, &self.region);
        Ok(problem.solve_until(goal, limits, context.stop_flag())?)
    }

    /// Guesses a move in the rest of `time`, of which the proofs took `elapsed`.
    fn guess(
        &self,
        context: &StepContext<'_>,
        elapsed: Duration,
        time: Duration,
    ) -> Result<Option<Move>, ServiceError> {
        let limits = GuessLimits::after_proofs(&self.limits(context, time), elapsed);
        let area = problem(&self.position, &self.region).area(self.goal)?;
        let evaluator = Arc::clone(context.engine.base_evaluator());
        Ok(guess_life_move(
            evaluator,
            &self.position,
            &area,
            limits,
            context.stop_flag(),
        )?)
    }

    /// Judges the tried move. `solution` solves the position before the move.
    fn tried_json(
        &self,
        context: &StepContext<'_>,
        (mv, after): (Move, &Position),
        solution: &Solution,
        time: Duration,
    ) -> Result<Value, ServiceError> {
        let vertex = after.size().format_move(mv);
        if solution.outcome != LifeOutcome::Unknown && solution.best_move == Some(mv) {
            return Ok(verdict_json(
                &vertex,
                result_name(solution.outcome),
                false,
                None,
            ));
        }
        let opponents_goal = match self.goal {
            LifeGoal::Live => LifeGoal::Kill,
            LifeGoal::Kill => LifeGoal::Live,
        };
        let reply = match self.prove(context, after, opponents_goal, time) {
            Ok(reply) => reply,
            // The move captured the whole group, or the region no longer contains it.
            Err(error) if error.code == ErrorCode::NoProblem => {
                let result = match self.goal {
                    LifeGoal::Live => "failure",
                    LifeGoal::Kill => "success",
                };
                return Ok(verdict_json(&vertex, result, false, None));
            }
            Err(error) => return Err(error),
        };
        let result = match reply.outcome {
            LifeOutcome::Success => "failure",
            LifeOutcome::Failure => "success",
            other => result_name(other),
        };
        let is_refuted = matches!(reply.outcome, LifeOutcome::Success | LifeOutcome::Ko { .. });
        // The line is empty if the opponent needs no reply.
        let line = main_line(after.size(), &reply);
        let refutation = (is_refuted && !line.is_empty()).then_some(line);
        // If the opponent may get more than the ko, the move may fail.
        let at_most_ko = matches!(
            reply.outcome,
            LifeOutcome::Ko {
                is_confirmed: false,
                ..
            }
        );
        Ok(verdict_json(&vertex, result, at_most_ko, refutation))
    }
}

/// Returns the verdict on a tried move.
fn verdict_json(
    vertex: &str,
    result: &str,
    at_most_ko: bool,
    refutation: Option<Vec<String>>,
) -> Value {
    json!({
        "move": vertex,
        "result": result,
        "proved": result != result_name(LifeOutcome::Unknown),
        "atMostKo": at_most_ko,
        "refutation": refutation,
    })
}

const fn result_name(outcome: LifeOutcome) -> &'static str {
    match outcome {
        LifeOutcome::Success => "success",
        LifeOutcome::Ko { .. } => "ko",
        LifeOutcome::Failure => "failure",
        LifeOutcome::Unknown => "unknown",
    }
}

fn solution_json(size: BoardSize, solution: &Solution) -> Value {
    let (at_least_ko, first_threat) = match solution.outcome {
        LifeOutcome::Ko {
            needs_threat,
            is_confirmed,
        } => (
            !is_confirmed,
            Some(if needs_threat { "own" } else { "other" }),
        ),
        _ => (false, None),
    };
    let candidates = { solution.candidates.iter() }.map(|mv| size.format_move(*mv));
    json!({
        "result": result_name(solution.outcome),
        "proved": solution.outcome != LifeOutcome::Unknown,
        "move": solution.best_move.map(|mv| size.format_move(mv)),
        "candidates": candidates.collect::<Vec<_>>(),
        "line": main_line(size, solution),
        "tree": branches_json(size, &solution.tree),
        "atLeastKo": at_least_ko,
        "firstThreat": first_threat,
        "seki": solution.seki,
        "nodes": solution.nodes,
    })
}

/// Returns the main line of a proof. If the proof needs no moves, it is the best move, unless this is a pass.
fn main_line(size: BoardSize, solution: &Solution) -> Vec<String> {
    let mut line = Vec::new();
    let mut branches = &solution.tree;
    while let Some(branch) = branches.first() {
        line.push(size.format_move(branch.mv));
        branches = &branch.replies;
    }
    let single = solution
        .best_move
        .filter(|mv| line.is_empty() && *mv != Move::Pass);
    line.extend(single.map(|mv| size.format_move(mv)));
    line
}

fn branches_json(size: BoardSize, branches: &[Branch]) -> Vec<Value> {
    let branches = branches.iter().map(|branch| {
        json!({"move": size.format_move(branch.mv), "replies": branches_json(size, &branch.replies)})
    });
    branches.collect()
}
