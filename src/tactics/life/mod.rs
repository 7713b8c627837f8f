//! Life and death: whether a group in a region of the board lives, by proof.
//!
//! The side to move has a goal, to live with the group or to kill it. Proofs are sought one after the other: that it
//! reaches the goal if it wins every ko, that it does although the other side wins them, and that it does if neither may
//! take back without a threat. A goal that is out of reach even with the kos won is proved to be by the other side's own
//! proof, so that everything told is proved; the rest is [`Outcome::Unknown`].
//!
//! In a long search a look at a narrower piece of the board comes first, where most is decided sooner, though not always
//! rightly: it proves nothing, but guides the proofs, and gives the best try where nothing is proved.
//!
//! What is taken for granted of the surroundings is written down in `locale`; superko beyond simple kos is not told
//! apart.

mod advice;
mod doubt;
mod entry;
mod eyes;
mod fight;
mod ground;
mod locale;
mod nakade;
pub mod near;
mod outlook;
mod prove;
mod settle;
pub mod space;
mod tree;

pub use tree::Branch;

use crate::game::board::Board;
use crate::game::color::Color;
use crate::game::point::{Move, Point};
use crate::game::pointset::PointSet;
use crate::tactics::patch::word::Word;
use crate::tactics::table::{Table, TableError};
use entry::Numbers;
use fight::{End, Fight};
use locale::{Locale, Set};
use prove::{Claim, Effort, Kos, Prover};
use std::cmp::Reverse;
use std::time::{Duration, Instant};

/// Why a region cannot be judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LifeError {
    /// It has no points.
    #[error("expected a region with points, found none")]
    NoRegion,
    /// It does not fit the machine word.
    #[error(
        "expected a region within 19x6, 16x7, 15x8 or 12x10 points, either way round, found {width} columns and {height} rows"
    )]
    TooLarge {
        /// Columns.
        width: usize,
        /// Rows.
        height: usize,
    },
    /// No stone of the side that would live is in it, or all go on outside.
    #[error(
        "expected {defender} stones whose life is in question, found none in the region that do not go on beyond it"
    )]
    NoTarget {
        /// The side that would live.
        defender: Color,
    },
    /// There is no table.
    #[error(transparent)]
    Table(#[from] TableError),
}

/// What the side to move wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// To live with its own group.
    Live,
    /// To kill the other side's.
    Kill,
}

/// A question of life and death.
#[derive(Clone, Copy, Debug)]
pub struct Problem<'a> {
    /// The stones.
    pub board: &'a Board,
    /// Where the group is; the rectangle around it is looked at.
    pub region: &'a PointSet,
    /// A stone of the chain that lives or dies; else any stone of that side in the region may.
    pub target: Option<Point>,
    /// The side to move.
    pub to_play: Color,
    /// Where that side may not take back at once.
    pub ko: Option<Point>,
}

/// Where the life of groups is in question on a board with a local problem: all stones, and the points around them.
#[must_use]
pub fn surroundings(board: &Board) -> PointSet {
    let stones = *board.stones(Color::Black) | *board.stones(Color::White);
    stones.grown(board.area())
}

/// How long to try.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Positions for each proof.
    pub nodes: u64,
    /// For all of them.
    pub time: Option<Duration>,
    /// Memory of the table.
    pub table_mib: usize,
    /// Threads that seek each proof together; with more than one the tree of answers may vary from run to run.
    pub threads: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            nodes: 100_000,
            time: None,
            table_mib: 16,
            threads: 1,
        }
    }
}

/// What was found out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The side to move reaches its goal, whoever wins the kos.
    Success,
    /// It does if it wins the kos; that it does otherwise was not proved.
    Ko {
        /// Whether it may need the first threat; else the other side does.
        needs_threat: bool,
        /// Whether a success without kos was ruled out, as far as the search looks: lines that come back to a position,
        /// or go on for very long, are no success to it. Else it came to no end.
        is_sure: bool,
    },
    /// It does not even then.
    Failure,
    /// The search came to no end.
    Unknown,
}

/// The answer to a problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Solution {
    /// What is proved.
    pub outcome: Outcome,
    /// The move that reaches the goal; where nothing is proved the first of the tries. `None` if there is no move, or
    /// none that helps.
    pub best: Option<Move>,
    /// Where nothing is proved the moves that may help, what looks best first: all that are not disproved, or all; one
    /// alone that would be proved to, did the stones around stand.
    pub tries: Vec<Move>,
    /// Whether the group that lives does so in seki, without two eyes, if that was found out.
    pub seki: Option<bool>,
    /// The answers that make up the proof.
    pub tree: Vec<Branch>,
    /// Positions visited.
    pub nodes: u64,
}

impl Problem<'_> {
    /// The goal that the position suggests. Under attack is the side of which fewer stones can be reached from outside
    /// the region over empty points; the side to move if they are as many. That side wants to live, the other to kill.
    ///
    /// # Errors
    /// When neither side has a group in the region, or it is too large.
    pub fn goal(&self) -> Result<Goal, LifeError> {
        let own = Locale::new(self, self.to_play);
        let other = Locale::new(self, self.to_play.opposite());
        match (own, other) {
            (Ok(own), Ok(_)) => {
                let [own, other] = own.reached();
                Ok(if own <= other { Goal::Live } else { Goal::Kill })
            }
            (Ok(_), Err(_)) => Ok(Goal::Live),
            (Err(_), Ok(_)) => Ok(Goal::Kill),
            (Err(error), Err(_)) => Err(error),
        }
    }

    /// Solves it. Where stones around it that the answer rests on can be taken, nothing is proved, and the move that
    /// would have been is the one to try.
    ///
    /// # Errors
    /// See [`LifeError`].
    pub fn solve(&self, goal: Goal, limits: Limits) -> Result<Solution, LifeError> {
        let began = Instant::now();
        let solution = self.solve_alone(goal, limits)?;
        let time = limits.time.map(|time| time.saturating_sub(began.elapsed()));
        Ok(doubt::grounded(self, goal, solution, time))
    }

    /// The same, with all that is taken for granted of the surroundings.
    fn solve_alone(&self, goal: Goal, limits: Limits) -> Result<Solution, LifeError> {
        let search = Search::new(self, self.defender(goal), limits)?;
        Ok(search.solve(goal == Goal::Live))
    }

    /// The side whose stones live or die.
    const fn defender(&self, goal: Goal) -> Color {
        match goal {
            Goal::Live => self.to_play,
            Goal::Kill => self.to_play.opposite(),
        }
    }
}

/// A search of so many positions for each proof looks at the narrow piece first, and its proofs guide one another.
const LONG: u64 = 50_000;

/// The proofs for one problem.
struct Search {
    locale: Locale,
    /// A piece on which more is decided, and not always right; none in a short search.
    narrow: Option<Locale>,
    table: Table<Numbers>,
    root: Fight,
    limits: Limits,
    started: Instant,
}

impl Search {
    /// With nothing proved yet of the life of the defender's group.
    fn new(problem: &Problem<'_>, defender: Color, limits: Limits) -> Result<Self, LifeError> {
        let locale = Locale::new(problem, defender)?;
        let is_long = limits.nodes >= LONG;
        let narrow = is_long.then(|| locale.narrow(problem, defender)).flatten();
        let ko = problem.ko.and_then(|ko| locale.number(ko));
        let defends = problem.to_play == defender;
        let root = Fight::new(&locale, defends, ko.map_or(Set::EMPTY, Set::point));
        Ok(Self {
            locale,
            narrow,
            table: Table::new(limits.table_mib)?,
            root,
            limits,
            started: Instant::now(),
        })
    }

    fn solve(&self, lives: bool) -> Solution {
        if let Ok(end) = self.root.end(&self.locale) {
            let success = (end == End::Lives) == lives;
            return self.settled(success);
        }
        let (outcome, claim, nodes) = self.settle(lives);
        let mut solution = self.told(outcome, claim, nodes);
        // Afterwards, since further proofs may push the answers out of the table.
        if outcome == Outcome::Success && lives {
            solution.seki = self.is_seki(claim, &mut solution.nodes);
        }
        solution
    }

    /// Whether the group that lives does so in seki, if either is proved.
    fn is_seki(&self, claim: Claim, nodes: &mut u64) -> Option<bool> {
        let by_eyes = Claim {
            seki_lives: false,
            ..claim
        };
        let without = Claim {
            lives: false,
            kos: Kos::Won,
            far: true,
            ..by_eyes
        };
        [(by_eyes, false), (without, true)]
            .into_iter()
            .find_map(|(claim, seki)| {
                let tried = self.attempt(claim, 1.0);
                *nodes += tried.nodes;
                (tried.proved == Some(true)).then_some(seki)
            })
    }

    /// A group that is dead or alive already.
    fn settled(&self, success: bool) -> Solution {
        Solution {
            outcome: if success {
                Outcome::Success
            } else {
                Outcome::Failure
            },
            best: success.then_some(Move::Pass),
            tries: Vec::new(),
            seki: None,
            tree: Vec::new(),
            nodes: 0,
        }
    }

    fn told(&self, outcome: Outcome, claim: Claim, nodes: u64) -> Solution {
        let proves = outcome != Outcome::Failure;
        let tree = match outcome {
            Outcome::Unknown => Vec::new(),
            _ => self.answers(claim, proves),
        };
        let tries = match outcome {
            Outcome::Unknown => self.tries(claim),
            _ => Vec::new(),
        };
        let best = match outcome {
            Outcome::Failure => None,
            Outcome::Unknown => tries.first().copied(),
            _ => tree.first().map(|branch| branch.mv),
        };
        Solution {
            outcome,
            best,
            tries,
            seki: None,
            tree,
            nodes,
        }
    }

    /// The answers by which a claim is proved; `proves` says whether the side that proves it is to move.
    fn answers(&self, claim: Claim, proves: bool) -> Vec<Branch> {
        tree::grow(&self.reminder(claim), &self.locale, &self.root, proves)
    }

    /// What was found out about a claim, without further search.
    fn reminder(&self, claim: Claim) -> Prover<'_> {
        let effort = Effort {
            nodes: 0,
            until: None,
            enough: &|| true,
            company: false,
        };
        Prover::new(self.seen(claim), &self.table, claim, effort)
    }

    /// The piece that a claim is about.
    fn seen(&self, claim: Claim) -> &Locale {
        let narrow = self.narrow.as_ref().filter(|_| claim.narrow);
        narrow.unwrap_or(&self.locale)
    }

    /// The moves that may prove a claim of which nothing is proved. First one by which it is proved on the narrow piece,
    /// then that on which most was spent, since a search comes back to what promises most; of those the one that looks
    /// easiest to prove and hardest to disprove. A move that is disproved on the whole piece is none, unless all are.
    fn tries(&self, claim: Claim) -> Vec<Move> {
        let guide = self.reminder(claim);
        let prover = self.reminder(Claim {
            narrow: false,
            ..claim
        });
        let merit = |reply: &fight::Reply| {
            let guided = guide.known(&reply.fight);
            let looks_proved = guided.is_some_and(|known| known.proof == 0);
            let Some(known) = prover.known(&reply.fight) else {
                return (true, looks_proved, 0, Reverse(u64::MAX));
            };
            let hardness = (u64::from(known.proof) << 32) / u64::from(known.disproof + 1);
            (
                known.disproof > 0,
                looks_proved,
                known.work,
                Reverse(hardness),
            )
        };
        let mut replies = prover.replies(&self.root);
        replies.sort_by_cached_key(|reply| Reverse(merit(reply)));
        let is_open = |reply: &fight::Reply| merit(reply).0;
        if replies.iter().any(is_open) {
            replies.retain(is_open);
        }
        let at = |stone| Move::Play(self.locale.point(stone));
        (replies.iter())
            .map(|reply| reply.stone.map_or(Move::Pass, at))
            .collect()
    }
}

#[cfg(test)]
mod tests;
