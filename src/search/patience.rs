//! When a search that is paid for from a clock has seen enough: sooner where the choice is clear, later where it is open
//! or where things have got worse, and soon wherever only one move makes sense.
//!
//! The time until a search is due is its target times a factor: [`CALM`] where one move has all the visits, more the
//! nearer the second comes to the first, more again when the move to be played is not the most visited one, and when its
//! result has fallen below what was expected. Before that time it ends as soon as no other move can catch up.

use std::time::Duration;

use super::limits::Pace;
use super::params::SearchParams;
use super::restriction::Restriction;
use super::root::candidates;
use super::tree::Tree;
use crate::game::color::Color;

/// Of the target, where the choice is clear.
const CALM: f64 = 0.75;
/// Added where two moves have the same visits.
const OPEN: f64 = 0.6;
/// Added where the move to be played is not the most visited.
const TORN: f64 = 0.5;
/// Added where the result is worse than expected by [`FALL`] or more.
const FALLEN: f64 = 0.75;
/// Of the result, from -1 to 1.
const FALL: f64 = 0.2;
/// Of the target, where only one move makes sense: its prior and its share of the visits are at least ...
const OBVIOUS: f64 = 0.1;
/// ... this,
const OBVIOUS_PRIOR: f32 = 0.95;
/// and this.
const OBVIOUS_SHARE: f64 = 0.95;
/// Visits of this search before which it judges nothing.
const FEWEST_VISITS: u32 = 16;

/// What the root looks like in the middle of a search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Standing {
    /// Visits of this search.
    pub done: u32,
    /// Those, and the visits of the root before.
    pub visits: u32,
    /// Visits of the most visited move.
    pub most: u32,
    /// Visits of the second, 0 if there is none.
    pub second: u32,
    /// Whether the move to be played is the most visited.
    pub decided: bool,
    /// The result of the move to be played, from -1 to 1 for the side to move.
    pub value: f64,
    /// The prior of the most visited move.
    pub prior: f32,
    /// Whether there is no other move.
    pub alone: bool,
}

impl Standing {
    /// Of a search whose root had `before` visits at its start; `None` as long as there is nothing to judge.
    #[must_use]
    pub fn of(
        params: &SearchParams,
        tree: &Tree,
        to_move: Color,
        restriction: &Restriction,
        before: u32,
    ) -> Option<Self> {
        let visits = tree.root().visits();
        let done = visits.saturating_sub(before);
        let candidates = candidates(params, tree, to_move, restriction);
        let first = candidates.first()?;
        let most = candidates.iter().max_by_key(|candidate| candidate.visits)?;
        let others = candidates.iter().filter(|other| other.index != most.index);
        let edges = tree.edges(tree.root());
        let allowed = edges.iter().filter(|edge| restriction.allows(edge.mv()));
        let child = edges[first.index].child()?;
        let mean = tree.node(child).mean();
        (done >= FEWEST_VISITS).then(|| Self {
            done,
            visits,
            most: most.visits,
            second: others.map(|other| other.visits).max().unwrap_or(0),
            decided: first.visits == most.visits,
            value: to_move.from_black(mean.value),
            prior: edges[most.index].prior(),
            alone: allowed.count() == 1,
        })
    }

    /// Whether a search at this pace, `elapsed` after its start, has seen enough.
    #[must_use]
    pub fn is_enough(&self, pace: &Pace, elapsed: Duration) -> bool {
        if self.alone || self.is_obvious() && elapsed >= pace.target.mul_f64(OBVIOUS) {
            return true;
        }
        if !pace.carries_over {
            return false;
        }
        let due = pace.target.mul_f64(self.factor(pace));
        let left = due.saturating_sub(elapsed);
        left.is_zero() || self.decided && self.visits_left(elapsed, left) < self.lead()
    }

    /// Whether no other move makes sense.
    fn is_obvious(&self) -> bool {
        let share = f64::from(self.most) / f64::from(self.visits.max(self.most));
        self.decided && self.prior >= OBVIOUS_PRIOR && share >= OBVIOUS_SHARE
    }

    /// By how much longer than its target the search should take.
    fn factor(&self, pace: &Pace) -> f64 {
        let nearness = f64::from(self.second) / f64::from(self.most.max(1));
        let torn = if self.decided { 0.0 } else { TORN };
        let fall = pace.expected.map_or(0.0, |expected| expected - self.value);
        CALM + OPEN * nearness * nearness + torn + FALLEN * (fall / FALL).clamp(0.0, 1.0)
    }

    /// Visits that will come in the time left, if they come as fast as so far.
    fn visits_left(&self, elapsed: Duration, left: Duration) -> f64 {
        f64::from(self.done) * left.as_secs_f64() / elapsed.as_secs_f64().max(f64::MIN_POSITIVE)
    }

    /// Visits by which the first move is ahead.
    fn lead(&self) -> f64 {
        f64::from(self.most - self.second)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PACE: Pace = Pace {
        target: Duration::from_secs(10),
        expected: Some(0.0),
        carries_over: true,
    };

    fn standing(most: u32, second: u32) -> Standing {
        Standing {
            done: most + second,
            visits: most + second,
            most,
            second,
            decided: true,
            value: 0.0,
            prior: 0.5,
            alone: false,
        }
    }

    /// Tenths of seconds after which a search that grows evenly from the start ends.
    fn ends(standing: Standing, pace: &Pace) -> u64 {
        let enough = |tenths: &u64| {
            let grown = |visits: u32| (f64::from(visits) * *tenths as f64 / 100.0) as u32;
            let now = Standing {
                done: grown(standing.done),
                visits: grown(standing.visits),
                most: grown(standing.most),
                second: grown(standing.second),
                ..standing
            };
            now.is_enough(pace, Duration::from_millis(100 * tenths))
        };
        (1..1_000).find(enough).expect("an end")
    }

    #[test]
    fn a_move_that_nobody_can_overtake_is_played() {
        // 100 visits a second for 7.5 s: the other one needs more of them than are left once half the time is gone.
        let alone = ends(standing(1_000, 0), &PACE);
        assert!((37..=39).contains(&alone), "{alone}");
        assert!(ends(standing(900, 100), &PACE) > alone);
    }

    #[test]
    fn open_choices_take_longer() {
        let of = |standing| ends(standing, &PACE);
        let (clear, open) = (of(standing(800, 200)), of(standing(500, 500)));
        assert!(clear < 60, "{clear}");
        assert_eq!(open, 135, "0.75 and 0.6 of ten seconds");
        let torn = Standing {
            decided: false,
            ..standing(500, 500)
        };
        assert_eq!(of(torn), 185);
        let fallen = Standing {
            value: -0.3,
            ..torn
        };
        assert_eq!(of(fallen), 260);
        let unexpected = Pace {
            expected: None,
            ..PACE
        };
        assert_eq!(ends(fallen, &unexpected), 185, "nothing to compare with");
    }

    #[test]
    fn what_is_obvious_is_played_at_once_on_every_clock() {
        let obvious = Standing {
            prior: 0.97,
            ..standing(970, 30)
        };
        let alone = Standing {
            alone: true,
            ..standing(20, 0)
        };
        let useless = Pace {
            carries_over: false,
            ..PACE
        };
        let kept = Standing {
            prior: 0.97,
            visits: 1_000,
            ..standing(600, 390)
        };
        let looked_at = Standing { done: 16, ..kept };
        assert!(
            !looked_at.is_enough(&useless, Duration::from_secs(2)),
            "most visits of a kept tree are not all"
        );
        for pace in [PACE, useless] {
            assert_eq!(ends(obvious, &pace), 10);
            assert!(alone.is_enough(&pace, Duration::from_millis(1)));
        }
        let long = Duration::from_secs(99);
        assert!(
            !standing(1_000, 0).is_enough(&useless, long),
            "the limit ends it"
        );
    }
}
