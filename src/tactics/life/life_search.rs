//! The sequence of proof searches that solves a problem.

use super::dfpn::{ProofLimits, ProofSearch};
use super::guiding_searches::GuidingSearches;
use super::node::{Child, LifeNode, StaticLifeStatus};
use super::problem::{
    Branch, LifeError, LifeGoal, LifeLimits, LifeOutcome, LifeProblem, Solution, with_surroundings,
};
use super::proof_goal::{Assumptions, KoImmunity, ProofGoal};
use super::proof_numbers::ProofNumbers;
use super::region::{Favours, Region};
use super::set::Set;
use super::solution_tree;
use super::wall_reader::WallReader;
use crate::game::color::Color;
use crate::game::point::Move;
use crate::tactics::bitboard::word::Word;
use crate::tactics::transposition_table::TranspositionTable;
use std::cmp::Reverse;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::thread::Builder;
use std::time::Instant;

/// Fraction of the time after which the proof in which the prover loses all kos must end. The remaining time is used to
/// determine the side that needs the first ko threat.
const OPPONENT_IMMUNE_TIME_SHARE: f64 = 0.7;
/// Fraction of the time after which the first proofs must end. The remaining time is used for the proofs that depend on
/// their results, or for a guess.
const PROOF_TIME_SHARE: f64 = 0.85;
/// Fraction of the time that may be used for searches of the narrow region.
const NARROW_TIME_SHARE: f64 = 0.4;

/// Minimum node limit of a *long* search, which searches the narrow region first and uses earlier proofs to guide later
/// ones.
pub(super) const LONG_SEARCH_NODES: u64 = 50_000;

/// Result of a proof search.
#[derive(Default)]
pub(super) struct ProofResult {
    /// True if the goal was proved, false if it was disproved. `None` if a limit was reached first.
    pub(super) proved: Option<bool>,
    pub(super) nodes: u64,
}

impl ProofResult {
    /// Merges the results of two threads. A proof takes precedence over a disproof, which may depend on a repetition.
    fn merge(self, other: Self) -> Self {
        Self {
            proved: self.proved.max(other.proved),
            nodes: self.nodes + other.nodes,
        }
    }
}

/// Results of the proofs of a goal with different ko immunities.
#[derive(Default)]
struct ResultsByKoImmunity {
    opponent_immune: ProofResult,
    prover_immune: ProofResult,
    /// Only attempted if the prover succeeds with ko immunity but not if its opponent has it.
    neither_immune: ProofResult,
    /// Most promising goal if there is no proof.
    best_guess: Option<ProofGoal>,
}

impl ResultsByKoImmunity {
    fn nodes(&self) -> u64 {
        self.opponent_immune.nodes + self.prover_immune.nodes + self.neither_immune.nodes
    }
}

/// State of all proofs for one problem.
pub(super) struct LifeSearch {
    /// Region for proofs that the group lives.
    life_region: Region,
    /// Region for proofs that the group dies.
    death_region: Region,
    /// Narrow region, in which more positions are decided, but not always correctly. `None` in short searches, or if
    /// the narrow region allows the same moves as `life_region`.
    pub(super) narrow_region: Option<Region>,
    table: TranspositionTable<ProofNumbers>,
    root: LifeNode,
    /// One reader per thread.
    wall_readers: Vec<Mutex<WallReader>>,
    pub(super) limits: LifeLimits,
    /// Set to end all searches soon.
    pub(super) stop: Arc<AtomicBool>,
    started: Instant,
}

impl LifeSearch {
    /// Prepares the proofs for the defender's group.
    pub(super) fn new(
        problem: &LifeProblem<'_>,
        defender: Color,
        limits: LifeLimits,
    ) -> Result<Self, LifeError> {
        let is_long = limits.nodes_per_proof >= LONG_SEARCH_NODES;
        let points = if is_long {
            with_surroundings(problem.region, problem.board)
        } else {
            *problem.region
        };
        let life_region = Region::new(problem, &points, defender, Favours::Attacker)?;
        let death_region = Region::new(problem, &points, defender, Favours::Defender)?;
        let narrow_region = is_long
            .then(|| Region::narrow(problem, &points, defender))
            .transpose()?
            .filter(|narrow| !narrow.allows_same_moves(&life_region));
        let ko = problem.ko.and_then(|ko| life_region.index(ko));
        let defender_to_move = problem.to_move == defender;
        let root = LifeNode::new(
            &life_region,
            defender_to_move,
            ko.map_or(Set::EMPTY, Set::single),
        );
        Ok(Self {
            life_region,
            death_region,
            narrow_region,
            table: TranspositionTable::new(limits.table_mib)?,
            root,
            wall_readers: (0..limits.threads.max(1))
                .map(|_| Mutex::new(WallReader::new(problem.board, defender)))
                .collect(),
            limits,
            stop: Arc::default(),
            started: Instant::now(),
        })
    }

    /// Returns the region in which it is proved that the group lives (if `lives` is true) or dies.
    pub(super) fn region(&self, lives: bool) -> &Region {
        if lives {
            &self.life_region
        } else {
            &self.death_region
        }
    }

    /// Returns the result of a static test of the initial position, if it is decided.
    fn static_life_status(&self) -> Option<StaticLifeStatus> {
        [StaticLifeStatus::Alive, StaticLifeStatus::Dead]
            .into_iter()
            .find(|&expected| {
                let goal = ProofGoal {
                    lives: expected == StaticLifeStatus::Alive,
                    ..near_goal(LifeGoal::Live)
                };
                self.table_view(goal).status(&self.root) == Ok(expected)
            })
    }

    /// Solves the problem. `life_goal` is the goal of the side to move.
    pub(super) fn solve(&self, life_goal: LifeGoal) -> Solution {
        if let Some(status) = self.static_life_status() {
            let success = (status == StaticLifeStatus::Alive) == (life_goal == LifeGoal::Live);
            return match success {
                true => Solution::without_tree(LifeOutcome::Success, Some(Move::Pass), 0),
                false => Solution::without_tree(LifeOutcome::Failure, None, 0),
            };
        }
        let (outcome, goal, nodes) = self.determine_outcome(life_goal);
        let mut solution = self.solution_for(outcome, goal, nodes);
        // The seki proofs come last because they can overwrite the proof tree in the table.
        if outcome == LifeOutcome::Success && life_goal == LifeGoal::Live {
            solution.seki = self.is_seki(goal, &mut solution.nodes);
        }
        solution
    }

    /// Returns true if the region does not cover the whole board.
    fn has_outside(&self) -> bool {
        !self.life_region.geometry.outside_boundary().is_empty()
    }

    /// Returns true if the living group lives in seki, false if it has two eyes, and `None` if neither is proved. Adds
    /// the visited positions to `nodes`.
    fn is_seki(&self, goal: ProofGoal, nodes: &mut u64) -> Option<bool> {
        let by_eyes = ProofGoal {
            seki_lives: false,
            ..goal
        };
        let without_eyes = ProofGoal {
            lives: false,
            ko_immunity: KoImmunity::Prover,
            allow_distant_moves: true,
            ..by_eyes
        };
        [(by_eyes, false), (without_eyes, true)]
            .into_iter()
            .find_map(|(goal, seki)| {
                let attempt = self.run_proof_search(goal, 1.0);
                *nodes += attempt.nodes;
                (attempt.proved == Some(true)).then_some(seki)
            })
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

    /// Returns the moves and replies that prove `goal`.
    pub(super) fn proof_tree(&self, goal: ProofGoal, prover_to_move: bool) -> Vec<Branch> {
        let proof_search = self.table_view(goal);
        let size = [solution_tree::MAX_WIDTH, solution_tree::MAX_LENGTH];
        solution_tree::build(
            &proof_search,
            &self.life_region,
            &self.root,
            prover_to_move,
            size,
        )
    }

    /// Returns a proof search that is only used to look up the stored results for `goal`.
    fn table_view(&self, goal: ProofGoal) -> ProofSearch<'_> {
        let limits = ProofLimits {
            nodes: 0,
            deadline: None,
            is_cancelled: &|| true,
            is_parallel: false,
        };
        self.proof_search(goal, limits, GuidingSearches::default(), 0)
    }

    fn proof_search<'a>(
        &'a self,
        goal: ProofGoal,
        limits: ProofLimits<'a>,
        guidance: GuidingSearches,
        thread: usize,
    ) -> ProofSearch<'a> {
        let region = match (goal.assumptions, &self.narrow_region) {
            (Assumptions::Narrow, Some(narrow_region)) => narrow_region,
            (Assumptions::Narrow, None) => &self.life_region,
            (Assumptions::Unfavourable | Assumptions::SafeWalls, _) => self.region(goal.lives),
            (Assumptions::Favourable, _) => self.region(!goal.lives),
        };
        let wall_reader = &self.wall_readers[thread];
        ProofSearch::new(region, &self.table, goal, limits, guidance, wall_reader)
    }

    /// Returns [`Solution::candidates`] for a goal that was not proved, most promising first.
    ///
    /// Moves proved in the narrow region come first. The other moves follow, ordered first by search effort (the search
    /// returns most often to the most promising moves) and then by the ratio of proof number to disproof number. Moves
    /// that are disproved and not proved in the narrow region are omitted, unless there are no others.
    fn candidate_moves(&self, goal: ProofGoal) -> Vec<Move> {
        let guide = self.table_view(goal);
        let unfavourable = ProofGoal {
            assumptions: Assumptions::Unfavourable,
            ..goal
        };
        let proof_search = [unfavourable, with_safe_walls(unfavourable)]
            .map(|goal| self.table_view(goal))
            .into_iter()
            .find(|search| search.lookup(&self.root).is_some())
            .unwrap_or_else(|| self.table_view(unfavourable));
        let priority = |child: &Child| {
            let guide_numbers = guide.lookup(&child.node);
            let looks_proved = guide_numbers.is_some_and(|numbers| numbers.proof == 0);
            let Some(numbers) = proof_search.lookup(&child.node) else {
                return (true, looks_proved, 0, Reverse(u64::MAX));
            };
            let difficulty = (u64::from(numbers.proof) << 32) / u64::from(numbers.disproof + 1);
            (
                looks_proved || numbers.disproof > 0,
                looks_proved,
                numbers.log_nodes,
                Reverse(difficulty),
            )
        };
        let mut children = proof_search.children(&self.root);
        children.sort_by_cached_key(|child| Reverse(priority(child)));
        let is_promising = |child: &Child| priority(child).0;
        if children.iter().any(is_promising) {
            children.retain(is_promising);
        }
        let to_move = |point| Move::Play(self.life_region.point(point));
        (children.iter())
            .map(|child| child.point.map_or(Move::Pass, to_move))
            .collect()
    }
}

impl LifeSearch {
    /// Runs the proofs. Returns the outcome, the goal that proves it (or the most promising goal if nothing is proved),
    /// and the number of positions visited.
    ///
    /// The first proofs restrict the prover to moves near the group. They are repeated with all moves if they prove
    /// neither a success without kos nor a failure.
    pub(super) fn determine_outcome(&self, life_goal: LifeGoal) -> (LifeOutcome, ProofGoal, u64) {
        let near_goal = near_goal(life_goal);
        let attempts = self.prove_with_narrow_first(near_goal);
        let mut nodes = attempts.nodes();
        let (outcome, goal) = best_proved_outcome(near_goal, &attempts);
        let distant_goal = ProofGoal {
            allow_distant_moves: true,
            ..near_goal
        };
        match (
            outcome,
            attempts.opponent_immune.proved,
            attempts.prover_immune.proved,
        ) {
            (
                LifeOutcome::Ko {
                    needs_threat,
                    is_confirmed,
                },
                Some(false),
                _,
            ) => {
                let attempt = self.run_proof_search(distant_goal, 1.0);
                nodes += attempt.nodes;
                if attempt.proved == Some(true) {
                    return (LifeOutcome::Success, distant_goal, nodes);
                }
                let outcome = LifeOutcome::Ko {
                    needs_threat,
                    is_confirmed: is_confirmed
                        && attempt.proved == Some(false)
                        && self.is_impossible(distant_goal, needs_threat, &mut nodes),
                };
                (outcome, goal, nodes)
            }
            (LifeOutcome::Unknown, _, Some(false)) => {
                if let Some(refutation) = self.refutation(near_goal, &mut nodes) {
                    return (LifeOutcome::Failure, refutation, nodes);
                }
                let attempts = self.prove_with_narrow_first(distant_goal);
                nodes += attempts.nodes();
                let (outcome, goal) = best_proved_outcome(distant_goal, &attempts);
                if attempts.prover_immune.proved == Some(false)
                    && let Some(refutation) = self.refutation(distant_goal, &mut nodes)
                {
                    return (LifeOutcome::Failure, refutation, nodes);
                }
                (outcome, goal, nodes)
            }
            _ => (outcome, goal, nodes),
        }
    }

    /// Returns true if `goal` and, if `needs_threat` is true, the same goal without ko immunity are disproved even though
    /// the surroundings favour the prover. Adds the visited positions to `nodes`.
    fn is_impossible(&self, goal: ProofGoal, needs_threat: bool, nodes: &mut u64) -> bool {
        if !self.has_outside() {
            return true;
        }
        let favourable = ProofGoal {
            assumptions: Assumptions::Favourable,
            ..goal
        };
        let without_immunity = with_ko_immunity(favourable, KoImmunity::Neither);
        [favourable, without_immunity]
            .into_iter()
            .take(1 + usize::from(needs_threat))
            .all(|goal| {
                let attempt = self.run_proof_search(goal, 1.0);
                *nodes += attempt.nodes;
                attempt.proved == Some(false)
            })
    }

    /// Tries to prove the opponent's goal, which refutes `goal`. Returns the opponent's goal if it is proved. Adds the
    /// visited positions to `nodes`.
    fn refutation(&self, goal: ProofGoal, nodes: &mut u64) -> Option<ProofGoal> {
        let refutation = ProofGoal {
            lives: !goal.lives,
            ..goal
        };
        let attempt = self.run_proof_search(refutation, 1.0);
        *nodes += attempt.nodes;
        (attempt.proved == Some(true)).then_some(refutation)
    }

    /// Runs the proofs of a goal, first in the narrow region (if there is one and `goal` does not allow distant moves)
    /// and then in the full region.
    fn prove_with_narrow_first(&self, goal: ProofGoal) -> ResultsByKoImmunity {
        let narrow_attempts = match self.narrow_region {
            Some(_) if !goal.allow_distant_moves => {
                self.prove_by_ko(on_narrow_region(goal), false, NARROW_TIME_SHARE)
            }
            _ => ResultsByKoImmunity::default(),
        };
        let expects_success = narrow_attempts.opponent_immune.proved == Some(true);
        let mut attempts = self.prove_by_ko(goal, expects_success, PROOF_TIME_SHARE);
        attempts.prover_immune.nodes += narrow_attempts.nodes();
        let (outcome, best_guess) = best_proved_outcome(on_narrow_region(goal), &narrow_attempts);
        attempts.best_guess = (outcome != LifeOutcome::Unknown).then_some(best_guess);
        attempts
    }

    /// Tries to prove `goal` under different ko immunities until the fraction `time_share` of the time limit has passed.
    /// The side with ko immunity may retake every ko immediately.
    ///
    /// Normally, the proof with ko immunity for the prover comes first, because the other proofs fail if this one does.
    /// The proof with immunity for the opponent follows, and finally the one without immunity. If success is expected
    /// (`expects_success`), the proof with immunity for the opponent comes first instead.
    fn prove_by_ko(
        &self,
        goal: ProofGoal,
        expects_success: bool,
        time_share: f64,
    ) -> ResultsByKoImmunity {
        let attempt_with = |ko_immunity, time_share| {
            self.run_proof_search(with_ko_immunity(goal, ko_immunity), time_share)
        };
        let first_proofs_share = time_share.min(OPPONENT_IMMUNE_TIME_SHARE);
        let mut attempts = ResultsByKoImmunity::default();
        if expects_success {
            attempts.opponent_immune = attempt_with(KoImmunity::Opponent, first_proofs_share);
        }
        if attempts.opponent_immune.proved == Some(true) {
            return attempts;
        }
        attempts.prover_immune = attempt_with(KoImmunity::Prover, time_share);
        if attempts.prover_immune.proved == Some(true) && !expects_success {
            attempts.opponent_immune = attempt_with(KoImmunity::Opponent, first_proofs_share);
        }
        if attempts.prover_immune.proved == Some(true)
            && attempts.opponent_immune.proved != Some(true)
        {
            attempts.neither_immune = attempt_with(KoImmunity::Neither, time_share);
        }
        attempts
    }

    /// Returns the earlier searches that guide the proof of `goal` in a long search.
    fn guiding_searches(&self, goal: ProofGoal) -> GuidingSearches {
        if !goal.lives && goal.assumptions == Assumptions::Unfavourable && self.has_outside() {
            return GuidingSearches {
                goals: vec![with_safe_walls(goal)],
                excluded: self.death_region.unplayable(),
            };
        }
        if self.limits.nodes_per_proof < LONG_SEARCH_NODES {
            return GuidingSearches::default();
        }
        let prover_immune = with_ko_immunity(goal, KoImmunity::Prover);
        let mut goals = vec![
            prover_immune,
            on_narrow_region(goal),
            on_narrow_region(prover_immune),
        ];
        let was_searched = |other: &ProofGoal| self.table_view(*other).lookup(&self.root).is_some();
        goals.retain(|other| *other != goal && was_searched(other));
        goals.dedup();
        let excluded = self.narrow_region.as_ref().map(Region::unplayable);
        GuidingSearches {
            goals,
            excluded: excluded.unwrap_or_default(),
        }
    }

    /// Searches for a proof of `goal`. The search must end when the fraction `time_share` of the time limit has passed
    /// since the preparation of the proofs.
    ///
    /// A proof that the group dies is first searched for as if the walls were safe. If there is one, it must also hold if
    /// the defender attacks the walls.
    pub(super) fn run_proof_search(&self, goal: ProofGoal, time_share: f64) -> ProofResult {
        let depends_on_walls = !goal.lives && goal.assumptions == Assumptions::Unfavourable;
        if !depends_on_walls || !self.has_outside() {
            return self.run_single_search(goal, time_share);
        }
        let guide = self.run_single_search(with_safe_walls(goal), time_share);
        if guide.proved != Some(true) {
            return guide;
        }
        let mut result = self.run_single_search(goal, time_share.max(PROOF_TIME_SHARE));
        result.nodes += guide.nodes;
        result
    }

    /// Runs a single proof search on all threads.
    fn run_single_search(&self, goal: ProofGoal, time_share: f64) -> ProofResult {
        let threads = self.limits.threads.max(1);
        let deadline =
            (self.limits.time).and_then(|time| self.started.checked_add(time.mul_f64(time_share)));
        let is_decided = AtomicBool::new(false);
        let run_search = |thread| {
            let limits = ProofLimits {
                nodes: self.limits.nodes_per_proof.div_ceil(threads as u64),
                deadline,
                is_cancelled: &|| is_decided.load(Relaxed) || self.stop.load(Relaxed),
                is_parallel: threads > 1,
            };
            let guidance = self.guiding_searches(goal);
            let mut proof_search = self.proof_search(goal, limits, guidance, thread);
            let proved = proof_search.prove(&self.root);
            is_decided.fetch_or(proved.is_some(), Relaxed);
            ProofResult {
                proved,
                nodes: proof_search.nodes(),
            }
        };
        std::thread::scope(|scope| {
            // If the system cannot start more threads, the existing ones do the work.
            let spawn_worker = |thread| {
                Builder::new()
                    .spawn_scoped(scope, move || run_search(thread))
                    .ok()
            };
            let workers: Vec<_> = (1..threads).filter_map(spawn_worker).collect();
            let worker_attempts = workers.into_iter().map(|worker| {
                (worker.join()).unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            });
            let own_attempt = run_search(0);
            worker_attempts.fold(own_attempt, ProofResult::merge)
        })
    }
}

/// Returns the first goal to prove: `life_goal` without kos, by moves near the group.
const fn near_goal(life_goal: LifeGoal) -> ProofGoal {
    ProofGoal {
        lives: matches!(life_goal, LifeGoal::Live),
        ko_immunity: KoImmunity::Opponent,
        seki_lives: true,
        allow_distant_moves: false,
        assumptions: Assumptions::Unfavourable,
    }
}

fn with_ko_immunity(goal: ProofGoal, ko_immunity: KoImmunity) -> ProofGoal {
    ProofGoal {
        ko_immunity,
        ..goal
    }
}

fn with_safe_walls(goal: ProofGoal) -> ProofGoal {
    ProofGoal {
        assumptions: Assumptions::SafeWalls,
        ..goal
    }
}

fn on_narrow_region(goal: ProofGoal) -> ProofGoal {
    ProofGoal {
        assumptions: Assumptions::Narrow,
        ..goal
    }
}

/// Returns the best proved outcome and its goal. If there is no proof, returns [`LifeOutcome::Unknown`] and the most
/// promising goal.
fn best_proved_outcome(
    goal: ProofGoal,
    attempts: &ResultsByKoImmunity,
) -> (LifeOutcome, ProofGoal) {
    let ko = |needs_threat, is_confirmed| LifeOutcome::Ko {
        needs_threat,
        is_confirmed,
    };
    let (opponent_immune, neither_immune) = (
        attempts.opponent_immune.proved,
        attempts.neither_immune.proved,
    );
    let [success_disproved, neither_disproved] =
        [opponent_immune, neither_immune].map(|proved| proved == Some(false));
    match (
        opponent_immune,
        neither_immune,
        attempts.prover_immune.proved,
    ) {
        (Some(true), ..) => (LifeOutcome::Success, goal),
        (_, Some(true), _) => (
            ko(false, success_disproved),
            with_ko_immunity(goal, KoImmunity::Neither),
        ),
        (.., Some(true)) => (
            ko(true, success_disproved && neither_disproved),
            with_ko_immunity(goal, KoImmunity::Prover),
        ),
        _ => (
            LifeOutcome::Unknown,
            attempts
                .best_guess
                .unwrap_or(with_ko_immunity(goal, KoImmunity::Prover)),
        ),
    }
}
