//! Eyes of enclosed spaces as the books have them. Black's space is at the point named `s`, or else `v`, where they are
//! decided if anything is.

use honinbo::game::color::Color;
use honinbo::game::diagram::Diagram;
use honinbo::game::point::{Move, Point};
use honinbo::game::pointset::PointSet;
use honinbo::game::position::Position;
use honinbo::game::rules::Rules;
use honinbo::random::Rng;
use honinbo::tactics::life::eye_space::{EyeCount, EyeSpace};

use crate::rules::bridge::{point, set_up};
use crate::rules::naive::{NaiveBoard, Place};
use crate::tactics::exhaustive::{Exhaustive, Goal};

const NODES: u64 = 100_000;

fn counted(picture: &str) -> (Diagram, Option<EyeCount>) {
    let diagram = Diagram::parse(picture).unwrap();
    let board = diagram.board().unwrap();
    let named = diagram.labelled('s') | diagram.labelled('v');
    let space = EyeSpace::at(&board, named.first().unwrap()).unwrap();
    assert_eq!(space.owner, Color::Black, "{picture}");
    let position = Position::from_board(board, Color::Black, Rules::default());
    let eyes = space.count_eyes(&position, NODES);
    (diagram, eyes)
}

fn assert_settled(eyes: u8, picture: &str) {
    let (_, found) = counted(picture);
    let expected = EyeCount {
        min: eyes,
        max: eyes,
        vital_moves: None,
    };
    assert_eq!(found, Some(expected), "{picture}");
}

fn assert_open([least, most]: [u8; 2], picture: &str) {
    let (diagram, found) = counted(picture);
    let vital = Move::Play(diagram.labelled('v').only().unwrap());
    let expected = EyeCount {
        min: least,
        max: most,
        vital_moves: Some([vital; 2]),
    };
    assert_eq!(found, Some(expected), "{picture}");
}

#[test]
fn small_spaces_have_the_eyes_of_the_books() {
    assert_settled(1, "s X . .\nX X . .\n. . . .");
    assert_settled(1, "s . X .\nX X X .\n. . . .");
    assert_open([1, 2], ". v . X .\nX X X X .\n. . . . .");
    assert_settled(2, "s . . . X .\nX X X X X .\n. . . . . .");
    assert_settled(1, "s . X .\n. . X .\nX X X .\n. . . .");
    assert_open([1, 2], "v . X .\n. X X .\nX X . .\n. . . .");
}

#[test]
fn vital_points_of_larger_shapes() {
    // The pyramid, the bulky five and the crossed five.
    assert_open([1, 2], ". v . X .\nX . X X .\nX X X . .");
    assert_open([1, 2], ". . X .\nv . X .\n. X X .\nX X . .");
    assert_open(
        [1, 2],
        ". X X X .\nX X . X X\nX . v . X\nX X . X X\n. X X X .",
    );
}

#[test]
fn stones_inside_count_as_what_becomes_of_them() {
    // A stone on the vital point, and two that fill all but one point.
    assert_settled(1, "s O . X .\nX X X X .\n. . . . .");
    assert_settled(1, "s O O X .\nX X X X .\n. . . . .");
    // Four in a row hold two eyes with a stone at their end; one in the middle makes the other middle point vital.
    assert_settled(2, "O s . . X .\nX X X X X .\n. . . . . .");
    assert_open([1, 2], ". v O . X .\nX X X X X .\n. . . . . .");
}

#[test]
fn what_does_not_hold_together_is_not_told() {
    // The corner stone can be cut off, and then the eye is false.
    let (_, found) = counted("s X . .\nX . . .\n. . . .");
    assert_eq!(found, None);
    let (_, found) = counted("s X . .\nX O . .\n. . . .");
    assert_eq!(found, None);
    // Two of four corners make it false.
    let (_, found) = counted(". X . .\nX s X .\n. X . .\n. . . .");
    assert_eq!(found, None);
    // A link where White may not play holds.
    assert_settled(1, "s X . .\nX . X .\n. X . .\n. . . .");
}

#[test]
fn what_is_too_large_or_open_is_not_told() {
    let size = honinbo::game::point::BoardSize::STANDARD;
    let mut board = honinbo::game::board::Board::new(size);
    assert_eq!(EyeSpace::at(&board, Point::at(3, 3)), None);
    board.place(Color::White, Point::at(9, 9));
    assert_eq!(EyeSpace::at(&board, Point::at(9, 9)), None);
    let space = EyeSpace::at(&board, Point::at(3, 3)).unwrap();
    assert_eq!(space.owner, Color::White);
    assert_eq!(
        space.points,
        *board.area() - PointSet::single(Point::at(9, 9))
    );
    let position = Position::from_board(board, Color::Black, Rules::default());
    assert_eq!(space.count_eyes(&position, NODES), None);
}

/// A space of Black's at random, and a stone of the one chain that fills the rest of the board.
fn random_space(rng: &mut Rng) -> Option<(NaiveBoard, Place, Place)> {
    let sides = [(3, 3), (4, 3), (3, 4), (5, 2)][rng.below(4)];
    let mut board = NaiveBoard::random(sides.0, sides.1, 0.5 + 0.4 * rng.unit_f64(), rng);
    let empty = board.empty();
    let inside = *empty.get(rng.below(empty.len().max(1)))?;
    let space = board.flood(inside, |place| board.at(place) != Some(Color::Black));
    for place in board.places() {
        if !space.contains(&place) {
            board.set(place, Some(Color::Black));
        }
    }
    let wall = *board.stones(Color::Black).first()?;
    let chain = board.chain(wall);
    let is_one = chain.stones.len() == board.stones(Color::Black).len();
    (is_one && !chain.liberties.is_empty()).then_some((board, inside, wall))
}

/// A chain with no liberty but those of a space is never taken if there are two eyes in it; and if it is taken there are
/// not.
#[test]
fn two_eyes_agree_with_exhaustive_search() {
    let mut rng = Rng::new(86);
    let (mut lived, mut taken) = (0, 0);
    while lived < 60 || taken < 60 {
        let Some((board, inside, wall)) = random_space(&mut rng) else {
            continue;
        };
        let stones = set_up(&board);
        let space = EyeSpace::at(&stones, point(inside)).filter(|it| it.owner == Color::Black);
        let position = Position::from_board(stones, Color::Black, Rules::default());
        let Some(eyes) = space.and_then(|space| space.count_eyes(&position, NODES)) else {
            continue;
        };
        assert!(eyes.min <= eyes.max, "{board:?}");
        for (first, eyes) in [(Color::White, eyes.min), (Color::Black, eyes.max)] {
            let is_taken = |free| {
                let goal = Goal::Capture(wall);
                let mut search = Exhaustive::new(goal, Color::White, Some(free), 300_000);
                search.is_reached(&board, first, None, 9)
            };
            if eyes == 2 {
                // What the naive search does not finish says nothing.
                if let Ok(taken) = is_taken(Color::White) {
                    lived += 1;
                    assert!(!taken, "{first} {board:?}");
                }
            } else if is_taken(Color::Black).unwrap_or(false) {
                taken += 1;
            }
        }
    }
}
