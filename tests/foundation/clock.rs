//! Whole games on simulated clocks: the engine's budgets against a referee that knows only the system's rules.

use honinbo::clock::budget::{Stage, TimeBudget, budget};
use honinbo::clock::game_clock::Clock;
use honinbo::clock::time_control::TimeControl;
use honinbo::game::color::Color;
use honinbo::random::Rng;

/// A referee's clock for one player, written from the rules of each system.
struct Referee {
    settings: TimeControl,
    main: f64,
    period: f64,
    stones: u32,
    periods: u32,
}

impl Referee {
    fn new(settings: TimeControl) -> Self {
        let (main, period, stones, periods) = match settings {
            TimeControl::Unlimited => (f64::INFINITY, 0.0, 0, 0),
            TimeControl::Absolute { main }
            | TimeControl::Fischer { main, .. }
            | TimeControl::FischerCapped { main, .. } => (main, 0.0, 0, 0),
            TimeControl::Canadian {
                main,
                period,
                stones,
            } => (main, period, stones, 0),
            TimeControl::ByoYomi {
                main,
                period,
                periods,
            } => (main, period, 0, periods),
        };
        Self {
            settings,
            main,
            period,
            stones,
            periods,
        }
    }

    /// Runs the clock for one move; whether it was in time.
    fn run(&mut self, seconds: f64) -> bool {
        let mut overdrawn = (seconds - self.main).max(0.0);
        self.main = (self.main - seconds).max(0.0);
        match self.settings {
            TimeControl::Unlimited => true,
            TimeControl::Absolute { .. } => overdrawn == 0.0,
            TimeControl::Fischer { increment, .. } => {
                self.main += increment;
                overdrawn == 0.0
            }
            TimeControl::FischerCapped {
                increment,
                clock_limit: limit,
                move_limit: longest_move,
                ..
            } => {
                self.main = (self.main + increment).min(limit.unwrap_or(f64::INFINITY));
                overdrawn == 0.0 && seconds <= longest_move.unwrap_or(f64::INFINITY)
            }
            TimeControl::Canadian { period, stones, .. } => {
                if overdrawn > 0.0 {
                    self.period -= overdrawn;
                    self.stones -= 1;
                }
                let in_time = self.period >= 0.0;
                if self.stones == 0 {
                    (self.period, self.stones) = (period, stones);
                }
                in_time
            }
            TimeControl::ByoYomi { period, .. } => {
                while overdrawn > period && self.periods > 0 {
                    overdrawn -= period;
                    self.periods -= 1;
                }
                self.periods > 0
            }
        }
    }

    /// What a client would send in `time_left`.
    fn left(&self) -> (f64, u32) {
        match self.settings {
            _ if self.main > 0.0 => (self.main, 0),
            TimeControl::Canadian { .. } => (self.period, self.stones),
            TimeControl::ByoYomi { period, .. } => (period, self.periods),
            _ => (self.main, 0),
        }
    }
}

/// How long the search goes on for within a budget.
#[derive(Clone, Copy, Debug)]
enum Thinker {
    Target,
    Limit,
    Anything,
}

struct Outcome {
    lost_at: Option<u32>,
    thought: f64,
    first_third: f64,
}

/// What comes on top of the time to think, in seconds a move.
#[derive(Clone, Copy, Debug)]
struct Delays {
    /// On the way to the referee; the engine allows for it.
    lag: f64,
    /// On a busy machine, as the engine sees.
    late: f64,
}

const LAG: Delays = Delays {
    lag: 0.1,
    late: 0.0,
};

/// Plays one side of a game of `moves` moves. `told`: the client sends what is left before every move.
fn play(
    settings: TimeControl,
    area: usize,
    moves: u32,
    Delays { lag, late }: Delays,
    told: bool,
    thinker: Thinker,
) -> Outcome {
    let mut referee = Referee::new(settings);
    let mut clock = Clock::new(settings, lag);
    let mut rng = Rng::new(7);
    let mut outcome = Outcome {
        lost_at: None,
        thought: 0.0,
        first_third: 0.0,
    };
    for move_number in (0..moves).step_by(2) {
        if told {
            let (seconds, third) = referee.left();
            clock.set_time_left(Color::Black, seconds, third);
        }
        let stage = Stage { area, move_number };
        let TimeBudget { target, limit, .. } =
            budget(&clock, Color::Black, stage).expect("a limit");
        assert!(target <= limit);
        let seconds = match thinker {
            Thinker::Target => target,
            Thinker::Limit => limit,
            Thinker::Anything => limit.mul_f64(rng.unit_f64()),
        }
        .as_secs_f64();
        clock.record_lateness(late);
        clock.charge(Color::Black, seconds + late);
        outcome.thought += seconds;
        if move_number < moves / 3 {
            outcome.first_third += seconds;
        }
        // A millionth of a second for the rounding of sums.
        if !referee.run(seconds + late + lag - 1e-6) {
            outcome.lost_at = Some(move_number);
            break;
        }
    }
    outcome
}

fn settings(words: &str) -> TimeControl {
    let words: Vec<_> = words.split(' ').collect();
    TimeControl::from_kata(&words).expect("time settings")
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

#[test]
fn no_system_is_lost_on_time() {
    for words in SYSTEMS {
        for (area, moves) in [(361, 300), (361, 440), (169, 200), (81, 90), (25, 60)] {
            for thinker in [Thinker::Target, Thinker::Limit, Thinker::Anything] {
                for told in [false, true] {
                    let outcome = play(settings(words), area, moves, LAG, told, thinker);
                    assert_eq!(
                        outcome.lost_at, None,
                        "{words}, area {area}, {moves} moves, {thinker:?}, told {told}"
                    );
                }
            }
        }
    }
}

#[test]
fn a_busy_machine_does_not_lose_on_time() {
    for (words, moves, late) in [
        ("absolute 60", 440, 0.05),
        ("absolute 60", 440, 0.1),
        ("absolute 300", 440, 0.2),
        ("byoyomi 60 5 1", 300, 0.4),
        ("fischer 60 0.5", 440, 0.1),
        ("fischer 60 1", 440, 0.3),
        ("fischer 10 1", 440, 0.1),
        ("fischer 300 2", 440, 0.4),
        ("fischer-capped 60 5 65 -1", 300, 0.4),
        // The increment does not pay for what being late costs.
        ("fischer 60 0.1", 440, 0.1),
        ("fischer 300 0.1", 440, 0.4),
        ("fischer-capped 60 0.1 65 -1", 440, 0.1),
        ("canadian 0 40 25", 440, 0.4),
        ("canadian 0 15 25", 440, 0.15),
        ("canadian 10 60 25", 440, 0.4),
    ] {
        let delays = Delays { lag: 0.05, late };
        for thinker in [Thinker::Target, Thinker::Limit, Thinker::Anything] {
            for told in [false, true] {
                let outcome = play(settings(words), 361, moves, delays, told, thinker);
                assert_eq!(
                    outcome.lost_at, None,
                    "{words}, {late} s late, {thinker:?}, told {told}"
                );
            }
        }
    }
}

#[test]
fn a_fair_part_of_the_time_is_used() {
    for (words, least, most) in [
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
        for told in [false, true] {
            let outcome = play(settings(words), 361, 300, LAG, told, Thinker::Target);
            assert!(
                (least..=most).contains(&outcome.thought),
                "{words}, told {told}: {} s",
                outcome.thought
            );
        }
    }
}

#[test]
fn the_opening_and_the_middle_game_get_the_main_time() {
    for words in ["absolute 1800", "byoyomi 1800 5 1", "fischer 1800 1"] {
        let outcome = play(settings(words), 361, 300, LAG, true, Thinker::Target);
        let part = outcome.first_third / outcome.thought;
        assert!((0.36..0.75).contains(&part), "{words}: {part}");
    }
}
