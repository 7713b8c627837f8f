//! Records: moves made and taken back, handicaps, ends.

use super::*;
use crate::game::diagram;
use crate::game::rules::KoRule;

fn record(side: usize) -> Record {
    Record::new(BoardSize::new(side, side).unwrap(), Rules::default())
}

fn play(record: &mut Record, moves: &str) -> Result<(), Illegal> {
    for (color, vertex) in moves
        .split_whitespace()
        .zip([Color::Black, Color::White].into_iter().cycle())
        .map(|(vertex, color)| (color, vertex))
    {
        let mv = record.size().parse_move(vertex).unwrap();
        record.play(color, mv)?;
    }
    Ok(())
}

#[test]
fn undo_goes_back_to_the_first_position_and_no_further() {
    let mut record = record(9);
    let points = handicap::fixed(record.size(), 2).unwrap();
    record.place_handicap(&points).unwrap();
    assert_eq!(record.position().to_move(), Color::White);
    assert_eq!(record.position().handicap(), 2);
    let before = record.position().situation_hash();
    let mv = record.size().parse_move("E5").unwrap();
    record.play(Color::White, mv).unwrap();
    record.resign(Color::Black);
    assert!(record.ended());
    assert!(record.take_back_resignation() && !record.ended());
    assert!(!record.take_back_resignation() && record.moves().len() == 1);
    record.resign(Color::Black);
    assert_eq!(record.undo(), Some((Color::White, mv)));
    assert!(!record.ended());
    assert_eq!(record.position().situation_hash(), before);
    assert_eq!(record.undo(), None);
    assert_eq!(record.position().board().occupied().len(), 2);
}

#[test]
fn a_game_has_an_end() {
    let mut record = record(9);
    for _ in 0..MOST_MOVES {
        record.play(Color::Black, Move::Pass).unwrap();
    }
    assert_eq!(record.play(Color::White, Move::Pass), Err(Illegal::TooLong));
    assert_eq!(record.moves().len(), MOST_MOVES);
}

#[test]
fn komi_and_rules_outlive_the_game() {
    let mut record = record(9);
    let rules = Rules::named("japanese").unwrap();
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
fn new_rules_hold_from_the_first_move_on() {
    // White takes no part in the last exchange, so that retaking repeats the position before C4.
    let mut record = record(5);
    play(&mut record, "B5 C5 A4 D4 B3 C3 pass B4 C4").unwrap();
    let back = record.size().parse_vertex("B4").unwrap();
    assert_eq!(record.position().legal(back), Err(Illegal::Ko));
    play(&mut record, "pass pass").unwrap();
    assert_eq!(record.position().legal_for(Color::White, back), Ok(()));
    record.set_rules(Rules {
        ko: KoRule::Positional,
        ..*record.rules()
    });
    assert_eq!(
        record.position().legal_for(Color::White, back),
        Err(Illegal::Superko)
    );
}

#[test]
fn several_black_stones_at_the_start_are_a_handicap() {
    let mut record = record(9);
    for (count, vertex) in ["C3", "G7", "C7"].into_iter().enumerate() {
        let mv = record.size().parse_move(vertex).unwrap();
        record.play(Color::Black, mv).unwrap();
        let handicap = if count == 0 { 0 } else { count + 1 };
        assert_eq!(record.position().handicap(), handicap);
    }
    let mv = record.size().parse_move("G3").unwrap();
    record.play(Color::White, mv).unwrap();
    assert_eq!(record.position().handicap(), 3);
    record.set_komi(Komi::from_half_points(0));
    assert_eq!(record.position().white_half_points(), 6);
    assert_eq!(record.position_after(1).unwrap().handicap(), 0);
    assert!(record.position_after(5).is_none());
    // Who goes on with White alone has set up a position.
    let mv = record.size().parse_move("F3").unwrap();
    record.play(Color::White, mv).unwrap();
    assert_eq!(record.position().handicap(), 0);
    record.undo();
    assert_eq!(record.position().handicap(), 3);
}

#[test]
fn a_handicap_that_was_named_outlives_new_rules_and_moves() {
    let mut record = record(9);
    play(&mut record, "C3").unwrap();
    let mv = record.size().parse_move("G7").unwrap();
    record.play(Color::Black, mv).unwrap();
    assert_eq!(record.position().handicap(), 2, "told by the moves");
    record.name_handicap(0);
    record.set_komi(Komi::from_half_points(1));
    assert_eq!(record.position().handicap(), 0);
    let mv = record.size().parse_move("C7").unwrap();
    record.play(Color::Black, mv).unwrap();
    assert_eq!(record.position().handicap(), 0);
    // More stones than there are cannot be: the moves tell.
    record.name_handicap(5);
    assert_eq!(record.position().handicap(), 3);
    let mv = record.size().parse_move("E5").unwrap();
    record.play(Color::Black, mv).unwrap();
    assert_eq!(record.position().handicap(), 4);
}

#[test]
fn a_turn_given_outlives_new_rules() {
    let mut record = record(9);
    play(&mut record, "C3").unwrap();
    record.set_to_move(Color::Black);
    record.set_komi(Komi::from_half_points(1));
    assert_eq!(record.position().to_move(), Color::Black);
    assert_eq!(record.moves().len(), 1);
}

#[test]
fn white_stones_set_after_a_placed_handicap_make_it_none() {
    let mut record = record(9);
    let points = handicap::fixed(record.size(), 4).unwrap();
    record.place_handicap(&points).unwrap();
    for (vertex, handicap) in [("E5", 4), ("E6", 0), ("E7", 0)] {
        let mv = record.size().parse_move(vertex).unwrap();
        record.play(Color::White, mv).unwrap();
        assert_eq!(record.position().handicap(), handicap);
    }
}

#[test]
fn what_cannot_be_set_up_changes_nothing() {
    let mut record = record(9);
    let (a, b) = (Point::at(2, 2), Point::at(6, 6));
    for (points, error) in [
        (vec![a, a], HandicapError::Repeated),
        (vec![a, Point::at(9, 0)], HandicapError::OffBoard),
        (record.size().points().collect(), HandicapError::BoardFull),
    ] {
        assert_eq!(record.place_handicap(&points), Err(error));
    }
    assert!(record.position().board().occupied().is_empty());
    let board = diagram::parse("X .\n. .").unwrap();
    record.resize(board.size());
    let stones = ByColor::new(*board.stones(Color::Black), PointSet::EMPTY);
    record.set_up(stones, Color::White).unwrap();
    let full = ByColor::new(*board.area(), PointSet::EMPTY);
    assert!(record.set_up(full, Color::Black).is_err());
    assert_eq!(record.position().board(), &board);
    assert_eq!(record.place_handicap(&[b]), Err(HandicapError::NotEmpty));
}
