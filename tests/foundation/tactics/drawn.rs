//! Captures drawn by hand, as the books have them.

use honinbo::game::board::Board;
use honinbo::game::color::Color;
use honinbo::game::diagram::Diagram;
use honinbo::game::point::{Move, Point};
use honinbo::tactics::ladder::LadderReader;
use honinbo::tactics::reading::{CaptureReader, ReadingLimits, ReadingOutcome, ReadingResult};

/// A drawn board, and a chain of it.
struct Drawn {
    diagram: Diagram,
    board: Board,
    target: Point,
}

impl Drawn {
    fn new(target: &str, picture: &str) -> Self {
        let diagram = Diagram::parse(picture).unwrap();
        Self {
            board: diagram.board().unwrap(),
            target: diagram.size.parse_vertex(target).unwrap(),
            diagram,
        }
    }

    fn named(&self, name: char) -> Point {
        self.diagram.labelled(name).only().unwrap()
    }

    fn attack(&self, plies: usize) -> ReadingResult {
        self.attack_under_ko(plies, None)
    }

    fn attack_under_ko(&self, plies: usize, ko: Option<Point>) -> ReadingResult {
        let mut reader = CaptureReader::new();
        reader
            .attack(&self.board, self.target, ko, limits(plies))
            .unwrap()
    }

    fn defend(&self, plies: usize) -> ReadingResult {
        let mut reader = CaptureReader::new();
        reader
            .defend(&self.board, self.target, None, limits(plies))
            .unwrap()
    }

    /// Plays the line out: its moves are legal, and the last takes the target.
    fn assert_captures(&self, reading: &ReadingResult) {
        let mut board = self.board.clone();
        let mut color = board.color_at(self.target).unwrap();
        if reading.best_move == reading.pv.first().copied() {
            color = color.opposite();
        }
        for (played, mv) in reading.pv.iter().enumerate() {
            assert!(
                board.color_at(self.target).is_some(),
                "taken before move {played}"
            );
            if let Some(point) = mv.point() {
                assert!(!board.place(color, point).suicide);
            }
            color = color.opposite();
        }
        assert!(board.is_empty_at(self.target), "{reading:?}");
    }
}

fn limits(plies: usize) -> ReadingLimits {
    ReadingLimits {
        plies,
        nodes: 1_000_000,
        time: None,
    }
}

#[test]
fn a_net_catches_what_no_ladder_does() {
    let net = Drawn::new(
        "C7",
        ". . . . . . . . .
         . . X X . . . . .
         . X O b . . . . .
         . X . a . . . . .
         . . . . . . . . .
         . . . . . O . . .
         . . . . . . O . .
         . . . . . . . . .
         . . . . . . . . .",
    );
    let ladder = LadderReader::new().capturing_moves(&net.board, net.target, None);
    assert!(ladder.is_empty());
    let reading = net.attack(5);
    assert_eq!(reading.outcome, ReadingOutcome::Reached { plies: 5 });
    assert_eq!(reading.best_move, Some(Move::Play(net.named('a'))));
    net.assert_captures(&reading);
    assert_eq!(
        net.defend(9).outcome,
        ReadingOutcome::Prevented { plies: 9 }
    );
}

#[test]
fn a_snapback_takes_more_than_it_gives() {
    let snapback = Drawn::new(
        "D3",
        ". O O a . X
         O O X O O X
         . . X X X X
         . . . . . .",
    );
    let reading = snapback.attack(9);
    assert_eq!(reading.outcome, ReadingOutcome::Reached { plies: 3 });
    assert_eq!(reading.best_move, Some(Move::Play(snapback.named('a'))));
    snapback.assert_captures(&reading);
    let saved = snapback.defend(5);
    assert_eq!(saved.outcome, ReadingOutcome::Prevented { plies: 5 });
    assert_eq!(saved.best_move, Some(Move::Play(snapback.named('a'))));
}

#[test]
fn a_ladder_is_read_to_its_end_and_not_past_a_breaker() {
    let open = ". . . . . . . . .
                . . X . . . . . .
                . X O a . . . . .
                . X . . . . . . .
                . . . . . . . . .
                . . . . . . . . .
                . . . . . . . . .
                . . . . . . . . .
                . . . . . . . . .";
    let ladder = Drawn::new("C7", open);
    let reading = ladder.attack(3);
    assert!(matches!(reading.outcome, ReadingOutcome::Reached { plies } if plies > 15));
    assert_eq!(reading.best_move, Some(Move::Play(ladder.named('a'))));
    assert!(reading.pv.len() > 15);
    ladder.assert_captures(&reading);

    let mut broken = Drawn::new("C7", open);
    broken.board.place(Color::White, Point::at(6, 6));
    assert_eq!(
        broken.attack(7).outcome,
        ReadingOutcome::Prevented { plies: 7 }
    );
}

#[test]
fn a_stone_that_took_a_ko_is_not_taken_back_at_once() {
    let ko = Drawn::new(
        "B3",
        ". X O . .
         X O a O .
         . X O . .
         . . . . .",
    );
    let a = ko.named('a');
    assert_eq!(ko.attack(5).outcome, ReadingOutcome::Reached { plies: 1 });
    let banned = ko.attack_under_ko(5, Some(a));
    assert_eq!(
        banned.outcome,
        ReadingOutcome::Ko {
            needs_threat: Color::Black,
            plies: 1
        }
    );
    assert_eq!(banned.best_move, Some(Move::Play(a)));
    assert_eq!(ko.defend(9).best_move, Some(Move::Play(a)));
}

#[test]
fn a_ko_for_life_is_told_from_life() {
    let ko = Drawn::new(
        "A4",
        "O . O X .
         O O . X .
         X O O X .
         a X X X .",
    );
    assert_eq!(ko.attack(9).outcome, ReadingOutcome::Reached { plies: 5 });
    // White takes the corner stone's liberty, and Black has to take that stone in a ko.
    let defence = ko.defend(9);
    assert!(matches!(
        defence.outcome,
        ReadingOutcome::Ko {
            needs_threat: Color::White,
            ..
        }
    ));
    assert_eq!(defence.best_move, Some(Move::Play(ko.named('a'))));
}

#[test]
fn a_throw_in_takes_the_last_liberties() {
    let throw_in = Drawn::new(
        "B4",
        ". O X X .
         a O O X X
         O X O O X
         . X . X .",
    );
    let reading = throw_in.attack(9);
    assert_eq!(reading.outcome, ReadingOutcome::Reached { plies: 5 });
    assert_eq!(reading.best_move, Some(Move::Play(throw_in.named('a'))));
    throw_in.assert_captures(&reading);
    // Any other first move lets White connect.
    for other in throw_in.board.empty() {
        let mut board = throw_in.board.clone();
        if other == throw_in.named('a') || board.is_suicide(Color::Black, other) {
            continue;
        }
        board.place(Color::Black, other);
        let reading = CaptureReader::new()
            .defend(&board, throw_in.target, None, limits(4))
            .unwrap();
        assert_eq!(
            reading.outcome,
            ReadingOutcome::Prevented { plies: 4 },
            "{other:?}"
        );
    }
}

#[test]
fn taking_a_surrounding_stone_saves() {
    let saved = Drawn::new(
        "B3",
        ". . . . . .
         . X . a . .
         X O O X O .
         . X X O . .
         . . . . . .",
    );
    let reading = saved.defend(9);
    assert_eq!(reading.outcome, ReadingOutcome::Prevented { plies: 9 });
    assert_eq!(reading.best_move, Some(Move::Play(saved.named('a'))));
}

#[test]
fn a_seki_holds_on_both_sides() {
    for target in ["A1", "E1"] {
        let seki = Drawn::new(
            target,
            ". O . X .
             O O X X X",
        );
        assert_eq!(
            seki.attack(7).outcome,
            ReadingOutcome::Prevented { plies: 7 }
        );
        assert_eq!(
            seki.defend(7).outcome,
            ReadingOutcome::Prevented { plies: 7 }
        );
    }
}

#[test]
fn a_ko_of_two_steps_is_a_ko() {
    let ko = Drawn::new(
        "B2",
        "a X X X
         b O O .
         O O . X",
    );
    let reading = ko.attack(9);
    assert_eq!(
        reading.outcome,
        ReadingOutcome::Ko {
            needs_threat: Color::Black,
            plies: 9
        }
    );
    ko.assert_captures(&reading);
    // Black takes back twice, each time with a threat.
    let taking_back = [Move::Play(ko.named('a')), Move::Play(ko.named('b'))];
    let times = reading
        .pv
        .windows(2)
        .filter(|pair| *pair == taking_back)
        .count();
    assert_eq!(times, 2);
}
