//! The proofs by which a problem is settled, and their order.

use super::prove::{Claim, Effort, Kos, Prover};
use super::{Outcome, Search};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// What came of one proof.
#[derive(Default)]
pub(super) struct Tried {
    pub(super) proved: Option<bool>,
    pub(super) nodes: u64,
}

/// What came of the proofs of one claim, told apart by the kos.
struct ByKos {
    lost: Tried,
    won: Tried,
    /// Tried only where that with kos won is a success.
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
            (Outcome::Ko { .. }, Some(false), _) => {
                let lost = self.attempt(far, 1.0, &|| false);
                nodes += lost.nodes;
                if lost.proved == Some(true) {
                    return (Outcome::Success, far, nodes);
                }
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
        let tried = self.attempt(refutation, 1.0, &|| false);
        *nodes += tried.nodes;
        (tried.proved == Some(true)).then_some(refutation)
    }

    /// The proof with the kos lost, and that with the kos won, each given up once the other has answered.
    fn try_kos(&self, lost: Claim) -> ByKos {
        let won = |enough: &(dyn Fn() -> bool + Sync)| {
            let won = self.attempt(with(lost, Kos::Won), 1.0, enough);
            let open = match won.proved {
                Some(true) => self.attempt(with(lost, Kos::Open), 1.0, enough),
                _ => Tried::default(),
            };
            (won, open)
        };
        if !self.limits.parallel {
            let lost = self.attempt(lost, 0.5, &|| false);
            let (won, open) = match lost.proved {
                Some(true) => (Tried::default(), Tried::default()),
                _ => won(&|| false),
            };
            return ByKos { lost, won, open };
        }
        let (proved, refuted) = (AtomicBool::new(false), AtomicBool::new(false));
        std::thread::scope(|scope| {
            let other = scope.spawn(|| {
                let (won, open) = won(&|| proved.load(Relaxed));
                refuted.store(won.proved == Some(false), Relaxed);
                (won, open)
            });
            let lost = self.attempt(lost, 1.0, &|| refuted.load(Relaxed));
            proved.store(lost.proved == Some(true), Relaxed);
            let (won, open) = other
                .join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            ByKos { lost, won, open }
        })
    }

    /// Tries one proof, until that share of the time is over.
    pub(super) fn attempt(
        &self,
        claim: Claim,
        share: f64,
        enough: &(dyn Fn() -> bool + Sync),
    ) -> Tried {
        let effort = Effort {
            nodes: self.limits.nodes,
            until: self
                .limits
                .time
                .map(|time| self.started + time.mul_f64(share)),
            enough,
        };
        let mut prover = Prover::new(&self.locale, &self.table, claim, effort);
        Tried {
            proved: prover.prove(&self.root),
            nodes: prover.nodes(),
        }
    }
}

fn with(claim: Claim, kos: Kos) -> Claim {
    Claim { kos, ..claim }
}

/// The best that was proved, and the claim; else the claim that comes nearest.
fn told(lost: Claim, tried: &ByKos) -> (Outcome, Claim) {
    let ko = |needs_threat| Outcome::Ko { needs_threat };
    match (tried.lost.proved, tried.open.proved, tried.won.proved) {
        (Some(true), ..) => (Outcome::Success, lost),
        (_, Some(true), _) => (ko(false), with(lost, Kos::Open)),
        (.., Some(true)) => (ko(true), with(lost, Kos::Won)),
        _ => (Outcome::Unknown, with(lost, Kos::Won)),
    }
}
