//! Output of a review as a JSON object.

use serde_json::{Map, Value, json};

use super::analysis::PositionAnalysis;
use super::difficulty::candidate_losses;
use super::game_review::Review;
use super::grading::{GRADES, ReviewedMove, review_moves};
use super::main_line::MainLine;
use super::phase::PHASE_NAMES;
use super::statistics::{LossSummary, PlayerSummary, loss_class, turning_points};
use crate::game::color::Color;
use crate::game::point::{BoardSize, Move};
use crate::search::report::round_to_decimals;

/// Number of decimal places in the output.
const DECIMALS: i32 = 4;
/// Ownership is output in this unit, as whole numbers.
const OWNERSHIP_UNITS: f32 = 100.0;

/// Returns a review as a JSON object.
///
/// `positions` contains an entry for the initial position and an entry for the position after each move. `stopped` is
/// the error that ended the main line early, or null. Winning chances range from 0 to 1. Winning chances and leads are
/// from Black's perspective; losses are from the perspective of the player who made the move.
pub fn review_json(review: &Review) -> Value {
    let line = &review.main_line;
    let mut json = json!({
        "width": line.size().width(),
        "height": line.size().height(),
        "komi": line.rules().komi.points(),
        "positions": positions_json(line, &review.analyses, 0),
        "moves": moves_json(line.size(), &review.reviewed_moves),
        "stopped": line.error().map(ToString::to_string),
    });
    add_summaries(&mut json, &review.reviewed_moves);
    json
}

/// Returns the part of an unfinished review that is new after `from` positions: `newPositions` and `newMoves`, and the
/// summaries of all moves so far. `analyses` contains the positions analysed so far.
pub fn review_update_json(line: &MainLine, analyses: &[PositionAnalysis], from: usize) -> Value {
    let moves = review_moves(line, analyses);
    let new_moves = moves.get(from.saturating_sub(1)..).unwrap_or_default();
    let mut json = json!({
        "from": from,
        "newPositions": positions_json(line, analyses, from),
        "newMoves": moves_json(line.size(), new_moves),
    });
    add_summaries(&mut json, &moves);
    json
}

fn add_summaries(json: &mut Value, moves: &[ReviewedMove]) {
    json["players"] = json!({
        "black": player_json(moves, Color::Black),
        "white": player_json(moves, Color::White),
    });
    let numbers = turning_points(moves).into_iter().map(|mv| mv.number);
    json["turningPoints"] = numbers.collect();
}

/// Returns the positions from the index `from` on.
fn positions_json(line: &MainLine, analyses: &[PositionAnalysis], from: usize) -> Vec<Value> {
    let positions = analyses.iter().enumerate().skip(from);
    let positions = positions.map(|(index, analysis)| {
        let next = line.moves().get(index).map(|&(color, _)| color);
        let to_move = next.unwrap_or_else(|| line.position_after(index).to_move());
        position_json(line.size(), to_move, analysis)
    });
    positions.collect()
}

fn position_json(size: BoardSize, to_move: Color, analysis: &PositionAnalysis) -> Value {
    let losses = candidate_losses(analysis, to_move);
    let moves = analysis.moves.iter().zip(losses).map(|(candidate, loss)| {
        json!({
            "move": size.format_move(candidate.mv),
            "visits": candidate.visits,
            "prior": round_to_decimals(f64::from(candidate.prior), DECIMALS),
            "winrate": round_to_decimals(candidate.winrate, DECIMALS),
            "scoreLead": round_to_decimals(candidate.lead, DECIMALS),
            "pointsLost": round_to_decimals(loss, DECIMALS),
            "pv": move_texts(size, &candidate.pv),
        })
    });
    let mut json = json!({
        "winrate": round_to_decimals(analysis.winrate, DECIMALS),
        "scoreLead": round_to_decimals(analysis.lead, DECIMALS),
        "visits": analysis.visits,
        "moves": moves.collect::<Vec<_>>(),
    });
    if !analysis.ownership.is_empty() {
        let owners = analysis.ownership.iter();
        let owners = owners.map(|owner| (owner * OWNERSHIP_UNITS).round() as i32);
        json["ownership"] = owners.collect();
    }
    json
}

fn moves_json(size: BoardSize, moves: &[ReviewedMove]) -> Vec<Value> {
    moves
        .iter()
        .map(|reviewed_move| move_json(size, reviewed_move))
        .collect()
}

fn move_json(size: BoardSize, reviewed_move: &ReviewedMove) -> Value {
    let rounded = |number: Option<f64>| number.map(|number| round_to_decimals(number, DECIMALS));
    json!({
        "number": reviewed_move.number,
        "color": reviewed_move.color.to_string(),
        "move": size.format_move(reviewed_move.mv),
        "pointsLost": round_to_decimals(reviewed_move.points_lost, DECIMALS),
        "winrateLost": round_to_decimals(reviewed_move.winrate_lost, DECIMALS),
        "grade": reviewed_move.grade.entry().name,
        "lossClass": loss_class(reviewed_move.points_lost),
        "phase": reviewed_move.phase.name(),
        "rank": reviewed_move.rank,
        "prior": rounded(reviewed_move.prior.map(f64::from)),
        "difficulty": rounded(reviewed_move.difficulty),
        "better": reviewed_move.differs_from_engine().then(|| move_texts(size, &reviewed_move.best_pv)),
    })
}

fn player_json(moves: &[ReviewedMove], color: Color) -> Value {
    let summary = PlayerSummary::from_moves(moves, color);
    let grades = GRADES.iter().zip(summary.grades);
    let grades = grades.map(|(entry, count)| (entry.name.to_owned(), Value::from(count)));
    let phases = PHASE_NAMES.iter().zip(&summary.phases);
    let phases = phases.map(|(name, losses)| ((*name).to_owned(), losses_json(losses)));
    let mut json = losses_json(&summary.losses);
    let share = summary.first_choice_share();
    json["sameAsEngine"] = summary.engine_matches.into();
    json["firstChoiceShare"] = json!(share.map(|share| round_to_decimals(share, DECIMALS)));
    json["grades"] = grades.collect::<Map<_, _>>().into();
    json["lossClasses"] = json!(summary.loss_classes);
    json["phases"] = phases.collect::<Map<_, _>>().into();
    json
}

fn losses_json(losses: &LossSummary) -> Value {
    let accuracy = losses.katrain_accuracy();
    json!({
        "moves": losses.moves,
        "pointsLost": round_to_decimals(losses.points_lost, DECIMALS),
        "meanPointsLost": round_to_decimals(losses.mean_points_lost(), DECIMALS),
        "accuracy": accuracy.map(|accuracy| round_to_decimals(accuracy, DECIMALS)),
    })
}

fn move_texts(size: BoardSize, moves: &[Move]) -> Vec<String> {
    moves.iter().map(|&mv| size.format_move(mv)).collect()
}
