//! How long one move should take: a pure function of the clock and of how far the game has come.
//!
//! Main time is dealt out by weight: the opening and above all the middle game get more than the endgame, and the
//! weights go on beyond the usual length of a game so that there is always something left. A search may go on past its
//! target, when the choice is unclear, up to the limit; taking the limit on every move must not lose on time either.

use std::time::Duration;

use super::game_clock::{Clock, TimeLeft};
use super::time_control::{MAX_SECONDS, TimeControl};
use crate::game::color::Color;

/// How far the game has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stage {
    /// Points of the board.
    pub area: usize,
    /// Moves of both players so far.
    pub move_number: u32,
}

/// The time for one move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeBudget {
    /// What the move should take.
    pub target: Duration,
    /// What it must never exceed; not less than the target.
    pub limit: Duration,
    /// Whether time that it does not take is there for later moves.
    pub carries_over: bool,
}

/// Weight of a move by how many moves were made before it, in boards (a move number divided by the area); straight
/// lines between these.
const WEIGHTS: [(f64, f64); 6] = [
    (0.0, 0.7),
    (0.05, 1.2),
    (0.3, 1.2),
    (0.6, 0.4),
    (0.8, 0.15),
    (f64::INFINITY, 0.15),
];
/// When main time has to last to the end: how many boards of moves a game may take.
const ABSOLUTE_HORIZON: f64 = 1.1;
/// When overtime follows: main time goes on this part of the game, the rest is quick.
const PRE_OVERTIME_HORIZON: f64 = 0.7;
/// Own moves that the main time must last for, however long the game has been already.
const MIN_MOVES: usize = 10;
/// Own moves whose lag is kept back, however long the game has been already.
const MIN_LAG_MOVES: usize = 40;
/// How many boards of moves the lag is kept back for: the longest games that are played out.
const LAG_HORIZON: f64 = 1.3;
/// An unclear move may take this many times its target.
const MAX_TARGET_FACTOR: f64 = 3.0;
/// But not more than this part of what the clock shows.
const MAX_CLOCK_SHARE: f64 = 0.25;
/// Of a clock that the lag alone may eat up, this part is still dealt out evenly to think.
const MIN_THINKING_SHARE: f64 = 0.1;
/// The part of a Fischer clock that one move may use: an empty clock would leave the next move the increment alone.
const MAX_FISCHER_SHARE: f64 = 0.9;

/// Of a period that ends with the next move, this part stays unused, at most [`MAX_MARGIN`]: it is worth little, and a
/// machine that is busy with something else for a moment must not lose the game.
const MARGIN_SHARE: f64 = 0.03;
/// The same of what earlier stones have left of a period to its last one, which is more than a stone's share.
const LAST_STONE_MARGIN_SHARE: f64 = 0.25;
/// In seconds.
const MAX_MARGIN: f64 = 1.0;
/// Of such a period, the most that is kept back because answers have been late.
const MAX_LATENESS_SHARE: f64 = 0.5;

/// The time for the next move of `color`; `None` when there is no limit.
pub fn budget(clock: &Clock, color: Color, stage: Stage) -> Option<TimeBudget> {
    let time_left = match clock.time_left(color)? {
        // Overtime begins with this move.
        TimeLeft::Main(0.0) => {
            TimeLeft::overtime(clock.time_control()).unwrap_or(TimeLeft::Main(0.0))
        }
        time_left => time_left,
    };
    let (target, limit) = target_and_limit(time_left, clock, stage);
    let target = target.clamp(0.0, MAX_SECONDS);
    let carries_over = match time_left {
        TimeLeft::Main(_) => true,
        TimeLeft::Stones { stones, .. } => stones > 1,
        TimeLeft::Periods { .. } => false,
    };
    Some(TimeBudget {
        carries_over,
        target: Duration::from_secs_f64(target),
        limit: Duration::from_secs_f64(limit.clamp(target, MAX_SECONDS)),
    })
}

/// What a move should take and must not exceed, in seconds.
fn target_and_limit(time_left: TimeLeft, clock: &Clock, stage: Stage) -> (f64, f64) {
    let lag = clock.lag();
    match (time_left, *clock.time_control()) {
        (TimeLeft::Stones { seconds, stones: 1 }, TimeControl::Canadian { stones, .. })
            if stones > 1 =>
        {
            last_stone_budget(seconds, clock)
        }
        (TimeLeft::Stones { seconds, stones: 1 } | TimeLeft::Periods { seconds, .. }, _) => {
            period_budget(seconds, clock)
        }
        (TimeLeft::Stones { seconds, stones }, _) => {
            stones_budget(seconds, stones, lag + clock.lateness())
        }
        (TimeLeft::Main(main), TimeControl::Canadian { period, stones, .. }) => {
            let rate = period / f64::from(stones);
            let margin = match stones {
                1 => safety_margin(period, clock),
                _ => lag + clock.lateness(),
            };
            pre_overtime_budget(main, rate, margin, stage)
        }
        (TimeLeft::Main(main), TimeControl::ByoYomi { period, .. }) => {
            pre_overtime_budget(main, period, safety_margin(period, clock), stage)
        }
        (TimeLeft::Main(main), TimeControl::Fischer { increment, .. }) => {
            fischer_budget(main, increment, clock, stage)
        }
        (
            TimeLeft::Main(main),
            TimeControl::FischerCapped {
                increment,
                clock_limit,
                move_limit,
                ..
            },
        ) => {
            let uncapped = fischer_budget(main, increment, clock, stage);
            // Time above the ceiling would be lost when the increment comes.
            let excess = clock_limit.map_or(0.0, |ceiling| main + increment - ceiling - lag);
            let usable = |seconds: f64| seconds - safety_margin(seconds, clock);
            let max_time = usable(main).min(move_limit.map_or(f64::INFINITY, usable));
            let clamped = |seconds: f64| seconds.max(excess).min(max_time);
            (clamped(uncapped.0), clamped(uncapped.1))
        }
        (TimeLeft::Main(main), TimeControl::Absolute { .. } | TimeControl::Unlimited) => {
            absolute_budget(main, lag + clock.lateness(), stage)
        }
    }
}

/// Main time that has to last for the whole game, and pay for the lag of all its moves, lateness included.
fn absolute_budget(main: f64, lag: f64, stage: Stage) -> (f64, f64) {
    let shares = Shares::new(stage, ABSOLUTE_HORIZON);
    let usable = (main - lag * shares.lag_moves as f64).max(0.0);
    let min_target = (main - lag).max(0.0) * MIN_THINKING_SHARE / shares.lag_moves as f64;
    let target = (usable * shares.next_share).max(min_target);
    let limit = (target * MAX_TARGET_FACTOR).min(usable * MAX_CLOCK_SHARE);
    (target, limit.max(target))
}

fn fischer_budget(main: f64, increment: f64, clock: &Clock, stage: Stage) -> (f64, f64) {
    let lag = clock.lag() + clock.lateness();
    // The increment pays the lag first, then thinking; what it cannot pay of the lag the main time must.
    let net_increment = (increment - lag).max(0.0);
    let (target, limit) = absolute_budget(main, (lag - increment).max(0.0), stage);
    // The increment comes after the move: until then the clock must hold all of it.
    let usable = main - safety_margin(main, clock);
    let max_time = ((main - lag) * MAX_FISCHER_SHARE).min(usable).max(0.0);
    (
        (net_increment + target).min(max_time),
        (net_increment + limit).min(max_time),
    )
}

/// Main time with overtime to follow, worth `rate` seconds a move: never less than that, since main time saved for a
/// late move would only replace overtime there. A move may run from main time over into the first period.
fn pre_overtime_budget(main: f64, rate: f64, lag: f64, stage: Stage) -> (f64, f64) {
    let shares = Shares::new(stage, PRE_OVERTIME_HORIZON);
    let max_time = main + rate - lag;
    let target = (main * shares.next_share).max(rate - lag).min(max_time);
    let limit = (target * MAX_TARGET_FACTOR).min(main * MAX_CLOCK_SHARE);
    (target, limit.max(target).min(max_time))
}

fn stones_budget(seconds: f64, stones: u32, lag: f64) -> (f64, f64) {
    let usable = (seconds - lag * f64::from(stones)).max(0.0);
    let target = usable / f64::from(stones);
    (target, (target * MAX_TARGET_FACTOR).min(usable / 2.0))
}

/// A period not used up comes back whole, so all of it may go.
fn period_budget(seconds: f64, clock: &Clock) -> (f64, f64) {
    let usable = (seconds - safety_margin(seconds, clock)).max(0.0);
    (usable, usable)
}

/// The last of several stones, with what they have left of a period: all of it, but what it takes to be late once more.
fn last_stone_budget(seconds: f64, clock: &Clock) -> (f64, f64) {
    let margin = (LAST_STONE_MARGIN_SHARE * seconds).min(MAX_MARGIN);
    let usable = (seconds - clock.lag().max(margin) - clock.lateness()).max(0.0);
    (usable, usable)
}

/// What is kept back of a time that ends with the move and the rest of which is lost.
fn safety_margin(period: f64, clock: &Clock) -> f64 {
    let margin = (MARGIN_SHARE * period).min(MAX_MARGIN);
    clock.lag().max(margin) + clock.lateness().min(MAX_LATENESS_SHARE * period)
}

/// The next move's part of the main time.
struct Shares {
    /// Own moves whose lag has to be kept back.
    lag_moves: usize,
    /// The next move's part of what is left for all of them.
    next_share: f64,
}

impl Shares {
    /// Shares until so many boards of moves have been made, but at least for [`MIN_MOVES`].
    fn new(stage: Stage, horizon: f64) -> Self {
        let area = stage.area as f64;
        let moves_played = f64::from(stage.move_number);
        let own_moves_until =
            |boards: f64| ((boards * area - moves_played) / 2.0).max(0.0) as usize;
        let moves = own_moves_until(horizon).max(MIN_MOVES);
        let weight_after = |own: usize| weight((moves_played + 2.0 * own as f64) / area);
        let sum: f64 = (0..moves).map(weight_after).sum();
        Self {
            lag_moves: own_moves_until(LAG_HORIZON).max(MIN_LAG_MOVES),
            next_share: weight_after(0) / sum,
        }
    }
}

/// The weight of a move made after so many boards of moves.
fn weight(boards: f64) -> f64 {
    let mut lower = WEIGHTS[0];
    for upper in WEIGHTS {
        if boards < upper.0 {
            let fraction = (boards - lower.0) / (upper.0 - lower.0);
            return lower.1 + fraction * (upper.1 - lower.1);
        }
        lower = upper;
    }
    lower.1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock(arguments: &str, lag: f64) -> Clock {
        let arguments: Vec<_> = arguments.split(' ').collect();
        Clock::new(TimeControl::from_kata(&arguments).unwrap(), lag)
    }

    fn stage(move_number: u32) -> Stage {
        Stage {
            area: 361,
            move_number,
        }
    }

    fn at(arguments: &str, move_number: u32) -> Option<(f64, f64)> {
        let budget = budget(&clock(arguments, 0.2), Color::Black, stage(move_number))?;
        Some((budget.target.as_secs_f64(), budget.limit.as_secs_f64()))
    }

    #[test]
    fn unlimited_time_has_no_budget() {
        assert_eq!(at("none", 10), None);
    }

    #[test]
    fn middle_game_gets_most_time() {
        let target = |move_number| at("absolute 1800", move_number).unwrap().0;
        // From the same clock: dividing by the weights still to come would hide the weights themselves.
        assert!(target(40) > 1.3 * target(0));
        let early = at("byoyomi 1800 1 1", 40).unwrap().0;
        assert!(early > 10.0, "{early}");
        assert!(weight(0.2) > weight(0.02) && weight(0.02) > weight(0.7));
        assert!((weight(0.45) - 0.8).abs() < 1e-9 && weight(9.0) == 0.15);
    }

    #[test]
    fn overtime_periods_are_fully_used() {
        assert_eq!(
            at("byoyomi 0 30 1", 100),
            Some((29.1, 29.1)),
            "3 % to spare"
        );
        assert_eq!(
            at("byoyomi 0 60 1", 100),
            Some((59.0, 59.0)),
            "but a second at most"
        );
        assert_eq!(at("canadian 0 30 1", 100), Some((29.1, 29.1)));
        assert_eq!(at("canadian 0 1 1", 100), Some((0.8, 0.8)));
        let (target, limit) = at("canadian 0 100 10", 100).unwrap();
        assert!((target - 9.8).abs() < 0.1, "{target}");
        assert!(limit < 110.0, "{limit}");
        let mut last = clock("canadian 0 2 2", 0.0);
        last.set_time_left(Color::Black, 1.0, 1);
        let last = budget(&last, Color::Black, stage(100)).unwrap();
        assert_eq!(last.target.as_secs_f64(), 0.75, "a quarter to spare");
    }

    #[test]
    fn one_stone_canadian_equals_byo_yomi() {
        for main in ["0.25", "1", "60", "1800"] {
            let times = ["canadian", "byoyomi"].map(|name| at(&format!("{name} {main} 30 1"), 100));
            assert_eq!(times[0], times[1], "{main}");
        }
    }

    #[test]
    fn lateness_reduces_period_budget() {
        let target = |arguments: &str, lateness: f64| {
            let mut clock = clock(arguments, 0.25);
            clock.charge(Color::White, 0.0);
            clock.record_lateness(lateness);
            let budget = budget(&clock, Color::White, stage(100)).unwrap();
            budget.target.as_secs_f64()
        };
        for arguments in ["byoyomi 0 4 1", "canadian 0 4 1"] {
            assert_eq!(target(arguments, 0.0), 3.75, "{arguments}");
            assert_eq!(target(arguments, 0.375), 3.375, "{arguments}");
        }
        assert_eq!(target("byoyomi 0 0.75 1", 0.5), 0.125, "half at most");
    }

    #[test]
    fn unused_time_carries_over() {
        let carries_over = |arguments: &str, spent: f64| {
            let mut clock = clock(arguments, 0.0);
            clock.charge(Color::White, spent);
            budget(&clock, Color::White, stage(1)).map(|budget| budget.carries_over)
        };
        assert_eq!(carries_over("none", 1.0), None);
        for arguments in [
            "absolute 9",
            "fischer 9 1",
            "byoyomi 9 5 1",
            "canadian 9 5 3",
        ] {
            assert_eq!(carries_over(arguments, 1.0), Some(true), "{arguments}");
        }
        assert_eq!(carries_over("byoyomi 9 5 1", 10.0), Some(false));
        assert_eq!(
            carries_over("canadian 9 5 3", 10.0),
            Some(true),
            "two stones to go"
        );
        assert_eq!(carries_over("canadian 0 5 1", 1.0), Some(false));
        for arguments in ["canadian 0 5 1", "byoyomi 0 5 3"] {
            let first = budget(&clock(arguments, 0.0), Color::White, stage(1)).unwrap();
            assert!(!first.carries_over, "{arguments}, the first move");
        }
    }

    #[test]
    fn empty_clock_has_zero_budget() {
        for arguments in [
            "absolute 0",
            "absolute 0.1",
            "fischer 0 10",
            "canadian 0 0.1 1",
        ] {
            assert_eq!(at(arguments, 0), Some((0.0, 0.0)), "{arguments}");
        }
    }

    #[test]
    fn fischer_caps_limit_the_budget() {
        let (_, limit) = at("fischer-capped 600 30 -1 10", 60).unwrap();
        assert!((limit - 9.7).abs() < 1e-9, "3 % to spare");
        let (_, limit) = at("fischer-capped 10 10 10 10", 60).unwrap();
        assert!(
            (limit - 9.7).abs() < 1e-9,
            "3 % to spare of what would be lost"
        );
        let (target, _) = at("fischer-capped 600 30 600 -1", 60).unwrap();
        assert!(target >= 29.8, "the increment would be lost: {target}");
    }
}
