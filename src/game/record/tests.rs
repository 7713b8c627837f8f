//! Tests of records: moves, undo, handicap and the end of the game.

use super::*;
use crate::game::diagram;
use crate::game::rules::KoRule;
use crate::random::Rng;

fn record(side: usize) -> Record {
    Record::new(BoardSize::new(side, side).unwrap(), Rules::default())
}

fn play(record: &mut Record, moves: &str) -> Result<(), MoveError> {
    for (vertex, color) in moves
        .split_whitespace()
        .zip(Color::BOTH.into_iter().cycle())
    {
        let mv = record.size().parse_move(vertex).unwrap();
        record.play(color, mv)?;
    }
    Ok(())
}

/// Plays a move for `color`, regardless of the side to move.
fn play_as(record: &mut Record, color: Color, vertex: &str) -> Move {
    let mv = record.size().parse_move(vertex).unwrap();
    record.play(color, mv).unwrap();
    mv
}

#[test]
fn undo_stops_at_initial_position() {
    let mut record = record(9);
    let points = handicap::fixed_placement(record.size(), 2).unwrap();
    record.place_handicap(&points).unwrap();
    assert_eq!(record.position().to_move(), Color::White);
    assert_eq!(record.position().handicap(), 2);
    let before = record.position().state_hash();
    let mv = play_as(&mut record, Color::White, "E5");
    record.resign(Color::Black);
    assert!(record.ended());
    assert!(record.undo_resignation() && !record.ended());
    assert!(!record.undo_resignation() && record.moves().len() == 1);
    record.resign(Color::Black);
    assert_eq!(record.undo(), Some((Color::White, mv)));
    assert!(!record.ended());
    assert_eq!(record.position().state_hash(), before);
    assert_eq!(record.undo(), None);
    assert_eq!(record.position().board().occupied_points().len(), 2);
}

#[test]
fn rejects_moves_beyond_max_moves() {
    let mut record = record(9);
    for _ in 0..MAX_RECORD_MOVES {
        record.play(Color::Black, Move::Pass).unwrap();
    }
    assert_eq!(
        record.play(Color::White, Move::Pass),
        Err(MoveError::TooManyMoves)
    );
    assert_eq!(record.moves().len(), MAX_RECORD_MOVES);
}

#[test]
fn positions_of_long_games_are_recomputed() {
    let mut rng = Rng::new(7);
    let mut record = record(9);
    let mut positions = vec![record.position().clone()];
    while record.moves().len() < 3 * RECENT_POSITIONS {
        if rng.chance(0.05) {
            record.set_to_move(Color::BOTH[rng.below(2)]);
            let last = positions.len() - 1;
            positions[last] = record.position().clone();
        }
        let color = record.position().to_move();
        let legal: Vec<Point> = record.position().legal_points().iter().collect();
        let mv = match legal.get(rng.below(legal.len() + 1)) {
            Some(&point) => Move::Play(point),
            None => Move::Pass,
        };
        record.play_lenient(color, mv).unwrap();
        positions.push(record.position().clone());
        if rng.chance(0.02) {
            for _ in 0..rng.below(3) {
                record.undo();
                positions.pop();
            }
        }
    }
    let stored = record
        .stages
        .iter()
        .filter(|stage| stage.position.is_some());
    assert!(stored.count() < RECENT_POSITIONS + 3 * RECENT_POSITIONS / CHECKPOINT_INTERVAL);
    assert_eq!(record.illegal_moves().count(), 0);
    for (count, position) in positions.iter().enumerate() {
        assert_eq!(record.position_after(count).as_deref(), Some(position));
    }
    record.set_handicap(0);
    for count in (0..positions.len() - 1).rev() {
        record.undo();
        positions[count].set_handicap(0);
        assert_eq!(*record.position(), positions[count], "{count}");
    }
    assert!(record.undo().is_none());
}

#[test]
fn clear_and_resize_keep_rules_and_komi() {
    let mut record = record(9);
    let rules = Rules::parse("japanese").unwrap();
    let komi = Komi::from_half_points(1);
    play(&mut record, "C3 G7").unwrap();
    record.set_rules(rules);
    record.set_komi(komi);
    assert_eq!(record.moves().len(), 2);
    assert_eq!(record.initial().rules().komi, komi);
    record.clear();
    record.resize(BoardSize::STANDARD);
    assert_eq!(*record.rules(), rules.with_komi(komi));
    assert_eq!(record.size(), BoardSize::STANDARD);
    assert!(record.moves().is_empty());
}

#[test]
fn set_rules_applies_from_first_move() {
    // Black's C4 captures the stone at B4. White's retake at B4 repeats the board before C4.
    let mut record = record(5);
    record.set_rules(Rules::parse("chinese").unwrap());
    play(&mut record, "B5 C5 A4 D4 B3 C3 pass B4 C4").unwrap();
    let retake = record.size().parse_vertex("B4").unwrap();
    assert_eq!(record.position().check_legal(retake), Err(MoveError::Ko));
    play(&mut record, "pass pass").unwrap();
    assert_eq!(
        record.position().check_legal_for(Color::White, retake),
        Ok(())
    );
    record.set_rules(Rules {
        ko: KoRule::Positional,
        ..*record.rules()
    });
    assert_eq!(
        record.position().check_legal_for(Color::White, retake),
        Err(MoveError::Superko)
    );
}

#[test]
fn leading_black_moves_imply_handicap() {
    let mut record = record(9);
    for (count, vertex) in ["C3", "G7", "C7"].into_iter().enumerate() {
        play_as(&mut record, Color::Black, vertex);
        let handicap = if count == 0 { 0 } else { count + 1 };
        assert_eq!(record.position().handicap(), handicap);
    }
    play_as(&mut record, Color::White, "G3");
    assert_eq!(record.position().handicap(), 3);
    record.set_komi(Komi::from_half_points(0));
    assert_eq!(record.position().white_bonus_half_points(), 6);
    assert_eq!(record.position_after(1).unwrap().handicap(), 0);
    assert!(record.position_after(5).is_none());
    // Two consecutive white moves look like a position that is being set up.
    play_as(&mut record, Color::White, "F3");
    assert_eq!(record.position().handicap(), 0);
    record.undo();
    assert_eq!(record.position().handicap(), 3);
}

#[test]
fn explicit_handicap_survives_rules_and_moves() {
    let mut record = record(9);
    play(&mut record, "C3").unwrap();
    play_as(&mut record, Color::Black, "G7");
    assert_eq!(record.position().handicap(), 2, "inferred from the moves");
    record.set_handicap(0);
    record.set_komi(Komi::from_half_points(1));
    assert_eq!(record.position().handicap(), 0);
    play_as(&mut record, Color::Black, "C7");
    assert_eq!(record.position().handicap(), 0);
    // A number larger than the number of black stones is reduced, and later moves can still change the handicap.
    record.set_handicap(5);
    assert_eq!(record.position().handicap(), 3);
    play_as(&mut record, Color::Black, "E5");
    assert_eq!(record.position().handicap(), 4);
}

#[test]
fn side_to_move_survives_set_rules() {
    let mut record = record(9);
    play(&mut record, "C3").unwrap();
    record.set_to_move(Color::Black);
    record.set_komi(Komi::from_half_points(1));
    assert_eq!(record.position().to_move(), Color::Black);
    assert_eq!(record.moves().len(), 1);
    // Also in an earlier position, which an undo restores.
    play_as(&mut record, Color::Black, "G7");
    record.set_komi(Komi::from_half_points(3));
    record.set_rules(Rules::parse("japanese").unwrap());
    record.undo();
    assert_eq!(record.position().to_move(), Color::Black);
}

#[test]
fn game_ends_when_each_side_has_passed() {
    use Color::{Black, White};
    for (passes, ended) in [
        (&[Black, White][..], true),
        (&[Black, Black], false),
        (&[Black, Black, Black], false),
        (&[White, Black, Black], true),
        (&[Black, Black, White], true),
    ] {
        let mut record = record(9);
        play(&mut record, "C3 G7").unwrap();
        let mut has_ended = false;
        for &color in passes {
            play_as(&mut record, color, "pass");
            has_ended |= record.ended();
        }
        assert_eq!(has_ended, ended, "{passes:?}");
    }
}

#[test]
fn late_double_move_keeps_handicap() {
    let mut record = record(9);
    for vertex in ["C3", "G7", "C7"] {
        play_as(&mut record, Color::Black, vertex);
    }
    let middle_game = [
        "E5", "E3", "E7", "C5", "G5", "D4", "F6", "D6", "F4", "G2", "B5", "H6",
    ];
    for (vertex, color) in middle_game
        .into_iter()
        .zip([Color::White, Color::Black].into_iter().cycle())
    {
        play_as(&mut record, color, vertex);
    }
    for vertex in ["A1", "J9"] {
        play_as(&mut record, Color::White, vertex);
        assert_eq!(record.position().handicap(), 3, "{vertex}");
    }
}

#[test]
fn two_white_moves_cancel_placed_handicap() {
    let mut record = record(9);
    let points = handicap::fixed_placement(record.size(), 4).unwrap();
    record.place_handicap(&points).unwrap();
    for (vertex, handicap) in [("E5", 4), ("E6", 0), ("E7", 0)] {
        play_as(&mut record, Color::White, vertex);
        assert_eq!(record.position().handicap(), handicap);
    }
}

#[test]
fn failed_setup_leaves_record_unchanged() {
    let mut record = record(9);
    let (first_point, second_point) = (Point::at(2, 2), Point::at(6, 6));
    for (points, error) in [
        (vec![first_point, first_point], HandicapError::Repeated),
        (vec![first_point, Point::at(9, 0)], HandicapError::OffBoard),
        (record.size().points().collect(), HandicapError::BoardFull),
    ] {
        assert_eq!(record.place_handicap(&points), Err(error));
    }
    assert!(record.position().board().occupied_points().is_empty());
    let board = diagram::parse_board("X .\n. .").unwrap();
    record.resize(board.size());
    let stones = ByColor::new(*board.stones(Color::Black), PointSet::EMPTY);
    record.reset_to_stones(stones, Color::White).unwrap();
    let full_board = ByColor::new(*board.all_points(), PointSet::EMPTY);
    assert!(record.reset_to_stones(full_board, Color::Black).is_err());
    assert_eq!(record.position().board(), &board);
    assert_eq!(
        record.place_handicap(&[second_point]),
        Err(HandicapError::NotEmpty)
    );
}

#[test]
fn illegal_moves_are_listed_with_reason() {
    // Black retakes the ko immediately. White then plays elsewhere.
    let mut record = record(5);
    play(&mut record, "B5 C5 A4 D4 B3 C3 C4 B4").unwrap();
    let retake = record.size().parse_move("C4").unwrap();
    assert_eq!(record.play(Color::Black, retake), Err(MoveError::Ko));
    assert_eq!(IllegalMove::summarise_all(record.illegal_moves()), None);
    record.play_lenient(Color::Black, retake).unwrap();
    play_as(&mut record, Color::White, "E1");
    let illegal_moves: Vec<IllegalMove> = record.illegal_moves().collect();
    let expected = "move 9 (black C4): the ko cannot be retaken immediately";
    assert_eq!(illegal_moves.len(), 1);
    assert_eq!(illegal_moves[0].to_string(), expected);
    let repeated = [illegal_moves.clone(), illegal_moves].concat();
    let summary = IllegalMove::summarise_all(repeated).unwrap();
    assert_eq!(summary, format!("{expected} (and 1 more)"));
}
