//! The proofs by which a problem is settled, and their order.

use super::advice::Advice;
use super::prove::{Claim, Effort, Kos, Prover};
use super::{LONG, Locale, Outcome, Search};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread::Builder;

/// The share of the time until which a proof with the kos lost is sought; the rest is for who needs the first threat.
const UNTIL_OPEN: f64 = 0.8;
/// The share of the time until which the narrow piece is looked at.
const UNTIL_SEEN: f64 = 0.4;

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
    /// What comes nearest to a claim that is not proved.
    guess: Option<Claim>,
}

impl ByKos {
    fn nodes(&self) -> u64 {
        self.lost.nodes + self.won.nodes + self.open.nodes
    }
}

impl Search {
    /// What is proved, the claim by which it is (or may be), and the positions visited. Proofs are sought with near moves
    /// of the side that proves first; where these do not reach the goal without kos, nor the other side's prevent it,
    /// with all.
    pub(super) fn settle(&self, lives: bool) -> (Outcome, Claim, u64) {
        let near = Claim {
            lives,
            kos: Kos::Lost,
            seki_lives: true,
            far: false,
            narrow: false,
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

    /// The proofs of a claim with the kos lost, and, where it is not proved, with them won and open. What the look at the
    /// narrow piece shows is sought first.
    fn try_kos(&self, lost: Claim) -> ByKos {
        let seen = match self.narrow {
            Some(_) if !lost.far => self.prove_by_kos(narrowed(lost), false, UNTIL_SEEN),
            _ => ByKos::default(),
        };
        let expected = seen.lost.proved == Some(true);
        let mut tried = self.prove_by_kos(lost, expected, 1.0);
        tried.won.nodes += seen.nodes();
        let (outcome, claim) = told(narrowed(lost), &seen);
        tried.guess = (outcome != Outcome::Unknown).then_some(claim);
        tried
    }

    /// The proof with the kos won, without which there is no other, then that with the kos lost, then that with them
    /// open; that with the kos lost at once if it is expected. All within that share of the time.
    fn prove_by_kos(&self, lost: Claim, expected: bool, share: f64) -> ByKos {
        let attempt = |kos, share| self.attempt(with(lost, kos), share);
        let until_open = share.min(UNTIL_OPEN);
        let mut tried = ByKos::default();
        if expected {
            tried.lost = attempt(Kos::Lost, until_open);
        }
        if tried.lost.proved == Some(true) {
            return tried;
        }
        tried.won = attempt(Kos::Won, share);
        if tried.won.proved == Some(true) && !expected {
            tried.lost = attempt(Kos::Lost, until_open);
        }
        if tried.won.proved == Some(true) && tried.lost.proved != Some(true) {
            tried.open = attempt(Kos::Open, share);
        }
        tried
    }

    /// Whose word guides the proof of a claim in a long search: those that came before it, over the same table.
    fn advice(&self, claim: Claim) -> Advice {
        if self.limits.nodes < LONG {
            return Advice::default();
        }
        let won = with(claim, Kos::Won);
        let mut claims = vec![won, narrowed(claim), narrowed(won)];
        let came_before = |other: &Claim| self.reminder(*other).known(&self.root).is_some();
        claims.retain(|other| *other != claim && came_before(other));
        claims.dedup();
        let far = self.narrow.as_ref().map(Locale::unplayed);
        Advice {
            claims,
            far: far.unwrap_or_default(),
        }
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
            let prover = Prover::new(self.seen(claim), &self.table, claim, effort);
            let mut prover = prover.advised(self.advice(claim));
            let proved = prover.prove(&self.root);
            found.fetch_or(proved.is_some(), Relaxed);
            Tried {
                proved,
                nodes: prover.nodes(),
            }
        };
        std::thread::scope(|scope| {
            // Where the system gives no more threads, those that there are do the work.
            let start = |_| Builder::new().spawn_scoped(scope, seek).ok();
            let others: Vec<_> = (1..threads).filter_map(start).collect();
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

fn narrowed(claim: Claim) -> Claim {
    Claim {
        narrow: true,
        ..claim
    }
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
        _ => (
            Outcome::Unknown,
            tried.guess.unwrap_or(with(lost, Kos::Won)),
        ),
    }
}
