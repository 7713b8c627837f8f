//! The proofs by which a problem is settled, and their order.

use super::dfpn::{KoImmunity, ProofGoal, ProofLimits, Prover};
use super::guidance::Guidance;
use super::{LONG_SEARCH_NODES, LifeOutcome, LifeSearch, Region};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread::Builder;

/// The share of the time until which a proof with the kos lost is sought; the rest is for who needs the first threat.
const FIRST_PROOFS_TIME_SHARE: f64 = 0.8;
/// The share of the time until which the narrow piece is looked at.
const NARROW_TIME_SHARE: f64 = 0.4;

/// What came of one proof.
#[derive(Default)]
pub(super) struct ProofAttempt {
    pub(super) proved: Option<bool>,
    pub(super) nodes: u64,
}

impl ProofAttempt {
    /// What came of the same proof on two threads. A proof counts before a disproof, which may rest on a repetition.
    fn merge(self, other: Self) -> Self {
        Self {
            proved: self.proved.max(other.proved),
            nodes: self.nodes + other.nodes,
        }
    }
}

/// What came of the proofs of one claim, told apart by the kos.
#[derive(Default)]
struct AttemptsByKo {
    opponent_immune: ProofAttempt,
    prover_immune: ProofAttempt,
    /// Tried only where that with the kos won is a success, and that with the kos lost is none.
    neither_immune: ProofAttempt,
    /// What comes nearest to a claim that is not proved.
    best_guess: Option<ProofGoal>,
}

impl AttemptsByKo {
    fn nodes(&self) -> u64 {
        self.opponent_immune.nodes + self.prover_immune.nodes + self.neither_immune.nodes
    }
}

impl LifeSearch {
    /// What is proved, the claim by which it is (or may be), and the positions visited. Proofs are sought with near moves
    /// of the side that proves first; where these do not reach the goal without kos, nor the other side's prevent it,
    /// with all.
    pub(super) fn prove_outcome(&self, goal_is_life: bool) -> (LifeOutcome, ProofGoal, u64) {
        let near_goal = ProofGoal {
            lives: goal_is_life,
            ko_immunity: KoImmunity::Opponent,
            seki_lives: true,
            allow_distant: false,
            is_narrow: false,
        };
        let attempts = self.prove_with_narrow_first(near_goal);
        let mut nodes = attempts.nodes();
        let (outcome, goal) = best_outcome(near_goal, &attempts);
        let distant_goal = ProofGoal {
            allow_distant: true,
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
                let attempt = self.attempt(distant_goal, 1.0);
                nodes += attempt.nodes;
                if attempt.proved == Some(true) {
                    return (LifeOutcome::Success, distant_goal, nodes);
                }
                let outcome = LifeOutcome::Ko {
                    needs_threat,
                    is_confirmed: is_confirmed && attempt.proved == Some(false),
                };
                (outcome, goal, nodes)
            }
            (LifeOutcome::Unknown, _, Some(false)) => {
                if let Some(refutation) = self.refutation(near_goal, &mut nodes) {
                    return (LifeOutcome::Failure, refutation, nodes);
                }
                let attempts = self.prove_with_narrow_first(distant_goal);
                nodes += attempts.nodes();
                let (outcome, goal) = best_outcome(distant_goal, &attempts);
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

    /// The other side's claim, if it proves that the goal is out of reach.
    fn refutation(&self, goal: ProofGoal, nodes: &mut u64) -> Option<ProofGoal> {
        let refutation = ProofGoal {
            lives: !goal.lives,
            ..goal
        };
        let attempt = self.attempt(refutation, 1.0);
        *nodes += attempt.nodes;
        (attempt.proved == Some(true)).then_some(refutation)
    }

    /// The proofs of a claim with the kos lost, and, where it is not proved, with them won and open. What the look at the
    /// narrow piece shows is sought first.
    fn prove_with_narrow_first(&self, goal: ProofGoal) -> AttemptsByKo {
        let narrow_attempts = match self.narrow_region {
            Some(_) if !goal.allow_distant => {
                self.prove_by_ko(on_narrow_region(goal), false, NARROW_TIME_SHARE)
            }
            _ => AttemptsByKo::default(),
        };
        let is_expected = narrow_attempts.opponent_immune.proved == Some(true);
        let mut attempts = self.prove_by_ko(goal, is_expected, 1.0);
        attempts.prover_immune.nodes += narrow_attempts.nodes();
        let (outcome, best_guess) = best_outcome(on_narrow_region(goal), &narrow_attempts);
        attempts.best_guess = (outcome != LifeOutcome::Unknown).then_some(best_guess);
        attempts
    }

    /// The proof with the kos won, without which there is no other, then that with the kos lost, then that with them
    /// open; that with the kos lost at once if it is expected. All within that share of the time.
    fn prove_by_ko(&self, goal: ProofGoal, is_expected: bool, time_share: f64) -> AttemptsByKo {
        let attempt_with =
            |ko_immunity, time_share| self.attempt(with_ko_immunity(goal, ko_immunity), time_share);
        let first_proofs_share = time_share.min(FIRST_PROOFS_TIME_SHARE);
        let mut attempts = AttemptsByKo::default();
        if is_expected {
            attempts.opponent_immune = attempt_with(KoImmunity::Opponent, first_proofs_share);
        }
        if attempts.opponent_immune.proved == Some(true) {
            return attempts;
        }
        attempts.prover_immune = attempt_with(KoImmunity::Prover, time_share);
        if attempts.prover_immune.proved == Some(true) && !is_expected {
            attempts.opponent_immune = attempt_with(KoImmunity::Opponent, first_proofs_share);
        }
        if attempts.prover_immune.proved == Some(true)
            && attempts.opponent_immune.proved != Some(true)
        {
            attempts.neither_immune = attempt_with(KoImmunity::Neither, time_share);
        }
        attempts
    }

    /// Whose word guides the proof of a claim in a long search: those that came before it, over the same table.
    fn guidance(&self, goal: ProofGoal) -> Guidance {
        if self.limits.nodes < LONG_SEARCH_NODES {
            return Guidance::default();
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
        Guidance {
            goals,
            excluded: excluded.unwrap_or_default(),
        }
    }

    /// Tries one proof on all threads, until that share of the time is over.
    pub(super) fn attempt(&self, goal: ProofGoal, time_share: f64) -> ProofAttempt {
        let threads = self.limits.threads.max(1);
        let deadline =
            (self.limits.time).and_then(|time| self.started.checked_add(time.mul_f64(time_share)));
        let is_decided = AtomicBool::new(false);
        let run_prover = || {
            let limits = ProofLimits {
                nodes: self.limits.nodes.div_ceil(threads as u64),
                deadline,
                is_cancelled: &|| is_decided.load(Relaxed),
                is_parallel: threads > 1,
            };
            let prover = Prover::new(self.region_for(goal), &self.table, goal, limits);
            let mut prover = prover.with_guidance(self.guidance(goal));
            let proved = prover.prove(&self.root);
            is_decided.fetch_or(proved.is_some(), Relaxed);
            ProofAttempt {
                proved,
                nodes: prover.nodes(),
            }
        };
        std::thread::scope(|scope| {
            // Where the system gives no more threads, those that there are do the work.
            let spawn_worker = |_| Builder::new().spawn_scoped(scope, run_prover).ok();
            let workers: Vec<_> = (1..threads).filter_map(spawn_worker).collect();
            let worker_attempts = workers.into_iter().map(|worker| {
                (worker.join()).unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            });
            let own_attempt = run_prover();
            worker_attempts.fold(own_attempt, ProofAttempt::merge)
        })
    }
}

fn with_ko_immunity(goal: ProofGoal, ko_immunity: KoImmunity) -> ProofGoal {
    ProofGoal {
        ko_immunity,
        ..goal
    }
}

fn on_narrow_region(goal: ProofGoal) -> ProofGoal {
    ProofGoal {
        is_narrow: true,
        ..goal
    }
}

/// The best that was proved, and the claim; else the claim that comes nearest.
fn best_outcome(goal: ProofGoal, attempts: &AttemptsByKo) -> (LifeOutcome, ProofGoal) {
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
