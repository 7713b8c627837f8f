//! Ten playing strengths, from beginner to full strength, defined in the table [`LEVELS`].
//!
//! Weak human players consider few moves and do not always play the best one. A level imitates this by limiting the
//! visits and by choosing a move at random, weighted by policy prior and visits. It never plays a move with a small
//! weight or a move that loses too many points according to the search. Levels 9 and 10 always play the best move, and
//! level 10 has no visit limit.

use crate::game::color::Color;
use crate::game::point::Move;
use crate::random::Rng;
use crate::search::node::Edge;
use crate::search::restriction::Restriction;
use crate::search::tree::Tree;

/// A playing strength.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Level {
    /// Number from 1 to 10.
    pub number: u8,
    /// Description of a human player of about this strength.
    pub name: &'static str,
    /// Maximum number of root visits per move. If set, every search for a move starts with an empty tree. `None` leaves
    /// the limit to the settings and reuses the tree.
    pub visits: Option<u64>,
    /// Randomness of the choice. The weight of a move is its share (visits plus prior) raised to the power
    /// 1/temperature. At temperature 0, the best move is always played.
    pub temperature: f32,
    /// Minimum share for a candidate move, relative to the largest share of any move.
    pub min_share: f32,
    /// Maximum loss of a candidate move compared with the best move, in points.
    pub max_loss: f64,
    /// Win rate in percent below which the engine considers resigning. The settings may override it.
    pub resign_percent: f64,
}

macro_rules! levels {
    ($($number:literal $name:literal $visits:expr, $temperature:literal, $min_share:literal, $max_loss:literal, $resign_percent:literal;)*) => {
        /// All levels, weakest first.
        pub static LEVELS: [Level; 10] = [$(Level {
            number: $number,
            name: $name,
            visits: $visits,
            temperature: $temperature,
            min_share: $min_share,
            max_loss: $max_loss,
            resign_percent: $resign_percent,
        },)*];
    };
}

levels! {
    //                visits,    temperature, min_share, max_loss, resign_percent
    1  "beginner"     Some(1),   2.0,  0.0005, 100.0, 0.0;
    2  "novice"       Some(1),   1.4,  0.001,  100.0, 0.0;
    3  "learner"      Some(1),   1.0,  0.002,  100.0, 0.0;
    4  "casual"       Some(1),   0.62, 0.005,  100.0, 1.0;
    5  "keen"         Some(1),   0.25, 0.01,   100.0, 1.0;
    6  "club player"  Some(12),  0.33, 0.02,   12.0,  1.0;
    7  "strong club"  Some(50),  0.25, 0.02,   8.0,   2.0;
    8  "expert"       Some(220), 0.15, 0.05,   4.0,   3.0;
    9  "master"       Some(700), 0.0, 0.0,    0.0,   5.0;
    10 "full strength" None,     0.0,  0.0,    0.0,   5.0;
}

impl Level {
    /// Returns the level `number` (1 to 10), or `None` if there is no such level.
    pub fn by_number(number: u8) -> Option<&'static Self> {
        LEVELS.get(usize::from(number).checked_sub(1)?)
    }

    /// Returns the strongest level, which imposes no limits.
    pub fn full() -> &'static Self {
        &LEVELS[LEVELS.len() - 1]
    }

    /// Returns true for the strongest level.
    pub fn is_full(&self) -> bool {
        self.number == Self::full().number
    }

    /// Chooses the move to play. Returns `best`, the move that the search prefers, if it is a pass, if the temperature
    /// is 0, or if no other move qualifies.
    pub(super) fn choose_move(
        &self,
        tree: &Tree,
        to_move: Color,
        (best, restriction): (Move, &Restriction),
        rng: &mut Rng,
    ) -> Move {
        if self.temperature <= 0.0 || best == Move::Pass {
            return best;
        }
        let edges = tree.edges(tree.root()).iter();
        let candidates: Vec<LevelCandidate> = edges
            .filter(|edge| edge.mv() != Move::Pass && restriction.allows_at_root(edge.mv()))
            .map(|edge| level_candidate(tree, to_move, edge))
            .collect();
        let best_lead = (candidates.iter().find(|candidate| candidate.mv == best))
            .and_then(|candidate| candidate.lead)
            .unwrap_or(f64::NEG_INFINITY);
        let shares = candidates.iter().map(|candidate| candidate.share);
        let max_share = shares.fold(f32::MIN_POSITIVE, f32::max);
        let weight = |candidate: &LevelCandidate| {
            let loses_too_much = candidate
                .lead
                .is_some_and(|lead| best_lead - lead > self.max_loss);
            let share = candidate.share / max_share;
            if loses_too_much || share < self.min_share {
                0.0
            } else {
                libm::powf(share, 1.0 / self.temperature)
            }
        };
        let weights: Vec<f32> = candidates.iter().map(weight).collect();
        let mut remaining = rng.unit_f32() * weights.iter().sum::<f32>();
        for (candidate, weight) in candidates.iter().zip(weights) {
            remaining -= weight;
            if remaining < 0.0 {
                return candidate.mv;
            }
        }
        best
    }
}

/// A root move that the level may choose.
struct LevelCandidate {
    mv: Move,
    /// Visits plus prior. All priors together count as one visit.
    share: f32,
    /// Expected lead of the side to move after the move, in points, or `None` if the move has no visits.
    lead: Option<f64>,
}

fn level_candidate(tree: &Tree, to_move: Color, edge: &Edge) -> LevelCandidate {
    let child = edge.child().map(|id| tree.node(id));
    let child = child.filter(|child| child.visits() > 0);
    LevelCandidate {
        mv: edge.mv(),
        share: edge.prior() + child.map_or(0.0, |child| child.visits() as f32),
        lead: child.map(|child| to_move.to_perspective(child.outcome_stats().lead)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::point::Point;

    const MOVES: [(Move, f32); 4] = [
        (Move::Play(Point::at(0, 0)), 0.6),
        (Move::Play(Point::at(1, 0)), 0.3),
        (Move::Pass, 0.09),
        (Move::Play(Point::at(2, 0)), 0.01),
    ];

    /// Returns how often each of [`MOVES`] is chosen in 4000 trials.
    fn sample_counts(temperature: f32, min_share: f32, best: Move) -> [usize; 4] {
        let tree = Tree::new(1 << 20);
        tree.root().claim();
        tree.expand(0, &MOVES, true);
        let level = Level {
            temperature,
            min_share,
            ..LEVELS[0]
        };
        let mut rng = Rng::new(3);
        let mut counts = [0; 4];
        for _ in 0..4000 {
            let mv = level.choose_move(&tree, Color::Black, (best, &Restriction::none()), &mut rng);
            counts[MOVES.iter().position(|&(known, _)| known == mv).unwrap()] += 1;
        }
        counts
    }

    #[test]
    fn only_the_last_level_is_full() {
        for (index, level) in LEVELS.iter().enumerate() {
            assert_eq!(usize::from(level.number), index + 1);
            assert_eq!(Level::by_number(level.number), Some(level));
            assert_eq!(level.is_full(), index == 9);
            assert_eq!(level.is_full(), level.visits.is_none());
        }
        assert!(Level::by_number(0).is_none() && Level::by_number(11).is_none());
    }

    #[test]
    fn moves_are_sampled_by_share_without_pass() {
        let best = MOVES[0].0;
        let [first, second, pass, last] = sample_counts(1.0, 0.0, best);
        // The shares of the three points are 0.6, 0.3 and 0.01, in total 0.91.
        assert!((2550..2720).contains(&first), "{first}");
        assert!((1240..1400).contains(&second), "{second}");
        assert!(pass == 0 && (20..80).contains(&last), "{pass} {last}");
        // The square roots have the ratio 0.775 : 0.548 : 0.1.
        let [_, second, _, last] = sample_counts(2.0, 0.0, best);
        assert!((1450..1630).contains(&second) && (220..350).contains(&last));
    }

    #[test]
    fn low_share_moves_are_excluded() {
        assert_eq!(sample_counts(1.0, 0.1, MOVES[0].0)[3], 0);
        assert_eq!(sample_counts(1.0, 0.6, MOVES[0].0), [4000, 0, 0, 0]);
        assert_eq!(sample_counts(0.0, 0.0, MOVES[1].0), [0, 4000, 0, 0]);
        assert_eq!(sample_counts(1.0, 0.0, Move::Pass), [0, 0, 4000, 0]);
    }
}
