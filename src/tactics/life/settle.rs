//! The proofs by which a problem is settled, and their order.

use super::prove::{Claim, Effort, Kos, Prover};
use super::{Outcome, Search};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// The share of the time until which a proof with the kos lost is sought; the rest is for who needs the first threat.
const UNTIL_OPEN: f64 = 0.8;

/// What came of one proof.
#[derive(Default)]
pub(super) struct Tried {
    pub(super) proved: Option<bool>,
    pub(super) nodes: u64,
}

impl Tried {
    /// What came of the same proof on two threads. A proof counts before a disproof, which may rest on a repetition.
    fn and(self, other: Self) -> Self {
        Self {
            proved: self.proved.max(other.proved),
            nodes: self.nodes + other.nodes,
        }
    }
}

/// What came of the proofs of one claim, told apart by the kos.
#[derive(Default)]
struct ByKos {
    lost: Tried,
    won: Tried,
    /// Tried only where that with the kos won is a success, and that with the kos lost is none.
    open: Tried,
}

impl ByKos {
    fn nodes(&self) -> u64 {
        self.lost.nodes + self.won.nodes + self.open.nodes
    }
}

impl Search {
    /// What is proved, the claim by which it is (or may be), and the positions visited. Proofs are sought with near moves
    /// of the side that proves first; where these do not reach the goal without kos, nor the other side's prevent it, with
    /// all.
    pub(super) fn settle(&self, lives: bool) -> (Outcome, Claim, u64) {
        let near = Claim {
            lives,
            kos: Kos::Lost,
            seki_lives: true,
            far: false,
        };
        let tried = self.try_kos(near);
        let mut nodes = tried.nodes();
        let (outcome, claim) = told(near, &tried);
        let far = Claim { far: true, ..near };
        match (outcome, tried.lost.proved, tried.won.proved) {
            (
                Outcome::Ko {
                    needs_threat,
                    is_sure,
                },
                Some(false),
                _,
            ) => {
                let lost = self.attempt(far, 1.0);
                nodes += lost.nodes;
                if lost.proved == Some(true) {
                    return (Outcome::Success, far, nodes);
                }
                let outcome = Outcome::Ko {
                    needs_threat,
                    is_sure: is_sure && lost.proved == Some(false),
                };
                (outcome, claim, nodes)
            }
            (Outcome::Unknown, _, Some(false)) => {
                if let Some(refutation) = self.refuted(near, &mut nodes) {
                    return (Outcome::Failure, refutation, nodes);
                }
                let tried = self.try_kos(far);
                nodes += tried.nodes();
                let (outcome, claim) = told(far, &tried);
                if tried.won.proved == Some(false)
                    && let Some(refutation) = self.refuted(far, &mut nodes)
                {
                    return (Outcome::Failure, refutation, nodes);
                }
                (outcome, claim, nodes)
            }
            _ => (outcome, claim, nodes),
        }
    }

    /// The other side's claim, if it proves that the goal is out of reach.
    fn refuted(&self, claim: Claim, nodes: &mut u64) -> Option<Claim> {
        let refutation = Claim {
            lives: !claim.lives,
            ..claim
        };
        let tried = self.attempt(refutation, 1.0);
        *nodes += tried.nodes;
        (tried.proved == Some(true)).then_some(refutation)
    }

    /// The proof with the kos won, without which there is no other, then that with the kos lost, then that with them
    /// open.
    fn try_kos(&self, lost: Claim) -> ByKos {
        let mut tried = ByKos {
            won: self.attempt(with(lost, Kos::Won), 1.0),
            ..ByKos::default()
        };
        if tried.won.proved == Some(true) {
            tried.lost = self.attempt(lost, UNTIL_OPEN);
        }
        if tried.won.proved == Some(true) && tried.lost.proved != Some(true) {
            tried.open = self.attempt(with(lost, Kos::Open), 1.0);
        }
        tried
    }

    /// Tries one proof on all threads, until that share of the time is over.
    pub(super) fn attempt(&self, claim: Claim, share: f64) -> Tried {
        let threads = self.limits.threads.max(1);
        let until =
            (self.limits.time).and_then(|time| self.started.checked_add(time.mul_f64(share)));
        let found = AtomicBool::new(false);
        let seek = || {
            let effort = Effort {
                nodes: self.limits.nodes.div_ceil(threads as u64),
                until,
                enough: &|| found.load(Relaxed),
                company: threads > 1,
            };
            let mut prover = Prover::new(&self.locale, &self.table, claim, effort);
            let proved = prover.prove(&self.root);
            found.fetch_or(proved.is_some(), Relaxed);
            Tried {
                proved,
                nodes: prover.nodes(),
            }
        };
        std::thread::scope(|scope| {
            let others: Vec<_> = (1..threads).map(|_| scope.spawn(seek)).collect();
            let joined = others.into_iter().map(|other| {
                (other.join()).unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            });
            let own = seek();
            joined.fold(own, Tried::and)
        })
    }
}

fn with(claim: Claim, kos: Kos) -> Claim {
    Claim { kos, ..claim }
}

/// The best that was proved, and the claim; else the claim that comes nearest.
fn told(lost: Claim, tried: &ByKos) -> (Outcome, Claim) {
    let ko = |needs_threat, is_sure| Outcome::Ko {
        needs_threat,
        is_sure,
    };
    let (without, open) = (tried.lost.proved, tried.open.proved);
    let [no_success, no_open] = [without, open].map(|proved| proved == Some(false));
    match (without, open, tried.won.proved) {
        (Some(true), ..) => (Outcome::Success, lost),
        (_, Some(true), _) => (ko(false, no_success), with(lost, Kos::Open)),
        (.., Some(true)) => (ko(true, no_success && no_open), with(lost, Kos::Won)),
        _ => (Outcome::Unknown, with(lost, Kos::Won)),
    }
}
