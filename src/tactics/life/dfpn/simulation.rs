//! Proofs by simulation (Kawano, "Using similar positions to search game trees", 1996): a proof of a position often
//! also proves the position after a different move of the prover's opponent, because that move changes nothing.

use super::{Child, LifeNode, MAX_DEPTH, ProofNumbers, ProofSearch, StaticLifeStatus};

impl ProofSearch<'_> {
    /// Tries to prove the undecided children of a position with the proof of the child `model`. The opponent of the
    /// prover is to move in the position.
    pub(super) fn simulate_siblings(
        &mut self,
        children: &[Child],
        numbers: &mut [ProofNumbers],
        model: usize,
    ) {
        for (child, numbers) in children.iter().zip(numbers) {
            if !numbers.is_decided() && self.is_proved_like(&child.node, &children[model].node) {
                *numbers = ProofNumbers::decided(true);
            }
        }
    }

    /// Returns true if the moves that prove `model` prove `node` too. Stores the positions that are proved.
    fn is_proved_like(&mut self, node: &LifeNode, model: &LifeNode) -> bool {
        let decided = self
            .decided_after_passes(node)
            .or_else(|| self.decided_numbers(node));
        if let Some(decided) = decided {
            return decided.proof == 0;
        }
        if self.stopped || self.path.len() >= MAX_DEPTH || self.path.contains(node) {
            return false;
        }
        self.count_node();
        let is_proved = match self.status(node) {
            Ok(status) => (status == StaticLifeStatus::Alive) == self.goal.lives,
            Err(playable) => {
                let children = self.children_within(node, playable);
                let replies = self.proved_replies(model);
                self.path.push(*node);
                let is_proved = self.are_proved_like(node, &children, &replies);
                self.path.pop();
                is_proved
            }
        };
        if is_proved {
            self.store(node, ProofNumbers::decided(true));
        }
        is_proved
    }

    /// Returns true if the children of `node` are proved like the replies with the same moves. If the prover is to move,
    /// only the first such child matters. Otherwise, a child without a reply is compared with the pass.
    fn are_proved_like(&mut self, node: &LifeNode, children: &[Child], replies: &[Child]) -> bool {
        let prover_to_move = node.defender_to_move == self.goal.lives;
        let reply_at = |point| replies.iter().find(|reply| reply.point == point);
        if prover_to_move {
            let mut same_moves = children
                .iter()
                .filter_map(|child| Some((child, reply_at(child.point)?)));
            return same_moves
                .next()
                .is_some_and(|(child, reply)| self.is_proved_like(&child.node, &reply.node));
        }
        children.iter().all(|child| {
            let reply = reply_at(child.point).or_else(|| reply_at(None));
            reply.is_some_and(|reply| self.is_proved_like(&child.node, &reply.node))
        })
    }

    /// Returns the children of a position that are proved.
    fn proved_replies(&self, node: &LifeNode) -> Vec<Child> {
        let mut replies = self.children(node);
        let is_proved = |child: &Child| {
            let numbers = self.decided_numbers(&child.node);
            numbers.is_some_and(|numbers| numbers.proof == 0)
        };
        replies.retain(is_proved);
        replies
    }
}
