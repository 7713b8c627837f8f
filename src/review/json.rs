//! A review for programs: one JSON object.

use serde_json::{Value, json};

use super::Review;
use super::judge::Assessment;
use super::table::Summary;
use super::verdict::{GRADES, Turn};
use crate::game::color::Color;
use crate::game::point::{BoardSize, Move};
use crate::search::report::rounded;

/// Digits after the point that are told, more than a search knows.
const DIGITS: i32 = 4;

/// The object: `positions` (the one before the first move, and the one after each), `moves`, `players`, and `stopped`
/// where an illegal move ended the game. Chances are from 0 to 1 and Black's, as are leads; losses are the mover's.
#[must_use]
pub fn json(review: &Review) -> Value {
    let size = review.line.size();
    let rules = review.line.rules();
    let positions = review.assessments.iter().map(|found| position(size, found));
    let moves = review.turns.iter().map(|turn| entry(size, turn));
    json!({
        "width": size.width(),
        "height": size.height(),
        "komi": rules.komi.points(),
        "positions": positions.collect::<Vec<_>>(),
        "moves": moves.collect::<Vec<_>>(),
        "players": {
            "black": player(&review.turns, Color::Black),
            "white": player(&review.turns, Color::White),
        },
        "stopped": review.line.stopped().map(ToString::to_string),
    })
}

fn position(size: BoardSize, found: &Assessment) -> Value {
    let moves = found.moves.iter().map(|thought| {
        json!({
            "move": size.move_text(thought.mv),
            "visits": thought.visits,
            "prior": rounded(f64::from(thought.prior), DIGITS),
            "winrate": rounded(thought.winrate, DIGITS),
            "scoreLead": rounded(thought.lead, DIGITS),
            "pv": texts(size, &thought.line),
        })
    });
    json!({
        "winrate": rounded(found.winrate, DIGITS),
        "scoreLead": rounded(found.lead, DIGITS),
        "visits": found.visits,
        "moves": moves.collect::<Vec<_>>(),
    })
}

fn entry(size: BoardSize, turn: &Turn) -> Value {
    json!({
        "number": turn.number,
        "color": turn.color.to_string(),
        "move": size.move_text(turn.mv),
        "pointsLost": rounded(turn.points_lost, DIGITS),
        "winrateLost": rounded(turn.winrate_lost, DIGITS),
        "grade": turn.grade.entry().name,
        "rank": turn.rank,
        "better": turn.differs().then(|| texts(size, &turn.better)),
    })
}

fn player(turns: &[Turn], color: Color) -> Value {
    let sum = Summary::of(turns, color);
    let grades = GRADES.iter().zip(sum.grades);
    let grades = grades.map(|(entry, amount)| (entry.name.to_owned(), Value::from(amount)));
    json!({
        "moves": sum.moves,
        "sameAsEngine": sum.same,
        "pointsLost": rounded(sum.points_lost, DIGITS),
        "grades": grades.collect::<serde_json::Map<_, _>>(),
    })
}

fn texts(size: BoardSize, moves: &[Move]) -> Vec<String> {
    moves.iter().map(|&mv| size.move_text(mv)).collect()
}
