//! What is shown of the past, and whether a pass ends play.

use honinbo::encode::katago::KataInputVersion::{self, V3, V4, V5, V6, V7};
use honinbo::encode::katago::history::VisibleHistory;
use honinbo::game::color::Color::Black;
use honinbo::game::position::Position;

use super::{drawn, global, play, played, points, rules};

const OLDER: [KataInputVersion; 3] = [V3, V4, V5];
const NEWER: [KataInputVersion; 2] = [V6, V7];

/// The moves shown, the newest first: vertices, `pass`, and `-` where none is.
fn shown(inputs: KataInputVersion, position: &Position) -> String {
    let turns: Vec<String> = (0..5)
        .map(|back| {
            let suffix = match back {
                0 => String::new(),
                _ => format!("_{back}"),
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
    turns.join(" ")
}

fn pass_ends(inputs: KataInputVersion, position: &Position) -> bool {
    VisibleHistory::new(inputs, position).pass_ends()
}

#[test]
fn five_moves_are_shown_and_passes_apart() {
    let mut position = played(5, rules("tromp-taylor"), "");
    assert_eq!(shown(V7, &position), "- - - - -");
    play(&mut position, "A1 B1 pass D1");
    for inputs in KataInputVersion::ALL {
        assert_eq!(shown(inputs, &position), "D1 pass B1 A1 -");
        assert!(!pass_ends(inputs, &position));
    }
    play(&mut position, "E1 A5 B5");
    for inputs in KataInputVersion::ALL {
        assert_eq!(shown(inputs, &position), "B5 A5 E1 D1 pass");
    }
}

#[test]
fn only_moves_in_turn_are_shown() {
    let mut position = played(5, rules("chinese"), "A1 B1 =C1");
    for inputs in KataInputVersion::ALL {
        assert_eq!(shown(inputs, &position), "C1 - - - -");
    }
    play(&mut position, "D1");
    for inputs in KataInputVersion::ALL {
        assert_eq!(shown(inputs, &position), "D1 C1 - - -");
    }
    position.set_to_move(Black);
    for inputs in KataInputVersion::ALL {
        assert_eq!(shown(inputs, &position), "- - - - -");
    }
}

#[test]
fn a_pass_hides_the_past_where_players_settle_dead_stones() {
    let moves = "C3 D4 A1 pass";
    for inputs in KataInputVersion::ALL {
        for friendly in ["chinese", "aga", "new-zealand"] {
            let position = played(5, rules(friendly), moves);
            assert_eq!(shown(inputs, &position), "- - - - -", "{friendly}");
            assert!(!pass_ends(inputs, &position));
        }
        for strict in ["tromp-taylor", "japanese", "cgos"] {
            let position = played(5, rules(strict), moves);
            assert_eq!(shown(inputs, &position), "pass A1 D4 C3 -", "{strict}");
            assert!(pass_ends(inputs, &position));
        }
    }
}

#[test]
fn an_ended_game_shows_its_last_pass_at_most() {
    for name in ["chinese", "japanese", "tromp-taylor"] {
        let position = played(5, rules(name), "C3 D4 pass pass");
        for inputs in OLDER {
            assert_eq!(shown(inputs, &position), "- - - - -", "{name}");
            assert!(!pass_ends(inputs, &position));
        }
        for inputs in NEWER {
            assert_eq!(shown(inputs, &position), "pass - - - -", "{name}");
            assert!(pass_ends(inputs, &position));
        }
    }
}

#[test]
fn a_game_resumed_shows_what_came_since_its_end() {
    let position = played(5, rules("chinese"), "C3 D4 pass pass E5 A1");
    for inputs in OLDER {
        assert_eq!(shown(inputs, &position), "A1 E5 pass pass D4");
    }
    for inputs in NEWER {
        assert_eq!(shown(inputs, &position), "A1 E5 pass - -");
    }
}

#[test]
fn the_pass_that_takes_the_button_ends_nothing() {
    let button = rules("aga-button");
    let mut position = played(5, button, "C3 D4");
    assert_eq!(global(V7, &position, "button"), 1.0);
    play(&mut position, "pass");
    assert_eq!(global(V7, &position, "button"), 0.0);
    assert_eq!(shown(V7, &position), "pass D4 C3 - -");
    assert!(!pass_ends(V7, &position));
    // The second pass could be answered by the end, the third is the end.
    assert_eq!(
        shown(V7, &played(5, button, "C3 D4 pass pass")),
        "- - - - -"
    );
    assert_eq!(
        shown(V7, &played(5, button, "C3 D4 pass pass A1")),
        "A1 pass pass D4 C3"
    );
    assert_eq!(
        shown(V7, &played(5, button, "C3 pass pass pass A1")),
        "A1 pass - - -"
    );
}

/// Three kos, which the sides take in turn: the third such round brings the first position back for the third time.
const KOS: &str = "
    . X O . . X O . . X O .
    X O . O X . X O X O . O
    . X O . . X O . . X O .
    . . . . . . . . . . . .";
const ROUND: &str = "C3 F3 L3 B3 G3 K3 ";

#[test]
fn without_superko_a_situation_come_three_times_ends_the_game() {
    let after = |rounds, name| {
        let mut position = drawn(KOS, Black, rules(name));
        for mv in ROUND.repeat(rounds).split_whitespace() {
            let mv = position.size().parse_move(mv).unwrap();
            position.play_unchecked(position.to_move(), mv);
        }
        position
    };
    for name in ["chinese", "japanese"] {
        assert_eq!(shown(V7, &after(1, name)), "K3 G3 B3 L3 F3");
        assert_eq!(shown(V7, &after(2, name)), "K3 - - - -");
        assert_eq!(shown(V3, &after(2, name)), "- - - - -");
    }
    assert_eq!(shown(V7, &after(2, "aga")), "K3 G3 B3 L3 F3");
}

#[test]
fn without_superko_passing_twice_in_one_situation_ends_play() {
    // Both pass, the kos go round, and Black is to move where it has passed before.
    let mut position = drawn(KOS, Black, rules("japanese"));
    play(&mut position, &format!("pass pass {ROUND}"));
    for inputs in [V3, V7] {
        assert!(pass_ends(inputs, &position), "{inputs:?}");
    }
    play(&mut position, "pass");
    assert_eq!(shown(V7, &position), "pass - - - -");
}
