//! Textbook captures on given boards.

use honinbo::game::board::Board;
use honinbo::game::color::Color;
use honinbo::game::diagram::Diagram;
use honinbo::game::point::{Move, Point};
use honinbo::tactics::ladder::LadderReader;
use honinbo::tactics::reading::{
    CaptureReader, ReadingLimits, ReadingOutcome, ReadingResult, ReadingSide,
};

/// A board with a target chain.
struct CaptureProblem {
    diagram: Diagram,
    board: Board,
    target: Point,
}

impl CaptureProblem {
    fn new(target: &str, text: &str) -> Self {
        let diagram = Diagram::parse(text).unwrap();
        Self {
            board: diagram.to_board().unwrap(),
            target: diagram.size.parse_vertex(target).unwrap(),
            diagram,
        }
    }

    fn labelled(&self, name: char) -> Point {
        self.diagram.points_with_label(name).only().unwrap()
    }

    fn attack(&self, plies: usize) -> ReadingResult {
        self.read(plies, ReadingSide::Maker, None)
    }

    fn defend(&self, plies: usize) -> ReadingResult {
        self.read(plies, ReadingSide::Breaker, None)
    }

    fn read(&self, plies: usize, first: ReadingSide, ko: Option<Point>) -> ReadingResult {
        let mut reader = CaptureReader::default();
        reader
            .read(&self.board, self.target, first, ko, limits(plies))
            .unwrap()
    }

    /// Plays the variation: all moves are legal, and the last one captures the target.
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
fn net_captures_without_ladder() {
    let net = CaptureProblem::new(
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
    let ladder = LadderReader::new().working_moves_against(&net.board, net.target, None);
    assert!(ladder.is_empty());
    let reading = net.attack(5);
    assert_eq!(reading.outcome, ReadingOutcome::Reached { plies: 5 });
    assert_eq!(reading.best_move, Some(Move::Play(net.labelled('a'))));
    net.assert_captures(&reading);
    assert_eq!(
        net.defend(9).outcome,
        ReadingOutcome::Prevented { plies: 9 }
    );
}

#[test]
fn snapback_captures() {
    let snapback = CaptureProblem::new(
        "D3",
        ". O O a . X
         O O X O O X
         . . X X X X
         . . . . . .",
    );
    let reading = snapback.attack(9);
    assert_eq!(reading.outcome, ReadingOutcome::Reached { plies: 3 });
    assert_eq!(reading.best_move, Some(Move::Play(snapback.labelled('a'))));
    snapback.assert_captures(&reading);
    let saved = snapback.defend(5);
    assert_eq!(saved.outcome, ReadingOutcome::Prevented { plies: 5 });
    assert_eq!(saved.best_move, Some(Move::Play(snapback.labelled('a'))));
}

#[test]
fn ladder_stops_at_ladder_breaker() {
    let open = ". . . . . . . . .
                . . X . . . . . .
                . X O a . . . . .
                . X . . . . . . .
                . . . . . . . . .
                . . . . . . . . .
                . . . . . . . . .
                . . . . . . . . .
                . . . . . . . . .";
    let ladder = CaptureProblem::new("C7", open);
    let reading = ladder.attack(3);
    assert!(matches!(reading.outcome, ReadingOutcome::Reached { plies } if plies > 15));
    assert_eq!(reading.best_move, Some(Move::Play(ladder.labelled('a'))));
    assert!(reading.pv.len() > 15);
    ladder.assert_captures(&reading);

    let mut broken = CaptureProblem::new("C7", open);
    broken.board.place(Color::White, Point::at(6, 6));
    assert_eq!(
        broken.attack(7).outcome,
        ReadingOutcome::Prevented { plies: 7 }
    );
}

#[test]
fn ko_cannot_be_retaken_immediately() {
    let ko = CaptureProblem::new(
        "B3",
        ". X O . .
         X O a O .
         . X O . .
         . . . . .",
    );
    let a = ko.labelled('a');
    assert_eq!(ko.attack(5).outcome, ReadingOutcome::Reached { plies: 1 });
    let banned = ko.read(5, ReadingSide::Maker, Some(a));
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
fn ko_for_survival_is_reported() {
    let ko = CaptureProblem::new(
        "A4",
        "O . O X .
         O O . X .
         X O O X .
         a X X X .",
    );
    assert_eq!(ko.attack(9).outcome, ReadingOutcome::Reached { plies: 5 });
    // White fills the last liberty of the corner stone, and Black must capture that stone in a ko.
    let defence = ko.defend(9);
    assert!(matches!(
        defence.outcome,
        ReadingOutcome::Ko {
            needs_threat: Color::White,
            ..
        }
    ));
    assert_eq!(defence.best_move, Some(Move::Play(ko.labelled('a'))));
}

#[test]
fn throw_in_captures() {
    let throw_in = CaptureProblem::new(
        "B4",
        ". O X X .
         a O O X X
         O X O O X
         . X . X .",
    );
    let reading = throw_in.attack(9);
    assert_eq!(reading.outcome, ReadingOutcome::Reached { plies: 5 });
    assert_eq!(reading.best_move, Some(Move::Play(throw_in.labelled('a'))));
    throw_in.assert_captures(&reading);
    // After any other first move White connects.
    for other in throw_in.board.empty_points() {
        let mut board = throw_in.board.clone();
        if other == throw_in.labelled('a') || board.is_suicide(Color::Black, other) {
            continue;
        }
        board.place(Color::Black, other);
        let reading = CaptureReader::default()
            .read(
                &board,
                throw_in.target,
                ReadingSide::Breaker,
                None,
                limits(4),
            )
            .unwrap();
        assert_eq!(
            reading.outcome,
            ReadingOutcome::Prevented { plies: 4 },
            "{other:?}"
        );
    }
}

#[test]
fn capturing_adjacent_stone_saves() {
    let saved = CaptureProblem::new(
        "B3",
        ". . . . . .
         . X . a . .
         X O O X O .
         . X X O . .
         . . . . . .",
    );
    let reading = saved.defend(9);
    assert_eq!(reading.outcome, ReadingOutcome::Prevented { plies: 9 });
    assert_eq!(reading.best_move, Some(Move::Play(saved.labelled('a'))));
}

#[test]
fn seki_chains_cannot_be_captured() {
    for target in ["A1", "E1"] {
        let seki = CaptureProblem::new(
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
fn two_step_ko_is_reported() {
    let ko = CaptureProblem::new(
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
    // Black retakes twice, each time with a ko threat.
    let taking_back = [Move::Play(ko.labelled('a')), Move::Play(ko.labelled('b'))];
    let times = reading
        .pv
        .windows(2)
        .filter(|pair| *pair == taking_back)
        .count();
    assert_eq!(times, 2);
}
