//! The storage of nodes and edges within a memory bound.

use super::arena::Arena;
use super::node::{Edge, Node, NodeId, Row, State};
use crate::game::point::Move;

/// Nodes that threads may still be adding when the numbers run out.
const IN_FLIGHT: usize = 1 << 16;

/// A tree of positions; node 0 is the root. A child is made after its parent, and has a higher number.
#[derive(Debug)]
pub struct Tree {
    nodes: Arena<Node>,
    edges: Arena<Edge>,
    max_bytes: usize,
}

impl Tree {
    /// A tree of one fresh node that will not grow beyond `max_bytes`, but for its root's edges and children, and what
    /// the threads were about to add when the bound was reached.
    #[must_use]
    pub fn new(max_bytes: usize) -> Self {
        let tree = Self {
            nodes: Arena::new(),
            edges: Arena::new(),
            max_bytes,
        };
        tree.add();
        tree
    }

    /// The root.
    #[must_use]
    pub fn root(&self) -> &Node {
        self.node(0)
    }

    /// The node of that number.
    ///
    /// # Panics
    /// When [`add`](Self::add) has not given it out.
    #[must_use]
    #[inline]
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes.row(id as usize, 1)[0]
    }

    /// The moves from a node of this tree, the highest prior first; none before it is expanded. They may be the first of
    /// more: see [`is_short`](Self::is_short).
    #[must_use]
    #[inline]
    pub fn edges(&self, node: &Node) -> &[Edge] {
        node.edges()
            .map_or(&[], |row| self.edges.row(row.place, row.count))
    }

    /// Whether an expanded node has more moves than it has been given.
    #[must_use]
    #[inline]
    pub fn is_short(&self, node: &Node) -> bool {
        node.edges().is_some_and(|row| !row.whole)
    }

    /// Nodes made so far.
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is only the root, not expanded.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.root().state() == State::Fresh
    }

    /// Bytes that nodes and edges take.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.nodes.len() * size_of::<Node>() + self.edges.len() * size_of::<Edge>()
    }

    /// Whether the memory bound is reached: below the root, no further node is to be made or expanded.
    #[must_use]
    pub fn is_full(&self) -> bool {
        let most = Arena::<Node>::CAPACITY.min(NodeId::MAX as usize) - IN_FLIGHT;
        // Nodes about to come bring more edges than that many; half the room is more than memories have.
        let most_edges = Arena::<Edge>::CAPACITY / 2;
        self.bytes() >= self.max_bytes || self.len() >= most || self.edges.len() >= most_edges
    }

    /// Adds a fresh node.
    fn add(&self) -> NodeId {
        self.nodes.take(1) as NodeId
    }

    /// The child that `edge` leads to, made if need be.
    pub fn child_of(&self, edge: &Edge) -> NodeId {
        // Two threads may come here at once; one of the two new nodes is then left unused.
        edge.child().unwrap_or_else(|| edge.set_child(self.add()))
    }

    /// Publishes the moves of a claimed node with their priors, all or the first of them, or gives the claim back when
    /// the tree is full.
    pub fn expand(&self, id: NodeId, moves: &[(Move, f32)], all: bool) {
        if id != 0 && self.is_full() {
            self.node(id).release();
            return;
        }
        let row = self.take_row(moves.len(), all);
        for (edge, &(mv, prior)) in self.edges.row(row.place, row.count).iter().zip(moves) {
            edge.set(mv, prior);
        }
        self.node(id).expand(row);
    }

    /// Gives a node that is short all of `moves`: behind those that it has, which keep their children, the others.
    ///
    /// Those that it has must not be about to get further children: each has one already, or nobody may follow it.
    pub fn complete(&self, id: NodeId, moves: &[(Move, f32)]) {
        let node = self.node(id);
        let Some(before) = node.edges().filter(|row| !row.whole) else {
            return;
        };
        let known = self.edges.row(before.place, before.count);
        let is_new = |(mv, _): &&(Move, f32)| known.iter().all(|edge| edge.mv() != *mv);
        let new: Vec<_> = moves.iter().filter(is_new).collect();
        let row = self.take_row(known.len() + new.len(), true);
        let (kept, added) = self.edges.row(row.place, row.count).split_at(known.len());
        for (edge, old) in kept.iter().zip(known) {
            edge.copy(old, old.child());
        }
        for (edge, &&(mv, prior)) in added.iter().zip(&new) {
            edge.set(mv, prior);
        }
        node.exchange(before, row);
    }

    fn take_row(&self, count: usize, whole: bool) -> Row {
        Row {
            place: self.edges.take(count),
            count,
            whole,
        }
    }

    /// The node that these moves lead to from the root, as far as the tree has them.
    #[must_use]
    pub fn descendant(&self, moves: &[Move]) -> Option<NodeId> {
        let mut id = 0;
        for mv in moves {
            let mut edges = self.edges(self.node(id)).iter();
            id = edges.find(|edge| edge.mv() == *mv)?.child()?;
        }
        Some(id)
    }

    /// Makes `id` the root, keeps what lies below it and forgets the rest. Nothing may be in flight.
    ///
    /// What is kept slides down, in the order in which it was made, to where the forgotten was: no second tree is needed.
    pub fn reroot(&mut self, id: NodeId) {
        let kept = self.below(id);
        for (to, &from) in (0..).zip(&kept) {
            self.node(to).copy(self.node(from));
        }
        // The nodes alone, since all this is beside a tree that may fill its memory.
        let mut expanded: Vec<NodeId> = (0..kept.len() as NodeId)
            .filter(|&node| self.node(node).edges().is_some())
            .collect();
        expanded.sort_unstable_by_key(|&node| self.node(node).edges().map(|row| row.place));
        let mut used = 0;
        for node in expanded {
            let Some(row) = self.node(node).edges() else {
                continue;
            };
            let place = Arena::<Edge>::place(used, row.count);
            used = place + row.count;
            self.slide(row, place, &kept);
            self.node(node).expand(Row { place, ..row });
        }
        self.nodes.truncate(kept.len());
        self.edges.truncate(used);
    }

    /// A node and all below it, in the order in which they were made.
    fn below(&self, id: NodeId) -> Vec<NodeId> {
        let mut found = vec![id];
        let mut next = 0;
        while let Some(&from) = found.get(next) {
            next += 1;
            // Below the root children are made in the order of the edges.
            let edges = self.edges(self.node(from)).iter();
            found.extend(edges.map_while(Edge::child));
        }
        found.sort_unstable();
        found
    }

    /// Moves a row of edges down to `place`; their children have the numbers now that they have in the order of `kept`.
    fn slide(&self, row: Row, place: usize, kept: &[NodeId]) {
        let from = self.edges.row(row.place, row.count);
        let to = self.edges.row(place, row.count);
        // The rows may overlap: the first first.
        for (to, from) in to.iter().zip(from) {
            let child = from
                .child()
                .and_then(|child| kept.binary_search(&child).ok());
            to.copy(from, child.map(|child| child as NodeId));
        }
    }
}
