//! The alpha-beta search of one thread.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Instant;

use super::busy::Busy;
use super::entry::Known;
use super::memory::{Asked, Found, Memory};
use super::node::{Ground, Node};
use super::order::{Candidate, Habits};
use super::past::Past;
use crate::tactics::patch::word::Word;

/// Nodes between two looks at what the other threads have done, at most.
const LOOK_EVERY: u64 = 4096;
/// Shallower searches are over before another thread could make use of them.
const SHARED_DEPTH: u32 = 3;
/// Shallower nodes do not ask the table about all their moves first.
const ASKING_DEPTH: u32 = 4;

/// What all threads of a search share.
#[derive(Debug)]
pub struct Shared<W> {
    /// The board.
    pub ground: Ground<W>,
    /// What has been found out.
    pub memory: Memory,
    /// Which positions are being searched.
    pub busy: Busy,
    /// Nodes that all threads may visit together.
    pub budget: u64,
    /// When all are to end at the latest.
    pub until: Option<Instant>,
    /// Nodes visited, brought up to date now and then.
    pub nodes: AtomicU64,
    /// Set when all are to end.
    pub stop: AtomicBool,
}

/// One thread's search.
#[derive(Debug)]
pub struct Searcher<'a, W> {
    shared: &'a Shared<W>,
    /// Number of points.
    area: i32,
    past: Past<W>,
    habits: Habits,
    /// Nodes since the last look at the other threads, which these do not know of yet.
    nodes: u64,
    /// And how many there may be until the next.
    share: u64,
    cut: bool,
}

/// The score for certain lies between these bounds.
#[derive(Clone, Copy, Debug)]
struct Certain<W> {
    least: i32,
    most: i32,
    /// Points that are one side's for certain, and where the prover has no dead stones to take.
    settled: W,
}

impl<'a, W: Word> Searcher<'a, W> {
    /// A search with nothing learnt yet.
    #[must_use]
    pub fn new(shared: &'a Shared<W>) -> Self {
        Self {
            shared,
            area: shared.ground.patch().area().count() as i32,
            past: Past::default(),
            habits: Habits::new(W::BITS),
            nodes: 0,
            share: 0,
            cut: false,
        }
    }

    /// Whether the last search left any line undecided for want of depth.
    #[must_use]
    pub const fn was_cut(&self) -> bool {
        self.cut
    }

    /// The most that the prover can be shown to get within `depth` moves, as far as it lies between `alpha` and `beta`:
    /// at or below `alpha` it is only known that it was not shown to be more, from `beta` on that it is at least so
    /// much. Nothing if the budget ran out.
    pub fn run(&mut self, root: &Node<W>, asked: Asked) -> Option<i32> {
        self.past.clear();
        self.habits.fade();
        self.cut = false;
        self.tell_nodes();
        let found = self.search(root, asked, false);
        self.tell_nodes();
        found.map(|found| found.value)
    }

    /// Counts a node; nothing if no more may be visited.
    fn count(&mut self) -> Option<()> {
        if self.nodes == self.share {
            self.tell_nodes();
            if self.share == 0 || self.shared.stop.load(Relaxed) {
                return None;
            }
        }
        self.nodes += 1;
        Some(())
    }

    /// Adds the nodes to those of all threads, and takes as many more as the budget has left, or enough until the next
    /// look; none once the time is up.
    fn tell_nodes(&mut self) {
        let new = std::mem::take(&mut self.nodes);
        let all = self.shared.nodes.fetch_add(new, Relaxed) + new;
        let is_late = (self.shared.until).is_some_and(|until| Instant::now() >= until);
        let left = if is_late { all } else { self.shared.budget };
        self.share = left.saturating_sub(all).min(LOOK_EVERY);
    }

    fn certain(&self, node: &Node<W>) -> Certain<W> {
        let patch = self.shared.ground.patch();
        let (own, other) = if self.shared.memory.features.benson {
            let stones = node.stones;
            [stones, stones.swapped()]
                .map(|stones| patch.secure(&stones, W::EMPTY))
                .into()
        } else {
            (W::EMPTY, W::EMPTY)
        };
        // Dead stones count as long as they stand.
        let dead = node.stones.other & own;
        Certain {
            least: 2 * own.count() as i32 - self.area,
            most: self.area - 2 * other.count() as i32,
            settled: (own | other) & !patch.beside(dead),
        }
    }

    /// `took`: whether the line so far has taken stones, so that it may come back to where it was.
    fn search(&mut self, node: &Node<W>, asked: Asked, took: bool) -> Option<Found<W>> {
        self.count()?;
        let certain = self.certain(node);
        if self.shared.memory.features.cutoffs {
            if certain.least >= asked.beta {
                return Some(Found::certain(certain.least));
            }
            if certain.most <= asked.alpha {
                return Some(Found::certain(certain.most));
            }
        }
        if took && !node.passed {
            // The side that has just moved may not have made this board: see `past`.
            if !node.own_to_move && self.past.has_board(node) {
                return Some(Found::certain(certain.least));
            }
            if node.own_to_move && self.past.has_situation(node) {
                return Some(Found::certain(certain.most));
            }
        }
        if asked.depth == 0 {
            self.cut = true;
            return Some(Found::certain(certain.least));
        }
        let best = match self
            .shared
            .memory
            .recall(&self.shared.ground, &self.past, node, asked)
        {
            Ok(found) => return Some(self.remembered(found, asked)),
            Err(best) => best,
        };
        let candidates = self.candidates(node, asked, certain.settled, best);
        self.past.push(node);
        let answer = match self.known_reply(&candidates, node, asked) {
            Some(found) => Some((self.remembered(found, asked), None)),
            None => self.try_all(&candidates, node, asked, &certain, took),
        };
        self.past.pop();
        let (found, best) = answer?;
        if let Some(best) = best {
            self.shared
                .memory
                .keep(&self.shared.ground, &self.past, node, asked, &found, best);
        }
        Some(found)
    }

    /// A result from the table, which decides: what was not shown may not have been for want of depth.
    fn remembered(&mut self, found: Found<W>, asked: Asked) -> Found<W> {
        self.cut |= found.value <= asked.alpha;
        found
    }

    /// The moves to be tried, in the order to try them; `first` is the table's.
    fn candidates(
        &self,
        node: &Node<W>,
        asked: Asked,
        settled: W,
        first: Option<u8>,
    ) -> Vec<Candidate<W>> {
        let ground = &self.shared.ground;
        let mut candidates = Candidate::all(ground, node, settled);
        if self.shared.memory.features.ordering {
            let passes_well = node.passed && {
                let lead = ground.patch().lead(&node.stones);
                if node.own_to_move {
                    lead >= asked.beta
                } else {
                    lead <= asked.alpha
                }
            };
            let patch = ground.patch();
            self.habits.rank(
                patch,
                &mut candidates,
                node,
                asked.depth,
                first,
                passes_well,
            );
        }
        candidates
    }

    /// Whether the table already knows a move that decides (enhanced transposition cut-off; Plaat et al. 1996).
    fn known_reply(
        &self,
        candidates: &[Candidate<W>],
        node: &Node<W>,
        asked: Asked,
    ) -> Option<Found<W>> {
        let memory = &self.shared.memory;
        if !memory.features.asking || asked.depth < ASKING_DEPTH {
            return None;
        }
        let shallower = Asked {
            depth: asked.depth - 1,
            ..asked
        };
        let stones = candidates.iter().filter(|candidate| !candidate.is_pass());
        stones
            .filter(|candidate| candidate.captured.is_empty())
            .filter(|candidate| !self.past.has_board(&candidate.node))
            .find_map(|candidate| {
                let found = memory
                    .recall(&self.shared.ground, &self.past, &candidate.node, shallower)
                    .ok()?;
                let decides = if node.own_to_move {
                    found.value >= asked.beta
                } else {
                    found.value <= asked.alpha
                };
                decides.then_some(found)
            })
    }

    /// Tries the moves in order, those that another thread is busy with last. What was found, and the best move.
    fn try_all(
        &mut self,
        candidates: &[Candidate<W>],
        node: &Node<W>,
        asked: Asked,
        certain: &Certain<W>,
        took: bool,
    ) -> Option<(Found<W>, Option<u8>)> {
        let own = node.own_to_move;
        let mut window = Asked {
            depth: asked.depth - 1,
            ..asked
        };
        let mut all = Found::certain(if own { certain.least } else { certain.most });
        let mut best = Known::NO_MOVE;
        let mut put_off: Vec<&Candidate<W>> = Vec::new();
        let mut fresh = candidates.iter();
        loop {
            let (candidate, may_wait) = match fresh.next() {
                Some(candidate) => (candidate, best != Known::NO_MOVE),
                None => match put_off.pop() {
                    Some(candidate) => (candidate, false),
                    None => break,
                },
            };
            if may_wait && self.is_elsewhere(candidate, asked.depth) {
                put_off.push(candidate);
                continue;
            }
            let found = self.value_of(candidate, node, window, took)?;
            let better = if own {
                found.value > all.value
            } else {
                found.value < all.value
            };
            all.taken |= found.taken | candidate.captured;
            if better || best == Known::NO_MOVE {
                best = candidate.number();
            }
            if better {
                all.value = found.value;
            }
            if own {
                window.alpha = window.alpha.max(found.value);
            } else {
                window.beta = window.beta.min(found.value);
            }
            if window.alpha >= window.beta && self.shared.memory.features.cutoffs {
                self.habits.cut_off(candidate, node, asked.depth);
                break;
            }
        }
        Some((all, Some(best)))
    }

    fn is_elsewhere(&self, candidate: &Candidate<W>, depth: u32) -> bool {
        depth >= SHARED_DEPTH && self.shared.busy.has(candidate.node.plain_key())
    }

    fn value_of(
        &mut self,
        candidate: &Candidate<W>,
        node: &Node<W>,
        window: Asked,
        took: bool,
    ) -> Option<Found<W>> {
        if candidate.is_pass() && node.passed {
            return Some(Found::certain(
                self.shared.ground.patch().lead(&node.stones),
            ));
        }
        let shares = window.depth + 1 >= SHARED_DEPTH;
        let key = candidate.node.plain_key();
        if shares {
            self.shared.busy.begin(key);
        }
        let found = self.search(
            &candidate.node,
            window,
            took || !candidate.captured.is_empty(),
        );
        if shares {
            self.shared.busy.end(key);
        }
        found
    }
}
