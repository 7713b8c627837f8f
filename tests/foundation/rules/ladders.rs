//! Ladders: the reader against plain recursion on random boards, and ladders drawn by hand.

use honinbo::game::board::Board;
use honinbo::game::color::Color;
use honinbo::game::diagram::Diagram;
use honinbo::game::pointset::PointSet;
use honinbo::random::Rng;
use honinbo::tactics::ladder::{LadderReader, Ladders};

use crate::rules::bridge::{point, points, set_up};
use crate::rules::naive::{NaiveBoard, NaiveChain, Place};

/// Reads a ladder by trying everything that the definition allows.
struct Reader {
    target: Place,
    moves_left: u32,
}

/// The reading took too long to be finished.
#[derive(Debug)]
struct Unfinished;

impl Reader {
    fn play(
        &mut self,
        board: &NaiveBoard,
        color: Color,
        place: Place,
    ) -> Result<Option<(NaiveBoard, Option<Place>)>, Unfinished> {
        self.moves_left = self.moves_left.checked_sub(1).ok_or(Unfinished)?;
        let after = board.after(color, place);
        if after.suicide {
            return Ok(None);
        }
        let own = after.board.chain(place);
        let retakes =
            after.captured.len() == 1 && own.stones.len() == 1 && own.liberties.len() == 1;
        Ok(Some((after.board, retakes.then(|| after.captured[0]))))
    }

    /// Whether the attacker, to move but not at `ko`, captures.
    fn attack(&mut self, board: &NaiveBoard, ko: Option<Place>) -> Result<bool, Unfinished> {
        let chain = board.chain(self.target);
        match chain.liberties.len() {
            1 => return Ok(true),
            2 => {}
            _ => return Ok(false),
        }
        if double_ko(board, &chain) {
            return Ok(true);
        }
        for place in chain.liberties {
            if ko != Some(place) && self.attack_at(board, place, false)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether this move of the attacker captures. A ko that it leaves saves the defender, but for the first move.
    fn attack_at(
        &mut self,
        board: &NaiveBoard,
        place: Place,
        first: bool,
    ) -> Result<bool, Unfinished> {
        let attacker = board.chain(self.target).color.opposite();
        match self.play(board, attacker, place)? {
            Some((_, Some(_))) if !first => Ok(false),
            Some((next, _)) => self.lost(&next),
            None => Ok(false),
        }
    }

    /// Whether the chain in atari is lost, its owner to move.
    fn lost(&mut self, board: &NaiveBoard) -> Result<bool, Unfinished> {
        let chain = board.chain(self.target);
        if chain.liberties.len() != 1 {
            return Ok(false);
        }
        let mut moves = rescues(board, &chain);
        moves.extend(&chain.liberties);
        for place in moves {
            if let Some((next, ko)) = self.play(board, chain.color, place)?
                && !self.attack(&next, ko)?
            {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// Where the owner of the chain can take a chain beside it.
fn rescues(board: &NaiveBoard, chain: &NaiveChain) -> Vec<Place> {
    let mut moves = Vec::new();
    for other in board.chains() {
        let surrounds = chain
            .stones
            .iter()
            .any(|&stone| board.beside(stone).any(|p| other.stones.contains(&p)));
        if other.color != chain.color && other.liberties.len() == 1 && surrounds {
            moves.push(other.liberties[0]);
        }
    }
    moves
}

/// Whether at each of its liberties the chain's opponent takes a ko, and its owner gains nothing by connecting it.
fn double_ko(board: &NaiveBoard, chain: &NaiveChain) -> bool {
    let lost_at = |&place: &Place| {
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
    rescues(board, chain).is_empty() && chain.liberties.iter().all(lost_at)
}

fn naive_ladders(
    board: &NaiveBoard,
    defender: Color,
    ko: Option<Place>,
    moves: u32,
) -> Result<Ladders, Unfinished> {
    let mut ladders = Ladders::default();
    for chain in board.chains() {
        let mut reader = Reader {
            target: chain.stones[0],
            moves_left: moves,
        };
        let mut captured = false;
        match chain.liberties.as_slice() {
            _ if chain.color != defender => {}
            [_] => captured = reader.lost(board)?,
            &[a, b] => {
                for place in [a, b] {
                    if ko != Some(place) && reader.attack_at(board, place, true)? {
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
fn the_reader_agrees_with_plain_recursion() {
    let mut rng = Rng::new(21);
    let mut reader = LadderReader::new();
    let (mut compared, mut unfinished, mut captured, mut working) = (0, 0, 0, 0);
    for _ in 0..8_000 {
        let (width, height) = (3 + rng.below(6), 3 + rng.below(6));
        let density = 0.25 + 0.45 * rng.unit_f64();
        let naive = NaiveBoard::random(width, height, density, &mut rng);
        let board = set_up(&naive);
        let empty = naive.empty();
        let ko = rng.chance(0.3).then(|| empty[rng.below(empty.len())]);
        for defender in Color::BOTH {
            let Ok(expected) = naive_ladders(&naive, defender, ko, 20_000) else {
                unfinished += 1;
                continue;
            };
            let found = reader.ladders(&board, defender, ko.map(point));
            assert_eq!(found, expected, "{defender} defends {naive:?}, ko {ko:?}");
            compared += 1;
            captured += expected.captured.len();
            working += expected.working_moves.len();
        }
    }
    assert!(
        unfinished * 50 < compared,
        "{unfinished} of {compared} unfinished"
    );
    assert!(captured > 1_000 && working > 500, "{captured} {working}");
}

/// The ladders of a picture, which recursion confirms, and the point named `a` in it.
fn read(picture: &str, defender: Color) -> (Ladders, PointSet) {
    let diagram = Diagram::parse(picture).unwrap();
    let board = diagram.board().unwrap();
    let ladders = LadderReader::new().ladders(&board, defender, None);
    let exhaustive = naive_ladders(&naive(&board), defender, None, 1_000_000).unwrap();
    assert_eq!(ladders, exhaustive, "{picture}");
    (ladders, diagram.labelled('a'))
}

fn naive(board: &Board) -> NaiveBoard {
    let mut naive = NaiveBoard::new(board.size().width(), board.size().height());
    for place in naive.places() {
        naive.set(place, board.color_at(point(place)));
    }
    naive
}

#[test]
fn a_ladder_runs_to_the_edge() {
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
fn a_stone_in_the_way_breaks_a_ladder() {
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
fn capturing_a_surrounding_stone_escapes() {
    let (ladders, _) = read(
        ". . . . . .
         . X . . . .
         X O O X O .
         . X X O . .
         . . . . . .",
        Color::White,
    );
    assert!(!ladders.captured.contains(point((1, 2))));
    // With the stone out of atari the two white ones are lost.
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
fn a_rescue_that_only_delays_does_not_help() {
    // White can take the stone in the corner, but the point it leaves is no room.
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
fn two_kos_at_once_are_a_capture() {
    let both = read(
        "O a O O O a O
         X O O O O O X
         X X X X X X X
         . . . . . . .",
        Color::White,
    );
    assert_eq!(both.0.captured.len(), 10);
    assert_eq!(both.0.working_moves, both.1);
    // White can take the stone that holds one of the kos.
    let (ladders, _) = read(
        "O . O O O . O
         X O O O O O X
         . X X X X X X
         . . . . . . .",
        Color::White,
    );
    assert!(!ladders.captured.contains(point((3, 0))));
    // One of the two is no ko but an eye, which cannot be taken.
    let (ladders, _) = read(
        "O . O O O . O
         X O O O O O O
         X X X X X X X
         . . . . . . .",
        Color::White,
    );
    assert!(!ladders.captured.contains(point((3, 0))));
}
