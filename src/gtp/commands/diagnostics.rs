//! Diagnostic commands: raw evaluation, benchmark, caches and processor time.

use std::fmt::Write;
use std::time::Instant;

use super::genmove::wait_for_search;
use crate::eval::Evaluation;
use crate::game::color::Color;
use crate::game::point::BoardSize;
use crate::game::position::Position;
use crate::game::symmetry::Symmetry;
use crate::gtp::args::{Args, invalid_argument};
use crate::gtp::command::{Command, Context};
use crate::gtp::response::{CommandResult, Response, text};
use crate::io::plural::counted;
use crate::search::limits::SearchLimits;

pub const COMMANDS: &[Command] = &[
    Command::new(
        "kata-raw-nn",
        "[COLOR] SYMMETRY|all [OPTIMISM]",
        "Returns the evaluator's output for the position under one symmetry (0 to 7) or under all of them; OPTIMISM has no effect.",
        raw_evaluation,
    ),
    Command::new(
        "kata-benchmark",
        "VISITS",
        "Searches the position from scratch with VISITS visits and returns the speed.",
        benchmark,
    ),
    Command::new(
        "clear_cache",
        "",
        "Clears the search tree and the evaluation cache.",
        |context, _| {
            context.engine.clear_cache();
            Ok(Response::EMPTY)
        },
    ),
    Command::new(
        "cputime",
        "",
        "Returns the processor time used so far, in seconds.",
        cpu_time,
    ),
    Command::new(
        "gomill-cpu_time",
        "",
        "Returns the processor time used so far, in seconds.",
        cpu_time,
    ),
];

fn raw_evaluation(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> CommandResult {
    const DESCRIPTION: &str = "symmetry (0 to 7, or all)";
    let to_move = context.engine.position().to_move();
    let color = args.accept_color().unwrap_or(to_move);
    let word = args.word(DESCRIPTION)?;
    args.optional(|args| args.number("optimism", 0.0..=1.0))?;
    args.expect_end()?;
    let size = context.engine.record().size();
    let symmetries: Vec<_> = if word.eq_ignore_ascii_case("all") {
        Symmetry::for_size(size)
            .map(|symmetry| (symmetry.number(), symmetry))
            .collect()
    } else {
        let symmetry = word.parse().ok().and_then(Symmetry::from_number);
        let symmetry = symmetry.ok_or_else(|| invalid_argument(DESCRIPTION, word))?;
        // Clients may request any of the eight symmetries even on rectangular boards, which do not support
        // transposition.
        vec![(symmetry.number(), symmetry.without_transpose_on(size))]
    };
    let mut position = context.engine.position().clone();
    position.set_to_move(color);
    let mut evaluations = String::new();
    for (number, symmetry) in symmetries {
        let evaluation = context.engine.evaluate_raw(color, symmetry)?;
        let _ = writeln!(evaluations, "symmetry {number}");
        evaluations += &raw_evaluation_text(&position, &evaluation);
    }
    text(evaluations)
}

/// Formats an evaluation like KataGo's `kata-raw-nn`. Values that the evaluator does not provide are -1.
fn raw_evaluation_text(position: &Position, evaluation: &Evaluation) -> String {
    let (size, to_move) = (position.size(), position.to_move());
    let for_white = |value: f32| match to_move {
        Color::White => value,
        // Subtracting from 0.0 instead of negating avoids -0.
        Color::Black => 0.0 - value,
    };
    let value = for_white(evaluation.value);
    let result_probability = 1.0 - evaluation.no_result;
    let mut text = format!(
        "whiteWin {:.6}\nwhiteLoss {:.6}\nnoResult {:.6}\nwhiteLead {:.3}\n",
        (result_probability + value) / 2.0,
        (result_probability - value) / 2.0,
        evaluation.no_result,
        for_white(evaluation.score_lead),
    );
    let details = evaluation.details;
    let errors = details.and_then(|details| details.errors);
    let score_mean = details.map(|details| for_white(details.score_mean));
    let score_mean_square = details.map(|details| details.score_mean_square);
    for (name, number) in [
        ("whiteScoreSelfplay", score_mean),
        ("whiteScoreSelfplaySq", score_mean_square),
        ("varTimeLeft", errors.map(|errors| errors.variance_time)),
        ("shorttermWinlossError", errors.map(|errors| errors.value)),
        ("shorttermScoreError", errors.map(|errors| errors.score)),
    ] {
        let _ = match number {
            Some(number) => writeln!(text, "{name} {number:.3}"),
            None => writeln!(text, "{name} -1"),
        };
    }
    push_policy(&mut text, position, &evaluation.policy);
    let ownership: Vec<f32> = evaluation
        .ownership
        .iter()
        .map(|&value| for_white(value))
        .collect();
    push_ownership(&mut text, size, &ownership);
    text
}

/// Appends the policy, with `NAN` for illegal moves.
fn push_policy(text: &mut String, position: &Position, policy: &[f32]) {
    let size = position.size();
    text.push_str("policy\n");
    let legal = position.legal_points();
    let priors = size.points().zip(policy);
    let cells = priors.map(|(point, prior)| {
        if legal.contains(point) {
            format!("{prior:8.6}")
        } else {
            "     NAN".to_owned()
        }
    });
    push_rows(text, size.width(), cells);
    let pass = policy.get(size.area()).copied();
    let _ = writeln!(text, "policyPass {:8.6}", pass.unwrap_or_default());
}

/// Appends White's ownership of each point, or -1 for every point if the evaluator does not predict ownership.
fn push_ownership(text: &mut String, size: BoardSize, ownership: &[f32]) {
    text.push_str("whiteOwnership\n");
    let value_at = |index: usize| ownership.get(index).copied().unwrap_or(-1.0);
    let cells = (0..size.area()).map(|index| format!("{:10.7}", value_at(index)));
    push_rows(text, size.width(), cells);
}

fn push_rows(text: &mut String, width: usize, cells: impl Iterator<Item = String>) {
    for (index, cell) in cells.enumerate() {
        text.push_str(&cell);
        text.push(if (index + 1) % width == 0 { '\n' } else { ' ' });
    }
}

const MAX_BENCHMARK_VISITS: u64 = 10_000_000;

fn benchmark(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> CommandResult {
    let visits =
        args.parse_last(|args| args.number("number of visits", 1..=MAX_BENCHMARK_VISITS))?;
    context.engine.clear_cache();
    let started = Instant::now();
    context
        .engine
        .start_search(SearchLimits::with_visits(visits));
    wait_for_search(context);
    let seconds = started.elapsed().as_secs_f64();
    if let Some(error) = context.engine.search_error() {
        return Err(error.into());
    }
    let visits_done = context.engine.search_report().visits;
    let visits_per_second = f64::from(visits_done) / seconds.max(1e-9);
    let threads = context.engine.settings().threads;
    text(format!(
        "{} in {seconds:.3} s, {visits_per_second:.1} visits/s, {}",
        counted(visits_done, "visit"),
        counted(threads, "thread")
    ))
}

fn cpu_time(_: &mut Context<'_, '_>, _: &mut Args<'_>) -> CommandResult {
    let time = cpu_time::ProcessTime::now().as_duration();
    text(format!("{:.3}", time.as_secs_f64()))
}
