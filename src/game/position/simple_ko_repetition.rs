//! Detection of repeated situations under simple ko.
//!
//! A *situation* is a board together with the side to move. As in KataGo, a move that creates a situation for the third
//! time since the last pass ends the game without a result. Some rules also end the game when a player passes twice in
//! the same situation; this module reports such passes, but they do not end the game.

use super::Position;
use crate::game::color::Color;
use crate::game::rules::KoRule;
use crate::game::zobrist;

/// Reason for a [missing result](Position::has_no_result), for messages.
pub const NO_RESULT_REASON: &str = "a position occurred three times";
/// Number of occurrences of a situation after which the game has no result.
const NO_RESULT_OCCURRENCES: usize = 3;
/// Exclusive-or of the repetition keys before and after a pass.
const PASS_KEY_XOR: u64 = zobrist::to_move_key(Color::Black) ^ zobrist::to_move_key(Color::White);

impl Position {
    /// Returns true if the situation `moves_ago` moves ago (0 is the current one) had occurred before and the side to
    /// move had then passed. Always false under superko.
    pub fn had_passed_in_situation(&self, moves_ago: usize) -> bool {
        let keys = self.situation_keys(moves_ago);
        keys.last().is_some_and(|&current| {
            keys.windows(2)
                .any(|pair| pair[0] == current && pair[1] == current ^ PASS_KEY_XOR)
        })
    }

    /// Returns true if the game has ended without a result: the last move created a situation that has occurred at least
    /// three times since the last pass, as in a triple ko. Always false under superko.
    pub const fn has_no_result(&self) -> bool {
        self.no_result
    }

    /// Returns true if the game [had no result](Self::has_no_result) `moves_ago` moves ago (0 is the current situation).
    pub fn had_no_result(&self, moves_ago: usize) -> bool {
        self.occurrences(moves_ago) >= NO_RESULT_OCCURRENCES
    }

    /// Returns the number of times that the situation `moves_ago` moves ago (0 is the current one) had occurred since
    /// the last pass, including the occurrence at that time. Always 0 under superko.
    fn occurrences(&self, moves_ago: usize) -> usize {
        let keys = self.situation_keys(moves_ago);
        let Some(&current) = keys.last() else {
            return 0;
        };
        // The side to move is the same after a pass out of turn. Stones always change the board.
        let is_pass = |pair: &[u64]| matches!(pair[0] ^ pair[1], 0 | PASS_KEY_XOR);
        let since_pass = keys
            .windows(2)
            .rposition(is_pass)
            .map_or(0, |index| index + 1);
        keys[since_pass..]
            .iter()
            .filter(|&&key| key == current)
            .count()
    }

    /// Returns the repetition keys of all situations from the first one to the one `moves_ago` moves ago. The result is
    /// empty under superko.
    fn situation_keys(&self, moves_ago: usize) -> &[u64] {
        let len = match self.rules.ko {
            KoRule::Simple => self.position_keys.len().saturating_sub(moves_ago),
            KoRule::Positional | KoRule::Situational => 0,
        };
        &self.position_keys[..len]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::diagram;
    use crate::game::point::{Move, Point};
    use crate::game::rules::Rules;

    /// Cycle of moves in which each side takes every ko once. It leads back to the first situation.
    const TRIPLE_KO_CYCLE: &str = "C3 F3 L3 B3 G3 K3 ";

    /// Plays `moves` in a position with three kos.
    fn position_after(moves: &str, rules: &str) -> Position {
        let board = diagram::parse_board(
            ". X O . . X O . . X O .
             X O . O X . X O X O . O
             . X O . . X O . . X O .
             . . . . . . . . . . . .",
        )
        .unwrap();
        let rules = Rules::parse(rules).unwrap();
        let mut position = Position::from_board(board, Color::Black, rules);
        for vertex in moves.split_whitespace() {
            let mv = position.size().parse_move(vertex).unwrap();
            position.play_unchecked(position.to_move(), mv);
        }
        position
    }

    #[test]
    fn triple_ko_repeats_the_situation() {
        let start = position_after("", "chinese");
        for cycles in 0..4 {
            let position = position_after(&TRIPLE_KO_CYCLE.repeat(cycles), "chinese");
            assert_eq!(position.board(), start.board());
            assert_eq!(position.occurrences(0), cycles + 1);
            assert_eq!(position.has_no_result(), cycles >= 2);
            assert_eq!(position.had_no_result(0), cycles >= 2);
            assert_eq!(position.ended(), cycles >= 2);
        }
        let two_cycles = TRIPLE_KO_CYCLE.repeat(2);
        assert_eq!(position_after(&two_cycles, "chinese").occurrences(6), 2);
        assert_eq!(position_after(&two_cycles, "chinese").occurrences(7), 1);
        assert_eq!(position_after(&two_cycles, "chinese").occurrences(20), 0);
        assert_eq!(position_after(&two_cycles, "aga").occurrences(0), 0);
        // A pass restarts the count.
        let position = position_after(
            &format!("{two_cycles} pass pass {TRIPLE_KO_CYCLE}"),
            "chinese",
        );
        assert_eq!(position.occurrences(0), 2);
    }

    #[test]
    fn detects_pass_in_same_situation() {
        assert!(!position_after(TRIPLE_KO_CYCLE, "chinese").had_passed_in_situation(0));
        // After two passes and one cycle, Black is to move in the situation in which Black passed.
        let moves = format!("pass pass {TRIPLE_KO_CYCLE}");
        assert!(position_after(&moves, "chinese").had_passed_in_situation(0));
        assert!(!position_after(&moves, "chinese").had_passed_in_situation(1));
        assert!(position_after(&moves, "chinese").had_passed_in_situation(6));
        assert!(!position_after(&moves, "aga").had_passed_in_situation(0));
        // A situation includes the side to move: here White passed, not Black.
        let mut position = position_after("", "chinese");
        position.set_to_move(Color::White);
        position.play(Color::White, Move::Pass).unwrap();
        assert!(!position.had_passed_in_situation(0));
        position
            .play(Color::Black, Move::Play(Point::at(0, 3)))
            .unwrap();
        assert!(!position.had_passed_in_situation(0));
    }
}
