//! Positions drawn by hand, plane by plane.

use honinbo::encode::katago::KataInputVersion::{self, V3, V4, V5, V6, V7};
use honinbo::encode::katago::KataOptions;
use honinbo::game::color::Color::{Black, White};
use honinbo::game::point::Point;
use honinbo::game::position::{MoveError, Position};
use honinbo::game::rules::{KoRule, Rules, Tax};

use super::{check, drawn, play, points, points_with, rules};

const WITH_LADDERS: [KataInputVersion; 4] = [V3, V4, V6, V7];

#[test]
fn the_tables_give_every_version_its_planes_in_order() {
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
fn stones_and_liberties() {
    let picture = "
        . X O . .
        X X O . .
        . O . . X
        . . . . .
        O . . . .";
    for (to_move, black, white) in [(Black, "own", "opponent"), (White, "opponent", "own")] {
        let position = drawn(picture, to_move, rules("chinese"));
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
            // White's stone at B3 and its two at the top have three, and so has Black's on the edge.
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
fn a_ko_bars_the_side_that_lost_a_stone() {
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
        // Black, given the turn, is not barred; KataGo then knows of no past.
        position.set_to_move(Black);
        check(V7, &position, "ko_forbidden", "..... ..... ..... .....");
        position.set_to_move(White);
        play(&mut position, "A1 E1");
        check(V7, &position, "ko_forbidden", "..... ..... ..... .....");
    }
}

#[test]
fn superko_bars_a_suicide_that_repeats_the_board_but_not_a_lone_one() {
    let mut position = drawn(
        ". O O O .
         O . . O .
         . O O O .
         . O . . .",
        Black,
        rules("tromp-taylor"),
    );
    // With B3 played, C3 would remove both stones and bring the board back on which Black played B3.
    play(&mut position, "E1 E4 B3 pass");
    for inputs in KataInputVersion::ALL {
        check(inputs, &position, "ko_forbidden", "..... ..#.. ..... .....");
    }
    // A stone in the corner would leave the board as it is: suicide.
    assert_eq!(position.legal(Point::at(0, 0)), Err(MoveError::Suicide));
    // What repeats an earlier board with the other side to move is no repetition under situational superko.
    let mut situational = drawn(". O .\nO . O\n. O .", Black, rules("new-zealand"));
    play(&mut situational, "pass A1 pass C1");
    check(V7, &situational, "ko_forbidden", "... ... ...");
}

#[test]
fn ladders_are_shown_now_and_as_they_were() {
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
        // Before there is a past the earlier boards are the present one.
        for name in ["laddered", "laddered_1", "laddered_2"] {
            check(inputs, &position, name, stone);
        }
    }
    let working = points(V7, &position, "ladder_captures");
    assert!(!working.is_empty());
    // White puts a stone where the ladder goes; the last board still shows it.
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
    // After a move out of turn what was before it is forgotten.
    play(&mut position, "=D1");
    check(V7, &position, "laddered_2", none);
}

#[test]
fn ladder_captures_are_the_movers_alone() {
    let picture = "
        . . . . . . .
        . . X . . . .
        . X O . . . .
        . X . . . . .
        . . . . . . .
        . . . . . . .
        . . . . . . .";
    let position = drawn(picture, White, rules("chinese"));
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
fn areas_are_what_the_version_and_the_rules_count() {
    let position = drawn(AREAS, Black, rules("chinese"));
    let black_all = "####... ####... ....... ....... ....### ....#.. ....#..";
    let white_all = "....### ....### ....### ....... ###.... ###.... ###...#";
    for inputs in [V3, V6, V7] {
        check(inputs, &position, "own_area", black_all);
        check(inputs, &position, "opponent_area", white_all);
    }
    // Two groups have two eyes each; White's corner at the right has one large one, which is not certain.
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
fn taxed_areas_leave_out_eyes_in_seki() {
    let picture = "
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
        // All of Black's is one group that touches the neutral points in the middle, and White's likewise.
        let position = drawn(picture, Black, rules);
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
    let untaxed = drawn(picture, Black, rules("chinese"));
    check(
        V7,
        &untaxed,
        "own_area",
        "##..... ##..... ##..... ####### ####### ####### #######",
    );
}

#[test]
fn groups_with_a_stone_in_atari_pass_for_seki() {
    let picture = "
        . X O . .
        X O O . .";
    let taxed = drawn(picture, Black, rules("stone-scoring"));
    for inputs in [V6, V7] {
        check(inputs, &taxed, "own_area", ".#... #....");
        check(inputs, &taxed, "opponent_area", "..### .####");
    }
    check(V3, &taxed, "own_area", "##... #....");
}

#[test]
fn a_net_may_ask_for_areas_as_under_suicide() {
    // Only by suicide could White empty the corner point, which no black stone is beside.
    let picture = "
        O O . X .
        O X X X .
        . X . X .
        X X X X .
        . . . . .";
    let position = drawn(picture, Black, rules("chinese"));
    let own = |suicide_areas, position: &Position| {
        let options = KataOptions { suicide_areas };
        points_with(options, V4, position, "own_area")
    };
    assert_eq!(own(false, &position).len(), 25);
    assert!(own(true, &position).is_empty());
    let suicidal = drawn(picture, Black, rules("tromp-taylor"));
    assert!(own(false, &suicidal).is_empty());
}
