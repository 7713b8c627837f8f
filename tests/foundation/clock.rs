//! Time budgets in complete games with simulated clocks, checked by an independent referee.

use honinbo::clock::budget::{GameProgress, TimeBudget, budget};
use honinbo::clock::game_clock::GameClock;
use honinbo::clock::time_control::{Overtime, TimeControl};
use honinbo::game::color::Color;
use honinbo::random::Rng;

/// The referee's clock for one player, written from the rules of each time system.
struct Referee {
    time_control: TimeControl,
    main: f64,
    period: f64,
    stones: u32,
    periods: u32,
}

impl Referee {
    fn new(time_control: TimeControl) -> Self {
        let (period, stones, periods) = match time_control.overtime {
            Overtime::None | Overtime::Fischer { .. } => (0.0, 0, 0),
            Overtime::Canadian { period, stones } => (period, stones, 0),
            Overtime::ByoYomi { period, periods } => (period, 0, periods),
        };
        Self {
            time_control,
            main: time_control.main.unwrap_or(f64::INFINITY),
            period,
            stones,
            periods,
        }
    }

    /// Charges one move. Returns true if it was in time.
    fn run(&mut self, seconds: f64) -> bool {
        let mut excess = (seconds - self.main).max(0.0);
        self.main = (self.main - seconds).max(0.0);
        match self.time_control.overtime {
            Overtime::None => excess == 0.0,
            Overtime::Fischer {
                increment,
                clock_limit: limit,
                move_limit,
            } => {
                self.main = (self.main + increment).min(limit.unwrap_or(f64::INFINITY));
                excess == 0.0 && seconds <= move_limit.unwrap_or(f64::INFINITY)
            }
            Overtime::Canadian { period, stones } => {
                if excess > 0.0 {
                    self.period -= excess;
                    self.stones -= 1;
                }
                let in_time = self.period >= 0.0;
                if self.stones == 0 {
                    (self.period, self.stones) = (period, stones);
                }
                in_time
            }
            Overtime::ByoYomi { period, .. } => {
                while excess > period && self.periods > 0 {
                    excess -= period;
                    self.periods -= 1;
                }
                self.periods > 0
            }
        }
    }

    /// Returns the values that a client would send in `time_left`, or `None` if it sends nothing.
    fn time_left(&self, reports: Reports) -> Option<(f64, u32)> {
        let (period, count) = match self.time_control.overtime {
            Overtime::Canadian { .. } => (self.period, self.stones),
            Overtime::ByoYomi { period, .. } => (period, self.periods),
            _ => (0.0, 0),
        };
        let is_main = self.main > 0.0 || count == 0;
        let exact = if is_main {
            (self.main, 0)
        } else {
            (period, count)
        };
        match reports {
            Reports::Never => None,
            Reports::Exact => Some(exact),
            Reports::WholeSeconds => Some((exact.0.floor(), exact.1)),
            Reports::HiddenMain => Some(((self.main + period).floor(), count)),
            Reports::MainAsPeriod if is_main => Some((self.main.floor(), count)),
            Reports::MainAsPeriod => Some((period.floor(), count)),
        }
    }
}

/// How a client reports the time left before every move. GTP clients send whole seconds, rounded down.
#[derive(Clone, Copy, Debug)]
enum Reports {
    Never,
    /// Fractions of seconds, as with `kata-time_settings`.
    Exact,
    WholeSeconds,
    /// The sum of the main time and the period, always with the number of stones or periods.
    HiddenMain,
    /// The main time, then the period, always with the number of stones or periods.
    MainAsPeriod,
}

const REPORTS: [Reports; 5] = [
    Reports::Never,
    Reports::Exact,
    Reports::WholeSeconds,
    Reports::HiddenMain,
    Reports::MainAsPeriod,
];

/// How much of a budget the simulated search uses.
#[derive(Clone, Copy, Debug)]
enum Usage {
    Target,
    Limit,
    Random,
}

struct Outcome {
    lost_at: Option<u32>,
    total: f64,
    first_third: f64,
}

/// Delays in addition to the thinking time, in seconds per move.
#[derive(Clone, Copy, Debug)]
struct Delays {
    /// Network delay, included in the engine's lag allowance.
    lag: f64,
    /// Delay on a busy machine, measured by the engine.
    lateness: f64,
}

const LAG: Delays = Delays {
    lag: 0.1,
    lateness: 0.0,
};

/// Plays one side of a game of `moves` moves.
fn play(
    time_control: TimeControl,
    area: usize,
    moves: u32,
    Delays { lag, lateness }: Delays,
    reports: Reports,
    usage: Usage,
) -> Outcome {
    let mut referee = Referee::new(time_control);
    let mut clock = GameClock::new(time_control, lag);
    let mut rng = Rng::new(7);
    let mut outcome = Outcome {
        lost_at: None,
        total: 0.0,
        first_third: 0.0,
    };
    for move_number in (0..moves).step_by(2) {
        if let Some((seconds, stones_or_periods)) = referee.time_left(reports) {
            clock.set_time_left(Color::Black, seconds, stones_or_periods);
        }
        let progress = GameProgress { area, move_number };
        let TimeBudget { target, limit, .. } =
            budget(&clock, Color::Black, progress).expect("a time limit");
        assert!(target <= limit);
        let seconds = match usage {
            Usage::Target => target,
            Usage::Limit => limit,
            Usage::Random => limit.mul_f64(rng.unit_f64()),
        }
        .as_secs_f64();
        clock.record_lateness(lateness);
        clock.record_move_time(Color::Black, seconds + lateness);
        outcome.total += seconds;
        if move_number < moves / 3 {
            outcome.first_third += seconds;
        }
        // One microsecond of tolerance for rounding errors.
        if !referee.run(seconds + lateness + lag - 1e-6) {
            outcome.lost_at = Some(move_number);
            break;
        }
    }
    outcome
}

fn time_control(arguments: &str) -> TimeControl {
    let arguments: Vec<_> = arguments.split(' ').collect();
    TimeControl::from_kata(&arguments).expect("a valid time control")
}

const SYSTEMS: [&str; 24] = [
    "absolute 40",
    "absolute 60",
    "absolute 600",
    "absolute 7200",
    "canadian 0 1 1",
    "canadian 0 5 1",
    "canadian 0 10 25",
    "canadian 600 300 25",
    "canadian 0.5 300 1",
    "canadian 1800 60 100",
    "byoyomi 0 1 1",
    "byoyomi 0 30 5",
    "byoyomi 600 30 3",
    "byoyomi 3 30 1",
    "byoyomi 3600 1 1",
    "byoyomi 1 2 2",
    "fischer 5 1",
    "fischer 60 5",
    "fischer 600 0.1",
    "fischer 40 0",
    "fischer 1 10",
    "fischer-capped 60 5 65 -1",
    "fischer-capped 600 10 -1 20",
    "fischer-capped 10 10 10 10",
];

#[track_caller]
fn assert_never_loses(arguments: &str, area: usize, moves: u32, delays: Delays) {
    for usage in [Usage::Target, Usage::Limit, Usage::Random] {
        for reports in REPORTS {
            let outcome = play(time_control(arguments), area, moves, delays, reports, usage);
            assert_eq!(
                outcome.lost_at, None,
                "{arguments}, area {area}, {moves} moves, {delays:?}, {usage:?}, {reports:?}"
            );
        }
    }
}

#[test]
fn budgets_never_lose_on_time() {
    for arguments in SYSTEMS {
        for (area, moves) in [(361, 300), (361, 440), (169, 200), (81, 90), (25, 60)] {
            assert_never_loses(arguments, area, moves, LAG);
        }
    }
}

#[test]
fn late_moves_never_lose_on_time() {
    for (arguments, moves, lateness) in [
        ("absolute 60", 440, 0.05),
        ("absolute 60", 440, 0.1),
        ("absolute 300", 440, 0.2),
        ("byoyomi 60 5 1", 300, 0.4),
        ("fischer 60 0.5", 440, 0.1),
        ("fischer 60 1", 440, 0.3),
        ("fischer 10 1", 440, 0.1),
        ("fischer 300 2", 440, 0.4),
        ("fischer-capped 60 5 65 -1", 300, 0.4),
        // The increment is smaller than the lateness.
        ("fischer 60 0.1", 440, 0.1),
        ("fischer 300 0.1", 440, 0.4),
        ("fischer-capped 60 0.1 65 -1", 440, 0.1),
        ("canadian 0 40 25", 440, 0.4),
        ("canadian 0 15 25", 440, 0.15),
        ("canadian 10 60 25", 440, 0.4),
    ] {
        let delays = Delays {
            lag: 0.05,
            lateness,
        };
        assert_never_loses(arguments, 361, moves, delays);
    }
}

#[test]
fn budgets_use_available_time() {
    for (arguments, min, max) in [
        ("absolute 600", 450.0, 600.0),
        ("absolute 7200", 5400.0, 7200.0),
        ("canadian 0 5 1", 650.0, 750.0),
        ("canadian 600 300 25", 1700.0, 1800.0),
        ("byoyomi 600 30 3", 4000.0, 5200.0),
        ("byoyomi 3600 1 1", 3500.0, 3800.0),
        ("fischer 60 5", 700.0, 810.0),
        ("fischer 600 0.1", 450.0, 615.0),
        ("fischer-capped 60 5 65 -1", 700.0, 810.0),
    ] {
        for reports in [Reports::Never, Reports::Exact, Reports::WholeSeconds] {
            let time_control = time_control(arguments);
            let total = play(time_control, 361, 300, LAG, reports, Usage::Target).total;
            let is_used = (min..=max).contains(&total);
            assert!(is_used, "{arguments}, {reports:?}: {total} s");
        }
    }
}

#[test]
fn first_third_gets_most_main_time() {
    for arguments in ["absolute 1800", "byoyomi 1800 5 1", "fischer 1800 1"] {
        let outcome = play(
            time_control(arguments),
            361,
            300,
            LAG,
            Reports::Exact,
            Usage::Target,
        );
        let part = outcome.first_third / outcome.total;
        assert!((0.36..0.75).contains(&part), "{arguments}: {part}");
    }
}

/// A machine that stalls during two moves in a row, for example because it runs out of memory, thinks as long as before
/// soon afterwards.
#[test]
fn stall_does_not_shorten_later_moves() {
    const STALL: f64 = 4.0;
    for arguments in [
        "byoyomi 20 10 9",
        "canadian 20 60 6",
        "fischer 60 10",
        "absolute 1800",
    ] {
        for reports in [Reports::Exact, Reports::WholeSeconds] {
            let time_control = time_control(arguments);
            let thinking_time = |stalls: bool| {
                let mut referee = Referee::new(time_control);
                let mut clock = GameClock::new(time_control, 0.1);
                let mut late_times = 0.0;
                for own_move in 0..60_u32 {
                    if let Some((seconds, count)) = referee.time_left(reports) {
                        clock.set_time_left(Color::Black, seconds, count);
                    }
                    let progress = GameProgress {
                        area: 361,
                        move_number: 2 * own_move,
                    };
                    let target = budget(&clock, Color::Black, progress).expect("a time limit");
                    let seconds = target.target.as_secs_f64();
                    // The engine measures only half of the stall itself.
                    let stall = if stalls && (own_move == 2 || own_move == 3) {
                        STALL
                    } else {
                        0.0
                    };
                    clock.record_lateness(stall / 2.0);
                    clock.record_move_time(Color::Black, seconds + stall / 2.0);
                    referee.run(seconds + stall);
                    if own_move >= 40 {
                        late_times += seconds;
                    }
                }
                late_times
            };
            let (usual, after_stall) = (thinking_time(false), thinking_time(true));
            assert!(
                after_stall > 0.95 * usual,
                "{arguments}, {reports:?}: {after_stall} s instead of {usual} s"
            );
        }
    }
}
