//! Embedded positions for calibration: openings, middle games and endgames from self-play games of this engine, on
//! several board sizes and under several rules.

use std::borrow::Cow;

use crate::game::handicap;
use crate::game::point::BoardSize;
use crate::game::position::Position;
use crate::game::record::Record;
use crate::game::rules::{Komi, Rules};

/// One game per line: size, rules, komi, number of handicap stones at the standard points, and moves.
const GAMES: &str = include_str!("positions.txt");
/// Move numbers at which positions are sampled from a game, in sixteenths of the length of the game.
const SAMPLED_GAME_SIXTEENTHS: [usize; 5] = [1, 4, 8, 12, 16];

/// Returns the calibration positions, ordered by game.
pub fn calibration_positions() -> Vec<Position> {
    // Parsing cannot fail, because the text is embedded and a test parses it.
    let parse = |line| parse_game(line).expect("the games can be read");
    let sample = |record: Record| {
        let moves = record.moves().len();
        SAMPLED_GAME_SIXTEENTHS.map(|sixteenths| {
            let position = record.position_after(moves * sixteenths / 16);
            position.map(Cow::into_owned)
        })
    };
    let records = GAMES.lines().map(parse);
    records.flat_map(sample).flatten().collect()
}

fn parse_game(line: &'static str) -> Option<Record> {
    let mut fields = line.split_ascii_whitespace();
    let size: BoardSize = fields.next()?.parse().ok()?;
    let rules = Rules::parse(fields.next()?)?;
    let komi = Komi::from_points(fields.next()?.parse().ok()?)?;
    let mut record = Record::new(size, rules.with_komi(komi));
    let stones = fields.next()?.parse().ok()?;
    if stones > 0 {
        let points = handicap::fixed_placement(size, stones)?;
        record.place_handicap(&points).ok()?;
    }
    for field in fields {
        let mv = size.parse_move(field)?;
        record.play(record.position().to_move(), mv).ok()?;
    }
    Some(record)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::game::rules::Scoring;

    #[test]
    fn positions_cover_all_network_inputs() {
        let positions = calibration_positions();
        let mut sizes = BTreeMap::new();
        for position in &positions {
            let size = position.size();
            *sizes.entry((size.width(), size.height())).or_insert(0) += 1;
        }
        let expected = [((7, 11), 5), ((9, 9), 10), ((13, 13), 10), ((19, 19), 25)];
        assert_eq!(sizes, BTreeMap::from(expected));
        let count = |predicate: &dyn Fn(&Position) -> bool| {
            positions.iter().filter(|p| predicate(p)).count()
        };
        assert!(count(&|p| p.rules().scoring == Scoring::Territory) >= 10);
        assert!(count(&|p| p.rules().suicide) >= 10);
        assert!(count(&|p| p.handicap() > 0) >= 10);
        assert!(count(&|p| p.rules().komi.points() < 1.0) >= 10);
        assert!(count(&|p| p.last_move_was_pass()) >= 5);
        assert!(count(&|p| p.board().occupied_points().len() * 10 < p.size().area()) >= 10);
        assert!(count(&|p| p.board().occupied_points().len() * 2 > p.size().area()) >= 10);
    }
}
