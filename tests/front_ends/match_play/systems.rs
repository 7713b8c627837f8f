//! Every time system in a game computed by hand: the time commands received, and the maximum time for the last move.

use std::time::Duration;

use honinbo::game::color::Color;
use honinbo::match_play::game::{Fault, GameOutcome};

use crate::match_play::scripted::Step::RespondAfter;
use crate::match_play::scripted::{
    KATA, KGS, STANDARD, Scripted, play, received, timed_config, timed_player,
};

/// A game as seen by Black. White uses 0.25 s per move.
struct Case {
    clock: &'static str,
    commands: &'static str,
    /// Command that sets the time control.
    settings_command: &'static str,
    /// For each of Black's moves: seconds and third argument of `time_left` for Black and for White before the move,
    /// and Black's thinking time.
    moves: &'static [(&'static str, &'static str, f64)],
    /// Maximum thinking time of Black's next move, which is the last one.
    max_time: f64,
}

/// Computed by hand from the rules of each system.
const CASES: [Case; 9] = [
    Case {
        clock: "absolute 10",
        commands: KATA,
        settings_command: "kata-time_settings absolute 10",
        moves: &[
            ("10 0", "10 0", 4.25),
            ("5.75 0", "9.75 0", 5.5),
            ("0.25 0", "9.5 0", 0.25),
        ],
        max_time: 0.0,
    },
    Case {
        clock: "absolute 10",
        commands: STANDARD,
        settings_command: "time_settings 10 0 0",
        moves: &[("10 0", "10 0", 4.25), ("5 0", "9 0", 5.5)],
        max_time: 0.25,
    },
    Case {
        clock: "byoyomi 10 5 3",
        commands: KATA,
        settings_command: "kata-time_settings byoyomi 10 5 3",
        // 2 s of main time and 6.5 s of overtime: one period is used up. Exactly one period is not lost, more than one
        // is.
        moves: &[
            ("10 0", "10 0", 8.0),
            ("2 0", "9.75 0", 8.5),
            ("5 2", "9.5 0", 5.0),
            ("5 2", "9.25 0", 5.5),
        ],
        max_time: 5.0,
    },
    Case {
        clock: "byoyomi 0.25 5.5 2",
        commands: KGS,
        settings_command: "kgs-time_settings byoyomi 0 5 2",
        // In whole seconds, the main time of 0.25 s is zero, so overtime is sent.
        moves: &[("5 2", "5 2", 5.5), ("5 2", "5 2", 6.0)],
        max_time: 5.5,
    },
    Case {
        clock: "canadian 10 20 2",
        commands: KATA,
        settings_command: "kata-time_settings canadian 10 20 2",
        // One stone played, 3 s into the first period of two stones; the last move nearly fills the next period.
        moves: &[
            ("10 0", "10 0", 9.0),
            ("1 0", "9.75 0", 4.0),
            ("17 1", "9.5 0", 16.5),
            ("20 2", "9.25 0", 19.0),
        ],
        max_time: 1.0,
    },
    Case {
        clock: "canadian 0 20 2",
        commands: STANDARD,
        settings_command: "time_settings 0 20 2",
        moves: &[
            ("20 2", "20 2", 2.5),
            ("17 1", "19 1", 17.5),
            ("20 2", "20 2", 0.0),
        ],
        max_time: 20.0,
    },
    Case {
        clock: "fischer 10 1",
        commands: KATA,
        settings_command: "kata-time_settings fischer 10 1",
        moves: &[
            ("10 0", "10 0", 4.0),
            ("7 0", "10.75 0", 7.0),
            ("1 0", "11.5 0", 0.5),
        ],
        max_time: 1.5,
    },
    Case {
        clock: "fischer-capped 10 3 11 5",
        commands: KATA,
        settings_command: "kata-time_settings fischer-capped 10 3 11 5",
        moves: &[
            ("10 0", "10 0", 1.0),
            ("11 0", "11 0", 5.0),
            ("9 0", "11 0", 0.5),
        ],
        max_time: 5.0,
    },
    Case {
        clock: "fischer-capped 4 1 -1 5",
        commands: KATA,
        settings_command: "kata-time_settings fischer-capped 4 1 -1 5",
        moves: &[("4 0", "4 0", 4.0)],
        max_time: 1.0,
    },
];

impl Case {
    /// Plays the game with `last` seconds for Black's last move. Returns the outcome and the engine playing Black.
    fn play(&self, last: f64) -> (GameOutcome, Scripted) {
        let mut seconds: Vec<_> = self.moves.iter().map(|&(_, _, taken)| taken).collect();
        seconds.push(last);
        let black = timed_player(self.commands, &seconds);
        let replies = ["A1", "B1", "C1", "D1", "E1"].map(|mv| RespondAfter(0.25, mv));
        let white = Scripted {
            commands: self.commands,
            ..Scripted::new(&replies)
        };
        let mut config = timed_config(self.clock, 1);
        config.conditions.max_moves = 2 * seconds.len();
        let (_, mut games) = play(&config, &black, &white);
        (games.remove(0).1.outcome, black)
    }
}

#[test]
fn time_commands_match_expected_clocks() {
    for case in &CASES {
        let (_, black) = case.play(0.0);
        let mut expected = vec![case.settings_command.to_owned()];
        for (own, other, _) in case.moves {
            expected.push(format!("time_left black {own}"));
            expected.push(format!("time_left white {other}"));
            expected.push("genmove black".to_owned());
        }
        let commands = ["time_", "kgs-", "kata-", "genmove"];
        let mut found = received(&black, &commands);
        found.truncate(expected.len());
        assert_eq!(found, expected, "{}", case.clock);
    }
}

#[test]
fn exceeding_time_by_ten_milliseconds_loses() {
    for case in &CASES {
        let (in_time, _) = case.play(case.max_time);
        assert_eq!(in_time, GameOutcome::TooLong, "{}", case.clock);
        let (late, _) = case.play(case.max_time + 0.01);
        let expected = Fault::TimeExceeded {
            allowed: Duration::from_secs_f64(case.max_time),
            elapsed: Duration::from_secs_f64(case.max_time + 0.01),
        };
        let fault = Some((Color::Black, &expected));
        assert_eq!(late.fault(), fault, "{}", case.clock);
        assert_eq!(late.result_text(), "W+T");
    }
}
