//! Memory of long games.

use honinbo::game::point::{BoardSize, Move};
use honinbo::game::position::MAX_RECORD_MOVES;
use honinbo::game::record::Record;
use honinbo::game::rules::Rules;
use honinbo::random::Rng;

use crate::{MEMORY, measuring};

/// Maximum memory of a game of any length.
const MAX_BYTES: usize = 48 << 20;

#[test]
fn longest_games_use_little_memory() {
    let _guard = measuring();
    let mut rng = Rng::new(3);
    let before = MEMORY.current_usage();
    let mut record = Record::new(BoardSize::STANDARD, Rules::default());
    let mut max = 0;
    while record.moves().len() < MAX_RECORD_MOVES {
        let position = record.position();
        let points = position.legal_points();
        let point = points.iter().nth(rng.below(points.len().max(1)));
        let mv = point.map_or(Move::Pass, Move::Play);
        let color = position.to_move();
        record.play(color, mv).expect("a legal move");
        max = max.max(MEMORY.current_usage().saturating_sub(before));
    }
    assert!(max < MAX_BYTES, "{max}");
}
