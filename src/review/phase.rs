//! Phases of a game, by the number of the move as in KaTrain.

use crate::game::point::BoardSize;

/// Phase of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    Opening,
    Middlegame,
    Endgame,
}

/// Names of the phases, in the order of [`Phase`].
pub const PHASE_NAMES: [&str; 3] = ["opening", "middlegame", "endgame"];

impl Phase {
    /// Last moves of the opening and of the middlegame, relative to the number of points of the board.
    const ENDS: [f64; 2] = [0.14, 0.4];

    /// Returns the phase of the move with this number, which starts at 1.
    pub fn of_move(number: usize, size: BoardSize) -> Self {
        let last_move = |share: f64| (share * size.area() as f64).ceil();
        let [opening, middlegame] = Self::ENDS.map(last_move);
        match number as f64 {
            number if number <= opening => Self::Opening,
            number if number <= middlegame => Self::Middlegame,
            _ => Self::Endgame,
        }
    }

    /// Returns the name of the phase.
    pub const fn name(self) -> &'static str {
        PHASE_NAMES[self as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phases_end_at_shares_of_the_board() {
        let sizes = [9, 13, 19].map(|side| BoardSize::new(side, side).unwrap());
        for (size, opening, middlegame) in
            [(sizes[0], 12, 33), (sizes[1], 24, 68), (sizes[2], 51, 145)]
        {
            let phase = |number| Phase::of_move(number, size);
            assert_eq!(phase(opening), Phase::Opening);
            assert_eq!(phase(opening + 1), Phase::Middlegame);
            assert_eq!(phase(middlegame), Phase::Middlegame);
            assert_eq!(phase(middlegame + 1), Phase::Endgame);
        }
        let phases = [Phase::Opening, Phase::Middlegame, Phase::Endgame];
        assert_eq!(phases.map(Phase::name), PHASE_NAMES);
    }
}
