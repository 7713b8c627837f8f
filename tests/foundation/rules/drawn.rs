//! Situations drawn by hand, with what every book on the rules says of them.

use honinbo::game::benson::pass_alive;
use honinbo::game::color::Color;
use honinbo::game::diagram::{self, Diagram};
use honinbo::game::point::{Move, Point};
use honinbo::game::pointset::PointSet;
use honinbo::game::position::{MoveError, Position};
use honinbo::game::rules::{KoRule, Komi, Rules, Scoring, Tax};
use honinbo::game::score::{count, stones_in_seki};

use Color::{Black, White};

const KO_RULES: [KoRule; 3] = [KoRule::Simple, KoRule::Positional, KoRule::Situational];

/// The position of a picture under the ko rule, and its named points.
fn position(picture: &str, to_move: Color, ko: KoRule) -> (Position, impl Fn(char) -> Point) {
    let diagram = Diagram::parse(picture).unwrap();
    let rules = Rules {
        ko,
        komi: Komi::from_half_points(0),
        ..Rules::default()
    };
    let position = Position::from_board(diagram.board().unwrap(), to_move, rules);
    let named = move |name| {
        diagram
            .labelled(name)
            .only()
            .expect("one point of that name")
    };
    (position, named)
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
fn a_ko_is_not_retaken_at_once() {
    for ko in KO_RULES {
        let (mut position, at) = position(KO, Black, ko);
        let taken = Point::at(1, 1);
        play(&mut position, at('a'));
        assert!(position.board().is_empty_at(taken));
        assert_eq!(position.ko(), Some((White, taken)));
        assert_eq!(position.legal(taken), Err(MoveError::Ko));
        assert_eq!(position.ko_points(), PointSet::single(taken));
        // Filling the ko is not retaking it.
        assert_eq!(position.legal_for(Black, taken), Ok(()));
        play(&mut position, at('b'));
        play(&mut position, at('c'));
        assert_eq!(position.legal(taken), Ok(()), "{ko:?}");
    }
}

#[test]
fn passing_twice_lifts_the_simple_ko_but_no_superko() {
    for (ko, expected) in [
        (KoRule::Simple, Ok(())),
        (KoRule::Positional, Err(MoveError::Superko)),
        // The first position was Black's turn, as this one would be.
        (KoRule::Situational, Err(MoveError::Superko)),
    ] {
        let (mut position, at) = position(KO, Black, ko);
        play(&mut position, at('a'));
        pass(&mut position);
        pass(&mut position);
        assert!(position.ended());
        assert_eq!(position.legal(Point::at(1, 1)), expected, "{ko:?}");
    }
}

/// Black moves twice running, so that it was White's turn before it took.
#[test]
fn a_ko_is_not_retaken_after_a_move_out_of_turn_either() {
    for ko in KO_RULES {
        let (mut position, at) = position(KO, White, ko);
        assert_eq!(position.play(Black, Move::Play(at('a'))), Ok(()));
        assert_eq!(
            position.legal(Point::at(1, 1)),
            Err(MoveError::Ko),
            "{ko:?}"
        );
    }
}

#[test]
fn a_snapback_is_no_ko() {
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
        assert_eq!(position.prisoners(Black), 1);
        assert_eq!(position.ko(), None);
        play(&mut position, at('a'));
        assert_eq!(position.prisoners(White), 5);
    }
}

/// White gives two stones and takes one back; the board is then as before, but it is Black's turn, not White's.
#[test]
fn sending_two_returning_one() {
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
        assert_eq!(position.prisoners(White), 2);
        let back = Point::at(1, 0);
        assert_eq!(position.legal(back), expected, "{ko:?}");
        if expected.is_ok() {
            play(&mut position, back);
            assert_eq!(*position.board(), before);
        }
    }
}

#[test]
fn a_triple_ko_goes_round_only_without_superko() {
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
            assert_eq!(position.legal(last), Err(MoveError::Superko), "{ko:?}");
        }
    }
}

#[test]
fn suicide_is_for_some_rules_and_never_a_single_stone() {
    let picture = "
        a O . .
        X O . .
        O O . .";
    for ko in KO_RULES {
        for suicide in [false, true] {
            let (mut position, at) = position(picture, Black, ko);
            position.set_rules(Rules {
                suicide,
                ..*position.rules()
            });
            // Two stones: the board changes.
            let two = position.legal(at('a'));
            if suicide {
                assert_eq!(two, Ok(()));
                let mut after = position.clone();
                play(&mut after, at('a'));
                assert_eq!(after.prisoners(Black), 2);
                assert!(after.board().is_empty_at(Point::at(0, 1)));
                assert_eq!(after.ko(), None);
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
        assert_eq!(position.legal(at('a')), Err(MoveError::Suicide));
    }
}

/// Stones of `color` that Benson's algorithm proves alive, as a picture's worth of points.
fn alive(picture: &str, color: Color) -> (usize, usize) {
    let board = diagram::parse(picture).unwrap();
    let found = pass_alive(&board, color, false);
    (found.stones.len(), found.territory.len())
}

#[test]
fn two_eyes_are_alive_and_one_is_not() {
    let two = ". X . X O\nX X X X O\nO O O O .";
    assert_eq!(alive(two, Black), (6, 2));
    assert_eq!(alive(two, White), (0, 0));
    let one = ". . X O .\nX X X O .\nO O O O .";
    assert_eq!(alive(one, Black), (0, 0));
}

#[test]
fn two_chains_live_by_common_eyes() {
    // Every eye is a liberty of both chains; neither has one of its own.
    let common = "
        X X X X X
        . X X X .
        X O . O X
        X X X X X";
    assert_eq!(alive(common, Black), (15, 5));
}

#[test]
fn eyes_beside_a_chain_that_dies_are_false() {
    // The stones beside the corner have two eyes, but the second is also beside stones with no other.
    let false_eyes = "
        . X O O
        X . X O
        O X O O
        O O O .";
    assert_eq!(alive(false_eyes, Black), (0, 0));
}

#[test]
fn a_dead_stone_inside_takes_no_eye_away() {
    assert_eq!(alive("X X . O X\nX X . X X\nX X X X .", Black), (11, 4));
}

#[test]
fn a_large_moyo_proves_nothing() {
    let moyo = "
        . . . . X O
        . . . . X O
        . . . . X O
        X X X X X O
        O O O O O O
        . . . . . .";
    assert_eq!(alive(moyo, Black), (0, 0));
}

/// Two chains without eyes share two liberties: who plays there first is captured.
#[test]
fn seki_without_eyes() {
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
        assert_eq!(stones_in_seki(position.board(), &PointSet::EMPTY).len(), 4);
        play(&mut position, at('a'));
        play(&mut position, at('b'));
        assert_eq!(position.prisoners(Black), 3);
    }
}

#[test]
fn what_can_still_connect_or_live_is_in_no_seki() {
    // A4 lives by B4, which Black could take, but White would not let it.
    let connected = "
        O . O . O .
        . X O O O O
        X X X X X X
        . X . X . X";
    let begun = "
        . . . . . . .
        . . . . . . .
        . . X . O . .
        . . X O . . .
        . . . . . . .
        . . . . . . .
        . . . . . . .";
    for picture in [connected, begun] {
        let board = diagram::parse(picture).unwrap();
        let seki = stones_in_seki(&board, &PointSet::EMPTY);
        assert!(seki.is_empty(), "{picture}");
    }
}

/// Bent four in the corner is dead by decree in some rules. Here only the stones given as dead are.
#[test]
fn bent_four_is_not_special() {
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
