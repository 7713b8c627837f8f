//! Ten levels, from a beginner to all the player has: one table, [`LEVELS`].
//!
//! People who play weakly look at few moves, and play what comes to their mind rather than what is best. So does a level:
//! it reads as many positions as it may, and draws its move with weights that grow with what the network's policy and
//! that reading make of each. What hardly comes to mind is never played, nor what has been seen to lose too much. The
//! last two levels draw nothing, and the last has no limit of its own.

use crate::game::color::Color;
use crate::game::point::Move;
use crate::random::Rng;
use crate::search::node::Edge;
use crate::search::restriction::Restriction;
use crate::search::tree::Tree;

/// How strong to play.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Level {
    /// From 1 to 10.
    pub number: u8,
    /// What somebody of about that strength is called.
    pub name: &'static str,
    /// Visits of the root a move, from scratch; none for as many as the settings allow.
    pub visits: Option<u64>,
    /// Randomness of the draw: a move's weight is its share to the power of 1/temperature. At 0 the best is played.
    pub temperature: f32,
    /// Moves with a share of less than this part of the first's do not come to mind.
    pub min_share: f32,
    /// Points that a move may be seen to lose against the best.
    pub max_loss: f64,
    /// Resigns below this chance to win, in per cent, where the settings name no other.
    pub resign: f64,
}

macro_rules! levels {
    ($($number:literal $name:literal $visits:expr, $temperature:literal, $min_share:literal, $max_loss:literal, $resign:literal;)*) => {
        /// All levels, the weakest first.
        pub static LEVELS: [Level; 10] = [$(Level {
            number: $number,
            name: $name,
            visits: $visits,
            temperature: $temperature,
            min_share: $min_share,
            max_loss: $max_loss,
            resign: $resign,
        },)*];
    };
}

levels! {
    //                visits,    temperature, min_share, max_loss, resign
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
    /// The one of that number, from 1 to 10.
    pub fn by_number(number: u8) -> Option<&'static Self> {
        LEVELS.get(usize::from(number).checked_sub(1)?)
    }

    /// The strongest, which leaves all to the settings.
    pub fn full() -> &'static Self {
        &LEVELS[LEVELS.len() - 1]
    }

    /// Whether nothing is held back.
    pub fn is_full(&self) -> bool {
        self.number == Self::full().number
    }

    /// The move to play where the search of the root found `best`. When that is to pass, or nothing else comes to mind,
    /// it stays.
    pub(super) fn choose(
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
            .filter(|edge| edge.mv() != Move::Pass && restriction.allows(edge.mv()))
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

/// A move as it comes to mind.
struct LevelCandidate {
    mv: Move,
    /// Its visits and its prior, as if the prior were a visit shared by all moves.
    share: f32,
    /// The lead expected after it, if it was looked at.
    lead: Option<f64>,
}

fn level_candidate(tree: &Tree, to_move: Color, edge: &Edge) -> LevelCandidate {
    let child = edge.child().map(|id| tree.node(id));
    let child = child.filter(|child| child.visits() > 0);
    LevelCandidate {
        mv: edge.mv(),
        share: edge.prior() + child.map_or(0.0, |child| child.visits() as f32),
        lead: child.map(|child| to_move.to_perspective(child.mean().score)),
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

    /// How often each of [`MOVES`] is drawn in 4000 draws.
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
            let mv = level.choose(&tree, Color::Black, (best, &Restriction::none()), &mut rng);
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
        // Of 0.91 in all, 0.6, 0.3 and 0.01.
        assert!((2550..2720).contains(&first), "{first}");
        assert!((1240..1400).contains(&second), "{second}");
        assert!(pass == 0 && (20..80).contains(&last), "{pass} {last}");
        // The square roots are as 0.775 to 0.548 to 0.1.
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
