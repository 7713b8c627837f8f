//! Every time system in a game worked by hand: what a player hears, and how long its last move may take.

use std::time::Duration;

use honinbo::game::color::Color;
use honinbo::match_play::game::{Fault, GameOutcome, WinReason};

use crate::contest::scripted::Step::Ponder;
use crate::contest::scripted::{KATA, KGS, STANDARD, Scripted, heard, play, timed, walker};

/// What a game must look like to Black. White thinks for a quarter of a second each time.
struct Case {
    clock: &'static str,
    commands: &'static str,
    /// The command that sets the time.
    told: &'static str,
    /// Before each of Black's moves: seconds and third number of its own clock and of White's; then what it took.
    moves: &'static [(&'static str, &'static str, f64)],
    /// The longest that Black's next move, the last one, may take.
    longest: f64,
}

/// Worked by hand from the rules of each system.
const CASES: [Case; 9] = [
    Case {
        clock: "absolute 10",
        commands: KATA,
        told: "kata-time_settings absolute 10",
        moves: &[
            ("10 0", "10 0", 4.25),
            ("5.75 0", "9.75 0", 5.5),
            ("0.25 0", "9.5 0", 0.25),
        ],
        longest: 0.0,
    },
    Case {
        clock: "absolute 10",
        commands: STANDARD,
        told: "time_settings 10 0 0",
        moves: &[("10 0", "10 0", 4.25), ("5 0", "9 0", 5.5)],
        longest: 0.25,
    },
    Case {
        clock: "byoyomi 10 5 3",
        commands: KATA,
        told: "kata-time_settings byoyomi 10 5 3",
        // 2 s of main time and 6.5 s: one period used up. Then all of one, which is not lost; then the second is.
        moves: &[
            ("10 0", "10 0", 8.0),
            ("2 0", "9.75 0", 8.5),
            ("5 2", "9.5 0", 5.0),
            ("5 2", "9.25 0", 5.5),
        ],
        longest: 5.0,
    },
    Case {
        clock: "byoyomi 0.25 5.5 2",
        commands: KGS,
        told: "kgs-time_settings byoyomi 0 5 2",
        // The quarter of main time is no whole second: to such a program overtime has begun.
        moves: &[("5 2", "5 2", 5.5), ("5 2", "5 2", 6.0)],
        longest: 5.5,
    },
    Case {
        clock: "canadian 10 20 2",
        commands: KATA,
        told: "kata-time_settings canadian 10 20 2",
        // 3 s into the first period with one of its two stones; the second fills the next period.
        moves: &[
            ("10 0", "10 0", 9.0),
            ("1 0", "9.75 0", 4.0),
            ("17 1", "9.5 0", 16.5),
            ("20 2", "9.25 0", 19.0),
        ],
        longest: 1.0,
    },
    Case {
        clock: "canadian 0 20 2",
        commands: STANDARD,
        told: "time_settings 0 20 2",
        moves: &[
            ("20 2", "20 2", 2.5),
            ("17 1", "19 1", 17.5),
            ("20 2", "20 2", 0.0),
        ],
        longest: 20.0,
    },
    Case {
        clock: "fischer 10 1",
        commands: KATA,
        told: "kata-time_settings fischer 10 1",
        moves: &[
            ("10 0", "10 0", 4.0),
            ("7 0", "10.75 0", 7.0),
            ("1 0", "11.5 0", 0.5),
        ],
        longest: 1.5,
    },
    Case {
        clock: "fischer-capped 10 3 11 5",
        commands: KATA,
        told: "kata-time_settings fischer-capped 10 3 11 5",
        moves: &[
            ("10 0", "10 0", 1.0),
            ("11 0", "11 0", 5.0),
            ("9 0", "11 0", 0.5),
        ],
        longest: 5.0,
    },
    Case {
        clock: "fischer-capped 4 1 -1 5",
        commands: KATA,
        told: "kata-time_settings fischer-capped 4 1 -1 5",
        moves: &[("4 0", "4 0", 4.0)],
        longest: 1.0,
    },
];

impl Case {
    /// The game in which Black takes so long for the last move, and Black as it was in it.
    fn play(&self, last: f64) -> (GameOutcome, Scripted) {
        let mut seconds: Vec<_> = self.moves.iter().map(|&(_, _, taken)| taken).collect();
        seconds.push(last);
        let black = walker(self.commands, &seconds);
        let replies = ["A1", "B1", "C1", "D1", "E1"].map(|mv| Ponder(0.25, mv));
        let white = Scripted {
            commands: self.commands,
            ..Scripted::new(&replies)
        };
        let mut contest = timed(self.clock, 1);
        contest.conditions.max_moves = 2 * seconds.len();
        let (_, mut games) = play(&contest, &black, &white);
        (games.remove(0).1.outcome, black)
    }
}

#[test]
fn each_system_is_told_and_shown() {
    for case in &CASES {
        let (_, black) = case.play(0.0);
        let mut expected = vec![case.told.to_owned()];
        for (own, other, _) in case.moves {
            expected.push(format!("time_left black {own}"));
            expected.push(format!("time_left white {other}"));
            expected.push("genmove black".to_owned());
        }
        let commands = ["time_", "kgs-", "kata-", "genmove"];
        let mut found = heard(&black, &commands);
        found.truncate(expected.len());
        assert_eq!(found, expected, "{}", case.clock);
    }
}

#[test]
fn a_hundredth_of_a_second_too_much_loses() {
    for case in &CASES {
        let (in_time, _) = case.play(case.longest);
        assert_eq!(in_time, GameOutcome::TooLong, "{}", case.clock);
        let (late, _) = case.play(case.longest + 0.01);
        let expected = Fault::TimeExceeded {
            allowed: Duration::from_secs_f64(case.longest),
            elapsed: Duration::from_secs_f64(case.longest + 0.01),
        };
        match &late {
            GameOutcome::Won {
                winner: Color::White,
                reason: WinReason::Fault(fault),
            } => assert_eq!(fault, &expected, "{}", case.clock),
            other => panic!("{}: expected a fault, found {other:?}", case.clock),
        }
        assert_eq!(late.result_text(), "W+T");
    }
}
