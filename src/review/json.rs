//! Output of a review as a JSON object.

use serde_json::{Value, json};

use super::analysis::PositionAnalysis;
use super::game_review::Review;
use super::grading::{GRADES, PlayerSummary, ReviewedMove};
use crate::game::color::Color;
use crate::game::point::{BoardSize, Move};
use crate::search::report::round_to_decimals;

/// Number of decimal places in the output.
const DECIMALS: i32 = 4;

/// Returns a review as a JSON object.
///
/// `positions` contains an entry for the initial position and an entry for the position after each move. `stopped` is
/// the error that ended the main line early, or null. Winning chances range from 0 to 1. Winning chances and leads are
/// from Black's perspective; losses are from the perspective of the player who made the move.
pub fn review_json(review: &Review) -> Value {
    let size = review.main_line.size();
    let rules = review.main_line.rules();
    let positions = review
        .analyses
        .iter()
        .map(|analysis| position_json(size, analysis));
    let moves = review
        .reviewed_moves
        .iter()
        .map(|reviewed_move| move_json(size, reviewed_move));
    json!({
        "width": size.width(),
        "height": size.height(),
        "komi": rules.komi.points(),
        "positions": positions.collect::<Vec<_>>(),
        "moves": moves.collect::<Vec<_>>(),
        "players": {
            "black": player_json(&review.reviewed_moves, Color::Black),
            "white": player_json(&review.reviewed_moves, Color::White),
        },
        "stopped": review.main_line.error().map(ToString::to_string),
    })
}

fn position_json(size: BoardSize, analysis: &PositionAnalysis) -> Value {
    let moves = analysis.moves.iter().map(|candidate| {
        json!({
            "move": size.format_move(candidate.mv),
            "visits": candidate.visits,
            "prior": round_to_decimals(f64::from(candidate.prior), DECIMALS),
            "winrate": round_to_decimals(candidate.winrate, DECIMALS),
            "scoreLead": round_to_decimals(candidate.lead, DECIMALS),
            "pv": move_texts(size, &candidate.pv),
        })
    });
    json!({
        "winrate": round_to_decimals(analysis.winrate, DECIMALS),
        "scoreLead": round_to_decimals(analysis.lead, DECIMALS),
        "visits": analysis.visits,
        "moves": moves.collect::<Vec<_>>(),
    })
}

fn move_json(size: BoardSize, reviewed_move: &ReviewedMove) -> Value {
    json!({
        "number": reviewed_move.number,
        "color": reviewed_move.color.to_string(),
        "move": size.format_move(reviewed_move.mv),
        "pointsLost": round_to_decimals(reviewed_move.points_lost, DECIMALS),
        "winrateLost": round_to_decimals(reviewed_move.winrate_lost, DECIMALS),
        "grade": reviewed_move.grade.entry().name,
        "rank": reviewed_move.rank,
        "better": reviewed_move.differs_from_engine().then(|| move_texts(size, &reviewed_move.best_pv)),
    })
}

fn player_json(moves: &[ReviewedMove], color: Color) -> Value {
    let summary = PlayerSummary::from_moves(moves, color);
    let grades = GRADES.iter().zip(summary.grades);
    let grades = grades.map(|(entry, count)| (entry.name.to_owned(), Value::from(count)));
    json!({
        "moves": summary.moves,
        "sameAsEngine": summary.engine_matches,
        "pointsLost": round_to_decimals(summary.points_lost, DECIMALS),
        "grades": grades.collect::<serde_json::Map<_, _>>(),
    })
}

fn move_texts(size: BoardSize, moves: &[Move]) -> Vec<String> {
    moves.iter().map(|&mv| size.format_move(mv)).collect()
}
