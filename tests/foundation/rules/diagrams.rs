//! Rules in hand-made positions, with the results known from Go literature.

use honinbo::game::benson::pass_alive;
use honinbo::game::board::Board;
use honinbo::game::color::{ByColor, Color};
use honinbo::game::diagram::{self, Diagram};
use honinbo::game::point::{Move, Point};
use honinbo::game::pointset::PointSet;
use honinbo::game::position::{MoveError, Position};
use honinbo::game::rules::{KoRule, Komi, Rules, Scoring, Tax};
use honinbo::game::score::{count, stones_in_seki};

use Color::{Black, White};

const KO_RULES: [KoRule; 3] = [KoRule::Simple, KoRule::Positional, KoRule::Situational];

/// Returns the position of a diagram under a ko rule, and a function that finds a labelled point.
fn position(diagram_text: &str, to_move: Color, ko: KoRule) -> (Position, impl Fn(char) -> Point) {
    let diagram = Diagram::parse(diagram_text).unwrap();
    let rules = Rules {
        ko,
        komi: Komi::from_half_points(0),
        ..Rules::default()
    };
    let position = Position::from_board(diagram.to_board().unwrap(), to_move, rules);
    let labelled = move |name| {
        diagram
            .points_with_label(name)
            .only()
            .expect("one point of that name")
    };
    (position, labelled)
}

fn play(position: &mut Position, point: Point) {
    let color = position.to_move();
    position.play(color, Move::Play(point)).unwrap();
}

fn pass(position: &mut Position) {
    let color = position.to_move();
    position.play(color, Move::Pass).unwrap();
}

const KO: &str = "
    . X O . .
    X O a O .
    . X O b c
    . . . . .";

#[test]
fn basic_ko_bans_immediate_retake() {
    for ko in KO_RULES {
        let (mut position, at) = position(KO, Black, ko);
        let captured_point = Point::at(1, 1);
        play(&mut position, at('a'));
        assert!(position.board().is_empty_at(captured_point));
        assert_eq!(position.ko_ban(), Some((White, captured_point)));
        assert_eq!(position.check_legal(captured_point), Err(MoveError::Ko));
        assert_eq!(position.ko_points(), PointSet::single(captured_point));
        // Filling the ko is legal.
        assert_eq!(position.check_legal_for(Black, captured_point), Ok(()));
        play(&mut position, at('b'));
        play(&mut position, at('c'));
        assert_eq!(position.check_legal(captured_point), Ok(()), "{ko:?}");
    }
}

#[test]
fn two_passes_lift_only_simple_ko() {
    for (ko, expected) in [
        (KoRule::Simple, Ok(())),
        (KoRule::Positional, Err(MoveError::Superko)),
        // In the initial position Black was to move, as after this move.
        (KoRule::Situational, Err(MoveError::Superko)),
    ] {
        let (mut position, at) = position(KO, Black, ko);
        play(&mut position, at('a'));
        pass(&mut position);
        pass(&mut position);
        assert!(position.ended());
        assert_eq!(position.check_legal(Point::at(1, 1)), expected, "{ko:?}");
    }
}

/// Black moves twice in a row, so White was to move before the capture.
#[test]
fn ko_bans_retake_after_move_out_of_turn() {
    for ko in KO_RULES {
        let (mut position, at) = position(KO, White, ko);
        assert_eq!(position.play(Black, Move::Play(at('a'))), Ok(()));
        assert_eq!(
            position.check_legal(Point::at(1, 1)),
            Err(MoveError::Ko),
            "{ko:?}"
        );
    }
}

#[test]
fn snapback_is_no_ko() {
    for ko in KO_RULES {
        let (mut position, at) = position(
            "b a O X .
             O O O X .
             X X X X .",
            Black,
            ko,
        );
        play(&mut position, at('a'));
        play(&mut position, at('b'));
        assert_eq!(position.lost_stones(Black), 1);
        assert_eq!(position.ko_ban(), None);
        play(&mut position, at('a'));
        assert_eq!(position.lost_stones(White), 5);
    }
}

/// White sacrifices two stones and recaptures one. The board is then the same as before, but Black is to move.
#[test]
fn sending_two_returning_one_by_ko_rule() {
    for (ko, expected) in [
        (KoRule::Simple, Ok(())),
        (KoRule::Positional, Err(MoveError::Superko)),
        (KoRule::Situational, Ok(())),
    ] {
        let (mut position, at) = position(
            "a O c X .
             O X X X .
             O . X . .",
            White,
            ko,
        );
        let before = position.board().clone();
        play(&mut position, at('c'));
        play(&mut position, at('a'));
        assert_eq!(position.lost_stones(White), 2);
        let back = Point::at(1, 0);
        assert_eq!(position.check_legal(back), expected, "{ko:?}");
        if expected.is_ok() {
            play(&mut position, back);
            assert_eq!(*position.board(), before);
        }
    }
}

#[test]
fn superko_stops_triple_ko() {
    for ko in KO_RULES {
        let (mut position, at) = position(
            ". X a X O .
             . X X O O .
             . X O b O .
             . X X O O .
             . X c X O .
             . X X O O .",
            White,
            ko,
        );
        let before = position.board().clone();
        let right_of = |point: Point| Point::at(point.column() + 1, point.row());
        let left_of_b = Point::at(at('b').column() - 1, at('b').row());
        for mv in [at('a'), at('b'), at('c'), right_of(at('a')), left_of_b] {
            play(&mut position, mv);
        }
        let last = right_of(at('c'));
        if ko == KoRule::Simple {
            play(&mut position, last);
            assert_eq!(*position.board(), before);
        } else {
            assert_eq!(
                position.check_legal(last),
                Err(MoveError::Superko),
                "{ko:?}"
            );
        }
    }
}

#[test]
fn suicide_needs_rules_and_two_stones() {
    let diagram_text = "
        a O . .
        X O . .
        O O . .";
    for ko in KO_RULES {
        for suicide in [false, true] {
            let (mut position, at) = position(diagram_text, Black, ko);
            position.set_rules(Rules {
                suicide,
                ..*position.rules()
            });
            // Suicide of two stones changes the board.
            let two = position.check_legal(at('a'));
            if suicide {
                assert_eq!(two, Ok(()));
                let mut after = position.clone();
                play(&mut after, at('a'));
                assert_eq!(after.lost_stones(Black), 2);
                assert!(after.board().is_empty_at(Point::at(0, 1)));
                assert_eq!(after.ko_ban(), None);
            } else {
                assert_eq!(two, Err(MoveError::Suicide));
            }
        }
    }
    let single = "a O .\nO O .\n. . .";
    for ko in KO_RULES {
        let (mut position, at) = position(single, Black, ko);
        position.set_rules(Rules {
            suicide: true,
            ..*position.rules()
        });
        assert_eq!(position.check_legal(at('a')), Err(MoveError::Suicide));
    }
}

/// Number of pass-alive stones and of territory points of `color`.
fn alive(diagram_text: &str, color: Color) -> (usize, usize) {
    let board = diagram::parse_board(diagram_text).unwrap();
    let found = pass_alive(&board, color, false);
    (found.stones.len(), found.territory.len())
}

#[test]
fn two_eyes_are_pass_alive() {
    let two = ". X . X O\nX X X X O\nO O O O .";
    assert_eq!(alive(two, Black), (6, 2));
    assert_eq!(alive(two, White), (0, 0));
    let one = ". . X O .\nX X X O .\nO O O O .";
    assert_eq!(alive(one, Black), (0, 0));
}

#[test]
fn shared_eyes_make_chains_pass_alive() {
    // Every eye is a liberty of both chains; neither chain has an eye for itself.
    let common = "
        X X X X X
        . X X X .
        X O . O X
        X X X X X";
    assert_eq!(alive(common, Black), (15, 5));
}

#[test]
fn eyes_next_to_dead_chain_are_false() {
    // The stones next to the corner have two eyes, but the second eye is also adjacent to stones without another eye.
    let false_eyes = "
        . X O O
        X . X O
        O X O O
        O O O .";
    assert_eq!(alive(false_eyes, Black), (0, 0));
}

fn seki_stones(board: &Board) -> PointSet {
    stones_in_seki(board, &PointSet::EMPTY, &ByColor::default())
}

#[test]
fn dead_stone_inside_keeps_eye() {
    assert_eq!(alive("X X . O X\nX X . X X\nX X X X .", Black), (11, 4));
}

#[test]
fn moyo_is_not_pass_alive() {
    let moyo = "
        . . . . X O
        . . . . X O
        . . . . X O
        X X X X X O
        O O O O O O
        . . . . . .";
    assert_eq!(alive(moyo, Black), (0, 0));
}

/// Two chains without eyes share two liberties. The side that plays there first is captured.
#[test]
fn counts_seki_without_eyes() {
    let seki = "
        . O . O X a O X . X .
        O O O O X b O X X X X";
    for (scoring, expected) in [(Scoring::Area, 10), (Scoring::Territory, 2)] {
        let (mut position, at) = position(seki, Black, KoRule::Simple);
        position.set_rules(Rules {
            scoring,
            tax: Tax::Seki,
            ..*position.rules()
        });
        let points = count(&position, &PointSet::EMPTY).points;
        assert_eq!((points[Black], points[White]), (expected, expected));
        assert_eq!(seki_stones(position.board()).len(), 4);
        play(&mut position, at('a'));
        play(&mut position, at('b'));
        assert_eq!(position.lost_stones(Black), 3);
    }
}

#[test]
fn unsettled_groups_are_not_in_seki() {
    // A4 depends on B4, which Black could capture, but White would connect.
    let connected = "
        O . O . O .
        . X O O O O
        X X X X X X
        . X . X . X";
    let opening = "
        . . . . . . .
        . . . . . . .
        . . X . O . .
        . . X O . . .
        . . . . . . .
        . . . . . . .
        . . . . . . .";
    for diagram_text in [connected, opening] {
        let board = diagram::parse_board(diagram_text).unwrap();
        let seki = seki_stones(&board);
        assert!(seki.is_empty(), "{diagram_text}");
    }
}

/// Some rules declare a bent four in the corner dead. Here only the stones passed as dead are.
#[test]
fn bent_four_follows_dead_stones() {
    let bent_four = "
        X X a O X . X
        X O O O X X .
        O O . X X X X
        X X X X X X X";
    let (position, _) = position(bent_four, Black, KoRule::Simple);
    let chain = |column, row| {
        let chain = position.board().chain_at(Point::at(column, row));
        chain.expect("a stone").stones
    };
    for (dead, expected) in [
        (PointSet::EMPTY, (20, 6)),
        (chain(1, 1), (28, 0)),
        (chain(0, 0), (17, 10)),
    ] {
        let points = count(&position, &dead).points;
        assert_eq!((points[Black], points[White]), expected);
    }
}
