//! Visible history in KataGo's inputs, and whether a pass ends the game.

use honinbo::encode::katago::KataInputVersion::{self, V3, V4, V5, V6, V7};
use honinbo::encode::katago::history::VisibleHistory;
use honinbo::game::color::Color::Black;
use honinbo::game::position::Position;

use super::{drawn, global, play, played, points, rules};

const OLDER: [KataInputVersion; 3] = [V3, V4, V5];
const NEWER: [KataInputVersion; 2] = [V6, V7];

/// Formats the visible moves, most recent first: vertices, `pass`, or `-` for a hidden move.
fn visible_moves(inputs: KataInputVersion, position: &Position) -> String {
    let moves: Vec<String> = (0..5)
        .map(|moves_ago| {
            let suffix = match moves_ago {
                0 => String::new(),
                _ => format!("_{moves_ago}"),
            };
            let stone = points(inputs, position, &format!("last_move{suffix}"));
            let pass = global(inputs, position, &format!("pass{suffix}"));
            match stone.only() {
                Some(point) => position.size().vertex(point),
                None if pass == 1.0 => "pass".to_owned(),
                None => "-".to_owned(),
            }
        })
        .collect();
    moves.join(" ")
}

fn pass_would_end_game(inputs: KataInputVersion, position: &Position) -> bool {
    VisibleHistory::new(inputs, position).pass_would_end_game()
}

#[test]
fn shows_five_moves_and_passes() {
    let mut position = played(5, rules("tromp-taylor"), "");
    assert_eq!(visible_moves(V7, &position), "- - - - -");
    play(&mut position, "A1 B1 pass D1");
    for inputs in KataInputVersion::ALL {
        assert_eq!(visible_moves(inputs, &position), "D1 pass B1 A1 -");
        assert!(!pass_would_end_game(inputs, &position));
    }
    play(&mut position, "E1 A5 B5");
    for inputs in KataInputVersion::ALL {
        assert_eq!(visible_moves(inputs, &position), "B5 A5 E1 D1 pass");
    }
}

#[test]
fn shows_only_alternating_moves() {
    let mut position = played(5, rules("chinese"), "A1 B1 =C1");
    for inputs in KataInputVersion::ALL {
        assert_eq!(visible_moves(inputs, &position), "C1 - - - -");
    }
    play(&mut position, "D1");
    for inputs in KataInputVersion::ALL {
        assert_eq!(visible_moves(inputs, &position), "D1 C1 - - -");
    }
    position.set_to_move(Black);
    for inputs in KataInputVersion::ALL {
        assert_eq!(visible_moves(inputs, &position), "- - - - -");
    }
}

#[test]
fn friendly_pass_hides_history() {
    let moves = "C3 D4 A1 pass";
    for inputs in KataInputVersion::ALL {
        for friendly in ["chinese", "aga", "new-zealand"] {
            let position = played(5, rules(friendly), moves);
            assert_eq!(visible_moves(inputs, &position), "- - - - -", "{friendly}");
            assert!(!pass_would_end_game(inputs, &position));
        }
        for strict in ["tromp-taylor", "japanese", "cgos"] {
            let position = played(5, rules(strict), moves);
            assert_eq!(
                visible_moves(inputs, &position),
                "pass A1 D4 C3 -",
                "{strict}"
            );
            assert!(pass_would_end_game(inputs, &position));
        }
    }
}

#[test]
fn ended_game_shows_only_last_pass() {
    for name in ["chinese", "japanese", "tromp-taylor"] {
        let position = played(5, rules(name), "C3 D4 pass pass");
        for inputs in OLDER {
            assert_eq!(visible_moves(inputs, &position), "- - - - -", "{name}");
            assert!(!pass_would_end_game(inputs, &position));
        }
        for inputs in NEWER {
            assert_eq!(visible_moves(inputs, &position), "pass - - - -", "{name}");
            assert!(pass_would_end_game(inputs, &position));
        }
    }
}

#[test]
fn resumed_game_shows_moves_since_end() {
    let position = played(5, rules("chinese"), "C3 D4 pass pass E5 A1");
    for inputs in OLDER {
        assert_eq!(visible_moves(inputs, &position), "A1 E5 pass pass D4");
    }
    for inputs in NEWER {
        assert_eq!(visible_moves(inputs, &position), "A1 E5 pass - -");
    }
}

#[test]
fn button_pass_does_not_end_game() {
    let button = rules("aga-button");
    let mut position = played(5, button, "C3 D4");
    assert_eq!(global(V7, &position, "button"), 1.0);
    play(&mut position, "pass");
    assert_eq!(global(V7, &position, "button"), 0.0);
    assert_eq!(visible_moves(V7, &position), "pass D4 C3 - -");
    assert!(!pass_would_end_game(V7, &position));
    // The second pass could be followed by a third, which would end the game.
    assert_eq!(
        visible_moves(V7, &played(5, button, "C3 D4 pass pass")),
        "- - - - -"
    );
    assert_eq!(
        visible_moves(V7, &played(5, button, "C3 D4 pass pass A1")),
        "A1 pass pass D4 C3"
    );
    assert_eq!(
        visible_moves(V7, &played(5, button, "C3 pass pass pass A1")),
        "A1 pass - - -"
    );
}

/// Three kos, each captured once per side and cycle. After two cycles the first situation has occurred three times.
const KOS: &str = "
    . X O . . X O . . X O .
    X O . O X . X O X O . O
    . X O . . X O . . X O .
    . . . . . . . . . . . .";
const CYCLE: &str = "C3 F3 L3 B3 G3 K3 ";

#[test]
fn third_repetition_ends_game_without_superko() {
    let after = |cycles, name| {
        let mut position = drawn(KOS, Black, rules(name));
        for mv in CYCLE.repeat(cycles).split_whitespace() {
            let mv = position.size().parse_move(mv).unwrap();
            position.play_unchecked(position.to_move(), mv);
        }
        position
    };
    for name in ["chinese", "japanese"] {
        assert_eq!(visible_moves(V7, &after(1, name)), "K3 G3 B3 L3 F3");
        assert_eq!(visible_moves(V7, &after(2, name)), "K3 - - - -");
        assert_eq!(visible_moves(V3, &after(2, name)), "- - - - -");
    }
    assert_eq!(visible_moves(V7, &after(2, "aga")), "K3 G3 B3 L3 F3");
}

#[test]
fn second_pass_in_situation_ends_game() {
    // After two passes and one cycle, Black is to move in the same situation in which Black passed.
    let mut position = drawn(KOS, Black, rules("japanese"));
    play(&mut position, &format!("pass pass {CYCLE}"));
    for inputs in [V3, V7] {
        assert!(pass_would_end_game(inputs, &position), "{inputs:?}");
    }
    play(&mut position, "pass");
    assert_eq!(visible_moves(V7, &position), "pass - - - -");
}
