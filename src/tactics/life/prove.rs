//! Depth-first proof-number search (Nagai, "Df-pn algorithm for searching AND/OR trees and its applications", 2002).
//!
//! The prover wants to show that it reaches its end whatever the other side does. A repetition of the position counts
//! against it, and so does every ko unless it is told otherwise: the side that wins the kos may take back at once, the
//! other may not. So what is proved rests on no repetition, and the table may keep it for every past; what is
//! disproved may rest on one, so a disproof is never more than "no proof was found".
//!
//! Several threads may seek the same proof over one table. Each marks what it searches, and the others take another
//! way where there is one (after Kaneko, "Parallel depth first proof number search", AAAI 2010).

use super::advice::Advice;
use super::entry::{NEVER, Numbers};
use super::eyes::{Distances, FAR};
use super::fight::{End, Fight, Reply};
use super::locale::{Locale, Set};
use super::outlook::Outlook;
use crate::tactics::patch::word::Word;
use crate::tactics::table::Table;
use std::time::Instant;

/// A child is left for its brother once it has become this much harder than it, as a fraction (Pawlewicz and Lew's
/// 1 + epsilon, "Improving depth-first PN-search", 2006).
const PATIENCE: u32 = 4;
/// No fight goes on longer.
const DEEPEST: usize = 100;
/// Steps from the stones of the side that would live to the moves by which something is proved.
const PROVERS_REACH: u32 = 2;
/// Positions between looks at the clock.
const LOOK_EVERY: u64 = 256;
/// With company, what has taken so many positions is marked, and its replies are asked for again after each search.
const SHARED_FROM: u64 = 64;

/// Who may take back in a ko at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kos {
    /// The other side only: the prover loses every ko.
    Lost,
    /// Nobody: the other side needs the first threat in a ko that the prover has taken.
    Open,
    /// The prover only: it wins every ko.
    Won,
}

/// What is to be proved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Claim {
    /// That the group lives; else that it dies.
    pub lives: bool,
    /// Who wins the kos.
    pub kos: Kos,
    /// Whether a group that neither side can attack lives without eyes.
    pub seki_lives: bool,
    /// Whether moves of the prover far from the group's side count; what is proved without them is proved, what is
    /// disproved is not.
    pub far: bool,
    /// Whether it is about the narrow piece: no proof, but a guide to one.
    pub narrow: bool,
}

impl Claim {
    /// What tells its entries in the table from those of other claims.
    pub const fn salt(self) -> u64 {
        let bits = self.lives as u64
            | (self.seki_lives as u64) << 1
            | (self.far as u64) << 2
            | (self.kos as u64) << 3
            | (self.narrow as u64) << 5;
        crate::rng::splitmix64(bits)
    }
}

/// When to stop without a result.
#[derive(Clone, Copy)]
pub(super) struct Effort<'a> {
    pub nodes: u64,
    pub until: Option<Instant>,
    /// Whether somebody else has found the answer.
    pub enough: &'a (dyn Fn() -> bool + Sync),
    /// Whether others seek the same proof over the same table.
    pub company: bool,
}

/// The search for one proof.
pub(super) struct Prover<'a> {
    locale: &'a Locale,
    table: &'a Table<Numbers>,
    claim: Claim,
    effort: Effort<'a>,
    advice: Advice,
    line: Vec<Fight>,
    nodes: u64,
    stopped: bool,
}

impl<'a> Prover<'a> {
    /// A search with nothing begun.
    pub fn new(
        locale: &'a Locale,
        table: &'a Table<Numbers>,
        claim: Claim,
        effort: Effort<'a>,
    ) -> Self {
        Self {
            locale,
            table,
            claim,
            effort,
            advice: Advice::default(),
            line: Vec::new(),
            nodes: 0,
            stopped: false,
        }
    }

    /// The same search, guided by others over the same table.
    pub fn advised(self, advice: Advice) -> Self {
        Self { advice, ..self }
    }

    /// Positions visited.
    pub const fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Whether the claim is true of the position; nothing if it was told to stop before.
    pub fn prove(&mut self, root: &Fight) -> Option<bool> {
        let found = self.search(root, Numbers::new(1, 1), [NEVER; 2]);
        found.is_decided().then_some(found.proof == 0)
    }

    /// What is known of the position now.
    pub fn known(&self, fight: &Fight) -> Option<Numbers> {
        self.table.get(self.key(fight))
    }

    /// The moves of the side to move; none where the fight has ended.
    pub fn replies(&self, fight: &Fight) -> Vec<Reply> {
        fight
            .end(self.locale)
            .map_or_else(|ground| self.moves(fight, ground), |_| Vec::new())
    }

    fn moves(&self, fight: &Fight, ground: Set) -> Vec<Reply> {
        let proves = fight.defends == self.claim.lives;
        let bound = match self.claim.kos {
            Kos::Lost => proves,
            Kos::Open => true,
            Kos::Won => !proves,
        };
        // For the attacker to pass is to give up, unless the group must show eyes, or a ko that it is bound by may be
        // retaken later; that the prover is bound is its own loss.
        let waits = bound && self.claim.kos != Kos::Lost && !fight.ko.is_empty();
        // On the narrow piece a pass stands for a move further out.
        let may_pass = fight.defends || !self.claim.seki_lives || waits || self.claim.narrow;
        let patch = &self.locale.patch;
        let ground = if proves && !self.claim.far {
            ground & patch.spread(fight.stones.own, patch.area(), PROVERS_REACH)
        } else {
            ground
        };
        let mut replies = fight.replies(self.locale, ground, may_pass);
        if bound && !fight.ko.is_empty() {
            replies.retain(|reply| reply.stone.map(Word::point) != Some(fight.ko));
        }
        replies
    }

    fn key(&self, fight: &Fight) -> u64 {
        fight.key() ^ self.claim.salt()
    }

    fn count(&mut self) {
        self.nodes += 1;
        let Effort {
            nodes,
            until,
            enough,
            ..
        } = self.effort;
        let late = || until.is_some_and(|until| Instant::now() >= until);
        self.stopped |=
            self.nodes >= nodes || self.nodes.is_multiple_of(LOOK_EVERY) && (enough() || late());
    }

    /// Searches a position, of which `before` is known, until it is decided or one of its numbers has reached its limit:
    /// that of the proof, then that of the disproof.
    fn search(&mut self, fight: &Fight, before: Numbers, limits: [u32; 2]) -> Numbers {
        self.count();
        if self.line.len() >= DEEPEST {
            // No proof on this way; on a shorter one there may be, so that it is not kept.
            return Numbers::decided(false);
        }
        let started = self.nodes;
        let ground = match fight.end(self.locale) {
            Ok(end) => {
                let proved = (end == End::Lives) == self.claim.lives;
                return self.keep(fight, Numbers::decided(proved));
            }
            Err(ground) => ground,
        };
        if self.effort.company && before.work >= SHARED_FROM.ilog2() {
            if let Some(decided) = self.decided(fight) {
                return decided;
            }
            let busy = true;
            self.table.put(self.key(fight), Numbers { busy, ..before });
        }
        self.line.push(*fight);
        let replies = self.moves(fight, ground);
        let mut numbers = self.rated(fight, &replies);
        let found = self.pursue(fight, &replies, &mut numbers, limits);
        self.line.pop();
        let work = (self.nodes - started).max(1).ilog2().max(before.work);
        self.keep(fight, Numbers { work, ..found })
    }

    /// Searches the replies to the last position of the line, of which these numbers are known, one after the other.
    fn pursue(
        &mut self,
        fight: &Fight,
        replies: &[Reply],
        numbers_of: &mut [Numbers],
        [proof_limit, disproof_limit]: [u32; 2],
    ) -> Numbers {
        let own_move = fight.defends == self.claim.lives;
        let limit = if own_move {
            proof_limit
        } else {
            disproof_limit
        };
        let started = self.nodes;
        loop {
            let Outlook {
                numbers,
                next,
                rival,
            } = Outlook::of(numbers_of, own_move, limit);
            let over = numbers.proof >= proof_limit || numbers.disproof >= disproof_limit;
            let Some(next) = next.filter(|_| !over && !self.stopped) else {
                return numbers;
            };
            let patient = rival.saturating_add(rival / PATIENCE).saturating_add(1);
            let room =
                |limit: u32, sum: u32, share: u32| limit.saturating_sub(sum).saturating_add(share);
            let known = numbers_of[next];
            let limits = if own_move {
                let room = room(disproof_limit, numbers.disproof, known.disproof);
                [proof_limit.min(patient), room.min(NEVER)]
            } else {
                let room = room(proof_limit, numbers.proof, known.proof);
                [room.min(NEVER), disproof_limit.min(patient)]
            };
            numbers_of[next] = self.search(&replies[next].fight, known, limits);
            if self.effort.company && self.nodes - started >= SHARED_FROM {
                self.ask_again(replies, numbers_of);
            }
        }
    }

    /// What is known of the replies to a position.
    fn rated(&self, fight: &Fight, replies: &[Reply]) -> Vec<Numbers> {
        let keys: Vec<u64> = replies.iter().map(|reply| self.key(&reply.fight)).collect();
        let mut known: Vec<_> = self.table.get_all(&keys).collect();
        // Most positions are looked at again, when all their replies have been.
        let has_new = |known: &[Option<Numbers>]| known.iter().any(Option::is_none);
        if has_new(&known) {
            self.advice.guess(self.table, fight, replies, &mut known);
        }
        let eyes =
            has_new(&known).then(|| Distances::of(self.locale, &fight.stones, fight.defends));
        (replies.iter().zip(known))
            .map(|(reply, known)| self.rate(reply, known, eyes.as_ref()))
            .collect()
    }

    /// Takes over what others have found out of the replies since.
    fn ask_again(&self, replies: &[Reply], numbers: &mut [Numbers]) {
        for (reply, numbers) in replies.iter().zip(numbers) {
            if let Some(known) = self.known(&reply.fight) {
                *numbers = self.rate(reply, Some(known), None);
            }
        }
    }

    /// What the table says of the position, if that is a decision.
    fn decided(&self, fight: &Fight) -> Option<Numbers> {
        self.known(fight).filter(Numbers::is_decided)
    }

    /// Puts the numbers into the table, unless somebody else has decided the position meanwhile.
    fn keep(&self, fight: &Fight, numbers: Numbers) -> Numbers {
        if self.effort.company
            && !numbers.is_decided()
            && let Some(decided) = self.decided(fight)
        {
            return decided;
        }
        self.table.put(self.key(fight), numbers);
        numbers
    }

    /// What is known of a reply; of one never looked at, a guess from how far the group is from two eyes, if that is
    /// told.
    fn rate(&self, reply: &Reply, known: Option<Numbers>, eyes: Option<&Distances>) -> Numbers {
        let parent_passed = self.line.last().is_some_and(|parent| parent.passed);
        if reply.fight.passed && parent_passed && !self.claim.seki_lives {
            // Nobody plays on: the group has no eyes to show.
            return Numbers::decided(!self.claim.lives);
        }
        // Of the line every other position has the same side to move.
        if (self.line.iter().rev().skip(1).step_by(2)).any(|before| *before == reply.fight) {
            return Numbers::decided(false);
        }
        known.unwrap_or_else(|| {
            let far = eyes.map_or(FAR, |eyes| eyes.distance(reply.stone));
            let square = |distance: u32| 1 + distance * distance / 2;
            let (to_live, to_die) = (square(far), square(FAR - far));
            let (proof, disproof) = if self.claim.lives {
                (to_live, to_die)
            } else {
                (to_die, to_live)
            };
            Numbers::new(proof, disproof)
        })
    }
}
