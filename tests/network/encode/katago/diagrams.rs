//! Planes of KataGo's inputs in hand-made positions.

use honinbo::encode::katago::KataInputVersion::{self, V3, V4, V5, V6, V7};
use honinbo::encode::katago::KataOptions;
use honinbo::game::color::Color::{Black, White};
use honinbo::game::point::Point;
use honinbo::game::position::{MoveError, Position};
use honinbo::game::rules::{KoRule, Rules, Tax};

use super::{check, drawn, play, points, points_with, rules};

const WITH_LADDERS: [KataInputVersion; 4] = [V3, V4, V6, V7];

#[test]
fn versions_have_documented_planes() {
    let names =
        |inputs: KataInputVersion| -> Vec<&str> { inputs.planes().map(|p| p.name).collect() };
    for (inputs, planes, globals) in [
        (V3, 22, 14),
        (V4, 22, 14),
        (V5, 13, 12),
        (V6, 22, 16),
        (V7, 22, 19),
    ] {
        assert_eq!(
            (inputs.plane_count(), inputs.global_count()),
            (planes, globals)
        );
    }
    assert_eq!(names(V7)[6], "ko_forbidden");
    assert_eq!(names(V7)[9..14], names(V5)[6..11]);
    assert_eq!(names(V7)[14..20], names(V3)[14..20]);
    assert_eq!(names(V5)[3], "ko_forbidden");
    assert_eq!(KataInputVersion::from_number(6), Some(V6));
    assert_eq!(KataInputVersion::from_number(8), None);
}

#[test]
fn stones_and_liberties_by_side() {
    let diagram_text = "
        . X O . .
        X X O . .
        . O . . X
        . . . . .
        O . . . .";
    for (to_move, black, white) in [(Black, "own", "opponent"), (White, "opponent", "own")] {
        let position = drawn(diagram_text, to_move, rules("chinese"));
        for inputs in KataInputVersion::ALL {
            check(
                inputs,
                &position,
                "on_board",
                "##### ##### ##### ##### #####",
            );
            check(inputs, &position, black, ".#... ##... ....# ..... .....");
            check(inputs, &position, white, "..#.. ..#.. .#... ..... #....");
        }
        for inputs in WITH_LADDERS {
            let names = ["1_liberty", "2_liberties", "3_liberties"];
            check(inputs, &position, names[0], "..... ..... ..... ..... .....");
            check(inputs, &position, names[1], ".#... ##... ..... ..... #....");
            // White's stone at B3 and its two stones at the top have three liberties, and so does Black's stone at
            // the edge.
            check(inputs, &position, names[2], "..#.. ..#.. .#..# ..... .....");
        }
    }
}

const KO: &str = "
    . X O . .
    X O . O .
    . X O . .
    . . . . .";

#[test]
fn ko_plane_only_for_banned_side() {
    for ko in [KoRule::Simple, KoRule::Positional, KoRule::Situational] {
        let rules = Rules {
            ko,
            ..rules("tromp-taylor")
        };
        let mut position = drawn(KO, Black, rules);
        play(&mut position, "C3");
        for inputs in KataInputVersion::ALL {
            check(inputs, &position, "ko_forbidden", "..... .#... ..... .....");
        }
        // If Black moves instead, there is no ko ban; KataGo then forgets the history.
        position.set_to_move(Black);
        check(V7, &position, "ko_forbidden", "..... ..... ..... .....");
        position.set_to_move(White);
        play(&mut position, "A1 E1");
        check(V7, &position, "ko_forbidden", "..... ..... ..... .....");
    }
}

#[test]
fn superko_plane_marks_repeating_suicide() {
    let mut position = drawn(
        ". O O O .
         O . . O .
         . O O O .
         . O . . .",
        Black,
        rules("tromp-taylor"),
    );
    // After B3, playing C3 would remove both stones and repeat the board on which Black played B3.
    play(&mut position, "E1 E4 B3 pass");
    for inputs in KataInputVersion::ALL {
        check(inputs, &position, "ko_forbidden", "..... ..#.. ..... .....");
    }
    // A stone in the corner would not change the board, so it is suicide.
    assert_eq!(
        position.check_legal(Point::at(0, 0)),
        Err(MoveError::Suicide)
    );
    // Under situational superko, a board with the other side to move is not a repetition.
    let mut situational = drawn(". O .\nO . O\n. O .", Black, rules("new-zealand"));
    play(&mut situational, "pass A1 pass C1");
    check(V7, &situational, "ko_forbidden", "... ... ...");
}

#[test]
fn ladder_planes_show_earlier_boards() {
    let mut position = drawn(
        ". . . . . . .
         . . X . . . .
         . X O . . . .
         . X . . . . .
         . . . . . . .
         . . . . . . .
         . . . . . . .",
        Black,
        rules("chinese"),
    );
    let stone = "....... ....... ..#.... ....... ....... ....... .......";
    let none = "....... ....... ....... ....... ....... ....... .......";
    for inputs in WITH_LADDERS {
        // Without history, the earlier boards are the same as the current one.
        for name in ["laddered", "laddered_1", "laddered_2"] {
            check(inputs, &position, name, stone);
        }
    }
    let working = points(V7, &position, "ladder_captures");
    assert!(!working.is_empty());
    // White plays a ladder breaker. The previous board still shows the ladder.
    play(&mut position, "G6 D3");
    for inputs in WITH_LADDERS {
        check(inputs, &position, "laddered", none);
        check(inputs, &position, "ladder_captures", none);
        check(inputs, &position, "laddered_1", stone);
        check(inputs, &position, "laddered_2", stone);
    }
    play(&mut position, "G4");
    for inputs in WITH_LADDERS {
        check(inputs, &position, "laddered_1", none);
        check(inputs, &position, "laddered_2", stone);
    }
    // A move out of turn clears the history.
    play(&mut position, "=D1");
    check(V7, &position, "laddered_2", none);
}

#[test]
fn ladder_captures_only_for_side_to_move() {
    let diagram_text = "
        . . . . . . .
        . . X . . . .
        . X O . . . .
        . X . . . . .
        . . . . . . .
        . . . . . . .
        . . . . . . .";
    let position = drawn(diagram_text, White, rules("chinese"));
    assert_eq!(points(V7, &position, "laddered").len(), 1);
    assert!(points(V7, &position, "ladder_captures").is_empty());
}

const AREAS: &str = "
    . X . X O . .
    X X X X O . .
    . . . . O O O
    . . . . . . .
    O O O . X X X
    . O O . X . .
    O . O . X . O";

#[test]
fn areas_depend_on_version_and_rules() {
    let position = drawn(AREAS, Black, rules("chinese"));
    let black_all = "####... ####... ....... ....... ....### ....#.. ....#..";
    let white_all = "....### ....### ....### ....... ###.... ###.... ###...#";
    for inputs in [V3, V6, V7] {
        check(inputs, &position, "own_area", black_all);
        check(inputs, &position, "opponent_area", white_all);
    }
    // Two groups have two eyes each. White's right corner has one large eye, which is not pass-alive.
    let black_alive = "####... ####... ....... ....... ....... ....... .......";
    let white_alive = "....... ....... ....... ....... ###.... ###.... ###....";
    check(V4, &position, "own_area", black_alive);
    check(V4, &position, "opponent_area", white_alive);
    let japanese = drawn(AREAS, White, rules("japanese"));
    for inputs in [V3, V4] {
        check(inputs, &japanese, "opponent_area", black_alive);
        check(inputs, &japanese, "own_area", white_alive);
    }
    for inputs in [V6, V7] {
        assert!(points(inputs, &japanese, "own_area").is_empty());
        assert!(points(inputs, &japanese, "opponent_area").is_empty());
    }
}

#[test]
fn taxed_areas_exclude_eyes_in_seki() {
    let diagram_text = "
        . X . O . O .
        X X . O O O O
        X X . O O O O
        X X X X X X X
        . . . . . . .
        . . . . . . .
        . . . . . . .";
    for tax in [Tax::Seki, Tax::All] {
        let rules = Rules {
            tax,
            ..rules("chinese")
        };
        // All black points form one group that touches the neutral points in the middle; the same holds for White.
        let position = drawn(diagram_text, Black, rules);
        check(
            V7,
            &position,
            "own_area",
            ".#..... ##..... ##..... ####### ....... ....... .......",
        );
        check(
            V7,
            &position,
            "opponent_area",
            "...#.#. ...#### ...#### ....... ....... ....... .......",
        );
    }
    let untaxed = drawn(diagram_text, Black, rules("chinese"));
    check(
        V7,
        &untaxed,
        "own_area",
        "##..... ##..... ##..... ####### ####### ####### #######",
    );
}

#[test]
fn groups_in_atari_count_as_seki() {
    let diagram_text = "
        . X O . .
        X O O . .";
    let taxed = drawn(diagram_text, Black, rules("stone-scoring"));
    for inputs in [V6, V7] {
        check(inputs, &taxed, "own_area", ".#... #....");
        check(inputs, &taxed, "opponent_area", "..### .####");
    }
    check(V3, &taxed, "own_area", "##... #....");
}

#[test]
fn suicide_areas_option_is_stricter() {
    // White could empty the corner point, which is not adjacent to a black stone, only by suicide.
    let diagram_text = "
        O O . X .
        O X X X .
        . X . X .
        X X X X .
        . . . . .";
    let position = drawn(diagram_text, Black, rules("chinese"));
    let own = |suicide_areas, position: &Position| {
        let options = KataOptions { suicide_areas };
        points_with(options, V4, position, "own_area")
    };
    assert_eq!(own(false, &position).len(), 25);
    assert!(own(true, &position).is_empty());
    let suicidal = drawn(diagram_text, Black, rules("tromp-taylor"));
    assert!(own(false, &suicidal).is_empty());
}
