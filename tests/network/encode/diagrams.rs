//! Input planes and globals of hand-made positions.

use honinbo::encode::Encoding;
use honinbo::encode::globals::GLOBALS;
use honinbo::encode::planes::PLANES;
use honinbo::game::color::Color;
use honinbo::game::diagram;
use honinbo::game::point::{BoardSize, Move, Point};
use honinbo::game::position::Position;
use honinbo::game::record::Record;
use honinbo::game::rules::{Komi, Rules};
use honinbo::game::symmetry::Symmetry;

use crate::encode::{encode, marked_points};

fn plane(position: &Position, name: &str) -> Vec<f32> {
    let index = PLANES.iter().position(|plane| plane.name == name);
    let area = position.size().area();
    let start = index.expect("a known plane") * area;
    encode(position, Symmetry::IDENTITY).0[start..][..area].to_vec()
}

fn global(position: &Position, name: &str) -> f32 {
    let index = GLOBALS.iter().position(|global| global.name == name);
    encode(position, Symmetry::IDENTITY).1[index.expect("a known global")]
}

/// Compares a plane with a diagram in which `#` means 1.
fn check(position: &Position, name: &str, expected_plane: &str) {
    let marked = marked_points(position.size(), expected_plane);
    let points = position.size().points();
    let expected = points.map(|point| f32::from(u8::from(marked.contains(point))));
    assert_eq!(
        plane(position, name),
        expected.collect::<Vec<_>>(),
        "{name}"
    );
}

fn drawn(diagram_text: &str, to_move: Color) -> Position {
    let board = diagram::parse_board(diagram_text).expect("a drawn board");
    Position::from_board(board, to_move, Rules::default())
}

#[test]
fn planes_have_documented_order() {
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
        (Encoding::FULL.plane_count(), Encoding::FULL.global_count()),
        (32, 13)
    );
    assert_eq!(Encoding::with_counts(23, 0), Some(Encoding::CLASSIC));
    assert_eq!(Encoding::with_counts(24, 0), None);
}

#[test]
fn stones_and_liberties_by_side() {
    let diagram_text = "
        . X O . .
        X X O . .
        . O . . X
        . . . . .
        O . . . .";
    for (to_move, own, opponent) in [
        (Color::Black, "own", "opponent"),
        (Color::White, "opponent", "own"),
    ] {
        let position = drawn(diagram_text, to_move);
        check(&position, own, ".#... ##... ....# ..... .....");
        check(&position, opponent, "..#.. ..#.. .#... ..... #....");
        // Black's three stones have the liberties A5 and A3; the single stone has three liberties.
        let check_liberties = |side, count, expected| {
            check(&position, &format!("{side}_{count}_liberties"), expected);
        };
        check_liberties(own, 2, ".#... ##... ..... ..... .....");
        check_liberties(own, 3, "..... ..... ....# ..... .....");
        check_liberties(opponent, 3, "..#.. ..#.. .#... ..... .....");
        check_liberties(opponent, 2, "..... ..... ..... ..... #....");
        let sign = if to_move == Color::Black { 1.0 } else { -1.0 };
        assert!(plane(&position, "black_to_move").iter().all(|&x| x == sign));
        assert!(plane(&position, "on_board").iter().all(|&x| x == 1.0));
    }
}

#[test]
fn history_planes_show_earlier_boards() {
    let size = BoardSize::new(3, 3).unwrap();
    let mut position = Position::new(size, Rules::default());
    for vertex in ["A3", "B3", "C3", "A2"] {
        let mv = size.parse_move(vertex).unwrap();
        position.play(position.to_move(), mv).unwrap();
    }
    // White's last move captured A3. Black is to move.
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
fn ko_and_pass_alive_planes() {
    let mut ko = drawn(
        "
        . X O . .
        X . X O .
        . X O . .
        . . . . .",
        Color::White,
    );
    // White captures at B3, and Black may not retake at C3.
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
fn ladder_planes_mark_stones_and_moves() {
    let ladder = "
        . . . . . . .
        . . . . . * .
        . . X . . . .
        . . X O . . .
        . . . X . . .
        . . . . . . .
        . . . . . . .";
    let running = drawn(&ladder.replace('*', "."), Color::Black);
    // Black starts the ladder on the right of the stone. Starting above it would leave three liberties.
    let stone = "....... ....... ....... ...#... ....... ....... .......";
    let none = "....... ....... ....... ....... ....... ....... .......";
    let capture = "....... ....... ....... ....#.. ....... ....... .......";
    check(&running, "opponent_laddered", stone);
    check(&running, "ladder_captures", capture);
    // With White to move the stone is still captured by the ladder, but White has no move to mark.
    let waiting = drawn(&ladder.replace('*', "."), Color::White);
    check(&waiting, "own_laddered", stone);
    check(&waiting, "ladder_captures", none);
    let broken = drawn(&ladder.replace('*', "O"), Color::Black);
    check(&broken, "opponent_laddered", none);
    check(&broken, "ladder_captures", none);
}

#[test]
fn liberties_after_move_planes() {
    let position = drawn(
        "
        . O .
        O . .
        . . .",
        Color::Black,
    );
    // A3 would be suicide. B2 and C1 have two liberties, C3 and A1 have one.
    check(&position, "moves_leaving_1_liberty", "..# ... #..");
    check(&position, "moves_leaving_2_liberties", "... .#. ..#");
}

/// White's effective komi in points.
fn white_komi(position: &Position) -> f32 {
    -position
        .to_move()
        .to_perspective(20.0 * global(position, "komi"))
}

#[test]
fn surplus_stones_count_under_territory_scoring() {
    let size = BoardSize::new(9, 9).unwrap();
    let at = |vertex| Move::Play(size.parse_vertex(vertex).unwrap());
    for (name, counts) in [("japanese", 1.0), ("chinese", 0.0)] {
        let rules = Rules::parse(name).unwrap();
        let rules = rules.with_komi(Komi::from_half_points(13));
        let mut position = Position::new(size, rules);
        // Black captures White's corner stone.
        for (turn, vertex) in ["A8", "A9", "B9", "E5"].iter().enumerate() {
            assert_eq!(white_komi(&position), 6.5, "{name}, move {turn}");
            let color = [Color::Black, Color::White][turn % 2];
            position.play(color, at(vertex)).unwrap();
        }
        position.play(Color::Black, Move::Pass).unwrap();
        position.play(Color::White, at("D5")).unwrap();
        assert_eq!(white_komi(&position), 6.5 - counts, "{name}");

        let mut record = Record::new(size, rules);
        let stones = ["C3", "G7", "C7"].map(|vertex| at(vertex).point().unwrap());
        record.place_handicap(&stones).unwrap();
        let given = record.position();
        let bonus = given.white_bonus_half_points() as f32 / 2.0;
        assert_eq!(white_komi(given), bonus + 2.0 * counts, "{name}");
    }
}

#[test]
fn globals_for_komi_rules_and_passes() {
    let size = BoardSize::new(9, 13).unwrap();
    let rules = Rules::parse("japanese")
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
        (global(&position, "komi") - 5.5 / 20.0).abs() < 1e-6,
        "and for White, to whom Black has lost a move"
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
    let superko = Position::new(size, Rules::parse("aga").unwrap());
    assert_eq!(
        (
            global(&superko, "ko_positional"),
            global(&superko, "ko_situational")
        ),
        (0.0, 1.0)
    );
}

#[test]
fn komi_parity_peaks_near_draw() {
    // On a board with an odd area, the score difference is odd. A komi of 7 allows a draw. With a komi of 7.5, White wins
    // by half a point instead.
    let parity = |half_points: i16| {
        let rules = Rules::parse("tromp-taylor")
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
