//! The planes and the global vector: drawn examples, a naive recomputation in random games, and the eight symmetries.

use honinbo::encode::globals::GLOBALS;
use honinbo::encode::planes::PLANES;
use honinbo::encode::{Encoder, Encoding};
use honinbo::game::color::Color;
use honinbo::game::diagram;
use honinbo::game::point::{BoardSize, Move, Point};
use honinbo::game::position::Position;
use honinbo::game::rules::{Komi, Rules};
use honinbo::game::symmetry::Symmetry;
use honinbo::rng::Rng;

fn encode(position: &Position, symmetry: Symmetry) -> (Vec<f32>, Vec<f32>) {
    let encoding = Encoding::FULL;
    let mut planes = vec![9.0; encoding.planes() * position.size().area()];
    let mut globals = vec![9.0; encoding.globals()];
    Encoder::new().encode(encoding, position, symmetry, &mut planes, &mut globals);
    (planes, globals)
}

fn plane(position: &Position, name: &str) -> Vec<f32> {
    let index = PLANES
        .iter()
        .position(|plane| plane.name == name)
        .expect("a known plane");
    let area = position.size().area();
    encode(position, Symmetry::IDENTITY).0[index * area..][..area].to_vec()
}

fn global(position: &Position, name: &str) -> f32 {
    let index = GLOBALS
        .iter()
        .position(|global| global.name == name)
        .expect("a known global");
    encode(position, Symmetry::IDENTITY).1[index]
}

/// Compares a plane with a drawing in which `#` stands for 1.
fn check(position: &Position, name: &str, drawing: &str) {
    let drawn: Vec<f32> = drawing
        .chars()
        .filter(|c| !c.is_whitespace())
        .map(|c| f32::from(u8::from(c == '#')))
        .collect();
    assert_eq!(plane(position, name), drawn, "{name}");
}

fn drawn(picture: &str, to_move: Color) -> Position {
    Position::from_board(
        diagram::parse(picture).expect("a drawn board"),
        to_move,
        Rules::default(),
    )
}

fn random_game(size: BoardSize, moves: usize, rng: &mut Rng) -> Position {
    let mut position = Position::new(size, Rules::named("tromp-taylor").expect("a known set"));
    for _ in 0..moves {
        let legal: Vec<Point> = position.legal_points().iter().collect();
        let mv = if legal.is_empty() || rng.chance(0.02) {
            Move::Pass
        } else {
            Move::Play(legal[rng.below(legal.len())])
        };
        position.play_legal(position.to_move(), mv);
    }
    position
}

#[test]
fn the_table_has_the_promised_order() {
    let names: Vec<&str> = Encoding::CLASSIC.plane_names().collect();
    assert_eq!(names.len(), 23);
    assert_eq!(
        (names[0], names[7], names[8], names[10]),
        ("own", "own_7", "own_1_liberty", "own_3_liberties")
    );
    assert_eq!(
        (names[11], names[18], names[21]),
        ("opponent", "opponent_7", "opponent_3_liberties")
    );
    assert_eq!(names[22], "black_to_move");
    assert_eq!(
        (Encoding::FULL.planes(), Encoding::FULL.globals()),
        (32, 13)
    );
    assert_eq!(Encoding::with_counts(23, 0), Some(Encoding::CLASSIC));
    assert_eq!(Encoding::with_counts(24, 0), None);
}

#[test]
fn stones_and_liberties_are_the_movers_and_the_opponents() {
    let picture = "
        . X O . .
        X X O . .
        . O . . X
        . . . . .
        O . . . .";
    for (to_move, own, opponent) in [
        (Color::Black, "own", "opponent"),
        (Color::White, "opponent", "own"),
    ] {
        let position = drawn(picture, to_move);
        check(&position, own, ".#... ##... ....# ..... .....");
        check(&position, opponent, "..#.. ..#.. .#... ..... #....");
        // Black's three have the liberties A5 and A3, its lone stone three.
        check(
            &position,
            &format!("{own}_2_liberties"),
            ".#... ##... ..... ..... .....",
        );
        check(
            &position,
            &format!("{own}_3_liberties"),
            "..... ..... ....# ..... .....",
        );
        check(
            &position,
            &format!("{opponent}_3_liberties"),
            "..#.. ..#.. .#... ..... .....",
        );
        check(
            &position,
            &format!("{opponent}_2_liberties"),
            "..... ..... ..... ..... #....",
        );
        let sign = if to_move == Color::Black { 1.0 } else { -1.0 };
        assert!(plane(&position, "black_to_move").iter().all(|&x| x == sign));
        assert!(plane(&position, "on_board").iter().all(|&x| x == 1.0));
    }
}

#[test]
fn history_shows_the_board_as_it_stood() {
    let size = BoardSize::new(3, 3).unwrap();
    let mut position = Position::new(size, Rules::default());
    for vertex in ["A3", "B3", "C3", "A2"] {
        let mv = size.parse_move(vertex).unwrap();
        position.play(position.to_move(), mv).unwrap();
    }
    // White's last move took the stone at A3. Black is to move.
    check(&position, "own", "..# ... ...");
    check(&position, "own_1", "#.# ... ...");
    check(&position, "own_2", "#.. ... ...");
    check(&position, "own_3", "#.. ... ...");
    check(&position, "own_4", "... ... ...");
    check(&position, "own_7", "... ... ...");
    check(&position, "opponent", ".#. #.. ...");
    check(&position, "opponent_1", ".#. ... ...");
    check(&position, "opponent_3", "... ... ...");
}

#[test]
fn ko_and_life_are_shown() {
    let mut ko = drawn(
        "
        . X O . .
        X . X O .
        . X O . .
        . . . . .",
        Color::White,
    );
    // White takes at B3 and Black may not take back at C3.
    ko.play(Color::White, Move::Play(Point::at(1, 1))).unwrap();
    check(&ko, "ko_forbidden", "..... ..#.. ..... .....");

    let life = drawn(
        "
        . X . X O .
        X X X X O O
        O O O O . .",
        Color::White,
    );
    check(&life, "opponent_pass_alive", "####.. ####.. ......");
    check(&life, "own_pass_alive", "...... ...... ......");
}

#[test]
fn a_ladder_and_its_starting_move_are_shown() {
    let ladder = "
        . . . . . . .
        . . . . . * .
        . . X . . . .
        . . X O . . .
        . . . X . . .
        . . . . . . .
        . . . . . . .";
    let running = drawn(&ladder.replace('*', "."), Color::Black);
    // Black drives the stone up to the edge by starting on its right; from above it would get three liberties.
    check(
        &running,
        "opponent_laddered",
        "....... ....... ....... ...#... ....... ....... .......",
    );
    check(
        &running,
        "ladder_captures",
        "....... ....... ....... ....#.. ....... ....... .......",
    );
    // With White to move the stone is as much in a ladder, but there is no move for White to mark.
    let waiting = drawn(&ladder.replace('*', "."), Color::White);
    check(
        &waiting,
        "own_laddered",
        "....... ....... ....... ...#... ....... ....... .......",
    );
    assert!(plane(&waiting, "ladder_captures").iter().all(|&x| x == 0.0));
    let broken = drawn(&ladder.replace('*', "O"), Color::Black);
    assert!(
        plane(&broken, "opponent_laddered")
            .iter()
            .all(|&x| x == 0.0)
    );
    assert!(plane(&broken, "ladder_captures").iter().all(|&x| x == 0.0));
}

#[test]
fn moves_that_leave_few_liberties_are_marked() {
    let position = drawn(
        "
        . O .
        O . .
        . . .",
        Color::Black,
    );
    // A3 would be suicide; B2 has two liberties left, as have C3's neighbours' corners.
    check(&position, "moves_leaving_1_liberty", "..# ... #..");
    check(&position, "moves_leaving_2_liberties", "... .#. ..#");
}

#[test]
fn globals_tell_komi_rules_and_passes() {
    let size = BoardSize::new(9, 13).unwrap();
    let rules = Rules::named("japanese")
        .unwrap()
        .with_komi(Komi::from_half_points(13));
    let mut position = Position::new(size, rules);
    assert!(
        (global(&position, "komi") + 6.5 / 20.0).abs() < 1e-6,
        "komi is against Black"
    );
    assert_eq!(
        (
            global(&position, "territory"),
            global(&position, "tax_seki")
        ),
        (1.0, 1.0)
    );
    assert_eq!(global(&position, "komi_parity"), 0.0);
    position.play(Color::Black, Move::Pass).unwrap();
    assert!(
        (global(&position, "komi") - 6.5 / 20.0).abs() < 1e-6,
        "and for White"
    );
    assert_eq!(
        (
            global(&position, "pass_last"),
            global(&position, "pass_before")
        ),
        (1.0, 0.0)
    );
    assert!((global(&position, "width") - 9.0 / 19.0).abs() < 1e-6);
    assert!((global(&position, "height") - 13.0 / 19.0).abs() < 1e-6);
    let superko = Position::new(size, Rules::named("aga").unwrap());
    assert_eq!(
        (
            global(&superko, "ko_positional"),
            global(&superko, "ko_situational")
        ),
        (0.0, 1.0)
    );
}

#[test]
fn komi_parity_peaks_half_a_point_from_a_draw() {
    // On an odd board the difference is odd: with komi 7 a draw is possible, with 7.5 White has half a point to spare.
    let parity = |half_points: i16| {
        let rules = Rules::named("tromp-taylor")
            .unwrap()
            .with_komi(Komi::from_half_points(half_points));
        let mut position = Position::new(BoardSize::STANDARD, rules);
        position.set_to_move(Color::White);
        global(&position, "komi_parity")
    };
    assert_eq!(
        [parity(14), parity(15), parity(16), parity(17), parity(18)],
        [0.0, 0.5, 0.0, -0.5, 0.0]
    );
}

/// Liberties of the chain at `(column, row)` by flood fill over a plain grid.
fn naive_liberties(position: &Position, start: Point) -> usize {
    let size = position.size();
    let color = position.board().color_at(start);
    let (mut chain, mut liberties, mut next) = (vec![start], Vec::new(), 0);
    while next < chain.len() {
        let at = chain[next];
        next += 1;
        for (dc, dr) in [(1, 0), (-1, 0), (0, 1), (0, -1)] {
            let column = at.column().checked_add_signed(dc);
            let row = at.row().checked_add_signed(dr);
            let Some(point) = column.zip(row).and_then(|(c, r)| size.point(c, r)) else {
                continue;
            };
            match position.board().color_at(point) {
                None if !liberties.contains(&point) => liberties.push(point),
                other if other.is_some() && other == color && !chain.contains(&point) => {
                    chain.push(point)
                }
                _ => {}
            }
        }
    }
    liberties.len()
}

#[test]
fn the_classic_planes_agree_with_a_naive_recomputation() {
    let mut rng = Rng::new(11);
    for _ in 0..30 {
        let size = BoardSize::new(2 + rng.below(18), 2 + rng.below(18)).unwrap();
        let mut position = Position::new(size, Rules::default());
        let mut boards = vec![position.board().clone()];
        for _ in 0..60 {
            let legal: Vec<Point> = position.legal_points().iter().collect();
            let mv = if legal.is_empty() {
                Move::Pass
            } else {
                Move::Play(legal[rng.below(legal.len())])
            };
            position.play_legal(position.to_move(), mv);
            boards.insert(0, position.board().clone());
            let (planes, _) = encode(&position, Symmetry::IDENTITY);
            let own = position.to_move();
            for (group, color) in [(0, own), (11, own.opposite())] {
                for back in 0..8 {
                    for (i, point) in size.points().enumerate() {
                        let stone = boards
                            .get(back)
                            .is_some_and(|board| board.color_at(point) == Some(color));
                        let expected = f32::from(u8::from(stone));
                        assert_eq!(
                            planes[(group + back) * size.area() + i],
                            expected,
                            "{back} moves ago"
                        );
                    }
                }
                for (i, point) in size.points().enumerate() {
                    let has_stone = position.board().color_at(point) == Some(color);
                    let liberties = if has_stone {
                        naive_liberties(&position, point)
                    } else {
                        0
                    };
                    for count in 1..=3 {
                        let expected = f32::from(u8::from(liberties == count));
                        assert_eq!(
                            planes[(group + 7 + count) * size.area() + i],
                            expected,
                            "{count} liberties"
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn every_plane_turns_with_the_board() {
    let mut rng = Rng::new(12);
    for round in 0..40 {
        let size = if round % 2 == 0 {
            BoardSize::new(7, 7)
        } else {
            BoardSize::new(9, 6)
        }
        .unwrap();
        let position = random_game(size, 20 + rng.below(40), &mut rng);
        let (planes, globals) = encode(&position, Symmetry::IDENTITY);
        for symmetry in Symmetry::of(size) {
            let (turned, same_globals) = encode(&position, symmetry);
            assert_eq!(globals, same_globals);
            for (index, plane) in PLANES.iter().enumerate() {
                for (i, point) in size.points().enumerate() {
                    let image = size.index(symmetry.point(size, point));
                    let (before, after) = (
                        planes[index * size.area() + i],
                        turned[index * size.area() + image],
                    );
                    assert_eq!(before, after, "{} through {symmetry:?}", plane.name);
                }
            }
        }
    }
}

#[test]
fn a_game_played_turned_gives_the_turned_planes() {
    // Unlike the test above this turns the game itself, so that the facts are worked out on the turned board.
    let mut rng = Rng::new(13);
    for symmetry in Symmetry::ALL {
        let size = BoardSize::new(8, 8).unwrap();
        let rules = Rules::named("tromp-taylor").unwrap();
        let (mut straight, mut turned) = (Position::new(size, rules), Position::new(size, rules));
        for _ in 0..70 {
            let legal: Vec<Point> = straight.legal_points().iter().collect();
            let Some(&point) = legal.get(rng.below(legal.len().max(1))) else {
                break;
            };
            straight.play_legal(straight.to_move(), Move::Play(point));
            let image = symmetry.point(size, point);
            turned
                .play(turned.to_move(), Move::Play(image))
                .expect("legality turns with the board");
            assert_eq!(
                encode(&straight, symmetry).0,
                encode(&turned, Symmetry::IDENTITY).0,
                "{symmetry:?}"
            );
        }
    }
}
