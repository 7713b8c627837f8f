//! Defensive moves that a player must make before it passes.
//!
//! At the end of a game, a group may be held together by a point that looks like an eye or like safe territory. When the
//! neutral points around the group have been filled, a stone of the opponent at this point captures part of the group.
//! Evaluators and searches with few visits often overlook this.
//!
//! A chain is *endangered* if the opponent captures it by [reading](crate::tactics::reading) after a pass, or with a
//! move that attacks several chains at once so that not all of them can be saved.

use std::time::Instant;

use super::budgeted_reader::{BudgetedReader, MAX_LIBERTIES, ReadingBudget};
use crate::game::board::{Board, Chain};
use crate::game::color::Color;
use crate::game::point::{Move, Point};
use crate::game::pointset::PointSet;
use crate::game::position::Position;
use crate::tactics::reading::{ReadingOutcome, ReadingResult, ReadingSide};

/// Budget for the capture searches in a position.
const READING_BUDGET: ReadingBudget = ReadingBudget {
    plies: 15,
    nodes_per_search: 5_000,
    total_nodes: 40_000,
};

/// The opponent's threats after a pass of the side to move.
#[derive(Clone, Debug, Default)]
pub(super) struct Threats {
    /// Stones of the side to move that the opponent captures.
    pub endangered: PointSet,
    /// The opponent's moves and the replies that capture some of these stones. The opponent moves first.
    pub sequence: Vec<Move>,
    /// Moves that may avert the threats.
    candidates: PointSet,
}

impl Threats {
    /// Finds the threats against the stones of the side to move, except those in `dead`. Does not start a search after
    /// `deadline`.
    pub fn find(position: &Position, dead: &PointSet, deadline: Option<Instant>) -> Self {
        let mut threats = Self::default();
        let mut reader = BudgetedReader::new(READING_BUDGET, deadline);
        let (board, owner) = (position.board(), position.to_move());
        let chains: Vec<Chain> = living_chains(board, owner, dead).copied().collect();
        for chain in &chains {
            if let Some(attack) = read_capture(&mut reader, board, chain, ReadingSide::Maker) {
                let defence = reader.read(board, chain, ReadingSide::Breaker);
                let defending = defence.and_then(|reading| reading.best_move);
                let moves = [attack.pv.first().copied(), defending];
                let points = moves.into_iter().flatten().filter_map(Move::point);
                threats.add(chain.stones, attack.pv);
                threats.candidates.extend(points);
                threats.candidates |= chain.liberties;
            }
        }
        let short_of_liberties = chains.iter().filter(|chain| chain.liberties.len() == 2);
        let attacks = short_of_liberties.fold(PointSet::EMPTY, |all, chain| all | chain.liberties);
        for attack in attacks {
            let stones = double_threat(&mut reader, board, owner, dead, attack);
            if !stones.is_empty() {
                threats.add(stones, vec![Move::Play(attack)]);
                threats.candidates.insert(attack);
                threats.candidates |= liberties_of(board, &stones);
            }
        }
        threats
    }

    fn add(&mut self, stones: PointSet, sequence: Vec<Move>) {
        if self.endangered.is_empty() {
            self.sequence = sequence;
        }
        self.endangered |= stones;
    }

    /// Returns the position after a pass of the side to move and the first sequence that captures its stones.
    pub fn position_after(&self, position: &Position) -> Position {
        let mut next = position.clone();
        next.play_unchecked(position.to_move(), Move::Pass);
        for &mv in &self.sequence {
            if next.play(next.to_move(), mv).is_err() {
                break;
            }
        }
        next
    }

    /// Returns the legal moves after which the fewest stones are endangered. Returns no moves if none of them helps.
    /// Does not start a search after `deadline`.
    pub fn defences(
        &self,
        position: &Position,
        dead: &PointSet,
        deadline: Option<Instant>,
    ) -> Vec<Move> {
        let owner = position.to_move();
        let remaining_after = |point: Point| {
            let mut next = position.clone();
            next.play_unchecked(owner, Move::Play(point));
            // The opponent makes the next move: the same side as after a pass.
            next.set_to_move(owner);
            Self::find(&next, dead, deadline).endangered.len()
        };
        let legal = position.legal_points() & self.candidates;
        let outcomes: Vec<(usize, Move)> = legal
            .iter()
            .map(|point| (remaining_after(point), Move::Play(point)))
            .collect();
        let fewest = outcomes.iter().map(|(remaining, _)| *remaining).min();
        let fewest = fewest.filter(|&remaining| remaining < self.endangered.len());
        let best = outcomes
            .into_iter()
            .filter(|(remaining, _)| Some(*remaining) == fewest);
        best.map(|(_, mv)| mv).collect()
    }
}

/// Reads the capture of `chain` and returns the result if the opponent captures it without having to win a ko.
fn read_capture(
    reader: &mut BudgetedReader,
    board: &Board,
    chain: &Chain,
    first: ReadingSide,
) -> Option<ReadingResult> {
    let reading = reader.read(board, chain, first)?;
    let is_captured = match reading.outcome {
        ReadingOutcome::Reached { .. } => true,
        ReadingOutcome::Ko { needs_threat, .. } => needs_threat == chain.color,
        ReadingOutcome::Prevented { .. } | ReadingOutcome::Unknown => false,
    };
    is_captured.then_some(reading)
}

/// Iterates over the chains of `owner` with few liberties that are not dead.
fn living_chains<'a>(
    board: &'a Board,
    owner: Color,
    dead: &'a PointSet,
) -> impl Iterator<Item = &'a Chain> {
    let is_alive = move |chain: &&Chain| {
        chain.color == owner
            && chain.liberties.len() <= MAX_LIBERTIES
            && !chain.stones.intersects(dead)
    };
    board.chains().filter(is_alive)
}

fn liberties_of(board: &Board, stones: &PointSet) -> PointSet {
    stones.neighbours(board.all_points()) & board.empty_points()
}

/// Returns the stones of `owner` in the chains that a move of the opponent at `attack` puts into atari, if there are
/// several such chains and `owner` cannot save all of them with one move. Returns the empty set otherwise.
fn double_threat(
    reader: &mut BudgetedReader,
    board: &Board,
    owner: Color,
    dead: &PointSet,
    attack: Point,
) -> PointSet {
    let opponent = owner.opposite();
    if board.is_suicide(opponent, attack) {
        return PointSet::EMPTY;
    }
    let mut attacked = board.clone();
    attacked.place(opponent, attack);
    let targets: Vec<Chain> = living_chains(&attacked, owner, dead)
        .filter(|chain| chain.liberties.len() == 1)
        .copied()
        .collect();
    if targets.len() < 2 {
        return PointSet::EMPTY;
    }
    let stones = targets
        .iter()
        .fold(PointSet::EMPTY, |all, chain| all | chain.stones);
    // A reply saves the chains by connecting or extending them, or by capturing opposing stones next to them.
    let adjacent = stones.neighbours(attacked.all_points());
    let capturable = attacked.chains().filter(|chain| {
        chain.color == opponent && chain.liberties.len() == 1 && chain.stones.intersects(&adjacent)
    });
    let replies = capturable.fold(liberties_of(&attacked, &stones), |all, chain| {
        all | chain.liberties
    });
    let saves_all = |reply: Point| {
        if attacked.is_suicide(owner, reply) {
            return false;
        }
        let mut answered = attacked.clone();
        answered.place(owner, reply);
        targets.iter().all(|target| {
            let chain = target
                .stones
                .first()
                .and_then(|stone| answered.chain_at(stone));
            chain.is_some_and(|chain| {
                read_capture(reader, &answered, chain, ReadingSide::Maker).is_none()
            })
        })
    };
    if replies.iter().any(saves_all) {
        PointSet::EMPTY
    } else {
        stones
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::diagram;
    use crate::game::rules::Rules;

    /// Returns the defensive moves of White in a diagram.
    fn defences(text: &str) -> Vec<String> {
        let board = diagram::parse_board(text).unwrap();
        let size = board.size();
        let position = Position::from_board(board, Color::White, Rules::default());
        let threats = Threats::find(&position, &PointSet::EMPTY, None);
        let moves = threats.defences(&position, &PointSet::EMPTY, None);
        moves.into_iter().map(|mv| size.format_move(mv)).collect()
    }

    #[test]
    fn false_eye_is_connected() {
        let false_eye = "
            . O O X X X .
            O O O X X . .
            . O . O O X .
            O O O X X . .
            . O X X . . .
            O O X . . . .
            . O X . . . .";
        assert_eq!(defences(false_eye), ["C5"]);
        // With a liberty at F5, the stones at D5 and E5 cannot be captured.
        assert!(defences(&false_eye.replace(". O . O O X .", ". O . O O . .")).is_empty());
    }

    #[test]
    fn real_eyes_need_no_move() {
        let alive = "
            . O . O X . .
            O O O O X . .
            X X X X X . .
            . . . . . . .";
        assert!(defences(alive).is_empty());
    }

    #[test]
    fn double_atari_is_averted() {
        // Each of the two chains on the left is connected through a false eye. After Black's C4, one of them is lost.
        let double_atari = "
            . . . O . . .
            X X X O . O .
            X O O . O O .
            X X . O O . .
            X O O . O O .
            X X X O . O .
            . . . O . . .";
        assert_eq!(defences(double_atari), ["D5", "C4", "D3"]);
    }
}
