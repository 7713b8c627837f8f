//! What the past says of repetitions where only basic kos are forbidden.
//!
//! Nothing here ends a game. Rules without superko stop endless ones by other means: some end play when a player passes
//! where it has passed before, some call a game off when the same situation has come three times.

use super::Position;
use crate::game::color::Color;
use crate::game::rules::KoRule;
use crate::game::zobrist;

/// So often a situation may come; then the game has no result.
const NO_RESULT: usize = 3;
/// What a pass changes in a key.
const TURN: u64 = zobrist::to_move(Color::Black) ^ zobrist::to_move(Color::White);

impl Position {
    /// Whether, `back` turns ago, the side then to move had passed with the same stones on the board before. Without
    /// superko only; false under the others.
    #[must_use]
    pub fn has_passed_here(&self, back: usize) -> bool {
        let past = self.situations(back);
        past.last().is_some_and(|&here| {
            past.windows(2)
                .any(|turn| turn[0] == here && turn[1] == here ^ TURN)
        })
    }

    /// Whether, `back` turns ago, the situation had come often enough for the game to have no result, as in a triple ko
    /// that nobody gives up. Without superko only; false under the others.
    #[must_use]
    pub fn has_no_result(&self, back: usize) -> bool {
        self.occurrences(back) >= NO_RESULT
    }

    /// How often the situation of `back` turns ago had come by then since the last pass: 1 when it was new. Without
    /// superko only; 0 under the others.
    fn occurrences(&self, back: usize) -> usize {
        let past = self.situations(back);
        let Some(&here) = past.last() else { return 0 };
        let since_pass = past
            .windows(2)
            .rposition(|turn| turn[1] == turn[0] ^ TURN)
            .map_or(0, |before| before + 1);
        past[since_pass..]
            .iter()
            .filter(|&&key| key == here)
            .count()
    }

    /// The keys up to `back` turns ago, where they know passes and the side to move.
    fn situations(&self, back: usize) -> &[u64] {
        let known = match self.rules.ko {
            KoRule::Simple => self.past.len().saturating_sub(back),
            KoRule::Positional | KoRule::Situational => 0,
        };
        &self.past[..known]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::diagram;
    use crate::game::point::{Move, Point};
    use crate::game::rules::Rules;

    /// Each side takes one ko of the three in turn until the first situation is there again.
    const ROUND: &str = "C3 F3 L3 B3 G3 K3 ";

    /// A position with three kos after these moves.
    fn played(moves: &str, rules: &str) -> Position {
        let board = diagram::parse(
            ". X O . . X O . . X O .
             X O . O X . X O X O . O
             . X O . . X O . . X O .
             . . . . . . . . . . . .",
        )
        .unwrap();
        let rules = Rules::named(rules).unwrap();
        let mut position = Position::from_board(board, Color::Black, rules);
        for vertex in moves.split_whitespace() {
            let mv = position.size().parse_move(vertex).unwrap();
            position.play_legal(position.to_move(), mv);
        }
        position
    }

    #[test]
    fn three_kos_taken_in_turn_come_round() {
        let start = played("", "chinese");
        for rounds in 0..4 {
            let position = played(&ROUND.repeat(rounds), "chinese");
            assert_eq!(position.board(), start.board());
            assert_eq!(position.occurrences(0), rounds + 1);
            assert_eq!(position.has_no_result(0), rounds >= 2);
        }
        let twice = ROUND.repeat(2);
        assert_eq!(played(&twice, "chinese").occurrences(6), 2);
        assert_eq!(played(&twice, "chinese").occurrences(7), 1);
        assert_eq!(played(&twice, "chinese").occurrences(20), 0);
        assert_eq!(played(&twice, "aga").occurrences(0), 0);
        // Passes begin a new count.
        let passed = played(&format!("{twice} pass pass {ROUND}"), "chinese");
        assert_eq!(passed.occurrences(0), 2);
    }

    #[test]
    fn who_has_passed_where_is_known() {
        assert!(!played(ROUND, "chinese").has_passed_here(0));
        // Both pass, play goes round, and Black is to move as when it passed.
        let passed = format!("pass pass {ROUND}");
        assert!(played(&passed, "chinese").has_passed_here(0));
        assert!(!played(&passed, "chinese").has_passed_here(1));
        assert!(played(&passed, "chinese").has_passed_here(6));
        assert!(!played(&passed, "aga").has_passed_here(0));
        // The stones alone are not the situation: here White passed, not Black.
        let mut other = played("", "chinese");
        other.set_to_move(Color::White);
        other.play(Color::White, Move::Pass).unwrap();
        assert!(!other.has_passed_here(0));
        other
            .play(Color::Black, Move::Play(Point::at(0, 3)))
            .unwrap();
        assert!(!other.has_passed_here(0));
    }
}
