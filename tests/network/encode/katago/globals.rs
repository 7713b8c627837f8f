//! Global features of KataGo's inputs under each rule set, compared with values computed by hand.

use honinbo::encode::katago::KataInputVersion::{self, V3, V5, V6, V7};
use honinbo::game::color::Color::White;
use honinbo::game::point::BoardSize;
use honinbo::game::position::Position;
use honinbo::game::rules::Komi;
use honinbo::game::symmetry::Symmetry;

use super::{KataOptions, encode, global, played, rules};

#[track_caller]
fn assert_near(found: f32, expected: f32) {
    assert!(
        (found - expected).abs() < 1e-6,
        "expected {expected}, found {found}"
    );
}

#[test]
fn rule_flags_of_each_rule_set() {
    // Order of the flags: superko, kind of superko, suicide, territory, tax, group tax, button.
    for (name, flags) in [
        ("chinese", [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]),
        ("chinese-ogs", [1.0, 0.5, 0.0, 0.0, 0.0, 0.0, 0.0]),
        ("chinese-kgs", [1.0, 0.5, 0.0, 0.0, 0.0, 0.0, 0.0]),
        ("japanese", [0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0]),
        ("korean", [0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0]),
        ("stone-scoring", [0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0]),
        ("tromp-taylor", [1.0, 0.5, 1.0, 0.0, 0.0, 0.0, 0.0]),
        ("cgos", [1.0, 0.5, 0.0, 0.0, 0.0, 0.0, 0.0]),
        ("aga", [1.0, -0.5, 0.0, 0.0, 0.0, 0.0, 0.0]),
        ("bga", [1.0, -0.5, 0.0, 0.0, 0.0, 0.0, 0.0]),
        ("new-zealand", [1.0, -0.5, 1.0, 0.0, 0.0, 0.0, 0.0]),
        ("aga-button", [1.0, -0.5, 0.0, 0.0, 0.0, 0.0, 1.0]),
    ] {
        let position = played(5, rules(name), "C3");
        let globals = |inputs: KataInputVersion| {
            encode(
                inputs,
                &position,
                Symmetry::IDENTITY,
                KataOptions::default(),
            )
            .1
        };
        let found = globals(V7);
        assert_eq!(found[6..12], flags[..6], "{name}");
        assert_eq!(found[17], flags[6], "{name}");
        // Features of the clean-up phases and of unequal playouts are zero.
        assert_eq!(found[12..14], [0.0, 0.0]);
        assert_eq!(found[15..17], [0.0, 0.0]);
        assert_eq!(globals(V6)[6..12], flags[..6], "{name}");
        for inputs in [V3, V5] {
            assert_eq!(globals(inputs)[6..10], flags[..4], "{name}");
            assert_eq!(globals(inputs)[10..12], [0.0, 0.0]);
        }
    }
}

#[test]
fn komi_is_from_side_to_move() {
    let black = played(5, rules("chinese"), "");
    let white = played(5, rules("chinese"), "C3");
    for (inputs, unit) in [(V3, 15.0), (V5, 15.0), (V6, 20.0), (V7, 20.0)] {
        assert_near(global(inputs, &black, "komi"), -7.5 / unit);
        assert_near(global(inputs, &white, "komi"), 7.5 / unit);
    }
}

#[test]
fn komi_includes_handicap_bonus_and_button() {
    for (name, bonus) in [("chinese", 4.0), ("aga", 3.0), ("tromp-taylor", 0.0)] {
        let mut position = played(5, rules(name), "C3");
        position.set_handicap(4);
        assert_near(global(V7, &position, "komi"), (7.5 + bonus) / 20.0);
    }
    // White's pass takes the button, worth half a point.
    let position = played(5, rules("aga-button"), "C3 pass");
    assert_near(global(V7, &position, "komi"), -7.5 / 20.0);
    let position = played(5, rules("aga-button"), "pass");
    assert_near(global(V7, &position, "komi"), 6.5 / 20.0);
}

#[test]
fn surplus_stones_count_under_territory_scoring() {
    for name in ["japanese", "korean"] {
        assert_near(global(V7, &played(5, rules(name), ""), "komi"), -6.5 / 20.0);
        assert_near(
            global(V7, &played(5, rules(name), "C3"), "komi"),
            7.5 / 20.0,
        );
        // Two stones of each colour have been played. One of Black's has been captured.
        let even = played(5, rules(name), "A1 B1 C5 A2");
        assert_eq!(even.board().occupied_points().len(), 3);
        assert_near(global(V7, &even, "komi"), -6.5 / 20.0);
        let ahead = played(5, rules(name), "A1 pass B1 pass C5");
        assert_near(global(V3, &ahead, "komi"), 9.5 / 15.0);
    }
}

#[test]
fn komi_is_clamped_to_board_area() {
    let size = BoardSize::new(5, 4).unwrap();
    let mut rules = rules("chinese");
    rules = rules.with_komi(Komi::from_points(300.0).unwrap());
    let mut position = Position::new(size, rules);
    for (inputs, max_komi) in [(V3, 21.0 / 15.0), (V6, 21.0 / 20.0), (V7, 40.0 / 20.0)] {
        position.set_to_move(White);
        assert_near(global(inputs, &position, "komi"), max_komi);
        position.set_to_move(White.opposite());
        assert_near(global(inputs, &position, "komi"), -max_komi);
    }
}

#[test]
fn komi_parity_wave() {
    let wave = |width, height, komi: f64, name| {
        let size = BoardSize::new(width, height).unwrap();
        let rules = rules(name).with_komi(Komi::from_points(komi).unwrap());
        let mut position = Position::new(size, rules);
        let black = global(V7, &position, "komi_parity");
        position.set_to_move(White);
        (black, global(V7, &position, "komi_parity"))
    };
    // On a board with an odd area a draw needs an odd komi. The wave is zero at 7 (rising) and at 6 (falling).
    assert_eq!(wave(5, 5, 7.0, "chinese"), (0.0, 0.0));
    assert_eq!(wave(5, 5, 7.5, "chinese"), (-0.5, 0.5));
    assert_eq!(wave(5, 5, 6.5, "chinese"), (0.5, -0.5));
    assert_eq!(wave(5, 5, 6.0, "chinese"), (0.0, 0.0));
    assert_eq!(wave(6, 5, 7.5, "aga"), (0.5, -0.5));
    assert_eq!(wave(6, 5, 6.5, "aga"), (-0.5, 0.5));
    assert_eq!(wave(6, 5, 6.5, "japanese"), (0.0, 0.0));
}
