//! Time budget: target and limit for one move, computed from the clock and the progress of the game.
//!
//! Main time is distributed over the moves by weight. Moves in the opening and especially in the middle game have
//! larger weights than moves in the endgame. The weights continue past the usual length of a game, so that some time
//! remains even in long games. A search may exceed its target, up to the limit, if the choice of move is unclear. The
//! engine does not lose on time even if every move uses its full limit.

use std::time::Duration;

use super::game_clock::{GameClock, TimeLeft};
use super::time_control::{MAX_SECONDS, Overtime};
use crate::game::color::Color;

/// Progress of the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GameProgress {
    /// Number of points on the board.
    pub area: usize,
    /// Total number of moves that both players have played so far.
    pub move_number: u32,
}

/// Time budget for one move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeBudget {
    /// Intended duration of the move.
    pub target: Duration,
    /// Maximum duration of the move, at least `target`.
    pub limit: Duration,
    /// True if unused time remains available for later moves.
    pub carries_over: bool,
}

/// Weights of moves for the distribution of main time. The first number of each pair is the number of moves played
/// before the move, divided by the board area; the second is the weight. Between these pairs, the weight is
/// interpolated linearly.
const MOVE_WEIGHTS: [(f64, f64); 6] = [
    (0.0, 0.7),
    (0.05, 1.2),
    (0.3, 1.2),
    (0.6, 0.4),
    (0.8, 0.15),
    (f64::INFINITY, 0.15),
];
/// Expected length of a game, as a multiple of the board area. Without overtime, main time is distributed up to this
/// move number.
const ABSOLUTE_HORIZON_PER_POINT: f64 = 1.1;
/// Move number up to which main time is distributed if overtime follows, as a multiple of the board area.
const OVERTIME_HORIZON_PER_POINT: f64 = 0.7;
/// Minimum number of the engine's own moves over which main time is distributed.
const MIN_MAIN_TIME_MOVES: usize = 10;
/// Minimum number of the engine's own moves for which lag is reserved.
const MIN_LAG_MOVES: usize = 40;
/// Move number up to which lag is reserved, as a multiple of the board area. It covers games that are played to the
/// very end.
const LAG_HORIZON_PER_POINT: f64 = 1.3;
/// Maximum ratio of the limit to the target.
const MAX_LIMIT_TO_TARGET_RATIO: f64 = 3.0;
/// Maximum fraction of the main time for one move, unless the target of the move is larger.
const MAX_MAIN_TIME_SHARE: f64 = 0.25;
/// Minimum fraction of the remaining time to use for thinking, even if lag could use up all of it. This time is divided
/// evenly among the moves for which lag is reserved.
const MIN_THINKING_SHARE: f64 = 0.1;
/// Maximum fraction of the time on a Fischer clock for one move. If a move used the whole time, the next move would
/// have only the increment.
const MAX_FISCHER_SHARE: f64 = 0.9;

/// Fraction of a period that remains unused, up to [`MAX_MARGIN`], so that a short delay of the machine does not lose
/// the game. The margin costs little strength.
const MARGIN_SHARE: f64 = 0.03;
/// Like [`MARGIN_SHARE`], but for the last stone of a Canadian period, which may have much more time than an average
/// stone.
const LAST_STONE_MARGIN_SHARE: f64 = 0.25;
/// Maximum safety margin in seconds.
const MAX_MARGIN: f64 = 1.0;
/// Maximum fraction of a period that is reserved because earlier moves were late.
const MAX_LATENESS_SHARE: f64 = 0.5;

/// Returns the budget for the next move of `color`, or `None` if the time is unlimited.
pub fn budget(clock: &GameClock, color: Color, progress: GameProgress) -> Option<TimeBudget> {
    let overtime = clock.time_control().overtime;
    let mut time_left = clock.time_left(color)?;
    if time_left == TimeLeft::in_main_time(0.0) {
        // Overtime starts with this move.
        time_left = TimeLeft::at_overtime_start(clock.time_control()).unwrap_or(time_left);
    }
    let (target, limit) = target_and_limit(time_left, clock, progress);
    let target = target.clamp(0.0, MAX_SECONDS);
    Some(TimeBudget {
        carries_over: match overtime {
            Overtime::ByoYomi { .. } => time_left.is_in_main_time(),
            _ => time_left.stones_or_periods != 1,
        },
        target: Duration::from_secs_f64(target),
        limit: Duration::from_secs_f64(limit.clamp(target, MAX_SECONDS)),
    })
}

/// Returns the target and the limit, in seconds, before they are restricted to valid durations.
fn target_and_limit(time_left: TimeLeft, clock: &GameClock, progress: GameProgress) -> (f64, f64) {
    let delay = clock.lag() + clock.lateness();
    let seconds = time_left.seconds;
    match (clock.time_control().overtime, time_left.stones_or_periods) {
        (Overtime::None, 0) => absolute_budget(seconds, delay, progress),
        (Overtime::Canadian { period, stones }, 0) => {
            let margin = match stones {
                1 => safety_margin(period, clock),
                _ => delay,
            };
            pre_overtime_budget(seconds, period / f64::from(stones), margin, progress)
        }
        (Overtime::ByoYomi { period, .. }, 0) => {
            pre_overtime_budget(seconds, period, safety_margin(period, clock), progress)
        }
        (
            Overtime::Fischer {
                increment,
                clock_limit,
                move_limit,
            },
            0,
        ) => {
            let uncapped = fischer_budget(seconds, increment, clock, progress);
            // Time above the clock limit is lost when the increment is added.
            let excess =
                clock_limit.map_or(0.0, |ceiling| seconds + increment - ceiling - clock.lag());
            let usable = |seconds: f64| seconds - safety_margin(seconds, clock);
            let max_time = usable(seconds).min(move_limit.map_or(f64::INFINITY, usable));
            let clamped = |seconds: f64| seconds.max(excess).min(max_time);
            (clamped(uncapped.0), clamped(uncapped.1))
        }
        (Overtime::Canadian { stones: 2.., .. }, 1) => last_stone_budget(seconds, clock),
        (Overtime::ByoYomi { .. }, _) | (_, 1) => period_budget(seconds, clock),
        (_, stones) => stones_budget(seconds, stones, delay),
    }
}

/// Returns the target and the limit, in seconds, for a move if `main` seconds must last for the rest of the game. Each
/// move also costs `delay` seconds in addition to its thinking time.
fn absolute_budget(main: f64, delay: f64, progress: GameProgress) -> (f64, f64) {
    let shares = MainTimeDistribution::new(progress, ABSOLUTE_HORIZON_PER_POINT);
    let usable = (main - delay * shares.lag_moves as f64).max(0.0);
    let min_target = (main - delay).max(0.0) * MIN_THINKING_SHARE / shares.lag_moves as f64;
    let target = (usable * shares.next_share).max(min_target);
    let limit = (target * MAX_LIMIT_TO_TARGET_RATIO).min(usable * MAX_MAIN_TIME_SHARE);
    (target, limit.max(target))
}

fn fischer_budget(
    main: f64,
    increment: f64,
    clock: &GameClock,
    progress: GameProgress,
) -> (f64, f64) {
    let delay = clock.lag() + clock.lateness();
    // The increment first pays for the delay, then for thinking. If the increment is smaller than the delay, main time
    // pays the difference.
    let net_increment = (increment - delay).max(0.0);
    let (target, limit) = absolute_budget(main, (delay - increment).max(0.0), progress);
    // The increment is added after the move, so the whole move must fit into the time on the clock.
    let usable = main - safety_margin(main, clock);
    let max_time = ((main - delay) * MAX_FISCHER_SHARE).min(usable).max(0.0);
    (
        (net_increment + target).min(max_time),
        (net_increment + limit).min(max_time),
    )
}

/// Returns the target and the limit, in seconds, for a move with `main` seconds of main time left, if the overtime that
/// follows allows `rate` seconds per move, of which `reserve` seconds are not used.
///
/// The target is never below `rate` minus `reserve`: main time saved by a faster move would only replace overtime of a
/// later move. A move may continue from main time into the first period.
fn pre_overtime_budget(main: f64, rate: f64, reserve: f64, progress: GameProgress) -> (f64, f64) {
    let shares = MainTimeDistribution::new(progress, OVERTIME_HORIZON_PER_POINT);
    let max_time = main + rate - reserve;
    let target = (main * shares.next_share).max(rate - reserve).min(max_time);
    let limit = (target * MAX_LIMIT_TO_TARGET_RATIO).min(main * MAX_MAIN_TIME_SHARE);
    (target, limit.max(target).min(max_time))
}

fn stones_budget(seconds: f64, stones: u32, delay: f64) -> (f64, f64) {
    let usable = (seconds - delay * f64::from(stones)).max(0.0);
    let target = usable / f64::from(stones);
    (
        target,
        (target * MAX_LIMIT_TO_TARGET_RATIO).min(usable / 2.0),
    )
}

/// Returns the target and the limit, in seconds, for a move with `seconds` left in a period that is restored after each
/// move played in time, as in byo-yomi. The move can therefore use the whole period.
fn period_budget(seconds: f64, clock: &GameClock) -> (f64, f64) {
    let usable = (seconds - safety_margin(seconds, clock)).max(0.0);
    (usable, usable)
}

/// Returns the target and the limit, in seconds, for the last stone of a Canadian period: all of the remaining
/// `seconds` except a reserve in case the move is late.
fn last_stone_budget(seconds: f64, clock: &GameClock) -> (f64, f64) {
    let margin = (LAST_STONE_MARGIN_SHARE * seconds).min(MAX_MARGIN);
    let usable = (seconds - clock.lag().max(margin) - clock.lateness()).max(0.0);
    (usable, usable)
}

/// Returns the part of `period` that a move leaves unused as a reserve if it could otherwise use the whole period. Both
/// times are in seconds.
fn safety_margin(period: f64, clock: &GameClock) -> f64 {
    let margin = (MARGIN_SHARE * period).min(MAX_MARGIN);
    clock.lag().max(margin) + clock.lateness().min(MAX_LATENESS_SHARE * period)
}

/// Distribution of main time over the remaining moves.
struct MainTimeDistribution {
    /// Number of the engine's own moves for which lag is reserved.
    lag_moves: usize,
    /// Fraction of main time for the next move.
    next_share: f64,
}

impl MainTimeDistribution {
    /// Distributes main time over the engine's own moves up to move number `horizon * area`, but at least over
    /// [`MIN_MAIN_TIME_MOVES`] moves.
    fn new(progress: GameProgress, horizon: f64) -> Self {
        let area = progress.area as f64;
        let moves_played = f64::from(progress.move_number);
        let own_moves_until = |moves_per_point: f64| {
            ((moves_per_point * area - moves_played) / 2.0).max(0.0) as usize
        };
        let moves = own_moves_until(horizon).max(MIN_MAIN_TIME_MOVES);
        let weight_after = |own: usize| move_weight((moves_played + 2.0 * own as f64) / area);
        let sum: f64 = (0..moves).map(weight_after).sum();
        Self {
            lag_moves: own_moves_until(LAG_HORIZON_PER_POINT).max(MIN_LAG_MOVES),
            next_share: weight_after(0) / sum,
        }
    }
}

/// Returns the weight of a move. `moves_per_point` is the number of moves played before it, divided by the board area.
fn move_weight(moves_per_point: f64) -> f64 {
    let mut lower = MOVE_WEIGHTS[0];
    for upper in MOVE_WEIGHTS {
        if moves_per_point < upper.0 {
            let fraction = (moves_per_point - lower.0) / (upper.0 - lower.0);
            return lower.1 + fraction * (upper.1 - lower.1);
        }
        lower = upper;
    }
    lower.1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::time_control::TimeControl;

    fn clock(arguments: &str, lag: f64) -> GameClock {
        let arguments: Vec<_> = arguments.split(' ').collect();
        GameClock::new(TimeControl::from_kata(&arguments).unwrap(), lag)
    }

    fn progress(move_number: u32) -> GameProgress {
        GameProgress {
            area: 361,
            move_number,
        }
    }

    fn at(arguments: &str, move_number: u32) -> Option<(f64, f64)> {
        let budget = budget(&clock(arguments, 0.2), Color::Black, progress(move_number))?;
        Some((budget.target.as_secs_f64(), budget.limit.as_secs_f64()))
    }

    #[test]
    fn unlimited_time_has_no_budget() {
        assert_eq!(at("none", 10), None);
    }

    #[test]
    fn middle_game_gets_most_time() {
        let target = |move_number| at("absolute 1800", move_number).unwrap().0;
        // Both targets are for the same time left. The later one is larger also because fewer moves remain.
        assert!(target(40) > 1.3 * target(0));
        let early = at("byoyomi 1800 1 1", 40).unwrap().0;
        assert!(early > 10.0, "{early}");
        assert!(move_weight(0.2) > move_weight(0.02) && move_weight(0.02) > move_weight(0.7));
        assert!((move_weight(0.45) - 0.8).abs() < 1e-9 && move_weight(9.0) == 0.15);
    }

    #[test]
    fn overtime_periods_are_fully_used() {
        assert_eq!(at("byoyomi 0 30 1", 100), Some((29.1, 29.1)), "3 % unused");
        assert_eq!(
            at("byoyomi 0 60 1", 100),
            Some((59.0, 59.0)),
            "at most one second unused"
        );
        assert_eq!(at("canadian 0 30 1", 100), Some((29.1, 29.1)));
        assert_eq!(at("canadian 0 1 1", 100), Some((0.8, 0.8)));
        let (target, limit) = at("canadian 0 100 10", 100).unwrap();
        assert!((target - 9.8).abs() < 0.1, "{target}");
        assert!(limit < 110.0, "{limit}");
        let mut last = clock("canadian 0 2 2", 0.0);
        last.set_time_left(Color::Black, 1.0, 1);
        let last = budget(&last, Color::Black, progress(100)).unwrap();
        assert_eq!(last.target.as_secs_f64(), 0.75, "a quarter unused");
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
            clock.record_move_time(Color::White, 0.0);
            clock.record_lateness(lateness);
            let budget = budget(&clock, Color::White, progress(100)).unwrap();
            budget.target.as_secs_f64()
        };
        for arguments in ["byoyomi 0 4 1", "canadian 0 4 1"] {
            assert_eq!(target(arguments, 0.0), 3.75, "{arguments}");
            assert_eq!(target(arguments, 0.375), 3.375, "{arguments}");
        }
        assert_eq!(target("byoyomi 0 0.75 1", 0.5), 0.125, "at most half");
    }

    #[test]
    fn unused_time_carries_over() {
        let carries_over = |arguments: &str, spent: f64| {
            let mut clock = clock(arguments, 0.0);
            clock.record_move_time(Color::White, spent);
            budget(&clock, Color::White, progress(1)).map(|budget| budget.carries_over)
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
            "two stones left"
        );
        assert_eq!(carries_over("canadian 0 5 1", 1.0), Some(false));
        for arguments in ["canadian 0 5 1", "byoyomi 0 5 3"] {
            let first = budget(&clock(arguments, 0.0), Color::White, progress(1)).unwrap();
            assert!(!first.carries_over, "first move of {arguments}");
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
        assert!((limit - 9.7).abs() < 1e-9, "3 % unused");
        let (_, limit) = at("fischer-capped 10 10 10 10", 60).unwrap();
        assert!((limit - 9.7).abs() < 1e-9, "3 % of the excess unused");
        let (target, _) = at("fischer-capped 600 30 600 -1", 60).unwrap();
        assert!(target >= 29.8, "the increment would be lost: {target}");
    }
}
