//! Number of eyes in textbook shapes. Black's space contains the point marked `s` or `v`; `v` is the vital point.

use honinbo::game::color::Color;
use honinbo::game::diagram::Diagram;
use honinbo::game::point::{Move, Point};
use honinbo::game::pointset::PointSet;
use honinbo::game::position::Position;
use honinbo::game::rules::Rules;
use honinbo::random::Rng;
use honinbo::tactics::life::eye_space::{EyeCount, EyeSpace};

use crate::naive::bridge::{point, set_up};
use crate::naive::{NaiveBoard, Place};
use crate::tactics::exhaustive::{Exhaustive, Goal};

const NODES: u64 = 100_000;

fn count_eyes(text: &str) -> (Diagram, Option<EyeCount>) {
    let diagram = Diagram::parse(text).unwrap();
    let board = diagram.to_board().unwrap();
    let named = diagram.points_with_label('s') | diagram.points_with_label('v');
    let space = EyeSpace::at(&board, named.first().unwrap()).unwrap();
    assert_eq!(space.owner, Color::Black, "{text}");
    let position = Position::from_board(board, Color::Black, Rules::default());
    let eyes = space.count_eyes(&position, NODES);
    (diagram, eyes)
}

fn assert_settled(eyes: u8, text: &str) {
    let (_, found) = count_eyes(text);
    let expected = EyeCount {
        min: eyes,
        max: eyes,
        vital_moves: None,
    };
    assert_eq!(found, Some(expected), "{text}");
}

fn assert_depends_on_first_move([min, max]: [u8; 2], text: &str) {
    let (diagram, found) = count_eyes(text);
    let vital = Move::Play(diagram.points_with_label('v').only().unwrap());
    let expected = EyeCount {
        min,
        max,
        vital_moves: Some([vital; 2]),
    };
    assert_eq!(found, Some(expected), "{text}");
}

#[test]
fn small_spaces_have_known_eyes() {
    assert_settled(1, "s X . .\nX X . .\n. . . .");
    assert_settled(1, "s . X .\nX X X .\n. . . .");
    assert_depends_on_first_move([1, 2], ". v . X .\nX X X X .\n. . . . .");
    assert_settled(2, "s . . . X .\nX X X X X .\n. . . . . .");
    assert_settled(1, "s . X .\n. . X .\nX X X .\n. . . .");
    assert_depends_on_first_move([1, 2], "v . X .\n. X X .\nX X . .\n. . . .");
}

#[test]
fn larger_shapes_have_vital_points() {
    // The pyramid, the bulky five and the crossed five.
    assert_depends_on_first_move([1, 2], ". v . X .\nX . X X .\nX X X . .");
    assert_depends_on_first_move([1, 2], ". . X .\nv . X .\n. X X .\nX X . .");
    assert_depends_on_first_move(
        [1, 2],
        ". X X X .\nX X . X X\nX . v . X\nX X . X X\n. X X X .",
    );
}

#[test]
fn inner_stones_change_eye_count() {
    // A stone on the vital point, and two stones that fill all but one point.
    assert_settled(1, "s O . X .\nX X X X .\n. . . . .");
    assert_settled(1, "s O O X .\nX X X X .\n. . . . .");
    // A line of four with a stone at its end has two eyes. With a stone in the middle, the other middle point is
    // vital.
    assert_settled(2, "O s . . X .\nX X X X X .\n. . . . . .");
    assert_depends_on_first_move([1, 2], ". v O . X .\nX X X X X .\n. . . . . .");
}

#[test]
fn disconnected_surroundings_give_no_count() {
    // The corner stone can be cut off, which makes the eye false.
    let (_, found) = count_eyes("s X . .\nX . . .\n. . . .");
    assert_eq!(found, None);
    let (_, found) = count_eyes("s X . .\nX O . .\n. . . .");
    assert_eq!(found, None);
    // The eye is false because the opponent can take two of the four diagonal points.
    let (_, found) = count_eyes(". X . .\nX s X .\n. X . .\n. . . .");
    assert_eq!(found, None);
    // A link at a point where White may not play is safe.
    assert_settled(1, "s X . .\nX . X .\n. X . .\n. . . .");
}

#[test]
fn large_or_open_spaces_give_no_count() {
    let size = honinbo::game::point::BoardSize::STANDARD;
    let mut board = honinbo::game::board::Board::new(size);
    assert_eq!(EyeSpace::at(&board, Point::at(3, 3)), None);
    board.place(Color::White, Point::at(9, 9));
    assert_eq!(EyeSpace::at(&board, Point::at(9, 9)), None);
    let space = EyeSpace::at(&board, Point::at(3, 3)).unwrap();
    assert_eq!(space.owner, Color::White);
    assert_eq!(
        space.points,
        *board.all_points() - PointSet::single(Point::at(9, 9))
    );
    let position = Position::from_board(board, Color::Black, Rules::default());
    assert_eq!(space.count_eyes(&position, NODES), None);
}

/// Returns a random space of Black's and a stone of the single chain that fills the rest of the board.
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

/// A chain with liberties only in a space is never captured if the space has two eyes.
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
            let is_taken = |ko_immune| {
                let goal = Goal::Capture(wall);
                let mut search = Exhaustive::new(goal, Color::White, Some(ko_immune), 300_000);
                search.is_reached(&board, first, None, 9)
            };
            if eyes == 2 {
                // An unfinished exhaustive search proves nothing.
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
