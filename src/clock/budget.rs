//! How long one move should take: a pure function of the clock and of how far the game has come.
//!
//! Main time is dealt out by weight: the opening and above all the middle game get more than the endgame, and the
//! weights go on beyond the usual length of a game so that there is always something left. A search may go on past its
//! target, when the choice is unclear, up to the limit; taking the limit on every move must not lose on time either.

use std::time::Duration;

use super::settings::{MAX_SECONDS, TimeSettings};
use super::shown::{self, Left};
use super::state::Clock;
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
pub struct Budget {
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
const LONG_GAME: f64 = 1.1;
/// When overtime follows: main time goes on this part of the game, the rest is quick.
const DECIDED: f64 = 0.7;
/// Own moves that the main time must last for, however long the game has been already.
const FEWEST_MOVES: usize = 10;
/// Own moves whose lag is kept back, however long the game has been already.
const FEWEST_LAGS: usize = 40;
/// How many boards of moves the lag is kept back for: the longest games that are played out.
const LONGEST_GAME: f64 = 1.3;
/// An unclear move may take this many times its target.
const OVERRUN: f64 = 3.0;
/// But not more than this part of what the clock shows.
const LARGEST_PART: f64 = 0.25;
/// Of a clock that the lag alone may eat up, this part is still dealt out evenly to think.
const DESPERATE_PART: f64 = 0.1;
/// The part of a Fischer clock that one move may use: an empty clock would leave the next move the increment alone.
const ALMOST_ALL: f64 = 0.9;

/// Of a period that ends with the next move, this part stays unused, at most [`MOST_SPARED`]: it is worth little, and a
/// machine that is busy with something else for a moment must not lose the game.
const SPARED: f64 = 0.03;
/// The same of what earlier stones have left of a period to its last one, which is more than a stone's share.
const SPARED_OF_REST: f64 = 0.25;
/// In seconds.
const MOST_SPARED: f64 = 1.0;
/// Of such a period, the most that is kept back because answers have been late.
const MOST_FOR_LATENESS: f64 = 0.5;

/// The time for the next move of `color`; `None` when there is no limit.
#[must_use]
pub fn budget(clock: &Clock, color: Color, stage: Stage) -> Option<Budget> {
    let left = match clock.left(color)? {
        // Overtime begins with this move.
        Left::Main(0.0) => shown::overtime(clock.settings()).unwrap_or(Left::Main(0.0)),
        left => left,
    };
    let (target, limit) = target_and_limit(left, clock, stage);
    let target = target.clamp(0.0, MAX_SECONDS);
    let carries_over = match left {
        Left::Main(_) => true,
        Left::Stones { stones, .. } => stones > 1,
        Left::Periods { .. } => false,
    };
    Some(Budget {
        carries_over,
        target: Duration::from_secs_f64(target),
        limit: Duration::from_secs_f64(limit.clamp(target, MAX_SECONDS)),
    })
}

/// What a move should take and must not exceed, in seconds.
fn target_and_limit(left: Left, clock: &Clock, stage: Stage) -> (f64, f64) {
    let lag = clock.lag();
    match (left, *clock.settings()) {
        (Left::Stones { seconds, stones: 1 }, TimeSettings::Canadian { stones, .. })
            if stones > 1 =>
        {
            last_stone_budget(seconds, clock)
        }
        (Left::Stones { seconds, stones: 1 } | Left::Periods { seconds, .. }, _) => {
            period_budget(seconds, clock)
        }
        (Left::Stones { seconds, stones }, _) => {
            stones_budget(seconds, stones, lag + clock.lateness())
        }
        (Left::Main(main), TimeSettings::Canadian { period, stones, .. }) => {
            let rate = period / f64::from(stones);
            let end = match stones {
                1 => kept_back(period, clock),
                _ => lag + clock.lateness(),
            };
            before_overtime(main, rate, end, stage)
        }
        (Left::Main(main), TimeSettings::ByoYomi { period, .. }) => {
            before_overtime(main, period, kept_back(period, clock), stage)
        }
        (Left::Main(main), TimeSettings::Fischer { increment, .. }) => {
            fischer_budget(main, increment, clock, stage)
        }
        (
            Left::Main(main),
            TimeSettings::FischerCapped {
                increment,
                limit,
                longest_move,
                ..
            },
        ) => {
            let usual = fischer_budget(main, increment, clock, stage);
            // Time above the ceiling would be lost when the increment comes.
            let spill = limit.map_or(0.0, |ceiling| main + increment - ceiling - lag);
            let sure = |end: f64| end - kept_back(end, clock);
            let ceiling = sure(main).min(longest_move.map_or(f64::INFINITY, sure));
            let between = |seconds: f64| seconds.max(spill).min(ceiling);
            (between(usual.0), between(usual.1))
        }
        (Left::Main(main), TimeSettings::Absolute { .. } | TimeSettings::Unlimited) => {
            absolute_budget(main, lag + clock.lateness(), stage)
        }
    }
}

/// Main time that has to last for the whole game, and pay for the lag of all its moves, lateness included.
fn absolute_budget(main: f64, lag: f64, stage: Stage) -> (f64, f64) {
    let shares = Shares::new(stage, LONG_GAME);
    let usable = (main - lag * shares.lags as f64).max(0.0);
    let least = (main - lag).max(0.0) * DESPERATE_PART / shares.lags as f64;
    let target = (usable * shares.next).max(least);
    let overrun = (target * OVERRUN).min(usable * LARGEST_PART);
    (target, overrun.max(target))
}

fn fischer_budget(main: f64, increment: f64, clock: &Clock, stage: Stage) -> (f64, f64) {
    let lag = clock.lag() + clock.lateness();
    // The increment pays the lag first, then thinking; what it cannot pay of the lag the main time must.
    let gain = (increment - lag).max(0.0);
    let (target, overrun) = absolute_budget(main, (lag - increment).max(0.0), stage);
    // The increment comes after the move: until then the clock must hold all of it.
    let sure = main - kept_back(main, clock);
    let at_most = ((main - lag) * ALMOST_ALL).min(sure).max(0.0);
    ((gain + target).min(at_most), (gain + overrun).min(at_most))
}

/// Main time with overtime to follow, worth `rate` seconds a move: never less than that, since main time saved for a
/// late move would only replace overtime there. A move may run from main time over into the first period.
fn before_overtime(main: f64, rate: f64, lag: f64, stage: Stage) -> (f64, f64) {
    let shares = Shares::new(stage, DECIDED);
    let at_most = main + rate - lag;
    let target = (main * shares.next).max(rate - lag).min(at_most);
    let overrun = (target * OVERRUN).min(main * LARGEST_PART);
    (target, overrun.max(target).min(at_most))
}

fn stones_budget(seconds: f64, stones: u32, lag: f64) -> (f64, f64) {
    let usable = (seconds - lag * f64::from(stones)).max(0.0);
    let target = usable / f64::from(stones);
    (target, (target * OVERRUN).min(usable / 2.0))
}

/// A period not used up comes back whole, so all of it may go.
fn period_budget(seconds: f64, clock: &Clock) -> (f64, f64) {
    let all = (seconds - kept_back(seconds, clock)).max(0.0);
    (all, all)
}

/// The last of several stones, with what they have left of a period: all of it, but what it takes to be late once more.
fn last_stone_budget(seconds: f64, clock: &Clock) -> (f64, f64) {
    let spared = (SPARED_OF_REST * seconds).min(MOST_SPARED);
    let all = (seconds - clock.lag().max(spared) - clock.lateness()).max(0.0);
    (all, all)
}

/// What is kept back of a time that ends with the move and the rest of which is lost.
fn kept_back(period: f64, clock: &Clock) -> f64 {
    let spared = (SPARED * period).min(MOST_SPARED);
    clock.lag().max(spared) + clock.lateness().min(MOST_FOR_LATENESS * period)
}

/// The next move's part of the main time.
struct Shares {
    /// Own moves whose lag has to be kept back.
    lags: usize,
    /// The next move's part of what is left for all of them.
    next: f64,
}

impl Shares {
    /// Shares until so many boards of moves have been made, but at least for [`FEWEST_MOVES`].
    fn new(stage: Stage, horizon: f64) -> Self {
        let area = stage.area as f64;
        let done = f64::from(stage.move_number);
        let own_moves_until = |boards: f64| ((boards * area - done) / 2.0).max(0.0) as usize;
        let moves = own_moves_until(horizon).max(FEWEST_MOVES);
        let weight_after = |own: usize| weight((done + 2.0 * own as f64) / area);
        let sum: f64 = (0..moves).map(weight_after).sum();
        Self {
            lags: own_moves_until(LONGEST_GAME).max(FEWEST_LAGS),
            next: weight_after(0) / sum,
        }
    }
}

/// The weight of a move made after so many boards of moves.
fn weight(boards: f64) -> f64 {
    let mut from = WEIGHTS[0];
    for to in WEIGHTS {
        if boards < to.0 {
            let part = (boards - from.0) / (to.0 - from.0);
            return from.1 + part * (to.1 - from.1);
        }
        from = to;
    }
    from.1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock(words: &str, lag: f64) -> Clock {
        let words: Vec<_> = words.split(' ').collect();
        Clock::new(TimeSettings::from_kata(&words).unwrap(), lag)
    }

    fn stage(move_number: u32) -> Stage {
        Stage {
            area: 361,
            move_number,
        }
    }

    fn at(words: &str, move_number: u32) -> Option<(f64, f64)> {
        let budget = budget(&clock(words, 0.2), Color::Black, stage(move_number))?;
        Some((budget.target.as_secs_f64(), budget.limit.as_secs_f64()))
    }

    #[test]
    fn no_limit_has_no_budget() {
        assert_eq!(at("none", 10), None);
    }

    #[test]
    fn the_middle_game_gets_most() {
        let target = |move_number| at("absolute 1800", move_number).unwrap().0;
        // From the same clock: dividing by the weights still to come would hide the weights themselves.
        assert!(target(40) > 1.3 * target(0));
        let early = at("byoyomi 1800 1 1", 40).unwrap().0;
        assert!(early > 10.0, "{early}");
        assert!(weight(0.2) > weight(0.02) && weight(0.02) > weight(0.7));
        assert!((weight(0.45) - 0.8).abs() < 1e-9 && weight(9.0) == 0.15);
    }

    #[test]
    fn overtime_is_used_to_the_full() {
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
        last.set_left(Color::Black, 1.0, 1);
        let last = budget(&last, Color::Black, stage(100)).unwrap();
        assert_eq!(last.target.as_secs_f64(), 0.75, "a quarter to spare");
    }

    #[test]
    fn a_period_of_one_stone_is_one_of_byo_yomi() {
        for main in ["0.25", "1", "60", "1800"] {
            let times = ["canadian", "byoyomi"].map(|name| at(&format!("{name} {main} 30 1"), 100));
            assert_eq!(times[0], times[1], "{main}");
        }
    }

    #[test]
    fn late_answers_cost_the_ends_of_periods() {
        let target = |words: &str, late: f64| {
            let mut clock = clock(words, 0.25);
            clock.charge(Color::White, 0.0);
            clock.answered(late);
            let budget = budget(&clock, Color::White, stage(100)).unwrap();
            budget.target.as_secs_f64()
        };
        for words in ["byoyomi 0 4 1", "canadian 0 4 1"] {
            assert_eq!(target(words, 0.0), 3.75, "{words}");
            assert_eq!(target(words, 0.375), 3.375, "{words}");
        }
        assert_eq!(target("byoyomi 0 0.75 1", 0.5), 0.125, "half at most");
    }

    #[test]
    fn a_period_of_one_move_comes_back_whole() {
        let kept = |words: &str, spent: f64| {
            let mut clock = clock(words, 0.0);
            clock.charge(Color::White, spent);
            budget(&clock, Color::White, stage(1)).map(|budget| budget.carries_over)
        };
        assert_eq!(kept("none", 1.0), None);
        for words in [
            "absolute 9",
            "fischer 9 1",
            "byoyomi 9 5 1",
            "canadian 9 5 3",
        ] {
            assert_eq!(kept(words, 1.0), Some(true), "{words}");
        }
        assert_eq!(kept("byoyomi 9 5 1", 10.0), Some(false));
        assert_eq!(kept("canadian 9 5 3", 10.0), Some(true), "two stones to go");
        assert_eq!(kept("canadian 0 5 1", 1.0), Some(false));
        for words in ["canadian 0 5 1", "byoyomi 0 5 3"] {
            let first = budget(&clock(words, 0.0), Color::White, stage(1)).unwrap();
            assert!(!first.carries_over, "{words}, the first move");
        }
    }

    #[test]
    fn nothing_left_means_no_thinking() {
        for words in [
            "absolute 0",
            "absolute 0.1",
            "fischer 0 10",
            "canadian 0 0.1 1",
        ] {
            assert_eq!(at(words, 0), Some((0.0, 0.0)), "{words}");
        }
    }

    #[test]
    fn ceilings_bind() {
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
