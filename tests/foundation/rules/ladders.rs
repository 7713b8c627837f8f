//! Ladder reader: comparison with plain recursion on random boards, and hand-made ladders.

use honinbo::game::color::Color;
use honinbo::game::diagram::Diagram;
use honinbo::game::pointset::PointSet;
use honinbo::random::Rng;
use honinbo::tactics::ladder::{LadderReader, Ladders};

use crate::naive::bridge::{point, points, set_up, to_naive};
use crate::naive::{NaiveBoard, NaiveChain, Place};

/// Naive ladder reader that tries all moves permitted by the definition.
struct Reader {
    target: Place,
    moves_left: u32,
}

/// The reader exceeded its move limit.
#[derive(Debug)]
struct LimitExceeded;

impl Reader {
    fn play(
        &mut self,
        board: &NaiveBoard,
        color: Color,
        place: Place,
    ) -> Result<Option<(NaiveBoard, Option<Place>)>, LimitExceeded> {
        self.moves_left = self.moves_left.checked_sub(1).ok_or(LimitExceeded)?;
        let after = board.after(color, place);
        if after.suicide {
            return Ok(None);
        }
        let ko = after.retaken_at(place);
        Ok(Some((after.board, ko)))
    }

    /// Returns true if the attacker captures the target, moving first but not at `ko`.
    fn is_captured(
        &mut self,
        board: &NaiveBoard,
        ko: Option<Place>,
    ) -> Result<bool, LimitExceeded> {
        let chain = board.chain(self.target);
        match chain.liberties.len() {
            1 => return Ok(true),
            2 => {}
            _ => return Ok(false),
        }
        if is_double_ko(board, &chain) {
            return Ok(true);
        }
        for place in chain.liberties {
            if ko != Some(place) && self.is_captured_by(board, place, false)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns true if this attacking move captures the target. A resulting ko saves the defender, except for the
    /// first move.
    fn is_captured_by(
        &mut self,
        board: &NaiveBoard,
        place: Place,
        first: bool,
    ) -> Result<bool, LimitExceeded> {
        let attacker = board.chain(self.target).color.opposite();
        match self.play(board, attacker, place)? {
            Some((_, Some(_))) if !first => Ok(false),
            Some((next, _)) => self.is_lost(&next),
            None => Ok(false),
        }
    }

    /// Returns true if the target, which is in atari, is lost with its owner to move.
    fn is_lost(&mut self, board: &NaiveBoard) -> Result<bool, LimitExceeded> {
        let chain = board.chain(self.target);
        if chain.liberties.len() != 1 {
            return Ok(false);
        }
        let mut moves = rescuing_moves(board, &chain);
        moves.extend(&chain.liberties);
        for place in moves {
            if let Some((next, ko)) = self.play(board, chain.color, place)?
                && !self.is_captured(&next, ko)?
            {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// Returns the moves by which the owner of the chain captures an adjacent chain.
fn rescuing_moves(board: &NaiveBoard, chain: &NaiveChain) -> Vec<Place> {
    let mut moves = Vec::new();
    for other in board.chains() {
        let surrounds = chain
            .stones
            .iter()
            .any(|&stone| board.neighbours(stone).any(|p| other.stones.contains(&p)));
        if other.color != chain.color && other.liberties.len() == 1 && surrounds {
            moves.push(other.liberties[0]);
        }
    }
    moves
}

/// Returns true if at each liberty the opponent of the chain captures in a ko, and connecting that ko gains nothing.
fn is_double_ko(board: &NaiveBoard, chain: &NaiveChain) -> bool {
    let is_lost_at = |&place: &Place| {
        let taken = board.after(chain.color.opposite(), place);
        if taken.suicide || taken.captured.len() != 1 {
            return false;
        }
        let own = taken.board.chain(place);
        let connected = board.after(chain.color, place);
        own.stones.len() == 1
            && own.liberties == taken.captured
            && (connected.suicide || connected.board.chain(place).liberties.len() <= 2)
    };
    rescuing_moves(board, chain).is_empty() && chain.liberties.iter().all(is_lost_at)
}

fn naive_ladders(
    board: &NaiveBoard,
    defender: Color,
    ko: Option<Place>,
    moves: u32,
) -> Result<Ladders, LimitExceeded> {
    let mut ladders = Ladders::default();
    for chain in board.chains() {
        let mut reader = Reader {
            target: chain.stones[0],
            moves_left: moves,
        };
        let mut captured = false;
        match chain.liberties.as_slice() {
            _ if chain.color != defender => {}
            [_] => captured = reader.is_lost(board)?,
            &[a, b] => {
                for place in [a, b] {
                    if ko != Some(place) && reader.is_captured_by(board, place, true)? {
                        ladders.working_moves.insert(point(place));
                        captured = true;
                    }
                }
            }
            _ => {}
        }
        if captured {
            ladders.captured |= points(&chain.stones);
        }
    }
    Ok(ladders)
}

#[test]
fn reader_matches_plain_recursion() {
    let mut rng = Rng::new(21);
    let mut reader = LadderReader::new();
    let (mut compared, mut exceeded, mut captured, mut working) = (0, 0, 0, 0);
    for _ in 0..8_000 {
        let (width, height) = (3 + rng.below(6), 3 + rng.below(6));
        let density = 0.25 + 0.45 * rng.unit_f64();
        let naive = NaiveBoard::random(width, height, density, &mut rng);
        let board = set_up(&naive);
        let empty = naive.empty();
        let ko = rng.chance(0.3).then(|| empty[rng.below(empty.len())]);
        for defender in Color::BOTH {
            let Ok(expected) = naive_ladders(&naive, defender, ko, 20_000) else {
                exceeded += 1;
                continue;
            };
            let found = reader.ladders_against(&board, defender, ko.map(point));
            assert_eq!(found, expected, "{defender} defends {naive:?}, ko {ko:?}");
            compared += 1;
            captured += expected.captured.len();
            working += expected.working_moves.len();
        }
    }
    assert!(
        exceeded * 50 < compared,
        "{exceeded} of {compared} unfinished"
    );
    assert!(captured > 1_000 && working > 500, "{captured} {working}");
}

/// Returns the ladders of a diagram, after comparing them with plain recursion, and the points labelled `a`.
fn read(diagram_text: &str, defender: Color) -> (Ladders, PointSet) {
    let diagram = Diagram::parse(diagram_text).unwrap();
    let board = diagram.to_board().unwrap();
    let ladders = LadderReader::new().ladders_against(&board, defender, None);
    let exhaustive = naive_ladders(&to_naive(&board), defender, None, 1_000_000).unwrap();
    assert_eq!(ladders, exhaustive, "{diagram_text}");
    (ladders, diagram.points_with_label('a'))
}

#[test]
fn ladder_works_to_the_edge() {
    let (ladders, a) = read(
        ". . . . . . . . .
         . . X . . . . . .
         . X O a . . . . .
         . X . . . . . . .
         . . . . . . . . .
         . . . . . . . . .
         . . . . . . . . .
         . . . . . . . . .
         . . . . . . . . .",
        Color::White,
    );
    assert!(a.is_subset(&ladders.working_moves));
    assert_eq!(ladders.captured.len(), 1);
}

#[test]
fn ladder_breaker_saves_stone() {
    let (ladders, a) = read(
        ". . . . . . . . .
         . . X . . . . . .
         . X O a . . . . .
         . X . . . . . . .
         . . . . . . . . .
         . . . . . . . . .
         . . . . . . O . .
         . . . . . . . . .
         . . . . . . . . .",
        Color::White,
    );
    assert!(!ladders.working_moves.intersects(&a));
}

#[test]
fn capturing_surrounding_stone_escapes() {
    let (ladders, _) = read(
        ". . . . . .
         . X . . . .
         X O O X O .
         . X X O . .
         . . . . . .",
        Color::White,
    );
    assert!(!ladders.captured.contains(point((1, 2))));
    // If the black stone is not in atari, the two white ones are lost.
    let (ladders, _) = read(
        ". . . . . .
         . X . X . .
         X O O X O .
         . X X O . .
         . . . . . .",
        Color::White,
    );
    assert!(ladders.captured.contains(point((1, 2))));
}

#[test]
fn capture_without_new_liberties_fails() {
    // White can capture the corner stone but gains no liberties by it.
    let (ladders, _) = read(
        "X O . . .
         . X X . .
         X . . . .
         . . . . .",
        Color::White,
    );
    assert!(ladders.captured.contains(point((1, 0))));
}

#[test]
fn double_ko_is_capture() {
    let double = read(
        "O a O O O a O
         X O O O O O X
         X X X X X X X
         . . . . . . .",
        Color::White,
    );
    assert_eq!(double.0.captured.len(), 10);
    assert_eq!(double.0.working_moves, double.1);
    // White can capture the stone that holds one of the kos.
    let (ladders, _) = read(
        "O . O O O . O
         X O O O O O X
         . X X X X X X
         . . . . . . .",
        Color::White,
    );
    assert!(!ladders.captured.contains(point((3, 0))));
    // One of the two is not a ko but an eye, where Black cannot capture.
    let (ladders, _) = read(
        "O . O O O . O
         X O O O O O O
         X X X X X X X
         . . . . . . .",
        Color::White,
    );
    assert!(!ladders.captured.contains(point((3, 0))));
}
