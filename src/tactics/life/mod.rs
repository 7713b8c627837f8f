//! Life and death: whether a group in a region of the board lives, by proof.
//!
//! The side to move has a goal, to live with the group or to kill it. Proofs are sought one after the other: that it
//! reaches the goal if it wins every ko, that it does although the other side wins them, and that it does if neither may
//! take back without a threat. A goal that is out of reach even with the kos won is proved to be by the other side's own
//! proof, so that everything told is proved; the rest is [`LifeOutcome::UnknownCommand`].
//!
//! In a long search a look at a narrower piece of the board comes first, where most is decided sooner, though not always
//! rightly: it proves nothing, but guides the proofs, and gives the best try where nothing is proved.
//!
//! What is taken for granted of the surroundings is written down in `region`; superko beyond simple kos is not told
//! apart.

mod child_summary;
mod dead_area;
mod dfpn;
mod eye_distance;
pub mod eye_space;
mod guidance;
mod nakade;
mod node;
mod outside_check;
mod proof_numbers;
mod region;
mod solution_tree;
mod strategy;
pub mod whole_board;

pub use solution_tree::Branch;

use crate::game::board::Board;
use crate::game::color::Color;
use crate::game::point::{Move, Point};
use crate::game::pointset::PointSet;
use crate::tactics::bitboard::word::Word;
use crate::tactics::transposition_table::{TableError, TranspositionTable};
use dfpn::{KoImmunity, ProofGoal, ProofLimits, Prover};
use node::{LifeNode, TerminalStatus};
use proof_numbers::ProofNumbers;
use region::{Region, Set};
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
pub enum LifeGoal {
    /// To live with its own group.
    Live,
    /// To kill the other side's.
    Kill,
}

/// A question of life and death.
#[derive(Clone, Copy, Debug)]
pub struct LifeProblem<'a> {
    /// The stones.
    pub board: &'a Board,
    /// Where the group is; the rectangle around it is looked at.
    pub region: &'a PointSet,
    /// A stone of the chain that lives or dies; else any stone of that side in the region may.
    pub target: Option<Point>,
    /// The side to move.
    pub to_move: Color,
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
pub struct LifeLimits {
    /// Positions for each proof.
    pub nodes: u64,
    /// For all of them.
    pub time: Option<Duration>,
    /// Memory of the table.
    pub table_mib: usize,
    /// Threads that seek each proof together; with more than one the tree of answers may vary from run to run.
    pub threads: usize,
}

impl Default for LifeLimits {
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
pub enum LifeOutcome {
    /// The side to move reaches its goal, whoever wins the kos.
    Success,
    /// It does if it wins the kos; that it does otherwise was not proved.
    Ko {
        /// Whether it may need the first threat; else the other side does.
        needs_threat: bool,
        /// Whether a success without kos was ruled out, as far as the search looks: lines that come back to a position,
        /// or go on for very long, are no success to it. Else it came to no end.
        is_confirmed: bool,
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
    pub outcome: LifeOutcome,
    /// The move that reaches the goal; where nothing is proved the first of the tries. `None` if there is no move, or
    /// none that helps.
    pub best_move: Option<Move>,
    /// Where nothing is proved the moves that may help, what looks best first: all that are not disproved, or all; one
    /// alone that would be proved to, did the stones around stand.
    pub candidates: Vec<Move>,
    /// Whether the group that lives does so in seki, without two eyes, if that was found out.
    pub seki: Option<bool>,
    /// The answers that make up the proof.
    pub tree: Vec<Branch>,
    /// Positions visited.
    pub nodes: u64,
}

impl LifeProblem<'_> {
    /// The goal that the position suggests. Under attack is the side of which fewer stones can be reached from outside
    /// the region over empty points; the side to move if they are as many. That side wants to live, the other to kill.
    ///
    /// # Errors
    /// When neither side has a group in the region, or it is too large.
    pub fn goal(&self) -> Result<LifeGoal, LifeError> {
        let own_region = Region::new(self, self.to_move);
        let opponent_region = Region::new(self, self.to_move.opposite());
        match (own_region, opponent_region) {
            (Ok(region), Ok(_)) => {
                let [own_stones, opponent_stones] = region.stones_reachable_from_outside();
                Ok(if own_stones <= opponent_stones {
                    LifeGoal::Live
                } else {
                    LifeGoal::Kill
                })
            }
            (Ok(_), Err(_)) => Ok(LifeGoal::Live),
            (Err(_), Ok(_)) => Ok(LifeGoal::Kill),
            (Err(error), Err(_)) => Err(error),
        }
    }

    /// Solves it. Where stones around it that the answer rests on can be taken, nothing is proved, and the move that
    /// would have been is the one to try.
    ///
    /// # Errors
    /// See [`LifeError`].
    pub fn solve(&self, goal: LifeGoal, limits: LifeLimits) -> Result<Solution, LifeError> {
        let started = Instant::now();
        let solution = self.solve_region(goal, limits)?;
        let time = limits
            .time
            .map(|time| time.saturating_sub(started.elapsed()));
        Ok(outside_check::verify_solution(self, goal, solution, time))
    }

    /// The same, with all that is taken for granted of the surroundings.
    fn solve_region(&self, goal: LifeGoal, limits: LifeLimits) -> Result<Solution, LifeError> {
        let search = LifeSearch::new(self, self.defender(goal), limits)?;
        Ok(search.solve(goal == LifeGoal::Live))
    }

    /// The side whose stones live or die.
    const fn defender(&self, goal: LifeGoal) -> Color {
        match goal {
            LifeGoal::Live => self.to_move,
            LifeGoal::Kill => self.to_move.opposite(),
        }
    }
}

/// A search of so many positions for each proof looks at the narrow piece first, and its proofs guide one another.
const LONG_SEARCH_NODES: u64 = 50_000;

/// The proofs for one problem.
struct LifeSearch {
    region: Region,
    /// A piece on which more is decided, and not always right; none in a short search.
    narrow_region: Option<Region>,
    table: TranspositionTable<ProofNumbers>,
    root: LifeNode,
    limits: LifeLimits,
    started: Instant,
}

impl LifeSearch {
    /// With nothing proved yet of the life of the defender's group.
    fn new(
        problem: &LifeProblem<'_>,
        defender: Color,
        limits: LifeLimits,
    ) -> Result<Self, LifeError> {
        let region = Region::new(problem, defender)?;
        let is_long = limits.nodes >= LONG_SEARCH_NODES;
        let narrow_region = is_long.then(|| region.narrow(problem, defender)).flatten();
        let ko = problem.ko.and_then(|ko| region.index(ko));
        let defender_to_move = problem.to_move == defender;
        let root = LifeNode::new(
            &region,
            defender_to_move,
            ko.map_or(Set::EMPTY, Set::single),
        );
        Ok(Self {
            region,
            narrow_region,
            table: TranspositionTable::new(limits.table_mib)?,
            root,
            limits,
            started: Instant::now(),
        })
    }

    fn solve(&self, goal_is_life: bool) -> Solution {
        if let Ok(status) = self.root.terminal_status(&self.region) {
            let success = (status == TerminalStatus::Alive) == goal_is_life;
            return self.decided_solution(success);
        }
        let (outcome, goal, nodes) = self.prove_outcome(goal_is_life);
        let mut solution = self.solution_for(outcome, goal, nodes);
        // Afterwards, since further proofs may push the answers out of the table.
        if outcome == LifeOutcome::Success && goal_is_life {
            solution.seki = self.is_seki(goal, &mut solution.nodes);
        }
        solution
    }

    /// Whether the group that lives does so in seki, if either is proved.
    fn is_seki(&self, goal: ProofGoal, nodes: &mut u64) -> Option<bool> {
        let by_eyes = ProofGoal {
            seki_lives: false,
            ..goal
        };
        let without_eyes = ProofGoal {
            lives: false,
            ko_immunity: KoImmunity::Prover,
            allow_distant: true,
            ..by_eyes
        };
        [(by_eyes, false), (without_eyes, true)]
            .into_iter()
            .find_map(|(goal, seki)| {
                let attempt = self.attempt(goal, 1.0);
                *nodes += attempt.nodes;
                (attempt.proved == Some(true)).then_some(seki)
            })
    }

    /// A group that is dead or alive already.
    fn decided_solution(&self, success: bool) -> Solution {
        Solution {
            outcome: if success {
                LifeOutcome::Success
            } else {
                LifeOutcome::Failure
            },
            best_move: success.then_some(Move::Pass),
            candidates: Vec::new(),
            seki: None,
            tree: Vec::new(),
            nodes: 0,
        }
    }

    fn solution_for(&self, outcome: LifeOutcome, goal: ProofGoal, nodes: u64) -> Solution {
        let prover_to_move = outcome != LifeOutcome::Failure;
        let tree = match outcome {
            LifeOutcome::Unknown => Vec::new(),
            _ => self.proof_tree(goal, prover_to_move),
        };
        let candidates = match outcome {
            LifeOutcome::Unknown => self.candidate_moves(goal),
            _ => Vec::new(),
        };
        let best_move = match outcome {
            LifeOutcome::Failure => None,
            LifeOutcome::Unknown => candidates.first().copied(),
            _ => tree.first().map(|branch| branch.mv),
        };
        Solution {
            outcome,
            best_move,
            candidates,
            seki: None,
            tree,
            nodes,
        }
    }

    /// The answers by which a claim is proved; `prover_to_move` says whether the side that proves it is to move.
    fn proof_tree(&self, goal: ProofGoal, prover_to_move: bool) -> Vec<Branch> {
        solution_tree::build(
            &self.table_view(goal),
            &self.region,
            &self.root,
            prover_to_move,
        )
    }

    /// What was found out about a claim, without further search.
    fn table_view(&self, goal: ProofGoal) -> Prover<'_> {
        let limits = ProofLimits {
            nodes: 0,
            deadline: None,
            is_cancelled: &|| true,
            is_parallel: false,
        };
        Prover::new(self.region_for(goal), &self.table, goal, limits)
    }

    /// The piece that a claim is about.
    fn region_for(&self, goal: ProofGoal) -> &Region {
        let narrow_region = self.narrow_region.as_ref().filter(|_| goal.is_narrow);
        narrow_region.unwrap_or(&self.region)
    }

    /// The moves that may prove a claim of which nothing is proved. First one by which it is proved on the narrow piece,
    /// then that on which most was spent, since a search comes back to what promises most; of those the one that looks
    /// easiest to prove and hardest to disprove. A move that is disproved on the whole piece is none, unless all are.
    fn candidate_moves(&self, goal: ProofGoal) -> Vec<Move> {
        let guide = self.table_view(goal);
        let prover = self.table_view(ProofGoal {
            is_narrow: false,
            ..goal
        });
        let priority = |child: &node::Child| {
            let guide_numbers = guide.lookup(&child.node);
            let looks_proved = guide_numbers.is_some_and(|numbers| numbers.proof == 0);
            let Some(numbers) = prover.lookup(&child.node) else {
                return (true, looks_proved, 0, Reverse(u64::MAX));
            };
            let difficulty = (u64::from(numbers.proof) << 32) / u64::from(numbers.disproof + 1);
            (
                numbers.disproof > 0,
                looks_proved,
                numbers.log_nodes,
                Reverse(difficulty),
            )
        };
        let mut children = prover.children(&self.root);
        children.sort_by_cached_key(|child| Reverse(priority(child)));
        let is_not_disproved = |child: &node::Child| priority(child).0;
        if children.iter().any(is_not_disproved) {
            children.retain(is_not_disproved);
        }
        let to_move = |point| Move::Play(self.region.point(point));
        (children.iter())
            .map(|child| child.point.map_or(Move::Pass, to_move))
            .collect()
    }
}

#[cfg(test)]
mod tests;
